"""Random programs on Spark, where every level is a job: what the plain engine says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from tests.checker.test_fewest_crashes import random_fair_text, random_text
from tests.random.laws import told
from tests.random.programs import program
from tests.random.source import seeded
from tests.random.test_found import FOUND
from tests.sample import one_in
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
@pytest.mark.parametrize("block", one_in(2, range(2)))
def test_partitions(block: int) -> None:
    """And many more without one."""
    for seed in range(1_000 + 20 * block, 1_020 + 20 * block):
        plain, spark = reports(seed, 1 + seed % 3)
        assert told(spark) == told(plain), seed


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_programs_that_once_broke_a_law(path: Path) -> None:
    """In partitions too, from the first level on."""
    module = fizz.load(path.name, text=path.read_text(encoding="utf-8"))
    chosen = replace(settings_for(3), limits=Limits(states=300))
    plain, spark = (told(check(module, engine=engine, settings=chosen)) for engine in ("plain", "spark"))
    assert spark == plain


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("core", [0, None])
def test_crashes_and_cycles(core: int | None) -> None:
    """Findings after the fewest crashes, and the shortest cycles, wherever the components lie."""
    crashes = cycles = 0
    for seed in range(2_000, 2_016):
        for text in (random_text(seed), random_fair_text(seed)[0]):
            module = fizz.load("m.fizz", text=text)
            plain = check(module, engine="plain", settings=Settings(keep_going=True))
            chosen = settings_for(1 + seed % 3, core, keep_going=True, spark_from=seed % 4)
            assert told(check(module, engine="spark", settings=chosen)) == told(plain), text
            traces = [p.trace for p in plain.properties if p.trace is not None]
            crashes += sum(any(entry.crash for entry in trace.entries) for trace in traces)
            cycles += sum(trace.cycle_start is not None for trace in traces)
    assert min(crashes, cycles) >= 4
