"""One pass in one partition, as a task: the arrays that it reads and writes, and their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from checker.core.effort import Effort
from checker.search.spark.graph_building import GraphSources, link, resolve, scatter, survey
from checker.search.spark.liveness.partitioned_search import PASSES
from checker.search.spark.liveness.share import Array, PassResult, Share
from checker.storage.part_store import PartStore
from fizz.base.data import NotData, pack, unpack

_BUILDING: Final[Mapping[str, Callable[..., PassResult]]] = {
    done.__name__: done for done in (survey, scatter, resolve, link)
}


class PassOutcome(NamedTuple):
    """What a pass has left in one partition: names of new arrays, for which partitions there is post, its reply."""

    arrays: tuple[str, ...]
    post: tuple[bool, ...]
    reply: Any


class PassReport(NamedTuple):
    """What a task reports: which process has made the pass, and what that process has spent so far."""

    done: Any
    worker: str
    effort: Effort


@dataclass(frozen=True, slots=True)
class PassTask:
    """A pass by name. `where`: the file of each array. `inbound`: the files with post, by sender."""

    job: int
    name: str
    partition: int
    partitions: int
    where: Mapping[str, str]
    inbound: tuple[str | None, ...]
    given: object

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of what it reads besides post."""
        listed = self.given.needs(self.partitions, self.partition) if isinstance(self.given, GraphSources) else ()
        return (*dict.fromkeys(self.where.values()), *listed)

    def perform(self, store: PartStore) -> PassOutcome:
        """Make the pass. All it writes is a function of its files: every attempt writes the same."""
        store.forget_all_but(frozenset(self.where.values()))
        # Nothing of this outlasts the run.
        store = store.fleeting()
        share = Share(self.partition, self.partitions, StoredArrays(store, self.where))
        inbound = [b"" if name is None else store.read(name, self.partition) for name in self.inbound]
        function = PASSES.get(self.name) or partial(_BUILDING[self.name], store=store)
        outcome = function(share, inbound, self.given)
        if outcome.arrays:
            write_arrays(store, share_file(self.job, self.partition), outcome.arrays)
        if any(outcome.post):
            store.write(post_file(self.job, self.partition), outcome.post)
        if outcome.brought:
            write_arrays(store, core_file(self.job, self.partition), outcome.brought)
        return PassOutcome(tuple(outcome.arrays), tuple(map(bool, outcome.post)), outcome.reply)


def share_file(job: int, partition: int) -> str:
    """The file of the arrays that a pass leaves."""
    return f"share-{job}-{partition}"


def post_file(job: int, partition: int) -> str:
    """The file of what a pass sends to the other partitions."""
    return f"post-{job}-{partition}"


def core_file(job: int, partition: int) -> str:
    """The file of what a pass brings for the driver."""
    return f"core-{job}-{partition}"


class Content(NamedTuple):
    """An array in a file: its name, its type as numpy writes it, its shape."""

    name: str
    kind: str
    shape: tuple[int, ...]


def write_arrays(store: PartStore, name: str, arrays: Mapping[str, Array]) -> None:
    """Write arrays: a table of contents, and then each of them."""
    contents = [Content(key, array.dtype.str, array.shape) for key, array in arrays.items()]
    data = [np.ascontiguousarray(array).tobytes() for array in arrays.values()]
    store.write(name, [pack(tuple[Content, ...], contents), *data])


def contents_of(store: PartStore, name: str) -> tuple[Content, ...]:
    """The table of contents of a file that `write_arrays` wrote."""
    with store.reading(name):
        found: tuple[Content, ...] = unpack(tuple[Content, ...], bytes(store.map(name, 0)))
    return found


_NUMBERS: Final = re.compile(r"[<|=][biuSU]\d{1,6}")
"""The types of arrays that are written: numbers, and texts of one length. Never objects."""


def _array(data: memoryview, content: Content) -> Array:
    if not _NUMBERS.fullmatch(content.kind) or min(content.shape, default=0) < 0:
        raise NotData("no array of numbers")
    return np.frombuffer(data, dtype=np.dtype(content.kind)).reshape(content.shape)


class StoredArrays(Mapping[str, Array]):
    """Arrays by name, in memory only as far as they are used."""

    def __init__(self, store: PartStore, where: Mapping[str, str]) -> None:
        self._store = store
        self._where = where
        self._known: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._known:
            file = self._where[name]
            for index, content in enumerate(contents_of(self._store, file)):
                if content.name == name:
                    data = self._store.map(file, 1 + index)
                    with self._store.reading(file):
                        self._known[name] = _array(data, content)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)
