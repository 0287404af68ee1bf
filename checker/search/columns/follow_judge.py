"""Assertions that ask for `next_states()`, over many states at a time.

Such an assertion reads some slots of a state and some of its successors. States that are alike in all of these have the
same verdict, so it is evaluated once for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from checker.core.patience import Patience
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.followed import Followed, FollowingRows, Title
from checker.search.columns.packing import Packing
from checker.search.columns.space import Space
from interpreter.state.step import Rule

if TYPE_CHECKING:
    from checker.search.columns.column_frontier import Frontier
    from checker.search.columns.expand import ColumnExpander
    from interpreter.direct.followers import Following
    from interpreter.direct.rules import SuccessorReads

FALSE: Final = 0
TRUE: Final = 1
OPEN: Final = 3
"""The verdict of a row is not known."""


class _Verdicts:
    """The verdicts of a rule on one packing by what was read, as long as the bits of slots are the same."""

    def __init__(self, packing: Packing, reads: SuccessorReads) -> None:
        self.version = packing.version
        self.reads = reads
        self.known: dict[bytes, int] = {}
        self.own = [(word, bits) for word, bits in enumerate(packing.mask_whole(reads.own)) if bits]
        self.theirs = [(word, bits) for word, bits in enumerate(packing.mask_whole(reads.theirs)) if bits]


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


class FollowJudge:
    """Evaluates assertions that ask for `next_states()`.

    `expander_of` gives what expands the rows of a packing; `refit` packs them anew.
    """

    def __init__(
        self,
        space: Space,
        patience: Patience,
        expander_of: Callable[[Packing], ColumnExpander],
        refit: Callable[[Packing], None],
    ) -> None:
        self._space = space
        self._patience = patience
        self._expander_of = expander_of
        self._refit = refit
        self._verdicts: dict[tuple[Rule, Packing], _Verdicts] = {}
        self._names: dict[Title, int] = {}

    def rows(self, part: Frontier, begin: int, end: int) -> FollowedRows | None:
        """Some rows of a frontier with their successors; None if columns do not know these."""
        packing = part.packing
        while True:
            if packing.outgrown:
                self._refit(packing)
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
        keys = _keys(verdicts, rows, which)
        known = verdicts.known
        new = {key: row for key, row in zip(reversed(keys), reversed(which.tolist()), strict=True) if key not in known}
        if new:
            if len(known) + len(new) > self._space.sizes.verdicts:
                known.clear()
            memory = self._space.memory
            for (key, _), following in zip(new.items(), rows.make([*new.values()]), strict=True):
                self._patience.ask()
                verdict = None if following is None else memory.follow(rule, following)
                known[key] = OPEN if verdict is None else TRUE if verdict else FALSE
        found[:] = [known.get(key, OPEN) for key in keys]
        return found

    def _verdicts_of(self, rule: Rule, packing: Packing) -> _Verdicts | None:
        reads = self._space.memory.successor_reads(rule, packing.layout)
        if reads is None:
            return None
        self._space.memory.run_directly(rule)
        known = self._verdicts.get((rule, packing))
        if known is None or known.version != packing.version or known.reads != reads:
            known = self._verdicts[rule, packing] = _Verdicts(packing, reads)
        return known


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


def _columns(columns: list[Words]) -> bytes:
    """Columns as bytes, row by row."""
    return np.stack(columns, axis=1).tobytes() if columns else b""
