"""Opens a file that is no model: a report that was saved with `--json`, or a guided trace that names its model.

At once there is what was written down; the model is read, and its steps are taken again, when that is on the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from checker.core.given import Given
from checker.core.locate import locate
from checker.core.problems import UsageProblem
from checker.tui.opened.paths import OpenedPath, OpenedPaths, Path
from checker.tui.opened.saved_files import SavedGuide, SavedReport, Written, saved_guide, saved_report
from checker.tui.opened.step_record import StepRecord

if TYPE_CHECKING:
    from checker.traces.walk_report import GuidedReport
    from fizz import Module
    from interpreter import Machine


class UnopenedError(Exception):
    """There is nothing to look at, for the model fails in Init; the report says how."""

    def __init__(self, report: GuidedReport) -> None:
        super().__init__(report.verdict)
        self.report = report


def load_given(model: str, given: Given) -> Module:
    """A model with these constants and options. Raises `FizzError` and `Problem`."""
    from fizz import load

    return load(locate(model), options=given.options, constants=given.constants)


# --- guided traces -------------------------------------------------------------------------------------------------


def open_guide(path: str, given: Given, model: str | None = None, properties: Sequence[str] = ()) -> OpenedPaths:
    """A guided trace; with `properties` only if it violates one of them, which turns out later. Raises `Problem`.

    `model`: if not the one in the command at the head of the file.
    """
    saved = saved_guide(path, given, model)
    story = OpenedPath("the model is being read, and the trace is followed", Path(saved.trace()))
    return OpenedPaths(
        locate(saved.model), saved.sources(), (), (story,), rest=lambda: follow_saved(saved).only(properties)
    )


def follow_saved(saved: SavedGuide) -> OpenedPaths:
    """The same with its machine. Raises `Problem`, `FizzError` and `UnopenedError`."""
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
    """The counterexamples of a report that was saved as JSON. Raises `Problem`.

    `model`: if not the one that the report names.
    """
    saved = saved_report(path, given, model)
    stories = tuple(OpenedPath(one.sentence, Path(one.trace), one.name) for one in saved.written)
    return OpenedPaths(
        locate(saved.model), saved.sources(), saved.properties, stories, rest=lambda: follow_written(saved)
    )


def follow_written(saved: SavedReport) -> OpenedPaths:
    """The same with a machine that has taken the steps again. Raises `Problem` and `FizzError`."""
    from checker.tui.opened.opening import opened_paths
    from interpreter import Machine, ModelError, compile_module

    module = load_given(saved.model, saved.given)
    try:
        machine = Machine(compile_module(module))
        return opened_paths(module, machine, tuple(_story(machine, one, saved.path) for one in saved.written))
    except ModelError as error:
        reason = f"its constants fail now: {error.text}"
        raise UsageProblem(f"'{saved.path}' does not fit the model: {reason}", "check it again") from None


def _story(machine: Machine, written: Written, path: str) -> OpenedPath:
    from checker.tui.opened.retrace import retrace

    steps = [StepRecord(entry.label, entry.changes, entry.fails) for entry in written.trace.entries]
    found = retrace(machine, steps, f"'{path}'")
    return OpenedPath(
        written.sentence, replace(found, trace=replace(written.trace, entries=found.trace.entries)), written.name
    )
