"""Many independent tasks, each in its own process, several at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Final, Generic, TypeVar

from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.requests_to_end import REQUESTS, requests_reach, requests_wait

_PATIENCE_S: Final = 20.0
ENDING_S: Final = 5.0
"""When a run ends early, so long it is waited for what its tasks have found until then."""
_TICK_S: Final = 0.5

Task = TypeVar("Task")
Answer = TypeVar("Answer")
Died = Callable[[Task, str, float], Answer]
"""Makes the answer for a task whose process died: how it ended, and after how many seconds."""


def run_trials(
    tasks: Iterable[Task],
    work: Callable[[Task], Answer],
    died: Died[Task, Answer],
    jobs: int,
    tick: Callable[[], bool | None] = lambda: None,
    again: Callable[[Task, str], None] | None = None,
) -> Generator[tuple[int, Answer], None, None]:
    """Do some work for each task, `jobs` at a time. Yields (index, answer) of each when it is done: not in order.

    `work` must be known to a new process: a function of a module, or a partial one. Tasks are taken one by one, when
    there is room for them. `tick` is called now and then. If it returns True no more tasks are begun, and those under
    way are interrupted: they answer with what they have, if `work` does. A task whose process dies is done once
    more, if there is an `again`, which is called before, with the task and how its process ended. When the generator is
    closed, unfinished work is ended.
    """
    # Where processes can be forked they need not import everything again.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    coming = enumerate(tasks)
    repeated, running = deque[tuple[int, Task]](), list[_Trial[Task, Answer]]()
    begun_again = set[int]()
    ending = False
    try:
        while True:
            while len(running) < jobs:
                following = repeated.popleft() if repeated else next(coming, None)
                if following is None:
                    break
                running.append(_Trial(context, *following, work))
            if not running:
                return
            if tick() and not ending:
                ending, coming = True, enumerate(())
                repeated.clear()
                for trial in running:
                    trial.interrupt()
            ready = wait([trial.answer for trial in running], _TICK_S)
            for trial in [trial for trial in running if trial.answer in ready]:
                running.remove(trial)
                try:
                    answer = trial.result()
                except _ProcessDied as end:
                    if ending:
                        continue
                    if again is not None and trial.index not in begun_again:
                        begun_again.add(trial.index)
                        again(trial.task, str(end))
                        repeated.append((trial.index, trial.task))
                        continue
                    answer = died(trial.task, str(end), time.monotonic() - trial.begun)
                yield trial.index, answer
    finally:
        for trial in running:
            trial.answer.close()
            trial.interrupt()
        for trial in running:
            trial.end()


class EarlyEnd:
    """Whether tasks are to end before they are done: they are asked to, and have some seconds to say what they have."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._since: float | None = None
        self.reason: StopReason | None = None
        """Why they were asked to end, if they were."""

    def begun(self) -> bool:
        """The `tick` of a runner. Raises `Stop` when the seconds are over."""
        over = self._patience.over
        if over is None:
            return False
        now = time.monotonic()
        if self._since is None:
            self._since, self.reason = now, over
        if now > self._since + ENDING_S:
            raise Stop(over)
        return True


class _ProcessDied(Exception):
    """The process of a task ended without an answer; the text says how."""


@dataclass(slots=True, eq=False)
class _Trial(Generic[Task, Answer]):
    """One task in its own process."""

    context: multiprocessing.context.BaseContext
    index: int
    task: Task
    work: Callable[[Task], Answer]
    begun: float = field(default_factory=time.monotonic)
    answer: Connection = field(init=False)
    process: multiprocessing.process.BaseProcess = field(init=False)

    def __post_init__(self) -> None:
        self.answer, other_end = self.context.Pipe(duplex=False)
        # Every context has `Process`; the base class does not declare it.
        arguments = (self.work, self.task, other_end)
        self.process = self.context.Process(target=_work_in_process, args=arguments, daemon=False)  # type: ignore[attr-defined]
        with requests_wait():
            self.process.start()
        other_end.close()

    def result(self) -> Answer:
        """The answer of the process. Raises `_ProcessDied` if there is none."""
        try:
            answer: Answer = self.answer.recv()
        except (EOFError, OSError):
            # Of nothing, or in the midst of an answer.
            self.process.join()
            code = self.process.exitcode or 0
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            self.answer.close()
            raise _ProcessDied(f"the process of this run {how}; most likely there is not enough memory") from None
        self.process.join()
        self.answer.close()
        return answer

    def interrupt(self) -> None:
        """Interrupt the run, so that it removes its temporary files, and answers with what it has if it can."""
        if self.process.is_alive() and self.process.pid is not None:
            os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> None:
        """Wait for the end; kill the process if it does not come."""
        self.process.join(_PATIENCE_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work_in_process(work: Callable[[Task], Answer], task: Task, answer: Connection) -> None:
    """The process of one task, in its own process group, so that Ctrl-C reaches only the parent."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    for number in REQUESTS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The answer of an interrupted run may be dropped.
    with suppress(KeyboardInterrupt, BrokenPipeError):
        try:
            requests_reach()
            found = work(task)
        finally:
            # An answer is sent whole, or not at all.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        answer.send(found)
    answer.close()
