"""Rows of one process in the codes and packings of another.

Processes that were forked together have the same codes for all values that were met before. What is new in one of them
is sent by value, once. So rows are mostly moved as they are: only the bits of slots with new values, or of slots that
have other bits there, are looked up or shifted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.checkpoints.codec import StateCodec
from checker.search.columns.capacity import LISTED, Capacity, table_slot
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.space import Space
from checker.search.memo.division import is_element
from checker.search.memo.heads import head_tag
from interpreter.state.state import UNBOUND, Slot
from interpreter.state.step import StepOrder


class News(NamedTuple):
    """What a process has met since it sent the last ones: step orders, and values by slot, in the order of their codes.

    A value that is none is b"".
    """

    orders: tuple[StepOrder, ...]
    values: Mapping[Slot, tuple[bytes, ...]]


class FieldText(NamedTuple):
    """A field of a packing: its slot, its word, and where its bits are in that."""

    slot: Slot
    word: int
    shift: int
    mask: int


class PackingText(NamedTuple):
    """A packing as another process knows it. `version`: another one has other bits."""

    layout: tuple[Slot, ...]
    room: Capacity
    version: int
    fields: tuple[FieldText, ...]


class Common:
    """How much all processes of a run had met when they were forked: orders, and values by slot."""

    def __init__(self, space: Space) -> None:
        self.orders = len(space.orders)
        self.values = {slot: len(table) for slot, table in space.tables.everything()}


class RowWriter:
    """Says what other processes need to read the rows of this one."""

    def __init__(self, space: Space, values: StateCodec, common: Common) -> None:
        self._space = space
        self._values = values
        self._orders = common.orders
        self._sent = dict(common.values)

    def news(self) -> News:
        """What was met since the last call."""
        orders = tuple(self._space.orders[self._orders :])
        self._orders += len(orders)
        found: dict[Slot, tuple[bytes, ...]] = {}
        for slot, table in self._space.tables.everything():
            begin = self._sent.get(slot, 0)
            if begin < len(table):
                self._sent[slot] = len(table)
                found[slot] = tuple(
                    [b"" if number == UNBOUND else self._values.write(number) for number in table.ids[begin:]]
                )
        return News(orders, found)

    def text(self, packing: Packing) -> PackingText:
        """A packing of this process."""
        fields = [
            FieldText(slot, field.word, int(field.shift), int(field.mask)) for slot, field in packing.fields.items()
        ]
        return PackingText(packing.layout.slots, packing.room, packing.version, tuple(fields))


class _Plan(NamedTuple):
    """How rows of a packing are translated.

    `moves`: bits of a word that go to a word, shifted to the left by so many. `lookups`: fields whose codes are others
    here, with these codes, the word and the shift.
    """

    width: int
    moves: tuple[tuple[int, int, int, np.uint64], ...]
    lookups: tuple[tuple[FieldText, Ints, int, np.uint64], ...]


_ALL: Final = (1 << 64) - 1


class RowReader:
    """Reads the rows of one other process."""

    def __init__(self, run: ColumnRun, values: StateCodec, common: Common) -> None:
        self._run = run
        self._space = run.space
        self._values = values
        self._known = common.values
        self._orders = list(range(common.orders))
        self._codes: dict[Slot, dict[Slot, Ints]] = {}
        """By slot there, for each slot in which something of the values is stored here, its codes by code there.

        A slot without an entry has the same codes here."""
        self._plans: dict[tuple[Slot, ...], tuple[tuple[int, int, int], _Plan]] = {}
        self._news = 0

    def take(self, news: News) -> None:
        """Learn what the other process has met."""
        self._orders += [self._space.number(order) for order in news.orders]
        self._news += bool(news.values)
        for slot, values in news.values.items():
            self._take_values(slot, values)

    def _take_values(self, slot: Slot, values: Sequence[bytes]) -> None:
        tables = self._space.tables
        codes = self._codes.setdefault(slot, {slot: np.arange(self._known.get(slot, 0))})
        begin = len(next(iter(codes.values())))
        for part, known in codes.items():
            codes[part] = np.concatenate([known, np.zeros(len(values), dtype=np.int64)])
        for index, data in enumerate(values, begin):
            number = self._values.load(data) if data else UNBOUND
            held = [(slot, number)] if slot[0] in LISTED or not data else tables.divided(slot, number)
            for part, value in held:
                if part not in codes:
                    codes[part] = np.zeros(begin + len(values), dtype=np.int64)
                if is_element(part) and value != UNBOUND:
                    # Sets that are stored whole are asked for it too.
                    tables.divider.element(value)
                if tables.is_head(value) and tables.is_of_elements(value):
                    # All of them may have come from the other process.
                    tables.divider.meets(part, head_tag(tables.values, value))
                codes[part][index] = tables.of(part).code(value)

    def forget(self, slots: Sequence[Slot]) -> None:
        """The sets in these slots are stored whole now, here and there."""
        for slot in [slot for slot in self._codes if is_element(slot) and slot[:-1] in slots]:
            del self._codes[slot]
        for codes in self._codes.values():
            for part in [part for part in codes if is_element(part) and part[:-1] in slots]:
                del codes[part]

    def fit(self, text: PackingText) -> None:
        """Have bits for the states of a packing there. Rows of this process may be packed anew."""
        packing = self._packing(text)
        room = packing.room.beside(text.room)
        if packing.outgrown or room != packing.room:
            self._run.refit(packing, room)

    def _packing(self, text: PackingText) -> Packing:
        return self._space.packing(self._space.machine.transitions.layouts.ordered(text.layout))

    def orders(self) -> NDArray[np.int32]:
        """The numbers of step orders here, by number there."""
        return np.array(self._orders, dtype=np.int32)

    def rows(self, text: PackingText, words: Sequence[Words]) -> tuple[Packing, Rows]:
        """Rows of the other process, in a packing that fits."""
        packing = self._packing(text)
        state = (text.version, packing.version, self._news)
        known = self._plans.get(text.layout)
        if known is None or known[0] != state:
            known = self._plans[text.layout] = (state, self._plan(text, packing))
        plan = known[1]
        found = [np.zeros(len(words[0]), dtype=np.uint64) for _ in range(plan.width)]
        for source, target, shift, mask in plan.moves:
            bits = words[source] & mask
            found[target] |= bits << np.uint64(shift) if shift >= 0 else bits >> np.uint64(-shift)
        for field, codes, target, left in plan.lookups:
            held = (words[field.word] >> np.uint64(field.shift)) & np.uint64(field.mask)
            found[target] |= codes.take(held.view(np.int64)).view(np.uint64) << left
        return packing, Rows(found)

    def _plan(self, text: PackingText, packing: Packing) -> _Plan:
        moves: dict[tuple[int, int, int], int] = {}
        lookups: list[tuple[FieldText, Ints, int, np.uint64]] = []
        for field in text.fields:
            codes = self._codes.get(table_slot(field.slot))
            for part, of_code in [(field.slot, None)] if codes is None else codes.items():
                own = field.slot if part[0] in LISTED else part
                there = packing.fields[own]
                if of_code is None or (own == field.slot and (of_code == np.arange(len(of_code))).all()):
                    move = (field.word, there.word, int(there.shift) - field.shift)
                    moves[move] = moves.get(move, 0) | (field.mask << field.shift)
                else:
                    lookups.append((field, of_code, there.word, there.shift))
        plain = tuple([(*move, np.uint64(mask & _ALL)) for move, mask in moves.items()])
        return _Plan(packing.width, plain, tuple(lookups))
