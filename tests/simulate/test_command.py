"""`fizzpy simulate`, `fizzpy trace` and `--save-trace`: what they print, and how they exit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.simulate.models import COUNTER, CRASHING, SERIAL

Command = Callable[..., Ended]

WRONG = COUNTER.replace("n <= LIMIT", "n < LIMIT")
STUCK = COUNTER.replace("n > 0", "n > 9")
CASES = {
    "nothing found": (COUNTER, 0, "NOTHING FOUND"),
    "always": (WRONG, 12, "FAILED"),
    "deadlock": (STUCK, 11, "DEADLOCK"),
    "liveness": (COUNTER.replace("always", "always eventually").replace("n <= LIMIT", "n < 0"), 13, "FAILED"),
    "error": (COUNTER.replace("n += 1", "n += 1 // (1 - n)"), 75, "ERROR"),
    "Init fails": (COUNTER.replace("n = 0", "n = 1 // 0"), 75, "ERROR"),
    "syntax": ("action Init\n", 150, ""),
    "options": ("---\nfoo: 1\n---\n" + COUNTER, 151, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_simulate(case: str, fizzpy: Command, tmp_path: Path) -> None:
    """Exit code and verdict, printed and as JSON; with the seed of what was found."""
    text, code, verdict = CASES[case]
    (tmp_path / "m.fizz").write_text(text)
    arguments = ("simulate", "m.fizz", "--runs", "30", "--seed", "5")
    ended = fizzpy(*arguments)
    assert (ended.code, "Traceback" in ended.said) == (code, False)
    assert verdict in ended.out
    if code in (11, 12, 13):
        assert "--runs 1 --seed" in ended.out
    answer = json.loads(fizzpy(*arguments, "--json").out)
    assert answer["exit_code"] == code
    if verdict:
        assert (answer["runs"], answer["seed"], answer["verdict"].upper()) == (30, 5, verdict)
        assert answer["walk"] is None or answer["walk_seed"] == 5 + answer["walk"]


def test_what_a_simulation_prints(fizzpy: Command, tmp_path: Path) -> None:
    """The story, the table with words of its own, what was done; `--quiet` one line."""
    (tmp_path / "m.fizz").write_text(WRONG + "exists assertion Two:\n    return n == 2\n")
    ended = fizzpy("simulate", "m.fizz", "--set", "LIMIT=2")
    assert "Small is violated" in ended.out
    assert "n 1→2" in ended.out
    assert "n: 1 -> 2" in fizzpy("simulate", "m.fizz", "--set", "LIMIT=2", "--full").out
    (tmp_path / "m.fizz").write_text(COUNTER + "exists assertion Two:\n    return n == 2\n")
    out = fizzpy("simulate", "m.fizz", "--runs", "3", "--option", "max_actions=20").out
    assert "not violated" in out
    assert "met" in out
    assert "3 walks, 60 steps, seed 0" in out
    assert "proves nothing" in out
    quiet = fizzpy("simulate", "m.fizz", "--quiet", "--runs", "3").out
    assert quiet.count("\n") == 1


def test_interrupted_simulation(fizzpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how far it came."""

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "m.fizz").write_text(COUNTER)
    monkeypatch.setattr("checker.traces.walker._Walker.walk", interrupted)
    ended = fizzpy("simulate", "m.fizz")
    assert ended.code == 130
    assert "INTERRUPTED" in ended.out


def test_what_a_guided_trace_prints(fizzpy: Command, tmp_path: Path) -> None:
    """Steps in order, crashes, next steps by the names that a line may have."""
    (tmp_path / "m.fizz").write_text(CRASHING)
    (tmp_path / "t.txt").write_text("Store#0.Write\ncrash\n")
    ended = fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "2")
    assert ended.code == 0
    assert " 1 Store#0.Write  ✗ crash after line" in ended.out
    assert ended.out.count("crash-role Store#0") == 4
    assert "Store#0.Write crash" in ended.out
    assert "up to 2 steps beyond the end" in ended.out
    assert "FOLLOWED" in ended.out
    (tmp_path / "t.txt").write_text("[explicit]\nStore#0.Write\nthread-0\n")
    assert "crash-role Store#0" in fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "1").out
    assert fizzpy("trace", "m.fizz", "--follow", "t.txt", "--quiet").out.count("\n") == 1


def test_no_next_step(fizzpy: Command, tmp_path: Path) -> None:
    """That is said."""
    (tmp_path / "m.fizz").write_text(STUCK)
    (tmp_path / "t.txt").write_text("Up\nUp\nUp\n")
    assert "There is no further step." in fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "3").out


def test_next_step_that_fails(fizzpy: Command, tmp_path: Path) -> None:
    """With the message about the model."""
    (tmp_path / "m.fizz").write_text(CASES["error"][0])
    (tmp_path / "t.txt").write_text("Up\n")
    ended = fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "1")
    assert ended.code == 0
    assert "[R5]" in ended.out
    answer = json.loads(fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "1", "--json").out)
    assert [step.get("error", {}).get("code") for step in answer["next"]] == ["R5", None]


def test_guided_trace_of_a_model_that_fails(fizzpy: Command, tmp_path: Path) -> None:
    """Exit code 75, the message, and how it came to that."""
    (tmp_path / "m.fizz").write_text(CASES["error"][0])
    (tmp_path / "t.txt").write_text("Up\nUp\n")
    ended = fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "1")
    assert ended.code == 75
    assert "[R5]" in ended.out
    assert "The run that fails: 2 steps" in ended.out


def test_guided_trace_as_json(fizzpy: Command, tmp_path: Path) -> None:
    """Trace, form, and the tree of next steps."""
    (tmp_path / "m.fizz").write_text(WRONG)
    (tmp_path / "t.txt").write_text("Up\nUp\nUp\n")
    ended = fizzpy("trace", "m.fizz", "--follow", "t.txt", "--extend", "2", "--json")
    answer = json.loads(ended.out)
    assert (ended.code, answer["exit_code"], answer["verdict"], answer["form"]) == (12, 12, "failed", "simple")
    assert [entry["label"] for entry in answer["trace"]] == ["Init", "Up", "Up", "Up"]
    assert answer["properties"] == [{"name": "Small", "kind": "always", "verdict": "violated", "steps": 3}]
    assert [(s["label"], [t["label"] for t in s["next"]]) for s in answer["next"]] == [("Down", ["Up", "Down"])]
    assert (answer["extended"], answer["all_listed"]) == (2, True)


@pytest.mark.parametrize(
    "line", ["Jump", "Any:a=9", "crash", "thread-7", "crash-role Node#0", "\x1b[31m", "Move[", "@2"]
)
def test_wrong_lines(line: str, fizzpy: Command, tmp_path: Path) -> None:
    """File and line, a hint, exit code 2, nothing that could confuse the terminal."""
    (tmp_path / "m.fizz").write_text(SERIAL)
    (tmp_path / "t.txt").write_text(f"{line}\n")
    ended = fizzpy("trace", "m.fizz", "--follow", "t.txt")
    assert ended.code == 2
    assert ended.err.startswith("fizzpy: t.txt:1: ")
    assert "\x1b" not in ended.said
    assert ended.out == ""


def test_wrong_requests(fizzpy: Command, tmp_path: Path) -> None:
    """Exit code 2 and a sentence."""
    (tmp_path / "m.fizz").write_text(COUNTER)
    for arguments in (
        ("simulate", "m.fizz", "--runs", "0"),
        ("simulate", "m.fizz", "--seed", "x"),
        ("simulate", "m.fizz", "--property", "Missing"),
        ("simulate", "missing.fizz"),
        ("simulate", "m.fizz", "--save-trace", "missing/t.txt"),
        ("trace", "m.fizz", "--follow", "missing.txt"),
        ("trace", "m.fizz", "--follow", "."),
        ("trace", "m.fizz", "--extend", "101"),
        ("check", "m.fizz", "--save-trace", "."),
    ):
        ended = fizzpy(*arguments)
        assert (ended.code, "Traceback" in ended.said) == (2, False), arguments


@pytest.mark.parametrize("command", ["check", "simulate"])
def test_saved_trace(command: str, fizzpy: Command, tmp_path: Path) -> None:
    """It begins with what it shows and the command that follows it; constants and options included."""
    (tmp_path / "m.fizz").write_text(WRONG)
    given = ("--set", "LIMIT=1 + 1", "--option", "max_actions=20")
    ended = fizzpy(command, "m.fizz", *given, "--save-trace", "t.txt", "--quiet")
    assert ended.code == 12
    first, second, *_ = (tmp_path / "t.txt").read_text().split("\n")
    assert first == "# Small is violated"
    assert second == "# fizzpy trace m.fizz --set 'LIMIT=1 + 1' --option max_actions=20 --follow t.txt"
    assert fizzpy("trace", "m.fizz", *given, "--follow", "t.txt").code == 12


def test_nothing_to_save(fizzpy: Command, tmp_path: Path) -> None:
    """The exit code stays that of the check, and it is said that nothing was written."""
    (tmp_path / "m.fizz").write_text(COUNTER)
    ended = fizzpy("check", "m.fizz", "--save-trace", "t.txt")
    assert ended.code == 0
    assert "was not written" in ended.err
    assert not (tmp_path / "t.txt").exists()


def test_bundled_model(fizzpy: Command, tmp_path: Path) -> None:
    """The wrong order of Venice, from its bare name to the story again."""
    given = ("VeniceOffsetFirst.fizz", "--set", "MAX_WRITES=1", "--property", "NoWriteLost")
    checked = fizzpy("check", *given, "--save-trace", "t.txt", "--json")
    assert checked.code == 13
    followed = fizzpy("trace", *given, "--follow", "t.txt", "--json")
    assert followed.code == 0
    assert json.loads(followed.out)["trace"] == json.loads(checked.out)["trace"]
    assert fizzpy("simulate", *given, "--quiet").code == 13
