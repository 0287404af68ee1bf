"""`State`: a value. Slots hold ids of interned values; a layout is a set of slots.

A slot names a piece of state:

    ("heap", x)           a state variable
    ("role", R, n)        the instance R#n lives (its value is True)
    ("param", R, n, x)    a param, ("field", R, n, x) a field, ("reset", R, n, x) a reset value of R#n
    ("count", K)          the counter of a limited action; at 0 it adds nothing to the identity
    ("returns",)          returns of the step that made the state, if the model reads them
    ("cell", k)           a container that is referenced more than once; the references hold the number k

States hold whole values. An observer that caches what steps read may ask for parts, by slots with more elements.

Derived slots may be read by a step and are never stored: ("live", R), the numbers in use, ("names", R, n), the names of
an instance's fields, ("cells",), the number of cells, ("used", D, …), the values of a domain in use in other slots, and
("state",), which is different for all states.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

Slot = tuple[Any, ...]

UNBOUND = -1
"""The answer to a read of a slot that does not exist; written, it removes the slot."""


class Missing:
    """The value of a slot that does not exist, while a step runs."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()

KINDS = ("heap", "role", "param", "field", "reset", "count", "returns", "cell")
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


def slot_order(slot: Slot) -> tuple[object, ...]:
    """Sort key: heap variables by name, then instances by (name, number) with their slots, then the rest."""
    kind = slot[0]
    if kind in ("role", "param", "field", "reset"):
        return (1, slot[1], slot[2], _RANK[str(kind)], slot[3:])
    return (0 if kind == "heap" else 1 + _RANK[str(kind)], *slot[1:])


@lru_cache(1 << 16)
def slot_text(slot: Slot) -> str:
    """The path of a slot or part (its place in language 5.6.1): `x[0]`, `Node#0.votes`, `Node#0/LIMIT`, `count K`."""
    match slot:
        case ("heap", name, *steps):
            return str(name) + "".join(steps)
        case ("role", role, number):
            return f"{role}#{number}"
        case ("field", role, number, name, *steps):
            return f"{role}#{number}.{name}" + "".join(steps)
        case ("param", role, number, name, *steps):
            return f"{role}#{number}/{name}" + "".join(steps)
        case ("reset", role, number, name):
            return f"{role}#{number}!{name}"
        case ("count", key):
            return f"count {key}"
    return " ".join(str(part) for part in slot)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A set of slots in canonical order. One object per set in a process (see `Layouts`), so `is` compares layouts."""

    slots: tuple[Slot, ...]
    index: dict[Slot, int]
    live: dict[str, tuple[int, ...]]
    owned: dict[tuple[str, int], tuple[int, ...]]
    """The positions of the slots of each live instance, by role name and number."""
    roots: tuple[int, ...]
    """The positions from which instances and cells are reached: state variables and returns."""
    cells: tuple[int, ...]
    """The positions of the cells, by number."""

    def names(self, kind: str, role: str, number: int) -> tuple[str, ...]:
        """The names of an instance's fields, params or reset values, sorted."""
        return tuple(str(self.slots[i][3]) for i in self.owned.get((role, number), ()) if self.slots[i][0] == kind)


def counted_instance(slot: Slot) -> tuple[str, str, int, str] | None:
    """Of a counter of an instance's action: what is before the role, the role, the number, and the action."""
    if slot[0] != "count" or "#" not in slot[1]:
        return None
    head, _, rest = slot[1].partition("#")
    prefix, _, role = head.rpartition(" ")
    number, _, action = rest.partition(".")
    return (prefix, role, int(number), action) if number.isdigit() else None


@dataclass(slots=True)
class Layouts:
    """The layouts known in this process."""

    known: dict[tuple[Slot, ...], Layout] = field(default_factory=dict)

    def of(self, slots: Iterable[Slot]) -> Layout:
        """The layout of these slots, given in any order."""
        return self.ordered(tuple(sorted(slots, key=slot_order)))

    def ordered(self, slots: tuple[Slot, ...]) -> Layout:
        """The layout of slots given in canonical order."""
        layout = self.known.get(slots)
        if layout is None:
            layout = self.known[slots] = _layout(slots)
        return layout


def _layout(slots: tuple[Slot, ...]) -> Layout:
    owned: dict[tuple[str, int], list[int]] = {}
    live: dict[str, list[int]] = {}
    roots: list[int] = []
    cells: list[int] = []
    for position, slot in enumerate(slots):
        if slot[0] in ("role", "param", "field", "reset"):
            owned.setdefault((str(slot[1]), int(slot[2])), []).append(position)
            if slot[0] == "role":
                live.setdefault(str(slot[1]), []).append(int(slot[2]))
        elif slot[0] == "cell":
            cells.append(position)
        elif slot[0] != "count":
            roots.append(position)
    return Layout(
        slots,
        {slot: i for i, slot in enumerate(slots)},
        {role: tuple(numbers) for role, numbers in live.items()},
        {instance: tuple(positions) for instance, positions in owned.items()},
        tuple(roots),
        tuple(cells),
    )


class State:
    """A state, in which every thread is at a yield point. Immutable; equal iff the encodings (language 5.6) are equal.

    `values` holds one id per slot of the layout; `threads` and `messages` are ids in canonical order. The ids belong to
    the machine that made the state.
    """

    __slots__ = ("layout", "values", "threads", "messages", "_hash")

    def __init__(
        self, layout: Layout, values: tuple[int, ...], threads: tuple[int, ...] = (), messages: tuple[int, ...] = ()
    ) -> None:
        self.layout = layout
        self.values = values
        self.threads = threads
        self.messages = messages
        self._hash = hash((id(layout), values, threads, messages))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        # Tuples are compared element by element even with themselves, and may have a hundred thousand.
        return self is other or (
            isinstance(other, State)
            and self.layout is other.layout
            and self.values == other.values
            and self.threads == other.threads
            and self.messages == other.messages
        )

    def get(self, slot: Slot) -> int:
        """The id in a slot, UNBOUND if there is no such slot."""
        position = self.layout.index.get(slot)
        return UNBOUND if position is None else self.values[position]

    def as_dict(self) -> dict[Slot, int]:
        return dict(zip(self.layout.slots, self.values, strict=True))
