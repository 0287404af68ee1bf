"""Opening files of which nobody knows who put them there: only plain files, and never more of them than expected.

A name in a folder may stand for a folder, a link to somewhere, a pipe that never ends or a device that gives bytes for
ever. All of that is refused before a byte is read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# Not blocking: whoever opens a pipe for reading waits for somebody who writes.
_CAREFULLY = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotAFile(OSError):
    """A name that stands for something else than a plain file, or for a larger one than anybody has written.

    `strerror` says what it is, to be put behind the name: "is a folder, and not a file".
    """

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(errno.EINVAL, reason, os.fspath(path))


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A plain file, opened for reading. Raises `OSError`, and `NotAFile` for anything else that has this name."""
    return os.fdopen(_opened(path, os.O_RDONLY), "rb")


def open_regular_to_lock(path: str | os.PathLike[str]) -> BinaryIO:
    """A plain file to lock, made if it is not there; nothing is written to it. Raises as `open_regular` does."""
    return os.fdopen(_opened(path, os.O_RDWR | os.O_CREAT), "rb")


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """All of a plain file that has up to `most` bytes. Raises as `open_regular` does."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise NotAFile(path, f"has more than {most:,} bytes")
    return data


def _opened(path: str | os.PathLike[str], how: int) -> int:
    kind = _kind(path)
    if kind is not None:
        raise NotAFile(path, f"is {kind}, and not a file")
    handle = os.open(path, how | _CAREFULLY, 0o666)
    # It may have been exchanged since.
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotAFile(path, "is not a file")
    return handle


def _kind(path: str | os.PathLike[str]) -> str | None:
    """What a name stands for that is there, and is no plain file."""
    try:
        mode = Path(path).lstat().st_mode
    except FileNotFoundError:
        return None
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), None)
