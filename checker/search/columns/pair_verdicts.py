"""`PairVerdicts`: the answers to all questions about the pairs of a `leadsto` assertion (language page, 10.8).

Each pair has two questions, and all have the same body. Where they are run directly, the body is run once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.alike_verdicts import AlikeVerdicts, Reads
from checker.search.columns.code_tables import Ints
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.verdicts import FALSE, OPEN, TRUE
from interpreter.compile.program import PairQuestion
from interpreter.execute.pair_answers import Pair

_NOT_KNOWN: Final = 0
"""The number for rows whose pairs are not known."""
_MOST: Final = 1 << 15
"""So many combinations of truths are kept, and no more than come with one lot of rows beside these."""

AskPairs = Callable[[Ints], Sequence[Mapping[str, Pair] | None]]
"""The pairs in some rows, None where they are not known."""


class PairVerdicts:
    """The pairs of an assertion by all that it may read (`reads`), over one packing."""

    def __init__(self, packing: Packing, reads: Reads) -> None:
        self.reads = reads
        self._packing = packing
        self._asked = self._lost = 0
        self._forget()

    def _forget(self) -> None:
        self._alike = AlikeVerdicts(self._packing, self.reads)
        self._numbers: dict[tuple[bool, ...], int] = {}
        self._keys: list[str] = []
        self._columns = np.zeros((0, 0), dtype=np.bool_)

    @property
    def pays(self) -> bool:
        """Whether the pairs are known of most rows that were asked about."""
        return 2 * self._lost <= self._asked

    def of(self, question: PairQuestion, sides: list[Rows], ask: AskPairs) -> NDArray[np.int8]:
        """The verdict in each row; OPEN where the pairs are not known. `ask` is called once for rows that are alike."""
        if len(self._numbers) > _MOST:
            self._forget()
        numbers = self._alike.of(sides, lambda which: self._numbered(ask(which)))
        return self._verdicts(question).take(numbers)

    def _numbered(self, found: Sequence[Mapping[str, Pair] | None]) -> Ints:
        self._asked += len(found)
        self._lost += found.count(None)
        return np.array([_NOT_KNOWN if pairs is None else self._number(pairs) for pairs in found], dtype=np.int64)

    def _number(self, pairs: Mapping[str, Pair]) -> int:
        self._keys = self._keys or list(pairs)
        if self._keys != list(pairs):
            return _NOT_KNOWN
        truths = tuple(chain.from_iterable(pairs.values()))
        return self._numbers.setdefault(truths, len(self._numbers) + 1)

    def _verdicts(self, question: PairQuestion) -> NDArray[np.int8]:
        """The answer by number."""
        if len(self._columns) < len(self._numbers):
            new = np.array([*islice(self._numbers, len(self._columns), None)], dtype=np.bool_)
            self._columns = np.concatenate([self._columns, new]) if len(self._columns) else new
        asked = self._columns[:, 0 if question.asked else 1 :: 2]
        if question.key is not None and len(asked):
            which = self._keys.index(question.key)
            asked = asked[:, which : which + 1]
        answers = np.any(asked, axis=1) if question.asked else np.all(asked, axis=1)
        verdicts = np.where(answers, TRUE, FALSE).astype(np.int8)
        return np.concatenate([np.array([OPEN], dtype=np.int8), verdicts])
