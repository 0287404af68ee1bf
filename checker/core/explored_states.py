"""What properties ask of the explored graph, wherever it lies: a protocol, and what it answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from checker.core.exploration import PathLink
from checker.core.obligation import AlwaysReachable, NoLasso


@dataclass(frozen=True, slots=True)
class ReachedState:
    """A state by the path to `begin`, and by the `stem` that leads on from there."""

    begin: int
    stem: tuple[PathLink, ...]


@dataclass(frozen=True, slots=True)
class FairRun(ReachedState):
    """A fair lasso by keys: where it begins, then `cycle` for ever, or nothing (`stutter`). `why` it is fair."""

    cycle: tuple[PathLink, ...]
    stutter: bool
    why: tuple[str, ...]


class ExploredStates(Protocol):
    """Questions about the states that were explored."""

    def lasso(self, demand: NoLasso) -> FairRun | None:
        """A lasso that is demanded not to be: the one whose cycle begins at the least state.

        Of several stems the one on which that state is reached in the fewest steps (language page, 10.8).
        """
        ...

    def lost(self, demand: AlwaysReachable) -> ReachedState | None:
        """With `liveness: nondeterministic` (10.5), the least state from which the goal can not be reached."""
        ...
