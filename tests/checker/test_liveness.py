"""The search for fair lassos against brute force: on tiny graphs every closed walk can be tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from checker.liveness.fair_search import FairSearch
from checker.liveness.graph import FairnessMark, Graph, Obligation, Strength
from checker.liveness.lasso import Lasso, sentences
from interpreter.state.step import StepOrder

STRONG = Obligation(Strength.STRONG, "", "S", "", thread=True)
WEAK = Obligation(Strength.WEAK, "", "W", "", thread=False)
OTHER = Obligation(Strength.WEAK, "", "X", "", thread=False)
LEFT = Obligation(Strength.ALTERNATIVE, "f:1:1", "", "l", thread=False)
RIGHT = Obligation(Strength.ALTERNATIVE, "f:1:1", "", "r", thread=False)
NAMES = (STRONG, WEAK, OTHER)
ALTERNATIVES = (LEFT, RIGHT)


@dataclass(frozen=True)
class Edge:
    source: int
    target: int
    takes: frozenset[Obligation]
    offers: frozenset[Obligation]


@dataclass(frozen=True)
class Picture:
    """A graph to be built: the names available in each state beyond those its edges take, and the edges."""

    needs: tuple[frozenset[Obligation], ...]
    edges: tuple[Edge, ...]

    def need(self, state: int) -> frozenset[Obligation]:
        taken = (e.takes for e in self.edges if e.source == state)
        return self.needs[state].union(*(frozenset(t) - frozenset(ALTERNATIVES) for t in taken))

    def graph(self) -> Graph:
        graph = Graph(lambda state: state)
        for state in range(len(self.needs)):
            for order, edge in enumerate(e for e in self.edges if e.source == state):
                mark = FairnessMark(StepOrder((2, order), (), 0), edge.takes, edge.offers)
                graph.targets.append(edge.target)
                graph.marks.append(len(graph.mark_table))
                graph.mark_table.append(mark)
            graph.needs.append(len(graph.need_table))
            graph.need_table.append(self.need(state))
            graph.quiet.append(True)
            graph.cut.append(False)
            graph.first.append(len(graph.targets))
        return graph


@st.composite
def pictures(draw: st.DrawFn, states: int = 4, most: int = 7) -> Picture:
    count = draw(st.integers(1, states))
    numbers = st.integers(0, count - 1)
    edges = []
    for _ in range(draw(st.integers(0, most))):
        takes = draw(st.sets(st.sampled_from(NAMES), max_size=1))
        offers = draw(st.sets(st.sampled_from(ALTERNATIVES)))
        if offers:
            takes |= {draw(st.sampled_from(sorted(offers)))}
        edges.append(Edge(draw(numbers), draw(numbers), frozenset(takes), frozenset(offers)))
    edges.sort(key=lambda edge: edge.source)
    needs = tuple(frozenset(draw(st.sets(st.sampled_from(NAMES), max_size=1))) for _ in range(count))
    return Picture(needs, tuple(edges))


def fair(picture: Picture, states: set[int], edges: list[Edge]) -> bool:
    """Language page, 10.4, word for word."""
    taken = {o for e in edges for o in e.takes}
    strong = {o for s in states for o in picture.need(s) if o.strength == Strength.STRONG}
    weak = {o for o in NAMES if o.strength == Strength.WEAK and all(o in picture.need(s) for s in states)}
    offered = {o for e in edges for o in e.offers}
    return (strong | weak | offered) <= taken


def closed_walks(picture: Picture, among: set[int]) -> Iterator[tuple[set[int], list[Edge]]]:
    """The states and edges of every closed walk, stutters included."""
    for state in among:
        yield {state}, []
    edges = [e for e in picture.edges if e.source in among and e.target in among]
    for size in range(1, len(edges) + 1):
        for chosen in combinations(edges, size):
            states = {e.source for e in chosen} | {e.target for e in chosen}
            if all(reaches(chosen, a, b) for a in states for b in states):
                yield states, list(chosen)


def reaches(edges: tuple[Edge, ...], start: int, goal: int) -> bool:
    seen, work = {start}, [start]
    for state in work:
        for edge in edges:
            if edge.source == state and edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return goal in seen


def least_head(picture: Picture, among: set[int], heads: set[int]) -> int | None:
    """The least state of `heads` on any fair closed walk."""
    walks = (states for states, edges in closed_walks(picture, among) if fair(picture, states, edges))
    return min((s for states in walks for s in states & heads), default=None)


@settings(max_examples=400, deadline=None)
@given(pictures(), st.sets(st.integers(0, 3)), st.booleans())
def test_sound_and_complete(picture: Picture, false: set[int], always_eventually: bool) -> None:
    """A lasso is found iff there is a fair closed walk of the kind asked for.

    It begins at the least state possible, it is a closed walk, and it is fair. Plain Python and columns find the same.
    """
    states = set(range(len(picture.needs)))
    heads = false & states
    among = heads if always_eventually else states
    graph = picture.graph()
    lasso = search(graph, among, heads, None)
    assert search(graph, among, heads, 0) == lasso
    expected = least_head(picture, among, heads)
    assert (None if lasso is None else lasso.head) == expected
    if lasso is not None:
        check(picture, graph, lasso, among)
        assert sentences(graph, lasso)


def search(graph: Graph, among: set[int], heads: set[int], large: int | None) -> Lasso | None:
    return FairSearch(graph, large).lasso(mask(graph, among), mask(graph, heads))


def mask(graph: Graph, states: set[int]) -> bytearray:
    """A truth value for each state of a graph."""
    return bytearray(s in states for s in range(graph.states))


def check(picture: Picture, graph: Graph, lasso: Lasso, among: set[int]) -> None:
    edges = [picture.edges[e] for e in lasso.cycle]
    assert lasso.stutter == (not edges)
    assert [e.source for e in edges] == [lasso.head, *(e.target for e in edges)][: len(edges)]
    assert not edges or edges[-1].target == lasso.head
    states = {lasso.head, *(e.target for e in edges)}
    assert states <= among
    assert fair(picture, states, edges)
    if fair(picture, {lasso.head}, []):
        assert lasso.stutter


@settings(max_examples=150, deadline=None)
@given(pictures(), st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)))
def test_all_states_of_fair_walks(picture: Picture, inside: set[int], of: set[int]) -> None:
    """Those states are found that some fair closed walk goes through, by plain Python and by columns."""
    graph = picture.graph()
    among, of = inside & set(range(graph.states)), of & set(range(graph.states))
    expected = {s for states, edges in closed_walks(picture, among) if fair(picture, states, edges) for s in states}
    for large in (None, 0):
        found = FairSearch(graph, large).fair_states(mask(graph, among), mask(graph, of))
        assert {s for s in range(graph.states) if found[s]} == expected & of


@settings(max_examples=150, deadline=None)
@given(pictures(states=12, most=30), st.sets(st.integers(0, 11)))
def test_columns_agree_on_larger_graphs(picture: Picture, false: set[int]) -> None:
    """Both searches for fair components give the same lasso."""
    graph = picture.graph()
    heads = false & set(range(graph.states))
    for among in (heads, set(range(graph.states))):
        assert search(graph, among, heads, 0) == search(graph, among, heads, None)


def test_a_weak_name_that_the_shortest_cycle_would_meet_everywhere() -> None:
    """A self-loop takes all that is asked for, but a weak name is available there all the time.

    The cycle goes where it is not.
    """
    loop = Edge(0, 0, frozenset({STRONG}), frozenset())
    away, home = Edge(0, 1, frozenset(), frozenset()), Edge(1, 0, frozenset(), frozenset())
    picture = Picture((frozenset({WEAK}), frozenset()), (loop, away, home))
    lasso = search(picture.graph(), {0, 1}, {0}, None)
    assert lasso == Lasso(0, (0, 1, 2), False)


def test_ties_are_broken_by_the_order_of_steps() -> None:
    """Of two shortest walks to an obligation, the lasso has the one whose first step is first in the step order."""
    plain = frozenset[Obligation]()
    edges = (
        Edge(0, 2, plain, plain),
        Edge(0, 1, plain, plain),
        Edge(1, 0, frozenset({STRONG}), plain),
        Edge(2, 0, frozenset({STRONG}), plain),
    )
    lasso = search(Picture((plain,) * 3, edges).graph(), {0, 1, 2}, {0}, None)
    assert lasso == Lasso(0, (), True)
    forced = Picture((frozenset({STRONG}), plain, plain), edges)
    assert search(forced.graph(), {0, 1, 2}, {0}, None) == Lasso(0, (0, 3), False)
