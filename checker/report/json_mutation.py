"""Mutants as one JSON object."""

from __future__ import annotations

from checker.mutation.mutation_report import MutantResult, MutationReport, PromisedMutation
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
            "mutants": [_mutant(one) for one in report.results],
            "elapsed_s": round(report.elapsed_s, 3),
        }
    )


def json_promised_mutation(report: PromisedMutation) -> str:
    """The object as text, indented: every mutant as above, with its name and the run that knows most of it."""
    return json_text(
        {
            "exit_code": int(report.exit_code),
            "folder": report.folder,
            "runs": list(report.runs),
            "left_out": [{"run": one.run, "why": one.why, "judged": one.judged} for one in report.skipped],
            "counts": dict(report.counts),
            "stale": [{"file": file, "name": name} for file, name in report.stale],
            "stopped": None if report.stopped is None else report.stopped.value,
            "mutants": [
                {**_mutant(one), "name": one.name, "run": one.run, "explained": one not in report.unexplained}
                if one.fate == "survived"
                else {**_mutant(one), "name": one.name, "run": one.run}
                for one in report.results
            ],
            "elapsed_s": round(report.elapsed_s, 3),
        }
    )


def _mutant(one: MutantResult) -> dict[str, object]:
    return {
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
        "hint": one.hint,
        "states": one.states,
        "elapsed_s": round(one.elapsed_s, 3),
    }
