"""A property kind with two parts: a second assertion that is never false, and a demand on fair runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest

import fizz
from checker.core.exploration import Exploration, Settings
from checker.core.problems import ExitCode
from checker.core.property import Looks, Phase, Predicate, Watch
from checker.properties import properties_of
from checker.properties.always_eventually import AlwaysEventually
from checker.search.explore import explore
from checker.search.registry import engine_of
from checker.swarm.simulate import simulate
from interpreter import compile_module
from interpreter.compile.program import AssertionProgram, Program
from tests.checker.test_leads_to import ANSWERED, oracle_of, random_toy
from tests.checker.toy import ToyAssertion

ASKED = "Asked"


@dataclass(frozen=True)
class Guarded(AlwaysEventually):
    """The assertion that it is named by is true again and again, and `guard` always."""

    guard: int

    @classmethod
    def of(cls, assertion: AssertionProgram, program: Program) -> Guarded:
        guard = next(one.number for one in program.assertions if one.name == ASKED)
        return cls(assertion.name, assertion.number, guard)

    @property
    def watches(self) -> tuple[Watch, ...]:
        guard = Watch(f"{self.key} guarded", Looks.STATES, Predicate(self.guard), seeks=False, prunes=True)
        return (*super().watches, guard)


KINDS = (Guarded,)


@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_engines(run: Callable[..., Exploration], seed: int, keep_going: bool) -> None:
    """Safety comes first, with the shortest path; the demand is judged if nothing violates it."""
    toy = random_toy(Random(seed))
    asked, answered = toy.assertions
    guard = ToyAssertion(ASKED, Guarded.kind, {**asked.table, **dict.fromkeys(list(asked.table)[seed % 7 :], True)})
    toy = type(toy)(**{**vars(toy), "assertions": (guard, answered)})
    oracle = oracle_of(toy)
    initial = {oracle.numbers[one.state]: (0, 0) for one in oracle.machine.initial()[0]}
    costs = oracle.costs(initial, lambda *_: True)
    wrong = set(range(len(oracle.keys))) - {
        oracle.numbers[state]
        for look, yes in guard.table.items()
        if yes and (state := oracle.machine.state(look)) in oracle.numbers
    }
    fair = {state for walk in oracle.graph.fair_walks(oracle.open) for state in walk}
    found = run(toy, Settings(keep_going=keep_going), kinds=KINDS, liveness="strict")
    finding = found.findings.get(ANSWERED)
    (guarded,) = (p for p in properties_of(oracle.machine.program, (ANSWERED,), KINDS))
    if wrong:
        assert finding is not None and guarded.phase_of(finding) is Phase.SAFETY
        assert finding.steps == min(costs[state][0] for state in wrong)
    else:
        assert (finding is not None) == bool(fair)
        assert finding is None or guarded.phase_of(finding) is Phase.LIVENESS


TEXT = """\
---
deadlock_detection: false
---
action Init: x = 0
atomic fair action Count: x = (x + 1) % 5
exists assertion Asked: return x != 3
always eventually assertion Answered: return x == 4
"""


def test_walks_and_explanations() -> None:
    """A walk says what a search says: safety, and why the guard is false, not why the other assertion is."""
    report = simulate(fizz.load("m.fizz", text=TEXT), runs=3, seed=1, kinds=KINDS, selected=(ANSWERED,))
    assert report.exit_code is ExitCode.SAFETY
    assert report.trace is not None and report.trace.why is not None
    assert (report.trace.steps, report.trace.why.line) == (3, 6)


SYMMETRIC = """\
---
deadlock_detection: false
options: {max_actions: 9}
---
symmetric role Node:
    action Init: self.n = 0
    atomic fair action Up:
        require self.n < 2
        self.n += 1
action Init: nodes = [Node() for _ in range(2)]
exists assertion Asked: return sum([node.n for node in nodes]) < MOST
always eventually assertion Answered: return sum([node.n for node in nodes]) == 3
"""


@pytest.mark.parametrize(("most", "phase", "steps"), [(3, Phase.SAFETY, 3), (9, Phase.LIVENESS, 4)])
def test_images(engine: str, most: int, phase: Phase, steps: int) -> None:
    """The whole space, which liveness may need, is explored for the demand alone."""
    program = compile_module(fizz.load("m.fizz", text=SYMMETRIC.replace("MOST", str(most))))
    properties = properties_of(program, (ANSWERED,), KINDS)
    found = explore(engine_of(engine), program, properties, Settings(keep_going=True))
    assert found.reduced
    finding = found.findings[ANSWERED]
    assert (properties[0].phase_of(finding), finding.steps) == (phase, steps)


class Confused(Guarded):
    """What its watch brings cannot be distinguished from what violates its demand."""

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.STATES, Predicate(self.guard), seeks=False, records=True),)


def test_keys_tell_the_parts_apart(engine: str) -> None:
    """A kind that has one key for both parts is a mistake on every engine, and never a verdict."""
    program = compile_module(fizz.load("m.fizz", text=TEXT))
    with pytest.raises(AssertionError):
        explore(engine_of(engine), program, (Confused(ANSWERED, 1, 0),), Settings())
