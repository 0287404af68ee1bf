"""`explain`: why actions have no step, over a whole exploration or in one state."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from checker.analysis.attempts import AttemptCounter, Attempts
from checker.analysis.visit import VisitExtent, visit_all
from checker.core.exploration import Settings
from checker.core.given import Given
from checker.core.model_result import ModelResult
from checker.core.patience import Patience
from checker.core.problems import ExitCode, UsageProblem
from checker.core.trace import Trace
from checker.search.composition.load_whole import load_whole
from checker.search.driver import ProgressSink
from checker.search.judgement import all_actions
from checker.traces.guards import Disabled, disabled
from checker.traces.guided import walk_along
from fizz import Module
from fizz.base.near_names import near_names
from fizz.base.room import with_room
from interpreter import Machine, ModelError, Program, compile_module
from interpreter.compile.program import ActionProgram

_INSTANCE = re.compile(r"([^#.]+)#(\d+)\.(.+)")
_MOST_NAMES, _MOST_NEAR = 20, 3


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ActionsReport(ModelResult, VisitExtent):
    """The attempts of actions over the exploration. `all_asked`: none was named; these never had a step."""

    model: str
    actions: tuple[Attempts, ...]
    all_asked: bool
    sources: Mapping[str, str] = field(default_factory=dict)
    given: Given = field(default_factory=Given)

    @property
    def summary(self) -> str:
        """How many actions it is about, and of how many states."""
        return f"{len(self.actions):,} actions without a step, {self.states:,} states"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StateReport(ModelResult):
    """What has no step in the state at the end of `trace`, and the names of its steps."""

    model: str
    trace: Trace
    disabled: tuple[Disabled, ...]
    possible: tuple[str, ...]
    action: str | None
    sources: Mapping[str, str] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    exit_code: ExitCode = ExitCode.PASSED

    @property
    def summary(self) -> str:
        """How many steps there are, and how many actions and threads have none."""
        return f"{len(self.possible):,} steps possible, {len(self.disabled):,} disabled"


@with_room
def explain_actions(
    model: str | os.PathLike[str] | Module,
    action: str | None = None,
    *,
    settings: Settings | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    progress: ProgressSink | None = None,
    patience: Patience | None = None,
) -> ActionsReport:
    """The attempts of an action over the whole exploration; without `action`, of those that never have a step.

    `patience` and errors are as in `check`; `UsageProblem` for an unknown action.
    """
    module = load_whole(model, options=options, constants=constants)
    program = compile_module(module)
    chosen, instance = _chosen(program, action)
    counter = AttemptCounter(program, chosen, instance)
    try:
        tour = visit_all(program, settings or Settings(), (counter,), progress, patience=patience)
    except ModelError as error:
        raise _broken(error) from None
    found = counter.conclude(tour)
    return ActionsReport(
        model=module.path,
        actions=found if action is not None else tuple(one for one in found if not one.fired),
        states=tour.driver.total.states,
        stopped=tour.driver.stopped,
        cut=tour.driver.cut,
        all_asked=action is None,
        sources=module.sources,
        given=Given(constants or {}, options or {}),
    )


def explain_state(
    model: str | os.PathLike[str] | Module,
    action: str | None = None,
    *,
    trace: str | Sequence[str] | None = None,
    step: int | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
) -> StateReport:
    """What has no step in the state after a guided trace, or after its first `step` steps; without a trace after Init.

    `trace` is as in `follow`. `action`: report only this one.
    """
    module = load_whole(model, options=options, constants=constants)
    program = compile_module(module)
    chosen, instance = _chosen(program, action)
    try:
        machine = Machine(program)
        walk = walk_along(machine, trace)
    except ModelError as error:
        raise _broken(error) from None
    steps = len(walk.steps) if step is None else step
    if steps > len(walk.steps):
        raise UsageProblem(f"the trace has {len(walk.steps):,} steps, no step {steps:,}", "step 0 is Init")
    state = walk.state_after(steps)
    names = {_label(one, instance) for one in chosen}

    def asked(name: str) -> bool:
        return action is None or name in names or re.sub(r"#\d+", "", name) in names

    return StateReport(
        model=module.path,
        trace=Trace(tuple(walk.entries(steps))),
        disabled=tuple(one for one in disabled(machine, state) if asked(one.actor)),
        possible=tuple(s.name for s in machine.steps(state).steps if not s.crashes and asked(s.actor or s.name)),
        action=action,
        sources=module.sources,
        given=Given(constants or {}, options or {}),
    )


def _broken(error: ModelError) -> UsageProblem:
    location = "" if error.span is None else f"{error.span.file}:{error.span.line}: "
    return UsageProblem(
        f"the model fails before there is a state: {location}{error.text}", "fizzpy check tells more of it"
    )


def _label(action: ActionProgram, instance: tuple[str, int] | None) -> str:
    return action.key if instance is None else f"{instance[0]}#{instance[1]}.{action.name}"


def _chosen(program: Program, name: str | None) -> tuple[tuple[ActionProgram, ...], tuple[str, int] | None]:
    """The actions of a name, and its instance, if it has one: `Act`, `Node.Act`, `Node#0.Act`."""
    actions = all_actions(program)
    if name is None:
        return tuple(actions), None
    instance: tuple[str, int] | None = None
    key = name
    if found := _INSTANCE.fullmatch(name):
        instance = (found[1], int(found[2]))
        key = f"{found[1]}.{found[3]}"
    same = [one for one in actions if one.key == key] or [one for one in actions if one.name == key]
    if not same:
        raise UsageProblem(f"there is no action '{name}'", _near(name, [one.key for one in actions]))
    return tuple(same), instance


def _near(name: str, keys: list[str]) -> str:
    # The name may lack the role of the action.
    near = near_names(name, keys) or [key for key in keys if near_names(name, [key.rpartition(".")[2]])]
    if near:
        return "did you mean " + " or ".join(f"'{key}'" for key in near[:_MOST_NEAR]) + "?"
    shown = ", ".join(keys[:_MOST_NAMES]) + (", ..." if len(keys) > _MOST_NAMES else "")
    return f"the actions are {shown}" if keys else "the model has no action"
