"""An export to an object store: tables are made in a temporary folder, and sent when they are complete."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.storage.export.level_parts import STATES, TRANSITIONS
from checker.storage.export.parquet_tables import PROPERTIES, arrow

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_TABLES: Final = (STATES, TRANSITIONS, PROPERTIES)
_COMPLETE: Final = "_SUCCESS"
_PIECE: Final = 1 << 22


class RemoteExport:
    """The tables of one run for an address. `folder`: where they are made, on this machine.

    Raises `UsageProblem` if something is at the address already, `EnvironmentProblem` if it cannot be used.
    """

    def __init__(self, address: str, files: FileSystem | None = None) -> None:
        arrow()
        from pyarrow import fs

        self.address = address
        try:
            # What Hadoop calls s3a is s3 for all others.
            found = fs.FileSystem.from_uri(re.sub("^s3a:", "s3:", address)) if files is None else (files, address)
            self._files: FileSystem = found[0]
            self._path: str = found[1]
            bucket = self._path.partition("/")[0]
            if self._files.get_file_info(bucket).type == fs.FileType.NotFound:
                raise FileNotFoundError(f"there is no bucket '{bucket}'")
            there = self._files.get_file_info(fs.FileSelector(self._path, allow_not_found=True))
        except (OSError, ValueError, NotImplementedError) as failure:
            raise self._unusable(failure) from None
        if there:
            raise UsageProblem(f"{address} is not empty", "name a new folder: --export s3://BUCKET/FOLDER")
        self.folder = tempfile.mkdtemp(prefix="fizzpy-export-")

    def send(self) -> None:
        """Send the tables: whole objects, and those that say that a table is complete after all others.

        Raises `EnvironmentProblem`, which names the folder, where the tables then stay.
        """
        objects = list(self._objects())
        try:
            for name in sorted(objects, key=lambda name: name.endswith(_COMPLETE)):
                self._copy(name)
        except OSError as failure:
            problem = self._unusable(failure)
            raise EnvironmentProblem(f"{problem.text}; the tables are in {self.folder}", problem.hint) from None
        self.discard()

    def discard(self) -> None:
        """Remove what is on this machine."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _objects(self) -> Iterator[str]:
        for table in _TABLES:
            for path in sorted((Path(self.folder) / table).glob("*")):
                yield f"{table}/{path.name}"

    def _copy(self, name: str) -> None:
        table = name.partition("/")[0]
        # A store without folders does nothing here.
        self._files.create_dir(f"{self._path}/{table}", recursive=True)
        with (Path(self.folder) / name).open("rb") as source:
            target: Any
            with self._files.open_output_stream(f"{self._path}/{name}") as target:
                while piece := source.read(_PIECE):
                    target.write(piece)

    def _unusable(self, failure: Exception) -> EnvironmentProblem:
        reason = str(failure).strip().splitlines()[0][:300] if str(failure).strip() else type(failure).__name__
        return EnvironmentProblem(
            f"{self.address} cannot be used: {reason}",
            "check the bucket, its region (AWS_REGION, AWS_ENDPOINT_URL) and the credentials",
        )
