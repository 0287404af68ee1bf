"""The initial states, one by one: a model may have a million, and who asks for one need not make all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from interpreter.state.step import NO_OUTCOME, Failure, InitialState, Outcome, Result, Rule, StepKind

if TYPE_CHECKING:
    from interpreter.machine import Machine


def beginnings(machine: Machine, choices: tuple[int, ...] = ()) -> Iterator[InitialState | Failure]:
    """The initial states and the failures of Init, in the order of its choices. `choices` as in `Machine.paths`."""
    if machine.program.init is None:
        empty = machine.transitions.empty
        yield InitialState((), machine.transitions.apply(empty, Rule(StepKind.INIT, 0), NO_OUTCOME), NO_OUTCOME)
        return
    paths = machine.paths(init_rule(machine), machine.view(machine.transitions.empty), choices=choices)
    yield from beginnings_of(machine, (path.result for path in paths))


def beginnings_of(machine: Machine, results: Iterable[Result]) -> Iterator[InitialState | Failure]:
    """As `beginnings`, from the results of the paths of Init."""
    empty, rule = machine.transitions.empty, init_rule(machine)
    for result in results:
        if isinstance(result, Failure):
            yield result
        elif isinstance(result, Outcome):
            target = machine.apply(empty, rule, result)
            if target is not None:
                yield InitialState(result.forks, target, result)


def init_rule(machine: Machine) -> Rule:
    """The rule of Init, of a model that has one."""
    init = machine.program.init
    assert init is not None
    return Rule(StepKind.INIT, init)


def initial_state(machine: Machine, forks: tuple[int, ...]) -> InitialState | None:
    """The initial state of these choices; None if Init has none."""
    return next((one for one in initial_states(machine, forks) if one.forks == forks), None)


def initial_states(machine: Machine, choices: tuple[int, ...] = ()) -> Iterator[InitialState]:
    """The initial states alone, one by one. `choices` as in `Machine.paths`."""
    return (one for one in machine.beginnings(choices) if isinstance(one, InitialState))
