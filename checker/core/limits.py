"""How far an exploration may go, and why it stopped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, assert_never

MEMORY_LIMIT: Final = "FIZZPY_MEMORY_LIMIT"
"""The environment variable with the MiB that a run may hold."""
_MOST_DIGITS: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a run ends although there is more to explore; None: no limit.

    `states` and `depth` are checked between levels, so they give equal counts on every engine: the run ends after the
    level with which so many states are known, or after the level of this number (that of the initial states is 0).
    `time_s`, in seconds from the beginning, and `memory_mb`, in MiB that this process and its descendants hold, act at
    once. Unless `memory_mb` is given, the limits of the machine apply.
    """

    states: int | None = None
    depth: int | None = None
    time_s: float | None = None
    memory_mb: float | None = None

    @classmethod
    def asked_for(cls, given: Mapping[str, Any]) -> Limits:
        """The limits in `given`, which has them by their names in reports, with that of memory from the environment.

        Raises `UsageProblem` if that is no number.
        """
        found = {reason.limit: given[reason] for reason in OPTIONS if reason.limit is not None and reason in given}
        text = os.environ.get(MEMORY_LIMIT)
        if not text:
            return cls(**found)
        if not text.isdecimal() or len(text) > _MOST_DIGITS or not int(text):
            from checker.core.problems import UsageProblem

            raise UsageProblem(f"{MEMORY_LIMIT} is no number of MB: '{text}'", "set it to a whole number, or unset it")
        return cls(**found, memory_mb=int(text))

    @property
    def asked(self) -> Mapping[str, object]:
        """The requested limits, by their names in reports."""
        asked = {reason.value: getattr(self, reason.limit) for reason in StopReason if reason.limit is not None}
        return {name: limit for name, limit in asked.items() if limit is not None}


class StopReason(StrEnum):
    """Why an exploration stopped. The value is its name in reports.

    `MAX_ACTIONS`, an option of the model, does not stop the exploration: no action starts in the states that it cuts.
    """

    COMPLETE = "complete"
    VIOLATION = "violation"
    MAX_ACTIONS = "max_actions"
    MAX_STATES = "max_states"
    MAX_DEPTH = "max_depth"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"

    @property
    def limit(self) -> str | None:
        """The field of `Limits` that it is the end of; None if it is none of them."""
        match self:
            case StopReason.MAX_STATES:
                return "states"
            case StopReason.MAX_DEPTH:
                return "depth"
            case StopReason.TIMEOUT:
                return "time_s"
            case StopReason.MEMORY:
                return "memory_mb"
            case StopReason.COMPLETE | StopReason.VIOLATION | StopReason.MAX_ACTIONS | StopReason.INTERRUPTED:
                return None
            case _:
                assert_never(self)

    @property
    def bounds(self) -> bool:
        """Whether it is one of the `Limits`: everything up to that limit was found."""
        return self.limit is not None

    @property
    def sentence(self) -> str:
        """A sentence for the report, after the counts."""
        match self:
            case StopReason.COMPLETE:
                return "the search is complete"
            case StopReason.VIOLATION:
                return "the search ended at a violation"
            case StopReason.INTERRUPTED:
                return "the search was interrupted"
            case (
                StopReason.MAX_ACTIONS | StopReason.MAX_STATES | StopReason.MAX_DEPTH | StopReason.TIMEOUT
                | StopReason.MEMORY
            ):  # fmt: skip
                return f"the search was cut by {self.cause}"
            case _:
                assert_never(self)

    @property
    def cause(self) -> str | None:
        """What cuts a search that is cut for this reason; None: it is not cut."""
        match self:
            case StopReason.MAX_ACTIONS:
                return "the option max_actions"
            case StopReason.MAX_STATES:
                return "--max-states"
            case StopReason.MAX_DEPTH:
                return "--max-depth"
            case StopReason.TIMEOUT:
                return "--timeout"
            case StopReason.MEMORY:
                return "the memory that there is"
            case StopReason.COMPLETE | StopReason.VIOLATION | StopReason.INTERRUPTED:
                return None
            case _:
                assert_never(self)

    @property
    def way_out(self) -> str | None:
        """A remedy, where one is not obvious."""
        return _WAY_OUT if self is StopReason.MEMORY else None


UNTIMELY: Final = frozenset({StopReason.TIMEOUT, StopReason.MEMORY, StopReason.INTERRUPTED})
"""With these a run may end within a level."""
OPTIONS: Final = tuple(reason for reason in StopReason if reason.bounds and reason is not StopReason.MEMORY)
"""The limits that are options of commands, and keywords of functions, by their names in reports."""
BETWEEN_LEVELS: Final = tuple(reason for reason in OPTIONS if reason not in UNTIMELY)
"""Those that give equal counts always."""
_WAY_OUT: Final = (
    "let states go to the disk with --memory MB, go on elsewhere with --checkpoint DIR and --resume DIR, set a bound "
    "(--max-depth, --max-states, --option max_actions=N), or share the work with --engine spark"
)
