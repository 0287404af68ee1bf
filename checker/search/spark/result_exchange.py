"""`Teaching`: what workers have learned, brought together at the end of each level and handed out with the next one."""

from __future__ import annotations

from collections.abc import Sequence

from checker.search.checkpoints.codec import StateCodec
from checker.search.spark.assignment import shared_results_file
from checker.search.spark.shared_results import merged
from checker.storage.file_store import FileStore
from interpreter import Machine


class Teaching:
    """The files with lessons, oldest first. `unshared`: how many lessons could not be told, by worker."""

    def __init__(self, store: FileStore, machine: Machine) -> None:
        self.codec = StateCodec(machine)
        self.files: list[str] = []
        self.shared_results = 0
        self.unshared: dict[str, int] = {}
        self._store = store

    def teach(self, level: int, told: Sequence[bytes]) -> None:
        """Write down what was learned on a level, each lesson once."""
        data, count = merged(self.codec, told)
        if data:
            name = shared_results_file(level)
            self._store.write(name, [data])
            self.files.append(name)
            self.shared_results += count

    @property
    def not_shared(self) -> int:
        """How many lessons each worker had to keep to itself."""
        return sum(self.unshared.values())
