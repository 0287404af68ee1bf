"""What is inside runtime values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from interpreter.state.domains import Segment
from interpreter.values import Container, SetValue, StructValue
from interpreter.values.container import Parted


def members(value: object) -> Iterable[object]:
    """The values directly inside a value; of a pending container those that were looked at."""
    if isinstance(value, Parted) and value.pending is not None:
        return [member for _, member in value.pending.met()]
    if isinstance(value, Container):
        return value.members()
    if isinstance(value, StructValue):
        return value.fields.values()
    if isinstance(value, Segment):
        return value.ends
    return value if isinstance(value, tuple) else ()


def changeable(value: object) -> Iterable[object]:
    """The members that can be changed, or hold what can: nothing of that kind is in a set."""
    return () if isinstance(value, SetValue) else members(value)


def reachable(values: Iterable[object], into: Callable[[object], Iterable[object]] = members) -> Iterator[object]:
    """These values and all inside them, each once, equal or not; a container may contain itself.

    `into` gives the values directly inside one: it is asked after the value itself was given out.
    """
    pending = list(values)
    # The values are kept, so that no other one can have the same address later.
    met: dict[int, object] = {}
    while pending:
        value = pending.pop()
        if id(value) not in met:
            met[id(value)] = value
            yield value
            pending += into(value)
