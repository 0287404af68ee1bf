"""What the tests of engines share: every engine of the registry, and one way to let it explore a toy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from checker.core.exploration import Exploration, Settings
from checker.properties import KINDS, Kinds, properties_of
from checker.search.explore import explore
from checker.search.registry import ENGINES, engine_of
from tests.checker.toy import Toy, ToyMachine, toy_program
from tests.spark.conftest import Stage, stage

__all__ = ["stage"]

WITH_TOYS = tuple(name for name in ENGINES if not name.startswith("direct"))
"""A toy has no rules that could be run directly: these variants would go as others do."""
IN_PROCESS = tuple(name for name in WITH_TOYS if "spark" not in (name, ENGINES[name].variant_of))
IN_PARTITIONS = tuple(name for name, entry in ENGINES.items() if "spark" in (name, entry.variant_of))


def explore_toy(
    engine: str, toy: Toy, settings: Settings | None = None, kinds: Kinds = KINDS, **options: Any
) -> Exploration:
    """Let an engine explore a toy, and make sure that it went the way that it is there for.

    `kinds`: which property kinds there are. On Spark every level is a job, of two partitions that judge liveness to
    the end, unless the settings say otherwise.
    """
    chosen = settings or Settings()
    if engine in IN_PARTITIONS and not chosen.spark_conf:
        conf = (("spark.default.parallelism", "2"), ("spark.fizzpy.core", "0"))
        chosen = replace(chosen, spark_from=0, spark_conf=conf)
    program = toy_program(toy, **options)
    found = explore(engine_of(engine), program, properties_of(program, None, kinds), chosen, machine=ToyMachine)
    if found.transitions or found.crash_steps:
        check_way(engine, toy, chosen, found, **options)
    return found


def check_way(engine: str, toy: Toy, settings: Settings, found: Exploration, **options: Any) -> None:
    """States were expanded in the engine's own way, and not in another one that it may fall back to."""
    known_to_columns = not toy.symmetric and not options.get("exclude")
    by_columns = "packings" in found.stats
    jobs = found.stats.get("spark_levels", 0)
    if engine == "columns":
        assert by_columns == known_to_columns
    elif engine == "two workers":
        assert not by_columns or found.stats["workers"] == 2
    elif engine in ("plain", "rows"):
        assert not by_columns and not jobs
    elif engine in IN_PARTITIONS and not settings.spark_from:
        assert jobs
        assert bool(found.stats["levels by columns"]) == (known_to_columns and engine == "spark")


@pytest.fixture(params=IN_PROCESS)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine that needs nothing but this process, in turn."""
    return str(request.param)


@pytest.fixture(params=WITH_TOYS)
def run(request: pytest.FixtureRequest, stage: Stage) -> Callable[..., Exploration]:
    """Explore a toy with each engine in turn: the contract is one for all. Spark's tasks run in this process."""
    engine = str(request.param)

    def explore_it(toy: Toy, settings: Settings | None = None, **options: Any) -> Exploration:
        return explore_toy(engine, toy, settings, **options)

    return explore_it
