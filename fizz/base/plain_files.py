"""Opening files in folders that others may write to: plain files only, up to an expected size.

A name may stand for a folder, a link, an endless pipe or a device. All of these are refused before a byte is read.
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
# Links are not followed; non-blocking, since opening a pipe to read would wait for a writer.
_SAFE_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotAFile(OSError):
    """A path that is not a plain file, or a file larger than expected.

    `strerror` continues a sentence that begins with the path: "is a folder, and not a file".
    """

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(errno.EINVAL, reason, os.fspath(path))


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A plain file, opened for reading. Raises `OSError`, and `NotAFile` if the path is no plain file."""
    return os.fdopen(_opened(path, os.O_RDONLY), "rb")


def open_regular_to_lock(path: str | os.PathLike[str]) -> BinaryIO:
    """A plain file to lock, created if missing; nothing is written to it. Raises as `open_regular` does."""
    return os.fdopen(_opened(path, os.O_RDWR | os.O_CREAT), "rb")


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a plain file of up to `most` bytes. Raises as `open_regular` does."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise NotAFile(path, f"has more than {most:,} bytes")
    return data


def _opened(path: str | os.PathLike[str], flags: int) -> int:
    kind = _kind(path)
    if kind is not None:
        raise NotAFile(path, f"is {kind}, and not a file")
    handle = os.open(path, flags | _SAFE_FLAGS, 0o666)
    # The file may have been replaced since it was looked at.
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotAFile(path, "is not a file")
    return handle


def _kind(path: str | os.PathLike[str]) -> str | None:
    """The kind of an existing path that is no plain file; None otherwise."""
    try:
        mode = Path(path).lstat().st_mode
    except FileNotFoundError:
        return None
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), None)
