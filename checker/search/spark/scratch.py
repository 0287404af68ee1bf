"""Folders for temporary files, which the process removes, or the next run if the process was killed.

Each holds a file that the process has locked as long as it lives. A lock ends with its process, however that ends, and
cannot be mistaken for that of another process, as numbers of processes can.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from fizz.base.plain_files import open_regular_to_lock

_NAME: Final = re.compile(r"fizzpy-(run|spark)-[a-z0-9_]{8}")
_OWNER: Final = "in-use"


class Scratch:
    """A folder that only this user sees, for as long as this process lives. `kind`: "run" or "spark"."""

    def __init__(self, kind: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"fizzpy-{kind}-"))
        self._lock: BinaryIO | None = None
        with suppress(OSError):
            # The file gets its name once it is locked: no other process finds it unlocked.
            lock = open_regular_to_lock(self.path / "new")
            if locked(lock):
                self._lock = lock
                (self.path / "new").rename(self.path / _OWNER)

    def close(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()


def locked(file: BinaryIO) -> bool:
    """Whether a file is locked by this process now; False also where there are no locks."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def sweep() -> None:
    """Remove the folders of this user's processes that were killed. What cannot be removed stays."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).iterdir():
            if _NAME.fullmatch(path.name):
                with suppress(OSError):
                    _sweep(path)


def _sweep(path: Path) -> None:
    status = path.lstat()
    owner = path / _OWNER
    # A folder without a lock was made by a process that had none, or has it not yet.
    if not stat.S_ISDIR(status.st_mode) or not owner.exists() or status.st_uid != os.getuid():
        return
    with open_regular_to_lock(owner) as lock:
        if locked(lock):
            shutil.rmtree(path, ignore_errors=True)
