"""Independent tasks on this machine's cores or on Spark: one mechanism, whatever the tasks are.

A task and its answer are plain data, and the work is a function of a module, or a partial one, that raises nothing for
what a user can cause. Answers come as they are done, in no order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from checker.core.patience import Patience
from checker.core.problems import UsageProblem
from checker.core.trials import Died, run_trials

Task = TypeVar("Task")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlace:
    """Where tasks are to run: on Spark, with its master and configuration, or on cores, so many `workers` at a time."""

    spark: bool = False
    workers: int | None = None
    master: str | None = None
    conf: tuple[tuple[str, str], ...] = ()

    @classmethod
    def asked_for(
        cls, engine: str, workers: int | None, master: str | None, conf: Iterable[tuple[str, str]] = ()
    ) -> TaskPlace:
        """The place that options of these names ask for. Raises `UsageProblem` if they do not go together."""
        spark = engine == "spark"
        conf = tuple(conf)
        if not spark and (master is not None or conf):
            raise UsageProblem(f"{'--master' if master is not None else '--conf'}: only with --engine spark")
        if spark and workers is not None:
            hint = "how many tasks run at a time follows from the cluster; locally --master 'local[N]'"
            raise UsageProblem("--workers: not with --engine spark", hint)
        return cls(spark=spark, workers=workers, master=master, conf=conf)


class TaskRunner(Protocol):
    """Runs tasks. `at_a_time`: how many run at a time, as far as it is known."""

    at_a_time: int

    def run(
        self,
        tasks: Iterable[Task],
        work: Callable[[Task], Answer],
        died: Died[Task, Answer],
        tick: Callable[[], bool | None],
        again: Callable[[Task, str], None],
    ) -> Generator[tuple[int, Answer], None, None]:
        """Do the work for each task, and yield (index, answer) of each when it is done: not in order.

        Tasks are begun in their order. A task whose process dies is done again, after a call of `again` with how it
        ended; if that does not help either, `died` makes its answer. When the generator is closed, or `tick` raises,
        unfinished work is ended. If `tick` returns True no more tasks are begun; those under way end early, with the
        answers that they have if they run on this machine, or where all see the folder of `spark.fizzpy.folder`.
        """


def cores_here() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CoreRunner:
    """A process for each task, several at a time."""

    def __init__(self, workers: int | None = None) -> None:
        self.at_a_time = workers or cores_here()

    def run(
        self,
        tasks: Iterable[Task],
        work: Callable[[Task], Answer],
        died: Died[Task, Answer],
        tick: Callable[[], bool | None],
        again: Callable[[Task, str], None],
    ) -> Generator[tuple[int, Answer], None, None]:
        """As `TaskRunner.run`."""
        return run_trials(tasks, work, died, self.at_a_time, tick, again)


@contextmanager
def running_tasks(place: TaskPlace, patience: Patience, say: Callable[[str], None]) -> Iterator[TaskRunner]:
    """The runner for a place, ready to run tasks; what it started is ended with the block.

    `say` takes sentences for the user. Raises `Problem` if there is no such place.
    """
    if not place.spark:
        yield CoreRunner(place.workers)
        return
    from checker.search.spark import spark_task_runner

    runner = spark_task_runner(place.master, dict(place.conf), patience, say)
    try:
        yield runner
    finally:
        runner.close(patience)
