"""The results of promises for programs: one JSON object, or JUnit XML for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from checker.core.limits import BETWEEN_LEVELS
from checker.core.problems import ExitCode
from checker.expectations.promise_runs import PromiseResult
from checker.expectations.promises import Promise
from checker.report.json_report import json_diagnostic, json_text


def json_promises(results: Sequence[PromiseResult], not_run: Sequence[Promise], engine: str, code: ExitCode) -> str:
    """The object as text, indented."""
    fields = {
        "exit_code": int(code),
        "engine": engine,
        "kept": sum(kept.holds for kept in results),
        "broken": sum(not kept.holds for kept in results),
        "not_run": len(not_run),
        "runs": [_json_run(kept) for kept in results],
    }
    return json_text(fields)


def _json_run(kept: PromiseResult) -> dict[str, object]:
    promise, report = kept.promise, kept.report
    fields: dict[str, object] = {
        "model": str(promise.model),
        "given": promise.given,
        "set": dict(promise.constants),
        "options": dict(promise.options),
        "keep_going": promise.keep_going,
        **{reason.value: getattr(promise.limits, reason.limit or "") for reason in BETWEEN_LEVELS},
        "mark": promise.mark,
        "file": None if promise.file is None else str(promise.file),
        "line": promise.line,
        "holds": kept.holds,
        "differs": list(kept.differs),
        "error": kept.trouble,
        "exit": int(kept.exit_code),
    }
    if report is not None:
        names = ("verdict", "states", "transitions", "crash_steps", "initial", "cut", "depth")
        fields |= {name: getattr(report, name) for name in names}
        named = [(finding.name, finding.verdict, finding.steps) for finding in report.properties]
        fields["properties"] = [{"name": name, "verdict": verdict, "steps": steps} for name, verdict, steps in named]
        fields["warnings"] = [json_diagnostic(warning) for warning in report.warnings]
        fields |= {"cpu_s": round(report.cpu_s, 3), "peak_memory_mb": round(report.peak_memory_mb, 1)}
    return fields | {"elapsed_s": round(kept.elapsed_s, 3)}


def junit_promises(results: Sequence[PromiseResult], not_run: Sequence[Promise], engine: str) -> bytes:
    """A `testsuites` document: a suite for each `expect.yaml`, a case for each run, in their order.

    A broken promise is a failure, an impossible run an error, a run that was not started is skipped.
    """
    cases = [(kept.promise, kept) for kept in results] + [(promise, None) for promise in not_run]
    root = ElementTree.Element("testsuites", name="fizzpy test")
    for file, members in groupby(sorted(cases, key=_place), key=lambda case: case[0].file):
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(str(file)))
        names = set[str]()
        for promise, kept in members:
            name = f"{promise.title} [{engine}]"
            # Consumers take cases of one name for repetitions of one case.
            name += f" (line {promise.line})" if name in names else ""
            names.add(name)
            _add_case(suite, _clean(name), promise, kept)
        _count(suite, [suite])
    _count(root, list(root))
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _place(case: tuple[Promise, PromiseResult | None]) -> tuple[str, int]:
    return str(case[0].file), case[0].line


def _add_case(suite: ElementTree.Element, name: str, promise: Promise, kept: PromiseResult | None) -> None:
    folder = Path(promise.file or "").parent
    # Consumers make a tree of the parts between the dots. Of an installed folder only its name is used.
    parts = folder.parts[-1:] if folder.is_absolute() else [part for part in folder.parts if part != ".."]
    seconds = 0.0 if kept is None else kept.elapsed_s
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(".".join([*parts, promise.model.stem])),
        name=name,
        file=_clean(str(promise.file)),
        line=str(promise.line),
        time=f"{seconds:.3f}",
    )
    if kept is None:
        ElementTree.SubElement(case, "skipped", message="not run: interrupted")
    elif kept.trouble is not None:
        ElementTree.SubElement(case, "error", message=_clean(kept.trouble), type="error").text = _clean(kept.trouble)
    elif kept.differs:
        failure = ElementTree.SubElement(case, "failure", message=_clean(kept.differs[0]), type="promise")
        failure.text = _clean("\n".join(kept.differs))


def _count(element: ElementTree.Element, suites: list[ElementTree.Element]) -> None:
    """Write the sums of suites on an element, as the consumers of these files expect them."""
    counts = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, path in {**counts, "skipped": "testcase/skipped"}.items():
        element.set(name, str(sum(len(suite.findall(path)) for suite in suites)))
    seconds = sum(float(case.get("time", "0")) for suite in suites for case in suite.findall("testcase"))
    element.set("time", f"{seconds:.3f}")


def _clean(text: str) -> str:
    """The text with `?` for characters that XML does not allow."""
    return "".join(
        c if c in "\t\n\r" or " " <= c <= "\ud7ff" or (c > "\udfff" and c not in "\ufffe\uffff") else "?" for c in text
    )
