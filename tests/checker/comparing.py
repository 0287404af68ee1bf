"""Explorations side by side."""

from __future__ import annotations

from dataclasses import fields

from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits
from checker.properties import properties_of
from checker.search.contract.protocol import Engine
from checker.search.explore import explore
from interpreter import compile_module
from tests.interpreter.running import module_of


def answer(text: str, engine: Engine, states: int) -> Exploration:
    """All that an engine finds of a model, up to the level that has so many states."""
    program = compile_module(module_of(text, crashing=text.lstrip().startswith("---")))
    settings = Settings(keep_going=True, limits=Limits(states=states))
    return explore(engine, program, properties_of(program, None), settings)


def compared(exploration: Exploration) -> dict[str, object]:
    """Everything but statistics and what the engine alone decides; errors by what they say."""
    names = [field.name for field in fields(exploration) if field.compare and field.name != "stats"]
    shown = {name: getattr(exploration, name) for name in names}
    failed = exploration.error
    shown["error"] = None if failed is None else (failed.path, failed.error and failed.error.diagnostic)
    return shown
