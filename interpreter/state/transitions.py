"""Outcomes applied to states: writes, threads, messages, counters, crashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interpreter.compile.program import Program
from interpreter.state.model_limits import ModelLimits
from interpreter.state.normalise import Normaliser
from interpreter.state.parked import FrameShape
from interpreter.state.state import UNBOUND, Layout, Layouts, Slot, State
from interpreter.state.step import Outcome, Rule, StepKind
from interpreter.values.intern import Interner, Tag

_BEGINNINGS: Final = frozenset({StepKind.START, StepKind.INIT})
"""The steps that begin with no thread: of actions, and of funcs that are called from outside."""


class Transitions:
    """Makes the targets of steps: applies the local writes of an outcome and normalises the state."""

    def __init__(self, program: Program, interner: Interner, limits: ModelLimits) -> None:
        self._interner = interner
        self._limits = limits
        self._none = interner.intern(Tag.INT, 0)
        self._reads_returns = program.reads_returns
        self._roles = {role.name: role for role in program.roles}
        self.layouts = Layouts()
        self._normaliser = Normaliser(interner, self.layouts)
        self.empty = State(self.layouts.of(()), ())

    def apply(self, state: State, rule: Rule, outcome: Outcome, twin: bool = False) -> State:
        """The target of a step of `rule` with this outcome, or of its crash twin."""
        changes = self.changes(state, rule, outcome)
        if changes is None:
            return self._normaliser.state(state, *self._parts(state, rule, outcome, twin))
        if not changes:
            return state
        values = list(state.values)
        for position, number in changes:
            values[position] = number
        if state.layout.owned and not self._keeps_all(state, changes, values):
            return self._normaliser.state(state, *self._parts(state, rule, outcome, twin))
        return State(state.layout, tuple(values), state.threads, state.messages)

    def _keeps_all(self, state: State, changes: Sequence[tuple[int, int]], values: Sequence[int]) -> bool:
        """Whether each instance that a changed value no longer holds is held by a variable; if so none is lost."""
        roles, layout = self._interner.roles, state.layout
        if any(len(roles(values[root])) == len(layout.owned) for root in layout.roots):
            return True
        lost: set[tuple[str, int]] = set()
        for position, number in changes:
            lost |= roles(state.values[position]) - roles(number)
        return all(any(one in roles(values[root]) for root in layout.roots) for one in lost)

    def changes(self, state: State, rule: Rule, outcome: Outcome) -> list[tuple[int, int]] | None:
        """The values that an action writes, by position in the layout, if its target is that and nothing else.

        So it is if the action has ended, the slots are the same, and no instance is lost, which the caller finds out.
        """
        if rule.kind not in _BEGINNINGS or outcome.thread is not None or outcome.sent or self._reads_returns:
            return None
        layout = state.layout
        if layout.cells:
            return None
        index, interner = layout.index, self._interner
        found: list[tuple[int, int]] = []
        for counter in self._limits.counters(rule) if rule.kind is StepKind.START else ():
            position = index.get(("count", counter))
            if position is None:
                return None
            found.append((position, self._one_more(state.values[position])))
        for slot, number in outcome.writes:
            position = index.get(slot)
            if position is None or number == UNBOUND or interner.references(number):
                return None
            found.append((position, number))
        return found

    def origins(self, state: State, rule: Rule, outcome: Outcome, twin: bool = False) -> list[int | None]:
        """For each thread of the target of a step, its number in the state before; None for one that the step began."""
        if rule.kind is StepKind.CRASH_ROLE:
            assert rule.instance is not None
            numbers: list[int | None] = list(self._surviving(state, rule.instance))
            order = self._normaliser.order(state, *self._without(state, rule.instance))
            return [numbers[index] for index in order]
        numbers = list(range(len(state.threads)))
        moved = None
        if rule.kind is StepKind.CONTINUE:
            moved = state.threads.index(rule.subject)
            numbers.remove(moved)
        if outcome.thread is not None and not twin:
            numbers.append(moved)
        return [numbers[index] for index in self._normaliser.order(state, *self._parts(state, rule, outcome, twin))]

    def _parts(
        self, state: State, rule: Rule, outcome: Outcome, twin: bool
    ) -> tuple[Layout, list[int], list[int], list[int]]:
        """The layout, values, threads and messages of the target before normalisation."""
        threads = list(state.threads)
        messages = list(state.messages)
        if rule.kind is StepKind.CONTINUE:
            threads.remove(rule.subject)
        elif rule.kind is StepKind.DELIVER:
            messages.remove(rule.subject)
        if outcome.thread is not None and not twin:
            threads.append(outcome.thread)
        messages += outcome.sent
        layout, values = self._written(state, (*outcome.writes, *self.returns(outcome, twin)))
        if rule.kind is StepKind.START:
            layout, values = self._counted(layout, values, rule)
        return layout, values, threads, messages

    def crash_role(self, state: State, instance: tuple[str, int]) -> State:
        """The state after the crash of an instance (language page, 8.2)."""
        return self._normaliser.state(state, *self._without(state, instance))

    def _without(self, state: State, instance: tuple[str, int]) -> tuple[Layout, list[int], list[int], list[int]]:
        """The layout, values, threads and messages after the crash of an instance, before normalisation."""
        writes: list[tuple[Slot, int]] = []
        cells = len(state.layout.cells)
        for slot, reset in self.resets(state.layout, instance):
            number = state.get(reset)
            if state.layout.cells and number != UNBOUND:
                number, copies = self._normaliser.copied(state, number, cells)
                cells += len(copies)
                writes += copies
            writes.append((slot, number))
        threads = [state.threads[number] for number in self._surviving(state, instance)]
        layout, values = self._written(state, (*writes, *self.returns(None, twin=True)))
        return layout, values, threads, list(state.messages)

    def _surviving(self, state: State, instance: tuple[str, int]) -> list[int]:
        """The numbers of the threads that a crash of an instance leaves."""
        return [n for n, thread in enumerate(state.threads) if self.top_instance(thread) != instance]

    def resets(self, layout: Layout, instance: tuple[str, int]) -> list[tuple[Slot, Slot]]:
        """The fields that a crash of an instance resets, and the slots of their reset values."""
        role, number = instance
        names = {name for name in layout.names("field", role, number) if self._roles[role].ephemeral(name)}
        names.update(layout.names("reset", role, number))
        return [(("field", role, number, name), ("reset", role, number, name)) for name in sorted(names)]

    # --- threads ---------------------------------------------------------------------------------------------------

    def frame_instance(self, frame: int) -> tuple[str, int] | None:
        """The `self` of a parked frame."""
        owner = self._interner.children(frame)[0]
        payload = self._interner.payload(owner)
        return None if payload is None else (str(payload[0]), int(payload[1]))

    def top_instance(self, thread: int) -> tuple[str, int] | None:
        """The `self` of the frame that runs next."""
        return self.frame_instance(self._interner.children(thread)[-1])

    def waiting_instances(self, thread: int) -> set[tuple[str, int]]:
        """The instances that wait for a reply: `self` of other frames than the top one, unless it is the top's too."""
        frames = self._interner.children(thread)
        waiting = {self.frame_instance(frame) for frame in frames[:-1]}
        return {instance for instance in waiting if instance is not None} - {
            self.frame_instance(frames[-1]) or ("", -1)
        }

    def root(self, thread: int) -> tuple[int, tuple[str, int] | None]:
        """The routine and the instance at the root of a thread."""
        frame = self._interner.children(thread)[0]
        shape = self._interner.payload(frame)[1]
        assert isinstance(shape, FrameShape)
        return shape.number, self.frame_instance(frame)

    # --- writes ----------------------------------------------------------------------------------------------------

    def _written(self, state: State, writes: tuple[tuple[Slot, int], ...]) -> tuple[Layout, list[int]]:
        layout, values = state.layout, list(state.values)
        index = layout.index
        if all(slot in index and number != UNBOUND for slot, number in writes):
            for slot, number in writes:
                values[index[slot]] = number
            return layout, values
        slots = state.as_dict()
        for slot, number in writes:
            if number == UNBOUND:
                slots.pop(slot, None)
            else:
                slots[slot] = number
        for counter in self._new_counters(state, writes):
            slots.setdefault(counter, self._none)
        final = self.layouts.of(slots)
        return final, [slots[slot] for slot in final.slots]

    def _new_counters(self, state: State, writes: tuple[tuple[Slot, int], ...]) -> Iterator[Slot]:
        """The counters of the model, if it begins, and of new instances.

        So a start changes no layout. One that is still missing counts from 0.
        """
        if state is self.empty:
            for counter in self._limits.of_model():
                yield ("count", counter)
        for slot, number in writes:
            if slot[0] == "role" and number != UNBOUND:
                for counter in self._limits.of_instance(slot[1], slot[2]):
                    yield ("count", counter)

    def _assigned(self, layout: Layout, values: list[int], slot: Slot, number: int) -> tuple[Layout, list[int]]:
        position = layout.index.get(slot)
        if position is not None:
            values[position] = number
            return layout, values
        slots = dict(zip(layout.slots, values, strict=True))
        slots[slot] = number
        final = self.layouts.of(slots)
        return final, [slots[s] for s in final.slots]

    def _counted(self, layout: Layout, values: list[int], rule: Rule) -> tuple[Layout, list[int]]:
        for key in self._limits.counters(rule):
            slot: Slot = ("count", key)
            position = layout.index.get(slot)
            layout, values = self._assigned(
                layout, values, slot, self._one_more(None if position is None else values[position])
            )
        return layout, values

    def _one_more(self, counter: int | None) -> int:
        """The id of the number after that of a counter, which is 0 where there is none."""
        starts = 0 if counter is None else self._interner.payload(counter)
        return self._interner.intern(Tag.INT, starts + 1)

    def returns(self, outcome: Outcome | None, twin: bool) -> tuple[tuple[Slot, int], ...]:
        """The write of a step's returns, if the model reads them; crashes return nothing."""
        if not self._reads_returns:
            return ()
        returned = () if outcome is None or twin else outcome.returns
        pairs = [(self._interner.intern(Tag.STRING, label), number) for label, number in returned]
        return ((("returns",), self._interner.intern_pairs(Tag.DICT, pairs)),)
