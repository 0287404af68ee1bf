"""What the tests of the Spark engine share: a real session for the whole run, and a stand-in that needs no Java."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from checker.core.exploration import Settings
from tests.spark.stage import Stage, staged


def settings_for(partitions: int, core: int | None = None, exchange: str | None = None, **more: Any) -> Settings:
    """Settings by which every level is a Spark job, unless `more` says otherwise.

    `core`: how much of the graph for liveness the driver may hold. `exchange`: how tasks send what they found.
    """
    more = {"spark_from": 0, **more}
    conf = [("spark.default.parallelism", str(partitions))]
    conf += [] if core is None else [("spark.fizzpy.core", str(core))]
    conf += [] if exchange is None else [("spark.fizzpy.exchange", exchange)]
    return Settings(spark_conf=tuple(conf), stats=True, **more)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """The stand-in, in use for a whole file of tests."""
    with staged() as found:
        yield found


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark session for the whole run; engines find and borrow it. A task may fail three times."""
    from checker.search.spark.java import find_java
    from checker.search.spark.spark_connection import open_session

    session = open_session("local[2,4]", {}, find_java(os.environ))
    yield session
    session.close()
