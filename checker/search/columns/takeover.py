"""A run by columns takes over from a run row by row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from checker.core.level import Level, StateRef
from checker.search.columns.batch import counts
from checker.search.columns.capacity import Capacity
from checker.search.columns.code_tables import halves
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.exported import ColumnExport
from checker.search.columns.sizes import Sizes
from checker.search.columns.space import Space
from checker.search.columns.spill_file import SpillFiles
from checker.search.columns.store import StateStore
from checker.search.memo.division import Divider
from checker.search.memo.list_places import Places, list_places, names_gone_through, place_of
from checker.search.rows.row_run import FrontierState, RowRun
from interpreter.compile.program import Program
from interpreter.state.state import Layout, Slot, State
from interpreter.state.step import StepOrder
from interpreter.values.budget import METER
from interpreter.values.tags import Tag


def take_over(run: RowRun, sizes: Sizes) -> ColumnRun:
    """A run by columns that continues a run row by row."""
    found = run.found
    store = StateStore(SpillFiles.of(run.task, sizes))
    store.append_all(
        *halves(found.keys),
        np.array(found.parents, dtype=np.int64),
        np.array(found.orders, dtype=np.int32),
    )
    columns = _columns(run, store, found.order_table, [waiting.state for waiting in METER.attended(run.waiting)])
    if found.states is not None:
        _compare_states(columns, found.states)
    return columns


def go_on(run: RowRun, store: StateStore, orders: Sequence[StepOrder], sample: Sequence[State]) -> ColumnRun:
    """A run by columns that continues an earlier one, but for its frontier.

    The states found are in `store`, the rest in `run`. `sample` are some of the states to be expanded.
    """
    acted = set(run.expander.acted)
    # The earlier run had learned how to divide values: some states show it again, and nothing else of them is kept.
    run.expander.observe = None
    for state in sample:
        deque(run.expander.expand(state, StateRef(run.machine.key(state), 0), False, Level()), 0)
    run.expander.acted = acted
    return _columns(run, store, orders, sample)


def _columns(run: RowRun, store: StateStore, orders: Sequence[StepOrder], states: Sequence[State]) -> ColumnRun:
    expander = run.expander
    reduced = run.symmetric and not all(map(expander.machine.plain, states))
    divider, sizes = expander.memory.divider, store.spill_files.sizes
    held = _Held.of(states)
    lists: Places = frozenset()
    if not reduced:
        # Images must be divided alike, no matter what was read in them.
        lists = _answering_places(expander.machine.program, divider, held, sizes) if run.by_turns else lists
        expander.memory.forget_reads(divider.gather(lists))
    expander.memory.ask_by_elements(_many_valued(divider, held, sizes), lists, and_alike=reduced)
    space = Space(expander, reduced, store.spill_files.sizes)
    for order in METER.attended(orders):
        space.number(order)
    graph = run.graph_so_far if run.wants_graph else None
    if graph is not None:
        graph.key, graph.least = store.key, partial(store.least_of, orders=space.orders)
        graph.cost = partial(store.cost, orders=space.orders)
    if run.parts is not None:
        space.export = ColumnExport(space, run.parts, run.level, run.task.patience.ask)
    columns = ColumnRun(run.task, space, store, graph)
    columns.judge.recorded = run.recorded
    groups: dict[object, list[FrontierState]] = {}
    for waiting in METER.attended(run.waiting):
        groups.setdefault(waiting.state.layout, []).append(waiting)
    columns.frontier = [_frontier(space, store, group) for group in groups.values()]
    return columns


class _Held(NamedTuple):
    """What some states hold: the values of each slot in any of them, and how many differ in their values.

    Where threads wait, many states have the same values.
    """

    by_slot: dict[Slot, set[int]]
    different: int

    @staticmethod
    def of(states: Sequence[State]) -> _Held:
        """What these states hold."""
        by_layout: dict[Layout, list[tuple[int, ...]]] = {}
        for state in METER.attended(states):
            by_layout.setdefault(state.layout, []).append(state.values)
        found: dict[Slot, set[int]] = {}
        for layout, several in by_layout.items():
            for slot, numbers in zip(layout.slots, zip(*several, strict=True), strict=True):
                found.setdefault(slot, set()).update(numbers)
        return _Held(found, len({state.values for state in METER.attended(states)}))


def _answering_places(program: Program, divider: Divider, held: _Held, sizes: Sizes) -> Places:
    """Where lists, and dicts that are gone through, have many values: these answer folds."""
    dicts = _many(divider, held, sizes, Tag.DICT)
    through = names_gone_through(program) if dicts else frozenset[str]()
    lists = _many(divider, held, sizes, Tag.LIST) | {place for place in dicts if place.name in through}
    return lists if sizes.many_values else lists | list_places(program)


def _many_valued(divider: Divider, held: _Held, sizes: Sizes) -> frozenset[Slot] | None:
    """The slots whose sets have many values in these states: stored whole, each would be looked up anew. None: all."""
    if not sizes.many_values:
        return None
    return _of_many_values(
        held, sizes, lambda root, number: (part for part in divider.parts(root, number) if divider.counted(part[1]))
    )


def _many(divider: Divider, held: _Held, sizes: Sizes, tag: Tag) -> Places:
    """As `_many_valued`, of `Divider.containers`: the places with any such slot."""
    found = _of_many_values(held, sizes, lambda root, number: divider.containers(root, number, tag))
    return frozenset(filter(None, map(place_of, found)))


def _of_many_values(
    held: _Held, sizes: Sizes, parts: Callable[[Slot, int], Iterable[tuple[Slot, int]]]
) -> frozenset[Slot]:
    """The slots of parts that have many values in these states. `parts` gives those of a value in a slot."""
    values: dict[Slot, set[int]] = {}
    for root, numbers in held.by_slot.items():
        for number in METER.attended(numbers):
            for slot, part in parts(root, number):
                values.setdefault(slot, set()).add(part)
    least = min(sizes.many_values, max(sizes.few_values, held.different // 2))
    many = max(least, held.different // sizes.of_states) if sizes.many_values else 0
    return frozenset(slot for slot, met in values.items() if len(met) >= many)


def _compare_states(columns: ColumnRun, states: Sequence[State]) -> None:
    """Store the states found so far themselves, if they fit one word and are of one packing.

    Not if images are stored: then what is distinguished is not what is stored. Nor if values share containers: then a
    key is no sum over slots.
    """
    packings = columns.space.packings
    if columns.space.images is not None or len(packings) != 1 or not all(s.layout in packings for s in states):
        return
    (packing,) = packings.values()
    if packing.layout.cells:
        return
    for state in METER.attended(states):
        packing.learn(state)
    columns.refit(packing, packing.room.beside(Capacity.of(METER.attended(states))))
    if packing.width == 1:
        columns.store.compare_states(packing, columns.space.pack(packing, list(states)).words[0])


def _frontier(space: Space, store: StateStore, group: list[FrontierState]) -> Frontier:
    packing = space.packing(group[0].state.layout)
    for waiting in METER.attended(group):
        packing.learn(waiting.state)
    packing.refit((), packing.room.beside(Capacity.of(waiting.state for waiting in METER.attended(group))))
    numbers = np.array([waiting.number for waiting in METER.attended(group)], dtype=np.int64)
    high, low = store.halves(numbers)
    return Frontier(
        packing,
        space.pack(packing, [waiting.state for waiting in METER.attended(group)]),
        numbers,
        np.array([waiting.starts for waiting in group], dtype=np.int64),
        counts(np.array([waiting.crashes for waiting in group], dtype=np.int64)),
        high,
        low,
        np.array([waiting.cut for waiting in group], dtype=np.bool_),
    )
