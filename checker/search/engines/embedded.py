"""The embedded engine: one process, row by row while the frontier is small, by columns once it is wide."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from checker.core.exploration import PathLink
from checker.core.level import Level
from checker.liveness.graph import Graph
from checker.search.columns.sizes import SIZES, Sizes
from checker.search.contract.protocol import WIDE, Task
from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import THRESHOLDS, Thresholds
from checker.search.rows.row_run import RowRun
from interpreter import Machine, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from checker.core.demand import ExploredStates
    from checker.search.checkpoints.lasting_run import Saved
    from checker.search.checkpoints.records import Records
    from checker.search.columns.column_frontier import Frontier
    from checker.search.columns.column_run import ColumnRun
    from checker.search.columns.takeover import DividesAnew
    from checker.search.workers.team import Team
    from checker.storage.file_store import FileStore


_DEAREST: Final = 4
"""So many images cost as much row by row as the rest of a state."""
_PAYS: Final = 1 << 14
"""States in the frontier from which several processes are faster than one."""


class Sharing(NamedTuple):
    """How many workers share an exploration by columns, from that width of the frontier; None: as many as cores."""

    workers: int | None
    wide: int = _PAYS


class EmbeddedEngine:
    """`wide`: the size of the frontier from which it goes by columns; None: never. `sizes`: thresholds of columns.

    `thresholds`: when rules are run directly. `shared`: how workers share the work.
    """

    name = "embedded"

    def __init__(
        self,
        wide: int | None = WIDE,
        sizes: Sizes = SIZES,
        thresholds: Thresholds = THRESHOLDS,
        shared: Sharing | None = None,
    ) -> None:
        self.wide = wide
        self.sizes = sizes
        self.thresholds = thresholds
        self.shared = shared

    def begin(self, task: Task) -> EmbeddedRun:
        if self.thresholds is not THRESHOLDS:
            memory = task.memory or Memory(task.machine(task.program), task.phases)
            memory.thresholds = self.thresholds
            task = replace(task, memory=memory)
        return EmbeddedRun(task, self.wide, self.sizes, self.shared)


class EmbeddedRun:
    """One exploration: it begins row by row and goes on by columns."""

    by_turns: ClassVar = True
    """Whether columns ask lists and dicts by turns, and whether containers are equal."""

    def __init__(self, task: Task, wide: int | None, sizes: Sizes = SIZES, shared: Sharing | None = None) -> None:
        self._rows = RowRun(task, self.by_turns)
        self._columns: ColumnRun | None = None
        self._divides: DividesAnew | None = None
        self._team: Team | None = None
        self._shared = shared or Sharing(task.settings.workers)
        self._level = 0
        self._wide = wide
        self._sizes = sizes
        self._stays = False
        self._records: Records | None = None

    @property
    def symmetric(self) -> bool:
        return self._rows.symmetric

    @property
    def exact(self) -> bool:
        if self._team is not None:
            return self._team.exact
        return self._rows.exact if self._columns is None else self._columns.store.exact

    def first(self) -> Level:
        return self._rows.first()

    def next(self) -> Level:
        if self._columns is None and not self._stays and self._is_wide():
            self._take_over()
        elif self._columns is not None and self._team is None:
            self._divide_anew(self._columns)
        self._share()
        level = self._go()
        self._level += 1
        return level

    def _is_wide(self) -> bool:
        """Whether the states that wait are enough for columns: row by row, each has the cost of its images."""
        waiting = self._rows.waiting
        if self._wide is None or not waiting:
            return False
        if len(waiting) >= self._wide:
            return True
        if not self._rows.symmetric:
            return False
        images = self._rows.machine.images
        renamings = images.renamings(images.used(waiting[-1].state))
        most = _DEAREST * self._wide // len(waiting) + 1
        return len(waiting) * sum(1 for _ in islice(renamings, most)) >= _DEAREST * self._wide

    def _go(self) -> Level:
        if self._team is not None:
            return self._team.next()
        return self._rows.next() if self._columns is None else self._columns.next()

    def _share(self) -> None:
        """Have workers go on, if there are to be some and they are not at work yet, from the width at which it pays."""
        columns, shared = self._columns, self._shared
        if self._team is not None or columns is None or shared.workers == 1 or self._why_alone is not None:
            return
        if sum(len(part.rows) for part in columns.frontier) < shared.wide:
            return
        rows, workers = self._rows, shared.workers
        if workers is None:
            from checker.search.workers.by_default import workers_by_default

            workers = workers_by_default(rows.task.settings)
            if workers == 1:
                self._shared = Sharing(1)
                return
        from checker.search.workers.team import Team

        self._team = Team(rows.task, columns, rows.expander, workers, self._level + 1)

    @property
    def _why_alone(self) -> str | None:
        """Why workers cannot share this exploration, if they cannot."""
        if self._stays:
            return "it goes row by row"
        if self._rows.parts is not None:
            return "an export has one writer"
        return None if hasattr(os, "fork") else "this system cannot fork processes"

    def _take_over(self) -> None:
        if not self._rows.known_to_columns:
            self._stays = True
            return
        from checker.search.columns.takeover import take_over

        self._columns = take_over(self._rows, self._sizes)
        self._rows.give_up()

    def _divide_anew(self, columns: ColumnRun) -> None:
        """Have sets, lists and dicts that have many values by now be asked by elements or turns, if that pays."""
        if self._divides is None:
            from checker.search.columns.takeover import DividesAnew

            self._divides = DividesAnew(self._rows, self._sizes)
        self._columns = self._divides.instead(columns) or columns

    def path(self, key: int) -> tuple[PathLink, ...]:
        if self._team is not None:
            return self._team.path(key)
        return self._rows.path(key) if self._columns is None else self._columns.path(key)

    def graph(self) -> Graph:
        if self._team is not None:
            return self._team.finished_graph()
        return self._rows.graph() if self._columns is None else self._columns.finished_graph()

    @property
    def machine(self) -> Machine:
        """The machine that runs the rules."""
        return self._rows.machine

    @property
    def graph_so_far(self) -> Graph:
        """The graph of the states that were expanded, as long as there is one: in one process."""
        graph = self._rows.graph_so_far if self._columns is None else self._columns.graph
        assert graph is not None
        return graph

    def new_states(self) -> Iterator[tuple[NDArray[np.int64], list[State] | Frontier]]:
        """The states that wait, with their numbers: as they are, or in columns."""
        import numpy as np

        if self._columns is None:
            waiting = self._rows.waiting
            yield np.array([one.number for one in waiting], dtype=np.int64), [one.state for one in waiting]
        else:
            yield from ((part.numbers.astype(np.int64), part) for part in self._columns.frontier)

    def halves(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The keys of some states, in halves."""
        if self._columns is not None:
            return self._columns.store.halves(numbers)
        from checker.search.columns.code_tables import halves

        return halves([self._rows.found.keys[number] for number in numbers.tolist()])

    def answers(self, key: str) -> bytearray:
        return self._rows.answers(key)

    def search(self) -> ExploredStates:
        from checker.liveness.graph_search import GraphSearch

        return GraphSearch(self.graph(), self.answers, self._rows.task.patience.ask)

    def stats(self) -> Mapping[str, object]:
        if self._team is not None:
            return self._team.stats()
        asked = self._shared.workers
        alone = {} if asked is None or asked < 2 else {"workers": f"1: {self._why_alone or 'no level was wide enough'}"}
        return {**self._rows.stats(), **({} if self._columns is None else self._columns.stats()), **alone}

    def close(self) -> None:
        if self._team is not None:
            self._team.close()
        self._rows.close()

    # --- checkpoints -----------------------------------------------------------------------------------------------

    @property
    def eager(self) -> bool:
        """Whether this level must be saved at once: never, as nothing is handed over."""
        return False

    @property
    def found(self) -> int:
        """How many states were found so far."""
        if self._team is not None:
            return self._team.found
        return len(self._rows.found.keys) if self._columns is None else len(self._columns.store)

    def save(self, store: FileStore, level: int) -> Saved:
        """What another run needs to go on from this level."""
        from checker.search.checkpoints.records import Records

        self._records = self._records or Records()
        if self._team is not None:
            return self._records.save(store, self._rows, self._team.reached(), self._team.waiting_columns())
        return self._records.save(store, self._rows, self._columns)

    def restore(self, store: FileStore, level: int, waiting: bool = True) -> None:
        """Take the state of the run that was saved after this level. `waiting`: with the states to be expanded."""
        from checker.search.checkpoints.records import Records

        # First, so that it holds also if restoring is stopped: saved states are not compared.
        self._rows.found.states = None
        self._records = Records()
        self._columns = self._records.restore(store, level, self._rows, waiting)
        self._level = level
