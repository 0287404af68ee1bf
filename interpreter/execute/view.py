"""Views: what an execution path may read of a state. A recorder in front of a view records the reads in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from interpreter.state.renaming import Index
from interpreter.state.state import UNBOUND, Slot, State
from interpreter.state.step import Cut, Event, Fork, Read
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake


class View(Protocol):
    """Answers reads of slots with ids."""

    def read(self, slot: Slot) -> int:
        """The id in a slot, UNBOUND if there is no such slot."""

    def whole(self) -> State:
        """The state itself, for the few operations that need all of it."""


class StateView:
    """A view of one state."""

    __slots__ = ("_state", "_interner")

    def __init__(self, state: State, interner: Interner) -> None:
        self._state = state
        self._interner = interner

    def read(self, slot: Slot) -> int:
        position = self._state.layout.index.get(slot)
        if position is not None:
            return self._state.values[position]
        return derived(slot, self._state, self._interner)

    def whole(self) -> State:
        return self._state


def derived(slot: Slot, state: State, interner: Interner) -> int:
    """The answer to a read of a derived slot; UNBOUND for other slots."""
    layout = state.layout
    match slot:
        case ("live", role):
            numbers = layout.live.get(str(role), ())
            return interner.intern(Tag.TUPLE, tuple(interner.intern(Tag.INT, number) for number in numbers))
        case ("names", role, number):
            names = layout.names("field", str(role), int(number)) + layout.names("param", str(role), int(number))
            return interner.intern(Tag.TUPLE, tuple(interner.intern(Tag.STRING, name) for name in sorted(names)))
        case ("used", domain, subject, seen):
            return _used(str(domain), subject, frozenset(seen), state, interner)
        case ("state",):
            slots = interner.intern(Tag.STRING, repr(layout.slots))
            threads = interner.intern(Tag.TUPLE, state.threads)
            return interner.intern(Tag.TUPLE, (slots, *state.values, threads, *state.messages))
        case ("cells",):
            return interner.intern(Tag.INT, len(layout.cells))
    return UNBOUND


def _used(domain: str, subject: int, seen: frozenset[Slot], state: State, interner: Interner) -> int:
    """The values of a domain in use outside the slots in `seen` and the running thread or delivered message."""
    numbers = [n for slot, n in zip(state.layout.slots, state.values, strict=True) if slot not in seen]
    others = [*state.threads, *state.messages]
    if subject in others:
        others.remove(subject)
    return used_values(interner, domain, {pair for number in numbers + others for pair in interner.symmetric(number)})


def used_values(interner: Interner, domain: str, names: Iterable[tuple[str, Index]]) -> int:
    """The answer to a question for the values of a domain in use, given these of all domains."""
    found = sorted(index for name, index in names if name == domain)
    return interner.intern(Tag.TUPLE, tuple(interner.intern(Tag.MODEL_VALUE, (domain, i)) for i in found))


class PairView:
    """A view of two states: slots are prefixed with "before" or "after"."""

    __slots__ = ("_before", "_after")

    def __init__(self, before: View, after: View) -> None:
        self._before = before
        self._after = after

    def read(self, slot: Slot) -> int:
        return (self._before if slot[0] == "before" else self._after).read(slot[1:])

    def whole(self) -> State:
        raise ModelMistake("L30", "next_states() is not available in a transition assertion")

    @property
    def sides(self) -> tuple[View, View]:
        """The views before and after the step."""
        return self._before, self._after

    @property
    def states(self) -> tuple[State, State]:
        """The states before and after the step."""
        return self._before.whole(), self._after.whole()


def states_of(view: View) -> tuple[State, ...] | None:
    """The states of a view: one, or those before and after a step; None if it has none."""
    if isinstance(view, PairView):
        return view.states
    return None if isinstance(view, RememberedView) else (view.whole(),)


class RememberedView:
    """A view of known answers; other reads raise `KeyError`."""

    __slots__ = ("_answers",)

    def __init__(self, answers: Mapping[Slot, int]) -> None:
        self._answers = answers

    def read(self, slot: Slot) -> int:
        return self._answers[slot]

    def whole(self) -> State:
        raise KeyError("state")


class Recorder:
    """Reads a view and records each read once, with its answer, in order with the choices."""

    __slots__ = ("_view", "_answers", "events")

    def __init__(self, view: View) -> None:
        self._view = view
        self._answers: dict[Slot, int] = {}
        self.events: list[Event] = []

    def read(self, slot: Slot) -> int:
        answer = self._answers.get(slot)
        if answer is None:
            answer = self._answers[slot] = self._view.read(slot)
            self.events.append(Read(slot, answer))
        return answer

    def whole(self) -> State:
        """The whole state: recorded as a read of everything."""
        state = self._view.whole()
        self.read(("state",))
        return state

    @property
    def anew(self) -> bool:
        """Whether there was no read since the last cut."""
        return not self._answers

    def forget(self, cut: Cut) -> None:
        """Drops the answers: later reads are recorded anew."""
        self._answers.clear()
        self.events.append(cut)

    def look(self, slot: Slot) -> int:
        """The answer to a read, which is not recorded."""
        return self._view.read(slot)

    @contextmanager
    def apart(self) -> Iterator[list[Event]]:
        """Within the block reads are recorded as if there had been none before; gives them."""
        before = self._answers, self.events
        self._answers, self.events = {}, []
        try:
            yield self.events
        finally:
            self._answers, self.events = before

    def saved(self) -> tuple[dict[Slot, int], list[Event]]:
        """The reads so far, to be restored."""
        return self._answers.copy(), self.events.copy()

    def restore(self, saved: tuple[dict[Slot, int], list[Event]]) -> None:
        """Restores what `saved` returned."""
        self._answers, self.events = saved[0].copy(), saved[1].copy()

    def note(self, fork: Fork) -> None:
        self.events.append(fork)
