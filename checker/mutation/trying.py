"""What becomes of one mutant: tried beside the model itself, in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import UNTIMELY, Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode, Problem
from checker.core.report import Report
from checker.mutation.affected import answers_affected
from checker.mutation.likeness import KnownSteps, likeness
from checker.mutation.mutants import STRENGTHENED, WEAKENED, Mutant
from checker.mutation.mutation_report import Fate, MutantResult
from checker.search.composition.load_whole import load_whole
from fizz import FizzError, Module, Span
from fizz.load import with_items
from fizz.syntax import ast

BUDGET: Final = 10
"""A mutant may have so many times the states of the model."""
_LEAST_STATES: Final = 1_000
NET_S: Final = 60.0
_SLOWER: Final = 10
"""A state of a mutant may take so many times as long. This and the seconds above only end what would never end."""


@dataclass(frozen=True, slots=True)
class Original:
    """The model itself: what mutants are compared with.

    `known`: its steps; None of a part, and where a run ends with an error.
    `violated`: the properties that are violated as promised. `whole`: the model that is run, if `module` is a part of
    it, one that it composes or refines.
    """

    module: Module
    settings: Settings
    report: Report
    known: KnownSteps | None
    limits: Limits
    violated: frozenset[str] = frozenset()
    whole: Module | None = None

    @property
    def asks_for_fairness(self) -> bool:
        """Whether the verdict of a property may depend on what is fair."""
        return any(one.kind not in ("always", "exists", "transition", "deadlock") for one in self.report.properties)

    def looks_into(self, mutant: Mutant) -> bool:
        """Whether the model asks a part for more than its states and transitions, where a mutant of it differs."""
        if self.whole is None:
            return False
        changed = with_items(self.module, mutant.items)
        return answers_affected(self.module, changed, (*self.whole.items, *changed.items))

    def whole_of(self, changed: Module) -> Module:
        """The model that is run, with another in the place of `module`. Raises `FizzError`."""
        if self.whole is None:
            return changed
        components = (replace(one, model=changed) if one.model is self.module else one for one in self.whole.components)
        refinements = (
            replace(one, abstract=changed) if one.abstract is self.module else one for one in self.whole.refinements
        )
        return load_whole(replace(self.whole, components=tuple(components), refinements=tuple(refinements)))


def limits_beside(report: Report, known: KnownSteps | None, budget: int) -> Limits:
    """How many states a mutant may have; and after how many seconds of a processor it is given up, not judged."""
    states = max(report.states, 0 if known is None else known.likeness.states)
    return Limits(states=max(budget * states, _LEAST_STATES), time_s=max(_SLOWER * budget * report.cpu_s, NET_S))


def patient(limits: Limits) -> Patience:
    """As many seconds of a processor as limits say, so that a busy machine gives up no sooner."""
    return Patience(limits, now=time.process_time)


def violated_in(report: Report) -> frozenset[str]:
    """The names of the properties that are violated, with `error` if the model fails while it runs."""
    names = {one.name for one in report.properties if one.verdict == "violated"}
    return frozenset(names | ({"error"} if report.error is not None else set()))


def died(mutant: Mutant, how: str, elapsed_s: float) -> MutantResult:
    """The result of a mutant whose process died."""
    return MutantResult(
        mutant.number, mutant.change, mutant.span, "", mutant.diff, "not judged", why=how, elapsed_s=elapsed_s
    )


def tried(original: Original, mutant: Mutant, equivalent: bool = False) -> MutantResult:
    """What becomes of a mutant. `equivalent`: so it was in an earlier run."""
    begun = time.monotonic()
    became = partial(result, original, mutant)
    patience = patient(original.limits)
    alike: bool | None = None
    try:
        changed = with_items(original.module, mutant.items)
        try:
            module = original.whole_of(changed)
        except (FizzError, Problem) as error:
            return became("noticed", by=("error",), why=_reason(error))
        if mutant.change == STRENGTHENED and not original.violated:
            return became("equivalent")  # all its fair runs are fair runs of the model
        if mutant.change == WEAKENED and not original.asks_for_fairness:
            return became("survived")
        if original.known is not None and mutant.change not in (STRENGTHENED, WEAKENED):
            with patience.limiting_steps():
                alike = original.known.alike(module, patience, mutant.span)
            if alike and not answers_affected(original.module, module, module.items):
                return became("equivalent")
        report = check(module, settings=replace(original.settings, limits=original.limits), patience=patience)
        found = _judged(original, mutant, module, report, alike, equivalent)
    except (FizzError, Problem) as error:
        return became("does not load", why=_reason(error))
    except Stop as stop:
        if stop.reason is StopReason.INTERRUPTED:
            return became("not run")
        return became("not judged", why=_given_up(original, stop.reason))
    return replace(found, states=report.states, elapsed_s=time.monotonic() - begun)


def _judged(
    original: Original, mutant: Mutant, module: Module, report: Report, alike: bool | None, equivalent: bool
) -> MutantResult:
    became = partial(result, original, mutant)
    violated = violated_in(report)
    cut = report.cut_by not in (None, StopReason.VIOLATION, StopReason.MAX_ACTIONS)
    # What a search that was cut has not found may still be there.
    if violated - original.violated or (violated != original.violated and not cut):
        asked = [one.name for one in report.properties] + ["error"]
        return became("noticed", by=tuple(name for name in asked if name in violated ^ original.violated))
    if report.cut_by is StopReason.INTERRUPTED:
        return became("not run")
    if report.cut_by in UNTIMELY:
        return became("not judged", why=_given_up(original, report.cut_by))
    if cut:
        return became("beyond the budget", why=_beyond(original, report))
    if not violated and report.exit_code not in (ExitCode.PASSED, ExitCode.BOUNDED):
        return became("not judged", why=f"it ended as {report.verdict}")
    if alike:
        return became("equivalent")
    if mutant.change == WEAKENED or alike is False or _counts(report) != _counts(original.report):
        return became("survived")
    if mutant.change == STRENGTHENED or (equivalent and not original.looks_into(mutant)):
        return became("equivalent")
    if original.known is not None:
        over = patient(original.limits)
        with over.limiting_steps():
            like = likeness(module, original.settings.symmetry, over, original.limits.states)
        if like == original.known.likeness and like.complete:
            return became("equivalent")
    return became("survived")


def _reason(error: FizzError | Problem) -> str:
    return error.diagnostics[0].text if isinstance(error, FizzError) else error.text


def _beyond(original: Original, report: Report) -> str:
    if report.cut_by is StopReason.MAX_STATES:
        return f"it has more than {original.limits.states:,} states, the model {original.report.states:,}"
    return f"it has more than {original.limits.depth:,} levels"


def _given_up(original: Original, reason: StopReason) -> str:
    if reason is StopReason.TIMEOUT:
        return f"given up after {original.limits.time_s:.0f} s of a processor"
    return f"given up: {reason.sentence}"


def _counts(report: Report) -> tuple[int, ...]:
    return (report.states, report.transitions, report.crash_steps, report.initial, report.depth, report.cut)


def result(
    original: Original, mutant: Mutant, fate: Fate, by: tuple[str, ...] = (), why: str | None = None
) -> MutantResult:
    """A result with the place of the mutant."""
    function = function_at(original.module, mutant.span)
    return MutantResult(mutant.number, mutant.change, mutant.span, function, mutant.diff, fate, by, why)


def function_at(module: Module, span: Span) -> str:
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
