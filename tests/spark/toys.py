"""Toys for the Spark engine: their states can be carried from process to process, as those of real machines can."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from checker.engines import engine_of
from checker.exploration import Exploration, Settings
from checker.explore import explore
from checker.properties import properties_of
from interpreter import Program
from interpreter.state import Layouts
from tests.checker.toy import Toy, ToyMachine, toy_program


class CarriedToyMachine(ToyMachine):
    """A toy whose numbers in states, which mean the same everywhere, are their own portable form."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.values: Any = SimpleNamespace(portable=lambda number: number, load=lambda number: number)
        layouts = Layouts({self.layout.slots: self.layout})
        self.transitions: Any = SimpleNamespace(layouts=layouts)


def explore_carried(engine: str, toy: Toy, settings: Settings, **options: Any) -> Exploration:
    """Let an engine explore a toy."""
    program = toy_program(toy, **options)
    properties = properties_of(program, None)
    return explore(engine_of(engine), program, properties, settings, machine=CarriedToyMachine)
