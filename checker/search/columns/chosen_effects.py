"""`ChosenEffects`: the effects of one rule in a chunk, which are taken by columns or by the machine."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.packing import Rows
from checker.search.columns.step_rules import StepRule


@dataclass(slots=True)
class ChosenEffects:
    """The effects of one rule in a chunk: the i-th on row `source[i]` of `rows`, row `origin[i]` of the frontier.

    `orders` are their step orders, `live` their kinds for liveness; `messages` the slots of those that are delivered.
    """

    rule: StepRule
    rows: Rows
    source: Ints
    origin: Ints
    effects: Ints
    orders: NDArray[np.int32]
    live: Ints
    messages: Ints | None

    def only(self, which: Mask | Ints) -> ChosenEffects:
        """These of them, by a mask or by index."""
        source, origin, effects = self.source[which], self.origin[which], self.effects[which]
        messages = None if self.messages is None else self.messages[which]
        return ChosenEffects(
            self.rule, self.rows, source, origin, effects, self.orders[which], self.live[which], messages
        )


@dataclass(slots=True)
class Forbidden:
    """Effects that are no steps because of a domain's limit, by the row of those that were looked up."""

    effects: dict[int, set[int]] = field(default_factory=dict)

    def add(self, chosen: ChosenEffects) -> None:
        """None of these is a step."""
        for row, effect in zip(chosen.source.tolist(), chosen.effects.tolist(), strict=True):
            self.effects.setdefault(row, set()).add(effect)
