"""`Observed`: what one event of a log says, in the words of the model."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from checker.conformance.log_files import Place
from fizz.base.light import dataclass


class _NoValue(Enum):
    """One member: it is the same in each process."""

    NO_VALUE = "no value"


NO_VALUE: Final = _NoValue.NO_VALUE
"""In place of what an event does not say."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What one event says. `actor`: the action that moves, `Node#0.Vote`; or `crashes`, the instance that crashes.

    Neither: it is no step, but says what the state is. Pairs of a place and a value: `before` those of the state before
    the step. `others`: what else the event may be; one of them is enough.
    """

    place: Place
    kind: str
    process: str
    actor: str | None
    crashes: str | None
    label: str | None
    instance: str | None
    choices: tuple[tuple[str, Any], ...]
    before: tuple[tuple[str, Any], ...]
    after: tuple[tuple[str, Any], ...]
    returns: Any
    data: Mapping[str, Any]
    others: tuple[Observed, ...] = ()

    @property
    def key(self) -> object:
        """All of what it says, hashable."""
        said = (self.choices, self.before, self.after, self.returns)
        return (self.actor, self.crashes, self.instance, self.label, *map(_hashable, said))

    @property
    def is_step(self) -> bool:
        """Whether something moves or crashes."""
        return self.actor is not None or self.crashes is not None

    @property
    def readings(self) -> tuple[Observed, ...]:
        """All that the event may be."""
        return (self, *self.others)

    @property
    def values(self) -> int:
        """How many values it says."""
        return len(self.choices) + len(self.before) + len(self.after) + (self.returns is not NO_VALUE)

    @property
    def text(self) -> str:
        """`Vote{term: 4}`."""
        said = [*self.choices, *self.before, *self.after]
        inside = ", ".join(f"{name}: {value!r}" for name, value in said)
        return f"{self.kind}{{{inside}}}"


@dataclass(frozen=True, slots=True)
class Doubt:
    """An event that was explained in more than one way, and by what."""

    event: Observed
    why: str


def _hashable(value: Any) -> object:
    if isinstance(value, dict):
        return ("dict", tuple(sorted((str(key), _hashable(one)) for key, one in value.items())))
    if isinstance(value, list | tuple):
        return tuple(_hashable(one) for one in value)
    return (type(value).__name__, value)
