"""Checks promises: each run in its own process, several at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial

from checker.core.problems import ExitCode, Problem
from checker.core.report import Report
from checker.core.trials import run_trials
from checker.expectations.promises import Promise
from fizz import FizzError
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


def run_promise(promise: Promise, engine: str, **more: object) -> PromiseResult:
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
    jobs: int,
    show_counts: Callable[[int, int], None] = lambda done, broken: None,
) -> Generator[tuple[int, PromiseResult], None, None]:
    """Check promises, `jobs` at a time. Yields (index, result) of each when it is done: not in order.

    `show_counts` is called now and then with the numbers of finished and of broken promises. When the generator is
    closed, unfinished runs are ended.
    """
    done = broken = 0
    trials = run_trials(promises, partial(run_promise, engine=engine), _died, jobs, lambda: show_counts(done, broken))
    with closing(trials):
        for index, kept in trials:
            done, broken = done + 1, broken + (not kept.holds)
            yield index, kept


def _died(promise: Promise, how: str, elapsed_s: float) -> PromiseResult:
    return PromiseResult(promise, ExitCode.ENVIRONMENT, None, (), how, elapsed_s)
