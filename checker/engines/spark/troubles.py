"""What Spark says when something goes wrong, and how we say it: a trouble of the machines, or a mistake of ours."""

from __future__ import annotations

from typing import Final

from checker.problems import EnvironmentProblem

_DEAD_WORKER: Final = (
    "a Spark worker died, most likely for lack of memory",
    "use more partitions, so that each holds less (--conf spark.default.parallelism=N), or more machines",
)
_ANOTHER_PYTHON: Final = "set PYSPARK_PYTHON to a Python of the same version with numpy, on every machine"
_TROUBLES: Final = {
    "No module named 'numpy'": ("the Python of a Spark executor has no numpy", _ANOTHER_PYTHON),
    "PYTHON_VERSION_MISMATCH": ("the Python of a Spark executor is of another version than this one", _ANOTHER_PYTHON),
    "Cannot run program": ("a Spark executor does not find the Python that it is to run", _ANOTHER_PYTHON),
    "exited unexpectedly": _DEAD_WORKER,
    "ExecutorLostFailure": _DEAD_WORKER,
    "No space left on device": ("the disk of a Spark executor is full", "make room, or set spark.local.dir elsewhere"),
}
TURNED_AWAY: Final = EnvironmentProblem(
    "the Spark master has turned this run away, or is gone",
    "check that --master is the address of a Spark master, of this version of Spark, and see its logs",
)
JAVA_DIED: Final = EnvironmentProblem(
    "the Java process of Spark has died", "see whether this machine is short of memory, and run again"
)
NOBODY_YET: Final = "Spark has no executor to run tasks on yet; see its web UI for what it waits for"
_OF_PYTHON: Final = "Traceback (most recent call last)"
_MOST: Final = 300


class TaskFailed(Exception):
    """A task has raised what it never should. The text begins with that, and goes on with all that Spark says."""


def explained(failure: Exception) -> Exception:
    """What to raise for a failure of Spark."""
    text = str(failure)
    for sign, (problem, hint) in _TROUBLES.items():
        if sign in text:
            return EnvironmentProblem(problem, hint)
    if _OF_PYTHON in text:
        return TaskFailed(f"{_raised(text)}\n{text}")
    if type(failure).__module__.startswith("py4j."):
        return EnvironmentProblem(f"Spark gave up: {root_cause(text)}", "see the logs of Spark's master and executors")
    return failure


def root_cause(text: str) -> str:
    """The root of an exception of Java, in one line; nothing if there is none in the text."""
    causes = [line for line in text.splitlines() if line.startswith(("Caused by: ", ": "))]
    return causes[-1].removeprefix("Caused by: ").removeprefix(": ")[:_MOST] if causes else ""


def _raised(text: str) -> str:
    """What a traceback of Python ends with."""
    for line in text.partition(_OF_PYTHON)[2].splitlines()[1:]:
        if line and not line.startswith(" "):
            return line
    return "a task failed"
