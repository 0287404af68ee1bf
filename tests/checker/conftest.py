"""What the tests of engines share: every engine by name, and one way to let it explore a toy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from checker.engines import engine_of
from checker.exploration import Exploration, Settings
from checker.explore import explore
from checker.properties import properties_of
from tests.checker.toy import Toy, ToyMachine, toy_program

ENGINES = ("plain", "embedded")


def explore_toy(engine: str, toy: Toy, settings: Settings | None = None, **options: Any) -> Exploration:
    """Let an engine explore a toy."""
    program = toy_program(toy, **options)
    properties = properties_of(program, None)
    return explore(engine_of(engine), program, properties, settings or Settings(), machine=ToyMachine)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn: the contract is one for all."""
    return str(request.param)


@pytest.fixture
def run(engine: str) -> Callable[..., Exploration]:
    """Explore a toy with the engine under test."""

    def explore_it(toy: Toy, settings: Settings | None = None, **options: Any) -> Exploration:
        return explore_toy(engine, toy, settings, **options)

    return explore_it
