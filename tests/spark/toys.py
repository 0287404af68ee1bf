"""Toys for the Spark engine: their states can be carried from process to process, as those of real machines can."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from checker.engines import engine_of
from checker.exploration import Exploration, Settings
from checker.explore import explore
from checker.properties import properties_of
from interpreter import Program
from interpreter.state import Layouts, State
from tests.checker.toy import Alternative, Toy, ToyAssertion, ToyMachine, ToyRule, toy_program


class CarriedToyMachine(ToyMachine):
    """A toy whose numbers in states, which mean the same everywhere, are their own portable form."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.values: Any = SimpleNamespace(portable=lambda number: number, load=lambda number: number)
        self.careful = set()
        layouts = Layouts({self.layout.slots: self.layout})
        self.transitions: Any = SimpleNamespace(layouts=layouts)
        # Toys cannot be divided into columns, no more than models with messages.
        self.code.channels = SimpleNamespace(count=1)  # type: ignore[assignment]


class FlakyMachine(CarriedToyMachine):
    """A machine that dies in the middle of a task, if the folder that its program names says so; then never again."""

    def key(self, state: State) -> int:
        trap = Path(self.program.path) / "armed"
        if self.pair(state) == (0, 9) and trap.exists():
            trap.unlink()
            if trap.parent.name == "exit":
                os._exit(1)
            raise RuntimeError("staged")
        return super().key(state)


def explore_carried(engine: str, toy: Toy, settings: Settings, **options: Any) -> Exploration:
    """Let an engine explore a toy."""
    program = toy_program(toy, **options)
    properties = properties_of(program, None)
    return explore(engine_of(engine), program, properties, settings, machine=CarriedToyMachine)


def explore_flaky(engine: str, folder: Path, settings: Settings) -> Exploration:
    """Let an engine explore a toy of which one action never has a step, by machines that may die in its first task."""
    going = {(a, 0): (Alternative(a + 1, 0, value="x"), Alternative(a, 1, value="y")) for a in range(6)}
    actions = (ToyRule("Go", going), ToyRule("Fall", {(0, 0): (Alternative(0, 9),)}), ToyRule("Never", {}))
    assertions = (ToyAssertion("Far", "exists", {}, default=False), ToyAssertion("Live", "always eventually", {}))
    program = replace(toy_program(Toy(actions=actions, assertions=assertions)), path=str(folder))
    return explore(engine_of(engine), program, properties_of(program, None), settings, machine=FlakyMachine)
