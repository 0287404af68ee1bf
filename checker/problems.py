"""Problems that are neither the model's nor ours: a wrong request, or an environment that lacks something."""

from __future__ import annotations

from checker.report import ExitCode


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


class EnvironmentProblem(Problem):
    """The request is fine, but this machine cannot serve it: no Java, master unreachable, disk full."""

    exit_code = ExitCode.ENVIRONMENT
