"""Steps after which instances are out of reach, by columns: states after them have no slots for what is lost.

What nothing holds any more is no part of a state (language page, 5.6 and 7.2). Instances keep their names, and slots
their codes, so that the rest has only to be packed in another way; the key is less by what the lost slots added to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from checker.search.columns.batch import Batch
from checker.search.columns.code_tables import Ints, distinct
from checker.search.columns.images import BY_MACHINE
from checker.search.columns.instance_finder import InstanceFinder
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.remembered import Remembered
from checker.search.columns.sources import StateColumns
from checker.search.columns.space import Space
from checker.search.memo.trie import Counters, Leaf, ReadTree
from interpreter.state.state import Slot, counted_instance
from interpreter.state.step import Outcome

NOTHING: Final = 0


class _Loss(NamedTuple):
    """The slots of the layout that are lost, and the packing of what is left."""

    slots: tuple[Slot, ...]
    target: Packing


class Losses:
    """What the targets of steps lose, of one packing."""

    def __init__(self, space: Space, packing: Packing, counters: Counters) -> None:
        self._space = space
        self._packing = packing
        self._reach = Remembered(ReadTree(counters), space.machine.most_paths, space.sizes)
        self._looks: InstanceFinder | None = None
        self._room = packing.room
        """The room for which instances are looked for."""
        self._numbers: dict[tuple[Slot, ...], int] = {(): NOTHING}
        self._losses = [_Loss((), packing)]
        self._known: list[int] = []
        """By bundle, the number of what is lost."""

    def of(self, batch: Batch) -> Ints:
        """The number of what each row loses, or `NOTHING`; `BY_MACHINE` if the machine must take the step."""
        packing = self._packing
        if self._looks is None or self._room != packing.room:
            self._room = packing.room
            self._reach.forget()
            self._known = []
            self._looks = InstanceFinder(self._space.machine, packing.unpack(batch.rows, 0), packing.room)
        looks = self._looks
        columns = StateColumns(packing, batch.rows, self._space.machine.values)
        bundles = self._reach.lookup(columns, lambda row, _: looks.run(columns.view(row)))[0]
        self._known += map(self._number, self._reach.bundles.parts[len(self._known) :])
        found: Ints = np.array(self._known, dtype=np.int64).take(bundles)
        return found

    def _number(self, leaves: tuple[Leaf, ...]) -> int:
        for leaf in leaves:
            if isinstance(leaf.result, Outcome):
                slots = tuple(slot for slot, _ in leaf.result.writes)
                if slots and self._has_more_to_lose(slots):
                    return BY_MACHINE
                return self._numbers.setdefault(slots, len(self._numbers))
        return BY_MACHINE

    def _has_more_to_lose(self, slots: tuple[Slot, ...]) -> bool:
        """Whether more goes with these slots of instances, or may: what they share, or counters of their starts."""
        layout = self._packing.layout
        if layout.cells:
            # The rest of what is shared has other numbers then.
            return True
        lost = {slot[1:3] for slot in slots}
        counted = filter(None, map(counted_instance, layout.slots))
        return any(one[1:3] in lost for one in counted)

    def drop(self, batch: Batch, lost: Ints) -> None:
        """Set the moves of a batch, and replace the keys of its rows by those of what is left."""
        batch.moves = lost
        high, low = batch.high, batch.low
        batch.high, batch.low = high.copy(), low.copy()
        for number in distinct(lost).tolist():
            rows = np.flatnonzero(lost == number)
            sums = self._packing.sums(batch.rows.take(rows), self._loss(number).slots)
            batch.high[rows] -= sums[:, 0]
            batch.low[rows] -= sums[:, 1]

    def _loss(self, number: int) -> _Loss:
        layout = self._packing.layout
        for slots in [*self._numbers][len(self._losses) : number + 1]:
            gone = set(slots)
            left = tuple(slot for slot in layout.slots if slot not in gone)
            target = self._space.packing(self._space.machine.transitions.layouts.ordered(left))
            self._losses.append(_Loss(slots, target))
        return self._losses[number]

    def targets(self, batch: Batch) -> set[Packing]:
        """The packings of what is left."""
        assert batch.moves is not None
        return {self._loss(number).target for number in distinct(batch.moves).tolist()}

    def moved(self, packing: Packing, batch: Batch) -> Iterator[tuple[Packing, Batch]]:
        """What is left of a batch, by packing; none of these is outgrown."""
        assert batch.moves is not None
        for number in distinct(batch.moves).tolist():
            part = batch.take(np.flatnonzero(batch.moves == number))
            part.moves = None
            target = self._loss(number).target
            if target is not packing:
                part.rows = self._rows(part.rows, target)
            yield target, part

    def _rows(self, rows: Rows, target: Packing) -> Rows:
        packing = self._packing
        made = Rows([np.zeros(len(rows), dtype=np.uint64) for _ in range(target.width)])
        for slot, field in target.fields.items():
            if slot in packing.fields:
                made.words[field.word] |= packing.codes(rows, slot).view(np.uint64) << field.shift
        return made
