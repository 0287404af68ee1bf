"""Problems that are neither the model's nor ours: a wrong request, or an environment that lacks something."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from checker.core.exit_code import ExitCode

FULL_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where a file can grow no more."""


def full_disk(failure: OSError) -> str:
    """What to say of one of `FULL_DISK`: it names the folder of the file that could not grow.

    A file that the system does not name is a temporary one.
    """
    import tempfile  # slow to import

    name = failure.filename
    folder = Path(name).parent if isinstance(name, str) else tempfile.gettempdir()
    if failure.errno == errno.EFBIG:
        return f"a file in {folder} may not grow any more (ulimit -f)"
    return f"the disk of {folder} is full"


class Problem(Exception):
    """What stops a run before it has an answer: one sentence, and a way out. The command prints it and exits."""

    exit_code: ExitCode

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint

    def __reduce__(self) -> tuple[type[Problem], tuple[str, str | None]]:
        # Exceptions are rebuilt from `args` when they come home from a worker process, and `args` has no hint.
        return type(self), (self.text, self.hint)


class UsageProblem(Problem):
    """The request itself is wrong: no such file, no such property."""

    exit_code = ExitCode.USAGE


def constants_fail(text: str) -> UsageProblem:
    """What to say where there is no state to be looked at, because the constants of the model already fail."""
    return UsageProblem(f"the constants of the model fail: {text}", "fizzpy check tells more of it")


class EnvironmentProblem(Problem):
    """The request is fine, but this machine cannot serve it: no Java, master unreachable, disk full."""

    exit_code = ExitCode.ENVIRONMENT
