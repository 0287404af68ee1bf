"""Checks promises: each run in its own process, several at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from checker.core.patience import Patience
from checker.core.problems import ExitCode, Problem
from checker.core.report import Report
from checker.core.trials import EarlyEnd
from checker.expectations.promises import Promise
from checker.tasks.task_runner import TaskRunner
from fizz import FizzError, Module
from fizz.base.light import dataclass


@dataclass(frozen=True, slots=True)
class PromiseResult:
    """The result of a promise. `differs`: the differences, one sentence each; none if it is kept.

    `exit_code` is that of the run. `report` is None if the model does not load or the run was not possible. `trouble`:
    why the run was not possible, if the reason is not in the model.
    """

    promise: Promise
    exit_code: ExitCode
    report: Report | None = None
    differs: tuple[str, ...] = ()
    trouble: str | None = None
    elapsed_s: float = 0.0

    @property
    def holds(self) -> bool:
        return not self.differs and self.trouble is None


def run_promise(promise: Promise, engine: str, **more: Any) -> PromiseResult:
    """Run a model as a promise says, and compare. Errors of the run are in the result, not raised."""
    begun = time.monotonic()

    def kept(
        code: ExitCode, report: Report | None, differs: Sequence[str], trouble: str | None = None
    ) -> PromiseResult:
        return PromiseResult(promise, code, report, tuple(differs), trouble, time.monotonic() - begun)

    try:
        report = promise.run(engine, **more)
    except FizzError as error:
        code = ExitCode(error.exit_code)
        promised = {"exit": int(code), "verdict": "error"}
        if promise.figures.items() <= promised.items() and promise.figures and not promise.properties:
            return kept(code, None, ())
        return kept(code, None, [f"the model does not load: {error.render().splitlines()[0]}"])
    except Problem as problem:
        return kept(problem.exit_code, None, (), problem.text + (f" ({problem.hint})" if problem.hint else ""))
    except MemoryError:
        return kept(ExitCode.ENVIRONMENT, None, (), "there is not enough memory")
    except Exception as mistake:  # noqa: BLE001 - one broken run must not hide the results of the others
        return kept(ExitCode.INTERNAL, None, (), f"internal error: {type(mistake).__name__}: {mistake}")
    return kept(report.exit_code, report, promise.broken_by(report))


def run_promises(
    promises: Sequence[Promise],
    engine: str,
    runner: TaskRunner,
    show_counts: Callable[[int, int], None] = lambda done, broken: None,
    say: Callable[[str], None] = lambda sentence: None,
    loaded: bool = False,
    ending: EarlyEnd | None = None,
) -> Generator[tuple[int, PromiseResult], None, None]:
    """Check promises, each as a task of `runner`. Yields (index, result) of each when it is done: not in order.

    `show_counts` is called now and then with the numbers of finished and of broken promises; `say` takes messages.
    `loaded`: models are loaded here, because tasks do not see the files. When the generator is closed, unfinished runs
    are ended. `ending`: when those under way are to end; they have no result then.
    """
    done = broken = 0
    ending = ending or EarlyEnd(Patience())

    def tick() -> bool:
        show_counts(done, broken)
        return ending.begun()

    trials = runner.run(
        (_task(promise, loaded) for promise in promises),
        partial(_run, engine),
        _died,
        tick,
        lambda task, how: say(f"{task.promise.title}: {how}; it is run once more"),
    )
    with closing(trials):
        for index, kept in trials:
            if ending.reason is not None and kept.exit_code is ExitCode.INTERRUPTED:
                continue
            done, broken = done + 1, broken + (not kept.holds)
            yield index, kept


@dataclass(frozen=True, slots=True)
class _PromiseTask:
    """A promise, with its model if that is loaded already, or with its result if the model does not load."""

    promise: Promise
    module: Module | None = None
    result: PromiseResult | None = None


def _task(promise: Promise, loaded: bool) -> _PromiseTask:
    if not loaded:
        return _PromiseTask(promise)
    try:
        return _PromiseTask(promise, promise.load())
    except FizzError:
        # What that means for the promise is said where a run meets it.
        return _PromiseTask(promise, None, run_promise(promise, "embedded"))


def _run(engine: str, task: _PromiseTask) -> PromiseResult:
    if task.result is not None:
        return task.result
    return run_promise(task.promise, engine, module=task.module)


def _died(task: _PromiseTask, how: str, elapsed_s: float) -> PromiseResult:
    return PromiseResult(task.promise, ExitCode.ENVIRONMENT, None, (), how, elapsed_s)
