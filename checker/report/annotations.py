"""What is wrong, each with a place in a source file: for code scanning, annotations of pull requests, editors.

An annotation is data; `sarif.py` and `github_text.py` print it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal as OneOf

from checker.core.report import DEADLOCK, PropertyReport, Report, heading
from checker.core.trace import Trace, TraceEntry
from checker.expectations.promise_runs import PromiseResult
from fizz import Module
from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.syntax import ast

AnnotationLevel = OneOf["error", "warning"]
_MOST_STEPS = 30


@dataclass(frozen=True, slots=True)
class Annotation:
    """One thing that is wrong. `rule`: its kind, as `always` or `L23`. `trace`: the counterexample, if it has one."""

    level: AnnotationLevel
    rule: str
    title: str
    text: str
    span: Span | None
    trace: Trace | None = None


def annotations_of_report(report: Report, module: Module | None) -> list[Annotation]:
    """Each violated property at its assertion, a failure of the model where it failed, and the warnings."""
    spans = {} if module is None else _spans_of_assertions(module.items)
    found: list[Annotation] = []
    if report.error is not None:
        diagnostic = report.error.diagnostic
        text = _with_hint(diagnostic)
        found.append(Annotation("error", diagnostic.code, "the model failed", text, diagnostic.span, report.trace))
    violated = [finding for finding in report.properties if finding.verdict == "violated"]
    for finding in violated:
        trace = finding.trace or (report.trace if finding.name == report.leading else None)
        span = spans.get(finding.name) or _last_location(trace) or Span(report.model, 1, 1, 1, 2)
        title = heading(finding.name, finding.kind)
        found.append(Annotation("error", finding.kind, title, _violation_text(finding, title, trace), span, trace))
    return [*found, *(_of_diagnostic("warning", warning) for warning in report.warnings)]


def annotations_of_error(error: FizzError) -> list[Annotation]:
    """Each message about a model that does not load."""
    return [_of_diagnostic("error", diagnostic) for diagnostic in error.diagnostics]


def annotations_of_promises(results: Sequence[PromiseResult]) -> list[Annotation]:
    """Each broken promise, and each run that was not possible, at its line of `expect.yaml`."""
    found: list[Annotation] = []
    for kept in results:
        if not kept.holds:
            promise = kept.promise
            sentences = [*kept.differs, *([kept.trouble] if kept.trouble else [])]
            span = None if promise.file is None else Span(str(promise.file), promise.line, 1, promise.line, 2)
            title = f"{promise.title}: {'a promise is broken' if kept.trouble is None else 'the run was not possible'}"
            found.append(Annotation("error", "promise", title, "\n".join(sentences), span))
    return found


def _of_diagnostic(level: AnnotationLevel, diagnostic: Diagnostic) -> Annotation:
    return Annotation(level, diagnostic.code, diagnostic.text, _with_hint(diagnostic), diagnostic.span)


def _with_hint(diagnostic: Diagnostic) -> str:
    return diagnostic.text + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")


def _spans_of_assertions(items: Sequence[ast.Item]) -> Mapping[str, Span]:
    assertions = [item for item in items if isinstance(item, ast.Assertion)]
    assertions += [inner for item in items if isinstance(item, ast.Role) for inner in item.assertions]
    return {assertion.name: assertion.name_span for assertion in assertions}


def _last_location(trace: Trace | None) -> Span | None:
    """Where the last step of a trace is written: a deadlock has no assertion."""
    steps = reversed(trace.entries) if trace is not None else ()
    located = (Span(step.file, step.line, 1, step.line, 2) for step in steps if step.file and step.line)
    return next(located, None)


def _violation_text(finding: PropertyReport, title: str, trace: Trace | None) -> str:
    where = f" for {finding.instance}" if finding.instance else ""
    length = f" after {finding.steps} steps" if finding.steps is not None else ""
    what = "a state has no step left" if finding.kind == DEADLOCK else title
    return "\n".join([f"{what}{where}{length}", *_steps(trace)])


def _steps(trace: Trace | None) -> Iterator[str]:
    """A line for each step, and how the run goes on."""
    if trace is None:
        return
    for number, entry in enumerate(trace.entries[:_MOST_STEPS]):
        if number == trace.cycle_start:
            yield "from here on for ever:"
        yield f"{number:4d}  {step_text(entry)}"
    if len(trace.entries) > _MOST_STEPS:
        yield f"      and {len(trace.entries) - _MOST_STEPS} more"
    elif trace.stutter:
        yield "      the run stays here for ever"


def step_text(entry: TraceEntry) -> str:
    """A step in a few words: `Node#0.Send [Any:to=Node#1]`, `Node#0.Send goes on`, with a note of a crash."""
    label = entry.label
    if entry.kind == "continue" and entry.actor:
        label = " ".join([f"{entry.actor} goes on", *([f"[{', '.join(entry.choices)}]"] if entry.choices else [])])
    return label + (" (crash)" if entry.crash else "")


def path_below(file: str, root: Path) -> str | None:
    """The path from a folder to a file in it, with `/`; None if it is elsewhere."""
    path = Path(os.path.abspath(file))  # noqa: PTH100 - links stay: the name below the folder is wanted
    for folder in (root, root.resolve()):
        for one in (path, path.resolve()):
            if one.is_relative_to(folder):
                return one.relative_to(folder).as_posix()
    return None
