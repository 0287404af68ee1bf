"""Findings are the least by the page (12.4): fewest steps, then fewest crash steps, then the least key.

Brute force goes along every shortest path; it shares the machine with the engines, and nothing else.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

import fizz
from checker.check import check
from checker.core.exploration import Exploration, Finding, PathLink, Settings
from checker.properties import properties_of
from checker.search.columns.batch import Batch
from checker.search.columns.packing import Rows
from checker.search.columns.store import StateStore
from checker.search.contract.assertion_answers import Assertions
from checker.search.explore import explore
from checker.search.registry import engine_of
from interpreter import Machine, State, Step, StepKind, compile_module
from interpreter.state.step import StepOrder
from tests.checker.test_fair_programs import MOST_STATES as MOST_FAIR
from tests.checker.test_fair_programs import Graph, holds
from tests.random.laws import IN_PROCESS, told, two_of
from tests.sample import one_in

MOST_STATES = 120
ENGINES_TESTED = ("plain", *IN_PROCESS)
Rank = tuple[object, ...]


class Space:
    """All states of a machine by level, and what the page says of paths to them."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.levels: dict[State, int] = {}
        self.steps: dict[State, tuple[Step, ...]] = {}
        self.into: defaultdict[State, list[tuple[State, Step]]] = defaultdict(list)
        self.begins: dict[State, StepOrder] = {}
        for begin in machine.initial()[0]:
            order = StepOrder((), begin.forks, 0)
            self.begins[begin.state] = min(order, self.begins.get(begin.state, order))
            self.levels[begin.state] = 0
        work = list(self.levels)
        for state in work:
            if len(work) > MOST_STATES:
                break
            self.steps[state] = machine.steps(state).steps
            for step in self.steps[state]:
                if step.target not in self.levels:
                    self.levels[step.target] = self.levels[state] + 1
                    work.append(step.target)
                if self.levels[step.target] == self.levels[state] + 1:
                    self.into[step.target].append((state, step))

    @property
    def whole(self) -> bool:
        return len(self.steps) == len(self.levels)

    def key(self, state: State) -> int:
        return self.machine.key(state)

    def shortest_paths(self, state: State) -> Iterator[int]:
        """The crash steps of each path with the fewest steps."""
        if not self.levels[state]:
            yield 0
        for source, step in self.into[state]:
            for crashes in self.shortest_paths(source):
                yield crashes + step.crashes

    def crashes(self, state: State) -> int:
        return min(self.shortest_paths(state))

    def path(self, state: State) -> tuple[PathLink, ...]:
        """The path of the report, by the definition of the parent."""
        if not self.levels[state]:
            return (PathLink(self.begins[state], self.key(state)),)

        def rank(arrival: tuple[State, Step]) -> Rank:
            source, step = arrival
            return (self.crashes(source) + step.crashes, step.order, self.key(source))

        source, step = min(self.into[state], key=rank)
        return (*self.path(source), PathLink(step.order, self.key(state)))

    def least(self, wrong: list[State]) -> tuple[PathLink, ...] | None:
        """The finding of a property that is wrong in some states."""
        if not wrong:
            return None
        first = min(wrong, key=lambda s: (self.levels[s], self.crashes(s), self.key(s)))
        return self.path(first)

    def least_step(self, wrong: list[tuple[State, Step]]) -> tuple[PathLink, ...] | None:
        """The finding of a property that is wrong for some steps."""
        if not wrong:
            return None

        def rank(one: tuple[State, Step]) -> Rank:
            source, step = one
            return (self.levels[source], self.crashes(source), self.key(source), step.order)

        source, step = min(wrong, key=rank)
        return (*self.path(source), PathLink(step.order, self.key(step.target)))


def expected_findings(space: Space) -> dict[str, tuple[PathLink, ...] | None]:
    """The findings of a program, by brute force."""
    machine = space.machine
    assertions = Assertions(machine, machine.view, lambda rule, view: machine.run(rule, view).result)
    taken = [(state, step) for state, steps in space.steps.items() for step in steps if not step.crashes]
    found: dict[str, tuple[PathLink, ...] | None] = {}
    for p in properties_of(machine.program, None):
        predicate = p.watches[0].predicate
        if predicate is None:
            alive = {state for state, _ in taken}
            found[p.key] = space.least([state for state in space.levels if state not in alive])
        elif p.kind == "always":
            found[p.key] = space.least([s for s in space.levels if not assertions.holds(predicate, s).value])
        else:
            wrong = [(s, t) for s, t in taken if not assertions.holds_between(predicate, s, t.target).value]
            found[p.key] = space.least_step(wrong)
    return found


def explored(text: str, engine: str) -> Exploration:
    compiled = compile_module(fizz.load("m.fizz", text=text))
    chosen = engine_of(engine)
    return explore(chosen, compiled, properties_of(compiled, None), Settings(keep_going=True))


def random_text(seed: int) -> str:
    """A small program of serial actions, in which crashes often lead as far as steps without."""
    draw = random.Random(seed)
    lines = ["---", f"options: {{max_concurrent_actions: {draw.choice((1, 2))}}}", "---"]
    role = draw.random() < 0.4
    names = ["a", "b", *(["node.kept", "node.seen"] if role else [])]
    if role:
        lines += ['@state(ephemeral=["seen"])', "role Node:", "    action Init: self.seen, self.kept = 0, 0"]
        lines += [
            "    action Note:",
            "        require self.kept < 2",
            "        self.kept += 1",
            "        self.seen += 1",
        ]
    lines += ["action Init:", "    a = 0", "    b = oneof [0, 1]", *(["    node = Node()"] if role else [])]
    for number in range(draw.randint(1, 2)):
        lines.append(f"action Act{number}:")
        lines.append(f"    require {draw.choice(names)} {draw.choice(('<', '==', '!='))} {draw.randint(1, 2)}")
        for _ in range(draw.randint(1, 3)):
            name, other = draw.choice("ab"), draw.choice(names)
            value = draw.choice((f"({name} + 1) % 3", f"{other}", "oneof [0, 2]"))
            lines.append(f"    {name} = {value}")
    one, two = draw.sample(names, 2)
    lines.append(f"always assertion P: return not ({one} == {draw.randint(1, 2)} and {two} == {draw.randint(0, 2)})")
    lines.append(f"always assertion Q: return {one} + {two} < {draw.randint(2, 4)}")
    name = draw.choice("ab")
    lines.append(
        f"transition assertion T(before, after): return before.{name} < 2 or after.{name} != {draw.randint(0, 1)}"
    )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("block", one_in(2, range(4)))
def test_findings_of_programs(block: int) -> None:
    """Engines, in turn, bring the findings of the page, step by step."""
    compared = crashing = 0
    for seed in range(12 * block, 12 * block + 12):
        text = random_text(seed)
        space = Space(Machine(compile_module(fizz.load("m.fizz", text=text))))
        if not space.whole:
            continue
        expected = expected_findings(space)
        for engine in ("plain", *two_of(seed)):
            found = explored(text, engine).findings
            for key, path in expected.items():
                finding = found.get(key)
                assert (None if finding is None else finding.path) == path, f"{seed} {engine} {key}\n{text}"
        paths = [path for path in expected.values() if path is not None]
        compared += len(paths)
        crashing += sum(any(link.order.crashes for link in path) for path in paths)
    assert compared > 10 and crashing > 2


# --- one model for each point ----------------------------------------------------------------------------------------

TWICE = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.votes = 0
    action Ask:
        require self.votes == 0
        self.votes += 1
        self.votes += 1
    action Lead:
        require self.votes == 1
        leader = self.__id__
action Init:
    leader = -1
    nodes = [Node(), Node()]
always assertion Nobody: return leader == -1
transition assertion Never(before, after): return after.leader == before.leader
exists assertion Somebody: return leader != -1
"""


def crashes_of(finding: Finding) -> int:
    return sum(link.order.crashes for link in finding.path)


@pytest.mark.parametrize("engine", ENGINES_TESTED)
def test_no_crash_is_told_that_is_not_needed(engine: str) -> None:
    """A thread that is lost after its first statement leads to a violation, and one that waits there as soon."""
    found = explored(TWICE, engine).findings
    assert {key: (finding.steps, crashes_of(finding)) for key, finding in found.items()} == {
        "Nobody": (2, 0),
        "Never": (2, 0),
    }


FAILS = TWICE.replace("leader = self.__id__", "leader = 1 // 0")


@pytest.mark.parametrize("engine", ENGINES_TESTED)
def test_errors_too(engine: str) -> None:
    """The failed step is reported after the fewest crashes possible."""
    error = explored(FAILS, engine).error
    assert error is not None and (error.steps, crashes_of(error)) == (2, 0)


LATE = """\
---
options: {max_concurrent_actions: 1}
---
action Init: a, b = 0, 0
action Work:
    require a == 0
    a = 1
    require b == 1
    b = 2
"""


@pytest.mark.parametrize("engine", ENGINES_TESTED)
def test_deadlocks_too(engine: str) -> None:
    """A lost thread and one that waits for ever both lead to a state without steps: the waiting one is reported."""
    (finding,) = explored(LATE, engine).findings.values()
    assert (finding.steps, crashes_of(finding)) == (1, 0)


def random_fair_text(seed: int) -> tuple[str, dict[str, str]]:
    """A small program of fair actions, in which a fair cycle is met only after some steps; how fair they are."""
    draw = random.Random(seed)
    lines = ["---", "options: {max_concurrent_actions: 1}", "deadlock_detection: false", "---"]
    lines += ["action Init: a, b = 0, 0"]
    fairness = {}
    for number in range(2):
        fairness[f"Act{number}"] = draw.choice(("weak", "strong"))
        lines.append(f"fair<{fairness[f'Act{number}']}> action Act{number}:")
        lines.append(f"    require a == {number}")
        for _ in range(draw.randint(1, 3)):
            lines.append("    " + draw.choice(("a = 1 - a", "b = 1 - b", "a = 1", "b = oneof [0, 1]", "b = a")))
    lines.append(f"always eventually assertion Again: return {draw.choice('ab')} == {draw.randint(0, 1)}")
    lines.append(f"eventually always assertion Settles: return a + b != {draw.randint(1, 2)}")
    return "\n".join(lines) + "\n", fairness


@pytest.mark.parametrize("block", one_in(2, range(3)))
def test_lassos_of_programs(block: int) -> None:
    """A lasso begins in the state of least (level, crashes, key) that is on a fair cycle of the kind asked for."""
    compared = crashing = 0
    for seed in range(20 * block, 20 * block + 20):
        text, fairness = random_fair_text(seed)
        machine = Machine(compile_module(fizz.load("m.fizz", text=text)))
        graph, space = Graph(machine, fairness), Space(machine)
        if len(graph.states) > MOST_FAIR:
            continue
        heads = {}
        for assertion in machine.program.assertions:
            wrong = {number for s, number in graph.states.items() if not holds(machine, assertion.number, s)}
            again = assertion.kind == "always eventually"
            walks = graph.fair_walks(wrong if again else set(graph.states.values()))
            on_cycles = set().union(*[walk & wrong for walk in walks])
            heads[assertion.name] = space.least([s for s, number in graph.states.items() if number in on_cycles])
        for engine in ("plain", *two_of(seed)):
            found = {key: finding.path for key, finding in explored(text, engine).findings.items()}
            assert found == {key: path for key, path in heads.items() if path is not None}, f"{seed} {engine}\n{text}"
        compared += len(heads)
        crashing += sum(any(link.order.crashes for link in path) for path in heads.values() if path is not None)
    assert compared > 8 and crashing > 1


@pytest.mark.parametrize("block", one_in(2, range(2)))
def test_reordered_traces_have_as_many_crashes_and_starts(block: int) -> None:
    """With fewer context switches, a trace has as many crash steps and starts as the run that was found."""
    compared = 0
    for seed in range(1000 + 40 * block, 1040 + 40 * block):
        text = random_text(seed)
        found = explored(text, "plain").findings
        module = fizz.load("m.fizz", text=text)
        report = check(module, settings=Settings(keep_going=True))
        assert told(report) == told(check(module, engine="plain", settings=Settings(keep_going=True)))
        for p in report.properties:
            if p.trace is None:
                continue
            path = found["(deadlock)" if p.kind == "deadlock" else p.name].path
            entries = p.trace.entries[1:]
            assert len(entries) == len(path) - 1
            assert sum(entry.crash for entry in entries) == sum(link.order.crashes for link in path)
            starts = sum(link.order.candidate[0] == StepKind.START for link in path[1:])
            assert sum(entry.kind == "start" for entry in entries) == starts
            compared += 1
    assert compared > 24


SYMMETRIC = TWICE.replace("role Node", "symmetric role Node").replace("[Node(), Node()]", "set([Node(), Node()])")


@pytest.mark.parametrize("engine", ENGINES_TESTED)
def test_stories_under_symmetry_too(engine: str) -> None:
    """Where a step and a crash lead to images of one state, the trace has the step."""
    report = check(fizz.load("m.fizz", text=SYMMETRIC), engine=engine)
    assert report.trace is not None and report.trace.steps == 2
    assert not any(entry.crash for entry in report.trace.entries)


@pytest.mark.parametrize("each", [1, 100_000_000])
def test_links_that_do_not_fit_a_word(each: int) -> None:
    """Of many steps to the same state the least by (crash steps, order, number of the source) is kept."""
    chance = np.random.default_rng(3)
    count = 5_000
    high = chance.integers(0, 300, count).astype(np.uint64) << np.uint64(50)
    parents, orders = chance.integers(0, 9, count), chance.integers(0, 7, count).astype(np.int32)
    starts = chance.integers(0, 5, count).astype(np.int32)
    crashes = (each * chance.integers(4, 9, count)).astype(np.int32)
    ranks = chance.permutation(7)
    expected: dict[int, tuple[int, ...]] = {}
    for key, c, o, p in zip(high.tolist(), crashes.tolist(), orders.tolist(), parents.tolist(), strict=True):
        expected[key] = min((c, int(ranks[o]), p), expected.get(key, (each * 9,)))
    batch = Batch(Rows([high]), high, high, parents, orders, starts, crashes)
    found = StateStore().least(batch, ranks)
    links = zip(found.crashes.tolist(), ranks[found.orders].tolist(), found.parents.tolist(), strict=True)
    assert dict(zip(found.high.tolist(), links, strict=True)) == expected


def test_levels_and_crashes_are_read_off_the_links() -> None:
    """A store that is given all states at once knows the levels, and the crash steps on the path to each state."""
    chance = random.Random(5)
    orders = [StepOrder((2, 0), (), 0), StepOrder((2, 0), (), 1), StepOrder((3, 0), (), 0)]
    levels, parents, indexes, costs = [0], [-1, -1], [0, 0], [(0, 0), (0, 0)]
    for level in range(1, 9):
        begin, end = levels[-1], len(parents)
        levels.append(end)
        for parent in sorted(chance.choices(range(begin, end), k=chance.randint(1, 30))):
            indexes.append(chance.randrange(3))
            parents.append(parent)
            costs.append((level, costs[parent][1] + orders[indexes[-1]].crashes))
    order = list(range(len(parents)))
    for begin, end in pairwise([*levels, len(parents)]):
        order[begin:end] = chance.sample(order[begin:end], end - begin)
    at = {old: new for new, old in enumerate(order)}
    parents = [-1 if parents[old] < 0 else at[parents[old]] for old in order]
    indexes, costs = [indexes[old] for old in order], [costs[old] for old in order]
    # Keys that ascend from level to level do not say where one begins.
    keys = np.arange(len(parents), dtype=np.uint64) << np.uint64(40)
    store = StateStore()
    store.append_all(keys, keys, np.array(parents), np.array(indexes, dtype=np.int32))
    assert store.first == [*levels, len(parents)]
    for begin, end in pairwise(store.first):
        assert store.crashes(np.arange(begin, end), orders).tolist() == [crashes for _, crashes in costs[begin:end]]
    by_cost = sorted(range(len(parents)), key=lambda number: (*costs[number], number))
    assert store.ranks(orders).tolist() == np.argsort(by_cost).tolist()
    for _ in range(50):
        some = sorted(chance.sample(range(len(parents)), 20))
        assert store.least_of(some, orders) == min(some, key=by_cost.index)
