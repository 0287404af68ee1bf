"""Refinements on random walks: what of an abstract model explains the run so far (language page, 10.9).

One run is followed by one set of abstract states for each refinement; sets and their successors are remembered, as many
walks come by the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.core.patience import Patience
from checker.core.trace import Unmatched
from checker.properties.refines import Refines
from checker.search.refinement.abstract_states import CUT, AbstractStates, abstract_side
from checker.search.refinement.view_values import ConcreteViews
from checker.traces.model_walk import Walk
from interpreter import Machine, State


class WalkedRefinements:
    """The refinements of one machine's walks. Methods raise `ModelError` where a view or an abstract model fails."""

    def __init__(self, machine: Machine, refinements: Sequence[Refines], patience: Patience) -> None:
        constants = machine.code.known.constants
        self._all: list[_Followed] = []
        for one in refinements:
            refinement = machine.program.refinements[one.number]
            abstract = abstract_side(refinement, constants, patience)
            self._all.append(_Followed(one, abstract, ConcreteViews(refinement, machine, abstract.views)))

    def begin(self, state: State) -> list[Refines]:
        """A walk begins; the refinements that its initial state violates."""
        return [one.of for one in self._all if not one.begin(state)]

    def go(self, state: State) -> list[Refines]:
        """A step leads to a state; the refinements that it violates."""
        return [one.of for one in self._all if not one.go(state)]

    def end_at(self, run: Walk, of: Refines) -> bool:
        """Whether the last step of a run is the first that nothing explains."""
        [followed] = [one for one in self._all if one.of is of]
        *explained, last = followed.along(run)
        return all(explained) and not last

    def unmatched(self, run: Walk, of: Refines) -> Unmatched:
        """What is said of a run whose last step nothing explains."""
        [followed] = [one for one in self._all if one.of is of]
        for _ in followed.along(run):
            pass
        return followed.unmatched(len(run.steps))


class _Followed:
    """One refinement along one run: the set that explains it, and the one before the last step."""

    def __init__(self, of: Refines, abstract: AbstractStates, views: ConcreteViews) -> None:
        self.of = of
        self._abstract = abstract
        self._views = views
        self._set: int | None = None
        self._view: int | None = None
        self._before: tuple[int | None, int | None] = None, None

    def begin(self, state: State) -> bool:
        """Whether an initial state is explained, or may be."""
        self._before = None, None
        self._view = self._views.of(state)
        self._set = self._abstract.first(self._view)
        return self._explains

    def go(self, state: State) -> bool:
        """Whether the run is still explained, or may be, after a step to a state."""
        assert self._set is not None
        self._before = self._set, self._view
        view = self._views.of(state)
        if view != self._view:
            self._set, self._view = self._abstract.after(self._set, view), view
        return self._explains

    @property
    def _explains(self) -> bool:
        assert self._set is not None
        return self._abstract.explains(self._set) or CUT in self._abstract.sets[self._set]

    def along(self, run: Walk) -> Iterator[bool]:
        """Whether it is explained, after Init and after each step."""
        begin, *rest = run.states()
        yield self.begin(begin)
        yield from map(self.go, rest)

    def unmatched(self, steps: int) -> Unmatched:
        number, seen = self._before
        assert self._view is not None
        return self._abstract.unmatched(steps, number, seen, self._view)
