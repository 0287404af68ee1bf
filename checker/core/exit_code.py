"""The exit codes of the command, which are also those of reports."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command. `BROKEN`: of `fizzpy test`, if a promise is broken."""

    PASSED = 0
    BROKEN = 1
    USAGE = 2
    BOUNDED = 3
    DEADLOCK = 11
    SAFETY = 12
    LIVENESS = 13
    INTERNAL = 70
    ENVIRONMENT = 74
    MODEL_ERROR = 75
    INTERRUPTED = 130
    SYNTAX = 150
    OPTIONS = 151
