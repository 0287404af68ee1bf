"""All refinements of a run, beside its exploration by any engine: a step for each level, and on after the last (10.9).

The engine's own states are not used: it may keep only keys, or least images under symmetry. So every engine gives the
same answer, and this process alone works on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from checker.core.exploration import Finding, Settings
from checker.core.patience import Patience
from checker.core.property import Watch
from checker.properties.refines import Refines
from checker.search.contract.protocol import Task
from checker.search.refinement.abstract_states import AbstractStates, abstract_side
from checker.search.refinement.concrete_run import ConcreteRun
from checker.search.refinement.refined_liveness import RefinedLiveness
from checker.search.refinement.run_pairs import RunPairs
from checker.search.refinement.view_values import ConcreteViews
from interpreter import ModelError, Program


class Refining:
    """The refinements of one run.

    `prune`: the watches at whose violations the exploration does not go on, so that neither does this one.
    """

    def __init__(
        self,
        program: Program,
        refinements: Sequence[Refines],
        prune: Sequence[Watch],
        settings: Settings,
        patience: Patience,
    ) -> None:
        self.program = program
        self.refinements = refinements
        self.patience = patience
        self.level = -1
        self.error: Finding | None = None
        self.searches: dict[str, RunPairs] = {}
        self.liveness: dict[str, RefinedLiveness] = {}
        alone = replace(settings, symmetry=False, export=None, checkpoint=None, resume=None, workers=1)
        self._task = Task(program, (), alone, graph=True, patience=patience, crash_edges=True)
        self._prune = prune
        self._run: ConcreteRun | None = None

    @property
    def run(self) -> ConcreteRun:
        assert self._run is not None
        return self._run

    @property
    def findings(self) -> Mapping[str, Finding]:
        """The violations so far, by the keys of properties."""
        return {key: one.finding for key, one in self.searches.items() if one.finding is not None}

    @property
    def over(self) -> bool:
        """Whether nothing is left to be searched."""
        return self.error is not None or (self.level >= 0 and all(one.over for one in self.searches.values()))

    def go_to(self, level: int) -> None:
        """Search as far as a level. Raises `Stop`."""
        while self.level < level and not self.over:
            self.next()

    def next(self) -> None:
        """Search one level more. Raises `Stop`; then it can go on from there."""
        try:
            if self.level < 0:
                self._first()
            else:
                self._next()
        except ModelError as error:
            self.error = Finding(None, (), error=error)
        self.level += 1

    def _first(self) -> None:
        run = ConcreteRun(self._task, self._prune)
        constants = run.machine.code.known.constants
        abstract: list[AbstractStates] = []
        for one in self.refinements:
            refinement = self.program.refinements[one.number]
            states = abstract_side(refinement, constants, self.patience)
            abstract.append(states)
            run.view(ConcreteViews(refinement, run.machine, states.views))
        run.first()
        self._run = run
        self._note_failed()
        if self.error is None and run.found:
            for place, (one, states) in enumerate(zip(self.refinements, abstract, strict=True)):
                self.searches[one.key] = search = RunPairs(one.key, run, states, place, self.patience)
                refinement, options = self.program.refinements[one.number], self.program.options
                ask = self.patience.ask
                self.liveness[one.key] = RefinedLiveness(refinement, run, states, place, options, ask)
                search.first()
                self._note(search)

    def _next(self) -> None:
        if self.run.level <= self.level and self.run.waits:
            self.run.next()
            self._note_failed()
        for search in self.searches.values():
            if self.error is None and not search.over:
                search.next()
                self._note(search)

    def _note_failed(self) -> None:
        """Note the least state on which a view failed."""
        run = self.run
        failed = min(run.failed, key=lambda one: (run.graph.cost(one.number), run.key(one.number)), default=None)
        if failed is not None:
            self.error = Finding(None, run.path(run.key(failed.number)), error=failed.error)

    def _note(self, search: RunPairs) -> None:
        if search.error is not None and self.error is None:
            self.error = search.error

    # --- afterwards ------------------------------------------------------------------------------------------------

    def undecided(self, key: str) -> bool:
        """Whether a refinement was not decided: the abstract model was cut where it matters, or the search ended."""
        search = self.searches.get(key)
        return search is None or search.undecided

    def endless(self, key: str) -> Finding | None:
        """The violation of a liveness assertion of the abstract model, as one of the refinement with this key; or the
        error with which one fails."""
        liveness = self.liveness.get(key)
        found = liveness.violation() if liveness is not None and liveness.asked else None
        if found is None or found.error is not None:
            return found
        name = f"{found.key} of the abstract model is violated by this run, seen through the view"
        return replace(found, key=key, fairness=(name, *found.fairness))

    def notes(self, key: str) -> tuple[str, ...]:
        """What was not compared."""
        return self.liveness[key].notes() if key in self.liveness else ()

    @property
    def cut(self) -> bool:
        """Whether the bound of an abstract model left anything undecided."""
        return any(one.undecided for one in self.searches.values())
