"""Thousands of role instances: what a step costs does not depend on how many there are beside those it changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.traces.guided import follow
from fizz import load
from interpreter import Machine, State, compile_module
from interpreter.state.normalise import Normaliser

MANY = """
@state(ephemeral=["y"])
role Node:
    action Init:
        self.x = 0
        self.y = 0
    action Go:
        self.x = 1 - self.x
action Init:
    nodes = []
    for i in range(NUMBER):
        nodes.append(Node())
"""
# All references to an instance are removed and restored, by all kinds of statements.
HELD = """
role Box:
    action Init:
        self.inside = None
    atomic action Keep:
        require self.inside == None
        self.inside = self
    atomic action Let:
        self.inside = None
    action Slow:
        mine = self
        self.inside = mine
        self.inside = None
action Init:
    first = Box()
    second = Box()
    held = [second]
atomic action Lose:
    second = None
atomic action Pass:
    first.inside = second
atomic action Drop:
    held = []
atomic action Swap:
    held, second = [second], first
"""


def calls(run: Callable[[], object]) -> int:
    """How many functions are called, ours and others."""
    count = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call") and getattr(argument, "__name__", "") != "__setattr__"

    sys.setprofile(counting)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


RUNS: dict[str, Callable[[str], object]] = {
    "embedded": lambda model: check(model, settings=Settings(limits=Limits(states=3))),
    "plain": lambda model: check(model, engine="plain", settings=Settings(limits=Limits(states=3))),
    "trace": lambda model: follow(model, None, extend=1),
}


@pytest.mark.parametrize("run", RUNS)
def test_steps_of_many_instances(run: str, tmp_path: Path) -> None:
    """Twice the instances, of which each has its steps, take at most 2.2 times the calls."""
    counts = []
    for n in (10, 100, 200):
        model = tmp_path / f"model{n}.fizz"
        model.write_text(MANY.replace("NUMBER", str(n)))
        load(model)
        counts.append(calls(lambda: RUNS[run](str(model))))  # noqa: B023 - it is called at once
    assert counts[2] <= 2.2 * counts[1]


def test_the_description_of_a_state_does_not_depend_on_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, lines and the instances that are left are those of a machine that has met no other state, and looks at all
    instances after each step."""
    (tmp_path / "model.fizz").write_text(HELD)
    program = compile_module(load(tmp_path / "model.fizz", options={"max_actions": "4"}))
    machine = Machine(program)
    seen = _reachable(machine, 3)
    known = {state: (machine.encoding(state), machine.key(state), machine.describe(state)) for state in seen}
    assert len({text.count('["Box"') for text, *_ in known.values()}) > 1, "instances go"
    monkeypatch.setattr(Normaliser, "_reaches_all", lambda *_: False)
    for state, path in seen.items():
        fresh = Machine(program)
        same = fresh.initial()[0][0].state
        for index in path:
            same = fresh.steps(same).steps[index].target
        assert known[state] == (fresh.encoding(same), fresh.key(same), fresh.describe(same))


def _reachable(machine: Machine, most: int) -> dict[State, tuple[int, ...]]:
    begin = machine.initial()[0][0].state
    seen: dict[State, tuple[int, ...]] = {begin: ()}
    level = [begin]
    for _ in range(most):
        following = []
        for state in level:
            for index, step in enumerate(machine.steps(state).steps):
                if step.target not in seen:
                    seen[step.target] = (*seen[state], index)
                    following.append(step.target)
        level = following
    return seen
