"""Every message of `docs/messages.md` has fixtures that bring it forth, and the code knows no other.

A fixture announces its message where it belongs, as those of `tests/fizz` do: `### "part of the text" [CODE]`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.core.report import Report
from fizz import Diagnostic
from interpreter import Machine
from tests.fizz.test_errors import ERRORS, WARNINGS, marks

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FAILURES = sorted((HERE / "failures").glob("*.fizz"))
ADVICE = sorted((HERE / "advice").glob("*.fizz"))
FIXTURES = (*FAILURES, *ADVICE, *ERRORS, *WARNINGS)
CATALOGUE = re.findall(r"^\| ([A-Z]\d+) \|", (ROOT / "docs" / "messages.md").read_text(encoding="utf-8"), re.MULTILINE)


def named_in_the_code() -> set[str]:
    """All codes that messages are made with."""
    sources = [path for folder in ("fizz", "interpreter", "checker") for path in (ROOT / folder).rglob("*.py")]
    return {code for path in sources for code in re.findall(r'"([LORW]\d+)"', path.read_text(encoding="utf-8"))}


def templates(path: Path) -> set[str]:
    """The texts of the problems that a source file makes, `…` for what is put in; those of other modules left out."""
    found = set()
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        match ast.unparse(call.func).rpartition(".")[2]:
            case "UsageProblem" | "EnvironmentProblem" | "kind":
                found.add(template(call.args[0]))
            case "_refused":
                found.add(f"the file … {template(call.args[1])}")
    return {text for text in found if re.search("[a-z]{2}", text)}


def template(text: ast.expr) -> str:
    """A text in the code as it is printed."""
    match text:
        case ast.Constant(str(value)):
            return value
        case ast.JoinedStr(parts):
            return "".join(template(part) for part in parts)
    return "…"


def announced(diagnostics: tuple[Diagnostic, ...], path: Path) -> None:
    """The messages are the announced ones; those without a span may be announced anywhere."""
    expected = marks(path)
    assert len(diagnostics) == len(expected), [d.text for d in diagnostics]
    for line, code, text in expected:
        fitting = [d for d in diagnostics if d.code == code and text in d.text]
        assert any(d.span is None or d.span.line == line for d in fitting), (line, code, text, diagnostics)


def report_of(path: Path, engine: str) -> Report:
    return check(path, engine=engine)


def test_catalogue() -> None:
    """The table names each code once, and just those that the code has."""
    assert len(CATALOGUE) == len(set(CATALOGUE))
    assert set(CATALOGUE) == named_in_the_code()


def test_messages_of_checkpoints() -> None:
    """The page has each problem that reading and writing checkpoints can end with, in the words of the code."""
    section = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8").partition("## Checkpoints")[2]
    rows = set(re.findall(r"^\| (?:2|74) \| (.*?) \|", section, re.MULTILINE))
    folders = ("checker/storage/checkpoint", "checker/search/checkpoints")
    sources = [path for folder in folders for path in (ROOT / folder).glob("*.py")]
    sources += [ROOT / "checker" / "search" / "keeper.py", ROOT / "checker" / "storage" / "file_store.py"]
    assert len(sources) > 8
    made = set().union(*map(templates, sources)) - {"…. The checkpoint of level … is whole"}
    assert made <= rows
    # Messages of other modules, or composed ones.
    assert rows - made == {
        "the checkpoint in … cannot be written: …",
        "the disk of … is full",
        "a file in … may not grow any more (ulimit -f)",
        "a worker process was killed (signal …), most likely for lack of memory",
    }


@pytest.mark.parametrize("code", [code for code in CATALOGUE if code != "O5"])
def test_each_code_has_a_fixture(code: str) -> None:
    """No message without an example of the model that gets it."""
    assert any(code == announced for path in FIXTURES for _, announced, _ in marks(path))


def test_constants_from_outside() -> None:
    """The one message that no file brings forth: a constant of the command that the model does not have."""
    with pytest.raises(fizz.FizzError) as caught:
        fizz.load("m.fizz", text="LIMIT = 1\n", constants={"LIMITS": "2"})
    assert [d.code for d in caught.value.diagnostics] == ["O5"]


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("path", FAILURES, ids=lambda path: path.stem)
def test_failures(path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model fails with the announced message and span, and its trace ends there."""
    monkeypatch.setattr(Machine, "most_paths", 1_000)
    report = report_of(path, engine)
    assert (report.verdict, int(report.exit_code)) == ("error", 75)
    assert report.error is not None
    announced((report.error.diagnostic,), path)
    if report.error.diagnostic.code not in ("R19",):
        assert report.trace is not None and report.trace.steps == report.error.steps


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("path", ADVICE, ids=lambda path: path.stem)
def test_advice(path: Path, engine: str) -> None:
    """What a run has to say about a model."""
    announced(report_of(path, engine).warnings, path)


def test_included_files_may_hold_more_than_is_used(tmp_path: Path) -> None:
    """A func of a shared core that this model does not call is no news; one of the model itself is."""
    unused = "func {name}(): x = 5\n"
    (tmp_path / "core.fizz").write_text("action Init: x = 0\n" + unused.format(name="spare"))
    model = tmp_path / "m.fizz"
    model.write_text('include "core.fizz"\natomic action Go: x = 1\n' + unused.format(name="own"))
    assert [w.text for w in check(model).warnings] == ["no statement of func 'own' was ever executed"]
