"""Folds by columns: the trees of turns are walked by the rows that have an element, one element after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Mask, coded, distinct
from checker.search.columns.distinct_rows import distinct_rows
from checker.search.columns.fold_rounds import Fixed, FoldedDicts, FoldedLists, Rounds, SetRounds
from checker.search.columns.joint_answers import MANY_ROWS, Codes, JointAnswers, are_few, joint_answers, met_codes
from checker.search.columns.number_folds import number_answers
from checker.search.columns.packing import Packing, Rows
from checker.search.memo.division import FIXED, FOLD
from checker.search.memo.folds import Folds
from checker.search.memo.known_folds import Kind, KnownFold, KnownPassing, UnknownElement
from checker.search.memo.turn_trees import Turn, TurnNode, TurnQuestion, turn_in
from interpreter.state.state import UNBOUND, Slot

_UNKNOWN: Final = -1
_ONE_BY_ONE: Final = 4
"""To ask so many rows one by one takes less than to ask them together."""

Number = Callable[[Slot, int], int]


class FoldAnswers:
    """The answers to one fold over the containers in a slot of some rows, whose turns may ask their columns."""

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
        self._missing: list[int] = []
        """Rows of which `_walk` has found a turn to be unknown, one for each such turn."""
        self._numbers: dict[int, int] = {}
        self._known = np.full(len(rows), _UNKNOWN, dtype=np.int64)
        """By row, the code of the answer: the paths of a rule, and rules, ask the same of the same rows."""
        self._answer_codes: dict[int, int] = {}
        self._ids: list[int] = []
        self._members: FoldedLists | FoldedDicts | Fixed | None = None
        if self._fold.kind is Kind.FIXED:
            self._members = Fixed(self._fold.fixed)
        elif packing.asks_turns(slot):
            self._members = (FoldedDicts if self._fold.kind is Kind.DICT else FoldedLists)(packing, slot[:-1])

    def number(self, row: int) -> int:
        """The answer in one row."""
        code = self._known.item(row)
        if code != _UNKNOWN:
            return self._ids[code]
        number = self._number_of(row)
        self._learn(np.array([row]), np.zeros(1, dtype=np.int64), [number])
        return number

    def codes(self, which: Ints) -> tuple[Ints, list[int]]:
        """The answers in some rows, as codes and the ids by code."""
        unknown = which if self._folds.is_quiet else which[self._known.take(which) == _UNKNOWN]
        if len(unknown):
            codes, ids = self._codes_of(unknown)
            self._learn(unknown, codes, ids)
            if len(unknown) == len(which):
                return codes, ids
        return self._known.take(which), self._ids.copy()

    def _learn(self, which: Ints, codes: Ints, ids: Sequence[int]) -> None:
        """Know the answers in some rows from now on."""
        if self._folds.is_quiet:
            # What a turn evaluated is noted when the answer is asked for in earnest.
            return
        own = [self._code_of(number) for number in ids]
        self._known[which] = np.array(own, dtype=np.int64).take(codes)

    def _code_of(self, number: int) -> int:
        code = self._answer_codes.setdefault(number, len(self._ids))
        if code == len(self._ids):
            self._ids.append(number)
        return code

    def _number_of(self, row: int) -> int:
        """The answer in one row that is not known."""
        if self._members is None:
            elements: list[int] | None = self._packing.bits_for(self._slot).held(self._rows, row)
        else:
            elements = self._members.held(self._rows, row)
        if elements is None:
            return UNBOUND
        try:
            return self._folds.answer(self._step, elements, lambda slot: self._number(slot, row))
        except UnknownElement:
            raise UnknownElement([row]) from None

    def _codes_of(self, which: Ints) -> tuple[Ints, list[int]]:
        """As `codes`, of rows of which none is known."""
        if self._members is None:
            bits = self._packing.bits_for(self._slot)
            if not bits.plain:
                # Which of equal elements it is decides about their order.
                return coded([self._number_of(row) for row in which.tolist()])
            return self._answers(SetRounds(bits, self._rows.take(which)), which)
        if self._fold.reads:
            return self._answers(self._members.rounds(self._rows.take(which)), which)
        # Equal lists have equal answers, dicts of equal keys as well.
        indexes, examples = distinct_rows(self._members.words(self._rows, which), len(which))
        some = which[examples]
        codes, ids = self._answers(self._members.rounds(self._rows.take(some)), some)
        return codes.take(indexes), ids

    def _answers(self, rounds: Rounds, which: Ints) -> tuple[Ints, list[int]]:
        """The answers in the rows of these rounds."""
        self._missing = []
        if isinstance(self._fold, KnownPassing):
            return self._passed_on(self._fold, rounds, which)
        taken = self._taken(self._fold, rounds, which)
        if self._fold.decisive is not None:
            return self._decided(self._fold, self._fold.decisive, taken, rounds.answering)
        numbers = number_answers(self._folds.interner, self._fold, self._turns, taken, rounds.answering)
        if numbers is not None:
            return numbers
        indexes, examples = distinct_rows([rounds.answering.astype(np.int64), *taken], len(which))
        answers = [
            self._answer(self._fold, [column.item(row) for column in taken]) if rounds.answering[row] else UNBOUND
            for row in examples.tolist()
        ]
        codes, ids = coded(answers)
        return codes.take(indexes), ids

    def _taken(self, fold: KnownFold, rounds: Rounds, which: Ints) -> list[Ints]:
        """By round, the turn that each row takes in it: its number, 0 for none, or one without results."""
        going_on = rounds.answering.copy()
        found: list[Ints] = []
        unknown: list[int] = []
        for place in range(len(rounds)):
            here, codes, ids = rounds.at(place, going_on)
            if not len(here):
                continue
            all_rows = len(here) == len(which)
            taken = self._taken_in(fold, which if all_rows else which[here], codes, ids)
            lost = np.flatnonzero(taken == _UNKNOWN)
            if len(lost):
                _, one_of_each = np.unique(codes[lost], return_index=True)
                unknown += which[here[lost[one_of_each]]].tolist()
                going_on[here[lost]] = False
                taken[lost] = 0
            counting = self._counting(fold, taken)
            if counting is None:
                continue
            if fold.stops:
                going_on[here[counting > 0]] = False
            column = counting
            if not all_rows:
                column = np.zeros(len(which), dtype=np.int64)
                column[here] = counting
            found.append(column)
        self._end(unknown)
        return found

    def _end(self, unknown: Sequence[int]) -> None:
        """Raise if there are rows of which some turn is unknown, or were met by `_walk`."""
        rows = list(dict.fromkeys([*self._missing, *unknown]))
        if rows:
            raise UnknownElement(rows)

    def _taken_in(self, fold: KnownFold, rows: Ints, codes: Ints, ids: Sequence[int]) -> Ints:
        """The turns that rows take in one round, or `_UNKNOWN`."""
        if len(ids) == 1:
            node = fold.turns.get(ids[0])
            return np.full(len(rows), _UNKNOWN, dtype=np.int64) if node is None else self._walk(node, rows)
        occurring, indexes, size = _occurring(codes, len(ids))
        alike = _Alike(indexes)
        by_index = np.zeros(size, dtype=np.int64)
        asking: list[tuple[int, TurnQuestion]] = []
        for index, code in occurring:
            node = fold.turns.get(ids[code])
            if node is None:
                by_index[index] = _UNKNOWN
            elif isinstance(node, Turn):
                by_index[index] = self._numbered(node)
            else:
                asking.append((index, node))
        taken = by_index.take(indexes)
        for index, question in asking:
            some = alike.of(index)
            taken[some] = self._walk(question, rows[some])
        return taken

    def _counting(self, fold: KnownFold, taken: Ints) -> Ints | None:
        """Those of the turns that were taken on which the answer may depend: they fail, decide, or have results. 0 for
        others; None if there is none."""
        counting = np.zeros(len(self._turns) + 1, dtype=np.int64)
        for number in np.flatnonzero(np.bincount(taken)).tolist():
            if number:
                turn = self._turns[number - 1]
                self._folds.note(turn)
                if turn.results is None or fold.counts(turn.results):
                    counting[number] = number
        return counting.take(taken) if counting.any() else None

    def _decided(
        self, fold: KnownFold, decisive: int, taken: Sequence[Ints], answering: Mask
    ) -> tuple[Ints, list[int]]:
        """The answers of `any` or `all`, in rows that took these turns: each decides, or fails."""
        fails = np.array([False, *[turn.results is None for turn in self._turns]])
        decided, lost = np.zeros(len(answering), dtype=np.bool_), ~answering
        for column in taken:
            decided |= column > 0
            lost |= fails.take(column)
        codes: Ints = np.where(lost, 2, decided.astype(np.int64))
        return codes, [self._folds.made(fold, ()), decisive, UNBOUND]

    def _answer(self, fold: KnownFold, taken: list[int]) -> int:
        turns = [self._turns[number - 1] for number in taken if number]
        if any(turn.results is None for turn in turns):
            return UNBOUND
        return self._folds.made(fold, turns)

    def _passed_on(self, fold: KnownPassing, rounds: Rounds, which: Ints) -> tuple[Ints, list[int]]:
        """As `_answers`, of a loop that passes something on."""
        passed = _PassedCodes(fold)
        unanswered = passed.code(UNBOUND)
        codes = np.where(rounds.answering, 0, unanswered)
        unknown: list[int] = []
        for place in range(len(rounds)):
            here, elements, ids = rounds.at(place, passed.goes_on.take(codes))
            if not len(here):
                continue
            pairs = codes.take(here) * len(ids) + elements
            occurring, indexes, size = _occurring(pairs, len(passed.ids) * len(ids))
            alike = _Alike(indexes)
            by_index = np.full(size, unanswered, dtype=np.int64)
            asking: list[tuple[int, TurnQuestion]] = []
            for index, pair in occurring:
                given, element = divmod(pair, len(ids))
                node = fold.turns.get((passed.ids[given], ids[element]))
                if isinstance(node, Turn):
                    by_index[index] = self._after(passed, node)
                elif node is None:
                    unknown.append(int(which[here[alike.of(index)[0]]]))
                else:
                    asking.append((index, node))
            codes[here] = by_index.take(indexes)
            for index, question in asking:
                some = here[alike.of(index)]
                taken = self._walk(question, which[some])
                for number in distinct(taken).tolist():
                    after = unanswered if number == _UNKNOWN else self._after(passed, self._turns[number - 1])
                    codes[some[taken == number]] = after
        self._end(unknown)
        return codes, [number if number == UNBOUND else fold.answer(number) for number in passed.ids]

    def _after(self, passed: _PassedCodes, turn: Turn) -> int:
        """The code of what is passed on by a turn that is taken."""
        self._folds.note(turn)
        return passed.code(UNBOUND if turn.results is None else turn.results[0])

    def _walk(self, node: TurnNode | None, which: Ints) -> Ints:
        """The numbers of the turns that rows take, given the tree of their element; `_UNKNOWN` for those that take one
        that is not known, of which some are noted."""
        if node is None:
            self._missing.append(int(which[0]))
            return np.full(len(which), _UNKNOWN, dtype=np.int64)
        if isinstance(node, Turn):
            return np.full(len(which), self._numbered(node), dtype=np.int64)
        if len(which) <= _ONE_BY_ONE:
            return self._walk_apart(node, which)
        self._folds.visits += 1
        if len(which) >= MANY_ROWS and (joint := joint_answers(node, which, self._codes)) is not None:
            return self._walk_jointly(node, which, joint)
        answers = self._codes(node.slot, which)
        if isinstance(answers, int):
            return self._walk(node.branches.get(answers), which)
        codes, ids = answers
        # By code, the number of a turn, or a lesser one than any for those whose rows go on at one node.
        ended = np.zeros(len(ids), dtype=np.int64)
        going_on: dict[int, tuple[int, TurnNode]] = {}
        for code in met_codes(codes, len(ids)):
            child = node.branches.get(ids[code])
            if isinstance(child, Turn):
                ended[code] = self._numbered(child)
            elif child is None:
                self._missing.append(int(which[np.argmax(codes == code)]))
                ended[code] = _UNKNOWN
            else:
                ended[code], _ = going_on.setdefault(id(child), (_UNKNOWN - 1 - len(going_on), child))
        taken = ended.take(codes)
        found = taken.copy() if going_on else taken
        for mark, child in going_on.values():
            some = np.flatnonzero(taken == mark)
            found[some] = self._walk(child, which[some])
        return found

    def _walk_jointly(self, node: TurnQuestion, which: Ints, joint: JointAnswers) -> Ints:
        """As `_walk`, of rows whose answers to all questions are known."""
        turns = np.zeros(joint.count, dtype=np.int64)
        for code in met_codes(joint.codes, joint.count):
            turn = turn_in(node, joint.of(code).__getitem__)
            if turn is None:
                self._missing.append(int(which[np.argmax(joint.codes == code)]))
            turns[code] = _UNKNOWN if turn is None else self._numbered(turn)
        return turns.take(joint.codes)

    def _walk_apart(self, node: TurnQuestion, which: Ints) -> Ints:
        """As `_walk`, of few rows, which are asked one by one and go on together where they have the same answer."""
        groups: dict[int, list[int]] = {}
        for place, row in enumerate(which.tolist()):
            groups.setdefault(self._number(node.slot, row), []).append(place)
        if len(groups) == 1:
            (answer,) = groups
            return self._walk(node.branches.get(answer), which)
        found = np.empty(len(which), dtype=np.int64)
        for answer, places in groups.items():
            found[places] = self._walk(node.branches.get(answer), which[places])
        return found

    def _numbered(self, turn: Turn) -> int:
        number = self._numbers.setdefault(id(turn), len(self._turns) + 1)
        if number > len(self._turns):
            self._turns.append(turn)
        return number


class _PassedCodes:
    """Codes of what the turns of a loop pass on; UNBOUND is passed on by one that fails. `goes_on`: by code, whether a
    turn follows.
    """

    def __init__(self, fold: KnownPassing) -> None:
        self._fold = fold
        self._known = {fold.start: 0}
        self.ids = [fold.start]
        self._goes_on = [True]

    def code(self, number: int) -> int:
        """The code of an id."""
        code = self._known.setdefault(number, len(self.ids))
        if code == len(self.ids):
            self.ids.append(number)
            self._goes_on.append(number != UNBOUND and number not in self._fold.shared.ends)
        return code

    @property
    def goes_on(self) -> NDArray[np.bool_]:
        return np.array(self._goes_on, dtype=np.bool_)


class _Alike:
    """The rows of each index. They are sorted when they are first asked for: mostly they are not."""

    def __init__(self, indexes: Ints) -> None:
        self._indexes = indexes

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        order = np.argsort(self._indexes, kind="stable")
        ordered = self._indexes.take(order)
        return order, np.searchsorted(ordered, np.arange(int(ordered[-1]) + 2))

    def of(self, index: int) -> Ints:
        """The rows of an index, in ascending order."""
        order, begins = self._sorted
        return order[begins[index] : begins[index + 1]]


def _occurring(codes: Ints, count: int) -> tuple[list[tuple[int, int]], Ints, int]:
    """The codes that occur, in ascending order, each with an index; for each row the index of its own; and a number
    that is greater than all indexes. `count`: all codes are less."""
    if are_few(count, len(codes)):
        return [(code, code) for code in met_codes(codes, count)], codes, count
    met = distinct(codes)
    return list(enumerate(met.tolist())), np.searchsorted(met, codes), len(met)


def is_answered_by_turns(packing: Packing, slot: Slot) -> bool:
    """Whether a slot is the question for a fold over members or keys, or whose turns read or pass on something, or over
    what is the same in all states."""
    if slot[0] == FIXED or packing.asks_turns(slot):
        return True
    step = slot[-1]
    if not (isinstance(step, str) and step.startswith(FOLD) and packing.asks_elements(slot)):
        return False
    fold = packing.tables.folds.fold(step)
    return isinstance(fold, KnownPassing) or bool(fold.reads)
