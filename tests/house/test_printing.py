"""Everything that is printed is made visible first, in the few rooms that write to the terminal."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.test_fences import ROOT, rooms

PRINTERS = {
    "checker/view/saying.py",  # plain lines
    "checker/view/page.py",  # what is laid out
    "checker/view/progress.py",  # the line that is rewritten
    "interpreter/running/globals.py",  # the `print` of the language
}
ENTRIES = ("fizzpy.py", "fizzpy_command.py")
"""They print before it is known whether our packages are ours."""
STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__", "_terminal", "_console")
FUNCTIONS = ("print", "echo", "secho", "print_exc", "print_exception", "print_stack", "warn", "showwarning", "pprint")


def written(source: str) -> Iterator[ast.Call]:
    """The calls that print or write to a stream of the process."""
    for node in ast.walk(ast.parse(source)):
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


@pytest.mark.parametrize("room", rooms())
def test_no_print_goes_around(room: str) -> None:
    """A `print`, an `echo`, a `write` to a stream stands in one of the printers only."""
    if room in PRINTERS or room in ENTRIES:
        return
    found = [f"{room}:{call.lineno}" for call in written((ROOT / room).read_text(encoding="utf-8"))]
    assert not found, "send it through checker.view.saying or a Page"


@pytest.mark.parametrize("room", sorted(PRINTERS - {"checker/view/page.py"}))
def test_printers_make_visible(room: str) -> None:
    """What a printer sends is spelled out: by `printable`, or below the checker by `spelled`; or it is its own text."""
    calls = list(written((ROOT / room).read_text(encoding="utf-8")))
    assert calls
    for call in calls:
        names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
        own = all(isinstance(part, ast.Constant) for part in call.args)
        assert own or names & {"printable", "spelled"}, f"{room}:{call.lineno}"


def test_the_search_finds_them() -> None:
    """The test above would see each of the ways to print."""
    ways = ("print(x)", "click.echo(x)", "sys.stdout.write(x)", "sys.stderr.write(x)", "traceback.print_exc()")
    for way in (*ways, "self._console.print(x)", "os.write(1, x)", "warnings.warn(x)"):
        assert len(list(written(way))) == 1, way
    assert not list(written("file.write(x); self._print(x); page.line(x)"))
    assert all(Path(ROOT, entry).is_file() for entry in ENTRIES)
