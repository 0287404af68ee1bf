"""`fizzpy.spark`: the exported state space of a report as DataFrames of Spark.

report = fizzpy.check("model.fizz", export="space")
fizzpy.spark.states(report).groupBy("level").count().show()
"""

from __future__ import annotations

import atexit
import os
import re
from typing import TYPE_CHECKING

from checker.core.problems import EnvironmentProblem, UsageProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from checker.core.report import Report


def states(report: Report, session: SparkSession | None = None) -> DataFrame:
    """A row for each state: its key, its level, and a column for each variable and field (docs/state-space-sql.md).

    `session`: where it is read; None: the one of this process, or a new one on all cores. Raises `UsageProblem` if the
    check had no `export`, or ended before there were tables.
    """
    return _table(report, "states", session)


def transitions(report: Report, session: SparkSession | None = None) -> DataFrame:
    """A row for each step, also crashes: keys of source and target, action, label, kind. The rest as in `states`."""
    return _table(report, "transitions", session)


def properties(report: Report, session: SparkSession | None = None) -> DataFrame:
    """A row for each property, with its verdict. The rest as in `states`."""
    return _table(report, "properties", session)


def _table(report: Report, table: str, session: SparkSession | None) -> DataFrame:
    folder = report.exported
    if folder is None:
        raise UsageProblem(
            "the state space of this report was not exported", 'give it a new folder: fizzpy.check(…, export="space")'
        )
    # Spark reads from s3 by the name that Hadoop has for it.
    address = re.sub("^s3:", "s3a:", folder) if "://" in folder else f"file://{os.path.abspath(folder)}"  # noqa: PTH100
    return (session or _session()).read.parquet(f"{address}/{table}")


def _session() -> SparkSession:
    """The session of this process, or a new one, which ends with the process."""
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        text = "a DataFrame of Spark needs pyspark, which is not installed"
        raise EnvironmentProblem(text, "pip install pyspark") from None
    from checker.search.spark.java import find_java
    from checker.search.spark.spark_connection import DEFAULT_MASTER, open_session

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    connection = open_session(DEFAULT_MASTER, {}, find_java(os.environ))
    if connection.started is not None:
        atexit.register(connection.close)
    return SparkSession(connection.context)
