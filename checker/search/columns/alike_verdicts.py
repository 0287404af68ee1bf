"""`AlikeVerdicts`: an assertion has one verdict in all states, or steps, that are alike in all that it may read.

An assertion that reads a container whole, as one that looks for an order of a history, is asked in many states in which
that container is the same, and others differ. It is run once for these.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.lookup import RowAsker, Unit
from checker.search.columns.packing import Packing, Rows
from interpreter.state.state import Slot

Reads = list[tuple[int, ...]]
"""The positions of what an assertion may read of a state; of an assertion about steps, of the state before, too."""
AskRows = Callable[[Ints], Ints]
"""The verdicts in some rows."""


class AlikeVerdicts:
    """The verdicts of one assertion rule over one packing. `reads`: what the rule may read."""

    def __init__(self, packing: Packing, reads: Reads) -> None:
        self.reads = reads
        self._packing = packing
        self._known = Unit(None)

    def of(self, sides: list[Rows], ask: AskRows) -> Ints:
        """The verdict in each row; `ask` finds those that are not known, once for rows that are alike.

        `sides`: the rows, and those before the steps to these, if the rule is about steps.
        """
        words = [word for rows in sides for word in rows.words]
        versions = tuple([self._packing.fitted for _ in sides])
        # Nothing is learned of what the rule reads: all that it may read counts.
        return self._known.lookup(words, self._bits, versions, lambda: RowAsker(ask, set))

    def _bits(self, _: set[Slot]) -> Words:
        """The bits that hold all that the rule may read."""
        slots = self._packing.layout.slots
        return np.concatenate([self._packing.mask_whole([slots[at] for at in side]) for side in self.reads])
