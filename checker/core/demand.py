"""What a liveness property demands of the explored graph, as data, and how a search answers.

A demand forbids lassos or asks that states stay reachable. It is about sets of states, which are defined by the answers
recorded in each state; each search evaluates them on its own columns of answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar, assert_never

from checker.core.exploration import PathLink
from fizz.base.light import dataclass


class _Bits(Protocol):
    """A truth value per state, 1 or 0: the bytes of a whole number, or an array."""

    def __and__(self: Bits, other: Bits, /) -> Bits: ...

    def __xor__(self: Bits, other: Bits, /) -> Bits: ...


Bits = TypeVar("Bits", bound=_Bits)


class StateSet:
    """A set of states, with the operators `&`, `|` and `~`."""

    __slots__ = ()

    def over(self, column: Callable[[str], Bits], every: Bits) -> Bits:
        """Its members among states whose answers `column` gives by key; `every` has all these states."""
        raise NotImplementedError

    def __and__(self, other: StateSet) -> StateSet:
        return _Both(self, other)

    def __or__(self, other: StateSet) -> StateSet:
        return ~(~self & ~other)

    def __invert__(self) -> StateSet:
        return _Rest(self)


@dataclass(frozen=True, slots=True)
class Recorded(StateSet):
    """The states in which the watch of this key recorded the answer yes."""

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
"""The states without an unfinished thread. Every graph knows them; no watch has this key."""


@dataclass(frozen=True, slots=True)
class Stem:
    """The part of a run before the cycle: from a state of `begins` through states of `along`, including both ends.

    Any steps may be on it, crashes too. `name`: of several things that may wait on a stem, the one that does.
    """

    begins: StateSet
    along: StateSet
    name: str = ""


@dataclass(frozen=True, slots=True)
class NoLasso:
    """No fair lasso has a cycle that stays in `cycle` and has a state of `touches`.

    With a `stem`: no lasso with a stem that ends in such a state.
    """

    cycle: StateSet
    touches: StateSet
    stem: Stem | None = None


@dataclass(frozen=True, slots=True)
class AlwaysReachable:
    """From every state fair steps lead to one of `goal` (`liveness: nondeterministic`; language page, 10.5).

    `by_any`: any steps but crashes do, as each is taken with some probability (`liveness: probabilistic`).
    `for_ever`: to a state from which no steps lead out of `goal`. `after`: only from states at the end of such a stem.
    """

    goal: StateSet
    for_ever: bool = False
    after: Stem | None = None
    by_any: bool = False


Demand = NoLasso | AlwaysReachable
"""Closed: what differs between demands is a `match` that ends in `assert_never`, so that no new one is ignored."""


def may_have_crashes(demand: Demand) -> bool:
    """Whether crash steps can be part of what violates it: the graph has them as edges then."""
    match demand:
        case NoLasso():
            return demand.stem is not None
        case AlwaysReachable():
            # It is about fair steps, and a crash is none.
            return False
        case _:
            assert_never(demand)


def violated_by_one_run(demand: Demand) -> NoLasso | None:
    """The demand, if a single run can violate it, as a random walk does; else None."""
    match demand:
        case NoLasso():
            return demand
        case AlwaysReachable():
            # That nothing leads to the goal is said of all runs from a state (language page, 10.5).
            return None
        case _:
            assert_never(demand)


# --- answers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReachedState:
    """A state, as the key `begin` of a state and the `stem` from there."""

    begin: int
    stem: tuple[PathLink, ...]


@dataclass(frozen=True, slots=True)
class FairRun(ReachedState):
    """A fair lasso by keys: after the stem `cycle` for ever, or no step (`stutter`). `why` it is fair, in sentences."""

    cycle: tuple[PathLink, ...]
    stutter: bool
    why: tuple[str, ...]


class ExploredStates(Protocol):
    """A search in the explored graph, in one process or in partitions."""

    def lasso(self, demand: NoLasso) -> FairRun | None:
        """The forbidden lasso whose cycle begins at the least state; None if there is none.

        Of several stems, the one that reaches that state in the fewest steps (language page, 10.8).
        """
        ...

    def lost(self, demand: AlwaysReachable) -> ReachedState | None:
        """With `liveness: nondeterministic` (10.5), the least state from which the goal cannot be reached."""
        ...
