"""Export: the state space as Parquet files, for SQL and notebooks (docs/state-space-sql.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from checker.core.exploration import Settings
    from checker.storage.export.level_parts import LevelPart
    from interpreter import Machine


PARTS: Final = ".parts"
"""The subfolder of an export that is not finished."""


def parts_of(settings: Settings, machine: Machine, partition: int | None = None) -> LevelPart | None:
    """The writer of found states and steps, if they are to be exported."""
    if settings.export is None:
        return None
    from checker.storage.export.level_parts import LevelPart
    from checker.storage.file_store import FileStore

    kept_in = settings.kept_in
    store = FileStore(parts_folder(settings.export, kept_in), durable=kept_in is not None)
    return LevelPart(store, machine, partition)


def parts_folder(export: str, kept_in: str | None) -> Path:
    """The folder for the parts of an export: that of the checkpoints if there are any, since resuming needs them."""
    return Path(export).absolute() / PARTS if kept_in is None else Path(kept_in).absolute()
