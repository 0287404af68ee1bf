"""Export: the state space as Parquet files, for SQL and notebooks (docs/state-space-sql.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from checker.storage.user_paths import is_address

if TYPE_CHECKING:
    from checker.core.exploration import Settings
    from checker.storage.export.level_parts import LevelPart
    from checker.storage.file_store import FileStore
    from interpreter import Machine


PARTS: Final = ".parts"
"""The subfolder of an export that is not finished."""


def parts_of(settings: Settings, machine: Machine, partition: int | None = None) -> LevelPart | None:
    """The writer of found states and steps, if they are to be exported."""
    if settings.export is None:
        return None
    from checker.storage.export.level_parts import LevelPart

    return LevelPart(parts_store(settings.export, settings.kept_in), machine, partition)


def parts_store(export: str, kept_in: str | None) -> FileStore:
    """Where the parts of an export are: with the checkpoints if there are any, since resuming needs them."""
    from checker.storage.file_store import FileStore

    if kept_in is None:
        return FileStore(Path(export).absolute() / PARTS)
    if is_address(kept_in):
        from checker.storage.object_store import ObjectStore

        return ObjectStore.at(kept_in)
    return FileStore(Path(kept_in).absolute(), durable=True)
