"""Checks the files and folders that a run is to write, before the search: no result is lost, no input overwritten.

The checks leave nothing behind.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from checker.core.problems import FULL_DISK, EnvironmentProblem, Problem, UsageProblem

_OTHER = "name another file"
_FOLDER = "name a folder that can be written"
_LIMITED = "raise the limit of the size of files (ulimit -f)"
_MODELS = (".fizz", ".star")
_BESIDE = ("fizz.yaml", "expect.yaml")
_Identity = tuple[object, ...]


def refuse_files(outputs: Mapping[str, str | None], folders: Mapping[str, str | None] | None = None) -> None:
    """Refuse what can not be written, and two outputs in one file or folder. Raises `UsageProblem`; if the disk is
    full `EnvironmentProblem`.

    `outputs` and `folders` are files and folders by option; None: not given.
    """
    files = {option: path for option, path in outputs.items() if path is not None}
    named_folders = {option: path for option, path in (folders or {}).items() if path is not None}
    for option, path in files.items():
        _refuse_name(option, path, "file")
        _refuse_kind(option, path)
    for option, path in named_folders.items():
        _refuse_name(option, path, "folder")
        _refuse_folder(option, path)
    _refuse_shared(files)
    for option, path in files.items():
        for folder_option, folder in named_folders.items():
            if Path(path).resolve().is_relative_to(Path(folder).resolve()):
                raise UsageProblem(f"{option}: '{path}' is in the folder of {folder_option}", _OTHER)
            if Path(folder).resolve().is_relative_to(Path(path).resolve()):
                raise UsageProblem(f"{option}: '{path}' is to be a folder, for {folder_option}", _OTHER)
    _refuse_shared_folder(named_folders)


def refuse_inputs(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuse to overwrite an input, also by another name of the file. Raises `UsageProblem`."""
    read = {identity: path for path in inputs if (identity := _existing(path)) is not None}
    for option, path in outputs.items():
        if path is not None and (found := read.get(_existing(path) or ())) is not None:
            raise UsageProblem(f"{option}: '{path}' is '{found}', which this run reads", _OTHER)


def may_be_inputs(outputs: Mapping[str, str | None]) -> bool:
    """Does any of the files exist already? Only then it can be an input."""
    return any(path is not None and _existing(path) is not None for path in outputs.values())


def _existing(path: str) -> _Identity | None:
    """The identity of an ordinary file, whatever its name; None if there is none."""
    with suppress(OSError, ValueError):
        status = Path(path).stat()
        if stat.S_ISREG(status.st_mode):
            return (status.st_dev, status.st_ino)
    return None


def _refuse_name(option: str, path: str, what: str) -> None:
    """Refuse empty names, and names with control characters."""
    if not path.strip():
        raise UsageProblem(f"{option}: the name of the {what} is empty", f"name a {what}")
    if path == "-":
        # Many commands take it for standard output; a file of that name would surprise.
        raise UsageProblem(f"{option}: '-' is not the name of a {what}", f"name a {what}, or ./- if it is to be that")
    if what == "file" and path.endswith((os.sep, os.altsep or os.sep)):
        raise UsageProblem(f"{option}: '{path}' is the name of a directory, not of a file", "name a file in it")
    if any(unicodedata.category(character) == "Cc" for character in path):
        raise UsageProblem(f"{option}: '{path}' has a control character in it", f"name another {what}")


def _refuse_kind(option: str, path: str) -> None:
    target = Path(path)
    try:
        real = target.resolve()
        if any(name in _BESIDE or name.endswith(_MODELS) for name in (target.name, real.name)):
            raise UsageProblem(f"{option}: '{path}' has the name of a file that models are read from", _OTHER)
        status = target.stat() if target.exists() else None
    except (OSError, RuntimeError) as problem:
        raise _unwritable(option, path, problem) from None
    if status is None or stat.S_ISREG(status.st_mode):
        _refuse_unwritable(option, path, real, status)
    elif stat.S_ISDIR(status.st_mode):
        raise UsageProblem(f"{option}: '{path}' is a directory, not a file to write to", "name a file in it")
    else:
        _refuse_special(option, path, status.st_mode)


def _refuse_unwritable(option: str, path: str, real: Path, status: os.stat_result | None) -> None:
    """Refuse a file that can not be written or replaced in its folder."""
    if not real.parent.is_dir():
        raise UsageProblem(
            f"{option}: there is no directory '{Path(path).parent}' to write the file to", "make it, or name another"
        )
    if status is not None and (not status.st_mode & 0o222 or not os.access(path, os.W_OK)):
        raise UsageProblem(f"{option}: '{path}' may not be written to", "name another file, or change its permissions")
    try:
        real.lstat()
    except FileNotFoundError:
        pass
    except OSError as problem:
        raise _unwritable(option, path, problem) from None
    _try_folder(option, path, real.parent)


def _refuse_special(option: str, path: str, mode: int) -> None:
    """Refuse special files: all but pipes and devices that can be opened at once."""
    named_pipe = stat.S_ISFIFO(mode) and Path(os.path.realpath(path)).exists()
    if named_pipe or not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        raise UsageProblem(f"{option}: '{path}' is not an ordinary file", _OTHER)
    try:
        os.close(os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)))
    except OSError as problem:
        raise _unwritable(option, path, problem) from None


def _refuse_folder(option: str, path: str) -> None:
    """Refuse a folder that can not be made: the nearest existing folder above must be writable."""
    try:
        nearest = Path(path).resolve()
        nearest.exists()
        while not os.path.lexists(nearest) and nearest != nearest.parent:
            nearest = nearest.parent
        if not nearest.is_dir():
            raise UsageProblem(f"{option}: '{nearest}' is a file, not a folder", _FOLDER)
        for part in Path(path).resolve().relative_to(nearest).parts:
            # Each part alone: a name that is too long is refused even if its folder does not exist yet.
            os.path.lexists(nearest / part)
            (nearest / part).exists()
    except (OSError, RuntimeError) as problem:
        raise _unwritable(option, path, problem, _FOLDER) from None
    _try_folder(option, path, nearest)


def _try_folder(option: str, path: str, folder: Path) -> None:
    """Write a temporary file: quotas, full disks and file systems matter, not only permissions."""
    import tempfile  # slow to import

    try:
        with tempfile.NamedTemporaryFile(prefix=".fizzpy-", dir=folder, buffering=0) as file:
            file.write(b" ")
    except OSError as problem:
        raise _unwritable(option, path, problem, _FOLDER) from None


def _unwritable(option: str, path: str, problem: Exception, hint: str = _OTHER) -> Problem:
    """What to tell of a file or folder that can not be written: a full disk is no mistake in the command."""
    reason = (problem.strerror if isinstance(problem, OSError) else None) or "it is a link that leads to itself"
    text = f"{option}: '{path}' cannot be written: {reason}"
    if isinstance(problem, OSError) and problem.errno in FULL_DISK:
        limited = problem.errno == errno.EFBIG
        return EnvironmentProblem(text, _LIMITED if limited else "make room there, or name a folder on another disk")
    return UsageProblem(text, hint)


def _refuse_shared_folder(named_folders: Mapping[str, str]) -> None:
    """Refuse an export around another folder of the run: an export replaces its folder."""
    export = named_folders.get("--export")
    for option, path in named_folders.items():
        if export is not None and option != "--export" and Path(path).resolve().is_relative_to(Path(export).resolve()):
            raise UsageProblem(f"--export: '{export}' has the folder of {option} in it", "name another folder")


def _refuse_shared(files: Mapping[str, str]) -> None:
    """Refuse two outputs to one file; standard output and error count too."""
    known: dict[_Identity, str] = {}
    for name in ("stdout", "stderr"):
        with suppress(OSError, ValueError, AttributeError):
            status = os.fstat(getattr(sys, name).fileno())
            if stat.S_ISREG(status.st_mode):
                known[status.st_dev, status.st_ino] = f"standard {'output' if name == 'stdout' else 'error'}"
    for option, path in files.items():
        identity = _existing(path) or (str(Path(path).resolve()),)
        if identity in known:
            raise UsageProblem(
                f"two outputs would go to one file: {option} '{path}' and {known[identity]}", "name a file for each"
            )
        known[identity] = option
