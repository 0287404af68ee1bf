"""A property kind in one file, on every engine and on random walks: its answers are those of brute force.

`LeadsTo` stands beside this file, and nothing else in the checker knows of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from random import Random

import pytest

import fizz
from checker.core.exploration import Exploration, Finding
from checker.swarm.simulate import simulate
from interpreter import Machine, State, compile_module
from interpreter.state.step import Step
from tests.checker.leads_to import ASKED, KINDS
from tests.checker.test_fair_programs import Graph
from tests.checker.toy import Alternative, Pair, Toy, ToyAssertion, ToyMachine, ToyRule, toy_program

ANSWERED = "Answered"
Cost = tuple[int, int, int, int]
"""Of a counterexample: steps to the head, crash steps among them, the keys of the head and of the stem's beginning."""


# --- brute force -----------------------------------------------------------------------------------------------------


class Oracle:
    """All states and steps of a machine, and the sets of states in which p and q are true."""

    def __init__(self, machine: Machine, fairness: Mapping[str, str], p: Iterable[State], q: Iterable[State]) -> None:
        self.machine = machine
        self.graph = Graph(machine, dict(fairness))
        self.numbers = self.graph.states
        self.keys = [machine.key(state) for state in self.numbers]
        self.steps = [machine.steps(state).steps for state in self.numbers]
        self.open = set(range(len(self.keys))) - {self.numbers[s] for s in q if s in self.numbers}
        self.begins = {self.numbers[s] for s in p if s in self.numbers} & self.open

    def costs(self, sources: Mapping[int, tuple[int, int]], usable: Callable[[int, Step], bool]) -> dict[int, Cost]:
        """For each state that is reached the least (steps, crash steps, its key, key of the source)."""
        best = {s: (*cost, self.keys[s]) for s, cost in sources.items()}
        for _ in range(len(self.keys) + 1):
            for source in list(best):
                steps, crashes, begin = best[source]
                for step in self.steps[source]:
                    target = self.numbers[step.target]
                    cost = (steps + 1, crashes + step.crashes, begin)
                    if usable(target, step) and cost < best.get(target, (cost[0] + 1, 0, 0)):
                        best[target] = cost
        return {s: (steps, crashes, self.keys[s], begin) for s, (steps, crashes, begin) in best.items()}

    def from_begins(self, crashes: bool) -> dict[int, Cost]:
        """The states that lie on stems."""
        initial = {self.numbers[begin.state]: (0, 0) for begin in self.machine.initial()[0]}
        found = {s: cost[:2] for s, cost in self.costs(initial, lambda *_: True).items()}
        waiting = {s: cost for s, cost in found.items() if s in self.begins}
        return self.costs(waiting, lambda target, step: target in self.open and (crashes or not step.crashes))

    def strict(self) -> Cost | None:
        """The counterexample that is to be reported (language page, 10.8)."""
        on_stems = self.from_begins(crashes=True)
        fair = {s for walk in self.graph.fair_walks(self.open) for s in walk}
        return min((cost for s, cost in on_stems.items() if s in fair), default=None)

    def nondeterministic(self) -> Cost | None:
        """The same with `liveness: nondeterministic` (language page, 10.5)."""
        back: dict[int, set[int]] = {}
        for edge in self.graph.edges:
            if any(name[0] != "alternative" for name in edge.takes):
                back.setdefault(edge.target, set()).add(edge.source)
        good = [s for s in range(len(self.keys)) if s not in self.open]
        for state in good:
            good += back.get(state, set()) - set(good)
        on_stems = self.from_begins(crashes=False)
        return min((cost for s, cost in on_stems.items() if s not in good), default=None)

    def cost(self, finding: Finding) -> Cost:
        """What a finding costs, which is followed step by step: on stem and cycle q is never true."""
        links = (*finding.path, *finding.stem)
        for link in (*links[len(finding.path) - 1 :], *finding.cycle):
            assert self.keys.index(link.key or 0) in self.open
        for before, link in zip((*links, *finding.cycle), (*links[1:], *finding.cycle), strict=False):
            step = next(s for s in self.steps[self.keys.index(before.key or 0)] if s.order == link.order)
            assert self.machine.key(step.target) == link.key
        assert not any(link.order.crashes for link in finding.cycle)
        assert not finding.cycle or finding.cycle[-1].key == links[-1].key
        assert self.keys.index(finding.path[-1].key or 0) in self.begins
        crashes = sum(link.order.crashes for link in links)
        return len(links) - 1, crashes, links[-1].key or 0, finding.path[-1].key or 0


# --- engines ---------------------------------------------------------------------------------------------------------

PAIRS = [(a, b) for a in range(3) for b in range(2)]


def random_toy(chance: Random) -> Toy:
    """A toy with whatever steps may be, of six states at most."""

    def pair() -> Pair:
        return chance.choice(PAIRS)

    def table(filled: float) -> dict[tuple[int, int | None], tuple[Alternative, ...]]:
        found: dict[tuple[int, int | None], tuple[Alternative, ...]] = {}
        for look in PAIRS:
            if chance.random() < filled:
                fair, count = chance.random() < 0.5, chance.choice((1, 1, 2))
                found[look] = tuple(
                    Alternative(*pair(), twin=pair() if chance.random() < 0.2 else None, value=str(i), fair=fair)
                    for i in range(count)
                )
        return found

    fairness = (None, "weak", "strong")
    actions = [ToyRule(f"Do{i}", table(0.4), fairness=chance.choice(fairness)) for i in range(chance.randint(1, 3))]
    threads = {look: (0,) for look in PAIRS if chance.random() < 0.3}
    asked, answered = ({look: chance.random() < share for look in PAIRS} for share in (0.3, 0.25))
    return Toy(
        initial=(pair(), pair()),
        actions=tuple(actions),
        continues=(ToyRule("Goes", table(0.5)),),
        threads=dict(threads) if chance.random() < 0.5 else {},
        role_crashes={look: pair() for look in PAIRS if chance.random() < 0.2} if chance.random() < 0.5 else {},
        assertions=(ToyAssertion(ASKED, "exists", dict(asked)), ToyAssertion(ANSWERED, KINDS[0].kind, dict(answered))),
        seed=chance.randrange(1000),
    )


def oracle_of(toy: Toy) -> Oracle:
    machine = ToyMachine(toy_program(toy))
    fairness = {rule.name: rule.fairness for rule in toy.actions if rule.fairness is not None}
    p, q = ([machine.state(look) for look, yes in one.table.items() if yes] for one in toy.assertions)
    return Oracle(machine, fairness, p, q)


# With and without violations, with steps on stems and without, strictly and by chance.
SEEDS = (
    *(0, 1, 2, 4, 11, 15, 3, 5, 6, 7, 8, 13),
    *(9, 19, 72, 124, 134, 140, 10, 80, 97, 193, 229),
    *(12, 38, 42, 47, 94, 96, 99, 106, 122, 169, 223, 263),
)


@pytest.mark.parametrize("seed", SEEDS)
def test_engines(run: Callable[..., Exploration], seed: int) -> None:
    """The counterexample is the least one there is, on every engine."""
    toy = random_toy(Random(seed))
    oracle = oracle_of(toy)
    for liveness, expected in (("strict", oracle.strict()), ("nondeterministic", oracle.nondeterministic())):
        finding = run(toy, kinds=KINDS, liveness=liveness).findings.get(ANSWERED)
        assert (None if finding is None else oracle.cost(finding)) == expected


def test_the_examples_tell_kinds_apart() -> None:
    """Among them are many of each sort."""
    found: Counter[tuple[str, str]] = Counter()
    for seed in SEEDS:
        oracle = oracle_of(random_toy(Random(seed)))
        strict, lost = oracle.strict(), oracle.nondeterministic()
        for name, one in (("strict", strict), ("by chance", lost)):
            found[name, "holds" if one is None else "waits on" if one[2] == one[3] else "with a stem"] += 1
    assert len(found) == 6 and min(found.values()) >= 5, found


def line(*stops: Pair, name: str, fairness: str | None = None) -> ToyRule:
    table = {here: (Alternative(*there),) for here, there in pairwise(stops)}
    return ToyRule(name, dict(table), fairness=fairness)


def test_what_waits_is_told_from_where_it_waits(run: Callable[..., Exploration]) -> None:
    """The path leads to where p is true, and the stem on from there: a shorter path to the end shows nothing."""
    around = line((0, 0), (1, 0), (2, 0), (3, 0), name="Around", fairness="weak")
    short = line((0, 0), (3, 0), name="Short")
    asked = ToyAssertion(ASKED, "exists", {(1, 0): True}, default=False)
    toy = Toy(actions=(around, short), assertions=(asked, ToyAssertion(ANSWERED, KINDS[0].kind, {}, default=False)))
    finding = run(toy, kinds=KINDS).findings[ANSWERED]
    machine = ToyMachine(toy_program(toy))
    keys = [machine.key(machine.state((a, 0))) for a in range(4)]
    assert [link.key for link in finding.path] == keys[:2]
    assert [link.key for link in finding.stem] == keys[2:]
    assert finding.stutter and finding.steps == 3


def test_a_crash_may_come_between(run: Callable[..., Exploration]) -> None:
    """What was asked for is lost with the thread: the stem has the crash, and no cycle can."""
    work = ToyRule("Work", {(0, 0): (Alternative(1, 0),), (1, 0): (Alternative(2, 0, twin=(3, 0)),)}, fairness="strong")
    asked = ToyAssertion(ASKED, "exists", {(1, 0): True}, default=False)
    answered = ToyAssertion(ANSWERED, KINDS[0].kind, {(2, 0): True}, default=False)
    finding = run(Toy(actions=(work,), assertions=(asked, answered)), kinds=KINDS).findings[ANSWERED]
    assert [link.order.crashes for link in finding.stem] == [True]
    assert finding.stutter


# --- random walks ----------------------------------------------------------------------------------------------------


def random_model(chance: Random) -> tuple[str, dict[str, str], list[int], list[int]]:
    """A model of one variable, its fair actions, and the values where p and where q is true."""
    lines = ["---", "deadlock_detection: false", "options: {max_actions: 12}", "---", "action Init: x = 0"]
    fairness: dict[str, str] = {}
    for i in range(chance.randint(2, 5)):
        word = chance.choice(("", "fair ", "fair<strong> "))
        if word:
            fairness[f"Do{i}"] = "strong" if "strong" in word else "weak"
        before, after = chance.randrange(5), chance.randrange(5)
        lines += [f"atomic {word}action Do{i}:", f"    require x == {before}", f"    x = {after}"]
    p, q = ([x for x in range(5) if chance.random() < share] for share in (0.4, 0.25))
    for kind, name, values in (("exists", ASKED, p), (KINDS[0].kind, ANSWERED, q)):
        lines += [f"{kind} assertion {name}:", f"    return x in {values}"]
    return "\n".join(lines) + "\n", fairness, p, q


def states_with(machine: Machine, graph: Iterable[State], values: list[int]) -> Iterator[State]:
    for state in graph:
        if dict(machine.describe(state))["x"] in map(str, values):
            yield state


def test_random_walks() -> None:
    """What a walk reports is violated, and what is violated nearly all walks together find."""
    found: Counter[tuple[bool, bool]] = Counter()
    for seed in range(60):
        text, fairness, p, q = random_model(Random(seed))
        module = fizz.load("m.fizz", text=text)
        machine = Machine(compile_module(module))
        states = Graph(machine, fairness).states
        oracle = Oracle(machine, fairness, states_with(machine, states, p), states_with(machine, states, q))
        violated = oracle.strict() is not None
        report = simulate(module, runs=60, seed=1, kinds=KINDS, selected=(ANSWERED,))
        assert violated or report.exit_code == 0
        found[violated, report.exit_code == 13] += 1
        if report.trace is not None:
            values = [int(dict(entry.state)["x"]) for entry in report.trace.entries]
            waits = max(i for i, x in enumerate(values) if x in p and x not in q)
            assert not set(values[waits:]) & set(q)
            assert report.trace.why is not None
    assert min(found[True, True], found[False, False]) >= 15 and found[True, False] <= 2, found


def test_a_walk_remembers_what_it_waits_for() -> None:
    """What was asked for before the fair phase, by a step that nothing forces, is waited for in it."""
    text = """\
---
deadlock_detection: false
options: {max_actions: 6}
---
action Init: x = 0
atomic action Ask:
    require x == 0
    x = 1
atomic action Forget:
    require x == 1
    x = 2
exists assertion Asked: return x == 1
always eventually assertion Answered: return x == 3
"""
    module = fizz.load("m.fizz", text=text)
    report = simulate(module, runs=40, seed=3, kinds=KINDS, selected=(ANSWERED,), steps=20)
    assert report.exit_code == 13
    assert report.trace is not None and report.trace.stutter
    assert report.trace.steps in (1, 2)
