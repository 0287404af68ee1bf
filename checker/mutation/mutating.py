"""`mutate`: would the properties of a model notice, if the model were wrong?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from checker.check import check
from checker.core.exploration import Settings
from checker.core.given import Given
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience
from checker.core.problems import ExitCode, Problem, UsageProblem
from checker.core.report import Report
from checker.core.trials import run_trials
from checker.mutation.likeness import Likeness, likeness
from checker.mutation.mutants import WEAKENED, Mutant, mutants_of
from checker.mutation.mutation_report import Fate, MutantResult, MutationReport
from checker.tasks.task_runner import cores_here
from fizz import FizzError, Module, Span, load
from fizz.base.room import with_room
from fizz.load import with_items
from fizz.syntax import ast

BUDGET: Final = 10
"""A mutant may have so many times the states of the model."""
_LEAST_STATES: Final = 1_000
_LEAST_S: Final = 20.0
_SLOWER: Final = 20
"""And take so many times as long, but no less than the seconds above."""

Counted = Callable[[int, int, int], None]
"""Called with the numbers of mutants that were tried, of those that survived, and of all."""


@dataclass(frozen=True, slots=True)
class _Original:
    """The model itself: what mutants are compared with."""

    module: Module
    settings: Settings
    report: Report
    like: Likeness | None
    limits: Limits


@with_room
def mutate(
    model: str | os.PathLike[str],
    *,
    budget: int = BUDGET,
    at_most: int | None = None,
    workers: int | None = None,
    settings: Settings | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    counted: Counted = lambda done, survived, total: None,
    patience: Patience | None = None,
) -> MutationReport:
    """Change a model in one place at a time, and say which changes none of its properties notices.

    `budget`: how many times the states of the model a mutant may have. `at_most`: try no more mutants, evenly chosen.
    `workers`: processes at a time. Raises `FizzError` for a wrong model, `UsageProblem` if a property is violated as it
    is, `Problem` for what cannot be run. An interruption is a result: the mutants tried until then count.
    """
    begun = time.monotonic()
    settings = replace(settings or Settings(), workers=1)
    patience = patience or Patience(settings.limits)
    module = load(model, options=options, constants=constants)
    alone = replace(settings, limits=Limits())
    report = check(module, settings=replace(alone, limits=settings.limits), patience=patience)
    _refuse_violated(report)
    limits = Limits(states=max(budget * report.states, _LEAST_STATES), time_s=max(_SLOWER * report.elapsed_s, _LEAST_S))
    with patience.limiting_steps():
        like = likeness(module, settings.symmetry, patience)
    original = _Original(module, alone, report, like, limits)
    mutants = _chosen(mutants_of(module), at_most)
    found: dict[int, MutantResult] = {}
    survived = 0
    stopped: StopReason | None = None

    def tick() -> None:
        counted(len(found), survived, len(mutants))
        if patience.over is not None:
            raise _Over

    trials = run_trials(mutants, partial(_tried, original), _died, workers or cores_here(), tick)
    try:
        with closing(trials):
            for index, result in trials:
                found[index] = result
                survived += result.fate == "survived"
    except _Over:
        stopped = patience.over
    results = tuple(found.get(index) or _result(original, mutant, "not run") for index, mutant in enumerate(mutants))
    return MutationReport(
        model=module.path,
        given=Given(constants or {}, options or {}),
        states=report.states,
        cut=report.cut,
        properties=tuple(one.name for one in report.properties),
        budget=budget,
        results=results,
        stopped=stopped,
        elapsed_s=time.monotonic() - begun,
    )


class _Over(Exception):
    """The patience is over: the mutants tried so far count."""


def _refuse_violated(report: Report) -> None:
    """Only a model whose properties hold can lose one."""
    if report.exit_code in (ExitCode.PASSED, ExitCode.BOUNDED) and report.cut_by in (None, StopReason.MAX_ACTIONS):
        return
    if report.verdict == "interrupted":
        raise _interrupted()
    if report.exit_code is ExitCode.BOUNDED:
        raise UsageProblem(
            "the model itself was not explored to its end, so that mutants cannot be compared with it",
            "give it more time, or a smaller model: --set smaller constants",
        )
    raise UsageProblem(
        f"the model itself is not right: {report.leading or 'it fails while it runs'}",
        "mutants are for models whose properties hold; choose those that do with --property, and see fizzpy check",
    )


class Interrupted(Problem):
    """The run was interrupted before any mutant was tried."""

    exit_code = ExitCode.INTERRUPTED


def _interrupted() -> Interrupted:
    return Interrupted("interrupted before any mutant was tried")


def _chosen(mutants: Sequence[Mutant], at_most: int | None) -> list[Mutant]:
    """All of them, or so many, evenly over the model."""
    if at_most is None or len(mutants) <= at_most:
        return list(mutants)
    return [mutants[index * len(mutants) // at_most] for index in range(at_most)]


def _died(mutant: Mutant, how: str, elapsed_s: float) -> MutantResult:
    return MutantResult(
        mutant.number, mutant.change, mutant.span, "", mutant.diff, "beyond the budget", why=how, elapsed_s=elapsed_s
    )


def _tried(original: _Original, mutant: Mutant) -> MutantResult:
    """What becomes of a mutant."""
    begun = time.monotonic()
    result = partial(_result, original, mutant)
    try:
        module = with_items(original.module, mutant.items)
    except FizzError as error:
        return result("does not load", why=error.diagnostics[0].text)
    patience = Patience(original.limits)
    try:
        report = check(module, settings=replace(original.settings, limits=original.limits), patience=patience)
    except FizzError as error:
        return result("does not load", why=error.diagnostics[0].text)
    except Problem as problem:
        return result("does not load", why=problem.text)
    found = _judged(original, mutant, module, report, patience)
    return replace(found, states=report.states, elapsed_s=time.monotonic() - begun)


def _judged(original: _Original, mutant: Mutant, module: Module, report: Report, patience: Patience) -> MutantResult:
    result = partial(_result, original, mutant)
    by = [one.name for one in report.properties if one.verdict == "violated"]
    if report.error is not None:
        by.append("error")
    if by:
        return result("noticed", by=tuple(by))
    if report.exit_code not in (ExitCode.PASSED, ExitCode.BOUNDED):
        return result("beyond the budget", why=f"it ended as {report.verdict}")
    if report.cut_by not in (None, StopReason.MAX_ACTIONS):
        return result("beyond the budget", why=_beyond(original, report))
    if mutant.change != WEAKENED and _counts(report) == _counts(original.report):
        over = Patience(original.limits)
        with over.limiting_steps():
            like = likeness(module, original.settings.symmetry, over)
        if like == original.like and like.complete:
            return result("equivalent")
    return result("survived")


def _beyond(original: _Original, report: Report) -> str:
    if report.cut_by is StopReason.MAX_STATES:
        return f"it has more than {original.limits.states:,} states, the model {original.report.states:,}"
    return f"it takes more than {original.limits.time_s:.0f} s, the model {original.report.elapsed_s:.1f} s"


def _counts(report: Report) -> tuple[int, ...]:
    return (report.states, report.transitions, report.crash_steps, report.initial, report.depth, report.cut)


def _result(
    original: _Original, mutant: Mutant, fate: Fate, by: tuple[str, ...] = (), why: str | None = None
) -> MutantResult:
    function = _function_at(original.module, mutant.span)
    return MutantResult(mutant.number, mutant.change, mutant.span, function, mutant.diff, fate, by, why)


def _function_at(module: Module, span: Span) -> str:
    """What a place belongs to, as `action Node.Send`."""
    for name, item in _functions(module):
        inside = item.span
        if inside.file == span.file and (inside.line, inside.column) <= (span.line, span.column) < (
            inside.end_line,
            inside.end_column,
        ):
            return name
    return ""


def _functions(module: Module) -> Iterator[tuple[str, ast.Node]]:
    for role in module.roles():
        for action in role.actions:
            yield f"action {role.name}.{action.name}", action
        for function in role.functions:
            yield f"func {role.name}.{function.name}", function
    for action in module.actions():
        yield f"action {action.name}", action
    for function in module.functions():
        yield f"func {function.name}", function
    for item in module.items:
        if isinstance(item, ast.TopHelper):
            yield f"def {item.helper.name}", item
