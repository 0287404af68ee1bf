"""What rules read: rows of one packing, or pairs of rows before and after a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.compared import Side, compared, compared_in
from checker.search.columns.fold_answers import FoldAnswers, is_answered_by_turns
from checker.search.columns.names_in_use import MOST
from checker.search.columns.packing import Packing, Rows, Scalars, Version
from checker.search.memo.comparisons import Comparison, is_comparison
from checker.search.memo.element_choices import EMPTY
from interpreter.execute.view import PairView, derived, used_values
from interpreter.state.state import Slot, State
from interpreter.state.step import ExecutionPath, Failure
from interpreter.values.intern import Interner

RunRow = Callable[[int, tuple[int, ...]], ExecutionPath]
TooMany = Callable[[int], Failure]
"""Gives the result that replaces the paths of a row beyond the most."""


_OF_ALL: Final = ("state", "used")
"""Derived slots that depend on more than the layout."""


_ONE_WORD: Final = Version(0, 0, 1, 64)
"""Of a word that holds the same thing always."""


class NeedsRows(Exception):
    """A rule asked for something that is not kept in columns: it must be run row by row."""


class Columns(Protocol):
    """Rows that a rule can be looked up for."""

    @property
    def words(self) -> list[Words]: ...

    @property
    def versions(self) -> tuple[Version, ...]:
        """Of the packings whose words these are, one after the other."""
        ...

    def mask_of(self, slots: set[Slot]) -> Words: ...

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int: ...

    def field(self, slot: Slot) -> Scalars | None: ...

    def number(self, slot: Slot, row: int) -> int: ...

    def also_read(self, slots: set[Slot]) -> set[Slot]:
        """These slots, and those that were read to answer them."""
        ...


class StateColumns:
    """Rows of one packing."""

    def __init__(self, packing: Packing, rows: Rows, interner: Interner) -> None:
        self.packing = packing
        self.rows = rows
        self.interner = interner
        self.known_fields: dict[Slot, Scalars | None] = {}
        """By slot that was asked for, what `field` says."""
        self._folds: dict[Slot, FoldAnswers] = {}

    @property
    def words(self) -> list[Words]:
        return self.rows.words

    @property
    def versions(self) -> tuple[Version, ...]:
        return (self.packing.fitted,)

    def mask_of(self, slots: set[Slot]) -> Words:
        if any(slot[0] in _OF_ALL for slot in slots):
            return self.packing.mask(list(self.packing.fields))
        packing = self.packing
        sides = {part for slot in slots if is_comparison(slot) for part in slot[1:]}
        stored = {packing.asked(slot)[0] for slot in slots if not is_comparison(slot)}
        mask = packing.mask([slot for slot in stored if slot in packing.fields])
        for slot in slots:
            if packing.asks_elements(slot):
                for word, bits in packing.bits_for(slot).masks:
                    mask[word] |= bits
            elif packing.asks_members(slot):
                mask |= packing.mask(packing.members(slot[:-1]))
        return mask | packing.mask_whole(list(sides))

    def also_read(self, slots: set[Slot]) -> set[Slot]:
        return self.packing.tables.folds.read_by(slots)

    def _fold(self, slot: Slot) -> FoldAnswers:
        if slot not in self._folds:
            self._folds[slot] = FoldAnswers(self.packing, self.rows, slot, self.codes, self.number)
        return self._folds[slot]

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        if is_comparison(slot):
            return compared(slot[0], self.side(slot[1]), self.side(slot[2]), rows)
        if is_answered_by_turns(self.packing, slot):
            return self._fold(slot).codes(rows)
        if self.packing.asks_elements(slot):
            return self.packing.bits_for(slot).codes(slot[-1], self.rows, rows)
        stored, step = self.packing.asked(slot)
        field = self.packing.fields.get(stored)
        if field is None:
            if slot[0] in _OF_ALL:
                return self._codes_of_all(slot, rows)
            # Not stored: the layout alone decides.
            return derived(slot, self.packing.nowhere, self.interner)
        answers = field.table.answers(step)
        if len(answers.distinct) == 1:
            return answers.distinct[0]
        codes = self.rows.words[field.word].take(rows)
        codes >>= field.shift
        codes &= field.mask
        if answers.plain:
            return codes.view(np.int64), field.table.ids
        return answers.codes.take(codes.view(np.int64)), answers.distinct

    def _codes_of_all(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]]:
        if slot[0] == "used":
            _, domain, subject, seen = slot
            names = self.packing.tables.names
            masks = names.beside(self.packing, self.rows.take(rows), seen, subject)
            if len(names) <= MOST:
                met, codes = np.unique(masks, return_inverse=True)
                return codes, [used_values(self.interner, domain, names.among(mask)) for mask in met.tolist()]
        numbers = [self.number(slot, row) for row in rows.tolist()]
        ids, codes = np.unique(np.array(numbers, dtype=np.int64), return_inverse=True)
        return codes, ids.tolist()

    def side(self, slot: Slot) -> Side:
        """The container in a slot, to be compared."""
        return Side(self.packing, self.rows, slot)

    def field(self, slot: Slot) -> Scalars | None:
        """How to read a slot of one row; None if it is not stored."""
        if slot not in self.known_fields:
            by_all = is_comparison(slot) or self.packing.asks_elements(slot) or is_answered_by_turns(self.packing, slot)
            self.known_fields[slot] = None if by_all else self.packing.scalars(self.rows, slot)
        return self.known_fields[slot]

    def number(self, slot: Slot, row: int) -> int:
        """The id in a slot of one row."""
        field = self.field(slot)
        if field is not None:
            word, shift, mask, ids = field
            return ids[(word(row) >> shift) & mask]
        if slot[0] == "state":
            raise NeedsRows
        if is_comparison(slot):
            return compared_in(slot[0], self.side(slot[1]), self.side(slot[2]), row)
        if is_answered_by_turns(self.packing, slot):
            return self._fold(slot).number(row)
        if self.packing.asks_elements(slot):
            return self.packing.bits_for(slot).number(slot[-1], self.rows, row)
        state = self.packing.unpack(self.rows, row) if slot[0] in _OF_ALL else self.packing.nowhere
        return derived(slot, state, self.interner)

    def view(self, row: int) -> RowView:
        """A view of one row."""
        return RowView(self, row)


class RowView:
    """A view of one row. The state is built only when all of it is asked for."""

    def __init__(self, columns: StateColumns, row: int) -> None:
        self._columns = columns
        self._row = row

    def read(self, slot: Slot) -> int:
        """What a slot, or a part of one, holds; UNBOUND if there is no such slot."""
        field = self._columns.known_fields.get(slot)
        if field is not None:
            # As `StateColumns.number`, without calls: most questions are for what is stored.
            word, shift, mask, ids = field
            return ids[(word(self._row) >> shift) & mask]
        if slot[0] == "state":
            return derived(slot, self.whole(), self._columns.interner)
        return self._columns.number(slot, self._row)

    def whole(self) -> State:
        """The state."""
        return self._columns.packing.unpack(self._columns.rows, self._row)


DELIVERED: Final[Slot] = ("delivered",)
"""Asked first by the rule that delivers messages: which one it is."""


class ElementColumns:
    """Rows of one packing, with an id for each in one more slot.

    `CHOSEN`: that of an element, ELSEWHERE or EMPTY; `DELIVERED`: that of a message.
    """

    def __init__(self, states: StateColumns, elements: Ints, slot: Slot) -> None:
        self.states = states
        self.elements = elements
        self.slot = slot
        self.words = [*states.words, (elements - EMPTY).view(np.uint64)]

    @property
    def versions(self) -> tuple[Version, ...]:
        return (*self.states.versions, _ONE_WORD)

    def mask_of(self, slots: set[Slot]) -> Words:
        every = ~np.uint64(0) if self.slot in slots else np.uint64(0)
        return np.append(self.states.mask_of(slots), every)

    def also_read(self, slots: set[Slot]) -> set[Slot]:
        return self.states.also_read(slots)

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        if slot != self.slot:
            return self.states.codes(slot, rows)
        ids, codes = np.unique(self.elements.take(rows), return_inverse=True)
        return codes, ids.tolist()

    def field(self, slot: Slot) -> Scalars | None:
        return None if slot == self.slot else self.states.field(slot)

    def number(self, slot: Slot, row: int) -> int:
        return int(self.elements[row]) if slot == self.slot else self.states.number(slot, row)

    def view(self, row: int) -> ElementView:
        """A view of one row with its element."""
        return ElementView(self.states, row, self.slot, int(self.elements[row]))


class ElementView(RowView):
    """A view of one row with an id in one more slot."""

    def __init__(self, columns: StateColumns, row: int, slot: Slot, element: int) -> None:
        super().__init__(columns, row)
        self._slot = slot
        self._element = element

    def read(self, slot: Slot) -> int:
        return self._element if slot == self._slot else super().read(slot)


class PairColumns:
    """Rows before and after a step, side by side: slots are prefixed with "before" or "after"."""

    def __init__(self, before: StateColumns, after: StateColumns) -> None:
        self.before = before
        self.after = after
        self._folds: dict[Slot, FoldAnswers] = {}

    @property
    def words(self) -> list[Words]:
        return [*self.before.words, *self.after.words]

    @property
    def versions(self) -> tuple[Version, ...]:
        return (*self.before.versions, *self.after.versions)

    def mask_of(self, slots: set[Slot]) -> Words:
        comparisons = {slot for slot in slots if is_comparison(slot)}
        parts = {part for slot in comparisons for part in slot[1:]}
        sides = []
        for name, side in (("before", self.before), ("after", self.after)):
            mask = side.mask_of({slot[1:] for slot in slots - comparisons if slot[0] == name})
            sides.append(mask | side.packing.mask_whole([part[1:] for part in parts if part[0] == name]))
        return np.concatenate(sides)

    def also_read(self, slots: set[Slot]) -> set[Slot]:
        return self.after.also_read(slots)

    def _side(self, slot: Slot) -> StateColumns:
        return self.before if slot[0] == "before" else self.after

    def _sides(self, comparison: Comparison) -> tuple[Side, Side]:
        """The containers that are compared."""
        one, two = (self._side(part).side(part[1:]) for part in comparison[1:])
        return one, two

    def _fold(self, slot: Slot) -> FoldAnswers | None:
        """The fold that a slot asks for, if its turns read the states: they may read both."""
        side = self._side(slot)
        if not is_answered_by_turns(side.packing, slot[1:]):
            return None
        if slot not in self._folds:
            self._folds[slot] = FoldAnswers(side.packing, side.rows, slot[1:], self.codes, self.number)
        return self._folds[slot]

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        if is_comparison(slot):
            return compared(slot[0], *self._sides(slot), rows)
        fold = self._fold(slot)
        return self._side(slot).codes(slot[1:], rows) if fold is None else fold.codes(rows)

    def field(self, slot: Slot) -> Scalars | None:
        return None if is_comparison(slot) else self._side(slot).field(slot[1:])

    def number(self, slot: Slot, row: int) -> int:
        if is_comparison(slot):
            return compared_in(slot[0], *self._sides(slot), row)
        fold = self._fold(slot)
        return self._side(slot).number(slot[1:], row) if fold is None else fold.number(row)

    def view(self, row: int) -> PairView:
        """A view of the states before and after one step."""
        return _PairRowView(self, row)


class _PairRowView(PairView):
    """A view of one pair of rows."""

    def __init__(self, columns: PairColumns, row: int) -> None:
        super().__init__(columns.before.view(row), columns.after.view(row))
        self._columns = columns
        self._row = row

    def read(self, slot: Slot) -> int:
        return self._columns.number(slot, self._row) if slot[1] != "state" else super().read(slot)


class Asked:
    """Columns together with what runs the rule for one of their rows."""

    def __init__(self, columns: Columns, run: RunRow) -> None:
        self.columns = columns
        self._run = run

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        return self.columns.codes(slot, rows)

    def also_read(self, slots: set[Slot]) -> set[Slot]:
        return self.columns.also_read(slots)

    def field(self, slot: Slot) -> Scalars | None:
        return self.columns.field(slot)

    def number(self, slot: Slot, row: int) -> int:
        return self.columns.number(slot, row)

    def run(self, row: int, choices: tuple[int, ...]) -> ExecutionPath:
        return self._run(row, choices)
