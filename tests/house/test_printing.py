"""Everything that is printed is made visible first, in the few rooms that write to the terminal."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.test_fences import ROOT, lines, rooms, source

PRINTERS = {
    "checker/report/plain_lines.py",  # plain lines
    "checker/report/page.py",  # what is laid out
    "checker/report/progress.py",  # the line that is rewritten
    "interpreter/execute/globals.py",  # the `print` of the language
}
ENTRIES = ("fizzpy.py", "fizzpy_command.py")
"""They print before it is known whether our packages are ours."""
STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__", "_terminal", "_console")
FUNCTIONS = ("print", "echo", "secho", "print_exc", "print_exception", "print_stack", "warn", "showwarning", "pprint")


def written(text: str) -> Iterator[ast.Call]:
    """The calls that print or write to a stream of the process."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name) if name in FUNCTIONS:
                yield node
            case ast.Attribute(value=ast.Attribute(attr=stream) | ast.Name(id=stream), attr=name):
                if (stream in STREAMS and name in ("write", "writelines", "print", "out", "buffer")) or (
                    stream in ("click", "traceback", "warnings", "os") and name in (*FUNCTIONS, "write")
                ):
                    yield node


def visible(call: ast.Call) -> bool:
    """Whether what a call prints is spelled out: by `printable`, or below the checker by `spelled`; or its own text."""
    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    own = all(isinstance(part, ast.Constant) for part in call.args)
    return own or bool(names & {"printable", "spelled"})


def test_no_print_goes_around() -> None:
    """A `print`, an `echo`, a `write` to a stream stands in one of the printers only."""
    others = [room for room in rooms() if room not in PRINTERS and room not in ENTRIES]
    found = [f"{room}:{call.lineno}" for room in others for call in written(source(room))]
    assert not found, f"send it through checker.report.plain_lines or a Page:{lines(found)}"


def test_printers_make_visible() -> None:
    """What a printer sends is made visible in the call that sends it."""
    calls = {room: list(written(source(room))) for room in PRINTERS - {"checker/report/page.py"}}
    silent = [room for room in calls if not calls[room]]
    assert not silent, lines(silent)
    found = [f"{room}:{call.lineno}" for room in calls for call in calls[room] if not visible(call)]
    assert not found, lines(found)


def test_the_search_finds_them() -> None:
    """The test above would see each of the ways to print."""
    ways = ("print(x)", "click.echo(x)", "sys.stdout.write(x)", "sys.stderr.write(x)", "traceback.print_exc()")
    for way in (*ways, "self._console.print(x)", "os.write(1, x)", "warnings.warn(x)"):
        assert len(list(written(way))) == 1, way
    assert not list(written("file.write(x); self._print(x); page.line(x)"))
    assert all(Path(ROOT, entry).is_file() for entry in ENTRIES)
