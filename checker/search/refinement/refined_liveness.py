"""The liveness assertions of an abstract model, judged on the refining model's fair lassos through the view (10.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from checker.core.demand import ExploredStates
from checker.core.exploration import Finding, PathLink
from checker.core.property import Phase, Property
from checker.liveness.graph_search import GraphSearch
from checker.properties import properties_of
from checker.search.contract.assertion_answers import Assertions
from checker.search.refinement.abstract_states import AbstractStates
from checker.search.refinement.concrete_run import ConcreteRun
from fizz import Options
from interpreter import ModelError, State
from interpreter.compile.program import RefinementProgram


class _Failed(Exception):
    """An assertion of the abstract model failed on what is seen of a state."""

    def __init__(self, number: int, error: ModelError) -> None:
        super().__init__()
        self.number = number
        self.error = error


class RefinedLiveness:
    """What the abstract model of one refinement promises of infinite runs, as evidence for its own properties.

    `options` are those of the refining model, whose runs are judged.
    """

    reduced = False

    def __init__(
        self,
        refinement: RefinementProgram,
        run: ConcreteRun,
        abstract: AbstractStates,
        place: int,
        options: Options,
        ask: Callable[[], None],
    ) -> None:
        self.options = options
        self.bounded = False
        self._refinement = refinement
        self._run = run
        self._abstract = abstract
        self._place = place
        self._ask = ask
        machine = abstract.machine
        self._assertions = Assertions(
            machine, machine.view, lambda rule, view: machine.run(rule, view, noted=False).result
        )

    def properties(self) -> Iterator[tuple[Property, str | None]]:
        """The liveness assertions of the abstract model, and why one is not compared."""
        names = self._abstract.views.names or ()
        for one in properties_of(self._refinement.abstract, None):
            if one.phase is not Phase.LIVENESS:
                continue
            named = self._refinement.named.get(one.name)
            if self._refinement.abstract_view is not None:
                yield one, "`refine:` compares the values of views"
            elif named is None:
                yield one, "it asks for more than the values of variables"
            elif hidden := [name for name in named if name not in names]:
                yield one, f"the view hides {', '.join(hidden)}"
            elif any(interner.has_roles(n) for interner, ids in self._abstract.views.first_met for n in ids if n):
                yield one, "the view shows role instances"
            else:
                yield one, None

    def notes(self) -> tuple[str, ...]:
        """What is not compared, and why."""
        found = ((one.name, why) for one, why in self.properties())
        if self._refinement.abstract_view is None and self._abstract.views.names == ():
            return ("the view shows no variable of the abstract model, so that every run is one of it",)
        return tuple(f"{name} of the abstract model was not compared: {why}" for name, why in found if why is not None)

    @property
    def asked(self) -> bool:
        """Whether anything is compared."""
        return self.options.liveness != "off" and any(why is None for _, why in self.properties())

    def violation(self) -> Finding | None:
        """The violation of the first of these assertions that has one; or the error with which one fails on a state."""
        try:
            for one, why in self.properties():
                found = one.conclude(self) if why is None else None
                if found is not None:
                    return found
        except _Failed as failed:
            return Finding(None, self._run.path(self._run.key(failed.number)), error=failed.error)
        return None

    # --- evidence --------------------------------------------------------------------------------------------------

    def witness(self, key: str) -> Finding | None:
        return None

    def unexplained(self, key: str) -> bool:
        return False

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self._run.path(key)

    def search(self) -> ExploredStates:
        return GraphSearch(self._run.finished_graph(), self._answers, self._ask)

    def _answers(self, key: str) -> bytearray:
        """The answers of a watch in all states: that in the abstract state with the values of the view."""
        watch = next(w for one, _ in self.properties() for w in one.watches if w.key == key)
        assert watch.predicate is not None
        found: dict[int, bool] = {}
        viewed = self._run.viewed[self._place].tolist()
        for number, view in enumerate(viewed):
            if view not in found:
                self._ask()
                try:
                    found[view] = self._assertions.holds(watch.predicate, self._state(view)).value
                except ModelError as error:
                    # States are numbered level by level: no path to one that fails has fewer steps.
                    raise _Failed(number, error) from None
        return bytearray(found[view] for view in viewed)

    def _state(self, view: int) -> State:
        """A state of the abstract model that has only the values of a view."""
        machine, views = self._abstract.machine, self._abstract.views
        interner, ids = views.first_met[view]
        values = {}
        for name, number in zip(views.names or (), ids, strict=True):
            if number is not None:
                same = interner is machine.values
                values["heap", name] = number if same else machine.values.load(interner.portable(number))
        layout = machine.transitions.layouts.of(values)
        return State(layout, tuple(values[slot] for slot in layout.slots))
