"""All steps from some rows of a frontier: rule by rule, fast where an effect is bits to set, else by the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from checker.core.level import STEP_STAGE, Witness
from checker.search.columns.batch import Batch, Taken
from checker.search.columns.capacity import MESSAGE, THREAD
from checker.search.columns.chosen_effects import ChosenEffects, Forbidden
from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import Ints, Mask, Words, distinct
from checker.search.columns.direct_steps import DirectSteps, RowSteps
from checker.search.columns.effects import NO_KIND
from checker.search.columns.images import BY_MACHINE, NO_STEP
from checker.search.columns.judge import AssertionEvaluator
from checker.search.columns.listed_slots import move_messages, move_threads
from checker.search.columns.losses import NOTHING, Losses
from checker.search.columns.machine_steps import MachineSteps
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.space import Space
from checker.search.columns.step_rules import LookedUp, StepRule, StepRules
from checker.search.contract.level_counts import note_action
from checker.search.memo.trie import Counters
from interpreter.state.step import StepKind, StepOrder

_FEW_STAY: Final = 16
"""One in so many steps is few: what they lead to is found to be known, as other states are."""
_MOST_UNJUDGED: Final = 1 << 16
"""So many steps are kept to be judged together, or a few more."""


class ColumnExpander:
    """Applies the rules of one packing to chunks. `refit` packs everything of the packing anew when it is outgrown."""

    def __init__(
        self, space: Space, judge: AssertionEvaluator, packing: Packing, counters: Counters, wants_edges: bool
    ) -> None:
        self.space = space
        self.wants_edges = wants_edges
        self.judge = judge
        self.packing = packing
        self.rules = StepRules(space, packing, counters)
        self.losses = Losses(space, packing, counters)
        self._alone = DirectSteps(space, judge, packing, wants_edges)
        self._by_machine = MachineSteps(space, judge, packing, wants_edges)
        self._unjudged: list[Taken] = []

    def drop_edges(self) -> None:
        """Note no edges any more."""
        self.wants_edges = self._alone.wants_edges = self._by_machine.wants_edges = False

    def which(self, rule: StepRule, chunk: Chunk, own: Ints | None) -> Ints:
        """The rows of the chunk in which a rule may step, by index. `own`: of these rows alone."""
        rows, cut = chunk.rows(), chunk.part.cut[chunk.begin : chunk.end]
        if own is None:
            allowed = self.rules.allowed(rule, rows, cut)
            return np.arange(len(rows)) if allowed is None else np.flatnonzero(allowed)
        if not len(own):
            return own
        if len(own) < len(rows):
            rows, cut = rows.take(own), cut.take(own)
        allowed = self.rules.allowed(rule, rows, cut)
        return own if allowed is None else own[allowed]

    def run_alone(self, rule: StepRule, chunk: Chunk, which: Ints) -> list[RowSteps]:
        """Run a rule that is not remembered in these rows. Steps for `apply_alone`; the packing may be outgrown.

        Those that columns cannot take are taken at once.
        """
        return self._alone.run(rule, chunk, which)

    def known_alone(self, rule: StepRule, chunk: Chunk, which: Ints, known: Mask) -> list[Taken] | None:
        """The steps of a rule that is not remembered, which change nothing and count nowhere; None: they cannot be
        taken by columns. Rows of the chunk for which that holds alone are `known` no more.
        """
        found = self._alone.unnoted(rule, chunk, which, known)
        if self.packing.outgrown:
            return None
        if not found:
            return []
        taken = self._alone.take(rule, chunk, found)
        if self.packing.layout.owned:
            known[taken.origin[self.loses(taken.batch)] - chunk.begin] = False
        return [taken]

    def look_up(self, rule: StepRule, chunk: Chunk, which: Ints) -> list[LookedUp]:
        """The bundles of these rows of the chunk; the packing may be outgrown. Rows are numbered as in the chunk."""
        rows = chunk.rows()
        found = rule.look_up(rows if len(which) == len(rows) else rows.take(which))
        return [one._replace(which=which.take(one.which)) for one in found]

    def apply(self, rule: StepRule, chunk: Chunk, found: Sequence[LookedUp]) -> None:
        """Take the steps in the bundles."""
        # A run that was interrupted may have left some, of rows that are expanded anew.
        self._unjudged.clear()
        for one in found:
            self._apply(rule, chunk, one)
        self._judge(rule, chunk)

    def _apply(self, rule: StepRule, chunk: Chunk, found: LookedUp) -> None:
        rule.effects.compile()
        for unit, column in enumerate(found.units):
            indexes = None if found.indexes is None else found.indexes[unit]
            if column.any():
                moves = rule.effects.moves.take(column)
                if found.indexes is not None:
                    chunk.moves += np.bincount(found.which, moves, len(chunk.moves)).astype(np.int64)
                elif len(moves) == len(chunk.moves):
                    chunk.moves += moves
                else:
                    chunk.moves[found.which] += moves
                forbidden = self._step(rule, chunk, found, column, indexes)
                self._count(rule, chunk, found, column, indexes, forbidden)

    def _count(
        self,
        rule: StepRule,
        chunk: Chunk,
        found: LookedUp,
        column: Ints,
        indexes: Ints | None,
        forbidden: dict[int, set[int]],
    ) -> None:
        """Count the steps in the bundles, and note the paths among them that failed or gave up."""
        effects, level, which = rule.effects, chunk.level, found.which
        amounts = np.bincount(column, minlength=len(effects.summaries))
        moved, crashed = int(amounts @ effects.moves), int(amounts @ effects.crashes)
        if rule.kind is StepKind.CRASH_ROLE:
            level.crash_steps += moved
            chunk.moves[which] -= effects.moves[column]
        else:
            for row, gone in forbidden.items():
                moves, crashes = effects.lost(int(column[row]), gone)
                chunk.moves[which[row]] -= moves
                moved -= moves
                crashed -= crashes
            level.transitions += moved
            level.crash_steps += crashed
        for bundle in effects.failing:
            hit = np.flatnonzero(column == bundle) if amounts[bundle] else which[:0]
            chunk.failed[which[hit]] = True
            for failure in effects.summaries[bundle].failures if len(hit) else ():
                row = chunk.part.first(chunk.begin + which[hit])
                index = 0 if indexes is None else int(indexes[hit[chunk.begin + which[hit] == row][0]])
                order = StepOrder(*rule.placed(failure.forks, index), 0)
                level.fail(Witness(chunk.part.ref(row), order, error=failure.error, stage=STEP_STAGE))
        acted, subject = self.space.expander.acted, rule.candidate.rule.subject
        if rule.kind is StepKind.START and subject not in acted:
            met = np.flatnonzero(amounts).tolist()
            gave_up = [(a.span, int(amounts[bundle])) for bundle in met for a in effects.summaries[bundle].aborted]
            note_action(subject, moved + crashed, gave_up, acted, level)

    def _step(
        self, rule: StepRule, chunk: Chunk, found: LookedUp, column: Ints, indexes: Ints | None
    ) -> dict[int, set[int]]:
        """Take the steps in the bundles. Returns the effects that are no steps because of a domain's limit, by row."""
        forbidden = Forbidden()
        chosen = self.choose(rule, chunk, found, column, indexes)
        if chosen is None:
            return forbidden.effects
        quick = self.quick(chosen)
        if not quick.all():
            self._by_machine.take(chosen.only(~quick), chunk, forbidden)
            chosen = chosen.only(quick)
        if len(chosen.source):
            taken = self.take(chosen, chunk)
            if self.may_lose(rule):
                chosen, taken = self._drop(chosen, taken, chunk, forbidden)
            if self.space.images is not None and len(taken.batch):
                moves = self.space.images.choose(self.packing, taken.batch)
                none = moves == NO_STEP
                if none.any():
                    forbidden.add(chosen.only(none))
                    moves, chosen, taken = moves[~none], chosen.only(~none), taken.take(np.flatnonzero(~none))
                chosen, taken = self._kept(chosen, taken, moves != BY_MACHINE, chunk, forbidden)
            self._keep(rule, chunk, taken)
            if self.space.export is not None:
                self.space.export.take(chunk.part, rule, chosen.effects, taken)
        return forbidden.effects

    def choose(
        self, rule: StepRule, chunk: Chunk, found: LookedUp, column: Ints, indexes: Ints | None
    ) -> ChosenEffects | None:
        """The effects in the bundles of one unit; None if there are none. They are not taken yet."""
        effects = rule.effects
        lengths = effects.length.take(column)
        source = np.flatnonzero(lengths)
        if not len(source):
            return None
        first = effects.first.take(column.take(source))
        if effects.longest > 1:
            lengths = lengths.take(source)
            ends = np.cumsum(lengths)
            chunk.make(int(ends[-1]))
            first = np.repeat(first - (ends - lengths), lengths) + np.arange(ends[-1])
            source = np.repeat(source, lengths)
        numbers = effects.flat.take(first)
        orders, live = effects.orders_of(numbers, None if indexes is None else indexes.take(source))
        origin = chunk.begin + found.which.take(source)
        messages = None if found.slots is None else found.slots.take(source)
        return ChosenEffects(rule, found.rows, source, origin, numbers, orders, live, messages)

    def quick(self, chosen: ChosenEffects) -> Mask:
        """Which effects are taken by columns; the machine takes the others."""
        quick = chosen.rule.effects.fast.take(chosen.effects)
        if chosen.rule.counts.missing:
            return np.zeros_like(quick)
        return quick & ~self._by_machine.shares(chosen) if self.packing.layout.cells else quick

    # --- edges for liveness ----------------------------------------------------------------------------------------

    def _edges(self, taken: Taken) -> None:
        seen = taken.live != NO_KIND
        batch, live = taken.batch, taken.live
        if not seen.all():
            batch, live = batch.take(np.flatnonzero(seen)), live[seen]
        self.space.edges.take(batch.parents, live, batch.high, batch.low)

    def hide(self, chunk: Chunk, kinds: tuple[StepKind, ...], rows: Ints) -> None:
        """Gather the steps of some kinds that exist in these rows of a chunk and are not taken from them."""
        for rule in self.rules:
            if rule.kind not in kinds:
                continue
            for at in rows[self.able(rule, chunk, rows)].tolist():
                kind = rule.hidden_kind(rule.rule_in(self.packing.unpack(chunk.rows(), at)))
                if kind != NO_KIND:
                    number = chunk.part.numbers[chunk.begin + at]
                    self.space.edges.hide(np.array([number]), np.array([kind]))

    def able(self, rule: StepRule, chunk: Chunk, rows: Ints) -> Mask:
        """From which of these rows of a chunk a rule has a step, whatever the bound of the exploration."""
        exists = np.zeros(len(rows), dtype=np.bool_)
        allowed = self.rules.allowed(rule, chunk.rows().take(rows), None)
        which = np.arange(len(rows)) if allowed is None else np.flatnonzero(allowed)
        if rule.alone:
            states = chunk.states(rows[which])
            exists[which] = [self.space.expander.may_step(rule.candidate.rule, state) for state in states]
        elif len(which):
            for found in rule.look_up(chunk.rows().take(rows[which])):
                for column in found.units:
                    moves = np.array([summary.moves > 0 for summary in rule.effects.summaries])[column]
                    exists[which[found.which[moves]]] = True
        return exists

    # --- by the machine --------------------------------------------------------------------------------------------

    def apply_alone(self, rule: StepRule, chunk: Chunk, found: list[RowSteps]) -> None:
        """Take the steps of a rule that is not remembered."""
        if not found:
            return
        taken = self._alone.take(rule, chunk, found)
        slow = np.zeros(len(taken.batch), dtype=np.bool_)
        if self.packing.layout.owned:
            slow = self.loses(taken.batch)
        if self.space.images is not None:
            slow |= self.space.images.choose(self.packing, taken.batch) < 0
        if slow.any():
            rows = set((taken.origin[slow] - chunk.begin).tolist())
            self._alone.by_machine(rule, chunk, [one for one in found if one.row in rows])
            found = [one for one in found if one.row not in rows]
            taken = taken.take(np.flatnonzero(~np.isin(taken.origin - chunk.begin, list(rows))))
        self._alone.count(chunk, found)
        self._keep(rule, chunk, taken)
        self._judge(rule, chunk)
        if self.space.export is not None:
            self.space.export.take_direct(chunk.part, rule, [o for one in found for o in one.outcomes], taken)

    def _keep(self, rule: StepRule, chunk: Chunk, taken: Taken) -> None:
        """Keep steps that were taken by columns, and have them judged."""
        if not len(taken.batch):
            return
        if self.wants_edges:
            self._edges(taken)
        taken = _moving(taken, chunk)
        if not len(taken.batch):
            return
        if self.packing.layout.owned and taken.batch.moves is None:
            taken.batch.moves = np.full(len(taken.batch), NOTHING, dtype=np.int64)
        chunk.fast.append(taken.batch)
        if self.judge.of_steps:
            self._unjudged.append(taken)
            if sum(len(one.origin) for one in self._unjudged) > _MOST_UNJUDGED:
                self._judge(rule, chunk)

    def _judge(self, rule: StepRule, chunk: Chunk) -> None:
        """Judge the steps of a rule that were kept: all units at once, of which a rule may have hundreds."""
        if self._unjudged:
            taken, self._unjudged = Taken.joined(self._unjudged), []
            self.judge.steps(rule, chunk.part, taken, chunk.level)

    # --- by columns ------------------------------------------------------------------------------------------------

    def take(self, chosen: ChosenEffects, chunk: Chunk) -> Taken:
        """Take steps by columns."""
        part, rule, rows = chunk.part, chosen.rule, chosen.rows
        effects, source, origin, numbers = rule.effects, chosen.source, chosen.origin, chosen.effects
        words, gone = [], []
        for word, keep, bits in zip(rows.words, effects.keep, effects.bits, strict=True):
            before, kept = word.take(source), keep.take(numbers)
            words.append((before & kept) | bits.take(numbers))
            gone.append(before & ~kept)
        sums = effects.sums.take(numbers, axis=0)
        for slot in effects.written:
            # What the effect does not overwrite is code 0 here, and adds nothing.
            field = self.packing.fields[slot]
            codes = (gone[field.word] >> field.shift) & field.mask
            sums -= field.table.sums.take(codes.view(np.int64), axis=0)
        after = Rows(words)
        effects.updates.apply(numbers, after, sums)
        effects.elements.apply(numbers, after, sums)
        effects.copies.apply(numbers, after, sums)
        rule.counts.add(after, sums)
        self._move_threads(chosen, after, sums)
        self._move_messages(chosen, after, sums)
        twin = effects.twin.take(numbers)
        batch = part.steps(origin, after, sums, chosen.orders, rule.kind, twin)
        return Taken(batch, twin, origin, chosen.live)

    def _move_threads(self, chosen: ChosenEffects, after: Rows, sums: Words) -> None:
        rule = chosen.rule
        threads = rule.effects.thread.take(chosen.effects)
        if rule.thread_slot is not None:
            sums += move_threads(self.packing, after, self.space.ranks[THREAD], rule.thread_slot, threads)
        elif rule.kind is StepKind.CRASH_ROLE:
            for effect in distinct(chosen.effects).tolist():
                dropped = rule.dropped_by(effect)
                if dropped:
                    self._move_some(after, np.flatnonzero(chosen.effects == effect), threads, dropped, sums)
        elif threads.any():
            self._move_some(after, np.flatnonzero(threads), threads, (), sums)

    def _move_some(self, after: Rows, some: Ints, threads: Ints, dropped: tuple[int, ...], sums: Words) -> None:
        part = after.take(some)
        more = move_threads(self.packing, part, self.space.ranks[THREAD], None, threads[some], dropped)
        _put_back(after, part, some, sums, more)

    def _move_messages(self, chosen: ChosenEffects, after: Rows, sums: Words) -> None:
        """Take the messages that are delivered out of their slots, and put those there that are sent."""
        sent = [codes.take(chosen.effects) for codes in chosen.rule.effects.sent]
        ranks = self.space.ranks[MESSAGE]
        if chosen.messages is not None:
            sums += move_messages(self.packing, after, ranks, chosen.messages, sent)
        elif sent:
            some = np.flatnonzero(sent[0])
            part = after.take(some)
            more = move_messages(self.packing, part, ranks, None, [codes.take(some) for codes in sent])
            _put_back(after, part, some, sums, more)

    # --- instances that are out of reach ---------------------------------------------------------------------------

    def may_lose(self, rule: StepRule) -> bool:
        """Can a step of this rule remove a reference to an instance?"""
        if not self.packing.layout.owned:
            return False
        if rule.kind is not StepKind.START or rule.effects.thread.any():
            return True
        effects = rule.effects
        written = (*effects.written, *effects.updates.slots, *effects.elements.slots, *effects.copies.slots)
        return any(self.space.holds_instances(slot) for slot in written)

    def loses(self, batch: Batch) -> Mask:
        """The rows in which some instance may be out of reach."""
        some: Mask = self.losses.of(batch) != NOTHING
        return some

    def _drop(
        self, chosen: ChosenEffects, taken: Taken, chunk: Chunk, forbidden: Forbidden
    ) -> tuple[ChosenEffects, Taken]:
        """Have steps lose what is out of reach after them."""
        lost = self.losses.of(taken.batch)
        if self.space.images is not None or self.judge.of_steps or self.space.export is not None:
            return self._kept(chosen, taken, lost == NOTHING, chunk, forbidden)
        own = lost != BY_MACHINE
        chosen, taken = self._kept(chosen, taken, own, chunk, forbidden)
        self.losses.drop(taken.batch, lost[own])
        return chosen, taken

    def _kept(
        self, chosen: ChosenEffects, taken: Taken, kept: Mask, chunk: Chunk, forbidden: Forbidden
    ) -> tuple[ChosenEffects, Taken]:
        """Have the machine take the other steps; those of `kept`."""
        if kept.all():
            return chosen, taken
        self._by_machine.take(chosen.only(~kept), chunk, forbidden)
        return chosen.only(kept), taken.take(np.flatnonzero(kept))


def _moving(taken: Taken, chunk: Chunk) -> Taken:
    """Leave out steps that end where they began, if there are many: nothing is new there, or asked of them."""
    before, after = chunk.part.rows, taken.batch.rows
    moves = np.zeros(len(taken.origin), dtype=np.bool_)
    for old, new in zip(before.words, after.words, strict=True):
        moves |= old.take(taken.origin) != new
    some = np.flatnonzero(moves)
    return taken if len(moves) - len(some) < len(moves) // _FEW_STAY else taken.take(some)


def _put_back(rows: Rows, part: Rows, some: Ints, sums: Words, more: Words) -> None:
    """Replace some of the rows, and what they add to keys."""
    for word, changed in zip(rows.words, part.words, strict=True):
        word[some] = changed
    sums[some] += more
