"""Cycles are short: brute force finds no shorter fair one through the same state, and none that comes first.

What is fair is read off the pictures and the texts of models; nothing here comes from the search.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import PropertyReport
from checker.liveness.components import Component
from checker.liveness.lasso import Lasso, _Inside, build_lasso
from checker.liveness.short_cycles import ShortCycles
from interpreter import Machine, State, Step, compile_module
from tests.checker.test_fair_programs import MOST_STATES, Graph, random_program
from tests.checker.test_fair_programs import Edge as ProgramEdge
from tests.checker.test_fewest_switches import steps_shown_by
from tests.checker.test_liveness import ALTERNATIVES, NAMES, STRONG, WEAK, Edge, Picture, fair, search

LONGEST = 7
MOST_WALKS = 60_000


def walks(picture: Picture, state: int, length: int, among: set[int]) -> Iterator[list[Edge]]:
    """All walks of a length, by the sequence of the orders of their steps."""
    if not length:
        yield []
        return
    for edge in picture.edges:
        if edge.source == state and edge.target in among:
            for rest in walks(picture, edge.target, length - 1, among):
                yield [edge, *rest]


def shortest(picture: Picture, head: int, among: set[int]) -> list[Edge] | None:
    """The first of the shortest fair cycles; None if it is longer than what is looked at."""
    for length in range(1, LONGEST + 1):
        for walk in walks(picture, head, length, among):
            states = {head, *(edge.target for edge in walk)}
            if walk[-1].target == head and fair(picture, states, walk):
                return walk
    return None


def random_picture(chance: Random, states: int, ring: bool = False) -> Picture:
    """A graph with many cycles, on which several things are asked for. `ring`: each state leads to the next one."""
    edges = [Edge(s, (s + 1) % states, frozenset(), frozenset()) for s in range(states if ring else 0)]
    for _ in range(chance.randint(states, 3 * states)):
        takes = set(chance.sample(NAMES, chance.choice((0, 0, 1))))
        offers = set(chance.sample(ALTERNATIVES, chance.choice((0, 0, 0, 1, 2))))
        if offers:
            takes.add(chance.choice(sorted(offers)))
        edges.append(Edge(chance.randrange(states), chance.randrange(states), frozenset(takes), frozenset(offers)))
    edges.sort(key=lambda edge: edge.source)
    needs = tuple(frozenset(chance.sample(NAMES, chance.choice((0, 1, 2)))) for _ in range(states))
    return Picture(needs, tuple(edges))


@pytest.mark.parametrize("seed", range(3))
def test_shortest_of_all(seed: int) -> None:
    """The cycle of the lasso is the first of the shortest fair ones, with both searches for components."""
    chance = Random(seed)
    compared = []
    for _ in range(400):
        picture = random_picture(chance, chance.randint(1, 5))
        states = set(range(len(picture.needs)))
        heads = {s for s in states if chance.random() < 0.5}
        among = heads if chance.random() < 0.5 else states
        lasso = search(picture.graph(), among, heads, None)
        assert search(picture.graph(), among, heads, 0) == lasso
        if lasso is None or lasso.stutter:
            continue
        expected = shortest(picture, lasso.head, among)
        if expected is None:
            assert len(lasso.cycle) > LONGEST
            continue
        compared.append(len(expected))
        assert [picture.edges[edge] for edge in lasso.cycle] == expected
    assert sum(length > 2 for length in compared) > 20


# --- where the search is given up ------------------------------------------------------------------------------------


def padding(picture: Picture, head: int, cycle: list[Edge]) -> list[tuple[int, int]]:
    """The closed pieces that a fair cycle can do without, the longest first and then the earliest."""
    states = [head, *(edge.target for edge in cycle)]
    found = []
    for begin, end in combinations(range(len(states)), 2):
        rest = cycle[:begin] + cycle[end:]
        if states[begin] == states[end] and fair(picture, {head, *(edge.target for edge in rest)}, rest):
            found.append((begin, end))
    return sorted(found, key=lambda piece: (piece[0] - piece[1], piece))


@pytest.mark.parametrize("seed", range(3))
def test_no_padding_is_left(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the search meets too many nodes, the cycle is joined from walks, without padding."""
    chance = Random(seed)
    removed = 0
    for _ in range(300):
        picture = random_picture(chance, chance.randint(3, 7), ring=True)
        everything = set(range(len(picture.needs)))
        if not fair(picture, everything, list(picture.edges)):
            continue
        whole = Component(tuple(everything), tuple(range(len(picture.edges))))
        with monkeypatch.context() as patch:
            patch.setattr(ShortCycles, "without_padding", lambda self, cycle: list(cycle))
            padded = build_lasso(picture.graph(), 0, whole, most=1)
        shown = build_lasso(picture.graph(), 0, whole, most=1)
        cycle = [picture.edges[edge] for edge in padded.cycle]
        while cycle and (pieces := padding(picture, 0, cycle)):
            begin, end = pieces[0]
            del cycle[begin:end]
            removed += 1
        assert [picture.edges[edge] for edge in shown.cycle] == cycle
    assert removed > 20


def two_rings() -> Picture:
    """From state 0 through 1 or through 2 and back; a strong name is available in 0, and both rings take it."""
    takes = frozenset({STRONG})
    edges = (
        Edge(0, 1, takes, frozenset()),
        Edge(0, 2, takes, frozenset()),
        Edge(1, 0, frozenset(), frozenset()),
        Edge(2, 0, frozenset(), frozenset()),
    )
    return Picture((frozenset(), frozenset(), frozenset()), edges)


@pytest.mark.parametrize(("most", "shown"), [(4, (0, 2)), (3, None)])
def test_nodes_are_counted_when_first_met(most: int, shown: tuple[int, ...] | None) -> None:
    """The node where the search begins counts, and so does the one where it ends: here the fourth."""
    inside = _Inside(two_rings().graph(), 0, Component((0, 1, 2), (0, 1, 2, 3)), lambda: None)
    found = ShortCycles(inside, most).shortest()
    assert (None if found is None else tuple(found)) == shown


def test_a_needless_round_goes() -> None:
    """Of two equally long pieces that can both be spared, but not together, the earlier one goes."""
    edges = (
        Edge(0, 1, frozenset({STRONG}), frozenset()),
        Edge(0, 2, frozenset({STRONG, *ALTERNATIVES[:1]}), frozenset(ALTERNATIVES[:1])),
        Edge(1, 0, frozenset(), frozenset()),
        Edge(2, 0, frozenset(), frozenset()),
    )
    graph = Picture((frozenset(), frozenset(), frozenset()), edges).graph()
    assert build_lasso(graph, 0, Component((0, 1, 2), (0, 1, 2, 3)), most=1) == Lasso(0, (1, 3), False)


def test_a_weak_name_that_a_shorter_cycle_would_meet_everywhere() -> None:
    """What gets a cycle out of reach of a weak name is no padding."""
    loop = Edge(0, 0, frozenset({STRONG}), frozenset())
    away, home = Edge(0, 1, frozenset(), frozenset()), Edge(1, 0, frozenset(), frozenset())
    graph = Picture((frozenset({WEAK}), frozenset()), (loop, away, home)).graph()
    for most in (1, 20_000):
        assert build_lasso(graph, 0, Component((0, 1), (0, 1, 2)), most=most) == Lasso(0, (0, 1, 2), False)


# --- whole programs --------------------------------------------------------------------------------------------------


class Cycles:
    """All cycles of a model, and which of them are those of a counterexample."""

    def __init__(self, text: str, fairness: dict[str, str]) -> None:
        self.program = compile_module(fizz.load("m.fizz", text=text))
        self.machine = Machine(self.program)
        self.graph = Graph(self.machine, fairness)
        self.live: dict[State, list[tuple[Step, ProgramEdge]]] = {}
        for state, number in self.graph.states.items():
            steps = [step for step in self.machine.steps(state).steps if not step.crashes]
            edges = [edge for edge in self.graph.edges if edge.source == number]
            self.live[state] = list(zip(steps, edges, strict=True))

    def walks(self, state: State, length: int) -> Iterator[list[tuple[Step, ProgramEdge]]]:
        """All walks of a length, by the sequence of the orders of their steps."""
        if not length:
            yield []
            return
        for step, edge in self.live[state]:
            for rest in self.walks(step.target, length - 1):
                yield [(step, edge), *rest]

    def shows(self, edges: list[ProgramEdge], report: PropertyReport, wrong: set[int]) -> bool:
        """Is a closed walk fair, and false as its property must not be?"""
        states = {edge.source for edge in edges}
        taken = {name for edge in edges for name in edge.takes}
        owed = {name for edge in edges for name in edge.offers}
        owed |= set().union(*[self.graph.strong[s] for s in states])
        owed |= set.intersection(*[self.graph.weak[s] for s in states])
        bad = states <= wrong if report.kind == "always eventually" else edges[0].source in wrong
        return bad and owed <= taken

    def wrong(self, name: str) -> set[int]:
        """The states in which an assertion is false."""
        (number,) = [a.number for a in self.program.assertions if a.name == name]
        found = set()
        for state, index in self.graph.states.items():
            (rule,) = self.machine.assertion_rules(number, state)
            if not getattr(self.machine.run(rule, self.machine.view(state)).result, "value", True):
                found.add(index)
        return found

    def shortest(self, head: State, longest: int, report: PropertyReport) -> list[Step] | None:
        """The first of the shortest cycles that show the same; None if there are too many to look at."""
        wrong, count = self.wrong(report.name), 0
        for length in range(1, longest + 1):
            for walk in self.walks(head, length):
                count += 1
                if count > MOST_WALKS:
                    return None
                if walk[-1][0].target == head and self.shows([edge for _, edge in walk], report, wrong):
                    return [step for step, _ in walk]
        raise AssertionError("the cycle of the report is none")


@pytest.mark.parametrize("block", range(3))
def test_shortest_of_programs(block: int) -> None:
    """Each cycle in a report is the first of the shortest ones that show the same, for every engine."""
    compared = 0
    for seed in range(80 * block, 80 * block + 80):
        text, fairness = random_program(seed)
        module = fizz.load("m.fizz", text=text)
        if len(Graph(Machine(compile_module(module)), fairness).states) > MOST_STATES:
            continue
        cycles = Cycles(text, fairness)
        plain = check(module, engine="plain", settings=Settings(keep_going=True))
        assert check(module, settings=Settings(keep_going=True)).properties == plain.properties
        for p in plain.properties:
            if p.trace is None or p.trace.cycle_start is None:
                continue
            steps = steps_shown_by(p, cycles.machine)  # type: ignore[arg-type]
            begin = p.trace.cycle_start - 1
            head = steps[begin - 1].target if begin else cycles.machine.initial()[0][0].state
            shown = steps[begin:]
            expected = cycles.shortest(head, len(shown), p)
            if expected is None:
                continue
            compared += 1
            assert [step.order for step in shown] == [step.order for step in expected], f"{seed} {p.name}\n{text}"
    assert compared > 10
