"""A step says which thread is which before and after it, also where they share containers or are renamed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.traces.threads import movers, origins, settled
from fizz import load
from interpreter import Machine, State, Step, StepKind, compile_module

ALIKE = """\
---
options: {max_concurrent_actions: 3, max_actions: 4}
---
action Init: n = 0
action Go:
    k = 1
    n = (n + 1) % 3
    k = 2
    n = 0
action Take:
    m = oneof [0, 1]
    n = m
"""
# Two threads hold one list: a step of one changes what the display text and the slot of the other say.
SHARING = """\
---
options: {max_concurrent_actions: 3, max_actions: 4}
---
action Init: box = [0]
action Fill:
    mine = box
    mine.append(1)
    mine.append(2)
action Look:
    seen = box
    box = [len(seen)]
    pass
"""
RANKED = """\
---
options: {max_concurrent_actions: 2, max_actions: 4}
---
TIMES = symmetry.ordinal(name="t", limit=3)
action Init: last = TIMES.fresh()
action Tick:
    now = TIMES.fresh()
    last = now
    pass
"""
ROLES = """\
---
options: {max_concurrent_actions: 3, max_actions: 3}
---
symmetric role Node:
    action Init: self.x = 0
    action Write:
        self.x = 1
        self.x = 0
action Init: nodes = set([Node(), Node()])
"""
MODELS = {"alike": ALIKE, "sharing": SHARING, "ranked": RANKED, "roles": ROLES}


def steps_of(machine: Machine, most: int = 400) -> Iterator[tuple[State, Step]]:
    """The steps of the first states that are found."""
    waiting = [start.state for start in machine.initial()[0]]
    met = set(waiting)
    while waiting and len(met) < most:
        state = waiting.pop(0)
        for step in machine.steps(state).steps:
            yield state, step
            if step.target not in met:
                met.add(step.target)
                waiting.append(step.target)


def position_of(machine: Machine, thread: int) -> list[object]:
    """The position of a thread, without its values."""
    return [machine.values.payload(frame)[1] for frame in machine.values.children(thread)]


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS)
def test_origins_of_threads(text: str, symmetry: bool, tmp_path: Path) -> None:
    """A thread that did not move has its position; the one that moved is there once, if the step parked it."""
    (tmp_path / "m.fizz").write_text(text)
    machine = Machine(compile_module(load(str(tmp_path / "m.fizz"))), symmetry=symmetry)
    several = 0
    for state, step in steps_of(machine):
        found = origins(machine, state, step, step.target)
        old = [number for number in found if number is not None]
        assert len(found) == len(step.target.threads) and len(old) == len(set(old))
        moved = movers(state, step.rule)[:1]
        several += len(found) > 1
        for number, origin in enumerate(found):
            if origin is not None and origin not in moved:
                before, after = state.threads[origin], step.target.threads[number]
                assert position_of(machine, before) == position_of(machine, after), (state, step)
        stayed = set(range(len(state.threads))) - set(moved)
        if step.rule.kind is not StepKind.CRASH_ROLE:
            assert stayed <= set(old)
            parked = step.outcome.thread is not None and not step.crashes
            assert (len(found) == len(stayed) + parked) and (None in found) == (parked and not moved)
    assert several > 10


def test_sharing_hides_no_thread(tmp_path: Path) -> None:
    """The thread that a step parks may read otherwise in the target, where it shares: it is found all the same."""
    (tmp_path / "m.fizz").write_text(SHARING)
    machine = Machine(compile_module(load(str(tmp_path / "m.fizz"))))
    hidden = 0
    for state, step in steps_of(machine):
        if step.outcome.thread is not None and not step.crashes:
            parked = machine.parked(state, step.rule, step.outcome, step.target)
            assert parked in step.target.threads
            hidden += parked != step.outcome.thread
    assert hidden > 0


@pytest.mark.parametrize(
    ("threads", "origins", "moved", "expected"),
    [
        ("ab", (0, 1), (), (0, 1)),
        ("aa", (1, 0), (), (0, 1)),
        ("aa", (None, 0), (), (0, None)),
        ("aa", (1, 0), (0,), (0, 1)),
        ("aab", (2, 1, None), (2,), (2, 1, None)),
        ("aaa", (None, 0, 2), (), (0, 2, None)),
    ],
)
def test_equal_threads_keep_their_numbers(
    threads: str, origins: tuple[int | None, ...], moved: tuple[int, ...], expected: tuple[int | None, ...]
) -> None:
    """Among equal ones the new one comes last, and as many as can stay where they were."""
    assert settled(threads, origins, moved) == expected
