"""Annotations as SARIF 2.1.0, which services for code scanning read. A counterexample is a code flow.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from checker.core.problems import ExitCode
from checker.core.trace import Trace
from checker.report.annotations import Annotation, path_below, step_text
from checker.report.json_report import json_text
from fizz.base.errors import Span
from fizz.base.version import VERSION
from fizz.syntax.ast import ASSERTION_KINDS

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_RULES: dict[str, str] = {
    "deadlock": "a state has no step left",
    "promise": "a run differs from what expect.yaml says",
    **{kind: f"an `{kind}` assertion is violated" for kind in ASSERTION_KINDS},
}


def sarif_text(annotations: Sequence[Annotation], code: ExitCode, root: Path) -> str:
    """The log as text. Files below `root` are named by their path from there."""
    rules = list(dict.fromkeys(annotation.rule for annotation in annotations))
    levels = {annotation.rule: annotation.level for annotation in annotations}
    driver = {
        "name": "fizzpy",
        "version": VERSION,
        "rules": [
            {
                "id": rule,
                "shortDescription": {"text": _RULES.get(rule, f"{levels[rule]} {rule} about a model")},
                "defaultConfiguration": {"level": levels[rule]},
            }
            for rule in rules
        ],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": code not in _UNSUCCESSFUL, "exitCode": int(code)}],
        "originalUriBaseIds": {_ROOT: {"uri": root.resolve().as_uri() + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(annotation, rules, root) for annotation in annotations],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


_UNSUCCESSFUL = (ExitCode.USAGE, ExitCode.ENVIRONMENT, ExitCode.INTERNAL, ExitCode.INTERRUPTED)
"""Exit codes of runs that have no answer; that a model is wrong is one."""


def _result(annotation: Annotation, rules: Sequence[str], root: Path) -> dict[str, object]:
    fields: dict[str, object] = {
        "ruleId": annotation.rule,
        "ruleIndex": rules.index(annotation.rule),
        "level": annotation.level,
        "message": {"text": annotation.text},
        # The title has no line number in it: the result is the same after lines above it have changed.
        "partialFingerprints": {"title/v1": f"{annotation.rule}: {annotation.title}"},
    }
    if annotation.span is not None:
        fields["locations"] = [{"physicalLocation": _location(annotation.span, root)}]
    flow = [] if annotation.trace is None else _flow(annotation.trace, root)
    if flow:
        fields["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    return fields


def _flow(trace: Trace, root: Path) -> list[Mapping[str, object]]:
    """The steps of a trace that are written somewhere."""
    return [
        {
            "location": {
                "physicalLocation": _location(Span(entry.file, entry.line, 1, entry.line, 1), root),
                "message": {"text": f"{number} {step_text(entry)}"},
            },
            "executionOrder": number,
        }
        for number, entry in enumerate(trace.entries)
        if entry.file and entry.line
    ]


def _location(span: Span, root: Path) -> dict[str, object]:
    below = path_below(span.file, root)
    if below is None:
        artifact = {"uri": Path(os.path.abspath(span.file)).as_uri()}  # noqa: PTH100 - as the user named it
    else:
        artifact = {"uri": quote(below, errors="surrogateescape"), "uriBaseId": _ROOT}
    region = {"startLine": max(span.line, 1)}
    if (span.end_line, span.end_column) > (span.line, span.column):
        region |= {"startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    return {"artifactLocation": artifact, "region": region}
