"""Small trees of turns, answered for many rows at once: by the combination of answers to all that a tree may ask.

A tree that is walked node by node parts the rows at each node and goes over each part again. Where a tree asks few
slots with few answers, as `before.owner[k] != after.owner[k]` does, the rows are gone over once for each slot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints, distinct
from checker.search.memo.comparisons import is_comparison
from checker.search.memo.division import asks_all
from checker.search.memo.turn_trees import TurnQuestion
from interpreter.state.state import Slot

MANY_ROWS: Final = 64
"""For fewer rows, to walk a tree takes no more."""
_MOST_SLOTS: Final = 8
_MOST_NODES: Final = 64
_MOST_COMBINATIONS: Final = 4_096
_FEW_CODES: Final = 1_024
"""A table of so many codes takes little, however few rows there are."""
_OF_STATES: Final = frozenset({"state", "used"})
"""What stands first in the slots of questions for all of a state, behind a side of a step."""

Codes = Callable[[Slot, Ints], tuple[Ints, Sequence[int]] | int]


class JointAnswers:
    """The answers of some rows to some questions: `codes`, one for each row, all less than `count`."""

    def __init__(self, rows: int, slots: Sequence[Slot], answers: Sequence[tuple[Ints, Sequence[int]] | int]) -> None:
        self._slots = slots
        self._ids = [[one] if isinstance(one, int) else one[1] for one in answers]
        self.count = prod(map(len, self._ids))
        self.codes: Ints = np.zeros(rows, dtype=np.int64)
        for one in answers:
            if not isinstance(one, int):
                codes, ids = one
                self.codes = self.codes * len(ids) + codes if self.codes.any() else codes

    def of(self, code: int) -> dict[Slot, int]:
        """The answers that a code stands for, by slot."""
        found: dict[Slot, int] = {}
        for slot, ids in zip(reversed(self._slots), reversed(self._ids), strict=True):
            code, index = divmod(code, len(ids))
            found[slot] = ids[index]
        return found


def joint_answers(root: TurnQuestion, which: Ints, codes_of: Codes) -> JointAnswers | None:
    """What some rows answer to all that a tree may ask; None if that is too much, or more than what is stored."""
    slots = _few_slots_in(root)
    if slots is None:
        return None
    answers, left = [], min(_MOST_COMBINATIONS, len(which))
    for slot in slots:
        found = codes_of(slot, which)
        answers.append(found)
        left //= 1 if isinstance(found, int) else len(found[1])
        if not left:
            return None
    return JointAnswers(len(which), slots, answers)


def _few_slots_in(root: TurnQuestion) -> list[Slot] | None:
    """The slots that a tree may ask; None if there are too many, or an answer is more than a stored value."""
    slots: dict[Slot, None] = {}
    nodes, seen = [root], 0
    while nodes:
        node = nodes.pop()
        seen += 1
        slots[node.slot] = None
        if seen > _MOST_NODES or len(slots) > _MOST_SLOTS or not _is_stored(node.slot):
            return None
        nodes += [child for child in node.branches.values() if isinstance(child, TurnQuestion)]
    return list(slots)


def _is_stored(slot: Slot) -> bool:
    """Whether the answer to a question is a stored value or part: it can be asked of rows that need not ask it."""
    return not (is_comparison(slot) or asks_all(slot) or _OF_STATES.intersection(slot[:2]))


def are_few(count: int, rows: int) -> bool:
    """Whether a table of so many codes takes no more than to sort the codes of so many rows."""
    return count <= max(_FEW_CODES, 4 * rows)


def met_codes(codes: Ints, count: int) -> list[int]:
    """The codes that occur, in ascending order. `count`: all are less."""
    if are_few(count, len(codes)):
        codes = np.flatnonzero(np.bincount(codes, minlength=count))
    else:
        codes = distinct(codes)
    found: list[int] = codes.tolist()
    return found
