"""The results of `simulate`, `trace`, `coverage` and `explain` as JSON objects, as in the report of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.report.json_report import json_diagnostic, json_entry, json_given, json_property, json_text, json_trace

if TYPE_CHECKING:
    from checker.analysis.attempts import Attempts
    from checker.analysis.covering import Coverage
    from checker.analysis.explanation import ActionsReport, StateReport
    from checker.traces.guards import Disabled, FailedGuard
    from checker.traces.walk_report import GuidedReport, NextStep, SimulationReport, WalkReport


def json_simulation(report: SimulationReport) -> str:
    """The object as text, indented. `walk`: the walk that found something, made with `walk_seed`."""
    fields = _common(report) | {
        "runs": report.runs,
        "seed": report.seed,
        "walks": report.walks,
        "steps": report.steps,
        "walk": report.walk,
        "walk_seed": None if report.walk is None else report.seed + report.walk,
        "found_after": report.found_after,
        "ends": dict(sorted(report.ends.items())),
        "distinct_states": report.distinct_states,
        "acted": sorted(report.acted),
        "actions": report.actions,
        "cut_by": report.cut_by,
        "elapsed_s": round(report.elapsed_s, 3),
    }
    return json_text(fields)


def json_guided(report: GuidedReport) -> str:
    """The object as text, indented. `next`: the steps beyond the end, each with those after it."""
    fields = _common(report) | {
        "follow": report.follow,
        "form": "explicit" if report.explicit else "simple",
        "extended": report.extended,
        "next": [_next(step) for step in report.next],
        "all_listed": report.all_listed,
        "cut_by": report.cut_by,
    }
    return json_text(fields)


def _common(report: WalkReport) -> dict[str, object]:
    return {
        "verdict": report.verdict,
        **_head(report),
        "properties": [json_property(finding) for finding in report.properties],
        **json_trace(report.trace),
        "error": None if report.error is None else json_diagnostic(report.error.diagnostic),
    }


def _head(report: WalkReport | ActionsReport | StateReport) -> dict[str, object]:
    return {"exit_code": int(report.exit_code), "model": report.model, **json_given(report.given)}


def _next(step: NextStep) -> dict[str, object]:
    fields = json_entry(step.entry)
    if step.fails is not None:
        fields["error"] = json_diagnostic(step.fails)
    return fields | {"next": [_next(beyond) for beyond in step.next]}


def json_coverage(coverage: Coverage) -> str:
    """The object as text, indented."""
    fields = {"exit_code": int(coverage.exit_code), **json_given(coverage.given), **coverage_fields(coverage)}
    return json_text(fields)


def coverage_fields(coverage: Coverage) -> dict[str, object]:
    """The fields, as `fizzpy coverage --json` and the audit of a check have them."""
    return {
        "model": coverage.model,
        "states": coverage.states,
        "transitions": coverage.transitions,
        "depth": coverage.depth,
        "stopped": coverage.stopped,
        "cut": coverage.cut,
        "statements": coverage.statements,
        "ran": coverage.ran,
        "lines": [[file, line, count] for (file, line), count in sorted(coverage.runs.items())],
        "actions": [{"action": a.action, "ways": a.paths, "steps": a.steps} for a in coverage.actions],
        "branchings": [
            {"file": b.span.file, "line": b.span.line, "text": b.text, "decided": dict(b.counts)}
            for b in coverage.branchings
        ],
        "remarks": [
            {"kind": r.kind, "file": r.span.file, "line": r.span.line, "column": r.span.column, "text": r.text}
            for r in coverage.remarks
        ],
        "untested": [json_diagnostic(one) for one in coverage.untested],
        "settings": [json_diagnostic(one) for one in coverage.settings],
    }


def json_actions(report: ActionsReport) -> str:
    """The attempts of actions over the exploration."""
    fields = {
        **_head(report),
        "states": report.states,
        "stopped": report.stopped,
        "cut": report.cut,
        "actions": [_attempts(one) for one in report.actions],
    }
    return json_text(fields)


def json_state(report: StateReport) -> str:
    """The actions and threads without a step in one state."""
    fields = {
        **_head(report),
        **json_trace(report.trace),
        "state": dict(report.trace.entries[-1].state),
        "disabled": [json_disabled(one) for one in report.disabled],
        "possible": list(report.possible),
    }
    return json_text(fields)


def _attempts(one: Attempts) -> dict[str, object]:
    return {
        "action": one.action,
        "attempts": one.attempts,
        "held_back": dict(one.held_back),
        "fired": one.fired,
        "guards": [
            {"file": g.file, "line": g.line, "text": g.text, "met": g.met, "passed": g.passed} for g in one.guards
        ],
        "furthest": None if one.furthest is None else json_disabled(one.furthest),
        **json_trace(one.trace),
    }


def json_disabled(one: Disabled) -> dict[str, object]:
    """An action or thread without a step, and the guards that block it."""
    return {"name": one.name, "kind": one.kind, "actor": one.actor, "guards": [_guard(guard) for guard in one.guards]}


def _guard(guard: FailedGuard) -> dict[str, object]:
    return {
        "kind": guard.kind,
        "file": guard.file,
        "line": guard.line,
        "text": guard.text,
        "facts": [list(fact) for fact in guard.facts],
        "choices": list(guard.choices),
        "ways": guard.paths,
    }
