"""Export: the state space as Parquet files, for SQL and notebooks (docs/state-space-sql.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checker.engines.protocol import Task
    from checker.export.parts import Parts
    from interpreter import Machine


def parts_of(task: Task, machine: Machine, tag: str = "driver") -> Parts | None:
    """Where to tell of states and steps, if the task is to export them."""
    if task.settings.export is None:
        return None
    from checker.export.parts import Parts

    return Parts(Path(task.settings.export).absolute(), machine, tag)
