"""How a run by columns takes over from a run row by row."""

from __future__ import annotations

import numpy as np

from checker.engines.columns.expand import Frontier
from checker.engines.columns.run import ColumnsRun
from checker.engines.columns.space import Space
from checker.engines.columns.store import Store
from checker.engines.rows import RowsRun, Waiting

_HALF = (1 << 64) - 1


def take_over(run: RowsRun) -> ColumnsRun:
    """A run by columns that goes on where a run row by row stands."""
    expander = run.expander
    machine = expander.machine
    reduced = run.symmetric and not all(machine.plain(waiting.state) for waiting in run.waiting)
    if not reduced:
        # Images must be divided alike, whatever was looked at in them.
        expander.memory.forget_reads(machine.divider.gather())
    space = Space(expander, reduced)
    for order in run.found.order_table:
        space.order(*order)
    store = _store(run)
    graph = run.graph_so_far if run.wants_graph else None
    if graph is not None:
        graph.key = store.key
    columns = ColumnsRun(run.task, space, store, graph)
    columns.judge.recorded = run.recorded
    groups: dict[object, list[Waiting]] = {}
    for waiting in run.waiting:
        groups.setdefault(waiting.state.layout, []).append(waiting)
    columns.frontier = [_frontier(space, run, group) for group in groups.values()]
    return columns


def _store(run: RowsRun) -> Store:
    store = Store()
    found = run.found
    keys = found.keys
    begin = 0
    # What matters of levels here is that keys ascend in each: two that happen to go on ascending may be one.
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


def _frontier(space: Space, run: RowsRun, group: list[Waiting]) -> Frontier:
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
