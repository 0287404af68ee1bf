"""`Space`: what the packings of a run share: the machine, the memory, codes and step orders; and the packings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from checker.liveness.graph import Obligation, obligation_of
from checker.search.columns.capacity import LISTED, Capacity
from checker.search.columns.code_tables import NO_PROPERTY, Ints, Tables, ranks_of
from checker.search.columns.edges import LevelEdges
from checker.search.columns.freed_memory import keep_freed_memory
from checker.search.columns.images import Images
from checker.search.columns.listed_slots import Ranks, Waiting, waiting_messages
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.sizes import SIZES, Sizes
from checker.search.memo.ahead import PathsAhead
from checker.search.memo.trie import Restarts, TreeNode
from checker.search.rows.expander import Expander
from interpreter.state.state import Layout, Slot
from interpreter.state.step import Rule, StepOrder

if TYPE_CHECKING:
    from checker.search.columns.exported import ColumnExport


class Space:
    """The tables of one run in one process. `reduced`: states that are images of each other count once."""

    def __init__(self, expander: Expander, reduced: bool, sizes: Sizes = SIZES) -> None:
        keep_freed_memory()
        self.expander = expander
        self.sizes = sizes
        machine = self.machine = expander.machine
        self.memory = expander.memory
        self.ahead = PathsAhead(machine, self.memory.runner)
        self.packings: dict[Layout, Packing] = {}
        self.tables = Tables(machine, self.memory.divider, self.memory.runner.folds)
        self.ranks = {kind: Ranks(self.tables.of((kind,)), machine.values) for kind in LISTED}
        self._channels: Ints = NO_PROPERTY
        self.orders: list[StepOrder] = []
        self._order_numbers: dict[StepOrder, int] = {}
        self._order_ranks = ranks_of([])
        self.parked: dict[int, TreeNode] = {}
        """The trees of parked threads, by the thread's id: the same in all slots."""
        self.restarts: Restarts = {}
        """What parked threads share after restarts."""
        self.rules: dict[int, Rule] = {}
        """The rule that continues a thread, by the identity of its result."""
        self.edges = LevelEdges()
        self.export: ColumnExport | None = None
        """Where states and steps are written, if they are to be exported."""
        self.images = Images(self) if reduced else None
        self._fair: dict[Rule, Obligation | None] = {}
        self.refits = 0

    def order(self, candidate: tuple[int, ...], forks: tuple[int, ...], twin: int) -> int:
        """The number of a position in the step order."""
        return self.number(StepOrder(candidate, forks, twin))

    def number(self, order: StepOrder) -> int:
        """The number of an order."""
        known = self._order_numbers.get(order)
        if known is None:
            known = self._order_numbers[order] = len(self.orders)
            self.orders.append(order)
        return known

    def order_ranks(self) -> np.ndarray:
        """The rank of each numbered order among all."""
        if len(self._order_ranks) < len(self.orders):
            self._order_ranks = ranks_of(self.orders)
        return self._order_ranks

    def packing(self, layout: Layout) -> Packing:
        """The packing of a layout."""
        known = self.packings.get(layout)
        if known is None:
            room = Capacity(min(2, self.machine.program.options.max_concurrent_actions))
            known = self.packings[layout] = Packing(layout, self.tables, room)
        return known

    def fair_name(self, rule: Rule) -> Obligation | None:
        """The fairness obligation that a step of this rule counts for."""
        if rule not in self._fair:
            self._fair[rule] = obligation_of(self.machine.fair_name(rule))
        return self._fair[rule]

    @property
    def most_threads(self) -> int:
        """How many threads there can be: messages are delivered also beyond the limit of concurrent actions."""
        most = self.machine.program.options.max_concurrent_actions
        return sys.maxsize if self.channels else most

    @property
    def channels(self) -> int:
        """How many channels there are."""
        return self.machine.code.channels.count

    def waiting_messages(self, packing: Packing, rows: Rows) -> Waiting:
        """The messages that can be delivered in these rows."""
        values = self.machine.values
        channel_of = self.tables.messages.property(lambda message: values.payload(message)[1][0], self._channels)
        self._channels = channel_of
        return waiting_messages(packing, rows, channel_of)

    def holds_instances(self, slot: Slot) -> bool:
        """Whether any value that the slot has taken refers to a role instance."""
        return bool(self.tables.instances(slot).any())
