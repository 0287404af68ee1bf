"""Exit codes, and problems that are errors neither of the model nor of the tool: a wrong request, an unfit machine."""

from __future__ import annotations

import errno
from enum import IntEnum
from pathlib import Path
from typing import Final


class ExitCode(IntEnum):
    """Exit codes of the command.

    `BROKEN`: of `fizzpy test`, if a promise is broken. `REJECTED`: a log or history is no behaviour of the model.
    """

    PASSED = 0
    BROKEN = 1
    USAGE = 2
    BOUNDED = 3
    DEADLOCK = 11
    SAFETY = 12
    LIVENESS = 13
    REJECTED = 14
    INTERNAL = 70
    ENVIRONMENT = 74
    MODEL_ERROR = 75
    INTERRUPTED = 130
    SYNTAX = 150
    OPTIONS = 151


FULL_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of the system when a file cannot grow."""


def full_disk(failure: OSError) -> str:
    """The message for one of `FULL_DISK`, with the folder of the file; a file without a name is a temporary one."""
    import tempfile  # slow to import

    name = failure.filename
    folder = Path(name).parent if isinstance(name, str) else tempfile.gettempdir()
    if failure.errno == errno.EFBIG:
        return f"a file in {folder} may not grow any more (ulimit -f)"
    return f"the disk of {folder} is full"


class Problem(Exception):
    """Why a run has no answer: one sentence, and a hint what to do. The command prints both and exits."""

    exit_code: ExitCode

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint

    def __str__(self) -> str:
        return self.text if self.hint is None else f"{self.text}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[type[Problem], tuple[str, str | None]]:
        # Exceptions from a worker process are rebuilt from `args`, which has no hint.
        return type(self), (self.text, self.hint)


class UsageProblem(Problem):
    """The request itself is wrong: no such file, no such property."""

    exit_code = ExitCode.USAGE


def constants_fail(text: str) -> UsageProblem:
    """The problem of a model whose constants fail, so that it has no state."""
    return UsageProblem(f"the constants of the model fail: {text}", "fizzpy check tells more of it")


class EnvironmentProblem(Problem):
    """The request is fine, but this machine cannot serve it: no Java, master unreachable, disk full."""

    exit_code = ExitCode.ENVIRONMENT


def output_fails(failure: OSError) -> EnvironmentProblem:
    """The problem of a report or help that standard output does not take."""
    what = f"the report cannot be printed: {failure.strerror}"
    return EnvironmentProblem(what, "send it to a disk with free space")
