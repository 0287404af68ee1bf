"""Random programs on Spark, where every level is a job: what the plain engine says of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fizz
from checker.check import check
from checker.exploration import Settings
from checker.limits import Limits
from checker.report import Report
from tests.random.laws import told
from tests.random.programs import program
from tests.random.source import seeded
from tests.spark.conftest import settings_for


def reports(seed: int, partitions: int) -> tuple[Report, Report]:
    """What the plain engine and Spark say of the program of a seed."""
    source = seeded(seed)
    module = fizz.load("m.fizz", text=program(source))
    chosen = Settings(keep_going=source.chance(50), limits=Limits(states=40), symmetry=not source.chance(20))
    spark = replace(chosen, spark_conf=settings_for(partitions).spark_conf, spark_from=0)
    return check(module, engine="plain", settings=chosen), check(module, engine="spark", settings=spark)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("seed", range(6))
def test_spark(seed: int) -> None:
    """With a session."""
    plain, spark = reports(seed, 2)
    assert told(spark) == told(plain)


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("block", range(2))
def test_partitions(block: int) -> None:
    """And many more without one."""
    for seed in range(1_000 + 20 * block, 1_020 + 20 * block):
        plain, spark = reports(seed, 1 + seed % 3)
        assert told(spark) == told(plain), seed
