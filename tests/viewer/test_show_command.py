"""`fizzpy show` as a command: what can not be shown is said, with the right code; in a terminal it opens and ends."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import ENDLESS, Ended
from tests.viewer.conftest import BANK, FINE
from tests.viewer.terminal import in_terminal

Command = Callable[..., Ended]

# name: (file, its contents, arguments after `show`, exit code, what must be said)
CASES: dict[str, tuple[str, str, list[str], int, list[str]]] = {
    "missing model": ("m.fizz", BANK, ["m.fiz"], 2, ["m.fiz", "did you mean 'm.fizz'"]),
    "missing report": ("m.fizz", BANK, ["r.json"], 2, ["r.json", "no file"]),
    "missing trace of a model": ("m.fizz", BANK, ["m.fizz", "--follow", "t.txt"], 2, ["t.txt", "does not exist"]),
    "directory": ("m.fizz", BANK, ["."], 2, ["directory"]),
    "followed directory": ("m.fizz", BANK, ["m.fizz", "--follow", "."], 2, ["directory"]),
    "no argument, no model": ("x.txt", "", [], 2, ["which model, report or guided trace"]),
    "damaged report": ("r.json", "{", ["r.json"], 2, ["r.json", "damaged"]),
    "report of nothing": (
        "r.json",
        json.dumps({"model": "m.fizz", "trace": None, "properties": [], "verdict": "passed"}),
        ["r.json"],
        2,
        ["no counterexample", "'passed'", "fizzpy show m.fizz"],
    ),
    "a text that is no trace": ("t.txt", "hello\n", ["t.txt"], 2, ["does not name its model", "--follow"]),
    "syntax error": ("m.fizz", BANK.replace("balance = 100", "balance = )"), ["m.fizz"], 150, ["m.fizz:2:", "^"]),
    "wrong option": ("m.fizz", BANK, ["m.fizz", "--option", "max_action=3"], 151, ["max_actions"]),
    "a walk and a trace": ("m.fizz", BANK, ["m.fizz", "--walk", "--follow", "t"], 2, ["exclude each other"]),
    "no terminal": ("m.fizz", BANK, ["m.fizz"], 74, ["needs a terminal", "fizzpy check"]),
    "no terminal for the only model": ("m.fizz", BANK, [], 74, ["needs a terminal"]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_can_not_be_shown(case: str, fizzpy: Command, tmp_path: Path) -> None:
    """The message names the reason and a hint."""
    name, contents, arguments, code, fragments = CASES[case]
    (tmp_path / name).write_text(contents)
    ended = fizzpy("show", *arguments)
    assert "Traceback" not in ended.said
    assert ended.code == code, ended.said
    for fragment in fragments:
        assert fragment in ended.said, ended.said


def test_a_file_that_may_not_be_read(fizzpy: Command, tmp_path: Path) -> None:
    """A named pipe, which would keep us waiting for ever."""
    os.mkfifo(tmp_path / "r.json")
    ended = fizzpy("show", "--follow", "r.json", "VeniceOffsetFirst.fizz")
    assert ended.code == 2
    assert "not an ordinary file" in ended.said


@pytest.mark.parametrize("arguments", ["m.fizz", "report.json", "trace.txt", "m.fizz --walk", ""])
def test_it_opens_in_a_terminal(arguments: str, fizzpy: Command, tmp_path: Path) -> None:
    """Whatever is given; ctrl+c ends it, with code 0."""
    (tmp_path / "m.fizz").write_text(BANK)
    (tmp_path / "report.json").write_text(fizzpy("check", "m.fizz", "--json").out)
    fizzpy("check", "m.fizz", "--save-trace", "trace.txt")
    shown = b"Can happen here" if "--walk" in arguments else b"State after"
    code, sent = in_terminal(tmp_path, "show", *arguments.split(), press=(shown, b"\x03"))
    assert code == 0, sent
    assert "Traceback" not in sent


def test_a_check_tells_how_to_open_the_viewer(fizzpy: Command, tmp_path: Path) -> None:
    """With the options and limits that it was given; in a terminal only, for nowhere else can it be opened."""
    (tmp_path / "m.fizz").write_text("LIMIT = 0\n" + BANK)
    arguments = ["check", "m.fizz", "--set", "LIMIT=2 + 1", "--property", "NeverNegative", "--max-depth", "9"]
    _, sent = in_terminal(tmp_path, *arguments)
    assert "fizzpy show m.fizz --set 'LIMIT=2 + 1' --property NeverNegative --max-depth 9" in " ".join(sent.split())
    assert "fizzpy show" not in fizzpy(*arguments).said
    assert "fizzpy show" not in in_terminal(tmp_path, *arguments, "--quiet")[1]
    (tmp_path / "fine.fizz").write_text(FINE)
    assert "fizzpy show" not in in_terminal(tmp_path, "check", "fine.fizz")[1]


def test_without_colours(tmp_path: Path) -> None:
    """Not one escape sequence sets a colour."""
    (tmp_path / "m.fizz").write_text(BANK)
    code, sent = in_terminal(tmp_path, "show", "m.fizz", "--no-color", press=(b"State after", b"\x03"))
    assert code == 0, sent
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|[34]8)(?:;\d+)*m", sent)


def test_nothing_found_is_said(tmp_path: Path) -> None:
    """The viewer opens at Init, with what could happen there."""
    (tmp_path / "m.fizz").write_text(FINE)
    code, sent = in_terminal(tmp_path, "show", "m.fizz", press=(b"Can happen here", b"\x03"))
    assert code == 0, sent
    assert "every property holds on the whole state space" in sent


def test_a_model_that_fails_at_once_is_told_as_by_check(tmp_path: Path) -> None:
    """There is no state to look at."""
    (tmp_path / "m.fizz").write_text(BANK.replace("balance = 100", "balance = 1 // 0"))
    code, sent = in_terminal(tmp_path, "show", "m.fizz", "--walk")
    assert code == 75, sent
    assert "division by zero" in sent


def test_ctrl_c_while_it_checks(tmp_path: Path) -> None:
    """The check ends as interrupted."""
    (tmp_path / "m.fizz").write_text(ENDLESS)
    code, sent = in_terminal(tmp_path, "show", "m.fizz", press=(b"frontier", b"\x03"))
    assert code == 130, sent
    assert "INTERRUPTED" in sent


def test_a_mistake_of_ours_gives_the_terminal_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with code 70 and a file with the details, not with a traceback."""
    (tmp_path / "m.fizz").write_text(BANK)
    (tmp_path / "sitecustomize.py").write_text(
        "import checker.tui.viewer_session as viewed\n"
        "def fail(self): raise ZeroDivisionError('staged')\n"
        "viewed.ViewerSession.rows = fail\n"
    )
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    code, sent = in_terminal(tmp_path, "show", "m.fizz", path=tmp_path)
    assert code == 70, sent
    assert "Traceback" not in sent
    assert "staged" in sent
