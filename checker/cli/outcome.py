"""Turns the end of a run into one message and an exit code. A traceback never reaches the terminal."""

from __future__ import annotations

import errno
import io
import os
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from checker.cli.commands import fizzpy
from checker.cli.completing_words import VARIABLE, answer
from checker.core.problems import FULL_DISK, EnvironmentProblem, ExitCode, Problem, full_disk, output_fails
from checker.core.visible import printable
from checker.report.plain_lines import print_remark, print_result

# Errors of the system that are no errors of ours, with hints.
_REFUSALS = {
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EROFS: "set TMPDIR to a folder that can be written",
    errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "close other programs",
}
_LONGEST = 2_000
"""Longer messages are cut in the terminal."""
_REFUSED = "check the file or folder, and whether the machine can be reached; then run it again"


def run_safely(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code, whatever happens."""
    try:
        if VARIABLE in os.environ:
            return answer(fizzpy, os.environ[VARIABLE])
        with fizzpy.make_context("fizzpy", list(arguments)) as context:
            return int(fizzpy.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as problem:
        usage = io.StringIO()
        problem.show(usage)
        print_remark(usage.getvalue().rstrip("\n"))
        return _end(arguments, ExitCode.USAGE, problem.format_message())
    except Problem as problem:
        return _report_problem(arguments, problem)
    except KeyboardInterrupt:
        print_remark("fizzpy: interrupted")
        return _end(arguments, ExitCode.INTERRUPTED, "interrupted")
    except MemoryError:
        short = EnvironmentProblem("there is not enough memory", "stop earlier with --max-states or --timeout")
        return _report_problem(arguments, short)
    except BrokenPipeError:
        # The reader of the help text has closed the pipe.
        return ExitCode.PASSED
    except OSError as refusal:
        if refusal.errno is None:
            return _report_mistake(refusal, arguments)
        return _report_problem(arguments, _refused(refusal))
    except Exception as mistake:  # noqa: BLE001 - any other exception is an internal error, and reported as one
        return _report_mistake(mistake, arguments)
    except BaseException as end:
        from checker.core.limits import StopReason
        from checker.core.patience import Stop

        if not isinstance(end, Stop):
            raise
        # It ended before there was anything to report.
        print_remark(f"fizzpy: {end.reason.sentence}")
        code = ExitCode.INTERRUPTED if end.reason is StopReason.INTERRUPTED else ExitCode.BOUNDED
        return _end(arguments, code, end.reason.sentence)


def _refused(refusal: OSError) -> EnvironmentProblem:
    """An error of the system as a problem of the environment."""
    try:
        Path.cwd()
    except OSError:
        return EnvironmentProblem("the current folder is not there any more", "go to another one with cd")
    if _printing(refusal):
        return output_fails(refusal)
    if refusal.errno in FULL_DISK:
        return EnvironmentProblem(
            full_disk(refusal), "make room there, or name another folder; TMPDIR for temporary files"
        )
    where = f": {os.fsdecode(refusal.filename)}" if isinstance(refusal.filename, str | bytes) else ""
    return EnvironmentProblem(f"{refusal.strerror}{where}", _REFUSALS.get(refusal.errno or 0, _REFUSED))


def _printing(refusal: OSError) -> bool:
    """Whether it is a help text, which click prints with `echo`, or the version that cannot be written."""
    printers = (click.echo.__code__, print_result.__code__)
    return any(frame.f_code in printers for frame, _ in traceback.walk_tb(refusal.__traceback__))


def _report_problem(arguments: Sequence[str], problem: Problem) -> int:
    print_remark(_shown(f"fizzpy: {problem.text}"))
    if problem.hint:
        print_remark(_shown(f"hint: {problem.hint}"))
    return _end(arguments, problem.exit_code, problem.text, problem.hint)


def _shown(text: str) -> str:
    """A message in one line: what it quotes of the input may be of any length."""
    line = printable(text, lines=False)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 2] + " …"


def _end(arguments: Sequence[str], code: ExitCode, text: str, hint: str | None = None) -> int:
    """The exit code. With --json a problem is printed as an object too."""
    if "--json" in arguments:
        from checker.report.json_report import json_problem

        with suppress(OSError):
            print_result(json_problem(code, text, hint))
    return int(code)


def _report_mistake(mistake: Exception, arguments: Sequence[str]) -> int:
    """Save the details of an internal error, and name the file."""
    import platform

    from fizz.base.version import VERSION

    details = "\n".join(
        (
            f"fizzpy {VERSION}, Python {platform.python_version()}, {platform.platform()}",
            f"arguments: {list(arguments)}",
            "",
            "".join(traceback.format_exception(mistake)),
        )
    )
    reason = f"{type(mistake).__name__}: {mistake}".partition("\n")[0]
    print_remark(f"fizzpy: internal error: {reason[:300]}")
    try:
        path = _save(details)
    except OSError as problem:
        print_remark(f"This is a mistake in fizzpy. Its details could not be saved: {problem.strerror}")
    else:
        print_remark(f"This is a mistake in fizzpy, not in your model. Please report it, with the file {path}")
    return _end(arguments, ExitCode.INTERNAL, f"internal error: {reason[:300]}")


def _save(details: str) -> Path:
    from platformdirs import user_log_path

    folder = user_log_path("fizzpy", appauthor=False, ensure_exists=True)
    path = folder / f"internal-error-{time.strftime('%Y%m%d-%H%M%S')}-{time.perf_counter_ns() % 10**6:06d}.txt"
    path.write_text(details, encoding="utf-8", errors="backslashreplace")
    return path
