"""Folders that are named by the user: what has the form of an address is none, however much it looks like a path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from checker.core.exploration import Settings
from checker.core.problems import UsageProblem

RUN_FOLDER: Final = "spark.fizzpy.folder"
"""The setting that names the folder for the files of runs on Spark."""
# One letter may be a drive of Windows.
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")


def refuse_addresses(settings: Settings) -> None:
    """Refuse `hdfs://…` and the like, of which a path would be made beside the model. Raises `UsageProblem`."""
    named: Mapping[str, str | None] = {
        "--checkpoint": settings.checkpoint,
        "--resume": settings.resume,
        "--export": settings.export,
        f"--conf {RUN_FOLDER}": dict(settings.spark_conf).get(RUN_FOLDER),
    }
    for option, folder in named.items():
        found = _ADDRESS.match(folder or "")
        if found is not None:
            raise UsageProblem(
                f"{option}: '{folder}' is an address, and '{found.group(1)}' is not supported",
                "leave out 'file:' and give the path"
                if found.group(1).lower() == "file"
                else "name a folder of the file system; with Spark one that all machines have mounted",
            )
