"""Row by row while the frontier is small, by columns once it is wide."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from checker.engines.columns.expand import Frontier
from checker.engines.columns.run import ColumnsRun
from checker.engines.columns.space import Space
from checker.engines.columns.store import Store
from checker.engines.embedded import EmbeddedRun, Waiting
from checker.engines.protocol import Level
from checker.exploration import PathLink
from checker.liveness.graph import Graph

_HALF = (1 << 64) - 1


def hand_over(run: EmbeddedRun) -> ColumnsRun:
    """A run by columns that goes on where a run row by row stands."""
    expander = run.expander
    space = Space(expander.machine, expander.memory)
    for order in run.found.order_table:
        space.order(*order)
    store = _store(run)
    graph = run.graph_so_far if run.wants_graph else None
    if graph is not None:
        graph.key = store.key
    columns = ColumnsRun(run.task, space, store, graph)
    columns.judge.recorded = run.recorded
    columns.acted |= expander.acted
    groups: dict[object, list[Waiting]] = {}
    for waiting in run.waiting:
        groups.setdefault(waiting.state.layout, []).append(waiting)
    columns.frontier = [_frontier(space, run, group) for group in groups.values()]
    return columns


def _store(run: EmbeddedRun) -> Store:
    store = Store()
    found = run.found
    keys = found.keys
    begin = 0
    # A level ends where the keys do not ascend any more.
    while begin < len(keys):
        end = begin + 1
        while end < len(keys) and keys[end] > keys[end - 1]:
            end += 1
        store.append(
            np.array([key >> 64 for key in keys[begin:end]], dtype=np.uint64),
            np.array([key & _HALF for key in keys[begin:end]], dtype=np.uint64),
            np.array(found.parents[begin:end], dtype=np.int64),
            np.array(found.orders[begin:end], dtype=np.int32),
        )
        begin = end
    return store


def _frontier(space: Space, run: EmbeddedRun, group: list[Waiting]) -> Frontier:
    packing = space.packing(group[0].state.layout)
    for waiting in group:
        packing.learn(waiting.state)
    packing.refit((), max(packing.threads, *[len(waiting.state.threads) for waiting in group]))
    keys = [run.found.keys[waiting.number] for waiting in group]
    return Frontier(
        packing,
        space.pack(packing, [waiting.state for waiting in group]),
        np.array([waiting.number for waiting in group], dtype=np.int64),
        np.array([waiting.starts for waiting in group], dtype=np.int64),
        np.array([key >> 64 for key in keys], dtype=np.uint64),
        np.array([key & _HALF for key in keys], dtype=np.uint64),
        np.array([waiting.cut for waiting in group], dtype=np.bool_),
    )


class HybridRun:
    """One exploration: it begins row by row and goes on by columns."""

    def __init__(self, run: EmbeddedRun, wide: int) -> None:
        self.rows = run
        self.columns: ColumnsRun | None = None
        self.wide = wide

    @property
    def symmetric(self) -> bool:
        return self.rows.symmetric

    def first(self) -> Level:
        return self.rows.first()

    def next(self) -> Level:
        if self.columns is None and len(self.rows.waiting) >= self.wide:
            self.columns = hand_over(self.rows)
            self.rows.close()
        return self.rows.next() if self.columns is None else self.columns.next()

    def path(self, key: int) -> tuple[PathLink, ...]:
        return (self.columns or self.rows).path(key)

    def graph(self) -> Graph:
        return self.rows.graph() if self.columns is None else self.columns.finished_graph()

    def answers(self, key: str) -> bytearray:
        return self.rows.answers(key)

    def stats(self) -> Mapping[str, object]:
        return {**self.rows.stats(), **({} if self.columns is None else self.columns.stats())}

    def close(self) -> None:
        self.rows.close()
