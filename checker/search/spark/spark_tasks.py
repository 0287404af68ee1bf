"""Independent tasks on Spark: each is a job of one task, so that its answer comes as soon as it is done.

Spark itself does a task again whose worker or executor has died, four times in all.
"""

from __future__ import annotations

import os
import pickle
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Final, TypeVar

from pyspark import cloudpickle

from checker.core.patience import Patience
from checker.core.problems import EnvironmentProblem
from checker.core.trials import Died
from checker.search.spark.java import find_java
from checker.search.spark.master import check_master, cores_asked, refuse_connect
from checker.search.spark.scratch import Scratch
from checker.search.spark.shipping import archive, task_function
from checker.search.spark.spark_connection import DEFAULT_MASTER, JobThread, open_session
from checker.search.spark.troubles import NO_EXECUTOR_YET, TaskFailed
from checker.storage.user_paths import RUN_FOLDER

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_TICK_S: Final = 0.1
_MOST_AT_A_TIME: Final = 256
"""Each job under way has a thread here and one in Java."""
_ALONE_S: Final = 20.0


class SparkTaskRunner:
    """Runs tasks on a Spark session: the running one of this process, or one of its own."""

    def __init__(
        self, master: str | None, conf: Mapping[str, str], patience: Patience, say: Callable[[str], None]
    ) -> None:
        master = master or conf.get("spark.master") or DEFAULT_MASTER
        refuse_connect(master, conf)
        check_master(master)
        self.say = say
        self.session = open_session(master, conf, find_java(os.environ), patience, say)
        self.at_a_time = min(self.session.cores(cores_asked(master, conf)), _MOST_AT_A_TIME)
        self._group = f"fizzpy-{uuid.uuid4().hex}"
        code = None if self.session.in_one_process else self.session.broadcast(archive())
        self._scratch = Scratch("run") if self.session.on_this_machine else None
        self._sign = self._sign_in(None if self._scratch is None else self._scratch.path, conf.get(RUN_FOLDER))
        self._function = task_function(self._group, code, self._sign)
        self._alone_until: float | None = time.monotonic() + _ALONE_S

    def run(
        self,
        tasks: Iterable[Task],
        work: Callable[[Task], Answer],
        died: Died[Task, Answer],
        tick: Callable[[], bool | None],
        again: Callable[[Task, str], None],
    ) -> Generator[tuple[int, Answer], None, None]:
        """As `TaskRunner.run`; `again` is called when a task that Spark has done again is done."""
        threads = [JobThread() for _ in range(self.at_a_time)]
        free, coming = list(threads), enumerate(tasks)
        running: dict[Future[bytes], tuple[int, Task, JobThread, float]] = {}
        ending, asked = False, False
        try:
            while True:
                while free and (following := next(coming, None)) is not None:
                    index, task = following
                    thread = free.pop()
                    # By value: what scripts and notebooks define has no module on the executors.
                    item: bytes = cloudpickle.dumps((work, task))  # type: ignore[no-untyped-call]
                    running[thread.put(self._job(index, item))] = index, task, thread, time.monotonic()
                if not running:
                    return
                if tick() and not ending:
                    ending, coming = True, enumerate(())
                    asked = self._ask_to_end()
                self._say_if_alone()
                # Of tasks that cannot be asked to end only those count that are done.
                done, _ = wait(running, 0 if ending and not asked else _TICK_S, FIRST_COMPLETED)
                for future in done:
                    index, task, thread, begun = running.pop(future)
                    free.append(thread)
                    try:
                        attempt, answered, answer = pickle.loads(future.result())
                    except Exception as failure:  # noqa: BLE001 - which kinds there are is for `trouble` to say
                        if ending:
                            continue
                        yield index, died(task, self._how(failure), time.monotonic() - begun)
                        continue
                    if not answered:
                        if not ending:
                            yield index, died(task, "it was interrupted", time.monotonic() - begun)
                        continue
                    if attempt:
                        again(task, f"its worker died, and Spark did it again, {attempt + 1} times in all")
                    yield index, answer
                if ending and not asked:
                    return
        finally:
            if running:
                self.session.cancel(self._group)
            for thread in threads:
                thread.close()
            if self._sign is not None:
                self._sign.unlink(missing_ok=True)

    def _sign_in(self, scratch: Path | None, shared: str | None) -> Path | None:
        """The file that asks tasks to end, in a folder that all see; None if there is none."""
        folder = Path(shared).absolute() if shared is not None else scratch
        return None if folder is None else folder / f"stop-{self._group}"

    def _ask_to_end(self) -> bool:
        """Ask the tasks under way to answer with what they have; whether they can be asked."""
        if self._sign is None:
            return False
        try:
            self._sign.touch()
        except OSError:
            return False
        return True

    def _job(self, index: int, item: bytes) -> Callable[[], bytes]:
        def job() -> bytes:
            context = self.session.context
            context.setJobGroup(self._group, f"fizzpy: task {index}", interruptOnCancel=True)
            return context.parallelize([item], 1).map(self._function).collect()[0]

        return job

    def _how(self, failure: Exception) -> str:
        """Why a task has no answer, if others may have one; else raises what ends the run."""
        trouble = self.session.trouble(failure)
        if self.session.is_over or isinstance(trouble, TaskFailed) or not isinstance(trouble, EnvironmentProblem):
            raise trouble from failure
        return trouble.text

    def _say_if_alone(self) -> None:
        if self._alone_until is not None and time.monotonic() > self._alone_until:
            self._alone_until = None
            if self.session.has_no_executor:
                self.say(NO_EXECUTOR_YET)

    def close(self, patience: Patience) -> None:
        """Stop the session, if this run started it."""
        self.session.close(patience)
        if self._scratch is not None:
            self._scratch.close()
