"""`SpillFiles`: arrays on the disk, for what does not fit the memory that a run may take."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, Final
from weakref import WeakSet

import numpy as np

from checker.search.columns.code_tables import Column
from checker.search.columns.sizes import SIZES, Sizes
from checker.search.contract.protocol import Task

_MB: Final = 1_000_000


class SpillFiles:
    """Takes arrays beyond a budget of `budget` bytes (None: takes none).

    Each is a file without a name, mapped into memory: the operating system reads the parts that are used, and no file
    is left however the process ends. If the disk is full, the run goes on in memory, and `say` is called.
    """

    def __init__(
        self, budget: int | None = None, say: Callable[[str], None] = lambda sentence: None, sizes: Sizes = SIZES
    ) -> None:
        self.budget = budget
        self.sizes = sizes
        self.say = say
        self.bytes = 0
        """How much was written so far."""
        self._maps: WeakSet[mmap.mmap] = WeakSet()

    @classmethod
    def of(cls, task: Task, sizes: Sizes = SIZES) -> SpillFiles:
        """The spill files that a task asks for."""
        memory_mb = task.settings.memory_mb
        return cls(None if memory_mb is None else memory_mb * _MB, task.say, sizes)

    @property
    def in_use(self) -> bool:
        """Whether anything was ever put here."""
        return self.bytes > 0

    def put(self, array: Column) -> Column:
        """An equal array on the disk, not to be written to; small ones stay where they are."""
        if array.nbytes < self.sizes.spilled or on_disk(array):
            return array
        written = self.write([array], array.dtype)
        return array if written is None else written

    def write(self, pieces: Iterable[Column], kind: np.dtype[Any]) -> Column | None:
        """The pieces, at least one and of this type, joined on the disk; None if the disk refuses, now or before."""
        if self.budget is None:
            return None
        try:
            # Written and not mapped for writing: there a full disk would be the end of the process.
            with tempfile.TemporaryFile(prefix="fizzpy-") as file:
                for piece in pieces:
                    file.write(np.ascontiguousarray(piece).data)
                    self.bytes += piece.nbytes
                file.flush()
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            self.budget = None
            reason = (error.strerror or str(error)).lower()
            where = tempfile.gettempdir()
            self.say(f"{where}: {reason}: the run goes on in memory (TMPDIR names another folder for --memory)")
            return None
        self._maps.add(mapped)
        return np.frombuffer(mapped, dtype=kind)

    def rest(self) -> None:
        """Release the memory of what was read of the files; it is read again when it is needed."""
        for mapped in self._maps:
            mapped.madvise(mmap.MADV_DONTNEED)


def on_disk(array: Column) -> bool:
    """Whether an array, or what it is a part of, is in a spill file."""
    base: object = array
    while isinstance(base, np.ndarray | memoryview):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    return isinstance(base, mmap.mmap)


def in_memory(arrays: Iterable[Column]) -> int:
    """The bytes of those arrays that are not in a spill file."""
    return sum(array.nbytes for array in arrays if not on_disk(array))
