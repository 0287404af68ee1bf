"""Runs of logs as independent tasks: one after the other here, on cores, or on Spark. What is reported is the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

from checker.conformance.event_map import EventMap
from checker.conformance.log_groups import LogGroup
from checker.conformance.log_model import LogModel
from checker.conformance.log_runner import LogRunner
from checker.conformance.validation_report import LogRun, Reading
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import Problem
from checker.core.trials import EarlyEnd
from checker.tasks.task_runner import TaskPlace, running_tasks
from interpreter import ModelError, Program


@dataclass(frozen=True, slots=True)
class LogWork:
    """What all runs have in common. `most`: nodes of a search; `seconds`: the most that all may take; `selected`: the
    assertions that are judged, all if None."""

    program: Program
    event_map: EventMap
    most: int | None
    seconds: float | None = None
    explanations: Reading = "one"
    selected: tuple[str, ...] | None = None


def run_here(work: LogWork, model: LogModel, groups: Sequence[LogGroup], patience: Patience) -> list[LogRun]:
    """The runs of some groups, one after the other."""
    found: list[LogRun] = []
    for group in groups:
        over = patience.over
        found.append(_run(work, model, patience, group) if over is None else _not_run(group, over))
    return found


def run_tasks(
    work: LogWork, groups: Sequence[LogGroup], place: TaskPlace, patience: Patience, say: Callable[[str], None]
) -> list[LogRun]:
    """The runs of some groups, each as a task of its own. Raises `Problem` if there is no such place."""
    found: dict[int, LogRun] = {}
    end = EarlyEnd(patience)

    def again(group: LogGroup, how: str) -> None:
        say(f"{group.title}: {how}; it is run once more")

    with (
        suppress(Stop),
        running_tasks(place, patience, say) as runner,
        closing(runner.run(groups, partial(_task, work), _died, end.begun, again)) as answers,
    ):
        for index, run in answers:
            found[index] = run
    stopped = end.reason or patience.over or StopReason.INTERRUPTED
    return [found.get(index) or _not_run(group, stopped) for index, group in enumerate(groups)]


def _task(work: LogWork, group: LogGroup) -> LogRun:
    """The run of a group in another process."""
    patience = Patience(Limits(time_s=work.seconds))
    try:
        with patience.deferring_interrupts(), patience.limiting_steps():
            return _run(work, LogModel(work.program, work.event_map.silent, work.selected), patience, group)
    except Exception as mistake:  # noqa: BLE001 - one broken run must not hide the results of the others
        return _ended(group, f"internal error: {type(mistake).__name__}: {mistake}")


def _run(work: LogWork, model: LogModel, patience: Patience, group: LogGroup) -> LogRun:
    """The run of a group. What is wrong with its logs is in it, and not raised: others go on."""
    try:
        if group.problem is not None:
            raise group.problem
        return LogRunner(model, work.event_map, group, patience, work.most, work.explanations).validate()
    except Problem as problem:
        return LogRun(group.files, group.key, "unreadable", reason=problem.text, hint=problem.hint)
    except ModelError as error:
        one = error.diagnostic
        where = "" if one.span is None else f"{one.span.file}:{one.span.line}: "
        return LogRun(group.files, group.key, "failed", reason=f"the model fails: {where}{one.text}", hint=one.hint)
    except MemoryError:
        return _ended(group, "there is not enough memory")


def _died(group: LogGroup, how: str, elapsed_s: float) -> LogRun:
    return _ended(group, how)


def _not_run(group: LogGroup, why: StopReason) -> LogRun:
    return _ended(group, f"it was not validated: {why.sentence}")


def _ended(group: LogGroup, reason: str) -> LogRun:
    return LogRun(group.files, group.key, "inconclusive", reason=reason)
