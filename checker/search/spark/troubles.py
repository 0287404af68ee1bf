"""Failures of Spark as problems: one of the machines is explained to the user, one of the program is passed on."""

from __future__ import annotations

import re
from typing import Final

from checker.core.problems import EnvironmentProblem

_DEAD_WORKER: Final = (
    "a Spark worker died, most likely for lack of memory",
    "use more partitions, so that each holds less (--conf spark.default.parallelism=N), or more machines",
)
_ANOTHER_PYTHON: Final = "set PYSPARK_PYTHON to a Python of the same version with numpy, on every machine"
_TROUBLES: Final = {
    "No module named 'numpy'": ("the Python of a Spark executor has no numpy", _ANOTHER_PYTHON),
    "PYTHON_VERSION_MISMATCH": ("the Python of a Spark executor is of another version than this one", _ANOTHER_PYTHON),
    "Cannot run program": ("a Spark executor does not find the Python that it is to run", _ANOTHER_PYTHON),
    "has failed the maximum allowable number of times": (
        "executors of Spark are lost again and again, with what some partitions had found",
        "--checkpoint DIR, a folder that all machines share, would have saved it; with it, --resume goes on",
    ),
    "exited unexpectedly": _DEAD_WORKER,
    "ExecutorLostFailure": _DEAD_WORKER,
}
MASTER_REFUSED: Final = EnvironmentProblem(
    "the Spark master has turned this run away, or is gone",
    "check that --master is the address of a Spark master, of this version of Spark, and see its logs",
)
JAVA_DIED: Final = EnvironmentProblem(
    "the Java process of Spark has died", "see whether this machine is short of memory, and run again"
)
NO_EXECUTOR_YET: Final = "Spark has no executor to run tasks on yet; see its web UI for what it waits for"
_NO_ROOM: Final = "No space left on device"
_WITHOUT_ROOM: Final = re.compile(rf"(/[^\s:'\"]+) \({_NO_ROOM}|{_NO_ROOM}: '(/[^']+)'")
"""As Java says it, and as Python does."""
_OF_FILES: Final = re.compile(
    r"(OSError|FileNotFoundError|NotADirectoryError|IsADirectoryError|FileExistsError|PermissionError|TimeoutError): "
)
_OF_PYTHON: Final = "Traceback (most recent call last)"
_MOST: Final = 300


class TaskFailed(Exception):
    """A task has raised an exception that is a bug. The text begins with it, followed by all that Spark says."""


def explained(failure: Exception, folder: str | None = None) -> Exception:
    """What to raise for a failure of Spark. `folder`: that of its own files, if it is known."""
    text = str(failure)
    if _NO_ROOM in text:
        return _no_room(text, folder)
    for sign, (problem, hint) in _TROUBLES.items():
        if sign in text:
            return EnvironmentProblem(problem, hint)
    if _OF_PYTHON in text and _OF_FILES.match(_raised(text)):
        return EnvironmentProblem(
            f"a task of Spark cannot use a file: {_raised(text)[:_MOST]}",
            "check that all machines see the folder, that it stays, and the disk; then run again",
        )
    if _OF_PYTHON in text:
        return TaskFailed(f"{_raised(text)}\n{text}")
    if type(failure).__module__.startswith("py4j."):
        return EnvironmentProblem(f"Spark gave up: {root_cause(text)}", "see the logs of Spark's master and executors")
    return failure


def _no_room(text: str, folder: str | None) -> EnvironmentProblem:
    """The problem for a full disk, which Spark's text names, or the folder of its own files."""
    found = _WITHOUT_ROOM.search(text)
    full = (found.group(1) or found.group(2)) if found is not None else folder
    where = f"the disk of {full}" if full is not None else "the disk of a Spark executor"
    return EnvironmentProblem(
        f"{where} is full", "make room there, or name another: --conf spark.local.dir=DIR, TMPDIR"
    )


def root_cause(text: str) -> str:
    """The root of an exception of Java, in one line; nothing if there is none in the text."""
    causes = [line for line in text.splitlines() if line.startswith(("Caused by: ", ": "))]
    return causes[-1].removeprefix("Caused by: ").removeprefix(": ")[:_MOST] if causes else ""


def _raised(text: str) -> str:
    """The last line of a Python traceback."""
    for line in text.partition(_OF_PYTHON)[2].splitlines()[1:]:
        if line and not line.startswith(" "):
            return line
    return "a task failed"
