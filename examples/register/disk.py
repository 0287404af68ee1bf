"""A file whose writes reach the disk when they are synced, and not before: what a crash of a machine leaves of it.

SIGKILL ends a process, but what it wrote stays in the system's page cache and is there when it starts again; only a
machine that loses its power loses that. To show it on one machine the page cache is that of this class: `write` keeps
the bytes in the memory of the process, `fsync` writes them to the real file, and syncs that. So a kill of the process
is the crash of its machine: it loses what was not synced, all of it. (A real disk may also keep some of it, or half.)
"""

import os
from pathlib import Path


class Disk:
    """One small file, written as a whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._cached: str | None = None

    def read(self) -> str:
        """What was written last, synced or not; nothing if there is no file."""
        if self._cached is not None:
            return self._cached
        return self._path.read_text(encoding="utf-8") if self._path.exists() else ""

    def write(self, text: str) -> None:
        """Replace the content, in the page cache."""
        self._cached = text

    def fsync(self) -> None:
        """Wait until what was written is on the disk."""
        if self._cached is None:
            return
        new = self._path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            file.write(self._cached)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)
        self._cached = None
