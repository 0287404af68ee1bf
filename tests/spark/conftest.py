"""What the tests of the Spark engine share: a real session for the whole run, and a stand-in that needs no Java."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from checker.effort import Effort
from checker.engines.spark import run as spark_run
from checker.engines.spark import worker
from checker.exploration import Settings


def settings_for(partitions: int, core: int | None = None, **more: Any) -> Settings:
    """Settings by which every level is a Spark job, unless `more` says otherwise.

    `core`: how much of the graph for liveness the driver may hold.
    """
    more = {"spark_from": 0, **more}
    conf = [("spark.default.parallelism", str(partitions))]
    conf += [] if core is None else [("spark.fizzpy.core", str(core))]
    return Settings(spark_conf=tuple(conf), stats=True, **more)


class Stage:
    """Takes the place of a Spark session: tasks run in this process, in two workers that share nothing but files.

    `twice`: each task is done once more, by a worker that is new.
    """

    in_one_place = True
    started = None
    web_ui = None
    lonely = False

    def __init__(self) -> None:
        self.context = SimpleNamespace(defaultParallelism=2)
        self.jobs = 0
        self.twice = False
        self._workers: list[list[worker.Worker]] = [[], []]

    def broadcast(self, value: bytes) -> SimpleNamespace:
        return SimpleNamespace(value=value, destroy=lambda: None)

    def run(
        self, group: str, title: str, work: Callable[[bytes], bytes], items: Sequence[bytes], tick: Callable[[], None]
    ) -> list[bytes]:
        self.jobs += 1
        tick()
        answers = []
        for place, item in enumerate(items):
            worker._workers[:] = self._workers[place % 2]
            answers.append(work(item))
            self._workers[place % 2] = list(worker._workers)
            if self.twice:
                worker._workers.clear()
                answers[-1] = work(item)
        return answers

    def effort(self) -> Effort:
        return Effort()

    def close(self) -> None:
        self._workers = [[], []]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """The stand-in, in place for a whole file of tests."""
    found = Stage()
    with (
        patch.object(spark_run, "open_session", lambda *_: found),
        patch.object(spark_run, "find_java", lambda _: Path("java")),
        # This is the process of all tests, with much in it.
        patch.object(worker, "put_away", lambda: None),
    ):
        yield found


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark session for the whole run; engines find and borrow it. A task may fail three times."""
    from checker.engines.spark.java import find_java
    from checker.engines.spark.session import open_session

    session = open_session("local[2,4]", {}, find_java(os.environ))
    yield session
    session.close()
