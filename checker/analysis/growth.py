"""Values that seem to grow without bound, reported where a search was cut: perhaps no greater bound had ended it.

The evidence is the path to the state of least key on the last level: a shortest path, and the same one for every
engine. Along it each variable has a greatest number, a least number and a longest collection so far. A variable that
exceeds these repeatedly, and still does at the end or could in the next step, is taken to grow: if several variables
grow, the path may end with the steps of one of them. A variable with a bound that it has not reached looks the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from checker.core.exploration import Exploration, PathLink
from fizz import Diagnostic
from interpreter import Machine, State
from interpreter.values.intern import Interner, Tag

_LEAST: Final = 8
"""Levels on which a value must have grown. Shorter paths prove nothing."""
_MOST: Final = 1_000
"""Levels that are examined, from the initial states on."""
_HINT: Final = (
    "bound it with a `require`; if the model bounds it already, raise the bound of the search until it is met"
)
_COLLECTIONS: Final = frozenset(
    {Tag.LIST, Tag.TUPLE, Tag.SET, Tag.GENERICSET, Tag.BAG, Tag.DICT, Tag.GENERICMAP, Tag.STRING, Tag.BYTES}
)


class Extent(NamedTuple):
    """The extent of a value: its longest collection or text, its greatest number, its least number negated."""

    longest: float = 0
    greatest: float = -math.inf
    lowest: float = -math.inf

    def beyond(self, other: Extent) -> Extent:
        """The maximum of both in each measure."""
        return Extent(*map(max, self, other))


def growing(machine: Machine, exploration: Exploration) -> Iterator[Diagnostic]:
    """The warning about growing values, if the search was cut and there are any."""
    states = list(_states(machine, exploration.deepest[: _MOST + 1], exploration.reduced))
    if len(states) <= _LEAST:
        return
    measure = _Measure(machine)
    along = [measure.of(state) for state in states]
    records = {name: _records([extents.get(name, Extent()) for extents in along]) for name in along[-1]}
    often = {name: found for name, found in records.items() if found}
    # Most models have no such value and skip this.
    ahead = (
        [measure.of(step.target) for state in states[-_LEAST:] for step in machine.steps(state).steps] if often else []
    )
    latest = len(along) - 1 - max(_LEAST, len(along) // 4)
    names = [
        name
        for name, found in often.items()
        if any(
            one.level > latest or any(to.get(name, Extent())[one.measure] > one.most for to in ahead) for one in found
        )
    ]
    if names:
        verb = "grow" if len(names) > 1 or names[0].startswith("the ") else "grows"
        yield Diagnostic("W20", f"{', '.join(names)} {verb} on every level", hint=_HINT)


def _states(machine: Machine, path: Sequence[PathLink], reduced: bool) -> Iterator[State]:
    """The stored states of a path; fewer if the model does not respect a symmetry that it declares."""
    state: State | None = None
    for link in path:
        if state is None:
            beginnings = machine.initial()[0]
            target = next((one.state for one in beginnings if one.forks == link.order.forks), None)
        else:
            step = machine.step(state, link.order)
            target = None if step is None else step.target
        if target is None:
            return
        state = machine.canonical(target) if reduced else target
        yield state


class _Record(NamedTuple):
    """A measure with a new maximum on at least `_LEAST` levels of a path: the last such level, and the maximum."""

    measure: int
    level: int
    most: float


def _records(along: Sequence[Extent]) -> list[_Record]:
    """The measures with that many new maxima."""
    found = []
    for measure in range(len(Extent._fields)):
        most, last, times = along[0][measure], 0, 0
        for level, extent in enumerate(along):
            if extent[measure] > most:
                most, last, times = extent[measure], level, times + 1
        if times >= _LEAST:
            found.append(_Record(measure, last, most))
    return found


class _Measure:
    """Measures the values in states of one machine, by the names that reports use."""

    def __init__(self, machine: Machine) -> None:
        self._interner: Interner = machine.values
        self._excluded = frozenset(machine.program.options.exclude)
        self._known: dict[int, Extent] = {}

    def of(self, state: State) -> dict[str, Extent]:
        """The extents of state variables, fields and params of all instances of a role, threads, messages."""
        found: dict[str, Extent] = {}

        def add(name: str, extent: Extent) -> None:
            found[name] = found[name].beyond(extent) if name in found else extent

        for slot, number in zip(state.layout.slots, state.values, strict=True):
            if slot[0] == "heap" and slot[1] not in self._excluded:
                add(f"`{slot[1]}`", self._reached([number], state))
            elif slot[0] in ("field", "param"):
                add(f"`{slot[1]}.{slot[3]}`", self._reached([number], state))
        for role, numbers in state.layout.live.items():
            add(f"the instances of `{role}`", Extent(longest=len(numbers)))
        for name, numbers in (("the threads", state.threads), ("the messages", state.messages)):
            add(name, self._reached(numbers, state).beyond(Extent(longest=len(numbers))))
        return found

    def _reached(self, numbers: Iterable[int], state: State) -> Extent:
        """The extent of values, including shared objects that they refer to."""
        interner = self._interner
        extent, pending, met = Extent(), list(numbers), set[int]()
        while pending:
            number = pending.pop()
            if not interner.references(number):
                extent = extent.beyond(self._extent(number))
            elif number not in met:
                met.add(number)
                if interner.tag(number) is Tag.REF:
                    pending.append(state.get(("cell", interner.payload(number)[0])))
                else:
                    extent = extent.beyond(self._own(number))
                    pending += interner.children(number)
        return extent

    def _extent(self, number: int) -> Extent:
        """The extent of a value without references to shared objects."""
        known = self._known.get(number)
        if known is None:
            known = self._own(number)
            for child in self._interner.children(number):
                known = known.beyond(self._extent(child))
            self._known[number] = known
        return known

    def _own(self, number: int) -> Extent:
        tag, payload = self._interner.tag(number), self._interner.payload(number)
        if tag in _COLLECTIONS:
            return Extent(longest=len(payload))
        if tag is Tag.INT or (tag is Tag.FLOAT and math.isfinite(payload)):
            return Extent(greatest=payload, lowest=-payload)
        return Extent()
