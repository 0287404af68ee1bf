"""Walks through runtime values: members, reachable values, changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from interpreter.state.domains import Segment
from interpreter.values import Container, FrozenSetValue, SetValue, StructValue


def members(value: object) -> Iterable[object]:
    """The values directly inside a value that the step may have read or stored."""
    if isinstance(value, Container):
        return value.met()
    if isinstance(value, StructValue):
        return value.fields.values()
    if isinstance(value, FrozenSetValue):
        return value.entries.values()
    if isinstance(value, Segment):
        return value.ends
    return value if isinstance(value, tuple) else ()


def changeable(value: object) -> Iterable[object]:
    """The members that may be or hold mutable containers; members of a set are immutable."""
    return () if isinstance(value, SetValue) else members(value)


def reachable(values: Iterable[object], into: Callable[[object], Iterable[object]] = members) -> Iterator[object]:
    """These values and all inside them, each object once; a container may contain itself.

    `into` returns the values directly inside one; it is called after the value itself was yielded.
    """
    pending = list(values)
    # The values are stored, so that no other object gets the same address.
    met: dict[int, object] = {}
    while pending:
        value = pending.pop()
        if id(value) not in met:
            met[id(value)] = value
            yield value
            pending += into(value)


def changed(value: object) -> bool:
    """Whether a value that was read, or a container in it, was changed."""
    if not isinstance(value, (Container, tuple, StructValue)):
        return False
    if isinstance(value, SetValue):
        return value.changed  # members of a set are immutable
    return any(isinstance(part, Container) and part.changed for part in reachable([value], changeable))
