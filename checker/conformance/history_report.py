"""What `fizzpy history` found: a verdict for each part of a history, and why there is no order. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from checker.conformance.history import Operation
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.problems import ExitCode

Consistency = OneOf["linearizable", "sequential"]
HistoryVerdict = OneOf["accepted", "rejected", "inconclusive", "nothing"]


@dataclass(frozen=True, slots=True)
class Blocked:
    """An operation that does not fit as the next one, and what the model would do in each state instead."""

    operation: Operation
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoOrder:
    """Why there is no order: the shortest beginning of the history that has none, and the longest order in it.

    `events`: how many invocations and responses that beginning has, for linearizability. `operations`: those in it.
    `effective`: positions in `operations` by the order they took effect in. `states`: the states they may lead to.
    """

    events: int | None
    operations: tuple[Operation, ...]
    effective: tuple[int, ...]
    states: tuple[tuple[tuple[str, str], ...], ...]
    blocked: tuple[Blocked, ...]


@dataclass(frozen=True, slots=True)
class HistoryPart:
    """The operations of one key, or all. `configurations`: how many were met. `order`: numbers of operations."""

    key: str | None
    operations: int
    verdict: HistoryVerdict
    configurations: int
    order: tuple[int, ...] = ()
    why: NoOrder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReport:
    """The report. `compared`: how many responses were compared with the model; `reason`: of a verdict without one.

    `partition`: the parameter whose values are parts; `by_itself`: it was not asked for.
    """

    verdict: HistoryVerdict
    exit_code: ExitCode
    model: str
    files: tuple[str, ...]
    consistency: Consistency
    receiver: str
    operations: int
    responses: int
    without_response: int
    did_not_happen: int
    set_aside: int
    compared: int
    parts: tuple[HistoryPart, ...]
    partition: str | None = None
    by_itself: bool = False
    reason: str = ""
    hint: str | None = None
    cut_by: StopReason | None = None
    elapsed_s: float = 0.0
    given: Given = field(default_factory=Given)

    @property
    def leading(self) -> HistoryPart | None:
        """The first part without an order."""
        return next((part for part in self.parts if part.verdict == "rejected"), None)
