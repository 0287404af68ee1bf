"""Choices that a serial action made in an earlier step than that of the label which an event is bound to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bridge.conftest import Ended, Write

Run = Callable[..., Ended]

SERIAL = """\
role Worker:
    action Init:
        self.inbox = [record(kind="put", n=1), record(kind="put", n=2)]
        self.done = 0
        self.kept = 0

    action Work:
        m = oneof self.inbox
        `begun` self.done = 0
        `ended` self.done = m.n

    action Keep:
        self.kept = oneof [1, 2]
        self.done = 0
        `hold` self.done = 7

    action Call:
        `call` self.inner(3)

    func inner(n):
        more = oneof [1, 2]
        `inside` self.done = n
        `over` self.done = n + more

action Init:
    worker = Worker()
"""
SERIAL_MAP = """\
order: file
instances: {a: "Worker#0"}
silent: {steps: [continue], most: 3}
events:
  work: {action: Worker.Work, choices: {m.n: 'n?'}}
  ended: {action: Worker.Work, label: ended, choices: {m.n: n}}
  keep: {action: Worker.Keep, choices: {self.kept: 'kept?'}}
  hold: {action: Worker.Keep, label: hold, choices: {self.kept: kept}}
  call: {action: Worker.Call}
  over: {action: Worker.Call, label: over, choices: {more: more}}
"""
LATER = "it does not choose m.n=1; if a later step of the action does, give the event the label of that step"


def _validate(write: Write, fizzpy: Run, *events: tuple[str, dict[str, int]], model: str = SERIAL) -> Ended:
    log = write("a.ndjson", [{"event": kind, **said} for kind, said in events])
    return fizzpy("validate", write("m.fizz", model), log, "--map", write("m.yaml", SERIAL_MAP))


@pytest.mark.parametrize("n", [1, 2])
def test_a_choice_of_an_earlier_step_is_what_its_variable_has(write: Write, fizzpy: Run, n: int) -> None:
    """An event of a later step may name it, also by a part of what was chosen; in a func too."""
    assert _validate(write, fizzpy, ("work", {}), ("ended", {"n": n})).code == 0
    assert _validate(write, fizzpy, ("call", {}), ("over", {"more": n})).code == 0
    assert _validate(write, fizzpy, ("work", {"n": n}), ("ended", {"n": n})).code == 0


def test_what_was_chosen_may_be_shared(write: Write, fizzpy: Run) -> None:
    """A variable that refers to a dict in a list has what the dict has."""
    model = (
        SERIAL.replace('record(kind="put", n=', '{"n": ')
        .replace(")]", "}]")
        .replace("),", "},")
        .replace("m.n", 'm["n"]')
    )
    log = write("a.ndjson", [{"event": "work"}, {"event": "ended", "n": 2}])
    mapped = write("m.yaml", SERIAL_MAP.replace("m.n", "'m[n]'"))
    assert fizzpy("validate", write("m.fizz", model), log, "--map", mapped).code == 0


def test_another_value_is_rejected_with_that_of_the_variable(write: Write, fizzpy: Run) -> None:
    """The reason says what was chosen before."""
    ended = _validate(write, fizzpy, ("work", {"n": 1}), ("ended", {"n": 2}))
    assert ended.code == 14
    assert 'm is record(kind = "put", n = 1) since an earlier step of the action, not m.n=2' in " ".join(
        ended.out.split()
    )


def test_a_choice_that_no_variable_has(write: Write, fizzpy: Run) -> None:
    """What was chosen for a field is no local: the rejection says so; an event of the step itself may name it."""
    ended = _validate(write, fizzpy, ("keep", {}), ("hold", {"kept": 1}))
    assert _validate(write, fizzpy, ("keep", {"kept": 2})).code == 0
    assert ended.code == 14 and "no local self.kept has it from an earlier step" in " ".join(ended.out.split())


def test_a_choice_of_a_later_step(write: Write, fizzpy: Run) -> None:
    """An event of the start can not name it: the rejection names the way out."""
    model = SERIAL.replace("        m = oneof", "        self.done = 0\n        m = oneof")
    ended = _validate(write, fizzpy, ("work", {"n": 1}), model=model)
    assert ended.code == 14 and LATER in " ".join(ended.out.split()), ended.out
