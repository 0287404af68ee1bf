"""`Records`: what an embedded run has on the disk, in files that grow with it, and how it gets all of that back."""

from __future__ import annotations

from array import array
from dataclasses import field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from checker.checkpoint.frontier import pack_columns, pack_rows, sample, unpack_columns, unpack_rows
from checker.checkpoint.saved import RUN_PARTS, Saved, level_file, pack_head, unpack_head
from checker.engines.rows import RowsRun
from checker.engines.spark.keys import halves_of, key_array, key_column, keys_of
from checker.engines.spark.store import Store
from checker.liveness.graph import Graph, GraphPart, Mark, Obligations
from fizz.light import dataclass
from interpreter.step import StepOrder

if TYPE_CHECKING:
    from checker.engines.columns.run import ColumnsRun

FRONTIER_PARTS: Final = range(RUN_PARTS + 1, RUN_PARTS + 4)
_FIXED: Final = 3


class Links(NamedTuple):
    """States found, by number, in columns of bytes.

    Keys of 16 bytes, the number of the parent (8 bytes, -1 for none), the place of the step's order in the run's table
    (4 bytes); then one column of answers, a byte each, for each recorded watch.
    """

    keys: bytes
    parents: bytes
    orders: bytes
    answers: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """What is small about a run between two levels. `acted`: the actions that were seen to have steps."""

    by_columns: bool
    wants_graph: bool
    states: tuple[str, ...]
    graph: tuple[str, ...]
    orders: tuple[StepOrder, ...]
    marks: tuple[Mark, ...]
    needs: tuple[Obligations, ...]
    acted: frozenset[int]
    exported: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are needed to go on."""
        return (*self.states, *self.graph, *self.exported)


@dataclass(slots=True)
class Records:
    """The files of one run, and how many states and how many of the graph are in them."""

    states: list[str] = field(default_factory=list)
    graph: list[str] = field(default_factory=list)
    found: int = 0
    drawn: int = 0

    # --- saving ----------------------------------------------------------------------------------------------------

    def save(self, store: Store, rows: RowsRun, columns: ColumnsRun | None) -> Saved:
        """Write down what came since the last time."""
        links = _links(rows, columns, self.found)
        count = len(links.parents) // 8
        if count:
            name = f"states-{self.found}-{self.found + count}"
            store.write(name, [links.keys, links.parents, links.orders, *links.answers])
            self.states.append(name)
            self.found += count
        graph = _graph(rows, columns)
        if graph is not None and graph.states > self.drawn:
            name = f"graph-{self.drawn}-{graph.states}"
            store.write(name, graph.part(self.drawn))
            self.graph.append(name)
            self.drawn = graph.states
        head = Head(
            columns is not None,
            graph is not None,
            tuple(self.states),
            tuple(self.graph) if graph is not None else (),
            tuple(rows.found.order_table if columns is None else columns.space.orders),
            () if graph is None else tuple(graph.mark_table),
            () if graph is None else tuple(graph.need_table),
            frozenset(rows.expander.acted),
            tuple(rows.exported),
        )
        waiting = pack_rows(rows) if columns is None else pack_columns(columns)
        return Saved(None, (pack_head(head), *waiting), head.files)

    # --- restoring -------------------------------------------------------------------------------------------------

    def restore(self, store: Store, level: int, rows: RowsRun, waiting: bool) -> ColumnsRun | None:
        """Make a new run what the saved one was; a run by columns if it was one. `waiting`: its frontier too."""
        head = unpack_head(store, level)
        assert isinstance(head, Head)
        parts = [store.read(level_file(level), part) for part in FRONTIER_PARTS] if waiting else []
        self.states, self.graph = list(head.states), list(head.graph)
        links = self._read_links(store, rows)
        self.found = len(links.parents) // 8
        rows.wants_graph = head.wants_graph
        rows.level = level
        rows.exported.extend(head.exported)
        if head.wants_graph:
            self._read_graph(store, head, rows.graph_so_far)
        for column, answers in zip(rows.recorded.values(), links.answers, strict=True):
            column += answers
        rows.expander.acted |= head.acted
        if not head.by_columns:
            _restore_rows(rows, links, head)
            if waiting:
                unpack_rows(rows, parts)
            return None
        from checker.engines.columns.shelf import Shelf
        from checker.engines.columns.store import Store as States
        from checker.engines.columns.takeover import go_on

        states = States(Shelf.of(rows.task))
        states.append_all(
            *halves_of(key_array(links.keys)),
            np.frombuffer(links.parents, dtype=np.int64),
            np.frombuffer(links.orders, dtype=np.int32),
        )
        columns = go_on(rows, states, head.orders, sample(rows, parts) if waiting else [])
        if waiting:
            unpack_columns(columns, parts, rows.bound)
        return columns

    def _read_links(self, store: Store, rows: RowsRun) -> Links:
        answers = range(_FIXED, _FIXED + len(rows.recorded))
        columns = [
            b"".join([store.read(name, column) for name in self.states]) for column in (*range(_FIXED), *answers)
        ]
        keys, parents, orders, *rest = columns
        return Links(keys, parents, orders, tuple(rest))

    def _read_graph(self, store: Store, head: Head, graph: Graph) -> None:
        graph.set_tables(list(head.marks), list(head.needs))
        for name in self.graph:
            graph.add_part(GraphPart(*[store.read(name, column) for column in range(len(GraphPart._fields))]))
        self.drawn = graph.states


def _graph(rows: RowsRun, columns: ColumnsRun | None) -> Graph | None:
    """The graph so far; None if it is not wanted, or not any more."""
    if columns is not None:
        return columns.graph
    return rows.graph_so_far if rows.wants_graph else None


def _links(rows: RowsRun, columns: ColumnsRun | None, begin: int) -> Links:
    """The states from number `begin` on."""
    answers = tuple(bytes(column[begin:]) for column in rows.recorded.values())
    if columns is None:
        found = rows.found
        keys = key_column(found.keys[begin:]).tobytes()
        return Links(keys, found.parents[begin:].tobytes(), found.orders[begin:].tobytes(), answers)
    high, low, parents, orders = columns.store.since(begin)
    return Links(keys_of(high, low).tobytes(), parents.tobytes(), orders.tobytes(), answers)


def _restore_rows(rows: RowsRun, links: Links, head: Head) -> None:
    parents, orders = array("q", links.parents), array("i", links.orders)
    keys = [int.from_bytes(key, "big") for key in _split(links.keys)]
    for key, parent, order in zip(keys, parents, orders, strict=True):
        rows.found.add(key, parent, head.orders[order])


def _split(keys: bytes) -> list[bytes]:
    width = key_array(b"").dtype.itemsize
    return [keys[begin : begin + width] for begin in range(0, len(keys), width)]
