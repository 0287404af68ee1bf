"""Opens a saved report (`--json`) or a guided trace.

What the file says can be shown at once; the model is read, and the steps are replayed, when the first screen is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from checker.core.given import Given
from checker.core.locate import locate
from checker.core.problems import UsageProblem
from checker.tui.opened.opened_paths import OpenedPath, OpenedPaths, Path
from checker.tui.opened.saved_files import SavedGuide, SavedReport, Written, saved_guide, saved_report
from checker.tui.opened.step_record import StepRecord

if TYPE_CHECKING:
    from checker.traces.walk_report import GuidedReport
    from fizz import Module
    from interpreter import Machine


class UnopenedError(Exception):
    """There is nothing to show, for the model fails in Init. `report` has the error."""

    def __init__(self, report: GuidedReport) -> None:
        super().__init__(report.verdict)
        self.report = report


def load_given(model: str, given: Given) -> Module:
    """A model with these constants and options. Raises `FizzError` and `Problem`."""
    from checker.search.composition.load_whole import load_whole

    return load_whole(locate(model), options=given.options, constants=given.constants)


# --- guided traces -------------------------------------------------------------------------------------------------


def open_guide(path: str, given: Given, model: str | None = None, properties: Sequence[str] = ()) -> OpenedPaths:
    """Open a guided trace. Raises `Problem`; `rest` of the result raises it if none of `properties` is violated.

    `model`: None for the one in the command at the head of the file.
    """
    saved = saved_guide(path, given, model)
    opened = OpenedPath("the model is being read, and the trace is followed", Path(saved.trace()))
    return OpenedPaths(
        locate(saved.model),
        saved.sources(),
        (),
        (opened,),
        rest=lambda: follow_saved(saved).only(properties),
        given=saved.given,
    )


def follow_saved(saved: SavedGuide) -> OpenedPaths:
    """Replay a guided trace on a machine. Raises `Problem`, `FizzError` and `UnopenedError`."""
    from checker.traces.guided import followed
    from checker.tui.opened.opening import opened_walk

    module = load_given(saved.model, saved.given)
    report, walk = followed(module, saved.path)
    if report.trace is None or walk is None:
        raise UnopenedError(report)
    trace = replace(report.trace, cycle_start=saved.cycle_start, stutter=saved.stutter)
    return opened_walk(module, replace(report, trace=trace), walk)


# --- reports -------------------------------------------------------------------------------------------------------


def open_report(path: str, given: Given, model: str | None = None) -> OpenedPaths:
    """Open the counterexamples of a report that was saved as JSON. Raises `Problem`.

    `model`: None for the one that the report names.
    """
    saved = saved_report(path, given, model)
    paths = tuple(OpenedPath(one.sentence, Path(one.trace), one.name) for one in saved.written)
    return OpenedPaths(
        locate(saved.model),
        saved.sources(),
        saved.properties,
        paths,
        rest=lambda: follow_written(saved),
        given=saved.given,
    )


def follow_written(saved: SavedReport) -> OpenedPaths:
    """Replay the counterexamples of a report on a machine. Raises `Problem` and `FizzError`."""
    from checker.tui.opened.opening import opened_paths
    from interpreter import Machine, ModelError, compile_module

    module = load_given(saved.model, saved.given)
    try:
        machine = Machine(compile_module(module))
        return opened_paths(module, machine, tuple(_replayed(machine, one, saved.path) for one in saved.written))
    except ModelError as error:
        reason = f"its constants fail now: {error.text}"
        raise UsageProblem(f"'{saved.path}' does not fit the model: {reason}", "check it again") from None


def _replayed(machine: Machine, written: Written, path: str) -> OpenedPath:
    from checker.tui.opened.retrace import retrace

    steps = [StepRecord(entry.label, entry.changes, entry.fails) for entry in written.trace.entries]
    found = retrace(machine, steps, f"'{path}'")
    return OpenedPath(
        written.sentence, replace(found, trace=replace(written.trace, entries=found.trace.entries)), written.name
    )
