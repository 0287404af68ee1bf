"""The report on logs as a JSON object."""

from __future__ import annotations

from checker.conformance.observed_event import Observed
from checker.conformance.validation_report import LogRun, Reading, Rejection, ValidationReport
from checker.report.json_report import json_entry, json_given, json_text


def json_validation(report: ValidationReport) -> str:
    """The object as text, indented."""
    fields = {
        "verdict": report.verdict,
        "exit_code": int(report.exit_code),
        "model": report.model,
        **json_given(report.given),
        "map": report.map,
        "runs": [_run(run, report.reading) for run in report.runs],
        "actions": report.actions,
        "lines": {"all": len(report.all_lines), "ran": len(report.covered)},
        "cut_by": report.cut_by,
        "elapsed_s": round(report.elapsed_s, 3),
    }
    return json_text(fields)


def _run(run: LogRun, reading: Reading) -> dict[str, object]:
    return {
        "files": list(run.files),
        "key": run.key,
        "verdict": run.verdict,
        "lines": run.lines,
        "ignored": run.ignored,
        "events": run.explained,
        "values": run.values,
        "silent": run.silent,
        "nodes": run.nodes,
        "unsent": run.unsent,
        "exit_code": int(run.exit_code(reading)),
        "reason": run.reason or None,
        "hint": run.hint,
        "judged": [{"property": one.name, "on": one.on} for one in run.judged],
        "explanations": run.looked_at,
        **({} if run.rejection is None else {"rejection": _rejection(run.rejection)}),
    }


def _rejection(why: Rejection) -> dict[str, object]:
    return {
        "steps": [json_entry(entry) for entry in why.entries],
        "states": [dict(state) for state in why.states],
        "events": [{**_event(one.event), "reasons": [list(reasons) for reasons in one.reasons]} for one in why.events],
        "waiting": why.waiting,
        "doubtful": None if why.doubtful is None else {**_event(why.doubtful.event), "why": why.doubtful.why},
    }


def _event(event: Observed) -> dict[str, object]:
    file, line, part = event.place
    return {"file": file, "line": line, "part": part or None, "kind": event.kind, "text": event.text}
