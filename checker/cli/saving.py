"""`--save-trace FILE`: the leading counterexample as a guided trace that `fizzpy trace --follow FILE` replays."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from checker.locate import locate
from checker.problems import UsageProblem
from checker.report import Report
from checker.save_trace import guide_text
from checker.walk_report import SimulationReport
from fizz import load

_Pairs = Sequence[tuple[str, str]]


def writable(path: str) -> None:
    """Refuse a place where no file can be, before the search that it is for. Raises `UsageProblem`."""
    if Path(path).is_dir():
        raise UsageProblem(f"'{path}' is a directory, not a file to write the trace to")
    if not Path(path).parent.is_dir():
        raise UsageProblem(f"there is no directory '{Path(path).parent}' to write the trace to")


def save_counterexample(
    path: str, report: Report | SimulationReport, model: str, *, options: _Pairs, constants: _Pairs
) -> None:
    """Write the leading counterexample of a report, if it has one. Raises `UsageProblem`."""
    if report.trace is None:
        print(f"fizzpy: there is no counterexample with steps; '{path}' was not written", file=sys.stderr)
        return
    given = [("--set", pair) for pair in constants] + [("--option", pair) for pair in options]
    words = [word for option, (name, value) in given for word in (option, f"{name}={value}")]
    what = report.error.diagnostic.text if report.error is not None else f"{report.leading} is violated"
    replay = shlex.join(["fizzpy", "trace", model, *words, "--follow", path])
    module = load(locate(model), options=dict(options), constants=dict(constants))
    text = guide_text(module, report.trace, (what, replay))
    try:
        Path(path).write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
    except OSError as problem:
        raise UsageProblem(f"'{path}' cannot be written: {problem.strerror}") from None
