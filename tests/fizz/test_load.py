"""Loading: files, includes, helper modules, constants from outside, limits."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import fizz
from fizz.base.errors import Diagnostic, FizzError
from fizz.syntax import ast
from fizz.syntax.printer import print_module
from fizz.syntax.tree_walk import nodes_in
from interpreter import Machine, compile_module


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.fizz").write_text(text)
    return folder / "model.fizz"


def _errors(path: Path, text: str | None = None) -> list[Diagnostic]:
    with pytest.raises(FizzError) as caught:
        fizz.load(path, text=text)
    return list(caught.value.diagnostics)


def test_names(tmp_path: Path) -> None:
    """State variables stand in order of first binding, constants in file order."""
    text = """
A, B = 1, 2
C = A
action Init:
    y, (x, z) = 1, (2, 3)
    y = 2
    w = oneof [1]
    self_made = f()
    q.x = 1
    if True:
        nested = 1
        y = 3
func f(): return 1
always assertion R: return __returns__ == {}
""".replace("    q.x = 1\n", "")
    module = fizz.load(tmp_path / "m.fizz", text=text)
    assert module.state_variables == ("y", "x", "z", "w", "self_made")
    assert module.constants == ("A", "B", "C")
    assert module.reads_returns
    assert module.path == str(tmp_path / "m.fizz")
    assert not fizz.load(tmp_path / "m.fizz", text=text.replace("__returns__", "{}")).reads_returns
    assert pickle.loads(pickle.dumps(module)) == module


def test_includes(tmp_path: Path) -> None:
    """The items of an included file replace the include; a second include changes nothing."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "deep.fizz").write_text("Deep = 1\n")
    model = _write(
        tmp_path,
        model='A = 1\ninclude "core.fizz"\nB = Core\ninclude "core.fizz"\n',
        core='include "parts/deep.fizz"\nCore = Deep\n',
    )
    module = fizz.load(model)
    assert module.constants == ("A", "Deep", "Core", "B")
    assert not any(isinstance(item, ast.Include) for item in module.items)
    assert [Path(name).name for name in module.sources] == ["model.fizz", "core.fizz", "deep.fizz"]


def test_include_mistakes(tmp_path: Path) -> None:
    """Cycles, front matter and double definitions are errors; messages name the file they speak of."""
    model = _write(tmp_path, model='include "a.fizz"\n', a='include "b.fizz"\n', b='include "a.fizz"\n')
    (cycle,) = _errors(model)
    assert cycle.code == "L38" and cycle.span is not None and Path(cycle.span.file).name == "b.fizz"
    _write(tmp_path, a="---\nliveness: off\n---\nA = 1\n")
    (front,) = _errors(model)
    assert front.code == "L11" and front.span is not None and front.span[1:3] == (1, 1)
    _write(tmp_path, model='include "a.fizz"\nA = 1\n', a="\nA = 2\n")
    (twice,) = _errors(model)
    assert twice.code == "L21" and twice.hint == f"first defined at {tmp_path / 'a.fizz'}:2:1"
    assert twice.span is not None and twice.span.file == str(model)
    _write(tmp_path, a="x = = 1\n")
    (syntax,) = _errors(model)
    assert syntax.code == "L1" and syntax.span is not None and Path(syntax.span.file).name == "a.fizz"


@pytest.mark.parametrize(
    ("model", "core", "deep", "found"),
    [
        ('A = 1\ninclude "core.fizz"', "A = 2\nB = A", "", {"A": 1, "B": 1}),
        ('A = 1\nC = A + 1\ninclude "core.fizz"', "A = 2\nB = A", "", {"A": 1, "B": 1, "C": 2}),
        ('A = 1\ninclude "core.fizz"', 'A = 2\ninclude "deep.fizz"', "A = 3\nB = A", {"A": 1, "B": 1}),
        ('include "core.fizz"', 'A = 2\ninclude "deep.fizz"', "A = 3\nB = A", {"A": 2, "B": 2}),
        ('A = 1\ninclude "core.fizz"', 'include "deep.fizz"', "A = 3\nB = A", {"A": 1, "B": 1}),
    ],
)
def test_constants_before_an_include(model: str, core: str, deep: str, found: dict[str, int], tmp_path: Path) -> None:
    """They replace those of the included file; the outermost file wins."""
    (tmp_path / "core.fizz").write_text(core + "\n")
    (tmp_path / "deep.fizz").write_text(deep + "\n")
    names = ", ".join(sorted(found))
    text = f"{model}\naction Init: x = [{names}]\n"
    (machine,) = [Machine(compile_module(fizz.load(tmp_path / "m.fizz", text=text)))]
    (initial,) = machine.initial()[0]
    assert dict(machine.describe(initial.state))["x"] == str([found[name] for name in sorted(found)])


@pytest.mark.parametrize(
    ("model", "core"),
    [
        ("A, B = 1, 2", "A = 2"),
        ("A = 1", "A, B = 1, 2"),
        ("A = 1", "A = 2\nA = 3"),
        ("A = B = 1", "A = 2"),
    ],
)
def test_constants_defined_twice(model: str, core: str, tmp_path: Path) -> None:
    """Only statements that bind one name replace, and are replaced."""
    (tmp_path / "core.fizz").write_text(core + "\n")
    assert [d.code for d in _errors(tmp_path / "m.fizz", f'{model}\ninclude "core.fizz"\n')] == ["L21"]


def test_set_wins_over_constants_before_an_include(tmp_path: Path) -> None:
    """`--set` replaces the value that stands in the end."""
    (tmp_path / "core.fizz").write_text("A = 2\n")
    text = 'A = 1\ninclude "core.fizz"\naction Init: x = A\n'
    machine = Machine(compile_module(fizz.load(tmp_path / "m.fizz", text=text, constants={"A": "3"})))
    assert dict(machine.describe(machine.initial()[0][0].state))["x"] == "3"


def test_helper_modules(tmp_path: Path) -> None:
    """A module beside the model is loaded when it is mentioned, and only then."""
    (tmp_path / "geo.star").write_text("UNIT = 2\ndef area(a, b):\n    return a * b * UNIT\n")
    (tmp_path / "wrong.star").write_text("def f(:\n")
    module = fizz.load(tmp_path / "m.fizz", text="action Init:\n    x = geo.area(1, b=geo.UNIT)\n")
    (helper,) = module.helper_modules
    assert helper.name == "geo" and helper.path == str(tmp_path / "geo.star") and len(helper.items) == 2
    assert str(tmp_path / "geo.star") in module.sources
    assert fizz.load(tmp_path / "m.fizz", text="X = 1\n").helper_modules == ()
    found = _errors(tmp_path / "m.fizz", "X = wrong.f()\n")
    assert [d.code for d in found] == ["L38", "L1"]
    (tmp_path / "wrong.star").write_text("def f(): return undefined\n")
    (inside,) = _errors(tmp_path / "m.fizz", "X = wrong.f()\n")
    assert inside.code == "L20" and inside.span is not None and inside.span.file == str(tmp_path / "wrong.star")
    (reserved,) = _errors(tmp_path / "m.fizz", "action Init:\n    geo = 1\n")
    assert reserved.code == "L35"


def test_set(tmp_path: Path) -> None:
    """A value from outside replaces the right side of a constant, and what follows sees it."""
    path = tmp_path / "m.fizz"
    text = "N = 3\nA, B = 1, 2\naction Init:\n    x = N\n"
    module = fizz.load(path, text=text, constants={"N": "[1, 'two']  # list", "B": "4 + 5"})
    assert print_module(module).startswith('N = [1, "two"]\n(A, B) = (1, 4 + 5)\n')
    statement = module.items[0]
    assert isinstance(statement, ast.ConstantStatement) and isinstance(statement.statement, ast.Assign)
    assert statement.statement.value.span == ("--set N", 1, 1, 1, 11)
    assert module.sources["--set N"] == "[1, 'two']  # list"
    assert print_module(fizz.load(path, text=text)).startswith("N = 3\n")


@pytest.mark.parametrize(
    ("name", "value", "text", "place"),
    [
        ("M", "1", "unknown constant 'M'", (1, 1)),
        ("x", "1", "unknown constant 'x'", (1, 1)),
        ("C", "1", "constant 'C' can not be set alone", (1, 1)),
        ("Limit", "1 +", "unexpected end of the text, expected an expression", (1, 4)),
        ("Limit", "", "expected one expression", (1, 1)),
        ("Limit", "1; 2", "';' is not part of the language", (1, 2)),
        ("Limit", "1\n2", "expected one expression", (2, 1)),
        ("Limit", "(1", "'(' is never closed", (1, 1)),
        ("Limit", "'a", "string is never closed", (1, 1)),
        ("Limit", "a = 1", "unexpected '='", (1, 3)),
        ("Limit", "x", "constant statement uses the state variable 'x'", (1, 1)),
        ("Limit", "text", "undefined name 'text'", (1, 1)),
        ("Limit", "\x00", "control character", (1, 1)),
    ],
)
def test_wrong_set(name: str, value: str, text: str, place: tuple[int, int], tmp_path: Path) -> None:
    """What is wrong with a value from outside is shown in that value."""
    model = "Limit = 3\nC = D = 1\naction Init:\n    x = Limit\n"
    with pytest.raises(FizzError) as caught:
        fizz.load(tmp_path / "m.fizz", text=model, constants={name: value})
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == "O5" and text in diagnostic.text
    assert diagnostic.span is not None and diagnostic.span.file == f"--set {name}"
    assert diagnostic.span[1:3] == place
    assert diagnostic.hint and (diagnostic.hint == "write a value, as 2 or [1, 2]") == (value == "")
    assert caught.value.exit_code == 151


def test_near_constant(tmp_path: Path) -> None:
    """The hint of an unknown constant names the nearest one, or all."""
    for name, hint in (("Limt", "did you mean 'Limit'?"), ("Zzzzz", "constants: Limit, Other")):
        with pytest.raises(FizzError) as caught:
            fizz.load(tmp_path / "m.fizz", text="Limit = 1\nOther = 2\n", constants={name: "1"})
        assert caught.value.diagnostics[0].hint == hint


def test_unreadable_files(tmp_path: Path) -> None:
    """A missing file is an OSError; a file that is no model text is one clear message."""
    path = tmp_path / "m.fizz"
    with pytest.raises(FileNotFoundError):
        fizz.load(path)
    with pytest.raises(OSError):
        fizz.load(tmp_path)
    for data, text, *place in (
        (b"\x89PNG\r\n", "not UTF-8 text (byte 0x89)", 1, 1),
        (b"x = 1\ny = \xff\n", "not UTF-8 text (byte 0xff)", 2, 5),
        (b"\x7fELF\x00\x01", "binary (byte 0x00)", 1, 5),
        (b"x = 1\ny = 2\x00\n", "binary (byte 0x00)", 2, 6),
        (b"x" * (1024 * 1024 + 1), "larger than 1 MiB"),
        (b"", "no action, nothing to check"),
        (b"# only comments\n\n", "no action, nothing to check"),
        (b"''''''\n\"a\" 'b'\n", "no action, nothing to check"),
        (b"---\nliveness: off\n---\n", "no action, nothing to check"),
    ):
        path.write_bytes(data)
        (diagnostic,) = _errors(path)
        assert diagnostic.code == "L1" and text in diagnostic.text
        assert not place or (diagnostic.span is not None and [*diagnostic.span[1:3]] == place)
    path.write_bytes(b"\xef\xbb\xbfX = 1\r\nY = '''a\r\nb'''\rZ = 2\r")
    assert fizz.load(path).constants == ("X", "Y", "Z")


def test_errors_are_sorted_and_at_most_twenty(tmp_path: Path) -> None:
    """All mistakes of a file are reported together, sorted by position."""
    lines = [f"action A{n}:\n    x = {'= 1' if n % 2 else 'missing'}\n" for n in range(30)]
    found = _errors(tmp_path / "m.fizz", "".join((*lines, "action Init: pass\n")))
    assert len(found) == 20
    spans = [d.span for d in found if d.span is not None]
    assert spans == sorted(spans) and spans[0].line == 2


def test_definitions_in_broken_items_are_not_missed(tmp_path: Path) -> None:
    """Where an item does not parse, the names that it may define are not called undefined."""
    text = "K = (1\nfunc f(a) return a\naction Init:\n    x = 1 +\n"
    text += "action A:\n    y = K + x + z\natomic action B:\n    f()\n"
    codes = [(d.code, d.text) for d in _errors(tmp_path / "m.fizz", text)]
    assert ("L20", "undefined name 'z'") in codes
    assert [text for code, text in codes if code == "L20"] == ["undefined name 'z'"]


@pytest.mark.parametrize(
    "body",
    [
        "(" * 10_000 + "1" + ")" * 10_000,
        "[" * 10_000,
        "1" + " + 1" * 10_000,
        "not " * 10_000 + "1",
        "-" * 10_000 + "1",
        "a" + ".b" * 10_000,
        "a" + "[0]" * 10_000,
        "a" + "(0)" * 10_000,
        "1 if 2 else " * 1_000 + "3",
        "lambda: " * 10_000 + "1",
        "{1: " * 10_000,
        "f" + '"{' * 2_000,
        'f"{' + "(" * 1_000 + "1" + ")" * 1_000 + '}"',
        "1" * 10_000,
        "'" + "\\x" * 10_000 + "'",
    ],
)
def test_deep_nesting_is_a_message(body: str, tmp_path: Path) -> None:
    """Every expression, however deep, loads or gives a message with its span."""
    found = _errors(tmp_path / "m.fizz", f"action Init:\n    a = 1\n    x = {body}\n")
    assert found[0].code in ("L1", "L6") and found[0].span is not None


def test_deep_blocks_are_a_message(tmp_path: Path) -> None:
    """Blocks have a limit too; what is below the limits loads, pickles and prints."""
    deep = "action Init:\n" + "".join("    " * n + "if True:\n" for n in range(1, 100)) + "    " * 100 + "x = 1\n"
    assert "more than 40 deep" in _errors(tmp_path / "m.fizz", deep)[0].text
    allowed = "action Init:\n" + "".join("    " * n + "if True:\n" for n in range(1, 39)) + "    " * 39
    nested = "(" * 90 + "1" + ")" * 90
    chain = " + ".join(["1"] * 75)
    listed = "[" * 90 + "]" * 90
    module = fizz.load(tmp_path / "m.fizz", text=f"{allowed}x = [{nested}, {chain}, {listed}]\n")
    assert len(pickle.dumps(module)) > 0
    assert print_module(module).count("if True") == 38


def test_a_large_model_is_parsed_in_linear_work(tmp_path: Path) -> None:
    """The number of attempted matches grows with the length of a text, not faster."""
    from fizz.syntax import parse
    from fizz.syntax.matcher import Failures, Matcher

    class Counted(Failures):
        count = 0

        def add(self, position: int, name: str) -> None:
            self.count += 1

    def attempts(text: str) -> int:
        failures = Counted()
        assert Matcher(parse._rule(), parse._BLANKS, failures).match(text) is not None
        return failures.count

    line = "x = {'a': [b + c(d, e=f)[0] for g in h if i], 'j': (k, not l)}\x01"
    one = attempts(line)
    assert one < 150
    assert attempts(line * 50) < 55 * one
    nested = "x = " + "(" * 50 + "1" + ")" * 50 + "\x01"
    assert attempts(nested) < 50 * 15


def test_a_model_without_init(tmp_path: Path) -> None:
    """That there is none is said once, not once for each of its variables; near names are still offered."""
    (tmp_path / "model.fizz").write_text("atomic action Go:\n    y += 1\n    z = len(w)\n    z = sun([])\n")
    found = _errors(tmp_path / "model.fizz")
    assert [(one.text, one.hint) for one in found] == [
        ("undefined name 'y'", "the model has no `action Init`, which binds the state variables"),
        ("undefined name 'sun'", "did you mean 'sum'?"),
    ]


@pytest.mark.parametrize("text", ["[*a, b]", "[None, *range(3)]", "(*a,)", "*a, b"])
def test_unpacking_in_a_list_or_tuple(text: str, tmp_path: Path) -> None:
    """It loads, without a warning, as one element that is unpacked."""
    (tmp_path / "model.fizz").write_text(f"action Init:\n    a, b = [1], 2\n    c = {text}\n")
    module = fizz.load(tmp_path / "model.fizz")
    assert not module.warnings
    kinds = [type(node) for node in nodes_in(module.items)]
    assert kinds.count(ast.Starred) == 1


@pytest.mark.parametrize("text", ["{*a}", "{*a, b}", "{b, *a}"])
def test_unpacking_in_braces(text: str, tmp_path: Path) -> None:
    """There are no sets in braces, with unpacking or without; the message says what to write."""
    (tmp_path / "model.fizz").write_text(f"action Init:\n    a, b = [1], 2\n    c = {text}\n")
    (found,) = _errors(tmp_path / "model.fizz")
    assert found.code == "L6"
    assert found.text == "'{…}' with elements is not part of the language"
    assert "write `set([1, 2])`" in str(found.hint)


def test_unpacking_without_a_display(tmp_path: Path) -> None:
    """In parentheses without a comma there is nothing to unpack into."""
    (tmp_path / "model.fizz").write_text("action Init:\n    a = [1]\n    c = (*a)\n")
    (found,) = _errors(tmp_path / "model.fizz")
    assert found.code == "L1"
    assert "write `[*a]` for a list, `(*a,)` for a tuple" in str(found.hint)
