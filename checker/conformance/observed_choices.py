"""What an event says of the choices of a step: `candidate`, or a part of what is chosen, `m.term`, `len(m.log)`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from checker.conformance.state_places import NoSuchPlace, part_of, split_place, text_of
from interpreter.values.intern import Interner
from interpreter.values.observed import same


def chosen_name(place: str) -> str:
    """The variable of a choice: of `len(m.entries)` it is `m`."""
    return split_place(place)[1]


class ObservedChoices:
    """Which alternatives are those that an event names. `missed`: how well others agreed, if they are to be kept."""

    def __init__(self, values: Interner, pairs: Sequence[tuple[str, Any]], keep: bool = False) -> None:
        self._values = values
        self._said: dict[str, list[tuple[str, Any]]] = {}
        for place, value in pairs:
            self._said.setdefault(f"Any:{chosen_name(place)}=", []).append((place, value))
        self._keep = keep
        self.missed: dict[str, int] = {}

    def admits(self, word: str, number: int) -> bool:
        """Whether a choice with this word may be of this value."""
        said = self._said.get(word, ())
        for agreed, (place, observed) in enumerate(said):
            why = self._differs(number, place, observed)
            if why is not None:
                if self._keep:
                    self.missed[why] = max(agreed, self.missed.get(why, 0))
                return False
        return True

    def nearest(self, most: int) -> list[str]:
        """Why alternatives were left out, those first that agreed in most."""
        found = sorted(self.missed, key=lambda why: -self.missed[why])
        return [*found[:most], *([f"and {len(found) - most:,} others"] if len(found) > most else [])]

    def _differs(self, number: int, place: str, observed: Any) -> str | None:
        """How a value differs from what was observed of it."""
        length, _, rest = split_place(place)
        try:
            there = part_of(self._values, number, rest, length, place)
        except NoSuchPlace as failure:
            return str(failure)
        if there.number is None:
            agrees = there.computed == observed
        else:
            agrees = same(self._values, there.number, observed) or self._values.text(there.number) == str(observed)
        return (
            None
            if agrees
            else f"{place} may be {text_of(self._values, there)}, not {json.dumps(observed, default=str)}"
        )
