"""States that the machine has made, and rows that differ from these only in what a step leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from checker.search.columns.batch import Batch, Taken, counts
from checker.search.columns.code_tables import Ints, halves
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.step_rules import StepRule
from interpreter.state.state import Slot, State


@dataclass(slots=True)
class Arrived:
    """A target made by the machine."""

    state: State
    key: int
    parent: int
    order: int
    starts: int
    crashes: int


@dataclass(slots=True)
class ArrivedAlike:
    """Steps to targets of one layout, each like one of the `examples`, but for the slots in `kept`.

    What is in these comes from the source of the step; the i-th target is like example `which[i]` otherwise. The steps
    have no rows of their own before they are `packed`.
    """

    rule: StepRule
    examples: list[State]
    which: Ints
    kept: Sequence[Slot]
    taken: Taken

    def packed(self, target: Packing, packing: Packing, rows: Rows) -> Taken:
        """The steps to the targets. `rows`: of the frontier, in its `packing`. The target is not outgrown."""
        made, before = target.pack(self.examples).take(self.which), rows.take(self.taken.origin)
        for slot in self.kept:
            for part in target.parts(slot):
                if part in packing.fields:
                    target.put(made, part, packing.codes(before, part))
        self.taken.batch.rows = made
        return self.taken


@dataclass(slots=True)
class Arrivals:
    """All targets of one packing that the machine has made in a chunk."""

    alone: list[Arrived] = field(default_factory=list)
    alike: list[ArrivedAlike] = field(default_factory=list)

    def states(self) -> list[State]:
        """Those that were made, each once: many steps lead to one state."""
        made = chain([one.state for one in self.alone], *[one.examples for one in self.alike])
        return list(dict.fromkeys(made))

    def packed_alone(self, target: Packing) -> Batch:
        """Those that were made one by one as a batch, for which the target fits."""
        arrived = self.alone
        numbers: dict[State, int] = {}
        which = np.array([numbers.setdefault(one.state, len(numbers)) for one in arrived], dtype=np.int64)
        return Batch(
            target.pack(list(numbers)).take(which),
            *halves([one.key for one in arrived]),
            np.array([one.parent for one in arrived], dtype=np.uint32),
            np.array([one.order for one in arrived], dtype=np.int32),
            np.array([one.starts for one in arrived], dtype=np.int32),
            counts(np.array([one.crashes for one in arrived], dtype=np.int64)),
        )
