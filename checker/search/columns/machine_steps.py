"""Steps that change which slots there are, or what is shared: the machine takes one of those that are alike.

A target is made canonical as a whole (language page, 5.6): instances that are out of reach are left out, shared
containers are numbered anew. That depends on what the step writes, on all that refers to containers or instances, and
on threads and messages. Rows that agree in these, and in which the same effect is chosen, have targets that differ only
in the other slots, which the step leaves alone; and keys are sums over slots, so that each changes by the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from checker.search.columns.arrivals import Arrived, ArrivedAlike
from checker.search.columns.batch import Taken
from checker.search.columns.chosen_effects import ChosenEffects, Forbidden
from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import Ints, Mask, Words, halves
from checker.search.columns.distinct_rows import distinct_rows
from checker.search.columns.effects import NO_KIND
from checker.search.columns.judge import AssertionEvaluator
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.rows_with_aliases import RowsWithAliases
from checker.search.columns.space import Space
from checker.search.contract.bounds import starts_after
from checker.search.contract.parents import crashes_after
from interpreter.state.state import Slot, State
from interpreter.state.step import StepKind

_UNPACKED: Final = 1_024
"""So many states are unpacked together."""
_WITH_OTHERS: Final = frozenset({"cell", "role", "count", "returns"})
"""The kinds of slots that come, go or change with others."""


class MachineSteps:
    """Takes steps from the rows of one packing by the machine."""

    def __init__(self, space: Space, judge: AssertionEvaluator, packing: Packing, wants_edges: bool) -> None:
        self.space = space
        self.judge = judge
        self.packing = packing
        self.wants_edges = wants_edges
        self._references = RowsWithAliases(packing, space.machine.values)

    def take(self, chosen: ChosenEffects, chunk: Chunk, forbidden: Forbidden) -> None:
        """Take all these steps."""
        if self.space.machine.images.needed:
            # The image that stands for a target depends on all of it.
            self._one_by_one(chosen, chunk, forbidden)
            return
        effects = chosen.rule.effects.effects
        alike: dict[frozenset[Slot], list[int]] = {}
        for number in set(chosen.effects.tolist()):
            alike.setdefault(effects[number].roots, []).append(number)
        for written, numbers in alike.items():
            self._alike(chosen if len(alike) == 1 else chosen.only(np.isin(chosen.effects, numbers)), chunk, written)

    def shares(self, chosen: ChosenEffects) -> Mask:
        """Which of these steps may change what is shared, or how it is numbered, in rows with shared containers.

        Those do not that write values without references where there were none, and threads or messages where none
        refers to any.
        """
        rule, rows = chosen.rule, chosen.rows
        if self.space.machine.images.needed or rule.kind is StepKind.CRASH_ROLE:
            return np.ones(len(chosen.source), dtype=np.bool_)
        numbers, which = np.unique(chosen.effects, return_inverse=True)
        effects = [rule.effects.effects[number] for number in numbers.tolist()]
        found = np.zeros(len(chosen.source), dtype=np.bool_)
        for slot in frozenset[Slot]().union(*[effect.roots for effect in effects]):
            if slot in self.packing.layout.index and self._references.in_any(slot):
                writes = np.array([slot in effect.roots for effect in effects], dtype=np.bool_)
                found |= writes.take(which) & self._references.in_rows(rows, slot).take(chosen.source)
        moves = rule.kind in (StepKind.CONTINUE, StepKind.DELIVER)
        moved = np.array([moves or bool(one.thread or one.sent) for one in effects], dtype=np.bool_).take(which)
        if moved.any():
            found |= moved & self._references.in_listed(rows).take(chosen.source)
        return found

    # --- one for all that are alike --------------------------------------------------------------------------------

    def _alike(self, chosen: ChosenEffects, chunk: Chunk, written: frozenset[Slot]) -> None:
        """Take steps that write in the same slots of the layout."""
        kept = [slot for slot in self.packing.layout.slots if slot not in written and not self._matters(slot)]
        decisive = ~self.packing.mask_whole(kept)
        columns = [word.take(chosen.source) & bits for word, bits in zip(chosen.rows.words, decisive, strict=True)]
        numbers = [chosen.effects] if chosen.messages is None else [chosen.effects, chosen.messages]
        columns += [column.astype(np.uint64) for column in numbers]
        which, examples = distinct_rows(columns, len(chosen.source))
        targets = self._targets(chosen.only(examples))
        keys = np.array(halves([self.space.machine.key(target) for target in targets])).T
        changes = keys - _keys(chunk, chosen.origin[examples])
        packings = [self.space.packing(target.layout) for target in targets]
        for packing in dict.fromkeys(packings):
            there = np.array([one is packing for one in packings], dtype=np.bool_)
            own = chosen.only(there.take(which))
            index = which[there.take(which)]
            sums = changes.take(index, axis=0)
            lost = [slot for slot in kept if slot not in packing.layout.index]
            if lost:
                sums += self.packing.sums(chosen.rows.take(chosen.source[examples]), lost).take(index, axis=0)
                sums -= self.packing.sums(own.rows.take(own.source), lost)
            here = [slot for slot in kept if slot in packing.layout.index]
            some = [target for target, one in zip(targets, packings, strict=True) if one is packing]
            self._arrive(own, chunk, some, (np.cumsum(there) - 1).take(index), here, sums)

    def _targets(self, chosen: ChosenEffects) -> list[State]:
        """The targets of some steps."""
        found: list[State] = []
        for before, _, effect, message in self._listed(chosen):
            after = chosen.rule.apply_slowly(before, chosen.rule.effects.effects[effect], message)
            assert after is not None
            found.append(after)
        return found

    def _arrive(
        self, chosen: ChosenEffects, chunk: Chunk, examples: list[State], which: Ints, kept: list[Slot], sums: Words
    ) -> None:
        """Note steps to states of one packing, as `ArrivedAlike` describes them, whose keys are greater by `sums`."""
        part, rule, space = chunk.part, chosen.rule, self.space
        twin = rule.effects.twin.take(chosen.effects)
        batch = part.steps(chosen.origin, Rows([]), sums, chosen.orders, rule.kind, twin)
        taken = Taken(batch, twin, chosen.origin, chosen.live)
        chunk.arrivals(space.packing(examples[0].layout)).alike.append(ArrivedAlike(rule, examples, which, kept, taken))
        if self.wants_edges:
            seen = chosen.live != NO_KIND
            space.edges.take(batch.parents[seen], chosen.live[seen], batch.high[seen], batch.low[seen])
        if space.export is not None:
            columns = (chosen.origin, batch.high, batch.low, chosen.effects, chosen.orders)
            for at, high, low, effect, order in zip(*[column.tolist() for column in columns], strict=True):
                space.export.take_one(part.key(at), (high << 64) | low, rule, effect, order)

    def _listed(self, chosen: ChosenEffects) -> Iterator[tuple[State, int, int, int]]:
        """Steps one by one: the state before, its row in the frontier, the effect, the slot of a message."""
        messages = np.zeros_like(chosen.source) if chosen.messages is None else chosen.messages
        for begin in range(0, len(chosen.source), _UNPACKED):
            some = slice(begin, begin + _UNPACKED)
            rows = np.unique(chosen.source[some])
            states = dict(zip(rows.tolist(), self.packing.states(chosen.rows, rows), strict=True))
            columns = (chosen.source, chosen.origin, chosen.effects, messages)
            for row, *step in zip(*[column[some].tolist() for column in columns], strict=True):
                self.judge.task.patience.ask()
                yield states[row], *step

    def _matters(self, slot: Slot) -> bool:
        """Whether a slot of the layout decides about others, or may change with them, though a step does not write it:
        it refers to containers or instances, or comes and goes with these."""
        if slot[0] in _WITH_OTHERS or self._references.in_any(slot):
            return True
        return bool(self.packing.layout.owned) and any(map(self.space.holds_instances, self.packing.parts(slot)))

    # --- one by one ------------------------------------------------------------------------------------------------

    def _one_by_one(self, chosen: ChosenEffects, chunk: Chunk, forbidden: Forbidden) -> None:
        """Take steps whose targets have images."""
        part, rule, space = chunk.part, chosen.rule, self.space
        listed = zip(
            self._listed(chosen), chosen.source.tolist(), chosen.orders.tolist(), chosen.live.tolist(), strict=True
        )
        for (before, at, effect, message), row, order, live in listed:
            known = rule.effects.effects[effect]
            after = rule.apply_slowly(before, known, message)
            if after is None:
                forbidden.effects.setdefault(row, set()).add(effect)
                continue
            image = after if space.images is None else space.machine.canonical(after)
            key = space.machine.key(image)
            found = chunk.arrivals(space.packing(image.layout)).alone
            number, starts = int(part.numbers[at]), starts_after(int(part.starts[at]), rule.kind)
            crashes = crashes_after(int(part.crashes[at]), space.orders[order].crashes)
            found.append(Arrived(image, key, number, order, starts, crashes))
            if self.wants_edges and live != NO_KIND:
                space.edges.take(np.array([number]), np.array([live]), *halves([key]))
            if space.export is not None:
                space.export.take_one(part.key(at), key, rule, effect, order)
            if self.judge.of_steps and not known.twin and rule.kind is not StepKind.CRASH_ROLE:
                self.judge.step(before, after, part.ref(at), order, key, chunk.level)


def _keys(chunk: Chunk, rows: Ints) -> Words:
    """The keys of some rows of the frontier of a chunk, a column for each half."""
    return np.stack([chunk.part.high.take(rows), chunk.part.low.take(rows)], axis=1)
