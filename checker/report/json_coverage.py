"""Coverage as plain data, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.report.json_report import json_diagnostic, json_given
from checker.report.json_text import json_text

if TYPE_CHECKING:
    from checker.analysis.covering import Coverage


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
