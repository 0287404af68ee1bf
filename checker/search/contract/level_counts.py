"""What of a level is counted, and how: names of steps, dead ends, actions that never step, the states found.

What is said of one number holds for a column of them alike, where numpy's operators allow it.
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
    """How many transitions, or crash steps, the existing steps of one state are (language page, 12.3).

    Each name counts once, though several ways have it, and though they lead apart. Of one actor the name is the texts
    of the choices. Twins and role crashes are counted apart, in the same way.
    """
    return len(set(names))


@overload
def is_dead_end(moves: int, failed: bool, cut: bool) -> bool: ...
@overload
def is_dead_end(moves: Column, failed: Mask, cut: Mask) -> Mask: ...
def is_dead_end(moves: Any, failed: Any, cut: Any) -> Any:
    """Whether a state is a deadlock: not cut, and without a start, continue or deliver step (language page, 10.6).

    `moves` are its transitions: self-loops count, crash steps do not. Nor is it one where a step `failed`: that is
    what is told of it.
    """
    # Of truth values, `>` is "and not", of one pair as of columns.
    return (moves == 0) > (failed | cut)


def note_action(action: int, steps: int, gave_up: Iterable[tuple[Span, int]], acted: set[int], level: Level) -> None:
    """An action was tried: it has `acted`, or it counts where its ways gave up, and how often (language page, 14, W3).

    Nobody asks where an action gave up that has a step in any state; so once it has, nothing is counted.
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
    """States were found: so many new ones, of this least key, are on the level (language page, 12.1 and 12.3).

    All are states, and cut ones are cut, whether they are expanded or `pruned`: left out for what they violate. Only
    those that are not pruned wait.
    """
    level.states += states
    level.cut += cut
    level.pruned += pruned
    level.frontier += states - pruned
    if least is not None:
        level.least = least if level.least is None else min(level.least, least)


def keeps_graph(kept: bool, level: Level) -> bool:
    """Whether the graph of steps is kept after this level: liveness is judged if no state is left out (10.7)."""
    return kept and not level.pruned
