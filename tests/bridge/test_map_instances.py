"""Role instances that a map or a log names and the model does not have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from checker.conformance.event_map import Silent
from checker.conformance.log_model import LogModel
from fizz import load
from interpreter import compile_module
from tests.bridge.conftest import Ended, Write

Run = Callable[..., Ended]

PARTS = """\
MANY = 3

role Part:
    action Init:
        self.turns = 0

    atomic action Turn:
        self.turns += 1

action Init:
    parts = [Part() for i in range(MANY)]
"""
LATER = PARTS + "\natomic action Another:\n    parts.append(Part())\n"
PARTS_MAP = """\
process: who
order: file
instances:
  one: "Part#0"
  eight: "Part#7"
events:
  turn: {action: Part.Turn, after: {turns: turns}}
"""


@pytest.fixture
def log(write: Write) -> str:
    """One event of an instance that there is, and one of another."""
    return write(
        "a.ndjson", [{"event": "turn", "who": "one", "turns": 1}, {"event": "turn", "who": "eight", "turns": 1}]
    )


def test_an_event_of_an_instance_that_no_state_has(write: Write, fizzpy: Run, log: str) -> None:
    """Where only Init makes instances it is refused: with the line of the map that names it, or that of the event."""
    model = write("parts.fizz", PARTS)
    ended = fizzpy("validate", model, log, "--map", write("m.yaml", PARTS_MAP))
    said = f"m.yaml:5: no state of the model has an instance Part#7 ('eight' of {log}:2)"
    assert ended.code == 2 and said in " ".join(ended.err.split())
    assert "Init makes Part#0 to Part#2, and nothing makes others" in ended.err
    direct = write("b.ndjson", [{"event": "turn", "who": "Part#4", "turns": 1}])
    ended = fizzpy("validate", model, direct, "--map", write("m.yaml", PARTS_MAP))
    assert ended.code == 2 and "b.ndjson:1: no state of the model has an instance Part#4" in ended.err


def test_a_map_may_name_more_instances_than_there_are(write: Write, fizzpy: Run, log: str) -> None:
    """No event is about the others, or constants make them: one map is enough for models of several sizes."""
    model, mapped = write("parts.fizz", PARTS), write("m.yaml", PARTS_MAP)
    one = write("b.ndjson", [{"event": "turn", "who": "one", "turns": 1}])
    assert fizzpy("validate", model, one, "--map", mapped).code == 0
    assert fizzpy("validate", model, log, "--map", mapped, "--set", "MANY=8").code == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"Part#7"', '"Prat#7"', "m.yaml:5: the model has no role 'Prat' (instances) hint: did you mean 'Part'?"),
        (
            "events:",
            "silent: {steps: [Part#3.Turn]}\nevents:",
            "m.yaml:6: no state of the model has an instance Part#3",
        ),
        ("Part.Turn", "Part#3.Turn", "m.yaml:7: no state of the model has an instance Part#3 (event 'turn')"),
        (
            "turns: turns",
            "Part#3.turns: turns",
            "m.yaml:7: no state of the model has an instance Part#3 (event 'turn')",
        ),
    ],
    ids=["role", "silent", "action", "place"],
)
def test_maps_of_instances_that_are_none(write: Write, fizzpy: Run, log: str, old: str, new: str, said: str) -> None:
    """A rule about one is refused at once, and so is an instance of no role."""
    mapped = write("m.yaml", PARTS_MAP.replace(old, new))
    ended = fizzpy("validate", write("parts.fizz", PARTS), log, "--map", mapped)
    assert ended.code == 2 and said in " ".join(ended.err.split()), ended.err


def test_an_instance_that_was_in_no_state(write: Write, fizzpy: Run, log: str) -> None:
    """Where actions make instances the rejection says that this one was never there; one that is made fits."""
    mapped = write("m.yaml", PARTS_MAP + "  another: {action: Another}\n")
    given = ("validate", write("later.fizz", LATER), log, "--map", mapped)
    ended = fizzpy(*given)
    assert ended.code == 14 and "Part#7 was in no state of the search" in ended.out
    made = [{"event": "another", "who": "one"}] * 5 + [{"event": "turn", "who": "eight", "turns": 1}]
    assert fizzpy(*given[:2], write("b.ndjson", made), *given[3:]).code == 0


def test_instances_of_states_before(write: Write) -> None:
    """A machine that goes on from a state knows which instances were in states of the one before."""
    model = LogModel(compile_module(load(write("later.fizz", LATER))), Silent())
    (state,) = model.beginnings
    candidate = model.fit.steps.start(state, "Another")
    assert candidate is not None
    (step,) = model.fit.steps.of(state, candidate)
    assert "Part#3" in model.fit.instances_met() and step.target != state
    model.renewed(state)
    assert "Part#3" in model.fit.instances_met() and "Part#4" not in model.fit.instances_met()
