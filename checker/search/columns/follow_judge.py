"""Assertions that ask for `next_states()`, over many states at a time.

Such an assertion reads some slots of a state and some of its successors. States that are alike in all of these have the
same verdict, so it is evaluated once for them. If each successor alone decides, it is evaluated once for pairs of a
state and a successor that are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from checker.core.patience import Patience
from checker.search.columns.capacity import THREAD, Capacity
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.distinct_rows import distinct_rows
from checker.search.columns.followed import Followed, FollowingRows, Title
from checker.search.columns.packing import Packing
from checker.search.columns.space import Space
from checker.search.columns.verdicts import FALSE, OPEN, TRUE
from checker.search.memo.successor_folds import SuccessorFold, successor_fold
from interpreter.direct.rules import Unnoted
from interpreter.state.step import Rule

if TYPE_CHECKING:
    from checker.search.columns.column_frontier import Frontier
    from checker.search.columns.expand import ColumnExpander
    from interpreter.direct.followers import Following
    from interpreter.direct.rules import SuccessorReads

_TRIED: Final = 32
"""One in so many times what costs more is tried again: it may cost less now."""
_MOST_PAIRS: Final = 64
"""Of states with more successors each, these are asked about together. Together the pairs of a state may spend as much
as that may."""
_ONE_MORE: Final = 2
"""What is done for each evaluation, as so many successors."""
_SORTED: Final = 8
"""To find so many pairs that are alike costs as much as to ask about one."""
_TOGETHER: Final = 16
"""So many states are asked about as a whole first: then most of what an assertion executes is noted."""
_NEW: Final = -1
"""The verdict of a pair that was not asked for."""


class _Verdicts:
    """The verdicts of a rule on one packing by what was read, as long as the bits of slots are the same.

    `lists`: of all successors of a state together; `pairs`: of each alone, if the rule is a `fold` over them.
    """

    def __init__(self, packing: Packing, reads: SuccessorReads, fold: SuccessorFold | None) -> None:
        self.version = packing.version
        self.reads = reads
        self.fold = fold
        self.lists: dict[bytes, int] = {}
        self.pairs: dict[bytes, int] = {}
        self.own = [(word, bits) for word, bits in enumerate(packing.mask_whole(reads.own)) if bits]
        self.theirs = [(word, bits) for word, bits in enumerate(packing.mask_whole(reads.theirs)) if bits]
        self._costs: dict[bool, float] = {}
        self._asked = 0
        self._together = _TOGETHER

    def by_pairs(self) -> bool:
        """Whether to ask pair by pair now: that which cost less before, and the other again from time to time."""
        if self.fold is None or len(self._costs) < 2:
            return self.fold is not None and True not in self._costs
        self._asked += 1
        return (self._costs[True] < self._costs[False]) is not (self._asked % _TRIED == 0)

    def together(self, rows: int) -> int:
        """How many of so many rows are asked about as a whole in any case."""
        found = min(rows, self._together)
        self._together -= found
        return found

    def count(self, by_pairs: bool, evaluated: int, rows: int) -> None:
        """Note how many successors were asked about for so many rows."""
        if rows:
            self._costs[by_pairs] = evaluated / rows


class FollowedRows:
    """Some rows with their successors, as directly run rules take them: each is made once, for all rules."""

    def __init__(self, space: Space, part: Frontier, begin: int, end: int, followed: Followed) -> None:
        self._space = space
        self.part = part
        self.begin = begin
        self.end = end
        self.followed = followed
        self._made: dict[int, Following | None] = {}

    def make(self, rows: Sequence[int]) -> list[Following | None]:
        """The values of rows and their successors; None for rows that rules cannot be run on directly."""
        new = [row for row in rows if row not in self._made]
        if new:
            states = self.part.packing.states(self.part.rows, self.begin + np.array(new, dtype=np.int64))
            following = self._space.memory.following
            for row, state, successors in zip(new, states, self.followed.of(new), strict=True):
                self._made[row] = following(state, successors)
        return [self._made[row] for row in rows]

    def pairs(self, sources: Ints, successors: Ints) -> list[Following | None]:
        """Rows with one of their successors each, by its index among all."""
        states = self.part.packing.states(self.part.rows, self.begin + sources)
        following = self._space.memory.following
        return [following(*pair) for pair in zip(states, self.followed.alone(successors), strict=True)]


class FollowJudge:
    """Evaluates assertions that ask for `next_states()`.

    `expander_of` gives what expands the rows of a packing; `refit` packs them anew.
    """

    def __init__(
        self,
        space: Space,
        patience: Patience,
        expander_of: Callable[[Packing], ColumnExpander],
        refit: Callable[[Packing, Capacity], None],
    ) -> None:
        self._space = space
        self._patience = patience
        self._expander_of = expander_of
        self._refit = refit
        self._verdicts: dict[tuple[Rule, Packing], _Verdicts] = {}
        self._folds: dict[int, SuccessorFold | None] = {}
        self._names: dict[Title, int] = {}

    def rows(self, part: Frontier, begin: int, end: int) -> FollowedRows | None:
        """Some rows of a frontier with their successors; None if columns do not know these.

        Raises `TooWide` if several rows have too many.
        """
        packing = part.packing
        packing.hold(part.rows)
        if packing.threads and packing.codes(part.rows, (THREAD, packing.threads - 1))[begin:end].any():
            # Successors are found regardless of limits: they may have one thread more than any state.
            self._refit(packing, packing.room.beside(Capacity(threads=packing.threads + 1)))
        while True:
            if packing.outgrown:
                self._refit(packing, packing.room)
            followed = FollowingRows(self._expander_of(packing), self._names).of(part, begin, end)
            if not packing.outgrown:
                break
        return None if followed is None else FollowedRows(self._space, part, begin, end, followed)

    def decide(self, rule: Rule, rows: FollowedRows, which: Ints) -> NDArray[np.int8]:
        """TRUE, FALSE or OPEN for some of the rows."""
        found = np.full(len(which), OPEN, dtype=np.int8)
        verdicts = self._verdicts_of(rule, rows.part.packing)
        if verdicts is None:
            return found
        counts = rows.followed.first[which + 1] - rows.followed.first[which]
        apart = np.zeros(len(which), dtype=np.bool_)
        if verdicts.by_pairs():
            apart = (counts > 0) & (counts <= _MOST_PAIRS)
            apart[: verdicts.together(len(which))] = False
        some = np.flatnonzero(apart)
        if len(some):
            found[some], evaluated = self._by_pairs(rule, verdicts, rows, which[some])
            sorting = int(counts[some].sum()) // _SORTED
            verdicts.count(True, evaluated * (1 + _ONE_MORE) + sorting, len(some))
        others = np.flatnonzero(~apart)
        if len(others):
            found[others], new = self._by_lists(rule, verdicts, rows, which[others])
            if not len(some):
                verdicts.count(False, int(counts[others[new]].sum()) + _ONE_MORE * len(new), len(others))
        return found

    def _by_lists(
        self, rule: Rule, verdicts: _Verdicts, rows: FollowedRows, which: Ints
    ) -> tuple[NDArray[np.int8], list[int]]:
        """The verdicts of rows, and for which of these the rule was evaluated."""
        keys = _keys(verdicts, rows, which)
        known = verdicts.lists
        new = {key: at for at, key in reversed([*enumerate(keys)]) if key not in known}
        self._make_room(known, len(new))
        memory, numbers = self._space.memory, [int(which[at]) for at in new.values()]
        for key, following in zip(new, rows.make(numbers), strict=True):
            self._patience.ask()
            known[key] = _code(None if following is None else memory.follow(rule, following))
        return np.array([known.get(key, OPEN) for key in keys], dtype=np.int8), [*new.values()]

    def _by_pairs(
        self, rule: Rule, verdicts: _Verdicts, rows: FollowedRows, which: Ints
    ) -> tuple[NDArray[np.int8], int]:
        """The verdicts of rows with successors, for a fold, and how many pairs it was evaluated for.

        What follows a fold is executed for a pair that does not decide, but not for the row if another one does. So
        what a pair executes does not count as executed; if that is new, the row is asked about as a whole.
        """
        first, fold = rows.followed.first, verdicts.fold
        assert fold is not None
        lengths = first[which + 1] - first[which]
        begins = np.cumsum(lengths) - lengths
        successors = np.repeat(first[which] - begins, lengths) + np.arange(int(lengths.sum()))
        sources = np.repeat(which, lengths)
        columns = _read_of(verdicts, rows, sources, successors)
        alike, example = distinct_rows(columns, len(sources))
        wide, held = 8 * len(columns), _columns([column[example] for column in columns])
        keys = [held[at * wide : (at + 1) * wide] for at in range(len(example))]
        known = verdicts.pairs
        values = np.array([known.get(key, _NEW) for key in keys], dtype=np.int8)
        decides = TRUE if fold.decides else FALSE
        pending = np.flatnonzero(values == _NEW)
        whole: list[int] = []
        if len(pending):
            self._make_room(known, len(pending))
            made = rows.pairs(sources[example[pending]], successors[example[pending]])
            waiting = dict(zip(pending.tolist(), made, strict=True))
            asked = np.unique(np.repeat(np.arange(len(which)), lengths)[values[alike] == _NEW])
            for row in asked.tolist():
                for pair in alike[begins[row] : begins[row] + lengths[row]].tolist():
                    if values[pair] == _NEW:
                        self._patience.ask()
                        following = waiting[pair]
                        verdict = None
                        if following is not None:
                            try:
                                verdict = self._space.memory.follow(rule, following, _MOST_PAIRS, noted=False)
                            except Unnoted:
                                whole.append(row)
                                break
                        values[pair] = known[keys[pair]] = _code(verdict)
                    if fold.ends and values[pair] in (decides, OPEN):
                        # Those after it are not evaluated, so they do not count as executed.
                        break
        found, never = values[alike], len(alike)
        places = np.arange(never)
        decided = np.minimum.reduceat(np.where(found == decides, places, never), begins)
        unknown = np.minimum.reduceat(np.where(found == OPEN, places, never), begins)
        verdicts_found = np.where(decided < never, decides, TRUE + FALSE - decides).astype(np.int8)
        verdicts_found[(unknown < decided) if fold.ends else (unknown < never)] = OPEN
        evaluated = int((values[pending] != _NEW).sum())
        if whole:
            verdicts_found[whole], new = self._by_lists(rule, verdicts, rows, which[whole])
            evaluated += len(whole) + int(lengths[whole][new].sum())
        return verdicts_found, evaluated

    def _make_room(self, known: dict[bytes, int], more: int) -> None:
        if len(known) + more > self._space.sizes.verdicts:
            known.clear()

    def _fold(self, assertion: int) -> SuccessorFold | None:
        if assertion not in self._folds:
            machine = self._space.machine
            self._folds[assertion] = successor_fold(machine.program, assertion, machine.code.known)
        return self._folds[assertion]

    def _verdicts_of(self, rule: Rule, packing: Packing) -> _Verdicts | None:
        reads = self._space.memory.successor_reads(rule, packing.layout)
        if reads is None:
            return None
        self._space.memory.run_directly(rule)
        known = self._verdicts.get((rule, packing))
        if known is None or known.version != packing.version or known.reads != reads:
            fold = self._fold(rule.subject)
            known = self._verdicts[rule, packing] = _Verdicts(packing, reads, fold)
        return known


def _code(verdict: bool | None) -> int:
    return OPEN if verdict is None else TRUE if verdict else FALSE


def _keys(verdicts: _Verdicts, rows: FollowedRows, which: Ints) -> list[bytes]:
    """What may be read of some of the rows and of their successors."""
    followed, part = rows.followed, rows.part
    own = _columns([part.rows.words[word][rows.begin : rows.end] & bits for word, bits in verdicts.own])
    columns = [followed.rows.words[word] & bits for word, bits in verdicts.theirs]
    if verdicts.reads.names:
        columns.append(followed.titles.view(np.uint64))
    theirs = _columns(columns)
    mine, wide = 8 * len(verdicts.own), 8 * len(columns)
    begins, ends = followed.first[which].tolist(), followed.first[which + 1].tolist()
    if not wide:
        # How many there are can be asked in any case.
        return [
            own[row * mine : (row + 1) * mine] + str(e - b).encode()
            for row, b, e in zip(which.tolist(), begins, ends, strict=True)
        ]
    return [
        own[row * mine : (row + 1) * mine] + theirs[b * wide : e * wide]
        for row, b, e in zip(which.tolist(), begins, ends, strict=True)
    ]


def _read_of(verdicts: _Verdicts, rows: FollowedRows, sources: Ints, successors: Ints) -> list[Words]:
    """What may be read of pairs of a row and one of its successors."""
    followed, part = rows.followed, rows.part
    columns = [part.rows.words[word][rows.begin : rows.end].take(sources) & bits for word, bits in verdicts.own]
    columns += [followed.rows.words[word].take(successors) & bits for word, bits in verdicts.theirs]
    if verdicts.reads.names:
        columns.append(followed.titles.take(successors).view(np.uint64))
    return columns


def _columns(columns: list[Words]) -> bytes:
    """Columns as bytes, row by row."""
    return np.stack(columns, axis=1).tobytes() if columns else b""
