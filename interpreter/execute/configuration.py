"""Configurations: all that the way on from a loop's header depends on (language page, 6.3).

Two ways that come to one header in one configuration lead to the same. It is told by what is different from the state
in which the step began, so that ways that only looked at more of it are alike: frames, messages, slots and cells, as
nested tuples. A container that is met a second time is told by the place where it was met first: sharing matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from interpreter.execute.environment import Closure, Environment
from interpreter.execute.frames import Frame
from interpreter.execute.reach import changeable, reachable
from interpreter.execute.world import Message, World
from interpreter.state.state import MISSING, Slot, slot_order
from interpreter.values import (
    BagValue,
    BoundMethod,
    Builtin,
    Container,
    DictValue,
    FunctionValue,
    GenericMap,
    ModuleValue,
    RecordValue,
    StructValue,
)
from interpreter.values.freeze import canonical_sort, freeze

Place = tuple[object, ...]
Part = object
"""What tells a value, hashable. Of what cannot change it is an id."""

HOLDING: Final = (Container, tuple, StructValue)
"""What may hold containers."""

_BINDING: Final = (*HOLDING, FunctionValue)


class Beginning:
    """The state in which a step began, as its ways see it; `world` reads it as they do."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._parts: dict[Slot, Part] = {}

    def part(self, slot: Slot) -> Part:
        """What was in a slot, or in a cell."""
        known = self._parts.get(slot)
        if known is None:
            known = self._parts[slot] = self._told(slot)
        return known

    def _told(self, slot: Slot) -> Part:
        world = self._world
        if slot[0] == "cell":
            cell = world.cell(int(slot[1]))
            return _Teller(world).content(cell, slot)
        value = world.get(slot)
        return _Teller(world).part(value, slot)


def configuration(frames: Sequence[Frame], world: World, beginning: Beginning) -> tuple[object, ...]:
    """Where the frames stand and what they hold, what was sent, and what is not as it was in the beginning."""
    teller = _Teller(world)
    for depth, frame in enumerate(frames):
        teller.environments[id(frame)] = ("frame", depth)
    stands = tuple([_frame(frame, teller, depth) for depth, frame in enumerate(frames)])
    sent = tuple([_message(message, teller, place) for place, message in enumerate(world.sent)])
    changes: list[tuple[Slot, Part]] = []
    for slot in sorted(_touched(frames, world), key=slot_order):
        part = teller.part(world.slots[slot], slot)
        if part != beginning.part(slot):
            changes.append((slot, part))
    for number in sorted(world.cells):
        cell: Slot = ("cell", number)
        part = teller.content(world.cells[number], cell)
        if part != beginning.part(cell):
            changes.append((cell, part))
    return (stands, sent, tuple(changes))


def _touched(frames: Sequence[Frame], world: World) -> set[Slot]:
    """The slots that may not be as they were: bound, changed inside, or with something in them that others hold."""
    cells = {id(container) for container in world.cells.values()}
    held = [value for frame in frames for value in held_by(frame)]
    held += [value for message in world.sent for value in message.arguments.values()]
    owners: dict[int, Slot | None] = {id(part): None for part in _containers(held)}
    found = world.written & world.slots.keys()
    for slot, value in world.slots.items():
        if not isinstance(value, HOLDING):
            continue
        for part in _containers([value]):
            owner = owners.setdefault(id(part), slot)
            if id(part) not in cells and owner != slot:
                found |= {slot} if owner is None else {slot, owner}
            elif part.changed:
                found.add(slot)
    return found


def _containers(values: Iterable[object]) -> Iterator[Container]:
    return (part for part in reachable(values, changeable) if isinstance(part, Container) and not part.frozen)


def held_by(frame: Frame) -> list[object]:
    """All in a frame that may hold containers, also what its functions hold."""
    found: list[object] = [value for value in frame.values() if isinstance(value, _BINDING)]
    if not any(isinstance(value, FunctionValue) for value in found):
        return found
    pending: list[object] = [frame]
    met: dict[int, object] = {}
    while pending:
        one = pending.pop()
        if id(one) in met:
            continue
        met[id(one)] = one
        if isinstance(one, Environment):
            pending += one.values() if isinstance(one, Frame) else one.locals.values()
            pending.append(one.outer)
        elif isinstance(one, Closure):
            pending += [one.environment, *one.defaults.values()]
        elif isinstance(one, BoundMethod):
            pending.append(one.receiver)
    return [one for one in met.values() if isinstance(one, HOLDING)]


def _frame(frame: Frame, teller: _Teller, depth: int) -> Part:
    place = ("frame", depth)
    held = tuple([(name, teller.part(frame.locals[name], (*place, name))) for name in sorted(frame.locals)])
    scopes = []
    for number, state in enumerate(frame.scopes):
        rest = [teller.part(item, (*place, number, i)) for i, item in enumerate(state.rest or ())]
        scopes.append((state.scope.number, state.index, state.started, tuple(rest)))
    return (frame.routine.number, teller.part(frame.instance, place), held, tuple(scopes))


def _message(message: Message, teller: _Teller, number: int) -> Part:
    arguments = message.arguments
    held = [(name, teller.part(arguments[name], ("sent", number, name))) for name in sorted(arguments)]
    return (message.channel.number, teller.part(message.receiver, ()), message.function, tuple(held))


class _Teller:
    """Tells values apart, in one walk over all that a way holds."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.environments: dict[int, Place] = {}
        self._met: dict[int, Place] = {}
        self._cells = 0
        self._constants: dict[int, Part] = {}

    def part(self, value: object, place: Place) -> Part:
        """A value that is met at a place."""
        if isinstance(value, Container):
            return self._container(value, place)
        if isinstance(value, tuple):
            return ("tuple", *[self.part(item, (*place, i)) for i, item in enumerate(value)])
        if isinstance(value, StructValue):
            return ("struct", *self._fields(value.fields, place))
        if isinstance(value, FunctionValue):
            return self._function(value, place)
        if isinstance(value, ModuleValue):
            return ("module", value.name)
        return MISSING if value is MISSING else freeze(value, self.world.interner)

    def _container(self, container: Container, place: Place) -> Part:
        if container.frozen:
            return self._constant(container)
        if self._cells != len(self.world.cells):
            self._cells = len(self.world.cells)
            self._met.update({id(cell): ("cell", number) for number, cell in self.world.cells.items()})
        known = self._met.setdefault(id(container), place)
        return ("again", known) if known is not place else self.content(container, place)

    def _constant(self, container: Container) -> Part:
        """A container that cannot be changed: nobody can tell whether it is one or two."""
        known = self._constants.get(id(container))
        if known is None:
            self._constants[id(container)] = "..."
            known = self._constants[id(container)] = ("constant", self.content(container, ()))
        return known

    def content(self, container: object, place: Place) -> Part:
        """What is in a container, in the order in which it is iterated over where that can be seen."""
        if isinstance(container, RecordValue):
            return ("record", *self._fields(container.fields, place))
        if isinstance(container, DictValue | GenericMap):
            pairs = container.entries.values() if isinstance(container, DictValue) else container.pairs
            told = [(self.part(k, (*place, i, "key")), self.part(v, (*place, i))) for i, (k, v) in enumerate(pairs)]
            return (container.kind, *told)
        assert isinstance(container, Container)
        items = canonical_sort(container.items) if isinstance(container, BagValue) else container.members()
        return (container.kind, *[self.part(item, (*place, i)) for i, item in enumerate(items)])

    def _fields(self, fields: dict[str, object], place: Place) -> Iterator[tuple[str, Part]]:
        return ((name, self.part(fields[name], (*place, name))) for name in sorted(fields))

    def _function(self, function: FunctionValue, place: Place) -> Part:
        if isinstance(function, Closure):
            defaults = tuple(self._fields(dict(function.defaults), (*place, "defaults")))
            environment = self._environment(function.environment, place)
            return ("function", function.body, defaults, environment, self.part(function.receiver, place))
        if isinstance(function, BoundMethod):
            return ("method", function.name, self.part(function.receiver, (*place, "of")))
        return ("builtin", function.function if isinstance(function, Builtin) else function)

    def _environment(self, environment: Environment | None, place: Place) -> Part:
        if environment is None:
            return ()
        known = self.environments.get(id(environment))
        if known is not None:
            return ("again", known)
        self.environments[id(environment)] = place
        held = tuple(self._fields(environment.locals, (*place, "environment")))
        instance = self.part(environment.instance, place)
        return ("environment", held, instance, self._environment(environment.outer, (*place, "outer")))
