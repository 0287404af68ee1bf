"""`next_states()`: the possible next steps of a state, computed once per state (language page, 10.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from interpreter.execute.state_struct import StateStruct
from interpreter.execute.view import StateView
from interpreter.execute.world import World
from interpreter.state.state import State
from interpreter.state.step import Expansion, Result, Rule, Step, StepKind
from interpreter.values import ListValue, ModelValue, StructValue
from interpreter.values.budget import METER

_MOST_KEPT: Final = 1 << 14
"""The number of states whose successors are cached; assertions are evaluated state by state."""

KINDS: Final = {StepKind.START: "action", StepKind.CONTINUE: "thread", StepKind.DELIVER: "channel"}


class Successor(NamedTuple):
    """The target of a step, with the step's name, kind and actor."""

    name: str
    kind: str
    actor: str | None
    state: State


class Successors:
    """The successors of the states of one machine, computed by its method `steps`."""

    def __init__(self, steps: Callable[..., Expansion]) -> None:
        self._steps = steps
        self._known: dict[State, tuple[Successor, ...]] = {}
        self.directly: Callable[[Rule, State], Sequence[Result] | None] = lambda rule, state: None
        """Gives the results of a rule without the interpreter, and notes nothing as executed; None: it cannot."""

    def asked_in(self, world: World) -> ListValue:
        """The result of `next_states()` in a world: one struct per distinct name and target."""
        return ListValue([_struct(successor, world) for successor in self.of(world.recorder.whole())])

    def of(self, state: State) -> tuple[Successor, ...]:
        """The successors of a state, in step order: one per distinct name and target."""
        known = self._known.get(state)
        if known is None:
            # The steps are not charged to the caller: a cached result would be cheaper than a computed one.
            with METER.aside():
                known = self._found(state)
        return known

    def _found(self, state: State) -> tuple[Successor, ...]:
        found: dict[tuple[str, State], Successor] = {}
        # Steps that fail are left out: the error is found when the state is expanded.
        for step in self._steps(state, limits=False).steps:
            if not step.crashes:
                successor = _successor(step)
                found.setdefault((successor.name, step.target), successor)
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        known = self._known[state] = tuple(found.values())
        return known


def _successor(step: Step) -> Successor:
    return Successor(step.name.partition("[")[0], KINDS[step.rule.kind], step.actor, step.target)


def fields_of(successor: Successor) -> dict[str, object]:
    """All fields of the struct for a successor but its state."""
    instance, _, action = (successor.actor or "").rpartition(".")
    identity = None
    if instance:
        role, _, number = instance.partition("#")
        identity = ModelValue(role, int(number))
    return {
        "name": successor.name,
        "kind": successor.kind,
        "role_ref": instance or None,
        "role_id": identity,
        "action_name": action if successor.kind == "action" else None,
    }


def _struct(successor: Successor, world: World) -> StructValue:
    target = World(world.interner, StateView(successor.state, world.interner), world.code)
    return StructValue({**fields_of(successor), "state": StateStruct(target, world.code.program.state_variables)})
