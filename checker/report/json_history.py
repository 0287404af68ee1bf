"""The report on a concurrent history as a JSON object."""

from __future__ import annotations

from checker.conformance.history import NOT_OBSERVED, Operation
from checker.conformance.history_report import HistoryPart, HistoryReport, NoOrder
from checker.report.json_report import json_given, json_text


def json_history(report: HistoryReport) -> str:
    """The object as text, indented."""
    fields = {
        "verdict": report.verdict,
        "exit_code": int(report.exit_code),
        "model": report.model,
        **json_given(report.given),
        "files": list(report.files),
        "consistency": report.consistency,
        "object": report.receiver,
        "operations": report.operations,
        "responses": report.responses,
        "without_response": report.without_response,
        "did_not_happen": report.did_not_happen,
        "set_aside": report.set_aside,
        "compared": report.compared,
        "partition": report.partition,
        "parts": [_part(part) for part in report.parts],
        "reason": report.reason or None,
        "hint": report.hint,
        "cut_by": report.cut_by,
        "elapsed_s": round(report.elapsed_s, 3),
    }
    return json_text(fields)


def _part(part: HistoryPart) -> dict[str, object]:
    fields: dict[str, object] = {
        "key": part.key,
        "operations": part.operations,
        "verdict": part.verdict,
        "configurations": part.configurations,
        "order": list(part.order),
    }
    return fields | ({} if part.why is None else {"why": _why(part.why)})


def _why(why: NoOrder) -> dict[str, object]:
    return {
        "events": why.events,
        "operations": [json_operation(one) for one in why.operations],
        "effective": list(why.effective),
        "states": [dict(state) for state in why.states],
        "blocked": [{"operation": json_operation(one.operation), "reasons": list(one.reasons)} for one in why.blocked],
    }


def json_operation(one: Operation) -> dict[str, object]:
    """An operation with its places."""
    fields: dict[str, object] = {
        "number": one.number,
        "process": one.process,
        "f": one.function,
        "arguments": dict(one.arguments),
        "ending": one.ending,
        "file": one.place.file,
        "line": one.place.line,
        "response": None if one.response is None else one.response.line,
        "text": one.text,
    }
    return fields | ({} if one.result is NOT_OBSERVED else {"result": one.result})
