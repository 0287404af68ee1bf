"""Opens results of the checker: counterexamples, followed on a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from checker.core.report import ModelFailure, Report
from checker.traces.model_walk import Walk
from checker.traces.possible import possible_inits
from checker.traces.walk_report import GuidedReport
from checker.tui.opened.opened_paths import OpenedPath, OpenedPaths, Path
from checker.tui.opened.property_row import PropertyRow
from checker.tui.opened.retrace import begun, follow
from checker.tui.opened.step_record import violation_sentence
from checker.tui.opened.truths import property_rows
from fizz import Module
from interpreter import Machine, compile_module
from interpreter.state.step import Failure


def opened_paths(module: Module, machine: Machine, paths: tuple[OpenedPath, ...], by_hand: bool = False) -> OpenedPaths:
    """The given paths of a model."""
    return OpenedPaths(module.path, module.sources, property_rows(machine.program), paths, machine, by_hand)


def opened_report(module: Module, report: Report, nothing: str) -> OpenedPaths | None:
    """The counterexamples of a report, the leading one first; if it has none the initial state, described by `nothing`.

    None if the model fails in Init.
    """
    if report.error is not None and report.trace is None:
        return None
    found = tuple(_counterexamples(report))
    if not found:
        return opened_by_hand(module, nothing)
    properties = tuple(PropertyRow(one.name, one.kind) for one in report.properties)
    return OpenedPaths(report.model, report.sources, properties, found, rest=lambda: _followed(module, found))


def _followed(module: Module, paths: tuple[OpenedPath, ...]) -> OpenedPaths:
    machine = Machine(compile_module(module))
    return opened_paths(module, machine, tuple(replace(one, path=follow(machine, one.path.trace)) for one in paths))


def opened_walk(module: Module, report: GuidedReport, walk: Walk) -> OpenedPaths:
    """The run of a guided trace."""
    assert report.trace is not None
    if report.error is not None:
        sentence, name = _failure(report.error), None
    else:
        broken = [p for p in report.properties if p.verdict == "violated"]
        what = "; ".join(map(violation_sentence, broken)) or "no property is violated"
        sentence, name = f"guided trace: {what}", report.leading
    return opened_paths(module, walk.machine, (OpenedPath(sentence, Path(report.trace, tuple(walk.states())), name),))


def opened_by_hand(module: Module, sentence: str, machine: Machine | None = None) -> OpenedPaths | None:
    """The initial state, to walk from. None if there is no initial state. Raises `ModelError` if a constant fails."""
    machine = machine or Machine(compile_module(module))
    for one in possible_inits(machine):
        if not isinstance(one.result, Failure):
            return opened_paths(module, machine, (OpenedPath(sentence, begun(machine, one)),), by_hand=True)
    return None


def _counterexamples(report: Report) -> Iterator[OpenedPath]:
    if report.error is not None and report.trace is not None:
        yield OpenedPath(_failure(report.error), Path(report.trace))
    found = [p for p in report.properties if p.verdict == "violated" and p.trace is not None]
    for p in sorted(found, key=lambda p: p.name != report.leading):
        assert p.trace is not None
        yield OpenedPath(violation_sentence(p), Path(p.trace), p.name)


def _failure(error: ModelFailure) -> str:
    return f"the model fails: {error.diagnostic.text}"
