"""`Chunk`: some rows of a frontier that are being expanded, with the steps from them so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from checker.core.level import Level
from checker.search.columns.arrivals import Arrivals
from checker.search.columns.batch import Batch
from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.packing import Packing, Rows
from interpreter.state.state import State


class TooWide(Exception):
    """The rows of a chunk make too many steps together: fewer must be expanded at a time. One may make a million."""


@dataclass(slots=True)
class Chunk:
    """Some rows of a frontier that are being expanded, with their steps so far. Several may make `most` together."""

    part: Frontier
    begin: int
    end: int
    level: Level
    moves: Ints
    failed: Mask
    most: int
    fast: list[Batch] = field(default_factory=list)
    slow: dict[Packing, Arrivals] = field(default_factory=dict)
    """The targets that the machine has made."""
    _steps: int = 0
    _states: dict[int, State] = field(default_factory=dict)

    def make(self, steps: int) -> None:
        """Raise `TooWide` if so many more steps are too many. To be called before they are taken."""
        self._steps += steps
        if self._steps > self.most and self.end - self.begin > 1:
            raise TooWide

    def arrivals(self, packing: Packing) -> Arrivals:
        """The targets of a packing that the machine has made, to which more are added."""
        return self.slow.setdefault(packing, Arrivals())

    def rows(self) -> Rows:
        return self.part.rows.part(self.begin, self.end)

    def states(self, which: Ints) -> list[State]:
        """The states in some rows, by their indexes in the chunk. Several rules may ask for them."""
        indexes = which.tolist()
        new = [index for index in indexes if index not in self._states]
        if new:
            rows = self.begin + np.array(new, dtype=np.int64)
            self._states.update(zip(new, self.part.packing.states(self.part.rows, rows), strict=True))
        return [self._states[index] for index in indexes]
