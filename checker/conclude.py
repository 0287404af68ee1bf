"""From an exploration to the report.

Verdicts, the leading counterexample, traces, warnings (language page, 10.7 and 12.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from checker.analysis.warnings import audit
from checker.core.exploration import Exploration, Finding
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode
from checker.core.property import Property
from checker.core.report import ModelFailure, PropertyReport, PropertyVerdict, Report, Verdict
from checker.core.trace import Trace
from checker.properties import concerning
from checker.search.memo.memo import Memory
from fizz import Diagnostic, Module
from interpreter import Program

if TYPE_CHECKING:
    from checker.traces.switch_reducer import SwitchReducer


def conclude(
    module: Module,
    program: Program,
    memory: Memory | None,
    properties: tuple[Property, ...],
    exploration: Exploration,
    *,
    engine: str,
    given: Given,
    asked: Mapping[str, object],
    patience: Patience,
) -> Report:
    """The report of one run. Counterexamples are replayed here, with the memo that engines filled.

    `memory` None: there is no machine, because the constants already failed.
    """
    traces = None if memory is None else _Traces(memory, patience)
    reports = tuple(_report(p, exploration, traces) for p in properties)
    leading = _leading(properties, exploration)
    verdict, exit_code = _verdict(properties, exploration)
    error = exploration.error
    trace = _trace_of(leading, reports, properties)
    if error is not None:
        trace = None if traces is None else traces.of(error)[1]
    return Report(
        verdict=verdict,
        exit_code=exit_code,
        model=module.path,
        engine=engine,
        states=exploration.states,
        transitions=exploration.transitions,
        crash_steps=exploration.crash_steps,
        initial=exploration.initial,
        cut=exploration.cut,
        cut_by=_cut_by(exploration),
        exact=exploration.exact,
        depth=exploration.depth,
        given_up=exploration.given_up,
        found_before=exploration.found_before,
        properties=reports,
        trace=trace,
        leading=None if leading is None or error is not None else leading.name,
        error=None if error is None else _failure(error),
        warnings=concerning(module.warnings, reports) + _warnings(traces, exploration, properties),
        sources=module.sources,
        excluded=program.options.exclude,
        given=given,
        asked=asked,
    )


def _warnings(
    traces: _Traces | None, exploration: Exploration, properties: tuple[Property, ...]
) -> tuple[Diagnostic, ...]:
    """The warnings of a run; none if there was no time for them."""
    if traces is None:
        return ()
    try:
        with traces.patience.grace():
            return audit(traces.memory.machine, exploration, properties)
    except (KeyboardInterrupt, Stop):
        return ()


def _report(property: Property, exploration: Exploration, traces: _Traces | None) -> PropertyReport:
    finding = exploration.findings.get(property.key)
    if finding is None or traces is None:
        verdict, notes = _property_verdict(property, exploration), exploration.notes.get(property.key, ())
        return PropertyReport(property.name, property.kind, verdict, notes=notes)
    finding, trace = traces.of(finding, property)
    steps = finding.steps if finding.path else None
    instance, shortest = finding.instance, not finding.unfinished
    return PropertyReport(property.name, property.kind, "violated", steps, trace, instance, shortest)


class _Traces:
    """Makes the traces of findings. Imports what that needs at the first finding: most runs have none."""

    def __init__(self, memory: Memory, patience: Patience) -> None:
        self.memory = memory
        self.patience = patience

    @cached_property
    def _reducer(self) -> SwitchReducer:
        from checker.traces.switch_reducer import SwitchReducer

        return SwitchReducer(self.memory, self.patience)

    def of(self, finding: Finding, property: Property | None = None) -> tuple[Finding, Trace | None]:
        """The finding and its trace with the fewest context switches found; without a property the model fails.

        The finding names the instance that decides the trace. No trace if it has no path, or if the run had to end.
        """
        from checker.traces.replay import story_of, trace_of

        machine = self.memory.machine
        try:
            with self.patience.grace():
                story = story_of(machine, finding)
            if story is None:
                return finding, None
            if property is None or property.watches:
                finding, story = self._reducer.reduced(finding, story, property)
            with self.patience.grace():
                watch = None if property is None else property.watch_of(finding)
                return finding, trace_of(machine, finding, story, watch)
        except (KeyboardInterrupt, Stop):
            # One step of this model may take longer than the run may last.
            return finding, None


def _property_verdict(property: Property, exploration: Exploration) -> PropertyVerdict:
    """The verdict of a property that was not found violated."""
    if property.key in exploration.met:
        return "holds"
    if property.key not in exploration.judged:
        return "undecided"
    return "holds-within-bound" if exploration.bounded else "holds"


def _leading(properties: tuple[Property, ...], exploration: Exploration) -> Property | None:
    """The violated property that the report leads with (language page, 12.4): the shortest finding, then file order.

    An `exists` that was never met has no trace and comes last.
    """

    def length(p: Property) -> tuple[bool, int]:
        finding = exploration.findings[p.key]
        return not finding.path, finding.steps

    return min((p for p in properties if p.key in exploration.findings), key=length, default=None)


def _verdict(properties: tuple[Property, ...], exploration: Exploration) -> tuple[Verdict, ExitCode]:
    """The verdict of the run: that of the first violated property, in the order of judgement."""
    if exploration.stopped is StopReason.INTERRUPTED and not exploration.answered:
        return "interrupted", ExitCode.INTERRUPTED
    if exploration.error is not None:
        return "error", ExitCode.MODEL_ERROR
    violated = [p for p in properties if p.key in exploration.findings]
    if violated:
        first = min(p.phase_of(exploration.findings[p.key]) for p in violated)
        return first.verdict, first.exit_code
    if exploration.bounded or exploration.judging_stopped is not None or exploration.abstractly_cut:
        return "bounded", ExitCode.BOUNDED
    return "passed", ExitCode.PASSED


def _trace_of(
    leading: Property | None, reports: tuple[PropertyReport, ...], properties: tuple[Property, ...]
) -> Trace | None:
    return None if leading is None else reports[properties.index(leading)].trace


def _cut_by(exploration: Exploration) -> StopReason | None:
    if exploration.stopped.bounds:
        return exploration.stopped
    if exploration.judging_stopped is not None:
        return exploration.judging_stopped
    return StopReason.MAX_ACTIONS if exploration.bounded or exploration.abstractly_cut else None


def _failure(finding: Finding) -> ModelFailure:
    assert finding.error is not None
    return ModelFailure(finding.error.diagnostic, finding.error.calls, finding.steps, not finding.unfinished)
