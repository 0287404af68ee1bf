"""Codes: the values that a slot has taken, as small numbers, with what they add to keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import merge
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.capacity import LISTED, MESSAGE, THREAD
from checker.search.columns.names_in_use import NamesInUse
from checker.search.columns.sizes import Sizes
from checker.search.memo.comparisons import compares_by_id
from checker.search.memo.division import FOLD, Divider, is_element, of_copy, root_of
from checker.search.memo.folds import Folds
from checker.search.memo.heads import is_counted, list_steps_of, made_of, set_head, steps_of, whole_value
from interpreter import Machine
from interpreter.state.state import UNBOUND, Slot
from interpreter.values.budget import METER
from interpreter.values.intern import Interner, Tag

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Column = NDArray[Any]

HALF = (1 << 64) - 1
_SORTED: Final = 1 << 15
"""So many values are sorted at a time: there may be a million, and a run cannot end while they are sorted."""


def halves(keys: Sequence[int]) -> tuple[Words, Words]:
    """The high and the low halves of keys."""
    high = np.array([key >> 64 for key in METER.attended(keys)], dtype=np.uint64)
    return high, np.array([key & HALF for key in METER.attended(keys)], dtype=np.uint64)


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each number once, in ascending order: `np.unique` of numbers alone first loads numpy's masked arrays."""
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def coded(numbers: Sequence[int]) -> tuple[Ints, list[int]]:
    """Ids as codes, in the order in which they are met, and the ids by code."""
    ids: dict[int, int] = {}
    codes = np.array([ids.setdefault(number, len(ids)) for number in numbers], dtype=np.int64)
    return codes, list(ids)


def ranks_of(values: Sequence[Any]) -> Ints:
    """The rank of each value among all."""
    pieces: list[list[int]] = []
    for begin in range(0, len(values), _SORTED):
        METER.ask()
        pieces.append(sorted(range(begin, min(begin + _SORTED, len(values))), key=values.__getitem__))
    ordered = pieces[0] if len(pieces) == 1 else METER.attended(merge(*pieces, key=values.__getitem__))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.fromiter(ordered, dtype=np.int64, count=len(values))] = np.arange(len(values))
    return ranks


class AnswerTable:
    """What is answered about the values of one slot, by code.

    `ids`: the answer for each code. `codes`: the same as a column of small numbers, for which `distinct` holds the ids.
    `plain`: the answers are the values themselves.
    """

    def __init__(self, answer: Callable[[int], int]) -> None:
        self._answer = answer
        self.ids: list[int] = []
        self.codes: Ints = np.zeros(0, dtype=np.int64)
        self.distinct: list[int] = []
        self.plain = True
        self._indexes: dict[int, int] = {}

    def extend(self, numbers: list[int]) -> AnswerTable:
        """Know the answers for all these values, the first of which are known."""
        begin = len(self.ids)
        if begin < len(numbers):
            answers = [self._answer(number) for number in METER.attended(numbers[begin:])]
            for number, answer in zip(numbers[begin:], answers, strict=True):
                if answer not in self._indexes:
                    self._indexes[answer] = len(self.distinct)
                    self.distinct.append(answer)
                self.ids.append(answer)
                self.plain &= answer == number
            more = [self._indexes[answer] for answer in self.ids[begin:]]
            self.codes = np.concatenate([self.codes, np.array(more, dtype=np.int64)])
        return self


class CodeTable:
    """One slot's values by code, in the order in which they were met. `sum_of` gives what an id adds to a key.

    With `empty` code 0 stands for nothing: a thread slot without a thread, a part that a value does not have.
    `sums` has a row of two halves per code: what it adds to a key more than code 0 does, which adds `origin`.
    `answer` gives what is answered about an id when it is asked for (None), or a part of it by a step.
    """

    def __init__(
        self,
        sum_of: Callable[[int], int],
        answer: Callable[[str | None, int], int] = lambda step, number: number,
        empty: bool = False,
    ) -> None:
        self._sum_of = sum_of
        self._answer = answer
        self._answers: dict[str | None, AnswerTable] = {}
        self.ids: list[int] = []
        self.codes: dict[int, int] = {}
        self.sums = np.zeros((16, 2), dtype=np.uint64)
        self.origin = np.zeros(2, dtype=np.uint64)
        if empty:
            self.code(UNBOUND)

    def code(self, number: int) -> int:
        """The code of an id; a new one if it was not met before."""
        known = self.codes.get(number)
        if known is not None:
            return known
        code = self.codes[number] = len(self.ids)
        self.ids.append(number)
        if code >= len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
        total = 0 if number == UNBOUND else self._sum_of(number)
        both = np.array([total >> 64, total & HALF], dtype=np.uint64)
        if not code:
            self.origin = both
        self.sums[code] = both - self.origin
        return code

    def __len__(self) -> int:
        return len(self.ids)

    def answers(self, step: str | None) -> AnswerTable:
        """What is answered about each of the values."""
        known = self._answers.get(step)
        if known is None:
            known = self._answers[step] = AnswerTable(partial(self._answer, step))
        return known.extend(self.ids)

    def property(self, of: Callable[[int], bool | int], known: NDArray[np.int64]) -> NDArray[np.int64]:
        """A column of some number per code, extended from what is `known` of it."""
        if len(known) == len(self.ids):
            return known
        more = [0 if number == UNBOUND else int(of(number)) for number in METER.attended(self.ids[len(known) :])]
        return np.concatenate([known, np.array(more, dtype=np.int64)])


class Tables:
    """The code tables of all slots and parts of slots that one run has met. `threads` and `messages` serve all slots
    for these."""

    def __init__(self, machine: Machine, divider: Divider, folds: Folds) -> None:
        self._machine = machine
        self.divider = divider
        self.folds = folds
        self._tables: dict[Slot, CodeTable] = {}
        self.dropped = 0
        """How often tables were dropped: what was learned of their codes then counts no more."""
        self._parts: dict[Slot, list[Slot]] = {}
        self._elements: dict[Slot, list[Slot]] = {}
        self._updates: dict[Slot, Updates] = {}
        self._lengths: dict[Slot, Ints] = {}
        self._containers: dict[Slot, Ints] = {}
        self._apart: dict[Slot, Ints] = {}
        self._instances: dict[Slot, Ints] = {}
        self._listed = {kind: CodeTable(partial(machine.slot_sum, (kind,)), empty=True) for kind in LISTED}
        self.names = NamesInUse(machine.images.names)
        self.threads = self._listed[THREAD]
        self.messages = self._listed[MESSAGE]

    def of(self, slot: Slot) -> CodeTable:
        """The codes of a slot, or of a part of one."""
        if slot[0] in LISTED:
            return self._listed[slot[0]]
        known = self._tables.get(slot)
        if known is None:
            root = root_of(slot)
            answer = partial(self.divider.answer, slot)
            element = is_element(slot)
            sum_of = partial(self._element_sum, slot[:-1]) if element else partial(self._machine.slot_sum, slot)
            known = self._tables[slot] = CodeTable(sum_of, answer, slot != root)
            if slot != root:
                self._parts.setdefault(root, []).append(slot)
            if element:
                self._elements.setdefault(slot[:-1], []).append(slot)
        return known

    def everything(self) -> Iterator[tuple[Slot, CodeTable]]:
        """All tables, with the slot that each is of; those of threads and messages have one without a number."""
        for kind, table in self._listed.items():
            yield (kind,), table
        yield from self._tables.items()

    def _element_sum(self, slot: Slot, element: int) -> int:
        """What an element of the set in a slot adds to the key; called once, when it is met there."""
        self.divider.met.setdefault(slot, []).append(element)
        return self._machine.slot_sum(slot, element, element=True)

    @property
    def values(self) -> Interner:
        """The interned values."""
        return self._machine.values

    def stored(self, slot: Slot) -> Slot:
        """Where what is written to a slot is stored."""
        return self.divider.stored(slot)

    def updates(self, slot: Slot) -> Updates:
        """The updates of the values in a slot."""
        known = self._updates.get(slot)
        if known is None:
            known = self._updates[slot] = Updates(self.of(slot), self.divider)
        return known

    def below(self, slot: Slot) -> list[Slot]:
        """The slot, and all parts of it that were met in any value."""
        parts = self._parts.get(root_of(slot), ())
        return [slot, *[part for part in parts if len(part) > len(slot) and part[: len(slot)] == slot]]

    def divided(self, slot: Slot, number: int) -> list[tuple[Slot, int]]:
        """The slots that a value takes up, with what they hold."""
        return list(self.divider.parts(slot, number))

    def learn(self, slot: Slot, number: int) -> None:
        """Give codes to a value, or to all parts that it divides into."""
        for part, held in self.divided(slot, number):
            self.of(part).code(held)

    def whole(self, slot: Slot, ask: Callable[[Slot], int]) -> int:
        """The value whose parts are the answers."""
        return whole_value(self._machine.values, slot, ask, self.elements)

    def is_head(self, number: int) -> bool:
        """Whether a stored value stands for a container that is stored part by part."""
        return number != UNBOUND and self._machine.values.tag(number) is Tag.HEAD

    def lengths(self, slot: Slot) -> Ints:
        """By code, how many members the value in a slot has if it is a list that is stored part by part, else 0."""
        return self._property(self._lengths, slot, lambda number: len(list_steps_of(self.values, number)))

    def containers(self, slot: Slot) -> Ints:
        """By code, 1 if the value in a slot has a container in it or is one, else 0."""
        return self._property(self._containers, slot, self.has_container)

    def has_container(self, number: int) -> bool:
        """Whether a stored value has a container in it, or stands for one."""
        return self.is_head(number) or self.values.mutable(number)

    def apart(self, slot: Slot) -> Ints:
        """By code, 1 if the value in a slot is not compared by its id, else 0."""
        return self._property(self._apart, slot, lambda number: not compares_by_id(self.values, number))

    def instances(self, slot: Slot) -> Ints:
        """By code, 1 if the value in a slot refers to a role instance, else 0."""
        return self._property(self._instances, slot, lambda number: bool(self.values.roles(number)))

    def _property(self, columns: dict[Slot, Ints], slot: Slot, of: Callable[[int], bool | int]) -> Ints:
        """A column of some number per code of a slot, kept in `columns` and extended from there."""
        columns[slot] = known = self.of(slot).property(of, columns.get(slot, NO_PROPERTY))
        return known

    def is_of_elements(self, head: int) -> bool:
        """Whether it stands for one that is stored by elements."""
        return is_counted(self._machine.values, head)

    def steps_of(self, head: int) -> tuple[str, ...]:
        """The steps to the members of another one."""
        return steps_of(self._machine.values, head)

    def made_of(self, head: int, members: list[int]) -> int:
        """The container with this head and these members."""
        return made_of(self._machine.values, head, members)

    def whole_of(self, elements: Sequence[int], tag: Tag) -> int:
        """The set or bag of these elements, which are in order."""
        return self._machine.values.intern(tag, tuple(elements))

    def met(self, slot: Slot) -> int:
        """How many elements were met in the sets in a slot."""
        return len(self.divider.met.get(slot, ()))

    def in_order(self, slots: Sequence[Slot]) -> list[Slot]:
        """The slots of elements of one set, in the order of the elements met first there."""
        # An element that was only removed has not been met yet.
        return sorted(slots, key=lambda slot: [self.order(number) for number in self.of(slot).ids[1:2]])

    def order(self, number: int) -> Any:
        """What compares as values do in canonical order."""
        return self._machine.values.order_key(number)

    def answer_for(self, step: str, elements: Sequence[int], tag: Tag) -> int:
        """The answer to a question for the set or bag of these elements, in their order."""
        if step.startswith(FOLD):
            return self.folds.answer(step, elements)
        return self.divider.answer_for(step, self._machine.values.intern_members(tag, elements))

    def copies(self, slot: Slot) -> int:
        """How many copies at most some bag was met to have of an element, given the slot of the first one."""
        count = 0
        while (*slot[:-1], of_copy(slot[-1], count + 1)) in self._tables:
            count += 1
        return count

    def crowded(self, states: int, sizes: Sizes) -> list[Slot]:
        """The slots in which sets have too many elements for so many states: stored whole they take less."""
        most = min(sizes.most_elements, max(sizes.few_elements, states // sizes.rare))
        return [slot for slot, met in self.divider.met.items() if len(met) > most]

    def store_whole(self, slots: Sequence[Slot]) -> None:
        """Store the sets in these slots whole from now on."""
        self.divider.store_whole(slots)
        self.dropped += 1
        for slot in slots:
            gone = set(self._elements.pop(slot, ()))
            parts = self._parts.get(root_of(slot), [])
            parts[:] = [part for part in parts if part not in gone]
            for part in gone:
                del self._tables[part]
                self._instances.pop(part, None)

    def has_sets_by_elements(self, slot: Slot) -> bool:
        """Whether any value met in a slot stands for a set or bag that is stored by elements."""
        return any(self.is_head(number) and self.is_of_elements(number) for number in self.of(slot).ids)

    def is_set_head(self, number: int, tag: Tag) -> bool:
        """Whether a value is the head of a set, or of a bag, that is stored by elements."""
        return number == set_head(self._machine.values, tag)

    def size(self, count: int) -> int:
        """The id of a size."""
        return self._machine.values.intern(Tag.INT, count)

    def elements(self, slot: Slot) -> list[Slot]:
        """The slots of the elements that were met in the set in a slot, in the order in which they were met."""
        return self._elements.get(slot, [])


NO_PROPERTY: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


Parts = tuple[tuple[str, int], ...]
"""What is written, by the step to the part."""

NO_UPDATE = 0


class Updates:
    """The updates of the values in one slot, and groups of updates, by number; number 0 is nothing.

    What an update makes of a code must be learned before it is asked for, because a value may be new.
    """

    def __init__(self, table: CodeTable, divider: Divider) -> None:
        self._table = table
        self._divider = divider
        self._updates: dict[Parts, int] = {(): NO_UPDATE}
        self._groups: dict[tuple[int, ...], int] = {(): NO_UPDATE}
        self._after: NDArray[np.int32] = np.zeros((0, 0), dtype=np.int32)
        self._known: NDArray[np.bool_] = np.zeros((0, 0), dtype=np.bool_)

    def number(self, parts: Parts) -> int:
        """The number of an update."""
        return self._updates.setdefault(parts, len(self._updates))

    def group(self, updates: tuple[int, ...]) -> int:
        """The number of a group of updates."""
        return self._groups.setdefault(updates, len(self._groups))

    def learn(self, groups: Ints, codes: Ints) -> None:
        """Know what the updates of a group make of a code, pair by pair; the values get codes."""
        self._after = _grown(self._after, len(self._updates), len(self._table))
        self._known = _grown(self._known, len(self._groups), len(self._table))
        unknown = np.flatnonzero(~self._known[groups, codes])
        if not len(unknown):
            return
        parts, members = list(self._updates), list(self._groups)
        for group, code in {*zip(groups[unknown].tolist(), codes[unknown].tolist(), strict=True)}:
            self._known[group, code] = True
            for update in members[group]:
                self._after[update, code] = self._table.code(self._updated(self._table.ids[code], parts[update]))

    def _updated(self, number: int, parts: Parts) -> int:
        for step, new in parts:
            number = self._divider.replaced(number, (step,), new)
        return number

    def after(self, updates: Ints, codes: Ints) -> Ints:
        """What updates make of codes, pair by pair."""
        return self._after[updates, codes].astype(np.int64)


def _grown(table: NDArray[Any], rows: int, columns: int) -> NDArray[Any]:
    """A table of at least that size, with zeros where there was nothing."""
    if table.shape[0] >= rows and table.shape[1] >= columns:
        return table
    grown = np.zeros((max(table.shape[0], 2 * rows), max(table.shape[1], 2 * columns)), dtype=table.dtype)
    grown[: table.shape[0], : table.shape[1]] = table
    return grown
