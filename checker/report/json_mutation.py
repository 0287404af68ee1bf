"""Mutants as one JSON object."""

from __future__ import annotations

from checker.mutation.mutation_report import MutationReport
from checker.report.json_report import json_given, json_text


def json_mutation(report: MutationReport) -> str:
    """The object as text, indented: every mutant with its place, its changed lines and its fate."""
    return json_text(
        {
            "exit_code": int(report.exit_code),
            "model": report.model,
            **json_given(report.given),
            "states": report.states,
            "cut": report.cut,
            "properties": list(report.properties),
            "budget": report.budget,
            "counts": dict(report.counts),
            "noticed_by": {
                name: {"noticed": noticed, "alone": alone} for name, (noticed, alone) in report.noticed_by.items()
            },
            "stopped": None if report.stopped is None else report.stopped.value,
            "mutants": [
                {
                    "number": one.number,
                    "fate": one.fate,
                    "change": one.change,
                    "file": one.span.file,
                    "line": one.span.line,
                    "column": one.span.column,
                    "function": one.function,
                    "diff": list(one.diff),
                    "by": list(one.by),
                    "why": one.why,
                    "states": one.states,
                    "elapsed_s": round(one.elapsed_s, 3),
                }
                for one in report.results
            ],
            "elapsed_s": round(report.elapsed_s, 3),
        }
    )
