"""The keys that a partition has visited: files of sorted keys, merged as they grow, so that there are never many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from checker.search.checkpoints.key_columns import Keys, Mask, indexes_of, key_array
from checker.storage.part_store import PartStore
from fizz.base.data import demand


class KeyFile(NamedTuple):
    """A file of sorted keys: those that one of so many partitions found on the levels `first` to `last`."""

    partitions: int
    partition: int
    first: int
    last: int
    keys: int

    @property
    def name(self) -> str:
        return f"seen-{self.first}-{self.last}-{self.partitions}-{self.partition}"


KeyFiles = tuple[KeyFile, ...]
"""The files of a partition, oldest first."""


def seen(store: PartStore, files: KeyFiles, keys: Keys) -> Mask:
    """Which of these keys are in the files."""
    known = np.zeros(len(keys), dtype=np.bool_)
    for file in files:
        known |= indexes_of(_keys(store, file), keys)[1]
    return known


def _keys(store: PartStore, file: KeyFile) -> Keys:
    data = store.map(file.name, 0)
    with store.reading(file.name):
        found = key_array(data)
        demand(len(found) == file.keys, "as many keys as were written")
    return found


def add_keys(store: PartStore, files: KeyFiles, partitions: int, partition: int, level: int, keys: Keys) -> KeyFiles:
    """Write the new keys of a level, which are sorted, to a file; the files that there are then.

    A file that is not much larger than what follows it is merged with it, so that a key is rewritten only as often as
    the number of keys grows by half. What was merged stays on disk, for another attempt at the same task.
    """
    if not len(keys):
        return files
    kept = list(files)
    first = level
    merged = [keys]
    count = len(keys)
    while kept and kept[-1].keys <= 2 * count:
        old = kept.pop()
        merged.append(_keys(store, old))
        first = old.first
        count += old.keys
    return (*kept, write_keys(store, KeyFile(partitions, partition, first, level, count), merged))


def write_keys(store: PartStore, file: KeyFile, keys: list[Keys]) -> KeyFile:
    """Write the keys of a file, in any order; the file."""
    # Millions of keys: they are in memory twice for a moment, and not more often.
    merged = np.concatenate(keys)
    merged.sort()
    data = merged.tobytes()
    del merged
    store.write(file.name, [data])
    return file
