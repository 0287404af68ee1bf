"""The elements of `next_states()` in rules that are run directly: structs of which only fields are asked for.

To intern a successor as a struct would cost more than what an assertion asks of it, and would stay. So a successor and
its state are objects of their own, whose fields are values like all others; everything else that is done with them
gives up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from interpreter.direct.nodes import GiveUp, Nodes
from interpreter.direct.sides import Sides
from interpreter.execute.next_states import Successor, fields_of
from interpreter.state.state import Layout, State
from interpreter.values.freeze import freeze

COST: Final = 8
"""What an assertion pays for each successor."""
NAMES: Final = frozenset({"name", "kind", "role_ref", "role_id", "action_name"})
"""The fields of a successor but its state."""
_MOST_SIDES: Final = 32
"""Of more successors with role instances none is asked directly: each has names of its own for all instances."""


def _refuse(*_: Any) -> NoReturn:
    raise GiveUp


class FieldsOnly:
    """A struct of which only fields are asked for."""

    __slots__ = ("fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __len__ = __iter__ = __contains__ = _refuse
    __hash__ = __str__ = __repr__ = __format__ = __getitem__ = _refuse


class _StateFields(dict[str, Any]):
    """The state variables of a successor, by name. `values`: ids, those of the successor from `begin` on."""

    __slots__ = ("_begin", "_index", "_nodes", "_values")

    def __init__(self, values: Sequence[int], begin: int, index: Mapping[str, int], nodes: Nodes) -> None:
        super().__init__()
        self._values = values
        self._begin = begin
        self._index = index
        self._nodes = nodes

    def __bool__(self) -> bool:
        return True

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._nodes[self._values[self._begin + self._index[name]]]
        return value


class Following(NamedTuple):
    """A state with its successors. `values`: those of the state, and after them those of each successor."""

    state: State
    values: tuple[int, ...]
    successors: list[FieldsOnly]


class Followers:
    """The successors of states, as rules that are run directly ask for them."""

    def __init__(self, nodes: Nodes, sides: Sides, has_roles: bool) -> None:
        self._nodes = nodes
        self._sides = sides
        self._has_roles = has_roles
        self._names: dict[tuple[str, str, str | None], dict[str, Any]] = {}
        self._variables: tuple[Layout, dict[str, int]] | None = None

    def of(self, state: State, successors: Sequence[Successor]) -> Following:
        """The successors of a state. Raises `GiveUp` for other layouts, and for references to shared containers."""
        layout, width = state.layout, len(state.values)
        if self._has_roles and len(successors) > _MOST_SIDES:
            raise GiveUp
        values = list(state.values)
        for side, one in enumerate(successors, 1):
            if one.state.layout is not layout:
                raise GiveUp
            own = one.state.values
            values += map(self._sides.by(side).__getitem__, own) if self._has_roles else own
        held = tuple(values)
        index, names = self._index(layout), self._names_of
        return Following(
            state,
            held,
            [
                FieldsOnly({**names(one), "state": FieldsOnly(_StateFields(held, side * width, index, self._nodes))})
                for side, one in enumerate(successors, 1)
            ],
        )

    def _index(self, layout: Layout) -> dict[str, int]:
        """The positions of the state variables."""
        if self._variables is None or self._variables[0] is not layout:
            found = {str(slot[1]): position for slot, position in layout.index.items() if slot[0] == "heap"}
            self._variables = layout, found
        return self._variables[1]

    def _names_of(self, successor: Successor) -> dict[str, Any]:
        """All fields but the state."""
        key = successor[:3]
        known = self._names.get(key)
        if known is None:
            interner = self._nodes.interner
            fields = fields_of(successor).items()
            known = self._names[key] = {name: self._nodes[freeze(value, interner)] for name, value in fields}
        return known


def comparing(names: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """The comparisons of rules that ask for successors: those of other rules ask no value of another kind."""

    def refusing(operation: Callable[..., Any]) -> Callable[..., Any]:
        def operate(*values: Any) -> Any:
            for value in values:
                if type(value) is FieldsOnly or (type(value) is list and any(type(one) is FieldsOnly for one in value)):
                    raise GiveUp
            return operation(*values)

        return operate

    return {one: refusing(names[one]) for one in ("eq", "ne", "same_list", "position_of", "occurrences")}
