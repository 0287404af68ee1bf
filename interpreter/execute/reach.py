"""What is inside runtime values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from interpreter.state.domains import Segment
from interpreter.values import Container, SetValue, StructValue


def members(value: object) -> Iterable[object]:
    """The values directly inside a value, as far as the step can have met them."""
    if isinstance(value, Container):
        return value.met()
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


def changed(value: object) -> bool:
    """Whether a value that was read, or some container in it, was changed."""
    if not isinstance(value, (Container, tuple, StructValue)):
        return False
    if isinstance(value, SetValue):
        return value.changed  # nothing that can change is in a set
    return any(isinstance(part, Container) and part.changed for part in reachable([value], changeable))
