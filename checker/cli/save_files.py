"""Writes the files that the user has named, completely or not at all."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from checker.core.problems import EnvironmentProblem
from checker.report.plain_lines import print_remark

if TYPE_CHECKING:
    from checker.core.report import Report
    from checker.traces.walk_report import SimulationReport

_Pairs = Sequence[tuple[str, str]]


def counterexample_text(
    path: str, report: Report | SimulationReport, model: str, *, options: _Pairs, constants: _Pairs
) -> str | None:
    """The leading counterexample as a guided trace that `fizzpy trace --follow` replays.

    None, with a message, if there is none. Raises `UsageProblem` if the model does not have its steps.
    """
    from checker.core.locate import locate
    from checker.search.composition.load_whole import load_whole
    from checker.traces.save_trace import guide_text

    if report.trace is None:
        report_unwritten(path)
        return None
    given = [("--set", pair) for pair in constants] + [("--option", pair) for pair in options]
    words = [word for option, (name, value) in given for word in (option, f"{name}={value}")]
    what = report.error.diagnostic.text if report.error is not None else f"{report.leading} is violated"
    replay = shlex.join(["fizzpy", "trace", model, *words, "--follow", path])
    module = load_whole(locate(model), options=dict(options), constants=dict(constants))
    return guide_text(module, report.trace, (what, replay))


def report_unwritten(path: str) -> None:
    """Say that there is nothing to write."""
    print_remark(f"fizzpy: there is no counterexample with steps; '{path}' was not written")


def save(path: str, text: str | bytes) -> None:
    """Write a file that was checked before the search. Raises `EnvironmentProblem`."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", errors="backslashreplace")
    try:
        target = Path(path)
        if target.exists() and not target.is_file():
            # A pipe or a device is not replaced.
            target.write_bytes(data)
        else:
            _replace(target.resolve(), data)
    except OSError as problem:
        reason = f"'{path}' cannot be written: {problem.strerror}"
        raise EnvironmentProblem(reason, "make room, or name a file in another folder") from None


def add(path: str, text: str) -> None:
    """Add a text to the end of a file, or write a new one. Raises `EnvironmentProblem`."""
    try:
        before = Path(path).read_bytes() if Path(path).is_file() else b""
    except OSError as problem:
        raise EnvironmentProblem(f"'{path}' cannot be read: {problem.strerror}", "name another file") from None
    save(path, before + text.encode("utf-8", errors="backslashreplace"))


def _replace(target: Path, data: bytes) -> None:
    """Replace a file atomically: the text is first written to a file of another name."""
    import tempfile  # slow to import

    handle, name = tempfile.mkstemp(prefix=".fizzpy-", suffix=".part", dir=target.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode_of(target))
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _mode_of(target: Path) -> int:
    """The permissions of an existing file, or those of a new one."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
