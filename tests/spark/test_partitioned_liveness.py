"""The search for fair lassos in partitions against the search in one process. The passes need no Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from checker.core.demand import EVERYWHERE, QUIET, AlwaysReachable, NoLasso, ReachedState, Recorded, StateSet, Stem
from checker.liveness.graph import FairnessMark, Graph
from checker.liveness.graph_search import GraphSearch
from checker.liveness.lasso import Aim
from checker.liveness.short_cycles import MOST_NODES
from checker.search.checkpoints.key_columns import key_column
from checker.search.spark.graph_building import resolve
from checker.search.spark.liveness.partitioned_search import PASSES, PartitionedSearch
from checker.search.spark.liveness.share import Array, Share, answers_array, bit_tables
from checker.search.spark.liveness.walking import Back
from checker.storage.file_store import FileStore
from tests.checker.test_liveness import ALTERNATIVES, NAMES, STRONG, WEAK, Edge, Picture

KEY = "answers"
TRUE = Recorded(KEY)
FALSE_SOMEWHERE, FALSE_EVERYWHERE = NoLasso(EVERYWHERE, ~TRUE), NoLasso(~TRUE, EVERYWHERE)


class Here:
    """A crew in this process: the states of a graph are dealt out by number."""

    def __init__(self, graph: Graph, answers: Sequence[bool], partitions: int) -> None:
        self.partitions = partitions
        self.tables = graph
        self.columns = (KEY,)
        self.size = graph.states + len(graph.targets)
        self.aims: Counter[Aim] = Counter()
        self.begun_crashes = sorted(crashes_of(state) for state in range(graph.states // 2))
        self.arrays = [dealt(graph, answers, partition, partitions) for partition in range(partitions)]
        self._post: list[Sequence[bytes]] = [()] * partitions
        self._brought: list[Mapping[str, Array]] = []

    def make(self, name: str, given: object = None) -> list[Any]:
        return [reply for _, reply in sorted(self._make(range(len(self.arrays)), name, given).items())]

    def go_on(self, name: str, given: object = None) -> Mapping[int, Any]:
        return self._make([partition for partition in range(len(self.arrays)) if self._waits(partition)], name, given)

    @property
    def post(self) -> bool:
        return any(map(self._waits, range(len(self.arrays))))

    def _waits(self, partition: int) -> bool:
        return any(sent[partition] for sent in self._post if sent)

    def cost(self, level: int, crashes: int, begun: int) -> tuple[int, int]:
        return (1, crashes) if level else (0, self.begun_crashes[begun])

    def share(self, partition: int) -> Share:
        return Share(partition, self.partitions, self.arrays[partition])

    def brought(self) -> list[Mapping[str, Array]]:
        return self._brought

    def _make(self, partitions: Sequence[int], name: str, given: object) -> dict[int, Any]:
        if isinstance(given, Back):
            self.aims[given.aim] += 1
        count = len(self.arrays)
        outcomes = {}
        for partition in partitions:
            for column in self.arrays[partition].values():
                column.flags.writeable = False
            inbound = [sent[partition] if sent else b"" for sent in self._post]
            outcomes[partition] = PASSES[name](Share(partition, count, self.arrays[partition]), inbound, given)
        self._post = [outcomes[partition].post if partition in outcomes else () for partition in range(count)]
        for partition, outcome in outcomes.items():
            self.arrays[partition] = {**self.arrays[partition], **outcome.arrays}
        self._brought = [outcome.brought for outcome in outcomes.values()]
        return {partition: outcome.reply for partition, outcome in outcomes.items()}


def dealt(graph: Graph, answers: Sequence[bool], partition: int, partitions: int) -> dict[str, Array]:
    """The share of a partition in a graph.

    The first half of its states count as found before it was dealt out, on one level, and the others on the next.
    """
    begun = sorted(range(graph.states // 2), key=lambda state: (crashes_of(state), state))
    own = range(partition, graph.states, partitions)
    out = [(s, e) for s in own for e in graph.edges(s)]
    into = sorted(
        ((graph.targets[e], s % partitions, s, e) for s in range(graph.states) for e in graph.edges(s)),
        key=lambda edge: (edge[0], edge[1:]),
    )
    into = [edge for edge in into if edge[0] % partitions == partition]
    found = {
        "needs": np.array([graph.needs[s] for s in own], dtype=np.uint32),
        "quiet": np.array([graph.quiet[s] for s in own], dtype=np.bool_),
        "cut": np.array([graph.cut[s] for s in own], dtype=np.bool_),
        "begun": np.array([begun.index(s) for s in own if s < graph.states // 2], dtype=np.uint64),
        "crashes": np.array([0 if s in begun else crashes_of(s) for s in own], dtype=np.uint32),
        "firsts": np.array([sum(s < graph.states // 2 for s in own)], dtype=np.int64),
        "keys": key_column([graph.key(s) for s in own]),
        "columns": np.array([KEY]),
        answers_array(KEY): np.array([answers[s] for s in own], dtype=np.uint8),
        **bit_tables(graph),
    }
    sides = {
        "out": [(s, graph.targets[e], e, graph.targets[e] % partitions) for s, e in out],
        "into": [(t, s, e, owner) for t, owner, s, e in into],
    }
    for name, edges in sides.items():
        # Both ends list the edges of two partitions by the source, and then in the order of steps.
        order = sorted(range(len(edges)), key=lambda index: (edges[index][3], edges[index][2]))
        found |= {
            f"{name}.first": np.searchsorted([e[0] for e in edges], [*own, graph.states]).astype(np.int64),
            f"{name}.ends": np.array([e[1] for e in edges], dtype=np.uint64),
            f"{name}.marks": np.array([graph.marks[e[2]] for e in edges], dtype=np.uint32),
            f"{name}.order": np.array(order, dtype=np.uint32),
            f"{name}.counts": np.bincount([e[3] for e in edges], minlength=partitions).astype(np.int64),
        }
    return found


def crashes_of(state: int) -> int:
    """The number of crash steps on the path to a state: some number."""
    return state * 7 % 3


def cost_of(graph: Graph, state: int) -> tuple[int, int]:
    """The level of a state, and the crash steps on the path to it."""
    return int(state >= graph.states // 2), crashes_of(state)


def random_graph(chance: Random) -> Graph:
    """A graph whose states have ranks."""
    graph = random_picture(chance).graph()
    graph.least = partial(min, key=lambda state: (*cost_of(graph, state), state))
    graph.cost = partial(cost_of, graph)
    return graph


def random_picture(chance: Random) -> Picture:
    """A graph of some states with many cycles. Hypothesis would draw the same, ten times slower."""
    count = chance.randint(1, 14)
    edges = []
    for _ in range(chance.randint(0, 2 * count + 2)):
        takes = set(chance.sample(NAMES, chance.choice((0, 0, 1))))
        offers = set(chance.sample(ALTERNATIVES, chance.choice((0, 0, 1, 2))))
        if offers:
            takes.add(chance.choice(sorted(offers)))
        source, target = chance.randrange(count), chance.randrange(count)
        edges.append(Edge(source, target, frozenset(takes), frozenset(offers)))
    edges.sort(key=lambda edge: edge.source)
    return Picture(tuple(frozenset(chance.sample(NAMES, chance.randint(0, 2))) for _ in range(count)), tuple(edges))


@pytest.mark.parametrize("most_nodes", [0, 4, MOST_NODES])
@pytest.mark.parametrize("seed", range(2))
def test_lassos(seed: int, most_nodes: int) -> None:
    """Whatever the number of partitions and whatever the driver may hold, the lasso is that of the whole graph.

    Also where the search for the shortest cycle is given up.
    """
    chance = Random(seed)
    kinds: Counter[tuple[bool, bool]] = Counter()
    aims: Counter[Aim] = Counter()
    for _ in range(600):
        graph = random_graph(chance)
        answers = [chance.random() < 0.4 for _ in range(graph.states)]
        small, demand = chance.choice((0, 0, 0, 6, 99)), chance.choice((FALSE_SOMEWHERE, FALSE_EVERYWHERE))
        whole = GraphSearch(graph, lambda key, known=answers: bytearray(known), most=most_nodes)  # type: ignore[misc]
        expected = whole.lasso(demand)
        crew = Here(graph, answers, chance.randint(1, 3))
        assert PartitionedSearch(crew, small, most=most_nodes).lasso(demand) == expected
        aims += crew.aims
        kinds[expected is None, expected is not None and expected.stutter] += 1
    # Violations with and without a cycle, and graphs without any.
    assert min(kinds.values()) > 50 and len(kinds) == 3
    # Some components were too large to be here.
    assert most_nodes > 9 or min(aims[Aim.TAKE], aims[Aim.HOME]) > 30


def random_states(chance: Random) -> StateSet:
    """Some set of states."""
    some = chance.choice((EVERYWHERE, TRUE, QUIET, TRUE & QUIET, TRUE | QUIET))
    return chance.choice((some, ~some, some & ~(TRUE & ~QUIET)))


def with_crashes(graph: Graph, chance: Random) -> Graph:
    """Some of the steps of a graph become crashes."""
    for number, mark in enumerate(graph.mark_table):
        if chance.random() < 0.15:
            graph.mark_table[number] = FairnessMark(mark.order._replace(twin=1))
    return graph


@pytest.mark.parametrize("seed", range(2))
def test_any_demand(seed: int) -> None:
    """Whatever sets of states a demand names, with and without a stem, the answer is that of the whole graph."""
    chance = Random(seed)
    kinds: Counter[tuple[type, bool, bool]] = Counter()
    for _ in range(800):
        graph = with_crashes(random_graph(chance), chance)
        answers = [chance.random() < 0.4 for _ in range(graph.states)]
        for state in range(graph.states):
            graph.quiet[state], graph.cut[state] = chance.random() < 0.6, chance.random() < 0.1
        expected = GraphSearch(graph, lambda key, known=answers: bytearray(known))  # type: ignore[misc]
        search = PartitionedSearch(Here(graph, answers, chance.randint(1, 3)), chance.choice((0, 6)))
        along = chance.choice((EVERYWHERE, EVERYWHERE, random_states(chance)))
        stem = Stem(random_states(chance), along) if chance.random() < 0.6 else None
        found: ReachedState | None
        if chance.random() < 0.5:
            lasso = NoLasso(random_states(chance), random_states(chance), stem)
            found = expected.lasso(lasso)
            assert search.lasso(lasso) == found
        else:
            goal = AlwaysReachable(random_states(chance), chance.random() < 0.5, stem, chance.random() < 0.3)
            found = expected.lost(goal)
            assert search.lost(goal) == found
        kinds[type(found), stem is not None, found is not None and bool(found.stem)] += 1
    # Lassos, lost states and neither; the first two without a stem, with one, and with one of no steps.
    assert len(kinds) == 8 and min(kinds.values()) > 8, kinds


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_walk_to_where_a_weak_name_is_not_available(partitions: int) -> None:
    """A self-loop takes all that is asked for, but a weak name is available there all the time."""
    loop = Edge(0, 0, frozenset({STRONG}), frozenset())
    ring = (Edge(0, 1, frozenset(), frozenset()), Edge(1, 2, frozenset(), frozenset()))
    home = Edge(2, 0, frozenset(), frozenset())
    graph = Picture((frozenset({WEAK}), frozenset({WEAK}), frozenset()), (loop, *ring, home)).graph()
    answers = [False, True, True]
    crew = Here(graph, answers, partitions)
    found = PartitionedSearch(crew, 0, most=0).lasso(FALSE_SOMEWHERE)
    assert found == GraphSearch(graph, lambda key: bytearray(answers), most=0).lasso(FALSE_SOMEWHERE)
    assert found is not None and [link.key for link in found.cycle] == [0, 1, 2, 0]
    assert crew.aims[Aim.LEAVE] == 3


@pytest.mark.parametrize("seed", range(2))
def test_ways_that_are_lost(seed: int) -> None:
    """The least state from which no fair steps lead to the goal is that of the whole graph."""
    chance = Random(seed)
    kinds: Counter[bool] = Counter()
    for _ in range(400):
        graph = random_graph(chance)
        answers = [chance.random() < 0.4 for _ in range(graph.states)]
        for state in range(graph.states):
            graph.quiet[state], graph.cut[state] = chance.random() < 0.6, chance.random() < 0.1
        expected = GraphSearch(graph, lambda key, known=answers: bytearray(known))  # type: ignore[misc]
        crew = Here(graph, answers, chance.randint(1, 3))
        for by_any in (False, True):
            goals = AlwaysReachable(QUIET & TRUE, by_any=by_any), AlwaysReachable(~QUIET | TRUE, True, by_any=by_any)
            demand = chance.choice(goals)
            lost = expected.lost(demand)
            assert PartitionedSearch(crew, 0).lost(demand) == lost
            kinds[lost is None] += 1
    assert min(kinds.values()) > 50


def test_keys_that_share_a_half(tmp_path: Path) -> None:
    """Targets are distinguished by their whole keys; the answers are in the order of the questions."""
    keys = [5 << 64 | 9, 5 << 64 | 1, 7, 5 << 64 | 4]
    share = Share(0, 1, {"keys": key_column(keys), "needs": np.zeros(4, dtype=np.uint32)})
    asked = [3, 0, 2, 1, 0]
    sources, marks = np.arange(5, dtype=np.uint32), np.zeros(5, dtype=np.uint32)
    post = key_column([keys[number] for number in asked]).tobytes() + sources.tobytes() + marks.tobytes()
    outcome = resolve(share, [post], None, FileStore(tmp_path))
    assert np.frombuffer(outcome.post[0], dtype=np.uint32).tolist() == asked
    assert outcome.arrays["into.ends"].tolist() == [1, 4, 3, 2, 0]
    assert outcome.arrays["into.first"].tolist() == [0, 2, 3, 4, 5]
