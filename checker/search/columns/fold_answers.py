"""Folds whose turns read the state, by columns: the trees of turns are walked by the rows that have an element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from checker.search.columns.code_tables import Ints, coded, distinct
from checker.search.columns.element_bits import ElementBits
from checker.search.columns.packing import Packing, Rows, distinct_rows
from checker.search.memo.division import FOLD
from checker.search.memo.folds import Folds, UnknownElement
from checker.search.memo.turn_trees import Turn, TurnNode
from interpreter.state.state import UNBOUND, Slot

Codes = Callable[[Slot, Ints], tuple[Ints, Sequence[int]] | int]
Number = Callable[[Slot, int], int]


class ReadingFold:
    """The answers to one fold over the sets in a slot of some rows, whose turns ask the columns of these rows."""

    def __init__(self, packing: Packing, rows: Rows, slot: Slot, codes: Codes, number: Number) -> None:
        self._folds: Folds = packing.tables.folds
        self._step = str(slot[-1])
        self._fold = self._folds.fold(self._step)
        self._packing = packing
        self._slot = slot
        self._rows = rows
        self._codes = codes
        self._number = number
        self._turns: list[Turn] = []
        self._numbers: dict[int, int] = {}

    def number(self, row: int) -> int:
        """The answer in one row."""
        try:
            elements = self._bits().held(self._rows, row)
            return self._folds.answer(self._step, elements, lambda slot: self._number(slot, row))
        except UnknownElement as unknown:
            unknown.row = row
            raise

    def codes(self, which: Ints) -> tuple[Ints, list[int]]:
        """The answers in some rows, as codes and the ids by code."""
        bits = self._bits()
        if not bits.plain:
            # Which of equal elements it is decides about their order.
            return coded([self.number(row) for row in which.tolist()])
        taken = self._taken(bits, which)
        indexes, examples = distinct_rows(taken, len(which))
        answers, ids = coded([self._answer([column.item(row) for column in taken]) for row in examples.tolist()])
        return answers.take(indexes), ids

    def _bits(self) -> ElementBits:
        return self._packing.bits_for(self._slot)

    def _taken(self, bits: ElementBits, which: Ints) -> list[Ints]:
        """By element, in order, the turn that each row takes for it: its number, 0 for none, or one without results."""
        present = bits.present(self._rows.take(which))
        going_on = np.ones(len(which), dtype=np.bool_)
        found: list[Ints] = []
        for place, element in enumerate(bits.elements):
            column = np.zeros(len(which), dtype=np.int64)
            here = np.flatnonzero(present[:, place] & going_on)
            if len(here):
                taken = self._walk(self._fold.turns.get(element), which[here])
                column[here] = taken
                for number in distinct(taken).tolist():
                    turn = self._turns[number - 1]
                    self._folds.note(turn)
                    if not self._matters(turn):
                        column[column == number] = 0
                    elif self._fold.stops:
                        going_on &= column != number
            if column.any():
                found.append(column)
        return found

    def _matters(self, turn: Turn) -> bool:
        """Whether the answer may depend on that this turn was taken: it fails, decides, or has results."""
        return turn.results is None or self._fold.counts(turn.results)

    def _walk(self, node: TurnNode | None, which: Ints) -> Ints:
        """The numbers of the turns that rows take, given the tree of their element."""
        if node is None:
            raise _unknown(int(which[0]))
        if isinstance(node, Turn):
            return np.full(len(which), self._numbered(node), dtype=np.int64)
        answers = self._codes(node.slot, which)
        if isinstance(answers, int):
            return self._walk(node.branches.get(answers), which)
        codes, ids = answers
        ended = np.zeros(len(ids), dtype=np.int64)
        going_on: dict[int, tuple[TurnNode, list[int]]] = {}
        for code in distinct(codes).tolist():
            child = node.branches.get(ids[code])
            if isinstance(child, Turn):
                ended[code] = self._numbered(child)
            elif child is None:
                raise _unknown(int(which[codes == code][0]))
            else:
                going_on.setdefault(id(child), (child, []))[1].append(code)
        found = ended.take(codes)
        for child, alike in going_on.values():
            some = np.flatnonzero(np.isin(codes, alike))
            found[some] = self._walk(child, which[some])
        return found

    def _numbered(self, turn: Turn) -> int:
        number = self._numbers.setdefault(id(turn), len(self._turns) + 1)
        if number > len(self._turns):
            self._turns.append(turn)
        return number

    def _answer(self, taken: list[int]) -> int:
        turns = [self._turns[number - 1] for number in taken if number]
        if any(turn.results is None for turn in turns):
            return UNBOUND
        return self._folds.made(self._fold, turns)


def is_reading_fold(packing: Packing, slot: Slot) -> bool:
    """Whether a slot is the question for a fold whose turns read the state."""
    step = slot[-1]
    if not (isinstance(step, str) and step.startswith(FOLD) and packing.asks_elements(slot)):
        return False
    return bool(packing.tables.folds.fold(step).reads)


def _unknown(row: int) -> UnknownElement:
    unknown = UnknownElement()
    unknown.row = row
    return unknown
