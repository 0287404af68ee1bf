"""Files that the user has named.

`--save-trace FILE`: the leading counterexample as a guided trace that `fizzpy trace --follow FILE` replays.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from checker.problems import EnvironmentProblem, UsageProblem

if TYPE_CHECKING:
    from checker.report import Report
    from checker.walks.walk_report import SimulationReport

_Pairs = Sequence[tuple[str, str]]


def writable(path: str) -> None:
    """Refuse a place where no file can be, before the search that it is for. Raises `UsageProblem`."""
    if Path(path).is_dir():
        raise UsageProblem(f"'{path}' is a directory, not a file to write to")
    if not Path(path).parent.is_dir():
        raise UsageProblem(f"there is no directory '{Path(path).parent}' to write the file to")


def save_counterexample(
    path: str, report: Report | SimulationReport, model: str, *, options: _Pairs, constants: _Pairs
) -> None:
    """Write the leading counterexample of a report, if it has one. Raises `UsageProblem`."""
    from checker.locate import locate
    from checker.walks.save_trace import guide_text
    from fizz import load

    if report.trace is None:
        print(f"fizzpy: there is no counterexample with steps; '{path}' was not written", file=sys.stderr)
        return
    given = [("--set", pair) for pair in constants] + [("--option", pair) for pair in options]
    words = [word for option, (name, value) in given for word in (option, f"{name}={value}")]
    what = report.error.diagnostic.text if report.error is not None else f"{report.leading} is violated"
    replay = shlex.join(["fizzpy", "trace", model, *words, "--follow", path])
    module = load(locate(model), options=dict(options), constants=dict(constants))
    text = guide_text(module, report.trace, (what, replay))
    save(path, text.encode("utf-8", errors="surrogatepass"))


def save(path: str, data: bytes) -> None:
    """Write a file that the user has named: as a whole, or not at all. Raises `Problem`."""
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            # A pipe or a device takes what comes.
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as problem:
        text = f"'{path}' cannot be written: {problem.strerror}"
        if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise EnvironmentProblem(text, "make room, or name a file on another disk") from None
        raise UsageProblem(text, "name a file in a folder that can be written") from None


def _replace(target: Path, data: bytes) -> None:
    """Put a new file in the place of one that may be there. What is half written has another name."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
