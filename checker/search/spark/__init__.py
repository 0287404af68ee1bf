"""The Spark engine: the embedded one until the frontier is wide, then one Spark job a level on partitioned states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from checker.core.problems import EnvironmentProblem
from checker.search.contract.protocol import WIDE

if TYPE_CHECKING:
    from checker.core.patience import Patience
    from checker.search.contract.protocol import Run, Task
    from checker.search.spark.spark_run import SparkRun
    from checker.search.spark.spark_tasks import SparkTaskRunner


class SparkEngine:
    """`wide`: the frontier from which the local run goes by columns; None: never, and neither do the partitions."""

    name = "spark"

    def __init__(self, wide: int | None = WIDE) -> None:
        self.wide = wide
        self._runs: list[SparkRun] = []
        """Those that are open: the second one, if any, is the same exploration without symmetry."""

    def begin(self, task: Task) -> Run:
        # Workers import this package too, and have no use for the driver's side of it.
        try:
            from checker.search.spark.spark_run import SparkRun
        except ModuleNotFoundError as missing:
            raise _not_installed(missing) from None

        return SparkRun(task, self.wide, self._runs)


def spark_task_runner(
    master: str | None, conf: Mapping[str, str], patience: Patience, say: Callable[[str], None]
) -> SparkTaskRunner:
    """What runs independent tasks on Spark. Raises `Problem` if there is no pyspark, no Java, no such master."""
    try:
        from checker.search.spark.spark_tasks import SparkTaskRunner
    except ModuleNotFoundError as missing:
        raise _not_installed(missing) from None

    return SparkTaskRunner(master, conf, patience, say)


def _not_installed(missing: ModuleNotFoundError) -> Exception:
    """The problem for a missing pyspark; another missing module is a bug."""
    if missing.name != "pyspark":
        return missing
    hint = "pip install pyspark, or take another engine"
    return EnvironmentProblem("the Spark engine needs pyspark, which is not installed", hint)
