"""Export: the state space as Parquet files, for SQL and notebooks (docs/state-space-sql.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from checker.engines.protocol import Task
    from checker.export.parts import Parts
    from interpreter import Machine


PARTS: Final = ".parts"
"""In the folder of an export as long as that is not finished."""


def parts_of(task: Task, machine: Machine, partition: int | None = None) -> Parts | None:
    """Where to tell of states and steps, if the task is to export them."""
    if task.settings.export is None:
        return None
    from checker.engines.spark.store import Store
    from checker.export.parts import Parts

    kept_in = task.settings.kept_in
    store = Store(place_of(task.settings.export, kept_in), durable=kept_in is not None)
    return Parts(store, machine, partition)


def place_of(export: str, kept_in: str | None) -> Path:
    """The folder for the parts of an export: with the checkpoints if there are any, for they are needed to go on."""
    return Path(export).absolute() / PARTS if kept_in is None else Path(kept_in).absolute()
