"""A stand-in for a Spark session, which needs no Java: the tasks run here, with a folder or without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from checker.core.effort import Effort
from checker.core.patience import Patience
from checker.search.spark import spark_run, worker
from tests.spark.pretended import PretendedContext


class Stage:
    """Replaces a Spark session: tasks run in this process, in two workers that share nothing but files.

    `twice`: each task is done once more, by a worker that is new. `lost_every`: before each job whose number this
    divides, executors are lost with all that they hold; 0: never.
    """

    in_one_process = on_this_machine = True
    started = None
    web_ui = None
    has_no_executor = False

    def __init__(self) -> None:
        self.jobs = 0
        self.twice = False
        self.lost_every = 0
        self._context = PretendedContext(self._done)
        self._workers: list[list[worker.Worker]] = [[], []]

    def broadcast(self, value: bytes) -> SimpleNamespace:
        return SimpleNamespace(value=value, destroy=lambda: None)

    def run(
        self, group: str, title: str, work: Callable[[bytes], bytes], items: Sequence[bytes], tick: Callable[[], None]
    ) -> list[bytes]:
        self.jobs += 1
        tick()
        return [self._done(partial(work, item), index) for index, item in enumerate(items)]

    def perform(self, group: str, title: str, job: Callable[[PretendedContext], Any], tick: Callable[[], None]) -> Any:
        self.jobs += 1
        tick()
        if self.lost_every and self.jobs % self.lost_every == 0:
            self._context.lose_all()
            # What is repeated is done by a process that has learned something else.
            self._workers.reverse()
        return job(self._context)

    def _done(self, work: Callable[[], Any], index: int) -> Any:
        """What a task comes to, in one of the workers."""
        worker._workers[:] = self._workers[index % 2]
        answer = work()
        self._workers[index % 2] = list(worker._workers)
        if self.twice:
            worker._workers.clear()
            answer = work()
        return answer

    def cores(self, asked: int | None) -> int:
        return 2

    def effort(self) -> Effort:
        return Effort()

    def unseen(self) -> None:
        return None

    def close(self, patience: Patience) -> None:
        self._workers = [[], []]
        self._context = PretendedContext(self._done)


@contextmanager
def staged() -> Iterator[Stage]:
    """The stand-in, in use while the block runs."""
    found = Stage()
    with (
        patch.object(spark_run, "open_session", lambda *_: found),
        patch.object(spark_run, "find_java", lambda _: Path("java")),
        # This is the process of all tests, with much in it.
        patch.object(worker, "freeze_objects", lambda: None),
    ):
        yield found
