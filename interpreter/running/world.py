"""`World`: the thawed memory of one way through a step. It asks the view once per slot and settles what was changed.

Containers are thawed when their slot is first read and are then plain mutable objects of this world alone. At the end
everything that was loaded or written is frozen again: a slot whose value differs is a write. A container that is found
in two places gets a cell (language page, 5.6: aliasing is part of identity).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, repeat
from typing import TYPE_CHECKING, Final, Protocol

from interpreter.problem import Problem, near_hint
from interpreter.state import UNBOUND, Slot, State, slot_order
from interpreter.values import (
    BagValue,
    Channel,
    Container,
    DictValue,
    FunctionValue,
    GenericMap,
    GenericSet,
    Instance,
    ListValue,
    ModelValue,
    ModuleValue,
    RecordValue,
    SetValue,
    StructValue,
    SymmetricValue,
)
from interpreter.values.freeze import freeze, thaw
from interpreter.values.intern import Interner, Tag

if TYPE_CHECKING:
    from interpreter.running.code import Code
    from interpreter.running.frames import Frame


class Reader(Protocol):
    """What a world asks."""

    def read(self, slot: Slot) -> int:
        """The id in a slot."""

    def whole(self) -> State:
        """The state itself."""


class Missing:
    """The value of a slot that does not exist."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


@dataclass(frozen=True, slots=True)
class Message:
    """A message sent in this step: a func of a role instance to be run with these arguments."""

    channel: Channel
    receiver: Instance
    function: str
    arguments: dict[str, object]


class World:
    """One way's memory over a recorder of reads. `sent` collects messages, `created` new instances."""

    __slots__ = (
        "interner", "recorder", "code", "meter", "created", "sent", "frames", "subject", "drawn",
        "_numbers", "_slots", "_originals", "_written", "_cells",
    )  # fmt: skip

    def __init__(self, interner: Interner, recorder: Reader, code: Code) -> None:
        self.interner = interner
        self.recorder = recorder
        self.code = code
        self.meter = code.meter
        self.frames: Sequence[Frame] = ()
        self.subject = -1
        self.drawn: set[tuple[str, int | Fraction]] = set()
        self._slots: dict[Slot, object] = {}
        self._originals: dict[Slot, int] = {}
        self._written: set[Slot] = set()
        self._cells: dict[int, object] = {}
        self._numbers: dict[str, Iterator[int]] = {}
        self.created: list[Instance] = []
        self.sent: list[Message] = []

    # --- reading and writing ---------------------------------------------------------------------------------------

    def get(self, slot: Slot) -> object:
        """The value in a slot, MISSING if there is none."""
        if slot in self._slots:
            return self._slots[slot]
        number = self.recorder.read(slot)
        value = MISSING if number == UNBOUND else self.thaw(number)
        self._slots[slot] = value
        self._originals[slot] = number
        return value

    def bind(self, slot: Slot, value: object) -> None:
        """Bind a slot to a value (MISSING removes it)."""
        self._slots[slot] = value
        self._written.add(slot)

    def ask(self, slot: Slot) -> int:
        """The answer to a derived slot, as an id."""
        return self.recorder.read(slot)

    def thaw(self, number: int) -> object:
        """A fresh runtime value of an id; aliases of one cell become one object."""
        return thaw(number, self.interner, self, self._cell, self.code.domains.host)

    def _cell(self, k: int) -> object:
        if k not in self._cells:
            number = self.recorder.read(("cell", k))
            # The shell stands in for the container while its members are thawed: a cell may contain itself.
            shell = _empty(self.interner.tag(number))
            self._cells[k] = shell
            _fill(shell, self.thaw(number))
            self._originals[("cell", k)] = number
        return self._cells[k]

    def untouched(self) -> bool:
        """Whether nothing was changed yet: no slot bound, no container changed in place, nothing created or sent."""
        if self._written or self._cells or self.created or self.sent or self.drawn:
            return False
        met: set[int] = set()
        for slot, value in self._slots.items():
            original = self._originals[slot]
            if original == UNBOUND or not self.interner.mutable(original):
                continue
            if freeze(value, self.interner) != original or not self._as_thawed(value, self.thaw(original), met):
                return False
        return True

    def _as_thawed(self, value: object, fresh: object, met: set[int]) -> bool:
        """Whether a value also has the order, and the absence of sharing, of one that was just thawed from its id."""
        if isinstance(value, Container):
            if value.frozen or id(value) in met:
                return False
            met.add(id(value))
        elif not isinstance(value, tuple | StructValue):
            return freeze(value, self.interner) == freeze(fresh, self.interner)
        ours, theirs = list(members(value)), list(members(fresh))
        return len(ours) == len(theirs) and all(map(self._as_thawed, ours, theirs, repeat(met)))

    def forget(self) -> None:
        """Drop what was read; it will be asked for again."""
        self._slots.clear()
        self._originals.clear()

    # --- role instances --------------------------------------------------------------------------------------------

    def instance(self, identity: tuple[str, int]) -> Instance:
        """A reference to an instance in this world."""
        return Instance(self, *identity)

    def get_attribute(self, instance: Instance, name: str) -> object:
        """`__id__`, a field, a param or a `def` method of an instance; R11 for funcs, R3 for anything else."""
        if name == "__id__":
            return ModelValue(instance.role, instance.number)
        for kind in ("field", "param"):
            value = self.get((kind, instance.role, instance.number, name))
            if value is not MISSING:
                return value
        role = self.code.roles[instance.role]
        if name in role.helpers:
            return self.code.method(instance, name)
        if name in role.program.functions:
            text = f"func '{name}' of role {instance.role} is called in an expression"
            raise Problem("R11", text, "assign its result to a variable first")
        known = [*self.attribute_names(instance), *role.helpers, *role.program.functions]
        raise Problem("R3", f"{instance!r} has no attribute '{name}'", near_hint(name, known))

    def set_attribute(self, instance: Instance, name: str, value: object) -> None:
        """Bind a field of an instance; R10 for a param."""
        if name.startswith("__"):
            raise Problem("R10", f"'{name}' of {instance!r} can not be changed")
        role = self.code.roles[instance.role].program
        is_param = role.params is None or name in role.params
        if is_param and self.get(("param", instance.role, instance.number, name)) is not MISSING:
            raise Problem("R10", f"'{name}' is a param of {instance!r} and can not be changed")
        self.bind(("field", instance.role, instance.number, name), value)

    def attribute_names(self, instance: Instance) -> list[str]:
        """The names of the fields and params of an instance, sorted."""
        number = self.ask(("names", instance.role, instance.number))
        names = {str(self.interner.payload(child)) for child in self.interner.children(number)}
        for slot, value in self._slots.items():
            if slot[0] in ("field", "param") and slot[1:3] == (instance.role, instance.number):
                (names.discard if value is MISSING else names.add)(str(slot[3]))
        return sorted(names)

    def live(self, role: str) -> tuple[int, ...]:
        """Numbers of the live instances of a role: in the state, or created in this step."""
        numbers = self.interner.children(self.ask(("live", role)))
        before = tuple(int(self.interner.payload(number)) for number in numbers)
        return before + tuple(i.number for i in self.created if i.role == role)

    def create(self, role: str, params: dict[str, object]) -> Instance:
        """A new instance with the smallest free number; its Init is the caller's business."""
        numbers = self._numbers.get(role)
        if numbers is None:
            # No number becomes free within a step.
            used = frozenset(self.live(role))
            numbers = self._numbers[role] = (n for n in count() if n not in used)
        number = next(numbers)
        instance = Instance(self, role, number)
        self.created.append(instance)
        self.bind(("role", role, number), True)
        for name, value in params.items():
            if name.startswith("__") or not name.isidentifier():
                raise Problem("R4", f"{role}(): {name!r} can not be the name of a param")
            self.bind(("param", role, number, name), value)
        return instance

    # --- symmetric values ------------------------------------------------------------------------------------------

    def used(self, domain: str) -> set[int | Fraction]:
        """The indices of a domain that are in use now (language page, 11.2).

        Slots that this way has seen count as they are now; what all others hold is one question to the view.
        """
        seen = sorted([*self._slots, *(("cell", k) for k in self._cells)], key=slot_order)
        number = self.ask(("used", domain, self.subject, tuple(seen)))
        found = {self.interner.payload(child)[1] for child in self.interner.children(number)}
        found |= {index for name, index in self.drawn if name == domain}
        pending: list[object] = [*self._slots.values(), *self._cells.values()]
        for frame in self.frames:
            pending += frame.values()
        for message in self.sent:
            pending += message.arguments.values()
        met: set[int] = set()
        while pending:
            value = pending.pop()
            if isinstance(value, SymmetricValue):
                if value.domain == domain:
                    found.add(value.index)
            elif id(value) not in met:
                met.add(id(value))
                pending += members(value)
        return found

    # --- the end of the step ---------------------------------------------------------------------------------------

    def settle(self, threads: Iterable[object]) -> Settlement:
        """Freeze all that was loaded or written; `threads` are the values that the parked thread holds."""
        sent = [argument for message in self.sent for argument in message.arguments.values()]
        return Settlement(self, [*threads, *sent])

    def loaded(self) -> Iterator[tuple[Slot, object]]:
        """The slots in the order in which they were met, with their present values."""
        return iter(self._slots.items())

    def changes(self, settlement: Settlement) -> tuple[tuple[Slot, int], ...]:
        """The writes: slots whose frozen value differs from what was read."""
        writes: list[tuple[Slot, int]] = []
        for slot, value in self._slots.items():
            original = self._originals.get(slot, UNBOUND)
            if slot not in self._written and (original == UNBOUND or not self.interner.mutable(original)):
                continue
            number = UNBOUND if value is MISSING else settlement.freeze(value)
            # A slot that was written without having been read is a write whatever it held.
            if number != original or slot not in self._originals:
                writes.append((slot, number))
        for k, container in settlement.cells():
            number = settlement.freeze_content(container)
            if number != self._originals.get(("cell", k), UNBOUND):
                writes.append((("cell", k), number))
        return tuple(writes)

    def known_cells(self) -> dict[int, object]:
        """The cells of the state that this way has seen, by number."""
        return self._cells


class Plain:
    """Freezes values that share nothing."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner

    def freeze(self, value: object) -> int:
        return freeze(value, self._interner)


def immutable(value: object) -> bool:
    """Whether nothing inside a value can change, and it can be written down."""
    if isinstance(value, Container | FunctionValue | ModuleValue):
        return False
    return all(immutable(member) for member in members(value))


class Settlement:
    """Which containers are shared at the end of a step, and the ids of values in that light."""

    def __init__(self, world: World, extra: list[object]) -> None:
        self._interner = world.interner
        self._by_object: dict[int, int] = {}
        self._containers: dict[int, object] = {}
        for k, container in world.known_cells().items():
            self._by_object[id(container)] = k
            self._containers[k] = container
        reached: set[int] = set()
        fresh: list[object] = []
        for _, value in world.loaded():
            self._reach(value, reached, fresh)
        for value in extra:
            self._reach(value, reached, fresh)
        for container in list(self._containers.values()):
            for member in members(container):
                self._reach(member, reached, fresh)
        if fresh:
            first = int(self._interner.payload(world.ask(("cells",))))
            for container in fresh:
                self._by_object[id(container)] = first
                self._containers[first] = container
                first += 1

    def _reach(self, value: object, reached: set[int], fresh: list[object]) -> None:
        if isinstance(value, Container):
            if value.frozen or id(value) in self._by_object:
                return
            if id(value) in reached:
                if not any(value is container for container in fresh):
                    fresh.append(value)
                return
            reached.add(id(value))
        elif not isinstance(value, tuple | StructValue):
            return
        for member in members(value):
            self._reach(member, reached, fresh)

    def cells(self) -> Iterator[tuple[int, object]]:
        return iter(self._containers.items())

    def freeze(self, value: object) -> int:
        """The id of a value, with references in place of shared containers."""
        return freeze(value, self._interner, self._reference)

    def freeze_content(self, container: object) -> int:
        """The id of what a shared container holds."""
        inside = False

        def reference(inner: object) -> int | None:
            # The container itself is asked about first; met again inside, it is a reference like any other.
            nonlocal inside
            if not inside:
                inside = True
                return None
            return self._reference(inner)

        return freeze(container, self._interner, reference)

    def _reference(self, container: object) -> int | None:
        k = self._by_object.get(id(container))
        return None if k is None else self._interner.intern(Tag.REF, (k,))


def members(value: object) -> Iterable[object]:
    """The values directly inside a value."""
    if isinstance(value, Container):
        return value.members()
    if isinstance(value, StructValue):
        return value.fields.values()
    return value if isinstance(value, tuple) else ()


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
    """Give an empty container the content of another one of its type."""
    for name in ("items", "entries", "fields", "pairs"):
        if hasattr(full, name):
            setattr(shell, name, getattr(full, name))
