"""`LastingRun`: a run that can be saved and restored, and the data that are saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from checker.search.contract.protocol import Run
from checker.storage.checkpoint.folder import level_file
from checker.storage.file_store import FileStore
from fizz.base.data import bundle, deflate, inflate, pack, unbundle, unpack

RUN_PARTS: Final = 1
"""The index of the run's first part in the file of a level; before it is the state of the driver."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A run after a level: `parts` are for a file of its own, `files` the others that it needs.

    `engine`: the only one that can go on from there; None if any can.
    """

    engine: str | None
    parts: tuple[bytes, ...]
    files: tuple[str, ...]


class LastingRun(Run, Protocol):
    """A run that can be saved between two levels."""

    @property
    def eager(self) -> bool:
        """Must this level be saved, also before it is time to?"""
        ...

    @property
    def found(self) -> int:
        """How many states were found so far."""
        ...

    def save(self, store: FileStore, level: int) -> Saved:
        """What another run needs to go on from this level."""
        ...

    def restore(self, store: FileStore, level: int) -> None:
        """Take the state of the run that was saved after this level."""
        ...


def pack_head(kind: type, head: object) -> bytes:
    """The head of a run, which is small, as the first of its parts, with the name of its type."""
    return deflate(bundle([kind.__name__.encode(), pack(kind, head)]))


def unpack_head(store: FileStore, level: int, *kinds: type) -> Any:
    """What `pack_head` packed, from the file of a level: of one of these types."""
    name = level_file(level)
    data = store.read(name, RUN_PARTS)
    with store.reading(name):
        which, head = unbundle(inflate(data), 2)
        return unpack({kind.__name__.encode(): kind for kind in kinds}[which], head)
