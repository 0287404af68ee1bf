"""Configurations: all that the rest of a path after a loop's header depends on (language page, 6.3).

Two paths that reach a header in equal configurations have equal results from there. A configuration is the difference
to the state in which the step began, so that reads do not matter: frames, messages, slots and cells, as nested tuples.
A container that occurs again is written as the position of its first occurrence: sharing matters.
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

Position = tuple[object, ...]
Signature = object
"""A hashable that identifies a value; for an immutable value its id."""

HOLDING: Final = (Container, tuple, StructValue)
"""Types of values that may hold containers."""

_BINDING: Final = (*HOLDING, FunctionValue)


class Beginning:
    """The state in which a step began; `world` reads it as the step's paths do."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[Slot, Signature] = {}

    def signature(self, slot: Slot) -> Signature:
        """The signature of the value in a slot, or in a cell."""
        known = self._known.get(slot)
        if known is None:
            known = self._known[slot] = self._signature(slot)
        return known

    def _signature(self, slot: Slot) -> Signature:
        world = self._world
        if slot[0] == "cell":
            cell = world.cell(int(slot[1]))
            return _Signatures(world).content(cell, slot)
        value = world.get(slot)
        return _Signatures(world).of(value, slot)


def configuration(frames: Sequence[Frame], world: World, beginning: Beginning) -> tuple[object, ...]:
    """The frames with their positions and values, the messages sent, and the slots that differ from the beginning."""
    signatures = _Signatures(world)
    for depth, frame in enumerate(frames):
        signatures.environments[id(frame)] = ("frame", depth)
    framed = tuple([_frame(frame, signatures, depth) for depth, frame in enumerate(frames)])
    sent = tuple([_message(message, signatures, number) for number, message in enumerate(world.sent)])
    changes: list[tuple[Slot, Signature]] = []
    for slot in sorted(_touched(frames, world), key=slot_order):
        signature = signatures.of(world.slots[slot], slot)
        if signature != beginning.signature(slot):
            changes.append((slot, signature))
    for number in sorted(world.cells):
        cell: Slot = ("cell", number)
        signature = signatures.content(world.cells[number], cell)
        if signature != beginning.signature(cell):
            changes.append((cell, signature))
    return (framed, sent, tuple(changes))


def _touched(frames: Sequence[Frame], world: World) -> set[Slot]:
    """The slots that may have changed: bound, changed inside, or sharing containers with other holders."""
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
    """The values of a frame that may hold containers, including those of its closures."""
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


def _frame(frame: Frame, signatures: _Signatures, depth: int) -> Signature:
    position = ("frame", depth)
    held = tuple([(name, signatures.of(frame.locals[name], (*position, name))) for name in sorted(frame.locals)])
    scopes = []
    for number, state in enumerate(frame.scopes):
        rest = [signatures.of(item, (*position, number, i)) for i, item in enumerate(state.rest or ())]
        scopes.append((state.scope.number, state.index, state.started, tuple(rest)))
    return (frame.routine.number, signatures.of(frame.instance, position), held, tuple(scopes))


def _message(message: Message, signatures: _Signatures, number: int) -> Signature:
    arguments = message.arguments
    held = [(name, signatures.of(arguments[name], ("sent", number, name))) for name in sorted(arguments)]
    return (message.channel.number, signatures.of(message.receiver, ()), message.function, tuple(held))


class _Signatures:
    """Computes the signatures of values in one walk over all values of a path."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.environments: dict[int, Position] = {}
        self._met: dict[int, Position] = {}
        self._cells = 0
        self._constants: dict[int, Signature] = {}

    def of(self, value: object, position: Position) -> Signature:
        """The signature of a value that occurs at a position."""
        if isinstance(value, Container):
            return self._container(value, position)
        if isinstance(value, tuple):
            return ("tuple", *[self.of(item, (*position, i)) for i, item in enumerate(value)])
        if isinstance(value, StructValue):
            return ("struct", *self._fields(value.fields, position))
        if isinstance(value, FunctionValue):
            return self._function(value, position)
        if isinstance(value, ModuleValue):
            return ("module", value.name)
        return MISSING if value is MISSING else freeze(value, self.world.interner)

    def _container(self, container: Container, position: Position) -> Signature:
        if container.frozen:
            return self._constant(container)
        if self._cells != len(self.world.cells):
            self._cells = len(self.world.cells)
            self._met.update({id(cell): ("cell", number) for number, cell in self.world.cells.items()})
        known = self._met.setdefault(id(container), position)
        return ("again", known) if known is not position else self.content(container, position)

    def _constant(self, container: Container) -> Signature:
        """A container that cannot be changed: its identity is not observable."""
        known = self._constants.get(id(container))
        if known is None:
            self._constants[id(container)] = "..."
            known = self._constants[id(container)] = ("constant", self.content(container, ()))
        return known

    def content(self, container: object, position: Position) -> Signature:
        """The signature of a container's content, in iteration order where that is observable."""
        if isinstance(container, RecordValue):
            return ("record", *self._fields(container.fields, position))
        if isinstance(container, DictValue | GenericMap):
            pairs = container.entries.values() if isinstance(container, DictValue) else container.pairs
            found = [(self.of(k, (*position, i, "key")), self.of(v, (*position, i))) for i, (k, v) in enumerate(pairs)]
            return (container.kind, *found)
        assert isinstance(container, Container)
        items = canonical_sort(container.items) if isinstance(container, BagValue) else container.members()
        return (container.kind, *[self.of(item, (*position, i)) for i, item in enumerate(items)])

    def _fields(self, fields: dict[str, object], position: Position) -> Iterator[tuple[str, Signature]]:
        return ((name, self.of(fields[name], (*position, name))) for name in sorted(fields))

    def _function(self, function: FunctionValue, position: Position) -> Signature:
        if isinstance(function, Closure):
            defaults = tuple(self._fields(dict(function.defaults), (*position, "defaults")))
            environment = self._environment(function.environment, position)
            return ("function", function.body, defaults, environment, self.of(function.receiver, position))
        if isinstance(function, BoundMethod):
            return ("method", function.name, self.of(function.receiver, (*position, "of")))
        return ("builtin", function.function if isinstance(function, Builtin) else function)

    def _environment(self, environment: Environment | None, position: Position) -> Signature:
        if environment is None:
            return ()
        known = self.environments.get(id(environment))
        if known is not None:
            return ("again", known)
        self.environments[id(environment)] = position
        held = tuple(self._fields(environment.locals, (*position, "environment")))
        instance = self.of(environment.instance, position)
        return ("environment", held, instance, self._environment(environment.outer, (*position, "outer")))
