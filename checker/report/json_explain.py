"""Why actions have no step, as one JSON object, for programs."""

from __future__ import annotations

from checker.analysis.attempts import Attempts
from checker.analysis.explanation import ActionsReport, StateReport
from checker.report.json_report import json_given, json_trace
from checker.report.json_text import json_text
from checker.traces.guards import Disabled, FailedGuard


def json_actions(report: ActionsReport) -> str:
    """The attempts of actions over the exploration."""
    fields = {
        "exit_code": int(report.exit_code),
        "model": report.model,
        **json_given(report.given),
        "states": report.states,
        "stopped": report.stopped,
        "cut": report.cut,
        "actions": [_attempts(one) for one in report.actions],
    }
    return json_text(fields)


def json_state(report: StateReport) -> str:
    """The actions and threads without a step in one state."""
    fields = {
        "exit_code": int(report.exit_code),
        "model": report.model,
        **json_given(report.given),
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
