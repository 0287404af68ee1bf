"""Paths for single values of a choice with a condition, numbered as the alternatives of one state.

Such a choice has a path for each value, admitted or not, and one for the case that none is: number 0. A path for a
value that is not admitted has no result. Of the others, each is the alternative of which the number is the count of
admitted values before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from interpreter.state.step import (
    NO_CHOICE,
    Aborted,
    Failure,
    Outcome,
    Result,
    is_none_admitted,
    is_one_of_some,
)


def in_place(paths: Sequence[tuple[tuple[int, ...], Result]]) -> list[Result]:
    """The results of the paths of one state, in the order of their choices, with which each is given."""
    admitted: dict[tuple[int, ...], dict[int, int]] = {}
    for choices, _ in paths:
        for level, taken in enumerate(choices):
            if taken:
                known = admitted.setdefault(choices[:level], {})
                known.setdefault(taken, len(known))
    found: list[Result] = []
    for choices, result in paths:
        if isinstance(result, Aborted):
            if not is_none_admitted(result):
                found.append(result)
            elif choices[:-1] not in admitted:
                found.append(replace(result, reason=NO_CHOICE))
        elif any(map(is_one_of_some, result.forks)):
            forks = zip(result.forks, choices, strict=True)
            numbers = [admitted[choices[:i]][own] if is_one_of_some(n) else n for i, (n, own) in enumerate(forks)]
            found.append(_renumbered(result, tuple(numbers)))
        else:
            found.append(result)
    return found


def _renumbered(result: Outcome | Failure, forks: tuple[int, ...]) -> Outcome | Failure:
    return replace(result, forks=forks)
