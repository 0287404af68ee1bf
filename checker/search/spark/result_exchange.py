"""`ResultExchange`: the results of all workers, collected at the end of each level and handed out with the next one."""

from __future__ import annotations

from collections.abc import Sequence

from checker.search.checkpoints.codec import StateCodec
from checker.search.spark.assignment import shared_results_file
from checker.search.spark.shared_results import merged
from checker.storage.file_store import FileStore
from interpreter import Machine


class ResultExchange:
    """The files with shared results, oldest first. `unshared`: how many could not be shared, by worker."""

    def __init__(self, store: FileStore, machine: Machine) -> None:
        self.codec = StateCodec(machine)
        self.files: list[str] = []
        self.shared_results = 0
        self.unshared: dict[str, int] = {}
        self._store = store

    def publish(self, level: int, sent: Sequence[bytes]) -> None:
        """Write down the results of a level, each once."""
        data, count = merged(self.codec, sent)
        if data:
            name = shared_results_file(level)
            self._store.write(name, [data])
            self.files.append(name)
            self.shared_results += count

    @property
    def not_shared(self) -> int:
        """How many results the workers could not share."""
        return sum(self.unshared.values())
