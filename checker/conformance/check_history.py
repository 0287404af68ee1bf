"""`check_history`: is a concurrent history linearizable, or sequentially consistent, by a model?"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Final

from checker.conformance.history import NOT_OBSERVED, History, Operation, short
from checker.conformance.history_files import read_history
from checker.conformance.history_report import (
    Blocked,
    Consistency,
    HistoryPart,
    HistoryReport,
    HistoryVerdict,
    NoOrder,
)
from checker.conformance.independent_keys import common_parameter, independent_parameter
from checker.conformance.linearize import Config, Order, ProgramOrder, RealTime, Search, Searched
from checker.conformance.read_only import has_guards
from checker.conformance.specification import Specification, receiver_of
from checker.core.failing import failing
from checker.core.given import Given
from checker.core.limits import Limits
from checker.core.patience import Patience
from checker.core.problems import ExitCode, UsageProblem
from checker.search.composition.load_whole import load_one
from interpreter import Machine, compile_module
from interpreter.calls import Called

_STATES_SHOWN: Final = 3
_BLOCKED_SHOWN: Final = 3
_FIRST_TURN: Final = 4_000
"""Configurations of a part before the next part has its turn."""
_HINT: Final = "--partition {0} is much faster, if operations with different {0} do not depend on each other"
_CODES: Final[Mapping[HistoryVerdict, ExitCode]] = {
    "accepted": ExitCode.PASSED,
    "rejected": ExitCode.REJECTED,
    "inconclusive": ExitCode.BOUNDED,
    "nothing": ExitCode.USAGE,
}


def check_history(
    model: str,
    files: Sequence[str],
    *,
    consistency: Consistency = "linearizable",
    partition: str | None = None,
    receiver: str | None = None,
    failed: str = "never",
    most: int | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    patience: Patience | None = None,
) -> HistoryReport:
    """Search for an order of the operations that the funcs of a model explain.

    `partition`: a parameter; the operations of each of its values are a history of their own; None: one is found if the
    text of the funcs shows that it may be. `receiver`: the role
    instance that has the funcs. `failed`: what `fail` means, "never" (it did not happen) or "refused" (at some moment
    the func had no way). `most`: the most configurations of a part. Raises `FizzError` and `UsageProblem`.
    """
    begun = time.perf_counter()
    patience = patience or Patience(limits)
    module = load_one(model, "the operations of a history are those of one model", options=options, constants=constants)
    history = read_history(files)
    with patience.deferring_interrupts(), failing(module):
        machine = Machine(compile_module(module))
        initial, failures = machine.initial()
        if failures:
            raise failures[0].error
        names = [one.function for one in history.operations]
        where = f"{history.operations[0].place}: " if names else ""
        found = receiver_of(machine, initial[0].state, receiver, names, where) if names else None
        specification = Specification(machine, found)
        operations, never = _happened(specification, history, failed)
        kinds = [specification.bind(one) for one in operations]
        compared = sum(map(specification.constrains, operations))
        parts: list[HistoryPart] = []
        reason = _nothing(history, operations, compared)
        by_itself = common = None
        if not reason and partition is None:
            if consistency == "linearizable":
                by_itself = independent_parameter(specification, operations)
            common = common_parameter(specification, operations)
        if not reason:
            searches = []
            partition = partition or by_itself
            for key, members in _partitioned(operations, partition).items():
                chosen, of_kind = [operations[i] for i in members], [kinds[i] for i in members]
                searches.append(_PartSearch(specification, consistency, key, chosen, of_kind))
            parts = _searched(searches, patience, most)
    verdict = _verdict(parts)
    return HistoryReport(
        verdict=verdict,
        exit_code=ExitCode.INTERRUPTED if patience.interrupted else _CODES[verdict],
        model=model,
        files=history.files,
        consistency=consistency,
        receiver=specification.name,
        operations=len(operations),
        responses=sum(one.ended is not None for one in operations),
        without_response=sum(one.ended is None for one in operations),
        did_not_happen=never,
        set_aside=history.set_aside,
        compared=compared,
        parts=tuple(parts),
        partition=partition,
        by_itself=by_itself is not None,
        reason=reason,
        hint=None if common is None or by_itself or verdict != "inconclusive" else _HINT.format(common),
        cut_by=patience.over if verdict == "inconclusive" else None,
        elapsed_s=time.perf_counter() - begun,
        given=Given(constants or {}, options or {}),
    )


def _happened(specification: Specification, history: History, failed: str) -> tuple[list[Operation], int]:
    """The operations that may have taken effect, or were refused; and how many others there are."""
    chosen: list[Operation] = []
    for one in history.operations:
        # Their names are checked, whatever became of them.
        routine = specification.function(one.function, one.place)
        refused = failed == "refused" and has_guards(specification.machine.program, routine)
        if one.ending != "failed" or refused:
            chosen.append(one)
    return chosen, len(history.operations) - len(chosen)


def _nothing(history: History, operations: Sequence[Operation], compared: int) -> str:
    """Why there is nothing to check; empty if there is something."""
    if not history.operations:
        return "the history has no operation"
    if not any(one.ended is not None for one in operations):
        return "no operation has a response"
    if not compared:
        return "no response is compared: the funcs return nothing and have no require, or the responses have no value"
    return ""


def _partitioned(operations: Sequence[Operation], parameter: str | None) -> dict[str | None, list[int]]:
    """The positions of the operations of each part."""
    if parameter is None:
        return {None: list(range(len(operations)))}
    parts: dict[str | None, list[int]] = {}
    for i, one in enumerate(operations):
        if parameter not in one.arguments:
            one.place.refuse(
                f"'{one.function}' has no parameter '{parameter}' to partition by",
                f"its parameters are {', '.join(one.arguments) or 'none'}; without --partition all keys are one part",
            )
        parts.setdefault(json.dumps(one.arguments[parameter], sort_keys=True), []).append(i)
    return parts


class _PartSearch:
    """The search for an order of the operations of one key, or of all."""

    def __init__(
        self,
        specification: Specification,
        consistency: Consistency,
        key: str | None,
        operations: Sequence[Operation],
        kinds: Sequence[int],
    ) -> None:
        self._specification = specification
        self._real_time = consistency == "linearizable"
        self._key = key
        self._operations = operations
        self._kinds = kinds
        kind = RealTime if self._real_time else ProgramOrder
        self._order: Order = kind(specification, operations, kinds)
        self._search = Search(self._order, specification.beginnings())

    def go_on(self, patience: Patience, most: int) -> HistoryPart:
        """Search on until so many configurations are met; inconclusive if it is not decided then."""
        found = self._search.go_on(patience, most)
        size = len(self._operations)
        if found is None:
            return HistoryPart(self._key, size, "inconclusive", self._search.configurations)
        if found.found is not None:
            numbers = tuple(self._operations[i].number for i in found.found)
            return HistoryPart(self._key, size, "accepted", found.configurations, numbers)
        why = _no_order(
            self._specification,
            self._order,
            found,
            self._operations,
            self._kinds,
            self._real_time,
            self._key is not None,
        )
        return HistoryPart(self._key, size, "rejected", found.configurations, why=why)


def _searched(searches: Sequence[_PartSearch], patience: Patience, most: int | None) -> list[HistoryPart]:
    """Search all parts in turns, each turn twice as far, until one has no order: that of another may take for ever."""
    parts: dict[int, HistoryPart] = {}
    open_ones = list(range(len(searches)))
    limit = _FIRST_TURN
    while open_ones:
        bound = limit if most is None else min(limit, most)
        for i in open_ones:
            parts[i] = searches[i].go_on(patience, bound)
            if parts[i].verdict == "rejected" or patience.over is not None:
                return [parts[number] for number in sorted(parts)]
        open_ones = [i for i in open_ones if parts[i].verdict == "inconclusive"]
        if bound == most:
            break
        limit *= 2
    return [parts[number] for number in sorted(parts)]


def _verdict(parts: Sequence[HistoryPart]) -> HistoryVerdict:
    for verdict in ("rejected", "inconclusive"):
        if any(part.verdict == verdict for part in parts):
            return verdict
    return "accepted" if parts else "nothing"


def _no_order(
    specification: Specification,
    order: Order,
    found: Searched,
    operations: Sequence[Operation],
    kinds: Sequence[int],
    real_time: bool,
    keyed: bool,
) -> NoOrder:
    """What is shown of a search that failed."""
    stuck = sorted(found.stuck, key=order.progress, reverse=True)
    states = list(dict.fromkeys(_state_of(config) for config in stuck))[:_STATES_SHOWN]
    blocked = order.blocked(stuck[0])
    last = operations[blocked[0]].ended if real_time and blocked else None
    inside = [i for i, one in enumerate(operations) if last is None or one.called < last]
    positions = {i: n for n, i in enumerate(inside)}
    # Positions count all records; those of a key are counted among its own.
    events = last
    if last is not None and keyed:
        events = sum((one.called <= last) + (one.answered is not None and one.answered <= last) for one in operations)
    machine = specification.machine
    return NoOrder(
        events,
        tuple(operations[i] for i in inside),
        tuple(positions[i] for i in found.furthest),
        tuple(tuple(machine.describe(specification.state(state))) for state in states),
        tuple(
            Blocked(operations[i], tuple(_reason(specification, kinds[i], operations[i], state) for state in states))
            for i in blocked[:_BLOCKED_SHOWN]
        ),
    )


def _state_of(config: Config) -> int:
    state = config[-1]
    assert isinstance(state, int)
    return state


def _reason(specification: Specification, kind: int, operation: Operation, state: int) -> str:
    """What the model does instead of an operation in a state, or that it would fit there, but too early."""
    if specification.after(kind, state):
        return "it fits here, but then nothing explains what comes next"
    ways = [way for way in specification.ways(kind, state) if isinstance(way, Called)]
    if operation.ending == "failed":
        return f"the model does not refuse {operation.function} here"
    if not ways:
        return f"the model refuses {operation.function} here"
    returned = sorted({short(specification.returned(way)) for way in ways})
    seen = "" if operation.result is NOT_OBSERVED else f", not {short(operation.result)}"
    return f"the model returns {' or '.join(returned[:4])}{seen}"


def known_consistency(name: str) -> Consistency:
    """The consistency of this name. Raises `UsageProblem`."""
    match name:
        case "linearizable" | "sequential":
            return name
    raise UsageProblem(f"no consistency '{name}'", "it is linearizable or sequential")
