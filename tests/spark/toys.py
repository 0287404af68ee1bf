"""A toy whose machine may die while it is explored."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from checker.core.exploration import Exploration, Settings
from checker.properties import properties_of
from checker.search.explore import explore
from checker.search.registry import engine_of
from interpreter.state.state import State
from tests.checker.toy import Alternative, Toy, ToyAssertion, ToyMachine, ToyRule, toy_program


class FlakyMachine(ToyMachine):
    """A machine that dies in the middle of a task, if the folder that its program names says so; then never again."""

    def key(self, state: State) -> int:
        trap = Path(self.program.path) / "armed"
        if self.pair(state) == (0, 9) and trap.exists():
            trap.unlink()
            if trap.parent.name == "exit":
                os._exit(1)
            raise RuntimeError("staged")
        return super().key(state)


def explore_flaky(engine: str, folder: Path, settings: Settings) -> Exploration:
    """Let an engine explore a toy of which one action never has a step, by machines that may die in its first task."""
    going = {(a, 0): (Alternative(a + 1, 0, value="x"), Alternative(a, 1, value="y")) for a in range(6)}
    actions = (ToyRule("Go", going), ToyRule("Fall", {(0, 0): (Alternative(0, 9),)}), ToyRule("Never", {}))
    assertions = (ToyAssertion("Far", "exists", {}, default=False), ToyAssertion("Live", "always eventually", {}))
    program = replace(toy_program(Toy(actions=actions, assertions=assertions)), path=str(folder))
    return explore(engine_of(engine), program, properties_of(program, None), settings, machine=FlakyMachine)
