"""`Carrier`: how what tasks send each other gets from one to the other: by a folder, by an address, or by Spark."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.search.spark.assignment import TaskItem, stop_sign
from checker.search.spark.scratch import Scratch
from checker.search.spark.shipping import worker_function
from checker.storage.file_store import FileStore
from checker.storage.object_store import ObjectStore
from checker.storage.part_store import PartStore
from checker.storage.user_paths import RUN_FOLDER

if TYPE_CHECKING:
    from pyspark import Broadcast

    from checker.search.spark.spark_connection import SparkConnection

EXCHANGE: Final = "spark.fizzpy.exchange"
"""The setting for how tasks send each other what they found."""
BY_FILES: Final = "files"
BY_SPARK: Final = "spark"


class Carrier(Protocol):
    """Runs tasks, and brings what one writes to those that read it. `store` is the driver's view of all that.

    `folder`: the one that all workers share, or its address; None if there is none.
    """

    @property
    def store(self) -> PartStore: ...

    @property
    def folder(self) -> Path | str | None: ...

    def begin(self, config: Broadcast[bytes], code: Broadcast[bytes] | None) -> None:
        """Get ready: what the workers are to know, and the code that they run."""
        ...

    def run(self, title: str, tasks: Sequence[TaskItem], tick: Callable[[], None]) -> list[bytes]:
        """Run the tasks as one job; their answers, in order. What `tick` raises ends the job."""
        ...

    def ask_to_end(self) -> bool:
        """Ask the tasks under way to end and to report what they have met; whether they can be asked."""
        ...

    def close(self) -> None:
        """Remove all that was carried, once no task writes any more."""
        ...


def exchange_wanted(wanted: str | None, folder: str | None, kept_in: str | None) -> str | None:
    """The value of `EXCHANGE`, if it is set. Raises `UsageProblem` if it will not do."""
    if wanted is not None and wanted not in (BY_FILES, BY_SPARK):
        raise UsageProblem(f"{EXCHANGE} is '{wanted}'", f"it is {BY_SPARK} or {BY_FILES}")
    if wanted == BY_SPARK and (folder is not None or kept_in is not None):
        named = f"--conf {RUN_FOLDER}" if folder is not None else "--checkpoint"
        raise UsageProblem(
            f"with {EXCHANGE}={BY_SPARK} tasks use no folder, and {named} names one",
            f"leave out one of the two: {named}",
        )
    return wanted


class FileCarrier:
    """Files in a folder that the driver and all workers see: that of checkpoints, one below a set one, or temporary."""

    def __init__(self, session: SparkConnection, run: str, folder: str | None, kept_in: str | None) -> None:
        self.session = session
        self.run_name = run
        self._keeps = kept_in is not None
        self._scratch = Scratch("run") if kept_in is None and folder is None else None
        """The folder of the files where the user names none."""
        self.folder: Path = self._folder(folder, kept_in)
        self.store: PartStore = FileStore(self.folder, durable=self._keeps)
        self._sign = stop_sign(self.folder, run)
        self._work: Callable[[bytes], bytes]

    def begin(self, config: Broadcast[bytes], code: Broadcast[bytes] | None) -> None:
        self._work = worker_function(self.run_name, config, code)

    def run(self, title: str, tasks: Sequence[TaskItem], tick: Callable[[], None]) -> list[bytes]:
        return self.session.run(self.run_name, title, self._work, [task.assignment for task in tasks], tick)

    def ask_to_end(self) -> bool:
        with suppress(OSError):
            self._sign.touch()
        return True

    def close(self) -> None:
        self._sign.unlink(missing_ok=True)
        if self._scratch is not None:
            self._scratch.close()
        elif not self._keeps:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _folder(self, parent: str | None, kept_in: str | None) -> Path:
        if kept_in is not None:
            return Path(kept_in).absolute()
        if parent is None:
            assert self._scratch is not None
            return self._scratch.path
        folder = Path(parent).absolute() / f"fizzpy-{self.run_name}"
        try:
            folder.mkdir(parents=True)
        except OSError as failure:
            raise EnvironmentProblem(
                f"the folder {parent} cannot be used: {failure.strerror}",
                f"name another one: --conf {RUN_FOLDER}=DIR",
            ) from None
        return folder


class ObjectCarrier:
    """Objects at the address of checkpoints, which the driver and all workers reach. They stay after the run."""

    def __init__(self, session: SparkConnection, run: str, address: str) -> None:
        self.session = session
        self.run_name = run
        self.folder = address
        self._copies = Scratch("run")
        self.store: PartStore = ObjectStore.at(address, self._copies.path)
        self._work: Callable[[bytes], bytes]

    def begin(self, config: Broadcast[bytes], code: Broadcast[bytes] | None) -> None:
        self._work = worker_function(self.run_name, config, code)

    def run(self, title: str, tasks: Sequence[TaskItem], tick: Callable[[], None]) -> list[bytes]:
        return self.session.run(self.run_name, title, self._work, [task.assignment for task in tasks], tick)

    def ask_to_end(self) -> bool:
        """Tasks do not look for a sign: each look would be a request."""
        return False

    def close(self) -> None:
        self._copies.close()
