"""Checks promises: each run in its own process, several at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from multiprocessing.connection import Connection, wait
from typing import Final

from checker.core.problems import ExitCode, Problem
from checker.core.report import Report
from checker.expectations.promises import Promise
from fizz import FizzError
from fizz.base.light import dataclass

_PATIENCE_S: Final = 20.0
_TICK_S: Final = 0.5


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
) -> Iterator[tuple[int, PromiseResult]]:
    """Check promises, `jobs` at a time. Yields (index, result) of each when it is done: not in order.

    `show_counts` is called now and then with the numbers of finished and of broken promises. When the generator is
    closed, unfinished runs are ended.
    """
    # Where processes can be forked they need not import everything again.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    waiting, running = list(enumerate(promises))[::-1], list[_Trial]()
    done = broken = 0
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_Trial(context, *waiting.pop(), engine))
            show_counts(done, broken)
            ready = wait([trial.answer for trial in running], _TICK_S)
            for trial in [trial for trial in running if trial.answer in ready]:
                kept = trial.result()
                running.remove(trial)
                done, broken = done + 1, broken + (not kept.holds)
                yield trial.index, kept
    finally:
        for trial in running:
            trial.interrupt()
        for trial in running:
            trial.end()


@dataclass(slots=True, eq=False)
class _Trial:
    """One promise, checked in its own process."""

    context: multiprocessing.context.BaseContext
    index: int
    promise: Promise
    engine: str
    begun: float = field(default_factory=time.monotonic)
    answer: Connection = field(init=False)
    process: multiprocessing.process.BaseProcess = field(init=False)

    def __post_init__(self) -> None:
        self.answer, other_end = self.context.Pipe(duplex=False)
        # Every context has `Process`; the base class does not declare it.
        arguments = (self.promise, self.engine, other_end)
        self.process = self.context.Process(target=_run_in_process, args=arguments, daemon=False)  # type: ignore[attr-defined]
        with _interrupts_wait():
            self.process.start()
        other_end.close()

    def result(self) -> PromiseResult:
        """The answer of the process, or that it died."""
        try:
            kept = self.answer.recv()
        except EOFError:
            self.process.join()
            code = self.process.exitcode or 0
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            text = f"the process of this run {how}; most likely there is not enough memory"
            return PromiseResult(self.promise, ExitCode.ENVIRONMENT, None, (), text, time.monotonic() - self.begun)
        assert isinstance(kept, PromiseResult)
        self.process.join()
        self.answer.close()
        return kept

    def interrupt(self) -> None:
        """Interrupt the run, so that it removes its temporary files. Its answer is dropped."""
        self.answer.close()
        if self.process.is_alive() and self.process.pid is not None:
            os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> None:
        """Wait for the end; kill the process if it does not come."""
        self.process.join(_PATIENCE_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Delay interruptions while a process is started; the new process unblocks them itself."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_in_process(promise: Promise, engine: str, answer: Connection) -> None:
    """The process of one run, in its own process group, so that Ctrl-C reaches only the parent."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The answer of an interrupted run is dropped.
    with suppress(KeyboardInterrupt, BrokenPipeError):
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        answer.send(run_promise(promise, engine))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer.close()
