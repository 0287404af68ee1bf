"""`ColumnRun`: an exploration by columns, level by level. It takes over from a run row by row that became wide."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from checker.core.effort import EDGES, JOINING, JUDGING, LOOKING_UP, STEPPING
from checker.core.exploration import PathLink
from checker.core.level import Level, Unfinished
from checker.core.patience import Stop
from checker.liveness.graph import Graph
from checker.search.columns.batch import Batch
from checker.search.columns.capacity import THREAD, Capacity
from checker.search.columns.chunk import Chunk, TooWide
from checker.search.columns.code_tables import Ints, Mask, halves
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.edges import Drawing, DrawnStates, Numbered
from checker.search.columns.element_bits import WholeSets
from checker.search.columns.expand import ColumnExpander
from checker.search.columns.follow_judge import FollowJudge
from checker.search.columns.gathered import Gathered
from checker.search.columns.judge import AssertionEvaluator
from checker.search.columns.outbox import Outbox
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.shares import RuleCosts, StepShares
from checker.search.columns.space import Space
from checker.search.columns.spill_file import in_memory
from checker.search.columns.step_rules import StepRule
from checker.search.columns.store import StateStore
from checker.search.contract.bounds import is_cut
from checker.search.contract.judge_watches import judge_dead_end
from checker.search.contract.level_counts import count_states, is_dead_end, keeps_graph, lacks_steps
from checker.search.contract.protocol import Task
from checker.search.memo.alike_slots import alike
from checker.search.memo.trie import Counters
from interpreter.state.state import Slot
from interpreter.state.step import StepKind, StepOrder
from interpreter.values.budget import METER

_LEAST_ROWS: Final = 1 << 15
_MOST_ROWS: Final = 1 << 18
_STEPS: Final = 1 << 19
"""Rows are expanded so many at a time that they make about this many steps: enough that numpy does all the work, and
few enough that these steps take little memory beside the states found."""


_NARROWER: Final = 4
"""If rows make too many steps together, this part of them, as a power of two, is tried next."""


class Crowded(Exception):
    """The sets in some slots have too many elements to be stored by elements."""

    def __init__(self, slots: list[Slot]) -> None:
        super().__init__(slots)
        self.slots = slots


class NewStates(NamedTuple):
    """New states of a range of keys, by packing; the order of their keys where there are several packings."""

    batches: list[Batch]
    order: Ints | None
    frontier: list[Frontier]


@dataclass(slots=True)
class LevelWork:
    """A level under way: its result so far, the new states once they are numbered, and the rows to go on with.

    `acted` and `expanded`: the actions that had steps, and how many rows were expanded, before it.
    """

    acted: set[int]
    expanded: int
    level: Level = field(default_factory=Level)
    new: list[NewStates] = field(default_factory=list)
    kept: list[Ints | None] = field(default_factory=list)

    @property
    def frontier(self) -> list[Frontier]:
        """The new states."""
        return [part for one in self.new for part in one.frontier]


class ColumnRun:
    """Exploration by columns of one program in this process; with an `outbox`, of the states of one range of keys."""

    def __init__(self, task: Task, space: Space, store: StateStore, graph: Graph | None) -> None:
        self.task = task
        self.space = space
        self.store = store
        self.judge = AssertionEvaluator(task, space)
        self.judge.following = FollowJudge(space, task.patience, self.expander_of, self.refit)
        self._judged: list[Frontier] = []
        """The states that are being judged, and are no frontier yet."""
        self.graph = graph
        self._drawing = Drawing(space.edges.kinds)
        self.frontier: list[Frontier] = []
        self.outbox: Outbox | None = None
        self.shares: StepShares | None = None
        """The part of the steps that this run takes, if it does not take all."""
        self.costs = RuleCosts()
        self.pause: int | None = None
        """How many rows will have been expanded when others wait for this process."""
        self._bound = task.program.options.max_actions
        self._counters = Counters()
        self._expanders: dict[Packing, ColumnExpander] = {}
        self._gathered = Gathered(store.spill_files)
        _, _, self._of_dead_ends = task.watching
        self._stepping = False
        """Whether rows are being expanded: their expansion can begin again."""
        self.expanded = self._steps = 0
        """Rows that were expanded, and steps that were taken from them by columns."""

    # --- one level -------------------------------------------------------------------------------------------------

    def next(self) -> Level:
        """Expand the frontier."""
        work = self.begin()
        try:
            self._step(work.level)
            self.number(work, self.finish())
            self.judge_new(work)
            if self.space.export is not None:
                self.space.export.write(work.frontier)
        except Stop as stop:
            stop.unfinished = Unfinished.of(work.level, self.give_up(work), partial(self._new_path, work))
            raise
        expanded = self.frontier if self.graph is not None else []
        with METER.unasked():
            self.take_in(work)
            if self.space.export is not None:
                self.space.export.done()
        if self.graph is not None:
            try:
                with self.task.phases.during(EDGES), self.task.patience.grace():
                    self._draw(self.graph, expanded)
            except Stop as stop:
                # A run that was stopped needs no graph, unless it is saved: then it goes on from an earlier level.
                stop.torn = True
                count = self.expanded - work.expanded
                stop.unfinished = Unfinished.of(work.level, count, partial(self._new_path, work))
                raise
            if not keeps_graph(True, work.level):
                self.drop_graph()
        return work.level

    def begin(self) -> LevelWork:
        """Begin a level.

        What follows is `expanding` to its end, `finish`, `number`, `judge_new` and `take_in`; or `give_up`.
        """
        self.costs.clear()
        return LevelWork(set(self.space.expander.acted), self.expanded)

    def give_up(self, work: LevelWork) -> int:
        """Be as before a level was begun; how many rows were expanded."""
        self.space.expander.acted = work.acted
        self._gathered = Gathered(self.store.spill_files)
        if self.outbox is not None:
            self.outbox.clear()
        self.space.edges.clear()
        if self.space.export is not None:
            self.space.export.drop()
        return self.expanded - work.expanded

    def steps(self, level: Level) -> dict[Packing, Batch]:
        """Expand the frontier, and keep nothing: the targets, each state of a packing once, sorted by key."""
        self._step(level)
        self.frontier = []
        found: dict[Packing, list[Batch]] = {}
        for part in self.finish():
            for packing, batch in part.items():
                found.setdefault(packing, []).append(batch)
        return {packing: Batch.joined(batches) for packing, batches in found.items()}

    def _step(self, level: Level) -> None:
        for _ in self.expanding(level):
            pass

    def expanding(self, level: Level) -> Generator[None, None, None]:
        """Expand the frontier, some rows at a time."""
        if slots := self._crowded():
            self.store_whole(slots)
        for part in self.frontier:
            self._make_room(part)
            begin = 0
            while begin < len(part.rows):
                end = min(begin + self._rows_at_a_time(), len(part.rows))
                if self.pause is not None:
                    end = min(end, begin + max(_LEAST_ROWS, self.pause - self.expanded))
                end = self._expand_some(part, begin, end, level)
                self.expanded += end - begin
                self._save_memory()
                if self.space.export is not None:
                    self.space.export.relieve()
                self.task.tick(len(self._gathered), level.transitions)
                begin = end
                yield

    def _rows_at_a_time(self) -> int:
        wanted = _STEPS * self.expanded // max(self._steps, 1)
        most = self.space.sizes.steps
        if wanted * most >= _LEAST_ROWS * _STEPS or not self._steps:
            return max(_LEAST_ROWS, min(wanted, _MOST_ROWS))
        return max(1, wanted * most // _STEPS)

    def _expand_some(self, part: Frontier, begin: int, end: int, level: Level) -> int:
        """Expand rows up to `end`, or fewer of them if they make too many steps together; where it ended."""
        edges, acted, export = self.space.edges.gathered, set(self.space.expander.acted), self.space.export
        exported = 0 if export is None else export.gathered
        while True:
            brought = Level()
            self._stepping = True
            try:
                self._steps += self._expand(part, begin, end, brought)
                return end
            except (TooWide, Crowded) as problem:
                brought = Level()
                self.space.edges.forget(edges)
                if export is not None:
                    export.forget(exported)
                self.space.expander.acted = set(acted)
                if isinstance(problem, Crowded):
                    self.store_whole(problem.slots)
                else:
                    end = begin + max(1, (end - begin) >> _NARROWER)
            finally:
                self._stepping = False
                level.merge(brought)

    def _save_memory(self) -> None:
        """Write the states held in memory to spill files if they take more than the budget."""
        spill_files = self.store.spill_files
        if spill_files.budget is None:
            return
        waiting = in_memory(column for part in self.frontier for column in part.columns)
        sent = 0 if self.outbox is None else self.outbox.bytes
        if self.store.bytes + waiting + self._gathered.bytes + sent > spill_files.budget:
            self.store.spill()
            self._gathered.spill()
            for part in self.frontier:
                part.each(spill_files.put)
        spill_files.rest()

    def _draw(self, graph: Graph, parts: list[Frontier], expanded: bool = True) -> None:
        """Write the states that were expanded, or will not be any more, into the graph."""
        drawn = self.drawn(parts, graph.states, self.store.numbers, expanded)
        self._drawing.draw(graph, drawn)

    def drawn(self, parts: list[Frontier], base: int, numbers: Numbered, expanded: bool = True) -> DrawnStates:
        """The states of a level, from number `base` on, that were expanded, or will not be any more, with their steps.

        `numbers` gives those of the states that steps lead to.
        """
        count = sum(len(part.rows) for part in parts)
        quiet, cut = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        for part in parts:
            index = part.numbers - base
            quiet[index] = part.packing.codes(part.rows, ("thread", 0)) == 0
            cut[index] = lacks_steps(part.cut, expanded)
        return self.space.edges.drawn(base, quiet, cut, numbers)

    def hide_steps(self) -> None:
        """Gather the steps of the states that wait, which will not be expanded."""
        for part in self.frontier:
            everything = self._chunk(part, 0, len(part.rows), Level())
            kinds = (StepKind.CONTINUE, StepKind.START)
            self.expander_of(part.packing).hide(everything, kinds, np.arange(len(part.rows)))

    def finished_graph(self) -> Graph:
        """The graph, in which the states that wait have no edges."""
        assert self.graph is not None
        self.hide_steps()
        self._draw(self.graph, self.frontier, expanded=False)
        self.frontier = []
        return self.graph

    def drop_graph(self) -> None:
        """Keep no edges any more."""
        self.graph = None
        self.space.edges.clear()
        for expander in self._expanders.values():
            expander.drop_edges()

    def expander_of(self, packing: Packing) -> ColumnExpander:
        """What expands the rows of a packing."""
        if packing not in self._expanders:
            wanted = self.graph is not None
            self._expanders[packing] = ColumnExpander(self.space, self.judge, packing, self._counters, wanted)
        return self._expanders[packing]

    def _make_room(self, part: Frontier) -> None:
        """Add thread slots where the last one is taken and there may be another thread; count the messages."""
        packing = part.packing
        while packing.threads < self.space.most_threads:
            if not packing.codes(part.rows, (THREAD, packing.threads - 1)).any():
                break
            self._refit(packing, packing.room._replace(threads=packing.threads + 1), ())
        packing.hold(part.rows)

    def refit(self, packing: Packing, room: Capacity) -> None:
        """Pack everything of a packing anew, with so much room."""
        self._refit(packing, room, ())

    def _refit(self, packing: Packing, room: Capacity, more: tuple[Batch, ...] | list[Batch]) -> None:
        """Pack everything of a packing anew, `more` batches among it, if that is necessary."""
        if self._stepping and (slots := self._crowded()):
            raise Crowded(slots)
        room = room.beside(packing.wanted)
        if room == packing.room and packing.adopt():
            return
        self.space.refits += 1
        if room.threads != packing.threads:
            self._expanders.pop(packing, None)
        packing.refit(self._rows(packing, more), room)

    def _rows(self, packing: Packing, more: Sequence[Batch] = ()) -> Iterator[Rows]:
        """All rows of a packing, `more` batches among them."""
        rows = [part.rows for part in [*self.frontier, *self._judged] if part.packing is packing]
        rows += [*self._gathered.rows(packing), *[batch.rows for batch in more]]
        rows += [] if self.outbox is None else self.outbox.rows(packing)
        return chain(rows, self.store.repacked(packing))

    def _crowded(self) -> list[Slot]:
        """The slots in which sets have too many elements to be stored by elements."""
        return self.space.tables.crowded(len(self.store), self.space.sizes)

    def store_whole(self, slots: list[Slot]) -> None:
        """Store the sets in some slots whole from now on, and forget what was learned of their elements."""
        space, memory = self.space, self.space.memory
        if space.images is not None:
            like = set(map(alike, slots))
            fields = dict.fromkeys(slot for packing in space.packings.values() for slot in packing.fields)
            slots = [slot for slot in fields if alike(slot) in like and space.tables.has_sets_by_elements(slot)]
        wholes = {packing: WholeSets(packing, slots) for packing in space.packings.values()}
        for packing, sets in wholes.items():
            for rows in self._rows(packing):
                sets.codes(rows)
        space.tables.store_whole(slots)
        for packing, sets in wholes.items():
            packing.refit(self._rows(packing), packing.room, sets)
        memory.store_whole(slots)
        space.parked.clear()
        space.restarts.clear()
        self._expanders.clear()
        self.judge.verdicts.forget()

    def _chunk(self, part: Frontier, begin: int, end: int, level: Level) -> Chunk:
        count, most = end - begin, self.space.sizes.steps
        return Chunk(part, begin, end, level, np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_), most)

    def _expand(self, part: Frontier, begin: int, end: int, level: Level) -> int:
        """Expand some rows; the number of steps that were taken by columns."""
        packing = part.packing
        expander = self.expander_of(packing)
        chunk = self._chunk(part, begin, end, level)
        made = 0
        for rule in expander.rules:
            self.task.patience.ask()
            self.costs.begin()
            which = expander.which(rule, chunk, None if self.shares is None else self.shares.own(rule, chunk))
            while len(which):
                some, which = which[: rule.left], which[rule.left :]
                self._step_by(rule, expander, chunk, some)
            before, made = made, sum(len(batch) for batch in chunk.fast)
            self.costs.note(rule, made - before)
        hidden = np.flatnonzero(part.cut[begin:end])
        if self.graph is not None and len(hidden):
            expander.hide(chunk, (StepKind.START,), hidden)
        self.task.patience.ask()
        self.costs.begin()
        with self.task.phases.during(JOINING):
            self._keep(chunk)
        self.costs.note_joining()
        if self.shares is None:
            self._judge_dead_ends(part, begin, is_dead_end(chunk.moves, chunk.failed, part.cut[begin:end]), level)
        else:
            self.shares.note(chunk)
        return made

    def _judge_dead_ends(self, part: Frontier, begin: int, dead: Mask, level: Level) -> None:
        """Judge those states of a part, from row `begin` on, that are dead ends."""
        rows = np.flatnonzero(dead)
        if len(rows):
            judge_dead_end(self._of_dead_ends, part.ref(part.first(begin + rows)), level)

    def judge_unmoved(self, part: Frontier, moved: Mask, level: Level) -> None:
        """Judge the dead ends of a part, with the rows that have a step, or a failure, in any process."""
        self._judge_dead_ends(part, 0, is_dead_end(moved.astype(np.int64), np.zeros_like(moved), part.cut), level)

    def _step_by(self, rule: StepRule, expander: ColumnExpander, chunk: Chunk, which: Ints) -> None:
        """Take the steps of a rule from some rows of a chunk."""
        packing, phases = chunk.part.packing, self.task.phases
        if rule.alone:
            with phases.during(STEPPING):
                ran = expander.run_alone(rule, chunk, which)
                if packing.outgrown:
                    self._refit(packing, packing.room, chunk.fast)
                expander.apply_alone(rule, chunk, ran)
            return
        calls = rule.calls
        with phases.during(LOOKING_UP):
            found = expander.look_up(rule, chunk, which)
            while packing.outgrown:
                self._refit(packing, packing.room, chunk.fast)
                found = expander.look_up(rule, chunk, which)
        self.task.patience.ask()
        with phases.during(STEPPING):
            expander.apply(rule, chunk, found)
            rule.weigh(found, calls)

    def _keep(self, chunk: Chunk) -> None:
        """Keep the new states among the targets of a chunk."""
        if len(self.space.packings) > 1:
            self.store.compare_keys()
        ranks = self.space.order_ranks()
        moves = bool(chunk.fast) and chunk.fast[0].moves is not None
        made = self._fresh_moved(chunk, ranks) if moves else {chunk.part.packing: chunk.fast}
        for packing, arrivals in chunk.slow.items():
            states = arrivals.states()
            packing.learn(states)
            room = packing.room.beside(Capacity.of(states))
            if packing.outgrown or room != packing.room:
                self._refit(packing, room, made.get(packing, ()))
            batches = made.setdefault(packing, [])
            if arrivals.alone:
                batches.append(arrivals.packed_alone(packing))
            for some in arrivals.alike:
                taken = some.packed(packing, chunk.part.packing, chunk.part.rows)
                self.judge.steps(some.rule, chunk.part, taken, chunk.level, packing)
                batches.append(taken.batch)
        for packing, batches in made.items():
            if batches:
                is_fresh = moves and len(batches) == 1 and packing not in chunk.slow
                fresh = batches[0] if is_fresh else self._fresh(Batch.joined(batches), ranks)
                if self.outbox is not None:
                    fresh = self.outbox.sort_out(packing, fresh)
                self._gather(packing, fresh)

    def _fresh(self, batch: Batch, ranks: Ints) -> Batch:
        """Each state of a batch once, with its parent, sorted by key, unless it was found before the level under way.

        What other processes have found is not known here.
        """
        found = self.store.least(batch, ranks)
        own = slice(0, len(found)) if self.outbox is None else self.outbox.own(found)
        known = self.store.known(found.between(own.start, own.stop))
        if not known.any():
            return found
        fresh = np.ones(len(found), dtype=np.bool_)
        fresh[own] = ~known
        return found.take(np.flatnonzero(fresh))

    def _gather(self, packing: Packing, fresh: Batch) -> None:
        if len(fresh):
            self._gathered.add(packing, fresh, partial(self._least, ranks=self.space.order_ranks()))

    def receive(self, packing: Packing, batch: Batch) -> None:
        """Take in states that another process has found, each once and sorted by key. The batch is not kept."""
        if len(self.space.packings) > 1:
            self.store.compare_keys()
        self._gather(packing, batch.take(np.flatnonzero(~self.store.known(batch))))

    def finish(self) -> list[dict[Packing, Batch]]:
        """What the level has found, by ranges of keys."""
        return self._gathered.finish(partial(self._least, ranks=self.space.order_ranks()))

    def _least(self, batch: Batch, ranks: Ints) -> Batch:
        self.task.patience.ask()
        return self.store.least(batch, ranks)

    def _fresh_moved(self, chunk: Chunk, ranks: Ints) -> dict[Packing, list[Batch]]:
        """The images of the new states among the targets of a chunk, or what is left of them, by packing.

        All batches together have each state once, and each batch is sorted by key.
        """
        made: dict[Packing, list[Batch]] = {}
        packing = chunk.part.packing
        moves = self.space.images or self.expander_of(packing).losses
        batch = self._fresh(Batch.joined(chunk.fast), ranks)
        for target in moves.targets(batch):
            room = target.room.beside(packing.room)
            if target.outgrown or room != target.room:
                more = [batch] if target is packing else []
                self._refit(target, room, more)
        for target, moved in moves.moved(packing, batch):
            made.setdefault(target, []).append(moved)
        return made

    def number(self, work: LevelWork, found: list[dict[Packing, Batch]]) -> None:
        """Number the new states of a level by key."""
        work.level.noted = self.space.machine.noted()
        with self.task.phases.during(JOINING):
            base = len(self.store)
            for part in found:
                batches = list(part.values())
                order = self.store.order(batches)
                numbers = self.store.numbers_from(base, batches, order)
                base += sum(len(batch) for batch in batches)
                frontier = []
                for (packing, b), own in zip(part.items(), numbers, strict=True):
                    cut = is_cut(b.starts, self._bound)
                    frontier.append(Frontier(packing, b.rows, own, b.starts, b.crashes, b.high, b.low, cut))
                work.new.append(NewStates(batches, order, frontier))

    def judge_new(self, work: LevelWork) -> None:
        """Judge the new states of a level."""
        with self.task.phases.during(JUDGING):
            work.kept = self.judge_frontier(work.frontier, work.level, len(self.store))

    def take_in(self, work: LevelWork) -> None:
        """Store the new states and make them the frontier. The level is not stopped any more."""
        with self.task.phases.during(JOINING):
            for one in work.new:
                self.store.add(one.batches, one.order)
        self._wait(work.frontier, work.kept, work.level)
        self._save_memory()

    def take(self, frontier: list[Frontier], level: Level) -> None:
        """Judge states that were stored just now, and go on from them."""
        base = len(self.store) - sum(len(part.rows) for part in frontier)
        self._wait(frontier, self.judge_frontier(frontier, level, base), level)

    def judge_frontier(self, frontier: list[Frontier], level: Level, base: int) -> list[Ints | None]:
        """Judge states of a level, of which the least has the number `base`; the rows to go on with."""
        self._judged = frontier
        try:
            return self.judge.states(frontier, level, base)
        finally:
            self._judged = []

    def _wait(self, frontier: list[Frontier], kept: list[Ints | None], level: Level) -> None:
        """Make judged states the frontier, but for those that are pruned."""
        self.frontier = frontier
        for part, rows in zip(frontier, kept, strict=True):
            found = len(part.rows)
            pruned = 0 if rows is None else found - len(rows)
            count_states(level, found, part.key(0) if found else None, int(part.cut.sum()), pruned)
            if rows is not None:
                part.keep(rows)

    def _new_path(self, work: LevelWork, key: int) -> tuple[PathLink, ...] | None:
        """The path to a state of the level under way; None: it was found before."""
        origin = self.origin(work, key)
        if origin is None:
            return None
        parent, order = origin
        return (*self.path(self.store.key(parent)), PathLink(order, key))

    def origin(self, work: LevelWork, key: int) -> tuple[int, StepOrder] | None:
        """The number of the source and the step by which a state of the level under way was found; None: of no such."""
        high, low = halves([key])
        for batch in [batch for one in work.new for batch in one.batches]:
            for row in np.flatnonzero((batch.high == high[0]) & (batch.low == low[0])).tolist():
                return int(batch.parents[row]), self.space.orders[int(batch.orders[row])]
        return None

    # --- asking ----------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The path to a state."""
        return self.store.path(key, self.space.orders)

    def ranks(self) -> Ints:
        """The rank of each state found, by number, in the order of (level, crashes, key)."""
        return self.store.ranks(self.space.orders)

    def cost(self, number: int) -> tuple[int, int]:
        """The level of a state found, and the crash steps on its path."""
        return self.store.cost(number, self.space.orders)

    def stats(self) -> Mapping[str, object]:
        """What the columns did, for `--stats`."""
        spilled = {"MB on disk": round(self.store.spill_files.bytes / 1e6, 1)} if self.store.spill_files.in_use else {}
        packings = self.space.packings.values()
        shared = sum(bool(packing.layout.cells) for packing in packings)
        return {
            "packings": len(packings),
            **({"packings with shared containers": shared} if shared else {}),
            "slots of a packing": max((len(packing.fields) for packing in packings), default=0),
            "bits of a packing": max((packing.bits for packing in packings), default=0),
            "re-packs": self.space.refits,
            **spilled,
        }
