"""States with shared containers written out at each place, for those who ask for values alone: assertions.

Equality goes by values (language page, 3), and an assertion changes nothing, so that it can not tell two containers
from one in two places.
"""

from __future__ import annotations

from collections.abc import Callable

from interpreter.state.normalise import MOST_SHARING, rebuild, sharing_of
from interpreter.state.state import Layout, Layouts, State
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake
from interpreter.values.tags import CHANGING_TAGS


class Unwritable(Exception):
    """A value contains itself, is too large, or has members in another order if it is written out."""


class WrittenOut:
    """Writes states out, without threads and messages. Caches what is shared in them."""

    def __init__(self, interner: Interner, layouts: Layouts) -> None:
        self._interner = interner
        self._layouts = layouts
        self._without: dict[Layout, Layout] = {}
        self._known: dict[tuple[Layout, tuple[int, ...], tuple[int, ...]], dict[int, int] | None] = {}
        """By layout, the positions of what is shared and the values there: the values written out, by position."""

    def state(self, state: State) -> State | None:
        """The state without shared containers; None if it can not be written so."""
        layout, values = state.layout, state.values
        sharing = sharing_of(self._interner, layout, values)
        held = (layout, sharing, tuple([values[i] for i in sharing]))
        if held not in self._known:
            if len(self._known) > MOST_SHARING:
                self._known.clear()
            self._known[held] = self._values(state, sharing)
        known = self._known[held]
        if known is None:
            return None
        kept = len(values) - len(layout.cells)
        written = list(values[:kept])
        for position, number in known.items():
            written[position] = number
        if layout not in self._without:
            self._without[layout] = self._layouts.ordered(layout.slots[:kept])
        return State(self._without[layout], tuple(written))

    def _values(self, state: State, sharing: tuple[int, ...]) -> dict[int, int] | None:
        cells = [state.values[i] for i in state.layout.cells]
        known: dict[int, int | None] = {}
        try:
            of_slots = [i for i in sharing if state.layout.slots[i][0] != "cell"]
            return {i: written(self._interner, state.values[i], cells.__getitem__, known) for i in of_slots}
        except (Unwritable, ModelMistake):
            return None


def written(interner: Interner, number: int, content: Callable[[int], int], known: dict[int, int | None]) -> int:
    """The id of a value with the contents of cells for references to them: `content` gives it by the cell's number.

    `known`: the values found so far; None: under way. Raises `Unwritable`.
    """
    if not interner.references(number):
        return number
    if number not in known:
        known[number] = None
        if interner.tag(number) is Tag.REF:
            known[number] = written(interner, content(interner.payload(number)[0]), content, known)
        elif interner.tag(number) in CHANGING_TAGS:
            raise Unwritable
        else:
            inside = [written(interner, child, content, known) for child in interner.children(number)]
            known[number] = rebuild(interner, number, inside)
    found = known[number]
    if found is None:
        raise Unwritable
    return found
