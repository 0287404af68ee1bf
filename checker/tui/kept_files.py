"""Files around the viewer: paths saved as guided traces, copies of states, files that change."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from checker.core.problems import Problem
from checker.storage.written_files import save
from checker.tui.viewer_session import ViewerSession

_LONGEST = 200


def free_name(stem: str) -> str:
    """A name for a guided trace that no file has."""
    names = (f"{stem}{number or ''}.trace" for number in range(10_000))
    return next((name for name in names if not Path(name).exists()), f"{stem}.trace")


def save_path(session: ViewerSession, name: str) -> str:
    """Write the path to a new file, and say so; or say why not."""
    if os.path.lexists(name):
        return f"'{name}' exists already: name another file"
    try:
        save(name, session.guide(name))
    except Problem as problem:
        return f"not saved: {in_one_line(problem)}"
    return f"saved: fizzpy show {name}"


class Copies:
    """The file that has the last copy: many terminals take none, and do not say so."""

    def __init__(self) -> None:
        self._path: Path | None = None

    def write(self, text: str) -> str:
        """Write a copy, and say where; or say why not."""
        try:
            if self._path is None:
                handle, name = tempfile.mkstemp(prefix="fizzpy-state-", suffix=".txt")
                os.close(handle)
                self._path = Path(name)
            self._path.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as problem:
            return f"no file could be written ({problem.strerror})"
        return f"copied to {self._path}"


class Stamps:
    """When files were written last."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int] | None] = {}

    def changed(self, files: Sequence[str]) -> str | None:
        """The first of these files that has changed since the last time it was asked for."""
        found = None
        for file in files:
            stamp = _stamp(file)
            if self._known.setdefault(file, stamp) != stamp:
                self._known[file] = stamp
                found = found or file
        return found


def _stamp(file: str) -> tuple[int, int] | None:
    with suppress(OSError):
        status = Path(file).stat()
        return status.st_mtime_ns, status.st_size
    return None


def in_one_line(problem: Exception) -> str:
    """What happened, without what needs a screen."""
    text = problem.text if isinstance(problem, Problem) else str(problem)
    return " ".join(text.split("\n")[0].split())[:_LONGEST]
