"""Sends the project's code to the workers: executors need nothing installed but Python and numpy.

Spark's own `addPyFile` is not used: it puts an archive on the path of the workers, which they read before each task.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark import Broadcast

HOME: Final = Path(__file__).resolve().parents[3]
"""The folder of the project's packages."""

_PACKAGES: Final = ("fizz", "interpreter", "checker")


def archive() -> bytes:
    """The packages as a zip file."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as bundle:
        for package in _PACKAGES:
            for path in sorted((HOME / package).rglob("*.py")):
                bundle.write(path, str(path.relative_to(HOME)))
    return memory.getvalue()


def imported(run: str, code: Broadcast[bytes] | None) -> Callable[[], None]:
    """A function that makes the packages importable in a worker. `code` None: it sees `HOME` as the driver does.

    It is nested so that it is pickled by value: where it arrives, the packages cannot be imported yet.
    """
    home = str(HOME)

    def unpacked(archive: Broadcast[bytes]) -> str:
        import io
        import shutil
        import tempfile
        import zipfile
        from pathlib import Path

        from pyspark import SparkFiles

        # Spark removes this folder with the executor.
        root = Path(SparkFiles.getRootDirectory())
        folder = root / f"fizzpy-{run}"
        if not folder.is_dir():
            mine = Path(tempfile.mkdtemp(dir=root))
            with zipfile.ZipFile(io.BytesIO(archive.value)) as bundle:
                bundle.extractall(mine)
            try:
                mine.rename(folder)
            except OSError:
                # Another worker of this executor was faster.
                shutil.rmtree(mine)
        return str(folder)

    def importing() -> None:
        import sys

        folder = home if code is None else unpacked(code)
        if folder not in sys.path:
            sys.path.insert(0, folder)

    return importing


def worker_function(run: str, config: Broadcast[bytes], code: Broadcast[bytes] | None) -> Callable[[bytes], bytes]:
    """The function that Spark calls for each task of a run whose workers share a folder. `code` is as in `imported`."""
    importing = imported(run, code)

    def work(assignment: bytes) -> bytes:
        importing()
        from checker.search.spark.worker import perform

        return perform(run, config, assignment)

    return work


def task_function(run: str, code: Broadcast[bytes] | None, sign: Path | None) -> Callable[[bytes], bytes]:
    """The function that Spark calls for an independent task: see `perform_independent`. `code` is as in `imported`."""
    importing = imported(run, code)

    def work(item: bytes) -> bytes:
        importing()
        from checker.search.spark.task_work import perform_independent

        return perform_independent(item, sign)

    return work
