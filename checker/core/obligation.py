"""What a property demands of the explored graph, as data: which lassos may not be, or what must stay reachable.

Both are said of sets of states, and these by the answers that were recorded in each state: whoever searches evaluates
them, over whatever columns of answers it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from fizz.base.light import dataclass


class _Bits(Protocol):
    """A truth value per state, 1 or 0: a whole number, or an array of small ones."""

    def __and__(self: Bits, other: Bits, /) -> Bits: ...

    def __xor__(self: Bits, other: Bits, /) -> Bits: ...


Bits = TypeVar("Bits", bound=_Bits)


class StateSet:
    """A set of states. `&`, `|` and `~` make others of it."""

    __slots__ = ()

    def over(self, column: Callable[[str], Bits], every: Bits) -> Bits:
        """Its members among states whose answers `column` gives by key; `every` has all of them."""
        raise NotImplementedError

    def __and__(self, other: StateSet) -> StateSet:
        return _Both(self, other)

    def __or__(self, other: StateSet) -> StateSet:
        return ~(~self & ~other)

    def __invert__(self) -> StateSet:
        return _Rest(self)


@dataclass(frozen=True, slots=True)
class Recorded(StateSet):
    """The states in which the answer was yes that the watch of this key has recorded."""

    key: str

    def over(self, column: Callable[[str], Bits], every: Bits) -> Bits:
        return column(self.key)


@dataclass(frozen=True, slots=True)
class _Both(StateSet):
    left: StateSet
    right: StateSet

    def over(self, column: Callable[[str], Bits], every: Bits) -> Bits:
        return self.left.over(column, every) & self.right.over(column, every)


@dataclass(frozen=True, slots=True)
class _Rest(StateSet):
    without: StateSet

    def over(self, column: Callable[[str], Bits], every: Bits) -> Bits:
        return self.without.over(column, every) ^ every


@dataclass(frozen=True, slots=True)
class _Everywhere(StateSet):
    def over(self, column: Callable[[str], Bits], every: Bits) -> Bits:
        return every


EVERYWHERE: Final[StateSet] = _Everywhere()

QUIET: Final = Recorded("(quiet)")
"""The states without an unfinished thread. No watch has this key: every graph knows them."""


@dataclass(frozen=True, slots=True)
class Stem:
    """How a run comes to where it ends up: from a state of `begins` through states of `along`, the first and the last
    among them. Any steps may be on it, crashes too.
    """

    begins: StateSet
    along: StateSet


@dataclass(frozen=True, slots=True)
class NoLasso:
    """There is no fair lasso whose cycle stays in `cycle` and goes through a state of `touches`.

    With a `stem`: none that a stem leads to, which ends in such a state.
    """

    cycle: StateSet
    touches: StateSet
    stem: Stem | None = None


@dataclass(frozen=True, slots=True)
class AlwaysReachable:
    """From every state fair steps lead to one of `goal` (`liveness: nondeterministic`; language page, 10.5).

    `for_ever`: to a state from which no steps lead out of `goal`. With a stem `after`: from every state that one leads
    to.
    """

    goal: StateSet
    for_ever: bool = False
    after: Stem | None = None


Demand = NoLasso | AlwaysReachable
