"""Folds that give a number: the length, the sum, the greatest or least of all results, of many rows at once.

The results of turns are added column by column. As answers they would be made row by row: nearly every row has another
combination of turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from checker.search.columns.code_tables import Ints, Mask, distinct
from checker.search.memo.known_folds import KnownFold
from checker.search.memo.turn_trees import Turn
from interpreter.state.state import UNBOUND
from interpreter.values.budget import METER
from interpreter.values.intern import Interner, Tag

_MOST: Final = 1 << 62
"""Numbers in columns are smaller; so are their sums."""
_COMBINED: Final[dict[tuple[str, ...], tuple[Callable[..., Any], int]]] = {
    ("list", "len"): (np.add, 0),
    ("list", "sum"): (np.add, 0),
    ("list", "max"): (np.maximum, -_MOST),
    ("list", "min"): (np.minimum, _MOST),
}
"""By the functions of a fold, how the numbers of two turns are combined, and what no turn gives."""


def number_answers(
    interner: Interner, fold: KnownFold, turns: Sequence[Turn], taken: Sequence[Ints], answering: Mask
) -> tuple[Ints, list[int]] | None:
    """The answers of rows, as codes and the ids by code; None if the fold gives no number, or a large one.

    `taken`: by round, the number of the turn that each row takes in it, from 1 in `turns`, 0 for none. `answering`: the
    rows that answer at all.
    """
    if fold.functions not in _COMBINED:
        return None
    combine, neutral = _COMBINED[fold.functions]
    numbers = [_number_of(fold.functions[1], interner, turn) for turn in turns]
    largest = max([abs(number) for number in numbers if number is not None], default=0)
    if largest * max(1, len(taken)) >= min(_MOST, METER.bound):
        return None
    amounts = np.full(len(turns) + 1, neutral, dtype=np.int64)
    unknown, present = np.zeros((2, len(turns) + 1), dtype=np.bool_)
    for place, (turn, number) in enumerate(zip(turns, numbers, strict=True), 1):
        unknown[place], present[place] = number is None, bool(turn.results)
        if number is not None and turn.results:
            amounts[place] = number
    found = np.full(len(answering), neutral, dtype=np.int64)
    lost, some = ~answering, np.zeros(len(answering), dtype=np.bool_)
    for column in taken:
        found = combine(found, amounts.take(column))
        lost |= unknown.take(column)
        some |= present.take(column)
    if neutral:
        # Of nothing there is neither a greatest nor a least.
        lost |= ~some
    return _coded(interner, found, lost)


def _number_of(function: str, interner: Interner, turn: Turn) -> int | None:
    """What a turn gives to the number; None if the value is not to be made of its results."""
    if turn.results is None or (function != "len" and any(interner.tag(one) is not Tag.INT for one in turn.results)):
        return None
    if function == "len":
        return len(turn.results)
    values: list[int] = list(map(interner.payload, turn.results))
    if function == "sum":
        return sum(values)
    return (max if function == "max" else min)(values, default=0)


def _coded(interner: Interner, numbers: Ints, lost: Mask) -> tuple[Ints, list[int]]:
    """Numbers as codes, and the ids by code: UNBOUND for those that are lost."""
    met = distinct(numbers[~lost])
    ids = [interner.intern(Tag.INT, number) for number in met.tolist()]
    codes = np.searchsorted(met, numbers)
    if lost.any():
        codes[lost] = len(ids)
        ids.append(UNBOUND)
    return codes, ids
