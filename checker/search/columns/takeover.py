"""A run by columns takes over from a run row by row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

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
from checker.search.memo.list_places import ListPlace, Places, list_places, names_gone_through, place_of
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
    columns = _columns_for(run, store, found.order_table, [waiting.state for waiting in METER.attended(run.waiting)])
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
    return _columns_for(run, store, orders, sample)


_SAMPLE: Final = 2_000
"""So many states of a frontier are looked at, more or less."""
_FEWER: Final = 4
"""It is known by then that much is new: that part of the values that are many where columns take over is many."""
_CHEAP: Final = 30
"""So many states are changed into another division at the cost of one new path."""
_MOST: Final = 1 << 18
"""And no more than this at once: it cannot be interrupted."""


class DividesAnew:
    """Decides whether a run by columns is to divide values in another way than where it took over.

    Sets, lists and dicts that had few values then may have many by now, and each brings new paths. So that is looked at
    again once there were many new paths, unless there are so many more states that changing them costs more.
    """

    def __init__(self, run: RowRun, sizes: Sizes) -> None:
        self._run = run
        self._sizes = sizes
        self._patience = sizes.new_paths
        self._paths = run.expander.memory.paths

    def instead(self, columns: ColumnRun) -> ColumnRun | None:
        """A run by columns that continues this one, and divides in another way; None: this one goes on."""
        new = self._run.expander.memory.paths - self._paths
        width = sum(len(part.rows) for part in columns.frontier)
        if new < self._patience or width > min(_CHEAP * new, _MOST):
            return None
        found = self._divided(columns, -(-width // _SAMPLE))
        self._paths = self._run.expander.memory.paths
        if found is None:
            self._patience *= 2
        return found

    def _divided(self, columns: ColumnRun, every: int) -> ColumnRun | None:
        run, divider = self._run, self._run.expander.memory.divider
        reduced = columns.space.images is not None
        sample = [
            state
            for part in columns.frontier
            for state in part.packing.states(part.rows, np.arange(0, len(part.rows), every, dtype=np.int64))
        ]
        sizes = replace(self._sizes, of_states=_FEWER * self._sizes.of_states)
        wanted, lists = _divisions(run, sample, reduced, sizes)
        if wanted is not None:
            wanted = frozenset(slot for slot in wanted if not divider.is_gathered(slot))
        before = divider.sets_by_elements
        more = before is not None if wanted is None else bool(wanted)
        if not more and lists <= divider.lists_by_turns:
            return None
        known = None if before is None or wanted is None else wanted | before
        waiting = list(_waiting(columns.frontier))
        with METER.unasked():
            run.waiting, run.wants_graph = waiting, columns.graph is not None
            if columns.space.export is not None:
                run.level = columns.space.export.level
            columns.store.compare_keys()
            found = _columns(run, columns.store, columns.space.orders, known, lists | divider.lists_by_turns, reduced)
            run.give_up()
        return found


def _waiting(frontier: Sequence[Frontier]) -> Iterator[FrontierState]:
    """The states of a frontier."""
    for part in frontier:
        columns = (part.numbers, part.starts, part.crashes, part.cut)
        states = part.packing.states(part.rows, np.arange(len(part.rows), dtype=np.int64))
        for state, number, starts, crashes, cut in zip(states, *[one.tolist() for one in columns], strict=True):
            yield FrontierState(number, state, starts, crashes, cut)


def _divisions(
    run: RowRun, states: Sequence[State], reduced: bool, sizes: Sizes
) -> tuple[frozenset[Slot] | None, Places]:
    """The slots in which sets are to be stored by elements (None: all), and where lists and dicts answer folds.

    `states`: some, which show what they hold.
    """
    held = _Held.of(states)
    expander = run.expander
    divider, lists = expander.memory.divider, frozenset[ListPlace]()
    if not reduced and run.by_turns:
        # Images must be divided alike, no matter what was read in them.
        lists = _answering_places(expander.machine.program, divider, held, sizes)
    images = expander.machine.images
    if reduced and any(images.renamings_of(state) >= sizes.many_renamings for state in METER.attended(states)):
        # A set that is new has so many images that are new.
        return None, lists
    return _many_valued(divider, held, sizes), lists


def _columns_for(run: RowRun, store: StateStore, orders: Sequence[StepOrder], states: Sequence[State]) -> ColumnRun:
    """As `_columns`, divided as these states show."""
    reduced = run.symmetric and not all(map(run.expander.machine.plain, states))
    # Of many initial states some show as well what differs.
    sample = states[:: -(-len(states) // _SAMPLE)] if len(states) > _FEWER * _SAMPLE else states
    by_elements, lists = _divisions(run, sample, reduced, store.spill_files.sizes)
    if not reduced:
        run.expander.memory.forget_reads(run.expander.memory.divider.gather(lists))
    return _columns(run, store, orders, by_elements, lists, reduced)


def _columns(
    run: RowRun,
    store: StateStore,
    orders: Sequence[StepOrder],
    by_elements: frozenset[Slot] | None,
    lists: Places,
    reduced: bool,
) -> ColumnRun:
    """A run by columns of the states that wait; for `by_elements` and `lists` see `_divisions`."""
    expander = run.expander
    expander.memory.ask_by_elements(by_elements, lists, and_alike=reduced)
    expander.memory.runner.fixed.allowed = run.by_turns and not reduced
    space = Space(expander, reduced, store.spill_files.sizes)
    for order in METER.attended(orders):
        space.number(order)
    graph = run.graph_so_far if run.wants_graph else None
    if graph is not None:
        graph.key, graph.least = store.key, partial(store.least_of, orders=space.orders)
        graph.cost, graph.costs = partial(store.cost, orders=space.orders), partial(store.costs, orders=space.orders)
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
    packing.learn(states)
    columns.refit(packing, packing.room.beside(Capacity.of(METER.attended(states))))
    if packing.width == 1:
        columns.store.compare_states(packing, packing.pack(states).words[0])


def _frontier(space: Space, store: StateStore, group: list[FrontierState]) -> Frontier:
    packing = space.packing(group[0].state.layout)
    states = [waiting.state for waiting in group]
    packing.learn(states)
    packing.refit((), packing.room.beside(Capacity.of(METER.attended(states))))
    numbers = np.array([waiting.number for waiting in METER.attended(group)], dtype=np.int64)
    high, low = store.halves(numbers)
    return Frontier(
        packing,
        packing.pack(states),
        numbers,
        np.array([waiting.starts for waiting in group], dtype=np.int64),
        counts(np.array([waiting.crashes for waiting in group], dtype=np.int64)),
        high,
        low,
        np.array([waiting.cut for waiting in group], dtype=np.bool_),
    )
