"""Effects: the changes of rows of one packing by the results in a bundle, as bits to clear and to set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.copy_writes import CopyWrites
from checker.search.columns.element_writes import ElementWrites
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.trie_walk import Bundles, results_of
from checker.search.columns.update_writes import UpdateWrites
from checker.search.contract.level_counts import distinct_names
from checker.search.memo.division import is_element, root_of
from checker.search.memo.heads import copies, gone
from fizz.base.light import dataclass
from interpreter.state.state import UNBOUND, Slot
from interpreter.state.step import Aborted, Failure, Outcome, Result
from interpreter.values.budget import METER
from interpreter.values.intern import Interner, Tag

Number = TypeVar("Number", bound="np.generic[Any]")
NOTHING = 0
NO_ORDER = -1
"""The order of a step that depends on the state."""
NO_KIND = -1
"""The kind of a step that liveness does not see: a crash."""
StepNumbers = tuple[int, int]
"""The number of a step order, and that of a kind of step for liveness."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One result as a step: `fast` if it is bits to set in the same layout; else the machine applies it row by row.
    A fast one may still be slow in some rows, in which it overwrites references to shared containers. `roots`: the
    slots of the layout that it writes, or writes parts of.

    `updates`: the numbers of updates, by slot; what they write is not among the `writes`. `elements`: the elements that
    are added to sets or removed (UNBOUND), by their slots. `copies`: how many copies more of an element there are in a
    bag, perhaps fewer, by the slot of the first. `sent`: the codes of the messages that are sent.
    """

    outcome: Outcome
    twin: bool
    order: int
    roots: frozenset[Slot]
    fast: bool
    thread: int
    live: int
    writes: tuple[tuple[Slot, int], ...]
    updates: dict[Slot, int]
    elements: tuple[tuple[Slot, int], ...]
    copies: tuple[tuple[Slot, int], ...]
    sent: tuple[int, ...]


class BundleSummary(NamedTuple):
    """The counts of a bundle: distinct names of steps and of twins; and the paths in it that failed or gave up."""

    effects: tuple[int, ...]
    moves: int
    crashes: int
    failures: tuple[Failure, ...]
    aborted: tuple[Aborted, ...]


class Effects:
    """The effects of one rule on one packing, by bundle."""

    def __init__(
        self,
        packing: Packing,
        interner: Interner,
        bundles: Bundles,
        step_of: Callable[[Outcome, bool, int | None], StepNumbers],
        returns_of: Callable[[Outcome, bool], tuple[tuple[Slot, int], ...]],
    ) -> None:
        self.packing = packing
        self.bundles = bundles
        self._interner = interner
        self._step_of = step_of
        self._returns_of = returns_of
        self.effects: list[Effect] = []
        self.summaries: list[BundleSummary] = []
        self.written: set[Slot] = set()
        """The slots that bits are set in."""
        self.elements = ElementWrites(packing)
        self.copies = CopyWrites(packing)
        self.updates = UpdateWrites(packing)
        self._known: dict[int, int] = {}
        self._version = -1
        self._placed: NDArray[np.int32] = np.zeros((0, 0, 2), dtype=np.int32)
        """By effect and place of what was chosen or delivered: the step order and the kind for liveness."""
        self._lost: dict[tuple[int, frozenset[int]], tuple[int, int]] = {}
        self._below: dict[Slot, int] = {}
        """How many slots are below each slot that effects write: they are overwritten with it."""
        self._values: dict[tuple[Slot, int], tuple[Words, Words, Words]] = {}
        """By slot and value with parts: the bits to be kept, those to be set, and what it adds to the key."""
        self._cleared: dict[Slot, Words] = {}
        self.first: Ints = np.zeros(0, dtype=np.int64)
        self.length: Ints = np.zeros(0, dtype=np.int64)
        self.longest = 0
        self.flat: Ints = np.zeros(0, dtype=np.int64)
        self.moves: Ints = np.zeros(0, dtype=np.int64)
        self.failing: list[int] = []
        self.crashes: Ints = np.zeros(0, dtype=np.int64)
        self.keep: list[Words] = []
        self.bits: list[Words] = []
        self.sums: Words = np.zeros((0, 2), dtype=np.uint64)
        self.orders: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self.fast: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.twin: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.live: Ints = np.zeros(0, dtype=np.int64)
        self.thread: Ints = np.zeros(0, dtype=np.int64)
        self.sent: list[Ints] = []
        """The codes of the first message that each effect sends, of the second, and so on."""

    def learn(self, rows: Rows, columns: list[Ints]) -> None:
        """Make the effects of new bundles, and compute the values that their updates give in these rows.

        Values get codes, so the packing may be outgrown after.
        """
        for number in METER.attended(range(len(self.summaries), len(self.bundles))):
            self.summaries.append(self._summary(results_of(self.bundles.parts[number])))
        for column in columns:
            self.copies.learn(self.effects, self.summaries, rows, column)
        self.updates.learn(self.effects, self.summaries, rows, columns)

    def _summary(self, results: list[Result]) -> BundleSummary:
        effects: list[int] = []
        names: list[tuple[str, ...]] = []
        twins: list[tuple[str, ...]] = []
        for result in METER.attended(results):
            if isinstance(result, Outcome):
                names.append(result.choices)
                effects.append(self._effect(result, False))
                if result.may_crash:
                    twins.append(result.choices)
                    effects.append(self._effect(result, True))
        failures = tuple([result for result in results if isinstance(result, Failure)])
        aborted = tuple([result for result in results if isinstance(result, Aborted)])
        return BundleSummary(tuple(effects), distinct_names(names), distinct_names(twins), failures, aborted)

    def lost(self, bundle: int, gone: Collection[int]) -> tuple[int, int]:
        """How many transitions and crash steps fewer a bundle makes without some of its effects."""
        key = (bundle, frozenset(gone))
        known = self._lost.get(key)
        if known is None:
            known = self._lost[key] = self._lose(bundle, gone)
        return known

    def _lose(self, bundle: int, gone: Collection[int]) -> tuple[int, int]:
        summary = self.summaries[bundle]
        left = [self.effects[number] for number in summary.effects if number not in gone]
        names = distinct_names(effect.outcome.choices for effect in left if not effect.twin)
        twins = distinct_names(effect.outcome.choices for effect in left if effect.twin)
        return summary.moves - names, summary.crashes - twins

    def _effect(self, outcome: Outcome, twin: bool) -> int:
        key = 2 * id(outcome) + twin
        known = self._known.get(key)
        if known is not None:
            return known
        packing, interner = self.packing, self._interner
        returns = self._returns_of(outcome, twin)
        writes = (*outcome.writes, *returns) if returns else outcome.writes
        roots = frozenset([root_of(slot) for slot, _ in writes])
        fast = all(slot in packing.layout.index and slot[0] != "cell" for slot in roots)
        fast = fast and not any(map(interner.references, outcome.sent))
        fast = fast and not any(number == UNBOUND or interner.references(number) for _, number in writes)
        thread = NOTHING
        if outcome.thread is not None and not twin:
            fast = fast and not interner.references(outcome.thread)
            thread = packing.tables.threads.code(outcome.thread)
        sent = tuple([packing.tables.messages.code(message) for message in outcome.sent]) if fast else ()
        packing.sends = max(packing.sends, len(sent))
        inside: dict[Slot, list[tuple[str, int]]] = {}
        whole: list[tuple[Slot, int]] = []
        elements: list[tuple[Slot, int]] = []
        copied: list[tuple[Slot, int]] = []
        for slot, number in writes if fast else ():
            stored = packing.tables.stored(slot)
            more = copies(interner, number) if stored == slot and is_element(slot) else None
            if more is not None:
                if more > 0:
                    packing.tables.of(slot).code(interner.payload(number)[0])
                copied.append((slot, more))
            elif stored == slot and is_element(slot):
                element = UNBOUND if number == gone(interner) else number
                packing.tables.of(slot).code(element)
                elements.append((slot, element))
            elif stored == slot and number == gone(interner):
                # A key that a dict has no more.
                packing.tables.of(slot)
                whole.append((slot, UNBOUND))
            elif stored == slot:
                packing.tables.learn(slot, number)
                whole.append((slot, number))
            else:
                inside.setdefault(stored, []).append((slot[-1], number))
        updates = {slot: packing.tables.updates(slot).number(tuple(sorted(parts))) for slot, parts in inside.items()}
        number = self._known[key] = len(self.effects)
        order, live = self._step_of(outcome, twin, None)
        inner = (tuple(elements), tuple(copied))
        self.effects.append(
            Effect(outcome, twin, order, roots, fast, thread, live, tuple(whole), updates, *inner, sent)
        )
        return number

    def orders_of(self, numbers: Ints, indexes: Ints | None) -> tuple[NDArray[np.int32], Ints]:
        """The step orders of effects, and their kinds for liveness.

        `indexes`: the place of what was chosen or delivered for each.
        """
        if indexes is None:
            return self.orders.take(numbers), self.live.take(numbers)
        most = int(indexes.max(initial=0)) + 1
        self._placed = _table(self._placed, len(self.effects), most)
        found = self._placed[numbers, indexes]
        missing = np.flatnonzero(found[:, 0] == NO_ORDER)
        for number, index in {*zip(numbers[missing].tolist(), indexes[missing].tolist(), strict=True)}:
            effect = self.effects[number]
            self._placed[number, index] = self._step_of(effect.outcome, effect.twin, index)
        if len(missing):
            found = self._placed[numbers, indexes]
        return found[:, 0], found[:, 1].astype(np.int64)

    def forget_places(self) -> None:
        """Forget what places stand for."""
        self._placed[:] = NO_ORDER

    def compile(self) -> None:
        """Bring the arrays up to date with what was learned and with the packing."""
        self.elements.compile(self.effects)
        self.copies.compile(self.effects)
        self.updates.compile(self.effects)
        wide = {slot: len(self.packing.parts(slot)) for slot in self._below}
        if self._version != self.packing.moved or wide != self._below:
            self._version = self.packing.moved
            self._values, self._cleared = {}, {}
            self.keep = [np.zeros(0, dtype=np.uint64) for _ in range(self.packing.width)]
            self.bits = [np.zeros(0, dtype=np.uint64) for _ in range(self.packing.width)]
            self.sums = np.zeros((0, 2), dtype=np.uint64)
        if len(self.keep[0]) < len(self.effects):
            self._compile_bits(self.effects[len(self.keep[0]) :])
        if len(self.orders) < len(self.effects):
            self._compile_effects(self.effects[len(self.orders) :])
        if len(self.length) < len(self.summaries):
            self._compile_summaries(self.summaries[len(self.length) :])

    def _compile_bits(self, effects: list[Effect]) -> None:
        keep = np.full((self.packing.width, len(effects)), ~np.uint64(0), dtype=np.uint64)
        bits = np.zeros((self.packing.width, len(effects)), dtype=np.uint64)
        sums = np.zeros((len(effects), 2), dtype=np.uint64)
        written: dict[Slot, tuple[list[int], list[int]]] = {}
        below: dict[Slot, list[Slot]] = {}
        for i, effect in enumerate(METER.attended(effects)):
            for slot, number in effect.writes:
                if slot not in below:
                    below[slot] = self.packing.parts(slot)
                    self._below[slot] = len(below[slot])
                is_head = number != UNBOUND and self._interner.tag(number) is Tag.HEAD
                if len(below[slot]) == 1 or is_head:
                    # What was below the slot stays, if the head alone is new.
                    by, numbers = written.setdefault(slot, ([], []))
                    by.append(i)
                    numbers.append(dict(self.packing.tables.divided(slot, number)).get(slot, UNBOUND))
                    continue
                sums[i] += self._write_all(slot, number, below[slot], keep[:, i], bits[:, i])
                self.written.update(below[slot])
        for part, (by, numbers) in written.items():
            field = self.packing.fields[part]
            codes = np.array([field.table.codes[number] for number in numbers], dtype=np.int64)
            keep[field.word, by] &= ~(field.mask << field.shift)
            bits[field.word, by] |= codes.view(np.uint64) << field.shift
            sums[by] += field.table.sums[codes]
        self.written |= written.keys()
        self.keep = [np.concatenate([old, new]) for old, new in zip(self.keep, keep, strict=True)]
        self.bits = [np.concatenate([old, new]) for old, new in zip(self.bits, bits, strict=True)]
        self.sums = np.concatenate([self.sums, sums])

    def _write_all(self, slot: Slot, number: int, below: list[Slot], keep: Words, bits: Words) -> Words:
        """Write a value that has parts, and clear what was below its slot before; what it adds to the key."""
        known = self._values.get((slot, number))
        if known is None:
            cleared = self._cleared.get(slot)
            if cleared is None:
                cleared = self._cleared[slot] = ~self.packing.mask(below)
            set_to, sums = np.zeros_like(bits), np.zeros(2, dtype=np.uint64)
            for part, held in self.packing.tables.divided(slot, number):
                field = self.packing.fields[part]
                code = field.table.codes[held]
                set_to[field.word] |= np.uint64(code) << field.shift
                sums += field.table.sums[code]
            known = self._values[slot, number] = cleared, set_to, sums
        keep &= known[0]
        bits |= known[1]
        return known[2]

    def _compile_effects(self, effects: list[Effect]) -> None:
        known = np.zeros(len(self.orders), dtype=np.int64)
        self.sent += [known] * (max([len(effect.sent) for effect in effects], default=0) - len(self.sent))
        for i, column in enumerate(self.sent):
            more = [effect.sent[i] if i < len(effect.sent) else NOTHING for effect in effects]
            self.sent[i] = _longer(column, more)
        self.orders = _longer(self.orders, [effect.order for effect in effects])
        self.fast = _longer(self.fast, [effect.fast for effect in effects])
        self.twin = _longer(self.twin, [effect.twin for effect in effects])
        self.live = _longer(self.live, [effect.live for effect in effects])
        self.thread = _longer(self.thread, [effect.thread for effect in effects])

    def _compile_summaries(self, summaries: list[BundleSummary]) -> None:
        self.length = _longer(self.length, [len(summary.effects) for summary in summaries])
        self.longest = int(self.length.max(initial=0))
        self.first = np.cumsum(self.length) - self.length
        self.flat = _longer(self.flat, [effect for summary in summaries for effect in summary.effects])
        self.moves = _longer(self.moves, [summary.moves for summary in summaries])
        self.crashes = _longer(self.crashes, [summary.crashes for summary in summaries])
        begin = len(self.summaries) - len(summaries)
        self.failing += [number for number, summary in enumerate(summaries, begin) if summary.failures]


def _table(table: NDArray[np.int32], rows: int, columns: int) -> NDArray[np.int32]:
    """A table of at least this size, with what it held."""
    if table.shape[0] >= rows and table.shape[1] >= columns:
        return table
    grown = np.full((max(rows, 2 * table.shape[0]), max(columns, 2 * table.shape[1]), 2), NO_ORDER, dtype=np.int32)
    grown[: table.shape[0], : table.shape[1]] = table
    return grown


def _longer(column: NDArray[Number], more: Sequence[int]) -> NDArray[Number]:
    return np.concatenate([column, np.array(more, dtype=column.dtype)])
