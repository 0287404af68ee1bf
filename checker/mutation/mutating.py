"""`mutate`: would the properties of a model notice, if the model were wrong?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial

from checker.check import check
from checker.core.exploration import Settings
from checker.core.given import Given
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode, Problem, UsageProblem
from checker.core.report import Report
from checker.core.trials import EarlyEnd, run_trials
from checker.mutation.likeness import KnownSteps
from checker.mutation.mutants import Mutant, mutants_of
from checker.mutation.mutation_report import MutantResult, MutationReport
from checker.mutation.trying import BUDGET, Original, died, limits_beside, result, tried
from checker.search.composition.load_whole import load_one
from checker.tasks.task_runner import cores_here
from fizz.base.room import with_room

Counted = Callable[[int, int, int], None]
"""Called with the numbers of mutants that were tried, of those that survived, and of all."""


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
    module = load_one(model, "the lines that are changed are those of one model", options=options, constants=constants)
    alone = replace(settings, limits=Limits())
    report = check(module, settings=replace(alone, limits=settings.limits), patience=patience)
    _refuse_violated(report)
    known = None
    with suppress(Stop), patience.limiting_steps():
        known = KnownSteps(module, settings.symmetry, patience)
    original = Original(module, alone, report, known, limits_beside(report, known, budget))
    mutants = _chosen(mutants_of(module), at_most)
    found: dict[int, MutantResult] = {}
    survived = 0
    ending = EarlyEnd(patience)

    def tick() -> bool:
        counted(len(found), survived, len(mutants))
        return ending.begun()

    trials = run_trials(mutants, partial(tried, original), died, workers or cores_here(), tick)
    with suppress(Stop), closing(trials):
        for index, one in trials:
            found[index] = one
            survived += one.fate == "survived"
    results = tuple(found.get(index) or result(original, mutant, "not run") for index, mutant in enumerate(mutants))
    return MutationReport(
        model=module.path,
        given=Given(constants or {}, options or {}),
        states=report.states,
        cut=report.cut,
        properties=tuple(one.name for one in report.properties),
        budget=budget,
        results=results,
        stopped=ending.reason,
        elapsed_s=time.monotonic() - begun,
    )


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
