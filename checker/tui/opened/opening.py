"""What there is to look at in an answer of the checker: its counterexamples, followed on a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from checker.core.report import ModelFailure, Report
from checker.traces.model_walk import Walk
from checker.traces.possible import possible_inits
from checker.traces.walk_report import GuidedReport
from checker.tui.opened.claim import PropertyRow
from checker.tui.opened.opened import Opened, OpenedPath, Path
from checker.tui.opened.retrace import begun, follow
from checker.tui.opened.told import violation
from checker.tui.opened.truth import claims_of
from fizz import Module
from interpreter import Machine, compile_module
from interpreter.state.step import Failure


def opened(module: Module, machine: Machine, stories: tuple[OpenedPath, ...], by_hand: bool = False) -> Opened:
    """These stories of a model."""
    return Opened(module.path, module.sources, claims_of(machine.program), stories, machine, by_hand)


def opened_report(module: Module, report: Report, nothing: str) -> Opened | None:
    """The counterexamples of a report, the leading one first; without any the initial state, with the words `nothing`.

    None if there is not even that, because the model fails in Init.
    """
    if report.error is not None and report.trace is None:
        return None
    told = tuple(_stories(report))
    if not told:
        return opened_by_hand(module, nothing)
    claims = tuple(PropertyRow(one.name, one.kind) for one in report.properties)
    return Opened(report.model, report.sources, claims, told, rest=lambda: _followed(module, told))


def _followed(module: Module, told: tuple[OpenedPath, ...]) -> Opened:
    machine = Machine(compile_module(module))
    return opened(module, machine, tuple(replace(one, path=follow(machine, one.path.trace)) for one in told))


def opened_walk(module: Module, report: GuidedReport, walk: Walk) -> Opened:
    """The run that a guided trace tells of."""
    assert report.trace is not None
    if report.error is not None:
        sentence, name = _failure(report.error), None
    else:
        broken = [p for p in report.properties if p.verdict == "violated"]
        told = "; ".join(map(violation, broken)) or "no property is violated on the way"
        sentence, name = f"guided trace: {told}", report.leading
    return opened(module, walk.machine, (OpenedPath(sentence, Path(report.trace, tuple(walk.states())), name),))


def opened_by_hand(module: Module, sentence: str, machine: Machine | None = None) -> Opened | None:
    """The initial state, to walk from. None if there is no initial state. Raises `ModelError` if a constant fails."""
    machine = machine or Machine(compile_module(module))
    for one in possible_inits(machine):
        if not isinstance(one.result, Failure):
            return opened(module, machine, (OpenedPath(sentence, begun(machine, one)),), by_hand=True)
    return None


def _stories(report: Report) -> Iterator[OpenedPath]:
    if report.error is not None and report.trace is not None:
        yield OpenedPath(_failure(report.error), Path(report.trace))
    found = [p for p in report.properties if p.verdict == "violated" and p.trace is not None]
    for p in sorted(found, key=lambda p: p.name != report.leading):
        assert p.trace is not None
        yield OpenedPath(violation(p), Path(p.trace), p.name)


def _failure(error: ModelFailure) -> str:
    return f"the model fails: {error.diagnostic.text}"
