"""`Processes`: those of the workers. Each does what it is asked for, and ends with the process that has begun it."""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Final, NoReturn

import numpy as np

from checker.core.limits import StopReason
from checker.core.patience import Stop
from checker.core.problems import EnvironmentProblem
from checker.core.requests_to_end import REQUESTS, requests_reach, requests_wait

_LOOK_S: Final = 0.05
"""The interval at which the limits of the run are looked at while workers work."""
_LEAVE_S: Final = 1.0
"""How long workers have to end by themselves."""
_POLL_S: Final = 0.005

Commands = Callable[[str, tuple[Any, ...]], object]
"""Does what it is asked for by name."""


class Board:
    """What all processes see at once: whether to stop, and how far each has come with its level."""

    def __init__(self, workers: int) -> None:
        self._numbers = np.frombuffer(mmap.mmap(-1, 8 * (1 + 2 * workers)), dtype=np.int64)
        self._done = self._numbers[1:].reshape(workers, 2)

    @property
    def stopping(self) -> bool:
        return bool(self._numbers[0])

    @stopping.setter
    def stopping(self, stopping: bool) -> None:
        self._numbers[0] = stopping

    def note(self, worker: int, states: int, transitions: int) -> None:
        """How many states and transitions a worker has found on the level under way."""
        self._done[worker] = states, transitions

    def clear(self) -> None:
        """Another level begins."""
        self._done[:] = 0

    def total(self) -> tuple[int, int]:
        """The states and transitions of all workers."""
        states, transitions = self._done.sum(axis=0).tolist()
        return states, transitions


class WasStopped:
    """The answer of a worker that was stopped, by the first process or for a reason that it has met itself."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


class WorkerFailed(Exception):
    """A worker has met an exception that cannot be sent. The text is that of its traceback."""


class Failed:
    """The answer of a worker that has met an exception: `problem` is to be raised in the first process."""

    def __init__(self, problem: Exception) -> None:
        text = "".join(traceback.format_exception(problem))
        problem.add_note(f"in a worker process:\n{text}")
        try:
            pickle.loads(pickle.dumps(problem))
        except Exception:  # noqa: BLE001 - exceptions may have any contents
            problem = WorkerFailed(text)
        self.problem = problem


class Processes:
    """Worker processes, forked from this one. `make` makes the commands of one, in its process."""

    def __init__(self, count: int, make: Callable[[int], Commands], board: Board) -> None:
        self._board = board
        self._connections: list[Connection] = []
        self._processes: list[int] = []
        self._busy: set[int] = set()
        """The workers that have not answered yet."""
        # An interruption must not reach a worker before it knows that it is one.
        with requests_wait():
            try:
                for number in range(count):
                    self._begin(number, make)
            except BaseException:
                self.close()
                raise

    def _begin(self, number: int, make: Callable[[int], Commands]) -> None:
        ours, theirs = Pipe()
        process = os.fork()
        if not process:
            for connection in (*self._connections, ours):
                connection.close()
            _work(theirs, partial(make, number))
        theirs.close()
        self._connections.append(ours)
        self._processes.append(process)

    def ask(self, name: str, given: Sequence[tuple[Any, ...]], tick: Callable[[], None] | None = None) -> list[Any]:
        """Have all workers do something, with what is given for each; their answers.

        `tick` is called now and then in the meantime. If it raises `Stop` they are asked to end, and it is raised again
        when all have answered. What one of them has raised is raised here.
        """
        for number, (connection, values) in enumerate(zip(self._connections, given, strict=True)):
            with self._dying(number):
                connection.send((name, values))
            self._busy.add(number)
        answers: list[Any] = [None] * len(given)
        stop: Stop | None = None
        while self._busy:
            try:
                self._hear(answers)
                if stop is None and tick is not None:
                    tick()
            except Stop as problem:
                stop = problem
                self._board.stopping = True
            except BaseException:
                # Whatever they do now is of no use any more.
                self.close()
                raise
        self._board.stopping = False
        for answer in answers:
            if isinstance(answer, Failed):
                raise answer.problem
        if stop is None:
            # As where the time is over while a worker begins: it has the clock of the process that it was forked from.
            stop = next((Stop(answer.reason) for answer in answers if isinstance(answer, WasStopped)), None)
        if stop is not None:
            raise stop
        return answers

    def _hear(self, answers: list[Any]) -> None:
        waiting = {self._connections[number]: number for number in self._busy}
        for connection in wait(list(waiting), _LOOK_S):
            assert isinstance(connection, Connection)
            number = waiting[connection]
            with self._dying(number):
                answers[number] = connection.recv()
            self._busy.discard(number)

    @contextmanager
    def _dying(self, number: int) -> Iterator[None]:
        """If a worker turns out to be gone in the block, that is the end of all."""
        try:
            yield
        except (EOFError, ConnectionError):
            status = _status(self._processes.pop(number), 0)
            self.close()
            raise lost(status) from None

    @property
    def closed(self) -> bool:
        """Whether the workers are gone."""
        return not self._connections

    def close(self) -> None:
        """End all workers."""
        for connection in self._connections:
            connection.close()
        self._connections, self._busy = [], set()
        left, self._processes = self._processes, []
        until = time.monotonic() + _LEAVE_S
        self._board.stopping = True
        while left and time.monotonic() < until:
            left = [process for process in left if _status(process, os.WNOHANG) is None]
            time.sleep(_POLL_S if left else 0)
        for process in left:
            os.kill(process, signal.SIGKILL)
            _status(process, 0)


def _status(process: int, options: int) -> int | None:
    """The status with which a worker has ended; None: it has not. 0 if the system does not say any more."""
    try:
        ended, status = os.waitpid(process, options)
    except ChildProcessError:
        return 0
    return status if ended else None


def lost(status: int | None) -> EnvironmentProblem:
    """The problem that a worker has ended with this status, though it was not asked to."""
    code = os.waitstatus_to_exitcode(status or 0)
    how = f"was killed (signal {-code})" if code < 0 else f"has ended (exit code {code})"
    return EnvironmentProblem(
        f"a worker process {how}, most likely for lack of memory",
        "use fewer workers (--workers), write states to the disk (--memory MB), or go on from a checkpoint (--resume)",
    )


def _work(asked: Connection, make: Callable[[], Commands]) -> NoReturn:
    """What a worker does, to its end. Nothing of the process that it was forked from is cleaned up here."""
    code = 1
    try:
        # Who interrupts a run interrupts all its processes; the first one decides.
        for number in REQUESTS:
            signal.signal(number, signal.SIG_IGN)
        requests_reach()
        # What was made so far stays: collecting garbage among it would copy it all.
        gc.freeze()
        _serve(asked, make)
    except (EOFError, ConnectionError):
        # The first process is gone, or needs no workers any more.
        code = 0
    finally:
        os._exit(code)


def _serve(asked: Connection, make: Callable[[], Commands]) -> NoReturn:
    commands: Commands | None = None
    while True:
        name, given = asked.recv()
        answer: object
        try:
            commands = commands or make()
            answer = commands(name, given)
        except Stop as stop:
            answer = WasStopped(stop.reason)
        except Exception as problem:  # noqa: BLE001 - raised again in the first process
            answer = Failed(problem)
        asked.send(answer)
