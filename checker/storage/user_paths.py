"""Paths that a user names: files other than models are read safely, and addresses are refused as folders."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from checker.core.problems import UsageProblem

if TYPE_CHECKING:
    from checker.core.exploration import Settings

MOST_BYTES = 64 * 1024 * 1024


def read_user_file(path: str | Path, what: str, most: int = MOST_BYTES) -> str:
    """The text of an ordinary file of at most `most` bytes; `what` it is, as `a report`. Raises `UsageProblem`."""
    hint = f"name {what}"
    try:
        refuse_no_file(path, what)
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise UsageProblem(f"'{path}' does not exist", hint) from None
    except OSError as problem:
        raise UsageProblem(f"'{path}' cannot be read: {problem.strerror}", "check its name and permissions") from None
    except ValueError:
        raise UsageProblem(f"'{path}' is no name of a file: it has a NUL character", hint) from None
    if len(data) > most:
        raise UsageProblem(f"'{path}' is too long for {what}", "is it the right file?")
    try:
        return data.decode("utf-8-sig", errors="surrogatepass")
    except UnicodeDecodeError as problem:
        fault = f"byte {problem.start:,} is 0x{data[problem.start]:02x}"
        raise UsageProblem(f"'{path}' is not UTF-8 text: {fault}", "is it the right file?") from None


def refuse_no_file(path: str | Path, what: str) -> None:
    """Raise `UsageProblem` for a folder, a pipe, a device, and what is not there. Raises `OSError` too."""
    hint = f"name {what}"
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        raise UsageProblem(f"'{path}' does not exist", hint) from None
    if stat.S_ISDIR(mode):
        raise UsageProblem(f"'{path}' is a directory, not {what}", hint)
    if not stat.S_ISREG(mode):
        # Reading a pipe or a device may never end.
        raise UsageProblem(f"'{path}' is not an ordinary file", hint)


RUN_FOLDER: Final = "spark.fizzpy.folder"
"""The setting with the folder for the files of runs on Spark."""
# One letter may be a drive of Windows.
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")


_WITH_BUCKET: Final = re.compile(r"[^:]+://[^/]")
_STORES: Final = ("s3", "s3a")


def is_remote(folder: str | None) -> bool:
    """Is it the address of an object store that an export may go to?"""
    found = _ADDRESS.match(folder or "")
    return found is not None and found.group(1).lower() in _STORES


_FOR_CHECKPOINTS: Final = (*_STORES, "hdfs")


def is_address(folder: str | None) -> bool:
    """Is it an address that checkpoints may be written to: of an object store, or of HDFS?"""
    found = _ADDRESS.match(folder or "")
    return found is not None and found.group(1).lower() in _FOR_CHECKPOINTS


def refuse_addresses(settings: Settings) -> None:
    """Refuse `hdfs://…` and the like, which would be taken for relative paths. Raises `UsageProblem`.

    An export may go to an object store, and checkpoints to one or to HDFS; an address of a store names a bucket.
    """
    for option, folder in (
        ("--checkpoint", settings.checkpoint),
        ("--resume", settings.resume),
        ("--export", settings.export),
    ):
        if folder is not None and is_remote(folder) and not _WITH_BUCKET.match(folder):
            raise UsageProblem(f"{option}: '{folder}' names no bucket", "give one, as s3://BUCKET/FOLDER")
    named: Mapping[str, str | None] = {
        "--checkpoint": None if is_address(settings.checkpoint) else settings.checkpoint,
        "--resume": None if is_address(settings.resume) else settings.resume,
        "--export": None if is_remote(settings.export) else settings.export,
        f"--conf {RUN_FOLDER}": dict(settings.spark_conf).get(RUN_FOLDER),
    }
    for option, folder in named.items():
        found = _ADDRESS.match(folder or "")
        if found is not None:
            raise UsageProblem(
                f"{option}: '{folder}' is an address, and '{found.group(1)}' is not supported",
                "leave out 'file:' and give the path"
                if found.group(1).lower() == "file"
                else "name a folder of the file system; checkpoints may go to s3://BUCKET/FOLDER",
            )
