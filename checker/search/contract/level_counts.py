"""The counts of a level: names of steps, dead ends, actions that never step, the states found.

Functions of one number also take a column of them, where numpy's operators allow it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from checker.core.level import Level
from fizz import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[Any]
    Mask = NDArray[np.bool_]


def distinct_names(names: Iterable[object]) -> int:
    """The number of transitions, or of crash steps, by the names of the steps of one state (language page, 12.3).

    Each name counts once, also if several execution paths have it, with several targets. Of one actor the name is the
    texts of the choices. Twins and role crashes are counted apart, by the same rule.
    """
    return len(set(names))


@overload
def is_dead_end(moves: int, failed: bool, cut: bool) -> bool: ...
@overload
def is_dead_end(moves: Column, failed: Mask, cut: Mask) -> Mask: ...
def is_dead_end(moves: Any, failed: Any, cut: Any) -> Any:
    """Whether a state is a deadlock: not cut, and without a start, continue or deliver step (language page, 10.6).

    `moves` are its transitions: self-loops count, crash steps do not. It is none if a step `failed`: then the failure
    is reported.
    """
    # Of truth values, `>` is "and not", of one pair as of columns.
    return (moves == 0) > (failed | cut)


def note_action(action: int, steps: int, gave_up: Iterable[tuple[Span, int]], acted: set[int], level: Level) -> None:
    """Note that an action was tried: that it has a step, or where its execution paths gave up (language page, 14, W3).

    For an action in `acted`, which has a step in some state, nothing is counted.
    """
    if action in acted:
        return
    if steps:
        acted.add(action)
        level.acted.add(action)
        return
    for span, times in gave_up:
        level.aborted[action, span] += times


def count_states(level: Level, states: int, least: int | None, cut: int, pruned: int) -> None:
    """Count the new states of a level, of this least key (language page, 12.1 and 12.3).

    `states` and `cut` include those that are `pruned`, which are left out for what they violate. The others wait.
    """
    level.states += states
    level.cut += cut
    level.pruned += pruned
    level.frontier += states - pruned
    if least is not None:
        level.least = least if level.least is None else min(level.least, least)


@overload
def lacks_steps(cut: bool, expanded: bool) -> bool: ...
@overload
def lacks_steps(cut: Mask, expanded: bool) -> Mask: ...
def lacks_steps(cut: Any, expanded: bool) -> Any:
    """Whether the graph does not have all steps of a state: no starts from a cut one, none if it was not `expanded`.

    Such a state may lead anywhere: that a run could end there is no violation (language page, 10.4).
    """
    return cut | (not expanded)


def keeps_graph(kept: bool, level: Level) -> bool:
    """Whether the graph of steps is kept after this level: liveness is judged if no state is left out (10.7)."""
    return kept and not level.pruned
