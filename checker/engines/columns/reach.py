"""Which rows lose an instance at the end of a step: a rule like any other, remembered by what it reads.

The answer "none" comes as soon as all instances are reached, which is mostly after one read.
"""

from __future__ import annotations

from interpreter import Machine
from interpreter.state import UNBOUND, Slot, State
from interpreter.step import Event, Outcome, Read, Way


class Reach:
    """Looks for instances of one layout, in an order that is fixed when the first state is seen."""

    def __init__(self, machine: Machine, first: State, places: int) -> None:
        self._roles = machine.values.roles
        layout = first.layout
        self._layout = layout
        roots: list[Slot] = [layout.slots[i] for i in layout.roots]
        # The slots that hold instances now are asked first.
        roots.sort(key=lambda slot: -len(self._roles(first.get(slot))))
        self._roots = [*roots, *[("thread", place) for place in range(places)]]

    def run(self, state: State) -> Way:
        """A way whose outcome's value tells whether all instances are reached."""
        events: list[Event] = []
        wanted = set(self._layout.owned)
        pending: list[tuple[str, int]] = []

        def ask(slot: Slot) -> None:
            number = _read(state, slot)
            events.append(Read(slot, number))
            if number != UNBOUND:
                for instance in sorted(self._roles(number) & wanted):
                    wanted.discard(instance)
                    pending.append(instance)

        for slot in self._roots:
            if not wanted:
                break
            ask(slot)
            while pending and wanted:
                for position in self._layout.owned[pending.pop(0)]:
                    slot = self._layout.slots[position]
                    if slot[0] != "role":
                        ask(slot)
        return Way(tuple(events), Outcome((), None, (), (), (), False, (), (), (), (), not wanted))


def _read(state: State, slot: Slot) -> int:
    if slot[0] == "thread":
        return state.threads[slot[1]] if slot[1] < len(state.threads) else UNBOUND
    return state.get(slot)
