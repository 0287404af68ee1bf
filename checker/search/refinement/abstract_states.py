"""The abstract model beside a refining one: its states as far as runs need them, and sets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from checker.core.exploration import Settings
from checker.core.level import Level, StateRef
from checker.core.patience import Patience
from checker.core.trace import NearStep, Unmatched
from checker.search.contract.bounds import is_cut, starts_after
from checker.search.contract.protocol import Task
from checker.search.refinement.view_values import Views, abstract_ids
from checker.search.rows.expander import Expander
from interpreter import ModelError, Program, State
from interpreter.compile.program import RefinementProgram
from interpreter.execute.given_constants import with_constants
from interpreter.state.step import StepKind, step_name

CUT: Final = -1
"""In a set: some member was at the bound, here or before, so that states may be missing."""
_NOWHERE: Final = StateRef(0, 0)
_MOST_NEAR: Final = 3


class AbstractStates:
    """The states of an abstract model that were met, numbered, and sets of them that explain runs, numbered too.

    `view`: the func that views them; None: by their variables. Steps are computed when they are first asked for.
    All methods that do raise `ModelError` where the model fails.
    """

    def __init__(self, program: Program, views: Views, patience: Patience, view: str | None = None) -> None:
        self.views = views
        self._of = view
        task = Task(program, (), Settings(symmetry=False), patience=patience)
        self.expander = Expander(task)
        self.machine = self.expander.machine
        self.states: list[State] = []
        self.view: list[int] = []
        """By state: the number of its view."""
        self._distance: list[int] = []
        self._numbers: dict[State, int] = {}
        self._targets: dict[int, dict[int, tuple[int, ...]]] = {}
        self._initial: tuple[int, ...] | None = None
        self._exact = _ExactBound(self)
        self.sets: list[frozenset[int]] = []
        self._set_numbers: dict[frozenset[int], int] = {}
        self._after: dict[tuple[int, int], int] = {}

    # --- states ----------------------------------------------------------------------------------------------------

    def number(self, state: State, distance: int) -> int:
        """The number of a state that is reached in so many steps."""
        known = self._numbers.get(state)
        if known is None:
            assert self.views.names is not None
            # A value may be too large to be compared: then the state has no number.
            ids = abstract_ids(state, self.machine, self.views.names, self._of)
            view = self.views.number(self.machine.values, ids)
            known = self._numbers[state] = len(self.states)
            self.states.append(state)
            self.view.append(view)
            self._distance.append(distance)
        elif distance < self._distance[known]:
            self._distance[known] = distance
        return known

    def initial(self) -> tuple[int, ...]:
        """The initial states."""
        if self._initial is None:
            found, failures = self.machine.initial()
            for failure in failures:
                raise failure.error
            if not found:
                init = self.machine.program.init
                span = None if init is None else self.machine.program.routines[init].span
                raise ModelError("R19", "no initial state: every way through Init is aborted", span)
            self._initial = tuple(dict.fromkeys(self.number(one.state, 0) for one in found))
        return self._initial

    def is_cut(self, number: int) -> bool:
        """Whether a state is at the bound of the abstract model (language page, 9.2)."""
        bound = self.machine.program.options.max_actions
        # A path has no more starts than steps, and a shortest one no more steps than any that is known.
        return is_cut(self._distance[number], bound) and self._exact.is_cut(self.states[number], bound)

    def targets(self, number: int) -> dict[int, tuple[int, ...]]:
        """The states that steps lead to, crash steps included, by their views."""
        known = self._targets.get(number)
        if known is None:
            found: dict[int, dict[int, None]] = {}
            distance = self._distance[number] + 1
            for target, _ in self.steps(self.states[number], self.is_cut(number)):
                reached = self.number(target, distance)
                found.setdefault(self.view[reached], {})[reached] = None
            known = self._targets[number] = {view: tuple(states) for view, states in found.items()}
        return known

    def steps(self, state: State, cut: bool) -> Iterator[tuple[State, StepKind]]:
        """The steps of a state."""
        level = Level()
        for arrival in self.expander.expand(state, _NOWHERE, cut, level):
            yield arrival.state, arrival.kind
        if level.error is not None and level.error.error is not None:
            raise level.error.error

    # --- sets ------------------------------------------------------------------------------------------------------

    def first(self, view: int) -> int:
        """The set that explains an initial state with this view."""
        return self._closed(state for state in self.initial() if self.view[state] == view)

    def after(self, number: int, view: int) -> int:
        """The set that explains a run which goes on, from what a set explains, to a state with another view."""
        known = self._after.get((number, view))
        if known is None:
            members = self.sets[number]
            found = [target for one in members if one != CUT for target in self.targets(one).get(view, ())]
            known = self._after[number, view] = self._closed(found, CUT in members)
        return known

    def _closed(self, members: Iterable[int], cut: bool = False) -> int:
        """A set closed under steps that leave the view as it is."""
        found = set(members)
        waiting = [*found]
        if cut:
            found.add(CUT)
        while waiting:
            one = waiting.pop()
            if self.is_cut(one):
                found.add(CUT)
            new = [target for target in self.targets(one).get(self.view[one], ()) if target not in found]
            found.update(new)
            waiting += new
        chosen = frozenset(found)
        number = self._set_numbers.get(chosen)
        if number is None:
            number = self._set_numbers[chosen] = len(self.sets)
            self.sets.append(chosen)
        return number

    def explains(self, number: int) -> bool:
        """Whether a set has a state."""
        return bool(self.sets[number] - {CUT})

    # --- telling ---------------------------------------------------------------------------------------------------

    def nearest(self, number: int | None, before: int | None, view: int) -> tuple[NearStep, ...]:
        """The steps from a set that come nearest to a view, or the initial states if there is no set.

        Nearest are those that differ in the fewest variables, and of these the ones that change what changed since the
        view `before`.
        """
        names = self.views.names or ()
        wanted, texts = self.views.parts[view], self.views.texts[view]
        old = wanted if before is None else self.views.parts[before]
        found: list[tuple[int, int, int, NearStep]] = []
        for label, target in self._labelled(number):
            parts, other = self.views.parts[self.view[target]], self.views.texts[self.view[target]]
            differing = [i for i in range(len(names)) if parts[i] != wanted[i]]
            near = NearStep(label, tuple((names[i], texts[i], other[i]) for i in differing))
            missed = sum(old[i] != wanted[i] for i in differing)
            found.append((len(differing), missed, len(found), near))
        unique = dict.fromkeys(one[-1] for one in sorted(found, key=lambda one: one[:3]))
        return tuple(unique)[:_MOST_NEAR]

    def unmatched(self, step: int, number: int | None, before: int | None, view: int) -> Unmatched:
        """What is said of a run that nothing explains after a step, from a set; None: of an initial state."""
        names, texts = self.views.names or (), self.views.texts
        old: tuple[str | None, ...] = (None,) * len(names) if before is None else texts[before]
        viewed = tuple(zip(names, old, texts[view], strict=True))
        return Unmatched(self.machine.program.path, step, viewed, self.nearest(number, before, view))

    def _labelled(self, number: int | None) -> Iterator[tuple[str, int]]:
        if number is None:
            for begin in self.machine.initial()[0]:
                yield step_name("Init", begin.outcome.choices), self.number(begin.state, 0)
            return
        members = [one for one in self.sets[number] if one != CUT]
        for one in sorted(members, key=lambda member: self.machine.key(self.states[member])):
            for step in self.machine.steps(self.states[one], starts=not self.is_cut(one)).steps:
                yield step.name, self.number(step.target, self._distance[one] + 1)


def abstract_side(refinement: RefinementProgram, constants: Mapping[str, object], patience: Patience) -> AbstractStates:
    """The abstract model of a refinement, with the constants of the refining one."""
    given = with_constants(refinement.abstract, constants)
    return AbstractStates(given, Views(), patience, refinement.abstract_view)


class _ExactBound:
    """The least starts of each state on its shortest paths, found level by level when they are first asked for."""

    def __init__(self, states: AbstractStates) -> None:
        self._of = states
        self._starts: dict[State, int] = {}
        self._frontier: dict[State, int] | None = None

    def is_cut(self, state: State, bound: int) -> bool:
        """Whether a state is cut. One that is only reached beyond the bound counts as cut."""
        if self._frontier is None:
            self._frontier = dict.fromkeys((one.state for one in self._of.machine.initial()[0]), 0)
            self._starts.update(self._frontier)
        while state not in self._starts and self._frontier:
            found: dict[State, int] = {}
            for source, starts in self._frontier.items():
                for target, kind in self._of.steps(source, is_cut(starts, bound)):
                    if target not in self._starts:
                        after = starts_after(starts, kind)
                        found[target] = min(after, found.get(target, after))
            self._frontier = found
            self._starts.update(found)
        return is_cut(self._starts.get(state, bound), bound)
