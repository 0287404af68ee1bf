"""One model of a composition: its states, their views and the steps between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from checker.core.exploration import PathLink, Settings
from checker.core.failing import FailingModel
from checker.core.limits import Limits
from checker.core.patience import Patience
from checker.search.contract.protocol import Task
from checker.search.driver import Clock, SearchDriver
from checker.search.engines.plain import FoundState, PlainRun
from checker.search.refinement.equal_values import EqualValues
from checker.search.refinement.view_values import abstract_ids
from fizz import Diagnostic, FizzError, Span
from fizz.syntax import ast
from fizz.syntax.module import ComposedModel
from interpreter import ModelError, State, compile_module
from interpreter.execute.given_constants import expression_of
from interpreter.values.intern import Tag

MOST_STATES: Final = 100_000
"""The most states of a model that is joined with others."""


class ComponentStep(NamedTuple):
    """A step: its name, the number of the state that it leads to, and whether it is a crash."""

    name: str
    target: int
    crash: bool


class ExploredComponent:
    """A model explored without symmetry, by the plain engine; its own properties are not judged.

    `views` has for each state the number of what its func gives, which `values` have given; `bounded`: whether a state
    is cut. Raises `FailingModel` if the model or its view fails, `FizzError` if it is too large.
    """

    def __init__(self, component: ComposedModel, values: EqualValues) -> None:
        self.name = component.name
        self._component = component
        program = compile_module(component.model)
        try:
            self._run = run = PlainRun(Task(program, (), Settings(symmetry=False), patience=Patience()))
        except ModelError as error:
            raise FailingModel((error.diagnostic,), component.model.sources) from None
        self.machine = run.machine
        driver = SearchDriver(run, program, (), Clock(), Patience())
        driver.go(Limits(states=MOST_STATES + 1), on=True)
        if driver.error is not None and driver.error.error is not None:
            raise self._failing(driver.error.error, driver.error.path)
        if driver.total.states > MOST_STATES:
            raise self._too_large()
        self.bounded = driver.cut > 0
        self.states: list[State] = [node.state for node in run.nodes.values()]
        self.initial = [number for number, node in enumerate(run.nodes.values()) if node.parent is None]
        self.views = [values.of(self.machine.values, self._view(node)) for node in run.nodes.values()]
        self.steps = self._all_steps()

    def _view(self, node: FoundState) -> int | None:
        """What the func gives in a state."""
        try:
            return abstract_ids(node.state, self.machine, (), self._component.view)[0]
        except ModelError as error:
            # States were found level by level: no run to one that fails has fewer steps.
            raise self._failing(error, self._run.path(node.key)) from None

    def _failing(self, error: ModelError, path: Sequence[PathLink]) -> FailingModel:
        """The error, with the run that leads to it as a hint."""
        names = ", ".join(self._names(path))
        run = f"it fails after {names} of {self.name}" if names else f"it fails in Init of {self.name}"
        known = error.diagnostic.hint
        diagnostic = replace(error.diagnostic, hint=run if known is None else f"{known}; {run}")
        return FailingModel((diagnostic,), self._component.model.sources)

    def _names(self, path: Sequence[PathLink]) -> Iterator[str]:
        """What the steps of a run are called, as far as they were completed."""
        state: State | None = None
        for link in path:
            if state is None:
                found = (begin.state for begin in self.machine.initial()[0] if begin.forks == link.order.forks)
                state, name = next(found, None), "Init"
            else:
                step = self.machine.step(state, link.order)
                state, name = (None, "") if step is None else (step.target, step.name)
            if state is None:
                return
            yield name

    def _all_steps(self) -> list[tuple[ComponentStep, ...]]:
        run = self._run
        numbers = {identity: number for number, identity in enumerate(run.nodes)}
        found = []
        for node in run.nodes.values():
            steps = self.machine.steps(node.state, starts=not node.cut).steps
            targets = (numbers[run.identity(run.image(step.target))] for step in steps)
            unique = dict.fromkeys(ComponentStep(s.name, t, s.crashes) for s, t in zip(steps, targets, strict=True))
            found.append(tuple(unique))
        return found

    def _too_large(self) -> FizzError:
        text = f"{self.name}.fizz has more than {MOST_STATES:,} states, too many to be joined"
        hint = "choose smaller constants in it, or bound it with `max_actions` in its front matter"
        return FizzError((Diagnostic("L40", text, self._component.span, hint),), self._component.model.sources)

    # --- states as values ------------------------------------------------------------------------------------------

    def value(self, number: int, span: Span) -> ast.Expression:
        """An expression for the struct of a state's variables; role instances are structs of their fields."""
        state, names = self.states[number], self._component.model.state_variables
        ids = abstract_ids(state, self.machine, names, None)
        fields = [(name, one) for name, one in zip(names, ids, strict=True) if one is not None]
        return self._struct(fields, state, (), span)

    def _struct(
        self, fields: list[tuple[str, int]], state: State, inside: tuple[int, ...], span: Span
    ) -> ast.Expression:
        """`inside`: the instances around it, which are written as names, so that there is an end."""
        values = self.machine.values

        def instead(number: int) -> ast.Expression:
            if values.tag(number) is not Tag.ROLE or number in inside:
                return ast.Literal(span, values.text(number))
            role, index = values.payload(number)
            positions = state.layout.owned.get((role, index), ())
            slots = [(state.layout.slots[i], state.values[i]) for i in positions]
            named = [(str(slot[3]), one) for slot, one in slots if slot[0] in ("param", "field")]
            return self._struct(named, state, (*inside, number), span)

        arguments = []
        for name, one in fields:
            value = expression_of(values, one, span, instead)
            assert value is not None
            arguments.append(ast.Argument(span, "keyword", name, value))
        return ast.Call(span, ast.Name(span, "struct"), tuple(arguments))
