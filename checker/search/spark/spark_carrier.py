"""`SparkCarrier`: what tasks send each other goes by Spark's own shuffle; machines need no folder that they share.

A job reads what the one before has left, and leaves an RDD of parcels: in each partition what was sent to it and what
it wrote itself, and one partition more with the reports. What tasks have sent lies on the disks of executors once, as
Spark's shuffle leaves it. When an executor is lost, Spark repeats the tasks whose parcels are lost, from the first
level on: tasks keep nothing anywhere else, so it may run each where it likes, and more than once.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

from pyspark import RDD, Broadcast, SparkContext

from checker.search.spark.assignment import TaskItem, is_for_all
from checker.search.spark.parcels import PLACE, Parcel, addressed, is_sent, opened, owner_of, reading, refused
from checker.search.spark.shipping import imported
from fizz.base.data import bundle

if TYPE_CHECKING:
    from checker.search.spark.spark_connection import SparkConnection

Parcels = RDD[tuple[int, Any]]
"""Parcels by partition; in the last one reports: the partition, the task's answer, and the names that stay there."""

_SPARE: Final = 8


class SparkCarrier:
    """See `Carrier`. It is its own store: what the driver writes goes to the partitions with the next job."""

    place = PLACE
    folder = None

    def __init__(self, session: SparkConnection, run: str, partitions: int) -> None:
        self.session = session
        self.run_name = run
        self.partitions = partitions
        self.store = self
        self._jobs: dict[int, Parcels] = {}
        """What jobs have left, as long as it is needed, by their numbers."""
        self._next = 0
        self._unread: frozenset[int] = frozenset()
        """The jobs that have sent something to the next one."""
        self._where: dict[str, int] = {}
        """Which job has left what is under a name."""
        self._waiting: list[tuple[int, Parcel]] = []
        """What the driver has written since the last job."""
        self._for_all: dict[str, Broadcast[bytes]] = {}
        self._fetched: OrderedDict[str, Sequence[bytes]] = OrderedDict()
        """What the driver has read lately."""
        self._config: Broadcast[bytes]
        self._code: Broadcast[bytes] | None = None

    def begin(self, config: Broadcast[bytes], code: Broadcast[bytes] | None) -> None:
        self._config, self._code = config, code

    # --- jobs ------------------------------------------------------------------------------------------------------

    def run(self, title: str, tasks: Sequence[TaskItem], tick: Callable[[], None]) -> list[bytes]:
        self._publish(tick)
        needed = {self._where[name] for task in tasks for name in task.needs if name in self._where}
        inputs = [self._jobs[number] for number in sorted(needed | self._unread)]
        items = {task.partition: pickle.dumps(task, pickle.HIGHEST_PROTOCOL) for task in tasks}
        work = self._task_function(items)

        def job(context: SparkContext) -> tuple[Parcels, list[Any]]:
            came = inputs[0] if len(inputs) == 1 else context.union(inputs)
            left = self._by_partition(came.mapPartitionsWithIndex(work))
            return left, context.runJob(left, lambda records: [report for _, report in records], [self.partitions])

        left, reports = self.session.perform(self.run_name, title, job, tick)
        self._unread = frozenset([self._remember(left, [name for _, _, names in reports for name in names])])
        self._release()
        answers = {partition: answer for partition, answer, _ in reports}
        return [answers[task.partition] for task in tasks]

    def _task_function(self, items: dict[int, bytes]) -> Callable[[int, Iterable[Any]], Iterable[Any]]:
        """What Spark calls for each partition. `items`: the tasks, pickled; they are sent with it, also once more.

        Nested, as it is pickled by value (see `worker_function`).
        """
        run, config, partitions, for_all = self.run_name, self._config, self.partitions, dict(self._for_all)
        importing = imported(run, self._code)

        def work(partition: int, records: Iterable[Any]) -> Iterable[Any]:
            item = items.get(partition)
            if item is None:
                for _ in records:
                    """Reports of earlier jobs, for one: Spark wants all that it sends to be read."""
                return []
            importing()
            from checker.search.spark.worker import perform_carried

            return perform_carried(run, config, item, for_all, partitions, records)

        return work

    def _by_partition(self, parcels: RDD[Any]) -> Parcels:
        """Parcels, each in its partition. Those of several jobs can be joined without moving them."""
        return parcels.partitionBy(self.partitions + 1, int)

    def _publish(self, tick: Callable[[], None]) -> None:
        """Bring to the partitions what the driver has written."""
        if self._waiting:
            waiting = self._waiting

            def job(context: SparkContext) -> Parcels:
                return self._by_partition(context.parallelize(waiting, min(len(waiting), self.partitions)))

            left = self.session.perform(self.run_name, "fizzpy: from the driver", job, tick)
            names = [name for _, (name, _, _) in waiting if not is_sent(name)]
            self._waiting = []
            self._unread |= {self._remember(left, names)}

    def _remember(self, left: Parcels, names: Iterable[str]) -> int:
        """Note what a job has left; its number."""
        number, self._next = self._next, self._next + 1
        self._jobs[number] = left
        self._where |= dict.fromkeys(names, number)
        return number

    def _release(self) -> None:
        """Forget what no task will read any more, unless another one is repeated."""
        needed = self._unread | set(self._where.values())
        for number in self._jobs.keys() - needed:
            del self._jobs[number]

    def ask_to_end(self) -> bool:
        return False

    def close(self) -> None:
        if self.session.started is None:
            for sent_to_all in self._for_all.values():
                sent_to_all.destroy()

    # --- the store -------------------------------------------------------------------------------------------------

    def write(self, name: str, parts: Sequence[bytes]) -> None:
        if is_for_all(name) or (not is_sent(name) and owner_of(name) == self.partitions):
            self._for_all[name] = self.session.broadcast(bundle(list(parts)))
        else:
            self._waiting += addressed(name, parts)

    def read(self, name: str, part: int) -> bytes:
        parts = self._of(name)
        if part >= len(parts):
            raise refused(name, "is damaged")
        return parts[part]

    def map(self, name: str, part: int) -> memoryview:
        return memoryview(self.read(name, part))

    def views(self, names: Sequence[str], part: int) -> list[memoryview]:
        return [self.map(name, part) for name in names]

    def reading(self, name: str) -> AbstractContextManager[None]:
        return reading(name)

    def has(self, name: str) -> bool:
        return name in self._where or name in self._for_all

    def remove(self, name: str) -> None:
        self._where.pop(name, None)
        self._fetched.pop(name, None)
        sent_to_all = self._for_all.pop(name, None)
        if sent_to_all is not None:
            sent_to_all.destroy()

    def forget_all_but(self, names: frozenset[str]) -> None:
        """Nothing is mapped."""

    def fleeting(self) -> SparkCarrier:
        return self

    def _of(self, name: str) -> Sequence[bytes]:
        """The parts under a name, from the partition that has them."""
        if name not in self._fetched:
            if name not in self._where:
                raise refused(name, "is missing")
            left, partition = self._jobs[self._where[name]], owner_of(name)

            def job(context: SparkContext) -> list[Parcel]:
                return context.runJob(
                    left, lambda records: [parcel for _, parcel in records if parcel[0] == name], [partition]
                )

            found = self.session.perform(self.run_name, f"fizzpy: read {name}", job, lambda: None)
            if not found:
                raise refused(name, "is missing")
            self._fetched[name] = opened(found[0])
            while len(self._fetched) > self.partitions + _SPARE:
                self._fetched.popitem(last=False)
        return self._fetched[name]
