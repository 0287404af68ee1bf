"""Writes files that the user has named, completely or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from checker.core.problems import EnvironmentProblem


def save(path: str, text: str | bytes) -> None:
    """Write a file that was checked before the search. Raises `EnvironmentProblem`."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", errors="backslashreplace")
    try:
        target = Path(path)
        if target.exists() and not target.is_file():
            # A pipe or a device is not replaced.
            target.write_bytes(data)
        else:
            _replace(target.resolve(), data)
    except OSError as problem:
        reason = f"'{path}' cannot be written: {problem.strerror}"
        raise EnvironmentProblem(reason, "make room, or name a file in another folder") from None


def _replace(target: Path, data: bytes) -> None:
    """Replace a file atomically: the text is first written to a file of another name."""
    import tempfile  # slow to import

    handle, name = tempfile.mkstemp(prefix=".fizzpy-", suffix=".part", dir=target.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode_of(target))
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _mode_of(target: Path) -> int:
    """The permissions of an existing file, or those of a new one."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
