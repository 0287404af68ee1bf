"""The property kinds. A new kind: a file beside this one, a line in `KINDS`, and its words in `AssertionKind`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checker.core.problems import UsageProblem
from checker.core.property import AssertionProperty, Phase, Property
from checker.core.report import PropertyReport
from checker.properties.always import Always
from checker.properties.always_eventually import AlwaysEventually
from checker.properties.deadlock import Deadlock
from checker.properties.eventually_always import EventuallyAlways
from checker.properties.exists import Exists
from checker.properties.leads_to import LeadsTo
from checker.properties.refines import Refines
from checker.properties.transition import Transition
from fizz import Diagnostic
from fizz.base.near_names import near_hint
from interpreter.compile.program import Program

Kinds = Sequence[type[AssertionProperty]]

KINDS: Kinds = (Always, Exists, Transition, EventuallyAlways, AlwaysEventually, LeadsTo)


def properties_of(program: Program, selected: tuple[str, ...] | None, kinds: Kinds = KINDS) -> tuple[Property, ...]:
    """The properties to check, in file order, deadlock last. `selected` names assertions; None means all.

    `kinds` are the known property kinds. Raises `UsageProblem` if a selected name is no assertion of the model.
    """
    named = {kind.kind: kind for kind in kinds}
    names = [assertion.name for assertion in program.assertions if assertion.of is None]
    names += [refinement.name for refinement in program.refinements]
    for name in selected or ():
        if name not in names:
            raise UsageProblem(f"the model has no assertion '{name}'", _hint(name, names))
    properties: list[Property] = [
        named[assertion.kind].of(assertion, program)
        for assertion in program.assertions
        if assertion.of is None and (selected is None or assertion.name in selected)
    ]
    properties += [
        Refines(refinement.name, number)
        for number, refinement in enumerate(program.refinements)
        if selected is None or refinement.name in selected
    ]
    if program.options.deadlock_detection:
        properties.append(Deadlock(Deadlock.kind))
    return tuple(properties)


def kind_named(kind: str) -> type[Property] | None:
    """The property kind of a name from a report; None: it is unknown, since a report may come from another program."""
    known: Sequence[type[Property]] = (*KINDS, Refines, Deadlock)
    return next((one for one in known if one.kind == kind), None)


def concerning(warnings: Iterable[Diagnostic], properties: Iterable[PropertyReport]) -> tuple[Diagnostic, ...]:
    """The warnings of a model that concern a run with these verdicts: without a liveness verdict W11 says nothing."""
    judged = [kind_named(one.kind) for one in properties if one.verdict != "undecided"]
    liveness = any(kind is not None and kind.phase is Phase.LIVENESS for kind in judged)
    return tuple(warning for warning in warnings if liveness or warning.code != "W11")


def _hint(name: str, names: list[str]) -> str:
    if not names:
        return "it has no assertions at all"
    return near_hint(name, names) or f"its assertions are {', '.join(names)}"
