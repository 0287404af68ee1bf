"""How far an exploration goes: the bound on starts, the limits of a run, and what was left out for them.

Functions of one number also take a column of them, where numpy's operators allow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, overload

from checker.core.level import Level
from checker.core.limits import Limits, StopReason
from interpreter.state.step import StepKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[Any]
    Mask = NDArray[np.bool_]

_START: Final = StepKind.START
"""Looking it up in its class takes longer than the rest of `starts_after`, which is called for each step."""


@overload
def starts_after(starts: int, kind: StepKind) -> int: ...
@overload
def starts_after(starts: Column, kind: StepKind) -> Column: ...
def starts_after(starts: Any, kind: StepKind) -> Any:
    """The start steps on a path to a state, and on through a step of this kind, a twin or not (language page, 9.2)."""
    return starts + (kind is _START)


@overload
def is_cut(starts: int, bound: int) -> bool: ...
@overload
def is_cut(starts: Column, bound: int) -> Mask: ...
def is_cut(starts: Any, bound: int) -> Any:
    """Whether no action starts from a state, because `max_actions`, which is `bound`, is reached (language page, 9.2).

    `starts`: the least number of start steps on any path with the fewest steps. Threads go on, messages are delivered
    and crashes happen in a cut state as in others.
    """
    return starts >= bound


def fewest_starts(starts: Column, order: Column, groups: Column) -> Column:
    """Of rows in this order, each group of which is one state: the least number of starts of each (language page, 9.2).

    `groups` are the indexes in `order` where groups begin. Row by row, `Gathering` does this.
    """
    import numpy as np

    return np.minimum.reduceat(starts.take(order), groups)


def reason_to_end(total: Level, level: int, limits: Limits, violated: bool) -> StopReason | None:
    """Why there is no level after this one; None: there is (language page, 10.7).

    A violation comes first: levels are judged when they are complete. If no state waits all was explored, unless states
    were left out that violate something. Then the limits, which are checked between levels.
    """
    if violated:
        return StopReason.VIOLATION
    if total.frontier == 0:
        return StopReason.VIOLATION if total.pruned else StopReason.COMPLETE
    if limits.states is not None and total.states >= limits.states:
        return StopReason.MAX_STATES
    if limits.depth is not None and level >= limits.depth:
        return StopReason.MAX_DEPTH
    return None


def not_all_explored(total: Level, last: Level, stopped: StopReason) -> int:
    """How many states there are whose steps were not all explored (language page, 12.3 and 10.7).

    Those at the bound; of a run that one of the limits ended all that wait, instead of those at the bound among them.
    """
    return total.cut - last.cut + total.frontier if stopped.bounds else total.cut
