"""The driver's side of the search for fair lassos in partitions: it orders the passes and builds the answer.

A search trims the graph and judges the rest in the driver if it is small. Otherwise components are found by colours and
judged in the partitions, and states and edges that no fair cycle has are dropped, until nothing changes (Emerson and
Lei, 1987). The driver has counts, least states, and a small graph: of the rest, or of the counterexample's component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from checker.core.demand import AlwaysReachable, FairRun, NoLasso, ReachedState
from checker.liveness.graph_search import GraphSearch, fair_run
from checker.liveness.short_cycles import MOST_NODES
from checker.search.spark.liveness.coloring import begin_colors, begin_marks, spread_colors, spread_marks
from checker.search.spark.liveness.judging import apply, decide, gather, label
from checker.search.spark.liveness.picking import Core, Picked, core_of, pick
from checker.search.spark.liveness.reaching import (
    DOOMED,
    REACHED,
    ReachGoal,
    ReachQuery,
    begin_reach,
    missing,
    spread_reach,
)
from checker.search.spark.liveness.share import Crew, Least, PassResult, least
from checker.search.spark.liveness.trimming import TrimProgress, again, begin, trim
from checker.search.spark.liveness.walking import PartitionedPaths, begin_walks, step_back, take_edges

SMALL: Final = 4_000_000
"""States and edges that the driver may hold at a time: about half a gigabyte."""

Pass = Callable[..., PassResult]

PASSES: Final[Mapping[str, Pass]] = {
    done.__name__: done
    for done in (
        begin,
        trim,
        again,
        begin_colors,
        spread_colors,
        begin_marks,
        spread_marks,
        label,
        gather,
        decide,
        apply,
        begin_reach,
        spread_reach,
        missing,
        pick,
        begin_walks,
        take_edges,
        step_back,
    )
}


class PartitionedSearch:
    """Implements `ExploredStates` for a partitioned graph. `small`: how many states and edges the driver may hold."""

    def __init__(
        self, crew: Crew, small: int = SMALL, ask: Callable[[], None] = lambda: None, most: int = MOST_NODES
    ) -> None:
        """`ask` is called regularly; what it raises ends the search. `most`: see `ShortCycles`."""
        self.crew = crew
        self._ask = ask
        self._most = most
        self.small = small

    @cached_property
    def whole(self) -> GraphSearch | None:
        """The search in this process, if the graph is small."""
        if self.crew.size > self.small:
            return None
        return self._search(self.pick(Picked()))

    def lasso(self, demand: NoLasso) -> FairRun | None:
        if self.whole is not None:
            return self.whole.lasso(demand)
        if demand.stem is not None:
            # Stems are not searched in partitions: all states on stems and cycles are brought to the driver.
            return self._search(self.pick(Picked(demand.cycle | demand.stem.along))).lasso(demand)
        left, found = self._trimmed("begin", demand)
        where = "own"
        while left > self.small:
            component = self._round()
            if component is not None and (found is None or component < found):
                found, where = component, "fair"
            left, alone = self._trimmed("again")
            if alone is not None and (found is None or alone < found):
                found, where = alone, "own"
        core = self.pick(Picked(array="alive", label=1)) if left else None
        lasso = None if core is None else self._search(core).found(demand)
        if core is not None and lasso is not None and (found is None or core.rank(lasso.head) < found.rank):
            return fair_run(core.graph, lasso)
        return None if found is None else self._through(where, found.label, demand)

    def _through(self, where: str, label: int, demand: NoLasso) -> FairRun:
        """The lasso through a fair component: in the driver if that is small, otherwise in the partitions."""
        counts = self.crew.make("pick", Picked(array=where, label=label))
        if where == "fair" and sum(states + edges for states, edges in counts) > self.small:
            paths = PartitionedPaths(self.crew, label)
            return fair_run(paths.graph, paths.lasso(self._most))
        run = self._search(self._brought()).lasso(demand)
        assert run is not None
        return run

    def _trimmed(self, first: str, given: object = None) -> tuple[int, Least | None]:
        """Trim completely: the number of states and edges left, and the least head that is fair by itself."""
        latest: dict[int, TrimProgress] = {}
        found: Least | None = None
        for replies in self._settle(first, "trim", given):
            latest |= replies
            found = least([found, *(progress.found for progress in replies.values())])
        return sum(progress.states + progress.edges for progress in latest.values()), found

    def _round(self) -> Least | None:
        """Find components, judge them and drop what no fair cycle has: the least head in a fair component."""
        for first, further in (("begin_colors", "spread_colors"), ("begin_marks", "spread_marks")):
            for _ in self._settle(first, further):
                pass
        for name in ("label", "gather", "decide"):
            self.crew.make(name)
        return least(self.crew.make("apply"))

    def _settle(self, first: str, further: str, given: object = None) -> Iterator[Mapping[int, Any]]:
        """The replies of a pass, and of further passes while any partition has post for another."""
        yield dict(enumerate(self.crew.make(first, given)))
        while self.crew.post:
            yield self.crew.go_on(further, given)

    def pick(self, picked: Picked) -> Core:
        """The selected states, in this process."""
        self.crew.make("pick", picked)
        return self._brought()

    def _brought(self) -> Core:
        return core_of(self.crew.brought(), self.crew.tables, self.crew.columns, self.crew.cost)

    def _search(self, core: Core) -> GraphSearch:
        return GraphSearch(core.graph, core.answers, self._ask, self._most)

    def lost(self, demand: AlwaysReachable) -> ReachedState | None:
        if self.whole is not None:
            return self.whole.lost(demand)
        if demand.after is not None:
            # The goal may be off the stems: all states are brought to the driver.
            return self._search(self.pick(Picked())).lost(demand)
        if demand.for_ever:
            self._reach(ReachQuery(demand.goal, ReachGoal.BAD, DOOMED))
        goal = ReachGoal.SAFE if demand.for_ever else ReachGoal.GOOD
        self._reach(ReachQuery(demand.goal, goal, REACHED, demand.by_any))
        found = least(self.crew.make("missing"))
        return None if found is None else ReachedState(found.key, ())

    def _reach(self, query: ReachQuery) -> None:
        for _ in self._settle("begin_reach", "spread_reach", query):
            pass
