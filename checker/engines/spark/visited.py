"""What a partition has seen: keys in sorted runs on files, merged as they grow, so that there are never many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from checker.engines.spark.keys import Keys, Mask, key_array, places
from checker.engines.spark.store import Store


class Run(NamedTuple):
    """A file of sorted keys: those that a partition found on the levels `first` to `last`."""

    partition: int
    first: int
    last: int
    keys: int

    @property
    def name(self) -> str:
        return f"seen-{self.first}-{self.last}-{self.partition}"


Runs = tuple[Run, ...]
"""The runs of a partition, oldest first."""


def seen(store: Store, runs: Runs, keys: Keys) -> Mask:
    """Which of these keys are in the runs."""
    known = np.zeros(len(keys), dtype=np.bool_)
    for run in runs:
        known |= places(key_array(store.map(run.name, 0)), keys)[1]
    return known


def add_run(store: Store, runs: Runs, partition: int, level: int, keys: Keys) -> Runs:
    """Write down the new keys of a level, which are sorted, and tell the runs that there are then.

    A run that is not much larger than what follows it is merged with it, so that a key is rewritten only as often as
    the number of keys grows by half. The files of merged runs stay, for another attempt at the same task.
    """
    if not len(keys):
        return runs
    kept = list(runs)
    first = level
    merged = [keys]
    count = len(keys)
    while kept and kept[-1].keys <= 2 * count:
        old = kept.pop()
        merged.append(key_array(store.map(old.name, 0)))
        first = old.first
        count += old.keys
    run = Run(partition, first, level, count)
    store.write(run.name, [np.sort(np.concatenate(merged)).tobytes()])
    return (*kept, run)
