"""`fizzpy test` checks promises, in processes of their own, and prints the differences."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from checker.expectations.promise_runs import run_promises
from checker.expectations.promises import KEYS, Promise
from checker.tasks.task_runner import CoreRunner
from tests.cli.conftest import ENDLESS, Ended, in_terminal

PAGE = (Path(__file__).parents[2] / "docs" / "expectations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COUNTER = "N = 3\naction Init: n = 0\natomic action Up:\n    require n < N\n    n += 1\natomic action Rest: pass\n"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with a model that is fine and one that does not resolve."""
    (tmp_path / "m.fizz").write_text(COUNTER)
    (tmp_path / "unknown.fizz").write_text(COUNTER.replace("require n", "require m"))
    return tmp_path


def expect(folder: Path, text: str) -> None:
    (folder / "expect.yaml").write_text(text)


def children() -> set[int]:
    """The processes that this one has started and that are not gone yet."""
    return {int(number) for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def test_kept(fizzpy: Callable[..., Ended], models: Path) -> None:
    """A line for each run, with verdict and figures; the folder may be named, and so may the file."""
    expect(
        models, "- {model: m.fizz, exit: 0, states: 4}\n- {model: m.fizz, set: {N: 5}, keep_going: true, states: 6}\n"
    )
    for path in (".", "expect.yaml"):
        ended = fizzpy("test", path)
        assert ended.code == 0, ended.said
        assert re.search(r"^m +passed +4 +7 +3 +\d+\.\d +ok$", ended.out, re.MULTILINE), ended.out
        assert re.search(r"^m +N=5 --keep-going +passed +6 +11 +5 +\d+\.\d +ok$", ended.out, re.MULTILINE)
        assert ended.out.endswith("PASSED  2 promises kept\n")


@pytest.mark.parametrize(
    ("width", "name", "shown", "beside"),
    [(110, 30, 30, True), (80, 8, 8, True), (80, 18, 18, False), (80, 30, 30, False), (40, 30, 12, False)],
)
def test_a_narrow_page(
    width: int,
    name: int,
    shown: int,
    beside: bool,
    fizzpy: Callable[..., Ended],
    models: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Constants that do not fit beside the models stand below them; names are folded if they must be, figures never."""
    (models / "m.fizz").rename(models / f"{'m' * name}.fizz")
    expect(models, f"- {{model: {'m' * name}.fizz, set: {{N: 1234}}, options: {{max_actions: 123456789}}}}\n")
    monkeypatch.setenv("COLUMNS", str(width))
    lines = fizzpy("test", ".").out.splitlines()
    constants = " +constants" if beside else ""
    assert re.fullmatch(f"model{constants} +verdict +states +transitions +depth +CPU s *", lines[0])
    given = r" +N=1234" if beside else ""
    assert re.fullmatch(rf"m+{given}( \S+)? +passed +1,235 +2,469 +1,234 +\d+\.\d +ok", lines[1])
    assert len(lines[1].split()[0]) == shown
    assert beside or any(re.fullmatch(r"  N=1234( \S+)? *", line) for line in lines)
    assert len(lines[1]) <= max(width, 75)


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_broken(engine: str, fizzpy: Callable[..., Ended], models: Path) -> None:
    """Everything that differs is said, with the place of the promise; the code is 1."""
    expect(models, "- {model: m.fizz, exit: 0}\n- model: m.fizz\n  states: 5\n  depth: 3\n  transitions: 0\n")
    ended = fizzpy("test", ".", "--engine", engine)
    assert ended.code == 1
    assert "m.fizz  expect.yaml:2\n  states is 4, not 5\n  transitions is 7, not 0\n" in ended.out
    assert ended.out.endswith("FAILED  1 of 2 promises broken\n")
    quiet = fizzpy("test", ".", "--engine", engine, "--quiet")
    assert (quiet.code, quiet.out) == (1, "FAILED  1 of 2 promises broken\n")


def test_a_model_that_does_not_load(fizzpy: Callable[..., Ended], models: Path) -> None:
    """It may be promised, by its exit code alone; otherwise it is a broken promise, whatever else was promised."""
    expect(models, "- {model: unknown.fizz, exit: 150}\n")
    assert fizzpy("test", ".").code == 0
    for figures in ("", ", exit: 0", ", states: 4", ", exit: 150, states: 4"):
        expect(models, f"- {{model: unknown.fizz{figures}}}\n")
        ended = fizzpy("test", ".")
        assert ended.code == 1, figures
        assert "the model does not load: unknown.fizz:4:13: undefined name 'm' [L20]" in ended.out


@pytest.mark.parametrize(
    ("text", "arguments", "code", "said"),
    [
        (None, ["nowhere"], 2, "there is no file or folder 'nowhere'"),
        (None, ["m.fizz"], 2, "'m.fizz' is a model, not a list of runs"),
        (None, ["."], 2, "there is no expect.yaml in '.' or below"),
        ("[]", ["."], 2, "there are no runs"),
        ("- model: m.fizz", [".", "--mark", "large"], 2, "there is no run marked large"),
        ("- model: m.fizz\n- model: n.fizz", ["."], 2, "expect.yaml:2: there is no file 'n.fizz'"),
        ("- model: m.fizz\n  sates: 3", ["."], 151, "expect.yaml:2: run 1: unknown key 'sates'"),
        ("- model: m.fizz\n  exit: [", ["."], 151, "expect.yaml:2: this is not valid YAML"),
        ("- model: m.fizz", [".", "--junit", "nowhere/j.xml"], 2, "there is no directory 'nowhere'"),
        ("- model: m.fizz", [".", "-j", "0"], 2, "-j"),
    ],
)
def test_bad_input(
    text: str | None, arguments: list[str], code: int, said: str, fizzpy: Callable[..., Ended], models: Path
) -> None:
    """One message with place and reason, and the right code."""
    if text is not None:
        expect(models, text)
    ended = fizzpy("test", *arguments)
    assert ended.code == code, ended.said
    assert said in ended.err
    assert "internal error" not in ended.said


def test_json(fizzpy: Callable[..., Ended], models: Path) -> None:
    """What was asked, what came of it, and what differs."""
    expect(models, "- {model: m.fizz, set: {N: 5}, states: 6}\n- {model: m.fizz, states: 5}\n")
    ended = fizzpy("test", ".", "--json", "-j", "2")
    answer = json.loads(ended.out)
    assert (ended.code, answer["exit_code"], answer["kept"], answer["broken"], answer["not_run"]) == (1, 1, 1, 1, 0)
    first, second = answer["runs"]
    assert (first["model"], first["set"], first["holds"], first["states"]) == ("m.fizz", {"N": "5"}, True, 6)
    assert (second["holds"], second["differs"], second["line"]) == (False, ["states is 4, not 5"], 2)


def test_junit(fizzpy: Callable[..., Ended], models: Path) -> None:
    """A suite for each file, a case with a name of its own for each run, with its time; what differs is a failure."""
    (models / "more").mkdir()
    (models / "more" / "m.fizz").write_text(COUNTER)
    expect(models, "- {model: m.fizz, states: 4}\n- {model: m.fizz, states: 5, depth: 9}\n")
    expect(models / "more", "- {model: m.fizz, set: {N: '2'}, states: 3}\n")
    assert fizzpy("test", ".", "--junit", "j.xml").code == 1
    root = ElementTree.fromstring((models / "j.xml").read_text())
    assert root.tag == "testsuites"
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == ("3", "1", "0", "0")
    suites = root.findall("testsuite")
    assert [(s.get("name"), s.get("tests"), s.get("failures")) for s in suites] == [
        ("expect.yaml", "2", "1"),
        ("more/expect.yaml", "1", "0"),
    ]
    cases = root.findall("testsuite/testcase")
    assert [(c.get("classname"), c.get("name")) for c in cases] == [
        ("m", "m.fizz [embedded]"),
        ("m", "m.fizz [embedded] (line 2)"),
        ("more.m", "m.fizz N=2 [embedded]"),
    ]
    assert all(float(case.get("time", "nan")) > 0 for case in cases)
    failure = cases[1].find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.text) == ("states is 4, not 5", "states is 4, not 5\ndepth is 3, not 9")


def test_ctrl_c(models: Path) -> None:
    """What was done until then is printed, the rest is counted, and in the XML it is skipped."""
    (models / "endless.fizz").write_text(ENDLESS)
    expect(models, "- {model: m.fizz, states: 4}\n" + "- {model: endless.fizz}\n" * 3)
    arguments = ["test", ".", "-j", "2", "--junit", "j.xml", "--no-color"]
    code, sent = in_terminal(models, *arguments, interrupt_at="1 of 4 runs done")
    assert code == 130, sent
    assert sent.endswith("INTERRUPTED  1 promise kept, 3 not run\r\n"), sent
    assert "Traceback" not in sent
    root = ElementTree.fromstring((models / "j.xml").read_text())
    assert (root.get("tests"), root.get("skipped")) == ("4", "3")


def test_a_run_that_dies(models: Path) -> None:
    """It is made once more, and then reported like other things that machines do; the other runs go on."""
    killed: list[int] = []
    strangers = children()
    heard: list[str] = []

    def kill_two(done: int, broken: int) -> None:
        own = children() - strangers - {*killed}
        if own and len(killed) < 2:
            killed.append(own.pop())
            os.kill(killed[-1], signal.SIGKILL)

    (models / "endless.fizz").write_text(ENDLESS)
    promises = [Promise(models / "endless.fizz"), Promise(models / "m.fizz", figures={"states": 4})]
    results = dict(run_promises(promises, "embedded", CoreRunner(1), kill_two, heard.append))
    assert [sentence.endswith("it is run once more") for sentence in heard] == [True]
    assert results[0].exit_code == 74
    assert "was killed by SIGKILL" in str(results[0].trouble)
    assert results[1].holds


def test_the_page(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """The page on expectations shows what the command prints, but for the times."""
    for _, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
    command = next(text for kind, _, text in BLOCKS if kind == "console").split()
    shown = next(text for kind, _, text in BLOCKS if kind == "text")

    def plain(text: str) -> list[str]:
        return [re.sub(r"\d+\.\d", "0.0", line).rstrip() for line in text.strip().splitlines()]

    ended = fizzpy(*command[2:])
    assert ended.code == 1
    assert plain(ended.out) == plain(shown)


def test_the_page_has_every_key() -> None:
    """Each key that a run may have has its row in the table."""
    table = PAGE[PAGE.index("## A run") : PAGE.index("## The command")]
    for key in KEYS:
        assert f"`{key}`" in table
