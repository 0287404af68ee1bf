"""The end of a way: which containers are shared by then, what was changed, and the ids of it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Protocol

from interpreter.execute.reach import changeable, members, reachable
from interpreter.state.division import MOST_MEMBERS, WHOLE, gone, list_head
from interpreter.state.state import MISSING, UNBOUND, Slot
from interpreter.values import Container, SetValue, StructValue
from interpreter.values.container import Parted
from interpreter.values.freeze import freeze
from interpreter.values.intern import Tag
from interpreter.values.pending import ContainerShape, PendingSet
from interpreter.values.problem import MAX_DEPTH, too_deep

if TYPE_CHECKING:
    from interpreter.execute.world import World

FEW_SHARED: Final = 4
"""So few shared containers can not nest deeper than anybody can follow: what is inside each is nested within limits."""


class Freezes(Protocol):
    """Something that knows the ids of values."""

    def freeze(self, value: object) -> int:
        """The id of a value."""


class Settlement:
    """Which containers are shared at the end of a step, and the ids of values in that light.

    `extra`: values that are held elsewhere: by the parked thread, by messages.
    """

    def __init__(self, world: World, extra: list[object]) -> None:
        self._interner = world.interner
        self._by_object: dict[int, int] = {}
        self._containers: dict[int, object] = {}
        for k, container in world.cells.items():
            self._by_object[id(container)] = k
            self._containers[k] = container
        self._reached: set[int] = set()
        self._shared: dict[int, object] = {}
        self._meetings: Counter[int] = Counter()
        self._reach([*world.slots.values(), *extra])
        if len(self._by_object) > FEW_SHARED:
            _check_depth([*world.slots.values(), *extra])
        for container in list(self._containers.values()):
            self._reach(members(container))
        if self._shared:
            first = int(self._interner.payload(world.ask(("cells",))))
            for k, container in enumerate(self._shared.values(), first):
                self._by_object[id(container)] = k
                self._containers[k] = container

    def _reach(self, values: Iterable[object]) -> None:
        """Note the containers in these values, and those that were reached before."""
        pending = list(values)
        while pending:
            value = pending.pop()
            if isinstance(value, Container):
                if value.frozen or id(value) in self._by_object:
                    continue
                if id(value) in self._reached:
                    self._shared[id(value)] = value
                    continue
                self._reached.add(id(value))
                if isinstance(value, SetValue):
                    continue  # nothing that can change is in a set
            elif isinstance(value, (tuple, StructValue)):
                # Met a second time, the containers in it are shared. A third look would find nothing more.
                self._meetings[id(value)] += 1
                if self._meetings[id(value)] > 2:
                    continue
            else:
                continue
            pending += members(value)

    def cells(self) -> Iterator[tuple[int, object]]:
        return iter(self._containers.items())

    def reaches(self, container: object) -> bool:
        """Whether a container is part of what is left at the end of the step."""
        return id(container) in self._reached

    @property
    def sharing(self) -> bool:
        """Whether anything is shared."""
        return bool(self._by_object)

    def shared(self, container: object) -> bool:
        """Whether a container is reached from two places."""
        return id(container) in self._by_object

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


def _check_depth(values: list[object]) -> None:
    """R24 if containers that are shared are nested too deeply: each alone may be shallow."""
    pending = [(value, 0) for value in values]
    met: set[int] = set()
    while pending:
        value, depth = pending.pop()
        if not isinstance(value, (Container, tuple, StructValue)) or id(value) in met:
            continue
        met.add(id(value))
        if depth > MAX_DEPTH:
            raise too_deep()
        pending += [(member, depth + 1) for member in members(value)]


def writes_of(world: World, settlement: Settlement) -> tuple[tuple[Slot, int], ...]:
    """What a way writes: slots, or parts of slots, whose value differs from what was read."""
    writes: list[tuple[Slot, int]] = []
    for slot, value in world.slots.items():
        if _opened_at(slot, value, world) is not None:
            parts = _part_writes(slot, world, settlement)
            # What is shared has no slots of its own: then all of it is written.
            writes += [(slot, settlement.freeze(value))] if parts is None else parts
            continue
        original = world.originals.get(slot, UNBOUND)
        if slot not in world.written and not settlement.sharing and not changed(value):
            continue
        number = UNBOUND if value is MISSING else settlement.freeze(value)
        # A slot that was written without having been read is a write whatever it held.
        if number != original or slot not in world.originals:
            writes.append((slot, number))
    for k, container in settlement.cells():
        number = settlement.freeze_content(container)
        if number != world.originals.get(("cell", k), UNBOUND):
            writes.append((("cell", k), number))
    return tuple(writes)


def _opened_at(slot: Slot, value: object, world: World) -> ContainerShape | None:
    """The shape of the container that was opened in a slot, if it is there still."""
    opened = world.opened.get(slot)
    return opened[1] if opened is not None and opened[0] is value else None


def _met(container: Parted, shape: ContainerShape) -> list[tuple[str, object]] | None:
    """The members that were looked at or replaced, with the steps to them; None if the shape has changed."""
    return container.by_step(shape) if container.pending is None else list(container.pending.met())


def _part_writes(slot: Slot, world: World, settlement: Settlement) -> list[tuple[Slot, int]] | None:
    """What was written in an opened container; None if something in it is shared now."""
    container, shape = world.opened[slot]
    if settlement.shared(container):
        return None
    if shape.whole:
        return _writes_inside(slot, world, settlement)
    found = _met(container, shape)
    if found is None or container.size() > MOST_MEMBERS:
        number = settlement.freeze(container)
        return None if world.interner.references(number) else [(slot, number)]
    writes: list[tuple[Slot, int]] = []
    if container.pending is not None and container.pending.more:
        writes.append((slot, list_head(world.interner, container.size())))
    for step, member in found:
        part = (*slot, step)
        if _opened_at(part, member, world) is not None:
            inner = _part_writes(part, world, settlement)
            if inner is None:
                return None
            writes += inner
            continue
        if not (container.changed or settlement.sharing or changed(member)):
            continue
        number = settlement.freeze(member)
        if world.interner.references(number):
            return None
        if number != world.originals.get(part, UNBOUND):
            writes.append((part, number))
    return writes


def _writes_inside(slot: Slot, world: World, settlement: Settlement) -> list[tuple[Slot, int]] | None:
    """What was written in an opened container that is stored whole; None if something in it is shared now."""
    container, _ = world.opened[slot]
    interner = world.interner
    if not (settlement.sharing or changed(container)):
        return []
    if isinstance(container.pending, PendingSet):
        changes = container.pending.changes.values()
        return [
            ((*slot, step), settlement.freeze(item) if there else gone(interner))
            for step, item, there in changes
            if there is not _held(world, (*slot, step))
        ]
    if container.pending is None or container.size() > MOST_MEMBERS:
        written = [(slot, settlement.freeze(container), world.originals.get((*slot, WHOLE), UNBOUND))]
    else:
        met = [((*slot, step), settlement.freeze(member)) for step, member in container.pending.met()]
        written = [(part, number, world.originals.get(part, UNBOUND)) for part, number in met]
    if any(interner.references(number) for _, number, _ in written):
        return None
    return [(part, number) for part, number, original in written if number != original]


def _held(world: World, part: Slot) -> bool | None:
    """Whether a set held an element; None if nobody asked."""
    number = world.originals.get(part)
    return None if number is None else number != UNBOUND


def changed(value: object) -> bool:
    """Whether a value that was read, or some container in it, was changed."""
    if not isinstance(value, (Container, tuple, StructValue)):
        return False
    if isinstance(value, SetValue):
        return value.changed  # nothing that can change is in a set
    return any(isinstance(part, Container) and part.changed for part in reachable([value], changeable))
