"""`Part`: one worker's part of an exploration by columns: the states of a range of keys, level by level.

All parts do the same at the same time: they expand what waits, send each other what they have found of the others'
keys, and number and judge what is new. Numbers of states are those of one process: by level and key. What waits in a
part is expanded by it; or all that waits is expanded by all, each some of the rules.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.core.effort import JUDGING, Effort, own_effort
from checker.core.exploration import PathLink
from checker.core.level import Level
from checker.liveness.graph import LiveStep
from checker.search.checkpoints.codec import StateCodec
from checker.search.checkpoints.frontier_codec import WaitingColumns, waiting_columns
from checker.search.columns.batch import Batch
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.column_run import ColumnRun, LevelWork
from checker.search.columns.edges import DrawnStates
from checker.search.columns.outbox import KeyRanges, Outbox
from checker.search.columns.packing import Packing
from checker.search.columns.shares import Costs, Line, RuleShares, Slots, share_of
from checker.search.contract.protocol import Tick
from checker.search.memo.tally import Tally
from checker.search.workers.region import Region, RegionPart
from checker.search.workers.translation import Common, News, PackingText, RowReader, RowWriter
from interpreter.state.state import Slot
from interpreter.state.step import StepOrder
from interpreter.values.budget import METER


class RowsExpanded(NamedTuple):
    """How far the expansion has come: whether there is more, and which sets are stored whole.

    `rows`: how many were expanded on this level; `sent`: how many states there are to be sent.
    """

    more: bool
    whole: frozenset[Slot]
    rows: int
    sent: int


class Shipment(NamedTuple):
    """What one part has found of the others' keys: `batches` for each of them, with the index of the packing."""

    news: News
    packings: tuple[PackingText, ...]
    batches: tuple[tuple[tuple[int, tuple[RegionPart, ...]], ...], ...]
    moved: tuple[tuple[RegionPart, ...], ...]
    """Where steps are divided by rules and all of them were taken: for each part of the states that were expanded, the
    rows of each of its batches that have moved here, in bits."""


class OfferedStates(NamedTuple):
    """The new states of one part: for each batch the index of the packing, and the columns of a `Frontier`."""

    news: News
    packings: tuple[PackingText, ...]
    batches: tuple[tuple[int, tuple[RegionPart, ...]], ...]


Looks = Mapping[tuple[Slot, ...], Sequence[Slots]]
"""By layout, the slots that assertions look at (`AssertionEvaluator.looks_at`)."""
Pruned = Sequence[Sequence[Ints]]
"""For each part of the states, the rows of each of its batches that are not expanded."""


def looks_of(run: ColumnRun) -> Looks:
    """What the assertions look at, as far as one process knows."""
    return {packing.layout.slots: run.judge.verdicts.looks_at(packing) for packing in run.space.packings.values()}


class TakenIn(NamedTuple):
    """A level that is complete. `answers`: what the recorded assertions say of the new states.

    `costs`: what the rules took. `looks`: see `Looks`. `learned`: the CPU seconds of the level in which something was
    learned.
    """

    level: Level
    answers: Mapping[str, bytes]
    exact: bool
    costs: Costs
    looks: Looks
    learned: float


class GivenUpPart(NamedTuple):
    """A level that was given up, after so many states. `origins`: sources and steps of those witnesses that are new."""

    level: Level
    expanded: int
    origins: Mapping[int, tuple[int, StepOrder]]


class ReachedBy(NamedTuple):
    """How states were reached that were taken in since the last call: key halves, parents, orders; new step orders."""

    columns: tuple[RegionPart, ...]
    orders: tuple[StepOrder, ...]


class PartStats(NamedTuple):
    """What a worker did, what it took, CPU seconds by phase, and what its columns say of themselves."""

    tally: Tally
    effort: Effort
    seconds: Mapping[str, float]
    columns: Mapping[str, object]
    said: tuple[str, ...]


class DrawnPart(NamedTuple):
    """States as they go into the graph: the columns of `DrawnStates`, and the kinds of steps that are new."""

    columns: tuple[RegionPart, ...]
    kinds: tuple[LiveStep, ...]


class Regions(NamedTuple):
    """The memory that workers share, a region of each for what it has found, answers, and states that wait."""

    found: Sequence[Region]
    answers: Sequence[Region]
    waiting: Sequence[Region]

    @classmethod
    def of(cls, workers: int) -> Regions:
        """New ones."""
        return cls(*[[Region() for _ in range(workers)] for _ in cls._fields])


Bits = NDArray[np.uint8]
_CALL_S: Final = 1e-4
"""What it takes to learn an execution path, more or less."""
_MISS_S: Final = 2e-6
"""What it takes to walk through a tree."""
_BEYOND: Final = 2
"""How many times too many states to be sent there may be before a part stops to expand ahead of the others."""
_NO_WORDS: Final[Words] = np.zeros(0, dtype=np.uint64)


def _least_number(parts: Sequence[Frontier]) -> int:
    return min((int(part.numbers.min()) for part in parts if len(part.rows)), default=0)


class _Numbers:
    """Gives the numbers of states: those of others are in their answers, in the order in which they were asked for."""

    def __init__(self, part: Part, answers: Sequence[Ints]) -> None:
        self._part = part
        self._answers = answers
        self._used = [0] * len(answers)

    def __call__(self, high: Words, low: Words) -> Ints:
        owners = self._part.ranges.owners(high)
        found = np.empty(len(high), dtype=np.int64)
        for owner, answers in enumerate(self._answers):
            which = np.flatnonzero(owners == owner)
            if owner == self._part.number:
                found[which] = self._part.run.store.numbers(high.take(which), low.take(which))
            else:
                begin = self._used[owner]
                self._used[owner] = end = begin + len(which)
                found[which] = answers[begin:end]
        return found


class Part:
    """The part with one number. The run is that of the process that was forked, which has found everything so far.

    `by_rules`: all parts expand all states of the first level, each some of the rules. Otherwise each expands its own.
    What they do on levels after that is said when their states are counted.
    """

    def __init__(
        self,
        run: ColumnRun,
        ranges: KeyRanges,
        number: int,
        regions: Regions,
        by_rules: bool,
        tick: Tick,
    ) -> None:
        self.number = number
        self.ranges = ranges
        self.run = run
        self.regions = regions.found
        self.answers = regions.answers
        self._offered = regions.waiting
        self._by_rules = by_rules
        self._drawing: list[Frontier] = []
        """The states that were expanded last."""
        self._kinds = len(run.space.edges.kinds)
        self.said: list[str] = []
        run.task = replace(run.task, tick=tick, say=self.said.append)
        run.task.phases.begin_anew()
        spill_files = run.store.spill_files
        spill_files.say = self.said.append
        if spill_files.budget is not None:
            spill_files.budget //= ranges.count
        run.store.narrow(lambda high: ranges.part(number, high))
        self._waiting = [
            [part.only(np.flatnonzero(ranges.owners(part.high) == owner)) for part in run.frontier]
            for owner in range(ranges.count)
        ]
        """The states that wait in each part; of the others they are known while a level is expanded by all."""
        run.frontier = self._waiting[number]
        run.outbox = self.outbox = Outbox(ranges, number)
        run.judge.recorded = {key: bytearray() for key in run.judge.recorded}
        common = Common(run.space)
        self._values = StateCodec(run.space.machine)
        self._writer = RowWriter(run.space, self._values, common)
        others = [other for other in range(ranges.count) if other != number]
        self._readers = {other: RowReader(run, self._values, common) for other in others}
        self._since, self._orders = len(run.store), len(run.space.orders)
        self._work: LevelWork | None = None
        self._shares: RuleShares | None = None
        self._expanding: Generator[None, None, None] | None = None
        self._found: list[dict[Packing, Batch]] = []
        self._learned_s = 0.0
        self._learned()
        self._new: list[list[Frontier]] = [[] for _ in range(ranges.count)]
        """The new states of a level, by part, where all judge some of them."""

    # --- a level ---------------------------------------------------------------------------------------------------

    @property
    def work(self) -> LevelWork:
        """The level under way."""
        assert self._work is not None
        return self._work

    def expand(self, line: Line, upto: int | None) -> RowsExpanded:
        """Expand what waits, or go on with that, until there is much to be sent.

        Where all expand all states, `line` says which rules are applied here, and `upto`, how many rows of the level
        all are to expand before they send: in the meantime one may find more than another.
        """
        if self._work is None:
            self._work = self.run.begin()
            if self._by_rules:
                self.run.frontier = list(chain.from_iterable(self._waiting))
                self._shares = RuleShares(line, self.number, self.ranges.count, self.run.frontier)
                self.run.shares = self._shares
            self._expanding = self.run.expanding(self._work.level)
        assert self._expanding is not None
        self.run.pause = None if upto is None else self._work.expanded + upto
        more = any(self._pauses() for _ in self._expanding)
        rows = self.run.expanded - self._work.expanded
        return RowsExpanded(more, self.run.space.memory.divider.gathered, rows, len(self.outbox))

    def _pauses(self) -> bool:
        most, pause = self.run.space.sizes.sent, self.run.pause
        if pause is None:
            return len(self.outbox) >= most
        return self.run.expanded >= pause or len(self.outbox) >= _BEYOND * most

    def ship(self, whole: Sequence[Slot], last: bool) -> Shipment:
        """Write what was found of the others' keys to the region. `whole`: slots whose sets are to be stored so.

        `last`: all that waits was expanded.
        """
        self._store_whole(whole)
        boxes = self.outbox.boxes
        used = list(dict.fromkeys(packing for box in boxes for packing, _ in box))
        numbers = {packing: number for number, packing in enumerate(used)}
        moved = self._moved() if last else []
        written = iter(self.regions[self.number].write([*[b.columns for box in boxes for _, b in box], *moved]))
        batches = tuple([tuple([(numbers[packing], next(written)) for packing, _ in box]) for box in boxes])
        self.outbox.clear()
        texts = tuple([self._writer.text(packing) for packing in used])
        return Shipment(self._writer.news(), texts, batches, tuple(written))

    def _moved(self) -> list[list[Bits]]:
        """By part, the states of each batch that have moved here, in bits; none where states are not divided."""
        shares = self._shares
        return [] if shares is None else [[np.packbits(shares.moved(one)) for one in part] for part in self._waiting]

    def receive(self, shipments: Sequence[Shipment]) -> None:
        """Take in what the others have found of the keys of this part."""
        for sender, reader in self._readers.items():
            shipment = shipments[sender]
            reader.take(shipment.news)
            for text in shipment.packings:
                reader.fit(text)
            orders = reader.orders()
            for index, pieces in shipment.batches[self.number]:
                self.run.task.patience.ask()
                *words, high, low, parents, steps, starts, crashes = self.regions[sender].read(pieces)
                packing, rows = reader.rows(shipment.packings[index], words)
                self.run.receive(packing, Batch(rows, high, low, parents, orders.take(steps), starts, crashes))

    def finish(self, moved: Sequence[Sequence[tuple[RegionPart, ...]]]) -> int:
        """How many new states there are. `moved`: see `Shipment`."""
        if self._shares is not None:
            bits = [self.regions[i].read(parts[self.number]) for i, parts in enumerate(moved)]
            for part, some in zip(self._waiting[self.number], zip(*bits, strict=True), strict=True):
                anywhere = np.unpackbits(np.bitwise_or.reduce(some), count=len(part.rows))
                self.run.judge_unmoved(part, anywhere != 0, self.work.level)
        self._found = self.run.finish()
        return sum(len(batch) for part in self._found for batch in part.values())

    def count(self, base: int, by_rules: bool) -> OfferedStates | None:
        """Number the new states from `base` on; and judge them, or write them to a region for all to judge some.

        `by_rules`: all parts are to expand all of them.
        """
        self._by_rules = by_rules
        found, self._found = self._found, []
        self.run.store.skip_to(base)
        self.run.number(self.work, found)
        if by_rules:
            return self._offer(self.work.frontier)
        self.run.judge_new(self.work)
        return None

    def _offer(self, parts: Sequence[Frontier]) -> OfferedStates:
        used = list(dict.fromkeys(part.packing for part in parts))
        written = self._offered[self.number].write([part.columns for part in parts])
        batches = [(used.index(part.packing), pieces) for part, pieces in zip(parts, written, strict=True)]
        texts = tuple([self._writer.text(packing) for packing in used])
        return OfferedStates(self._writer.news(), texts, tuple(batches))

    def judge(self, offers: Sequence[OfferedStates], looks: Looks) -> Pruned:
        """Judge some of the new states of all parts; those that are not to be expanded."""
        run, work = self.run, self.work
        # All of these are packed anew if a packing gets other bits for what others have met.
        run.frontier = [*self._waiting[self.number], *work.frontier]
        self._new[self.number] = work.frontier
        for sender, reader in self._readers.items():
            self._new[sender] = self._accept(sender, reader, offers[sender])
        parts = list(chain.from_iterable(self._new))
        count = self.ranges.count
        own = [share_of(part, looks.get(part.packing.layout.slots, ()), self.number, count) for part in parts]
        with run.task.phases.during(JUDGING):
            some = [part.only(rows) for part, rows in zip(parts, own, strict=True)]
            kept = run.judge_frontier(some, work.level, 0)
        pruned = iter(
            [rows[:0] if left is None else np.delete(rows, left) for rows, left in zip(own, kept, strict=True)]
        )
        return [[next(pruned) for _ in part] for part in self._new]

    def _accept(self, sender: int, reader: RowReader, offer: OfferedStates) -> list[Frontier]:
        """The new states of another part."""
        reader.take(offer.news)
        for text in offer.packings:
            reader.fit(text)
        parts = []
        for index, pieces in offer.batches:
            self.run.task.patience.ask()
            *words, numbers, starts, crashes, high, low, cut = self._offered[sender].read(pieces)
            packing, rows = reader.rows(offer.packings[index], words)
            parts.append(Frontier(packing, rows, numbers, starts, crashes, high, low, cut))
        self.run.frontier += parts
        return parts

    def _keep_others(self, pruned: Sequence[Pruned]) -> None:
        """Leave out new states that some part says are not to be expanded; of the own ones when they are taken in."""
        for number, parts in enumerate(self._new):
            kept: list[Ints | None] = []
            for part, gone in zip(parts, zip(*[one[number] for one in pruned], strict=True), strict=True):
                rows = np.concatenate(gone)
                left = np.delete(np.arange(len(part.rows)), rows) if len(rows) else None
                kept.append(left)
                if left is not None and number != self.number:
                    part.keep(left)
            if number == self.number:
                self.work.kept = kept

    def take_in(self, end: int, pruned: Sequence[Pruned]) -> TakenIn:
        """Make the new states the frontier. All new states are numbered up to `end`.

        `pruned`: what all who judged some have found.
        """
        level = self.work.level
        if self.run.graph is not None:
            self._drawing = self.run.frontier
        with METER.unasked():
            if self._by_rules:
                self._keep_others(pruned)
            self.run.take_in(self.work)
        self.run.store.skip_to(end)
        self._work = self._shares = self.run.shares = None
        self._waiting, self._new = self._new, [[] for _ in self._new]
        self._waiting[self.number] = self.run.frontier
        recorded = self.run.judge.recorded
        answers = {key: bytes(column) for key, column in recorded.items()}
        for column in recorded.values():
            column.clear()
        costs, looks = self.run.costs.seconds(), looks_of(self.run)
        return TakenIn(level, answers, self.run.store.exact, costs, looks, self._learned())

    def _learned(self) -> float:
        """The CPU seconds, more or less, in which something was learned since this was asked last."""
        total = self.run.space.memory.total()
        learned = _CALL_S * total.calls + _MISS_S * total.misses
        before, self._learned_s = self._learned_s, learned
        return learned - before

    def give_up(self, end: int) -> GivenUpPart | None:
        """Be as before the level under way, if there is one; states were numbered up to `end` then."""
        work, self._work = self._work, None
        if work is None:
            return None
        self._found = []
        expanded = self.run.give_up(work)
        self.run.frontier = self._waiting[self.number]
        self._shares = self.run.shares = None
        self.run.store.skip_to(end)
        for column in self.run.judge.recorded.values():
            column.clear()
        level = work.level
        witnesses = [*level.witnesses.values(), *([] if level.error is None else [level.error])]
        keys = [witness.at.key for witness in witnesses if witness.at is not None]
        origins = {key: origin for key in keys if (origin := self.run.origin(work, key)) is not None}
        return GivenUpPart(level, expanded, origins)

    def _store_whole(self, slots: Sequence[Slot]) -> None:
        divider = self.run.space.memory.divider
        some = [slot for slot in slots if slot not in divider.gathered]
        if some:
            self.run.store_whole(some)
        for reader in self._readers.values():
            reader.forget(slots)

    # --- the graph -------------------------------------------------------------------------------------------------

    def targets(self) -> tuple[tuple[RegionPart, ...], ...]:
        """Write down the keys of those states that steps of this level lead to and that others keep, for each other."""
        wanted: list[list[tuple[Words, Words]]] = [[] for _ in self.regions]
        for high, low in self.run.space.edges.targets():
            owners = self.ranges.owners(high)
            for other in self._readers:
                theirs = np.flatnonzero(owners == other)
                wanted[other].append((high.take(theirs), low.take(theirs)))
        groups = [[np.concatenate([_NO_WORDS, *half]) for half in zip(*some, strict=True)] for some in wanted]
        return tuple(self.regions[self.number].write([group or [_NO_WORDS] * 2 for group in groups]))

    def look_up(self, wanted: Sequence[Sequence[tuple[RegionPart, ...]]]) -> tuple[tuple[RegionPart, ...], ...]:
        """Write down the numbers of the states of this part that others ask for, for each other."""
        found = []
        for other in range(len(self.regions)):
            high, low = self.regions[other].read(wanted[other][self.number])
            found.append([self.run.store.numbers(high, low)])
        return tuple(self.answers[self.number].write(found))

    def edges(self, answers: Sequence[Sequence[tuple[RegionPart, ...]]]) -> DrawnPart:
        """The states that were expanded, with their steps."""
        numbers = _Numbers(self, [self.answers[i].read(parts[self.number])[0] for i, parts in enumerate(answers)])
        expanded, self._drawing = self._drawing, []
        return self._drawn(self.run.drawn(expanded, _least_number(expanded), numbers))

    def last_edges(self) -> DrawnPart:
        """The states that wait, which will not be expanded."""
        run = self.run
        run.hide_steps()
        waiting, run.frontier = run.frontier, []
        return self._drawn(run.drawn(waiting, _least_number(waiting), run.store.numbers, expanded=False))

    def _drawn(self, drawn: DrawnStates) -> DrawnPart:
        kinds = self.run.space.edges.kinds
        new, self._kinds = tuple(kinds[self._kinds :]), len(kinds)
        return DrawnPart(self.regions[self.number].write([drawn])[0], new)

    def drop_graph(self) -> None:
        """Keep no edges any more."""
        self.run.drop_graph()
        self._drawing = []

    # --- asking ----------------------------------------------------------------------------------------------------

    def links(self) -> ReachedBy:
        """Give up how states were reached: the first process keeps it from then on."""
        run = self.run
        columns = run.store.taken(self._since)
        self._since = len(run.store)
        orders = tuple(run.space.orders[self._orders :])
        self._orders += len(orders)
        return ReachedBy(self.regions[self.number].write([columns])[0], orders)

    def number_of(self, key: int) -> int | None:
        """The number of a state; None: another part keeps it."""
        try:
            return self.run.store.number(key)
        except KeyError:
            return None

    def reached_by(self, number: int) -> tuple[PathLink, int] | None:
        """The link of a state that was taken in since the last call of `links`, and the number of its parent; None:
        another part keeps it.
        """
        found = self.run.store.origin(number)
        if found is None:
            return None
        parent, order = found
        return PathLink(self.run.space.orders[order], self.run.store.key(number)), parent

    def waiting(self) -> WaitingColumns:
        """The states that wait, by value."""
        return waiting_columns(self.run)

    def stats(self) -> PartStats:
        """What this worker did."""
        run = self.run
        seconds = dict(run.task.phases.seconds)
        return PartStats(run.space.memory.tally(), own_effort(), seconds, run.stats(), tuple(self.said))
