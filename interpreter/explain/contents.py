"""The contents of a state as values of the language: for printers in the formats of other tools."""

from __future__ import annotations

from fizz.base.light import dataclass
from interpreter.execute.view import StateView
from interpreter.execute.world import World
from interpreter.machine import Machine
from interpreter.state.state import State


@dataclass(frozen=True, slots=True)
class Contents:
    """The state variables by name, and the params and fields of each live instance by its name (`Node#0`).

    `threads` and `messages` are texts, as in the description of a state.
    """

    variables: dict[str, object]
    instances: dict[tuple[str, str], dict[str, object]]
    threads: tuple[str, ...]
    messages: tuple[str, ...]


def contents(machine: Machine, state: State) -> Contents:
    """The contents of a state of this machine; aliases are written out."""
    world = World(machine.values, StateView(state, machine.values), machine.code)
    described = machine.describe(state)
    return Contents(
        variables={str(slot[1]): world.thaw(state.get(slot)) for slot in state.layout.slots if slot[0] == "heap"},
        instances={
            (role, f"{role}#{number}"): {
                name: world.thaw(state.get((kind, role, number, name)))
                for kind in ("param", "field")
                for name in state.layout.names(kind, role, number)
            }
            for role, number in state.layout.owned
        },
        threads=tuple(text for path, text in described if path.startswith("thread-")),
        messages=tuple(text for path, text in described if path.startswith("message-")),
    )
