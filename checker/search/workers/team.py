"""`Team`: an exploration by columns that goes on in several worker processes. The driver's side: it counts and records.

Each worker keeps the states of one range of keys (`part`), so the states of a level, ordered by key, are those of the
first worker, then those of the second one, and so on: their numbers, their parents and all that is reported are those
of a single process. How states were reached is fetched from the workers when a path or a checkpoint is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import Any, Final

import numpy as np

from checker.core.effort import CPU_OF_OTHERS, EDGES, MEMORY_OF_OTHERS, Effort
from checker.core.exploration import PathLink
from checker.core.level import Level, Unfinished
from checker.core.patience import Stop
from checker.liveness.graph import Graph, LiveStep
from checker.search.checkpoints.frontier_codec import WaitingColumns
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.edges import Drawing, DrawnStates
from checker.search.columns.outbox import KeyRanges
from checker.search.columns.shares import line_of
from checker.search.contract.level_counts import keeps_graph
from checker.search.contract.protocol import Task
from checker.search.memo.tally import Tally
from checker.search.rows.expander import Expander
from checker.search.workers.part import (
    DrawnPart,
    GivenUpPart,
    OfferedStates,
    Part,
    PartStats,
    Pruned,
    ReachedBy,
    Regions,
    RowsExpanded,
    Shipment,
    TakenIn,
    looks_of,
)
from checker.search.workers.processes import Board, Commands, Processes
from interpreter.state.state import Slot

_FEW: Final = 8
"""More workers than these do not divide the rules: each would look at all states for few of them."""


_MUCH: Final = 0.25
"""The share of a level's CPU seconds in which so much is learned that it is to be learned by few."""


@dataclass(slots=True)
class _Known:
    """What the workers said of themselves when they were asked last."""

    parts: Sequence[PartStats] = ()
    exact: bool = True
    said: set[str] = field(default_factory=set)


class Team:
    """Workers that go on from a run by columns. `level`: the number of the first level that they find."""

    def __init__(self, task: Task, run: ColumnRun, expander: Expander, workers: int, level: int) -> None:
        self.task = task
        self.run = run
        self.workers = workers
        self.level = level
        self.found = len(run.store)
        self._waiting = sum(len(part.rows) for part in run.frontier)
        self._expander = expander
        self._begun: Tally = expander.memory.tally()
        self._order_numbers: list[list[int]] = [list(range(len(run.space.orders))) for _ in range(workers)]
        self._counts: list[list[int]] = []
        """How many states each worker has found, on each level since they were asked for how these were reached."""
        self._known = _Known()
        self._regions = Regions.of(workers)
        # Steps that liveness sees are gathered where their source is; and what is written to the disk is there once.
        by_states = run.graph is not None or run.judge.recorded or run.store.spill_files.budget is not None
        self._divisible = workers <= _FEW and not by_states
        self._by_rules = self._next_by_rules = self._divisible
        """Whether all workers expand all states of the level under way, each some of the rules; and of the next one."""
        self._line = line_of([run.costs.seconds()])
        self._looks = looks_of(run)
        self._density = 0.0
        """How many states there were to be sent for each row that was expanded last, at most."""
        self._kinds: list[list[LiveStep]] = [list(run.space.edges.kinds) for _ in range(workers)]
        self._drawings = [Drawing(kinds) for kinds in self._kinds]
        self._board = Board(workers)
        ranges = KeyRanges(workers)
        board, regions, by_rules, first = self._board, self._regions, self._by_rules, os.getpid()

        def make(number: int) -> Commands:
            # If the first process is killed, the others end too.
            task.patience.follow(lambda: board.stopping or os.getppid() != first)

            def tick(states: int, transitions: int) -> None:
                board.note(number, states, transitions)
                task.patience.ask()

            part = Part(run, ranges, number, regions, by_rules, tick)
            return lambda name, given: getattr(part, name)(*given)

        self._processes = Processes(workers, make, board)
        # The workers have what waits.
        run.frontier = []

    def _tick(self) -> None:
        self.task.tick(*self._board.total())

    def _ask(self, name: str, *given: Any) -> list[Any]:
        """Have all workers do the same, to its end."""
        return self._processes.ask(name, [given] * self.workers)

    def _work(self, name: str, *given: Any) -> list[Any]:
        """Have all workers do the same, unless the run is to end. Raises `Stop` then."""
        return self._processes.ask(name, [given] * self.workers, self._tick)

    # --- a level ---------------------------------------------------------------------------------------------------

    def next(self) -> Level:
        """Expand what waits."""
        self._board.clear()
        by_rules = self._next_by_rules
        try:
            shipments = self._expand()
            counts: list[int] = self._work("finish", [one.moved for one in shipments])
            bounds = [self.found, *accumulate(counts, initial=self.found)][1:]
            offers: list[OfferedStates] = self._processes.ask(
                "count", [(base, by_rules) for base in bounds[:-1]], self._tick
            )
            pruned: list[Pruned] = self._work("judge", offers, self._looks) if by_rules else []
        except Stop as stop:
            stop.unfinished = self._given_up()
            raise
        parts: list[TakenIn] = self._ask("take_in", bounds[-1], pruned)
        self.found = bounds[-1]
        self._counts.append(counts)
        level = Level()
        for part in parts:
            level.merge(part.level)
            for key, answers in part.answers.items():
                self.run.judge.recorded[key] += answers
        self._known.exact = all(part.exact for part in parts)
        if by_rules != self._by_rules:
            self._by_rules, self._density = by_rules, 0.0
        self._next_by_rules = self._divisible and self._much_learned(parts)
        self._line = line_of([part.costs for part in parts])
        for part in parts:
            self._looks = {**self._looks, **part.looks}
        self._expander.acted |= level.acted
        if self.run.graph is not None:
            try:
                with self.task.phases.during(EDGES), self.task.patience.grace():
                    self._draw(self.run.graph)
            except Stop as stop:
                # The graph is of no use any more, and neither is the run.
                stop.torn = True
                stop.unfinished = Unfinished.of(level, self._waiting, self.path)
                raise
            if not keeps_graph(True, level):
                self.run.drop_graph()
                self._ask("drop_graph")
        self._waiting = level.frontier
        return level

    def _much_learned(self, parts: Sequence[TakenIn]) -> bool:
        """Whether so much was learned on a level that dividing the next ones by rules pays."""
        spent = sum(cost.seconds for part in parts for rules in part.costs.values() for cost in rules.values())
        return sum(part.learned for part in parts) >= _MUCH * spent

    def _draw(self, graph: Graph) -> None:
        """Write the states that were expanded into the graph."""
        wanted = self._work("targets")
        answers = self._work("look_up", wanted)
        self._draw_parts(graph, self._work("edges", answers))

    def _draw_parts(self, graph: Graph, parts: Sequence[DrawnPart]) -> None:
        for region, kinds, drawing, part in zip(self._regions.found, self._kinds, self._drawings, parts, strict=True):
            kinds += part.kinds
            drawing.draw(graph, DrawnStates(*region.read(part.columns)))

    def finished_graph(self) -> Graph:
        """The graph, in which the states that wait have no edges. They are given up."""
        graph = self.reached().graph
        assert graph is not None
        self._draw_parts(graph, self._ask("last_edges"))
        return graph

    def _expand(self) -> list[Shipment]:
        """Have all workers expand what waits, and send each other what they have found; what was sent last."""
        more, done = True, 0
        most = self.run.space.sizes.sent
        while more:
            upto = int(done + most / self._density) if self._by_rules and self._density else None
            expanded: list[RowsExpanded] = self._work("expand", self._line, upto)
            more = any(one.more for one in expanded)
            self._density = max(one.sent / max(1, one.rows - done) for one in expanded)
            done = min(one.rows for one in expanded)
            whole: set[Slot] = set().union(*[one.whole for one in expanded])
            shipments: list[Shipment] = self._work("ship", tuple(whole), not more)
            self._work("receive", shipments)
        return shipments

    def _given_up(self) -> Unfinished:
        """What was met on a level that was stopped. The workers are as before it."""
        parts: list[GivenUpPart] = [part for part in self._ask("give_up", self.found) if part is not None]
        level = Level()
        for part in parts:
            level.merge(part.level)
        paths: dict[int, tuple[PathLink, ...]] = {}
        for part in parts:
            for key, (parent, order) in part.origins.items():
                paths[key] = (*self._path_to(parent), PathLink(order, key))
        # A state is expanded if all rules were applied to it.
        expanded = (min if self._by_rules else sum)(part.expanded for part in parts)
        return Unfinished(level, expanded, paths)

    # --- asking ----------------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether all workers compare states, and not their keys alone."""
        return self._known.exact

    def reached(self) -> ColumnRun:
        """The run that the workers have gone on from, with all states found and how they were reached."""
        if self._counts:
            links: list[ReachedBy] = self._ask("links")
            self._add_states(links)
        return self.run

    def _add_states(self, links: Sequence[ReachedBy]) -> None:
        store, space = self.run.store, self.run.space
        store.compare_keys()
        columns = []
        for region, one, numbers in zip(self._regions.found, links, self._order_numbers, strict=True):
            numbers += [space.number(order) for order in one.orders]
            high, low, parents, orders = region.read(one.columns)
            columns.append((high, low, parents, np.array(numbers, dtype=np.int32).take(orders)))
        begins = [0] * self.workers
        for counts in self._counts:
            some = [
                [column[begin : begin + count] for column in part]
                for part, begin, count in zip(columns, begins, counts, strict=True)
            ]
            store.append(*[np.concatenate(parts) for parts in zip(*some, strict=True)])
            begins = [begin + count for begin, count in zip(begins, counts, strict=True)]
        self._counts = []

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The path to a state that was found. The workers are asked for its states, and not for all."""
        if not self._counts or self._processes.closed:
            return self.reached().path(key)
        return self._path_to(self._one("number_of", key))

    def _path_to(self, number: int) -> tuple[PathLink, ...]:
        """The path to the state of this number."""
        store, links = self.run.store, list[PathLink]()
        while number >= len(store):
            link, number = self._one("reached_by", number)
            links.append(link)
        return (*self.run.path(store.key(number)), *reversed(links))

    def _one(self, name: str, given: int) -> Any:
        """What one of the workers answers; the others have nothing to say."""
        return next(answer for answer in self._ask(name, given) if answer is not None)

    def waiting_columns(self) -> list[WaitingColumns]:
        """The states that wait, by value."""
        return self._ask("waiting")

    def stats(self) -> Mapping[str, object]:
        """What all processes did together, for `--stats`."""
        if not self._processes.closed:
            self._known.parts = self._ask("stats")
        parts = self._known.parts
        effort = sum([part.effort for part in parts], Effort())
        columns: dict[str, Any] = {}
        for part in parts:
            self.task.phases.add(part.seconds)
            for sentence in part.said:
                # Each worker has the same to say of a disk that is full.
                if sentence not in self._known.said:
                    self._known.said.add(sentence)
                    self.task.say(sentence)
            for name, value in part.columns.items():
                columns[name] = max(columns.get(name, 0), value)
        tally = self._begun.together([part.tally for part in parts]) if parts else self._begun
        return {
            **tally.stats(),
            **columns,
            "workers": self.workers,
            "workers from level": self.level,
            CPU_OF_OTHERS: round(effort.cpu_s, 3),
            MEMORY_OF_OTHERS: round(effort.memory_mb, 1),
        }

    def close(self) -> None:
        """End the workers."""
        self._processes.close()
        for region in chain.from_iterable(self._regions):
            region.close()
