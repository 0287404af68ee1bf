"""`World`: the runtime values of one execution path. It reads each slot of the view once and computes the writes.

Containers are thawed when their slot is first read and are then plain mutable objects of this world alone. At the end
all values that were read or bound are frozen again: a slot whose value differs is a write. A container that is
referenced twice gets a cell (language page, 5.6: aliasing is part of identity).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, Final, Protocol

from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from interpreter.execute.reach import changed, reachable
from interpreter.execute.settlement import Settlement
from interpreter.state.state import MISSING, UNBOUND, Slot, State, slot_order
from interpreter.values import (
    BagValue,
    Channel,
    DictValue,
    GenericMap,
    GenericSet,
    Instance,
    ListValue,
    ModelValue,
    RecordValue,
    SetValue,
    SymmetricValue,
)
from interpreter.values.budget import METER
from interpreter.values.folding import AskedFold
from interpreter.values.freeze import thaw
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake

if TYPE_CHECKING:
    from interpreter.execute.code import Code
    from interpreter.execute.frames import Frame


_INSTANCE: Final = 8
"""The elements charged for a role instance besides its params."""


class Reader(Protocol):
    """The source of a world's values."""

    def read(self, slot: Slot) -> int:
        """The id in a slot."""

    def whole(self) -> State:
        """The state itself."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message sent in this step: a func of a role instance to be run with these arguments."""

    channel: Channel
    receiver: Instance
    function: str
    arguments: dict[str, object]


_UNREAD: Final = object()


class World:
    """The memory of one execution path over a recorder of reads. `sent` collects messages, `created` new instances.

    `slots` holds the present values of the slots read or bound, `originals` the answers to the reads, `written` the
    slots bound.
    """

    __slots__ = (
        "interner", "recorder", "code", "created", "sent", "frames", "subject", "drawn",
        "slots", "originals", "written", "cells", "_numbers", "_kept",
    )  # fmt: skip

    def __init__(self, interner: Interner, recorder: Reader, code: Code) -> None:
        self.interner = interner
        self.recorder = recorder
        self.code = code
        self.frames: Sequence[Frame] = ()
        self.subject = -1
        self.drawn: set[tuple[str, int | Fraction]] = set()
        self.slots: dict[Slot, object] = {}
        self.originals: dict[Slot, int] = {}
        self.written: set[Slot] = set()
        self.cells: dict[int, object] = {}
        self._kept: dict[Slot, object] | None = None
        self._numbers: dict[str, Iterator[int]] = {}
        self.created: list[Instance] = []
        self.sent: list[Message] = []

    def beside(self, reader: Reader) -> World:
        """A new world of the same code, over another reader."""
        return World(self.interner, reader, self.code)

    def answers(self, values: object) -> bool:
        """Whether `folded` may give the value of a fold over what belongs to no state."""
        return False

    def folded(self, values: object, fold: AskedFold, canonical: bool) -> tuple[object] | None:
        """The value of such a fold; None: it is to be computed as it is written.

        `canonical`: sets are gone through in canonical order, not in that of the step.
        """
        return None

    # --- reading and writing ---------------------------------------------------------------------------------------

    def get(self, slot: Slot) -> object:
        """The value in a slot, MISSING if there is none."""
        if slot in self.slots:
            return self.slots[slot]
        value = self.slots[slot] = self.read(slot)
        return value

    def read(self, slot: Slot) -> object:
        """The value in a slot of the state."""
        number = self.originals[slot] = self.recorder.read(slot)
        return MISSING if number == UNBOUND else self.thaw(number)

    def bind(self, slot: Slot, value: object) -> None:
        """Bind a slot to a value (MISSING removes it)."""
        if self._kept is not None and slot not in self._kept:
            self._kept[slot] = self.slots.get(slot, _UNREAD)
        self.slots[slot] = value
        self.written.add(slot)

    def keep_first_values(self) -> None:
        """Keep what slots are bound to when they are bound anew, for `first`."""
        self._kept = {}

    def first(self, slot: Slot) -> object:
        """The value that a slot had at first, if first values are kept; else that which it has now."""
        if self._kept is None or slot not in self._kept:
            return self.get(slot)
        if self._kept[slot] is _UNREAD:
            self._kept[slot] = self.read(slot)
        return self._kept[slot]

    def ask(self, slot: Slot) -> int:
        """The answer to a derived slot, as an id."""
        return self.recorder.read(slot)

    def thaw(self, number: int) -> object:
        """A fresh runtime value of an id; aliases of one cell become one object."""
        return thaw(number, self.interner, self, self.cell, self.code.domains.host)

    def cell(self, k: int) -> object:
        """The container of a cell."""
        if k not in self.cells:
            number = self.recorder.read(("cell", k))
            # An empty container is registered before its members are thawed: a cell may contain itself.
            shell = _empty(self.interner.tag(number))
            self.cells[k] = shell
            _fill(shell, self.thaw(number))
            self.originals[("cell", k)] = number
        return self.cells[k]

    def forget(self) -> None:
        """Drops the values read; they will be read again."""
        self.slots.clear()
        self.originals.clear()

    def saved(self) -> tuple[Any, ...]:
        """Its state except for the contents of containers, to be restored."""
        return (
            self.slots.copy(), self.originals.copy(), self.written.copy(), self.cells.copy(), self.created.copy(),
            self.sent.copy(), self.drawn.copy(),
        )  # fmt: skip

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Restores what `saved` returned."""
        slots, originals, written, cells, created, sent, drawn = saved
        self.slots, self.originals, self.written = slots.copy(), originals.copy(), written.copy()
        self.cells, self.created, self.sent = cells.copy(), created.copy(), sent.copy()
        # No number became free: the least unused ones are still the same.
        self._numbers.clear()
        self.drawn = drawn.copy()

    def end(self) -> None:
        """Drops all values: they refer to their world, and Python frees reference cycles late."""
        self.forget()
        self.frames = ()
        self.cells.clear()
        self.created.clear()
        self.sent.clear()

    # --- the end ---------------------------------------------------------------------------------------------------

    def settlement(self, extra: list[object]) -> Settlement:
        """The containers shared by now. `extra`: values that are not in slots but in the thread or in messages."""
        return Settlement(self.interner, self.cells, [*self.slots.values(), *extra], self._cells_before)

    def _cells_before(self) -> int:
        """The number of cells of the state."""
        return int(self.interner.payload(self.ask(("cells",))))

    def writes(self, settlement: Settlement) -> tuple[tuple[Slot, int], ...]:
        """The writes: slots whose value differs from the value read."""
        writes: list[tuple[Slot, int]] = []
        for slot, value in self.slots.items():
            writes += self.writes_at(slot, value, settlement)
        for k, container in settlement.cells():
            number = settlement.freeze_content(container)
            if number != self.originals.get(("cell", k), UNBOUND):
                writes.append((("cell", k), number))
        return tuple(writes)

    def writes_at(self, slot: Slot, value: object, settlement: Settlement) -> Sequence[tuple[Slot, int]]:
        """The write of a slot that has this value now, if it is one."""
        if slot not in self.written and not settlement.sharing and not changed(value):
            return ()
        number = UNBOUND if value is MISSING else settlement.freeze(value)
        # A slot that was bound without having been read is a write even if its value is the same.
        return () if number == self.originals.get(slot, UNBOUND) and slot in self.originals else ((slot, number),)

    # --- role instances --------------------------------------------------------------------------------------------

    def instance(self, identity: tuple[str, int]) -> Instance:
        """A reference to an instance in this world."""
        return Instance(self, *identity)

    def get_attribute(self, instance: Instance, name: str) -> object:
        """`__id__`, a field, param, `def` method or constant of an instance; R11 for funcs, R3 for other names."""
        if name == "__id__":
            return ModelValue(instance.role, instance.number)
        for kind in ("field", "param"):
            value = self.get((kind, instance.role, instance.number, name))
            if value is not MISSING:
                return value
        role = self.code.roles[instance.role]
        if name in role.helpers:
            return self.code.method(instance, name)
        constant = self.code.role_constant(instance.role, name)
        if constant is not MISSING:
            return constant
        if name in role.program.functions:
            text = f"func '{name}' of role {instance.role} is called in an expression"
            raise ModelMistake("R11", text, "assign its result to a variable first")
        known = [*self.attribute_names(instance), *role.helpers, *role.program.functions]
        raise ModelMistake("R3", f"{instance!r} has no attribute '{name}'", near_hint(name, known))

    def set_attribute(self, instance: Instance, name: str, value: object) -> None:
        """Bind a field of an instance; R10 for a param."""
        if name.startswith("__"):
            raise ModelMistake("R10", f"'{name}' of {instance!r} can not be changed")
        if self.code.role_constant(instance.role, name) is not MISSING:
            raise ModelMistake("R10", f"'{name}' is a constant of role {instance.role} and can not be changed")
        role = self.code.roles[instance.role].program
        is_param = role.params is None or name in role.params
        if is_param and self.get(("param", instance.role, instance.number, name)) is not MISSING:
            raise ModelMistake("R10", f"'{name}' is a param of {instance!r} and can not be changed")
        self.bind(("field", instance.role, instance.number, name), value)

    def attribute_names(self, instance: Instance) -> list[str]:
        """The names of the fields and params of an instance, sorted."""
        number = self.ask(("names", instance.role, instance.number))
        names = {str(self.interner.payload(child)) for child in self.interner.children(number)}
        made: Slot = ("role", instance.role, instance.number)
        since_it_was_made = takewhile(lambda one: one[0] != made, reversed(self.slots.items()))
        for slot, value in since_it_was_made if made in self.written else self.slots.items():
            if slot[0] in ("field", "param") and slot[1:3] == (instance.role, instance.number):
                (names.discard if value is MISSING else names.add)(str(slot[3]))
        return sorted(names)

    def live(self, role: str) -> tuple[int, ...]:
        """Numbers of the live instances of a role: in the state, or created in this step."""
        numbers = self.interner.children(self.ask(("live", role)))
        before = tuple(int(self.interner.payload(number)) for number in numbers)
        return before + tuple(i.number for i in self.created if i.role == role)

    def create(self, role: str, params: dict[str, object]) -> Instance:
        """A new instance with the smallest free number; the caller runs its Init."""
        numbers = self._numbers.get(role)
        if numbers is None:
            # No number becomes free within a step.
            used = frozenset(self.live(role))
            numbers = self._numbers[role] = (n for n in count() if n not in used)
        number = next(numbers)
        METER.make(_INSTANCE + len(params))
        instance = Instance(self, role, number)
        self.created.append(instance)
        self.bind(("role", role, number), True)
        for name, value in params.items():
            if name.startswith("__") or not name.isidentifier():
                raise ModelMistake("R4", f"{role}(): {name!r} can not be the name of a param")
            self.bind(("param", role, number, name), value)
        return instance

    # --- symmetric values ------------------------------------------------------------------------------------------

    def used(self, domain: str) -> set[int | Fraction]:
        """The indices of a domain that are in use now (language page, 11.2).

        Slots that this path has read count with their present values; all other slots are one read of the view.
        """
        seen = sorted([*self.slots, *(("cell", k) for k in self.cells)], key=slot_order)
        number = self.ask(("used", domain, self.subject, tuple(seen)))
        found = {self.interner.payload(child)[1] for child in self.interner.children(number)}
        found |= {index for name, index in self.drawn if name == domain}
        roots: list[object] = [*self.slots.values(), *self.cells.values()]
        for frame in self.frames:
            roots += frame.values()
        for message in self.sent:
            roots += message.arguments.values()
        for value in reachable(roots):
            if isinstance(value, SymmetricValue) and value.domain == domain:
                found.add(value.index)
        return found


_EMPTY: dict[Tag, Callable[[], object]] = {
    Tag.LIST: lambda: ListValue([]),
    Tag.DICT: lambda: DictValue({}),
    Tag.SET: lambda: SetValue({}),
    Tag.RECORD: lambda: RecordValue({}),
    Tag.GENERICSET: lambda: GenericSet([]),
    Tag.GENERICMAP: lambda: GenericMap([]),
    Tag.BAG: lambda: BagValue([]),
}


def _empty(tag: Tag) -> object:
    return _EMPTY[tag]()


def _fill(shell: object, full: object) -> None:
    """Gives an empty container the content of another one of its type."""
    for name in ("items", "entries", "fields", "pairs"):
        if hasattr(full, name):
            setattr(shell, name, getattr(full, name))
