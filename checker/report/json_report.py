"""A report as one JSON object, for programs. Only engine, times, memory and stats differ between engines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from checker.core.given import Given
from checker.core.problems import ExitCode
from checker.core.report import PropertyReport, Report, Verdict
from checker.core.trace import Held, Trace, TraceEntry, Unmatched
from fizz.base.errors import Diagnostic, FizzError


def json_text(fields: Mapping[str, object]) -> str:
    """The object as text, indented, of printable ASCII alone: the one control that JSON lets through is spelled too."""
    return json.dumps(fields, indent=2, default=str).replace("\x7f", "\\u007f")


def json_report(report: Report, more: Mapping[str, object] | None = None) -> str:
    """The object as text, indented; `more` are further fields of it."""
    diagnostic = report.error.diagnostic if report.error else None
    fields = {
        "verdict": report.verdict,
        "exit_code": int(report.exit_code),
        "model": report.model,
        "engine": report.engine,
        **json_given(report.given),
        "asked": dict(report.asked),
        "states": report.states,
        "transitions": report.transitions,
        "crash_steps": report.crash_steps,
        "initial": report.initial,
        "cut": report.cut,
        "cut_by": report.cut_by,
        **({"found_before": report.found_before} if report.found_before else {}),
        "unfinished": None if report.given_up is None else asdict(report.given_up),
        "depth": report.depth,
        "properties": [json_property(finding) for finding in report.properties],
        **json_trace(report.trace),
        "excluded": list(report.excluded),
        "error": None if diagnostic is None else json_diagnostic(diagnostic),
        **({"perhaps_not_shortest": True} if report.error is not None and not report.error.shortest else {}),
        "warnings": [json_diagnostic(warning) for warning in report.warnings],
        "elapsed_s": round(report.elapsed_s, 3),
        "cpu_s": round(report.cpu_s, 3),
        "peak_memory_mb": round(report.peak_memory_mb, 1),
    }
    if report.stats:
        fields["stats"] = dict(report.stats)
    return json_text(fields | dict(more or {}))


def json_error(error: FizzError, model: str, engine: str) -> str:
    """The object for a model that was not explored, because it does not parse or its options are wrong: no counts."""
    return _unexplored(ExitCode(error.exit_code), error.diagnostics[0], model, engine)


def json_problem(code: ExitCode, text: str, hint: str | None) -> str:
    """The object for a request that could not be served, or was interrupted before there was anything to report."""
    return _unexplored(code, Diagnostic("", text, hint=hint))


def _unexplored(code: ExitCode, diagnostic: Diagnostic, model: str = "", engine: str = "") -> str:
    verdict: Verdict = "interrupted" if code is ExitCode.INTERRUPTED else "error"
    empty = Report(verdict, code, model, engine, 0, 0, 0, 0, 0, None, 0, ())
    fields = json.loads(json_report(empty))
    fields["error"] = json_diagnostic(diagnostic)
    return json_text(fields)


def json_given(given: Given) -> dict[str, object]:
    """The constants and options that a model was given, as texts."""
    return {"constants": dict(given.constants), "options": dict(given.options)}


def json_property(finding: PropertyReport) -> dict[str, object]:
    """A property, its verdict, and its trace if it has one."""
    fields: dict[str, object] = {
        "name": finding.name,
        "kind": finding.kind,
        "verdict": finding.verdict,
        "steps": finding.steps,
    }
    if not finding.shortest:
        fields["perhaps_not_shortest"] = True
    if finding.notes:
        fields["notes"] = list(finding.notes)
    if finding.trace is not None:
        fields |= json_trace(finding.trace)
    return fields


def json_trace(trace: Trace | None) -> dict[str, object]:
    """The entries under `trace`; beside it the fields that make it a lasso or a stutter."""
    if trace is None:
        return {"trace": None}
    fields: dict[str, object] = {"trace": [json_entry(entry) for entry in trace.entries]}
    if trace.cycle_start is not None:
        fields["cycle_start"] = trace.cycle_start
    if trace.stutter:
        fields["stutter"] = True
    if trace.waiting is not None:
        fields["waiting"] = {"step": trace.waiting.step, "pair": trace.waiting.pair}
    if trace.fairness:
        fields["fairness"] = list(trace.fairness)
    if trace.stuck is not None:
        blocked = [list(location) for location in trace.stuck.blocked]
        held = [_held(one) for one in trace.stuck.held]
        fields["stuck"] = {"blocked": blocked, "limited": list(trace.stuck.limited), "held": held}
    if trace.why is not None:
        location = {"step": trace.why.step, "file": trace.why.file, "line": trace.why.line}
        fields["why"] = location | {"facts": [list(fact) for fact in trace.why.facts]}
    if trace.unmatched is not None:
        fields["unmatched"] = _unmatched(trace.unmatched)
    return fields


def _unmatched(one: Unmatched) -> dict[str, object]:
    near = [{"label": step.label, "differences": [list(part) for part in step.differences]} for step in one.near]
    return {"model": one.model, "step": one.step, "viewed": [list(value) for value in one.viewed], "near": near}


def _held(one: Held) -> dict[str, object]:
    facts = [list(fact) for fact in one.facts]
    return {"name": one.name, "file": one.file, "line": one.line, "text": one.text, "facts": facts}


def json_entry(entry: TraceEntry) -> dict[str, object]:
    """One step of a trace."""
    return {
        "label": entry.label,
        "kind": entry.kind,
        "actor": entry.actor,
        "file": entry.file,
        "line": entry.line,
        "choices": list(entry.choices),
        "crash": entry.crash,
        "changes": [[change.place, change.old, change.new] for change in entry.changes],
    }


def json_diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    """A message with its location."""
    span = diagnostic.span
    return {
        "code": diagnostic.code or None,
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "text": diagnostic.text,
        "hint": diagnostic.hint,
    }
