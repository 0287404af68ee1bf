"""`sweep`: one check for each point of a grid, each in a process of its own, on cores or on Spark."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from checker.check import check
from checker.core.exploration import Settings
from checker.core.given import Given
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode, Problem, UsageProblem
from checker.core.report import Report
from checker.core.trials import EarlyEnd
from checker.search.composition.load_whole import load_whole
from checker.sweep.grid import Axis, Point, points_of
from checker.sweep.sweep_report import PointResult, SweepReport
from checker.tasks.task_runner import TaskPlace, running_tasks
from fizz import FizzError, Module
from fizz.base.room import with_room

Counted = Callable[[Sequence[PointResult], int], None]
"""Called with the results so far, and the number of all points."""


_NO_SUCH_NAME: Final = ("O1", "O5")
"""The codes of the messages that the model has no such option or constant, whatever the value."""


@dataclass(frozen=True, slots=True)
class _PointTask:
    """A point with its model, or the result that it has without a check."""

    point: Point
    module: Module | None
    result: PointResult | None = None


@with_room
def sweep(
    model: str | os.PathLike[str],
    axes: Sequence[Axis],
    *,
    place: TaskPlace | None = None,
    settings: Settings | None = None,
    point_timeout: float | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    counted: Counted = lambda results, total: None,
    say: Callable[[str], None] = lambda sentence: None,
    patience: Patience | None = None,
) -> SweepReport:
    """Check a model at each point of a grid, by the embedded engine.

    `settings`: of each check; their limits of states and depth are those of a point, that of time is that of the whole
    sweep. `point_timeout`: the seconds that a point may take. `options` and `constants` are those that all points have.
    A point that is violated, that fails or that cannot be loaded is a row of the result. Raises `FizzError` for a model
    that loads at no point, `Problem` for what cannot be run. An interruption is a result: the points done until then
    count, and those under way are interrupted too.
    """
    begun = time.monotonic()
    settings = settings or Settings()
    patience = patience or Patience(Limits(time_s=settings.limits.time_s))
    both = sorted({*(constants or {})} & {axis.name for axis in axes if not axis.option})
    if both:
        raise UsageProblem(f"'{both[0]}' is given twice")
    points = points_of(axes)
    given = Given(constants or {}, options or {})
    _refuse_unloadable(model, points[0], given)
    alone = replace(
        settings, workers=1, limits=replace(settings.limits, time_s=point_timeout), spark_conf=(), stats=False
    )
    results: dict[int, PointResult] = {}
    ending = EarlyEnd(patience)

    def tick() -> bool:
        counted(list(results.values()), len(points))
        return ending.begun()

    def again(task: _PointTask, how: str) -> None:
        say(f"{task.point.title}: {how}; it is run once more")

    with suppress(Stop), running_tasks(place or TaskPlace(), patience, say) as runner:
        tasks = (_task(model, point, given) for point in points)
        with closing(runner.run(tasks, partial(_checked, alone), _died, tick, again)) as answers:
            for index, result in answers:
                results[index] = result
    return SweepReport(
        model=str(model),
        given=given,
        axes=tuple(axes),
        results=tuple(
            sorted((results.get(n) or PointResult(p) for n, p in enumerate(points)), key=lambda one: one.cost)
        ),
        stopped=ending.reason or (patience.over if len(results) < len(points) else None),
        elapsed_s=time.monotonic() - begun,
    )


def _refuse_unloadable(model: str | os.PathLike[str], point: Point, given: Given) -> None:
    """Raise `FizzError` if the model itself is wrong, or has none of the constants and options of the grid."""
    load_whole(model, options=given.options, constants=given.constants)
    for constants, options in [
        *(({name: text}, {}) for name, text in point.constants.items()),
        *(({}, {name: text}) for name, text in point.options.items()),
    ]:
        try:
            load_whole(model, options={**given.options, **options}, constants={**given.constants, **constants})
        except FizzError as error:
            if any(diagnostic.code in _NO_SUCH_NAME for diagnostic in error.diagnostics):
                raise


def _task(model: str | os.PathLike[str], point: Point, given: Given) -> _PointTask:
    """The model of a point, loaded here: a task on Spark has no files."""
    try:
        module = load_whole(
            model,
            options={**given.options, **point.options},
            constants={**given.constants, **point.constants},
        )
    except FizzError as error:
        code = ExitCode(error.exit_code)
        return _PointTask(point, None, PointResult(point, "not checked", code, why=error.diagnostics[0].text))
    return _PointTask(point, module)


def _died(task: _PointTask, how: str, elapsed_s: float) -> PointResult:
    return PointResult(task.point, "not checked", ExitCode.ENVIRONMENT, why=how, elapsed_s=elapsed_s)


def _checked(settings: Settings, task: _PointTask) -> PointResult:
    """The result of a point. What is wrong with the run is in it, and not raised: other points go on."""
    if task.module is None:
        assert task.result is not None
        return task.result
    failed = partial(PointResult, task.point, "not checked")
    try:
        return _row(task.point, check(task.module, settings=settings))
    except FizzError as error:
        return failed(ExitCode(error.exit_code), why=error.diagnostics[0].text)
    except Problem as problem:
        return failed(problem.exit_code, why=problem.text)
    except MemoryError:
        return failed(ExitCode.ENVIRONMENT, why="there is not enough memory")
    except Exception as mistake:  # noqa: BLE001 - one broken run must not hide the results of the others
        return failed(ExitCode.INTERNAL, why=f"internal error: {type(mistake).__name__}: {mistake}")


def _row(point: Point, report: Report) -> PointResult:
    leading = next((one for one in report.properties if one.name == report.leading), None)
    found = None
    if leading is not None and leading.verdict == "violated":
        found = leading.name if leading.steps is None else f"{leading.name} in {leading.steps} steps"
    return PointResult(
        point,
        report.verdict,
        report.exit_code,
        report.states,
        report.transitions,
        report.depth,
        report.cut_by,
        found,
        None if report.error is None else report.error.diagnostic.text,
        _is_complete(report),
        report.elapsed_s,
        report.cpu_s,
        report.peak_memory_mb,
    )


def _is_complete(report: Report) -> bool:
    """Whether its counts are those of the whole state space, up to `max_actions`."""
    return report.exit_code in (ExitCode.PASSED, ExitCode.BOUNDED) and report.cut_by in (None, StopReason.MAX_ACTIONS)
