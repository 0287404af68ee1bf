"""`Records`: the files of an embedded run, which grow with it, written and read back."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from checker.liveness.graph import FairnessMark, Graph, GraphPart, Obligations
from checker.search.checkpoints.frontier_codec import (
    WaitingColumns,
    pack_columns,
    pack_rows,
    sample,
    unpack_columns,
    unpack_rows,
    waiting_columns,
)
from checker.search.checkpoints.key_columns import WIDTH, halves_of, key_array, key_column, keys_of
from checker.search.checkpoints.lasting_run import RUN_PARTS, Saved, pack_head, unpack_head
from checker.search.rows.row_run import RowRun
from checker.storage.checkpoint.folder import level_file
from checker.storage.file_store import FileStore
from fizz.base.data import demand
from fizz.base.light import dataclass
from interpreter.state.step import StepOrder

if TYPE_CHECKING:
    from checker.search.columns.column_run import ColumnRun

FRONTIER_PARTS: Final = range(RUN_PARTS + 1, RUN_PARTS + 4)
_FIXED: Final = 3
_TRUTH: Final = b"\0\1"


class Links(NamedTuple):
    """States found, by number, in columns of bytes.

    Keys of 16 bytes, the number of the parent (8 bytes, -1 for none), the index of the step's order in the run's table
    (4 bytes); then one column of answers, a byte each, for each recorded watch.
    """

    keys: bytes
    parents: bytes
    orders: bytes
    answers: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """A run between two levels, but for its columns. `acted`: the actions that had steps."""

    by_columns: bool
    wants_graph: bool
    states: tuple[str, ...]
    graph: tuple[str, ...]
    orders: tuple[StepOrder, ...]
    marks: tuple[FairnessMark, ...]
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

    def save(
        self, store: FileStore, rows: RowRun, columns: ColumnRun | None, parts: Sequence[WaitingColumns] | None = None
    ) -> Saved:
        """Write what is new since the last time. `parts`: what waits in other processes, and not in the columns."""
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
        waiting = pack_rows(rows) if columns is None else pack_columns(parts or [waiting_columns(columns)])
        return Saved(None, (pack_head(Head, head), *waiting), head.files)

    # --- restoring -------------------------------------------------------------------------------------------------

    def restore(self, store: FileStore, level: int, rows: RowRun, waiting: bool) -> ColumnRun | None:
        """Give a new run the state of the saved one; a run by columns if it was one. `waiting`: its frontier too."""
        head: Head = unpack_head(store, level, Head)
        parts = [store.read(level_file(level), part) for part in FRONTIER_PARTS] if waiting else []
        self.states, self.graph = list(head.states), list(head.graph)
        links = self._read_links(store, rows, len(head.orders))
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
                with store.reading(level_file(level)):
                    unpack_rows(rows, parts)
            return None
        from checker.search.columns.spill_file import SpillFiles
        from checker.search.columns.store import StateStore as States
        from checker.search.columns.takeover import go_on

        states = States(SpillFiles.of(rows.task))
        with store.reading(level_file(level)):
            states.append_all(
                *halves_of(key_array(links.keys)),
                np.frombuffer(links.parents, dtype=np.int64),
                np.frombuffer(links.orders, dtype=np.int32),
            )
            some = sample(rows, parts) if waiting else []
        columns = go_on(rows, states, head.orders, some)
        if waiting:
            with store.reading(level_file(level)):
                unpack_columns(columns, parts, rows.bound)
        return columns

    def _read_links(self, store: FileStore, rows: RowRun, orders: int) -> Links:
        """All states, whose steps are indexes into a table of so many orders."""
        width = _FIXED + len(rows.recorded)
        columns: list[list[bytes]] = [[] for _ in range(width)]
        found = 0
        for name in self.states:
            parts = [store.read(name, column) for column in range(width)]
            with store.reading(name):
                found = _demand_links(name, parts, found, orders)
            for column, part in zip(columns, parts, strict=True):
                column.append(part)
        keys, parents, steps, *rest = map(b"".join, columns)
        return Links(keys, parents, steps, tuple(rest))

    def _read_graph(self, store: FileStore, head: Head, graph: Graph) -> None:
        graph.set_tables(list(head.marks), list(head.needs))
        for name in self.graph:
            part = GraphPart(*[store.read(name, column) for column in range(len(GraphPart._fields))])
            with store.reading(name):
                _demand_graph(name, part, graph, self.found)
            graph.add_part(part)
        self.drawn = graph.states


def _demand_links(name: str, parts: Sequence[bytes], found: int, orders: int) -> int:
    """Raise `NotData` unless a file has the states from number `found` on; where they end."""
    keys, parents, steps, *answers = parts
    end = found + len(keys) // WIDTH
    count = end - found
    demand(name == f"states-{found}-{end}" and len(keys) == WIDTH * count, "the states after those before")
    demand(all(len(column) == count and not column.strip(_TRUTH) for column in answers), "an answer for each state")
    up, by = np.frombuffer(parents, dtype=np.int64), np.frombuffer(steps, dtype=np.uint32)
    demand(len(up) == len(by) == count, "a path to each state")
    # So going from parent to parent ends.
    demand(bool((up >= -1).all() and (up < np.arange(found, end)).all()), "a parent that was found before")
    demand(int(by.max(initial=0)) < max(1, orders), "a step of the table")
    return end


def _demand_graph(name: str, part: GraphPart, graph: Graph, found: int) -> None:
    """Raise `NotData` unless a file has the states of a graph that come next; `found` are known."""
    first, targets = np.frombuffer(part.first, dtype=np.uint64), np.frombuffer(part.targets, dtype=np.uint32)
    marks, needs = np.frombuffer(part.marks, dtype=np.uint32), np.frombuffer(part.needs, dtype=np.uint32)
    end = graph.states + len(needs)
    demand(name == f"graph-{graph.states}-{end}" and end <= found, "the states after those before")
    demand(len(first) == len(needs) == len(part.quiet) == len(part.cut), "all columns of states")
    bounds = np.concatenate([np.array([graph.first[-1]], dtype=np.uint64), first])
    demand(bool((bounds[1:] >= bounds[:-1]).all()), "edges in order")
    demand(int(bounds[-1]) - graph.first[-1] == len(targets) == len(marks), "all columns of edges")
    demand(int(targets.max(initial=0)) < max(1, found), "targets that were found")
    demand(not len(marks) or int(marks.max()) < len(graph.mark_table), "marks of the table")
    demand(not len(needs) or int(needs.max()) < len(graph.need_table), "needs of the table")
    demand(not (part.quiet + part.cut).strip(_TRUTH), "truth values")


def _graph(rows: RowRun, columns: ColumnRun | None) -> Graph | None:
    """The graph so far; None if it is not wanted, or not any more."""
    if columns is not None:
        return columns.graph
    return rows.graph_so_far if rows.wants_graph else None


def _links(rows: RowRun, columns: ColumnRun | None, begin: int) -> Links:
    """The states from number `begin` on."""
    answers = tuple(bytes(column[begin:]) for column in rows.recorded.values())
    if columns is None:
        found = rows.found
        keys = key_column(found.keys[begin:]).tobytes()
        return Links(keys, found.parents[begin:].tobytes(), found.orders[begin:].tobytes(), answers)
    high, low, parents, orders = columns.store.since(begin)
    return Links(keys_of(high, low).tobytes(), parents.tobytes(), orders.tobytes(), answers)


def _restore_rows(rows: RowRun, links: Links, head: Head) -> None:
    parents, orders = array("q", links.parents), array("i", links.orders)
    keys = [int.from_bytes(key, "big") for key in _split(links.keys)]
    for key, parent, order in zip(keys, parents, orders, strict=True):
        rows.found.add(key, parent, head.orders[order])


def _split(keys: bytes) -> list[bytes]:
    width = key_array(b"").dtype.itemsize
    return [keys[begin : begin + width] for begin in range(0, len(keys), width)]
