"""Writes the files that the user has named, completely or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from checker.core.problems import EnvironmentProblem
from checker.report.plain_lines import print_remark
from checker.storage.written_files import save

if TYPE_CHECKING:
    from checker.core.report import Report
    from checker.traces.walk_report import SimulationReport

__all__ = ["add", "counterexample_text", "report_unwritten", "save"]

_Pairs = Sequence[tuple[str, str]]


def counterexample_text(
    path: str, report: Report | SimulationReport, model: str, *, options: _Pairs, constants: _Pairs
) -> str | None:
    """The leading counterexample as a guided trace that `fizzpy trace --follow` replays.

    None, with a message, if there is none. Raises `UsageProblem` if the model does not have its steps.
    """
    from checker.core.given import Given
    from checker.core.locate import locate
    from checker.search.composition.load_whole import load_whole
    from checker.traces.save_trace import guide_text, replay_command

    if report.trace is None:
        report_unwritten(path)
        return None
    what = report.error.diagnostic.text if report.error is not None else f"{report.leading} is violated"
    replay = replay_command(model, Given(dict(constants), dict(options)), path)
    module = load_whole(locate(model), options=dict(options), constants=dict(constants))
    return guide_text(module, report.trace, (what, replay))


def report_unwritten(path: str) -> None:
    """Say that there is nothing to write."""
    print_remark(f"fizzpy: there is no counterexample with steps; '{path}' was not written")


def add(path: str, text: str) -> None:
    """Add a text to the end of a file, or write a new one. Raises `EnvironmentProblem`."""
    try:
        before = Path(path).read_bytes() if Path(path).is_file() else b""
    except OSError as problem:
        raise EnvironmentProblem(f"'{path}' cannot be read: {problem.strerror}", "name another file") from None
    save(path, before + text.encode("utf-8", errors="backslashreplace"))
