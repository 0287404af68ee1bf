"""`fizzpy explain`: what it prints, as text and JSON, and how it exits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checker.test_attempts import MODEL
from tests.cli.conftest import Ended

Command = Callable[..., Ended]


@pytest.fixture(autouse=True)
def model(tmp_path: Path) -> None:
    (tmp_path / "m.fizz").write_text(MODEL)
    (tmp_path / "t.txt").write_text("[explicit]\nNode#1.Wake\n")


def test_over_the_exploration(fizzpy: Command) -> None:
    """The action that never happens, its guards, how far it came, and the values there."""
    ended = fizzpy("explain", "m.fizz", "--no-color")
    assert ended.code == 0
    assert "Node.Never: " in ended.out
    assert "never has a step" in ended.out
    assert "The attempt that comes furthest, after 2 steps:" in ended.out
    assert "n.n > 7 is False" in ended.out
    assert "which are all" in ended.out
    answer = json.loads(fizzpy("explain", "m.fizz", "--action", "Never", "--json").out)
    assert [guard["passed"] for guard in answer["actions"][0]["guards"]][-1] == 0
    assert answer["actions"][0]["furthest"]["guards"][0]["line"] == 20
    assert (answer["constants"], answer["options"]) == ({}, {})
    answer = json.loads(fizzpy("explain", "m.fizz", "--option", "max_actions=1", "--json").out)
    assert (answer["constants"], answer["options"]) == ({}, {"max_actions": "1"})


def test_no_attempt(fizzpy: Command, tmp_path: Path) -> None:
    """Not for want of an instance, if no state was explored."""
    roleless = "action Init: n = 0\naction Up: n = 1\n"
    ghost = "role Ghost:\n    action Haunt: pass\n" + roleless
    (tmp_path / "m.fizz").write_text(roleless)
    ended = fizzpy("explain", "m.fizz", "--max-depth", "0")
    assert "Up: 0 attempts, never has a step: no state was explored\n" in ended.out
    assert "1 state; the search was cut by --max-depth, there may be more\n" in ended.out
    (tmp_path / "m.fizz").write_text(ghost)
    said = fizzpy("explain", "m.fizz", "--action", "Haunt", "--max-depth", "0").out
    assert "never has a step: no state that was explored has an instance of its role\n" in said
    (tmp_path / "m.fizz").write_text(ghost.replace("n = 1", "n = 0"))
    assert "never has a step: there is no instance of its role\n" in fizzpy("explain", "m.fizz").out


def test_in_one_state(fizzpy: Command) -> None:
    """Init, or the end of a trace: each action with the guard that holds it back."""
    ended = fizzpy("explain", "m.fizz", "--init", "--no-color")
    assert (ended.code, "After Init" in ended.out) == (0, True)
    assert "self.up is False" in ended.out
    assert "Possible here: Node#0.Wake, Node#1.Wake" in ended.out
    ended = fizzpy("explain", "m.fizz", "--follow", "t.txt", "--action", "Node#0.Wake")
    assert "Possible here: Node#0.Wake" in ended.out
    given = ("--option", "max_actions=9")
    answer = json.loads(fizzpy("explain", "m.fizz", "--follow", "t.txt", "--step", "0", *given, "--json").out)
    assert answer["options"] == {"max_actions": "9"}
    assert {one["name"] for one in answer["disabled"]} >= {"Reset", "Node#1.Send"}
    assert answer["possible"] == ["Node#0.Wake", "Node#1.Wake"]


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("--action", "Nevver"), 2, "did you mean 'Node.Never'?"),
        (("--init", "--follow", "t.txt"), 2, "only one of them"),
        (("--step", "1"), 2, "only with --follow"),
        (("--follow", "none.txt"), 2, "none.txt"),
        (("--follow", "t.txt", "--step", "9"), 2, "no step 9"),
        (("--max-states", "2"), 3, "cut by --max-states"),
        (("--option", "max_actions=1"), 3, "at the bound max_actions"),
        (("--option", "foo=1"), 151, "foo"),
    ],
)
def test_how_it_exits(arguments: tuple[str, ...], code: int, reason: str, fizzpy: Command) -> None:
    """A reason and a hint for each wrong request; a search that was cut says so."""
    ended = fizzpy("explain", "m.fizz", *arguments)
    assert (ended.code, "Traceback" in ended.said) == (code, False)
    assert reason in ended.said


def test_models_that_fail(fizzpy: Command, tmp_path: Path) -> None:
    """A model that does not parse has its own code; one whose Init fails has no state to explain."""
    (tmp_path / "m.fizz").write_text("action Init\n")
    assert fizzpy("explain", "m.fizz").code == 150
    (tmp_path / "m.fizz").write_text("action Init: n = 1 // 0\natomic action A: n = 1\n")
    ended = fizzpy("explain", "m.fizz", "--init")
    assert (ended.code, "m.fizz:1: " in ended.err) == (2, True)
    ended = fizzpy("explain", "m.fizz")
    assert (ended.code, "0 states" in ended.out) == (0, True)
