"""Finds what rows lose of instances at the end of a step, by a rule that is remembered by what it reads.

The answer "none" comes as soon as all instances are reached, which is mostly after one read.
"""

from __future__ import annotations

from dataclasses import replace

from checker.search.columns.capacity import Capacity
from checker.search.memo.division import WHOLE
from interpreter import Machine
from interpreter.execute.view import View
from interpreter.state.state import UNBOUND, Slot, State
from interpreter.state.step import NO_OUTCOME, Event, ExecutionPath, Read
from interpreter.values.intern import Tag


class InstanceFinder:
    """Looks for instances of one layout, in an order that is fixed when the first state is seen."""

    def __init__(self, machine: Machine, first: State, room: Capacity) -> None:
        self._values = machine.values
        layout = first.layout
        self._layout = layout
        roots: list[Slot] = [layout.slots[i] for i in layout.roots]
        # The slots that hold instances now are asked first.
        roots.sort(key=lambda slot: -len(machine.values.roles(first.get(slot))))
        self._roots = [*roots, *room.slots()]

    def run(self, view: View) -> ExecutionPath:
        """An execution path whose outcome removes the slots of the instances that are not reached."""
        events: list[Event] = []
        wanted = set(self._layout.owned)
        pending: list[tuple[str, int]] = []

        def ask(slot: Slot) -> None:
            number = view.read(slot)
            events.append(Read(slot, number))
            if number == UNBOUND:
                return
            for instance in sorted(self._values.roles(number) & wanted):
                wanted.discard(instance)
                pending.append(instance)
            if self._values.tag(number) is Tag.HEAD:
                _, steps, whole = self._values.extra(number)
                for step in (WHOLE,) if whole else steps:
                    if wanted:
                        ask((*slot, step))

        for slot in self._roots:
            if not wanted:
                break
            ask(slot)
            while pending and wanted:
                for position in self._layout.owned[pending.pop(0)]:
                    slot = self._layout.slots[position]
                    if slot[0] != "role":
                        ask(slot)
        layout = self._layout
        gone = sorted(position for instance in wanted for position in layout.owned[instance])
        writes = tuple((layout.slots[position], UNBOUND) for position in gone)
        return ExecutionPath(tuple(events), replace(NO_OUTCOME, writes=writes))
