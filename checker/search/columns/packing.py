"""Packing: the states of one layout as rows of 64-bit words, a few bits per slot or part of a slot.

A slot that outgrows its bits, or a part that no value had before, makes the packing outgrown: then all rows of the
layout are packed anew (`Packing.refit`), unless only elements of sets are new and there are bits left for them
(`Packing.adopt`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final, NamedTuple, TypeVar

import numpy as np

from checker.search.columns.capacity import LISTED, MESSAGE, THREAD, Capacity
from checker.search.columns.code_tables import AnswerTable, CodeTable, Ints, Tables, Words
from checker.search.columns.distinct_rows import distinct_rows
from checker.search.columns.element_bits import ElementBits, WholeSets
from checker.search.columns.plain_containers import PlainContainers
from checker.search.columns.whole_columns import whole_columns
from checker.search.memo.division import FOLD, MOST_MEMBERS, asks_all, is_element, root_of
from checker.search.memo.heads import list_steps
from checker.search.memo.known_folds import Kind, KnownPassing
from interpreter.state.state import UNBOUND, Layout, Slot, State
from interpreter.values.budget import METER

Held = TypeVar("Held", bound=Hashable)

WORD_BITS = 64
_MANY: Final = 16
"""The values of so many rows are put together for all at once."""
_WORD: Final = (1 << WORD_BITS) - 1


class PackedField(NamedTuple):
    """The bits of a slot's code: in `word`, at `shift`, under `mask` (before shifting)."""

    word: int
    shift: np.uint64
    mask: np.uint64
    table: CodeTable

    @property
    def fits(self) -> bool:
        """Whether the bits can hold all codes."""
        return len(self.table) - 1 <= int(self.mask)


Scalars = tuple[Callable[[int], int], int, int, list[int]]
"""How to read a slot of one row: the function for a row's word, the shift and mask of the code, the answers by code."""


@dataclass(slots=True)
class Rows:
    """States of one layout: one array per word."""

    words: list[Words]

    def __len__(self) -> int:
        return len(self.words[0])

    def take(self, rows: Ints) -> Rows:
        return Rows([word.take(rows) for word in self.words])

    def part(self, begin: int, end: int) -> Rows:
        return Rows([word[begin:end] for word in self.words])


class Version(NamedTuple):
    """Which bits a packing has given to slots: other ones if it has `moved`, else those of a former one and more.

    `number`: of all there were. The rows have `width` words; in the last one the bits from `free` on hold nothing.
    """

    moved: int
    number: int
    width: int
    free: int


class Packing:
    """How states of one layout are packed.

    There is `room` for threads and messages: in canonical order, empty slots last.
    """

    def __init__(self, layout: Layout, tables: Tables, room: Capacity) -> None:
        self.layout = layout
        self.tables = tables
        self.room = room
        self.held = 0
        """How many messages the rows have that are being expanded."""
        self.sends = 0
        """How many messages a step may add to them."""
        self.version = 0
        """Changes whenever a slot gets other bits, or new ones."""
        self.moved = 0
        """Changes whenever rows must be packed anew."""
        self.fields: dict[Slot, PackedField] = {}
        self._scalars: dict[Slot, tuple[int, int, int, list[int]]] = {}
        self._asked: dict[Slot, tuple[int, int, int, Callable[[], AnswerTable]]] = {}
        self.width = 0
        self._learned: list[set[int]] = [set() for _ in layout.slots]
        """The values of each slot of the layout that have codes."""
        self._bits: list[dict[int, int]] = []
        """By slot of the layout, the bits of its values in all words together; and the values by these bits."""
        self._values: list[dict[int, int]] = []
        self._plain: list[PlainContainers] = []
        self._masks: list[int] = []
        self._free = WORD_BITS
        """The first bit of the last word that holds nothing."""
        self._elements: dict[Slot, tuple[int, ElementBits]] = {}
        """By slot: how many elements were met when they were put in order, and these."""
        self._folded: dict[Slot, tuple[int, ElementBits]] = {}
        """By question: how much was known of turns when the elements that matter were chosen, and these."""
        self.nowhere = State(layout, (0,) * len(layout.slots))
        """Some state of this layout, for questions that the layout alone decides."""
        self._fit()

    def _slots(self) -> list[Slot]:
        slots = [part for slot in self.layout.slots for part in self.tables.below(slot)]
        return [*slots, *self.room.slots()]

    def _fit(self) -> None:
        """Give each slot its bits."""
        self.fields = {}
        self._bits = [{} for _ in self.layout.slots]
        self._values = [{} for _ in self.layout.slots]
        self._masks = []
        divider, values = self.tables.divider, self.tables.values
        self._plain = [PlainContainers(slot, self.fields, WORD_BITS, divider, values) for slot in self.layout.slots]
        word = shift = 0
        slots = self._slots()
        plain = [slot for slot in slots if not is_element(slot)]
        # Elements come last: more may follow them.
        slots = [*plain, *filter(is_element, slots)]
        tables = [self.tables.of(slot) for slot in slots]
        sizes = [_least_bits(len(table)) for table in tables[len(plain) :]]
        sizes = _bits([len(table) for table in tables[: len(plain)]], sum(sizes)) + sizes
        for slot, table, bits in zip(slots, tables, sizes, strict=True):
            if shift + bits > WORD_BITS:
                word, shift = word + 1, 0
            self.fields[slot] = PackedField(word, np.uint64(shift), np.uint64((1 << bits) - 1), table)
            shift += bits
        self.width = word + 1
        self._free = shift
        self.moved += 1
        self._know_fields()

    def _know_fields(self) -> None:
        self.version += 1
        self._elements, self._folded = {}, {}
        # Arithmetic on single rows is fastest with Python's own numbers.
        self._scalars = {slot: (f.word, int(f.shift), int(f.mask), f.table.ids) for slot, f in self.fields.items()}
        self._asked = {}

    def adopt(self) -> bool:
        """Give bits to new elements of sets, and to new parts of other values, which no row has.

        False if that is not enough, or no bits are left.
        """
        slots = self._slots()
        new = [slot for slot in slots if slot not in self.fields]
        if any(slot == root_of(slot) for slot in new) or any(not field.fits for field in self.fields.values()):
            return False
        tables = [self.tables.of(slot) for slot in new]
        bits = [_least_bits(len(table) << (not is_element(slot))) for slot, table in zip(new, tables, strict=True)]
        if self._free + sum(bits) > WORD_BITS:
            return False
        for slot, table, size in zip(new, tables, bits, strict=True):
            self.fields[slot] = PackedField(self.width - 1, np.uint64(self._free), np.uint64((1 << size) - 1), table)
            self._free += size
        self._masks = []
        self._know_fields()
        return True

    def elements(self, slot: Slot) -> ElementBits:
        """The elements of the sets in a slot."""
        met = self.tables.met(slot)
        known = self._elements.get(slot)
        if known is None or known[0] != met:
            parts = self.tables.in_order([part for part in self.tables.elements(slot) if part in self.fields])
            fields = [self.fields[part] for part in parts]
            known = self._elements[slot] = (met, ElementBits(fields, self.tables, self.tables.divider.kind(slot)))
        return known[1]

    def bits_for(self, slot: Slot) -> ElementBits:
        """The elements on which the answer to a question depends."""
        step = slot[-1]
        everything = self.elements(slot[:-1])
        if not step.startswith(FOLD):
            return everything
        folds, fold = self.tables.folds, self.tables.folds.fold(step)
        if isinstance(fold, KnownPassing):
            # A turn may be given what none was given so far, long after its element was met.
            return everything
        turns = len(fold.turns) + len(folds.noted) + self.tables.met(slot[:-1])
        known = self._folded.get(slot)
        if known is None or known[0] != turns:
            # Where an element was only removed so far, or is written differently, further ones may come that matter.
            fields = [
                f
                for f in everything.fields
                if f.mask > 1
                or len(f.table) == 1
                or any(fold.matters(element, folds.noted) for element in f.table.ids[1:])
            ]
            known = self._folded[slot] = (turns, ElementBits(fields, self.tables, everything.tag))
        return known[1]

    @property
    def threads(self) -> int:
        """How many thread slots there are."""
        return self.room.threads

    def count(self, kind: str) -> int:
        """How many slots there are for threads, or for messages."""
        return self.room.threads if kind == THREAD else self.room.messages

    @property
    def wanted(self) -> Capacity:
        """The room that the steps from the rows need that are being expanded, as far as is known."""
        return self.room.beside(Capacity(messages=self.held + self.sends))

    def hold(self, rows: Rows) -> None:
        """Count the messages of the rows that are to be expanded next."""
        self.held = 0
        while self.held < self.room.messages and self.codes(rows, (MESSAGE, self.held)).any():
            self.held += 1

    @property
    def outgrown(self) -> bool:
        """Whether some slot has more values than its bits can distinguish, or parts that have no bits."""
        if self.wanted != self.room:
            return True
        if len(self.fields) != sum(len(self.tables.below(slot)) for slot in self.layout.slots) + sum(self.room):
            return True
        return any(not field.fits for field in self.fields.values())

    @property
    def fitted(self) -> Version:
        """Which bits slots have."""
        return Version(self.moved, self.version, self.width, self._free)

    @property
    def bits(self) -> int:
        """How many bits a state takes."""
        return sum(int(field.mask).bit_length() for field in self.fields.values())

    def refit(self, rows: Iterable[Rows], room: Capacity, wholes: WholeSets | None = None) -> None:
        """Pack all these rows anew, with so much room. `wholes`: sets that are stored whole now."""
        old = self.fields
        self.room = room
        if wholes is not None:
            self._learned = [set() for _ in self.layout.slots]
        self._fit()
        for group in rows:
            new = {} if wholes is None else wholes.codes(group)
            fresh = [np.zeros(len(group), dtype=np.uint64) for _ in range(self.width)]
            for slot, field in self.fields.items():
                before = old.get(slot)
                if before is not None:
                    codes = (group.words[before.word] >> before.shift) & before.mask
                    fresh[field.word] |= new.get(slot, codes) << field.shift
            group.words = fresh

    def codes(self, rows: Rows, slot: Slot) -> Ints:
        """The codes of a slot, one per row."""
        field = self.fields[slot]
        codes = rows.words[field.word] >> field.shift
        codes &= field.mask
        return codes.view(np.int64)

    def put(self, rows: Rows, slot: Slot, codes: Ints) -> None:
        """Write a slot's codes into the rows."""
        field = self.fields[slot]
        word = rows.words[field.word]
        word &= ~(field.mask << field.shift)
        word |= codes.astype(np.uint64) << field.shift

    def mask(self, slots: Sequence[Slot]) -> Words:
        """The bits that hold these slots, one number per word."""
        found = np.zeros(self.width, dtype=np.uint64)
        for slot in slots:
            field = self.fields[slot]
            found[field.word] |= field.mask << field.shift
        return found

    def mask_whole(self, slots: Sequence[Slot]) -> Words:
        """The bits that hold the values of these slots of the layout, with all that is stored below them."""
        return self.mask([part for slot in slots for part in self.parts(slot)])

    def parts(self, slot: Slot) -> list[Slot]:
        """The slot, and all parts of it that have bits: in the rows that there are, all others are empty."""
        return [part for part in self.tables.below(slot) if part in self.fields]

    def pack(self, states: Sequence[State]) -> Rows:
        """Rows of states whose values have codes that fit."""
        rows = Rows([np.zeros(len(states), dtype=np.uint64) for _ in range(self.width)])
        for position, numbers in enumerate(_by_position(states)):
            self.put_values(rows, slice(None), position, numbers)
        for kind, parked in zip(LISTED, _parked(states), strict=True):
            if any(parked):
                everything = sum(_bits_under(self.fields[kind, index]) for index in range(self.count(kind)))
                self._put_bits(rows, slice(None), everything, parked, partial(self._bits_of_listed, kind))
        return rows

    def _bits_of_listed(self, kind: str, parked: tuple[int, ...]) -> int:
        return self._bits_of([((kind, index), number) for index, number in enumerate(parked)])

    def fields_of(self, position: int) -> list[tuple[Slot, PackedField]]:
        """The bits of a slot of the layout, and of all parts of it."""
        return [(part, self.fields[part]) for part in self.parts(self.layout.slots[position])]

    def value_bits(self, position: int, number: int) -> int:
        """The bits of a value of a slot of the layout, in all words together."""
        known = self._bits[position]
        bits = known.get(number)
        if bits is None:
            bits = known[number] = self._bits_of(self.tables.divided(self.layout.slots[position], number))
        return bits

    def put_values(self, rows: Rows, which: Ints | slice, position: int, numbers: Sequence[int]) -> None:
        """Write values, which have codes that fit, of a slot of the layout into some rows, one for each."""
        mask = (self._masks or self._all_masks())[position]
        self._put_bits(rows, which, mask, numbers, partial(self.value_bits, position))

    @staticmethod
    def _put_bits(
        rows: Rows, which: Ints | slice, mask: int, held: Sequence[Held], bits_of: Callable[[Held], int]
    ) -> None:
        """Write the bits of what some rows are to hold under a mask, one for each, of which many are equal."""
        codes: dict[Held, int] = {}
        column = np.array([codes.setdefault(one, len(codes)) for one in held], dtype=np.int64)
        bits = list(map(bits_of, codes))
        for index, word in enumerate(rows.words):
            shift = index * WORD_BITS
            under = mask >> shift & _WORD
            if under:
                put = np.array([one >> shift & _WORD for one in bits], dtype=np.uint64)
                word[which] = word[which] & np.uint64(~under & _WORD) | put.take(column)

    def _bits_of(self, pairs: list[tuple[Slot, int]]) -> int:
        """The bits of values, or of parts of them, in all words together."""
        bits = 0
        for slot, number in pairs:
            field = self.fields[slot]
            bits |= field.table.code(number) << (WORD_BITS * field.word + int(field.shift))
        return bits

    def learn(self, states: Sequence[State]) -> None:
        """Give codes to all values of some states."""
        for position, numbers in enumerate(_by_position(states)):
            for number in METER.attended(dict.fromkeys(numbers)):
                self.learn_value(position, number)
        for table, parked in zip((self.tables.threads, self.tables.messages), _parked(states), strict=True):
            for number in dict.fromkeys(chain.from_iterable(parked)):
                table.code(number)

    def learn_value(self, position: int, number: int) -> None:
        """Give codes to a value of a slot of the layout."""
        learned = self._learned[position]
        if number in learned:
            return
        learned.add(number)
        slot = self.layout.slots[position]
        bits = self._plain[position].bits(number)
        if bits is None:
            self.tables.learn(slot, number)
        else:
            self._bits[position][number] = bits
            self._values[position][bits] = number

    def lows(self, rows: Rows, slots: Iterable[Slot] | None = None) -> Words:
        """The low halves of the keys of these states, or what some slots add to them."""
        lows = np.zeros(len(rows), dtype=np.uint64)
        for slot in self.fields if slots is None else slots:
            table = self.fields[slot].table
            lows += (table.sums[:, 1] + table.origin[1]).take(self.codes(rows, slot))
        return lows

    def sums(self, rows: Rows, slots: Iterable[Slot]) -> Words:
        """What the values in slots of the layout add to the keys of these states, a column for each half."""
        sums = np.zeros((len(rows), 2), dtype=np.uint64)
        for part in chain.from_iterable(map(self.parts, slots)):
            table = self.fields[part].table
            sums += table.sums.take(self.codes(rows, part), axis=0) + table.origin
        return sums

    def number(self, rows: Rows, row: int, slot: Slot) -> int:
        """What a slot of this packing holds in a row, as it is stored; UNBOUND where it has no bits."""
        known = self._scalars.get(slot)
        if known is None:
            return UNBOUND
        word, shift, mask, ids = known
        return ids[(rows.words[word].item(row) >> shift) & mask]

    def asks_elements(self, slot: Slot) -> bool:
        """Whether a slot is a question that the bits of the elements of a set answer."""
        return asks_all(slot) and self.tables.divider.by_elements(slot[:-1]) and slot[:-1] in self.fields

    def asks_turns(self, slot: Slot) -> bool:
        """Whether a slot is a question that the members of a list answer, or turns for the keys of a dict."""
        step, base = slot[-1], slot[:-1]
        asks = isinstance(step, str) and step.startswith(FOLD)
        return asks and base in self.fields and self.tables.divider.by_turns(base)

    def asks_members(self, slot: Slot) -> bool:
        """Whether a slot is a question that the members of a list answer. Of a dict turns ask for what is at a key."""
        return self.asks_turns(slot) and self.tables.folds.fold(slot[-1]).kind is not Kind.DICT

    def members(self, slot: Slot) -> list[Slot]:
        """The slots of the members of the lists in a slot, in order, as far as there are some."""
        found = []
        for step in list_steps(MOST_MEMBERS):
            if (*slot, step) not in self.fields:
                break
            found.append((*slot, step))
        return found

    def asked(self, slot: Slot) -> tuple[Slot, str | None]:
        """The slot in which the answer for a slot is stored, and the step to it; None if it is the slot itself."""
        if slot not in self.fields and slot[:-1] in self.fields:
            return slot[:-1], slot[-1]
        return slot, None

    def scalars(self, rows: Rows, slot: Slot) -> Scalars | None:
        """How to find the answer to a slot in some row; None if it is not stored in this packing."""
        known = self._asked.get(slot)
        if known is None:
            stored, step = self.asked(slot)
            if stored not in self.fields:
                return None
            known = self._asked[slot] = (*self._scalars[stored][:3], partial(self.fields[stored].table.answers, step))
        word, shift, mask, answers = known
        return rows.words[word].item, shift, mask, answers().ids

    def unpack(self, rows: Rows, row: int) -> State:
        """The state in a row."""
        ask = partial(self.number, rows, row)
        bits = 0
        for index, word in enumerate(rows.words):
            bits |= word.item(row) << (WORD_BITS * index)
        values = []
        for position, (known, mask) in enumerate(zip(self._values, self._masks or self._all_masks(), strict=True)):
            number = known.get(bits & mask)
            if number is None:
                number = known[bits & mask] = self.tables.whole(self.layout.slots[position], ask)
            values.append(number)
        threads, messages = (
            tuple([held for index in range(self.count(kind)) if (held := ask((kind, index))) != UNBOUND])
            for kind in LISTED
        )
        return State(self.layout, tuple(values), threads, messages)

    def states(self, rows: Rows, which: Ints) -> list[State]:
        """The states in some rows."""
        columns = []
        for position, (known, mask) in enumerate(zip(self._values, self._masks or self._all_masks(), strict=True)):
            bits = self._bits_at(rows, which, mask)
            new = {held: row for held, row in zip(bits, which.tolist(), strict=True) if held not in known}
            if new:
                found = self._wholes(rows, np.array(list(new.values()), dtype=np.int64), self.layout.slots[position])
                known.update(zip(new, found, strict=True))
            columns.append([known[held] for held in bits])
        values = zip(*columns, strict=True) if columns else [()] * len(which)
        threads, messages = (self._listed(rows, which, kind) for kind in LISTED)
        return [State(self.layout, *held) for held in zip(values, threads, messages, strict=True)]

    def _wholes(self, rows: Rows, which: Ints, slot: Slot) -> list[int]:
        """The values in a slot of the layout in some rows."""
        if len(which) < _MANY:
            return [self.tables.whole(slot, partial(self.number, rows, row)) for row in which.tolist()]
        codes, ids = whole_columns(self, rows.take(which), slot)
        return [ids[code] for code in codes.tolist()]

    def distinct_values(self, rows: Rows, position: int) -> tuple[Ints, list[int]]:
        """The values that a slot of the layout has in these rows, and for each row the index of its own."""
        slot, mask = self.layout.slots[position], (self._masks or self._all_masks())[position]
        columns = [
            (word & np.uint64(under)) >> np.uint64((under & -under).bit_length() - 1)
            for index, word in enumerate(rows.words)
            if (under := mask >> (WORD_BITS * index) & _WORD)
        ]
        indexes, examples = distinct_rows(columns, len(rows))
        return indexes, self._wholes(rows, examples, slot)

    def distinct_lists(self, rows: Rows, kind: str) -> tuple[Ints, list[tuple[int, ...]]]:
        """The threads, or the messages, that these rows have, and for each row the index of its own."""
        columns = [self.codes(rows, (kind, index)) for index in range(self.count(kind))]
        indexes, examples = distinct_rows(columns, len(rows))
        return indexes, self._listed(rows, examples, kind)

    def _listed(self, rows: Rows, which: Ints, kind: str) -> list[tuple[int, ...]]:
        """The threads, or the messages, in some rows."""
        if not self.count(kind) or not self.codes(rows, (kind, 0)).take(which).any():
            return [()] * len(which)
        slots = [(kind, index) for index in range(self.count(kind))]
        ids = self.tables.of((kind,)).ids
        columns = [[ids[code] for code in self.codes(rows, one).take(which).tolist()] for one in slots]
        parked = zip(*columns, strict=True)
        return [tuple([number for number in held if number != UNBOUND]) for held in parked]

    def _bits_at(self, rows: Rows, which: Ints, mask: int) -> list[int]:
        """The bits under a mask, of all words together, in some rows."""
        found: list[int] | None = None
        for index, word in enumerate(rows.words):
            shift = WORD_BITS * index
            under = mask >> shift & _WORD
            if not under:
                continue
            held = (word.take(which) & np.uint64(under)).tolist()
            if shift:
                held = [bits << shift for bits in held]
            found = held if found is None else [one | other for one, other in zip(found, held, strict=True)]
        return [0] * len(which) if found is None else found

    def _all_masks(self) -> list[int]:
        """The bits that hold the value of each slot of the layout, in all words together."""
        for position in range(len(self.layout.slots)):
            self._masks.append(sum(_bits_under(field) for _, field in self.fields_of(position)))
        return self._masks


def _bits_under(field: PackedField) -> int:
    """The bits of a slot's code, in all words together."""
    return int(field.mask) << (WORD_BITS * field.word + int(field.shift))


def _by_position(states: Sequence[State]) -> Iterator[tuple[int, ...]]:
    """The values of some states, slot by slot of their layout."""
    return zip(*[state.values for state in METER.attended(states)], strict=True)


def _parked(states: Sequence[State]) -> list[list[tuple[int, ...]]]:
    """The threads of some states, and their messages: what is `LISTED`."""
    return [[state.threads for state in states], [state.messages for state in states]]


def _least_bits(count: int) -> int:
    """The bits for so many values."""
    return max(1, (count - 1).bit_length())


def _bits(counts: list[int], others: int) -> list[int]:
    """The bits for slots that have so many values now: enough for twice as many. So many `others` follow.

    If only that much room makes a second word necessary, the slots with the most values have it, as long as one is
    enough: these are the ones that grow, and a state of one word is worth more.
    """
    bits = [max(1, count.bit_length()) for count in counts]
    least = [max(0, count - 1).bit_length() for count in counts]
    spare = WORD_BITS - others - sum(least)
    if sum(bits) + others <= WORD_BITS or spare < 0:
        return bits
    for i in sorted(range(len(counts)), key=lambda i: -counts[i]):
        more = bits[i] - least[i]
        if more <= spare:
            least[i], spare = bits[i], spare - more
    return least
