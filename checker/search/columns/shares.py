"""How processes share a level, so that not all of them learn the same: by rules, and by what assertions read.

Each process applies some rules to all rows, one or two to a part of them. All rules of a level, one after the other,
are a line as long as what they cost on the level before; each process has a piece of that line, and all pieces are
equally long. Where a rule is cut, rows that look alike to it stay together if they can. So do rows that look alike to
the assertions, of which each process judges a part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Final, NamedTuple, Protocol

import numpy as np

from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.step_rules import StepRule
from checker.search.memo.division import is_element
from interpreter.state.state import Slot

Position = tuple[int, ...]
"""That of a rule among the candidates of a state."""
Slots = frozenset[Slot]


class RuleCost(NamedTuple):
    """The seconds that a rule took, and the slots that all its paths read; none if it took next to nothing."""

    seconds: float
    slots: Slots


Costs = Mapping[tuple[Slot, ...], Mapping[Position, RuleCost]]
"""By layout and rule: processes know packings by the slots of their layouts."""
_DEAR: Final = 0.03
"""The share of a rule that takes more than next to nothing."""
_UNEVEN: Final = 0.1
"""A rule is not cut by what it reads if a piece would be larger or smaller by more than this part of its rows."""


class Stretch(NamedTuple):
    """Where a rule is on the line, which is 1 long. A rule that is not on it stretches along all of it.

    `slots` are those by which it is cut: rows that have the same in them stay together.
    """

    begin: float = 0.0
    end: float = 1.0
    slots: Slots = frozenset()

    def cut(self, at: float) -> float:
        """Which part of the rule is before that point of the line."""
        if not 0 < at < 1:
            return at
        if self.begin >= at or self.end <= at:
            return float(self.end <= at)
        return (at - self.begin) / (self.end - self.begin)


Line = Mapping[tuple[Slot, ...], Mapping[Position, Stretch]]
_ANYWHERE: Final = Stretch()
_ENOUGH: Final = 4
"""Slots by which rows are distinguished."""
_SAMPLE: Final = 1 << 12
"""Rows by which it is decided where to cut."""


def line_of(costs: Sequence[Costs]) -> Line:
    """The line of rules that cost so much in several processes together. Those of equal position are neighbours."""
    spent: dict[tuple[Position, tuple[Slot, ...]], RuleCost] = {}
    for one in costs:
        for layout, rules in one.items():
            for position, cost in rules.items():
                before = spent.get((position, layout), RuleCost(0.0, cost.slots))
                slots = before.slots & cost.slots or before.slots | cost.slots
                spent[position, layout] = RuleCost(before.seconds + cost.seconds, slots)
    total = sum(cost.seconds for cost in spent.values())
    line: dict[tuple[Slot, ...], dict[Position, Stretch]] = {}
    begin = 0.0
    for (position, layout), cost in sorted(spent.items(), key=lambda one: one[0][0]):
        end = begin + cost.seconds / total
        line.setdefault(layout, {})[position] = Stretch(begin, end, cost.slots)
        begin = end
    return line


class RuleCosts:
    """The seconds that rules took on the level under way, their part of finding which states are new included.

    They are not CPU seconds, which take some systems as long to measure as a rule takes for a few rows.
    """

    def __init__(self) -> None:
        self._spent: dict[Packing, dict[Position, tuple[StepRule, float, int]]] = {}
        self._joining = 0.0
        self._since = 0.0

    def begin(self) -> None:
        """What comes next is measured."""
        self._since = perf_counter()

    def note(self, rule: StepRule, steps: int) -> None:
        """A rule has made so many steps since `begin`."""
        spent = self._spent.setdefault(rule.packing, {})
        _, seconds, before = spent.get(rule.candidate.order, (rule, 0.0, 0))
        spent[rule.candidate.order] = rule, seconds + perf_counter() - self._since, before + steps

    def note_joining(self) -> None:
        """It was found which states are new since `begin`."""
        self._joining += perf_counter() - self._since

    def clear(self) -> None:
        """Another level begins."""
        self._spent, self._joining = {}, 0.0

    def seconds(self) -> Costs:
        """What each rule took."""
        noted = [one for rules in self._spent.values() for one in rules.values()]
        each = self._joining / max(1, sum(made for _, _, made in noted))
        dear = _DEAR * sum(seconds + each * made for _, seconds, made in noted)

        def cost(rule: StepRule, seconds: float, made: int) -> RuleCost:
            seconds += each * made
            return RuleCost(seconds, most_varied(rule.packing, rule.read_by_all()) if seconds >= dear else frozenset())

        return {
            packing.layout.slots: {position: cost(*one) for position, one in rules.items()}
            for packing, rules in self._spent.items()
        }


class StepShares(Protocol):
    """A part of the steps of a level. Dead ends are judged by who knows all parts."""

    def own(self, rule: StepRule, chunk: Chunk) -> Ints:
        """The rows of a chunk, by index, from which the steps of a rule are taken."""

    def note(self, chunk: Chunk) -> None:
        """The steps of a chunk are complete."""


class RuleShares:
    """The piece of the line that one of `count` processes has, on one level with these parts of the frontier."""

    def __init__(self, line: Line, number: int, count: int, parts: Sequence[Frontier]) -> None:
        self._line = line
        self._number, self._count = number, count
        self._moved = {id(part): np.zeros(len(part.rows), dtype=np.bool_) for part in parts}
        self._known: dict[Packing, Mapping[Position, Stretch]] = {}
        self._cut: dict[tuple[int, Position], Mask | slice] = {}
        """By part and rule: the rows from which steps of the rule are taken here."""

    def own(self, rule: StepRule, chunk: Chunk) -> Ints:
        """The rows of a chunk, by index, from which this process takes the steps of a rule.

        All other processes together take them from the others.
        """
        name = id(chunk.part), rule.candidate.order
        if name not in self._cut:
            self._cut[name] = self._rows(rule, chunk.part)
        rows = self._cut[name]
        if isinstance(rows, slice):
            return np.arange(max(rows.start, chunk.begin), min(rows.stop, chunk.end)) - chunk.begin
        return np.flatnonzero(rows[chunk.begin : chunk.end])

    def _rows(self, rule: StepRule, part: Frontier) -> Mask | slice:
        packing = rule.packing
        if packing not in self._known:
            self._known[packing] = self._line.get(packing.layout.slots, {})
        stretch = self._known[packing].get(rule.candidate.order, _ANYWHERE)
        cuts = [stretch.cut(at / self._count) for at in range(self._count + 1)]
        begin, end = cuts[self._number : self._number + 2]
        if begin < end and end - begin < 1 and stretch.slots:
            own = _alike(part, stretch.slots, cuts, self._number)
            if own is not None:
                return own
        return slice(int(len(part.rows) * begin), int(len(part.rows) * end))

    def note(self, chunk: Chunk) -> None:
        """The steps of a chunk that are taken here are complete."""
        self._moved[id(chunk.part)][chunk.begin : chunk.end] = (chunk.moves != 0) | chunk.failed

    def moved(self, part: Frontier) -> Mask:
        """The rows of a part that have a step that is taken here, or a failure."""
        return self._moved[id(part)]


def most_varied(packing: Packing, slots: Slots) -> Slots:
    """Of some slots a few that have the most values: rows that look alike in all of them look alike in these."""
    return frozenset(sorted(slots, key=lambda slot: -len(packing.fields[slot].table))[:_ENOUGH])


def share_of(part: Frontier, preferred: Sequence[Slots], number: int, count: int) -> Ints:
    """The rows of a part whose states one of so many processes judges; all others together judge the others.

    Rows that have the same in the slots stay together, in the first of the preferred sets that make this possible.
    """
    cuts = [at / count for at in range(count + 1)]
    for slots in preferred:
        own = _alike(part, slots, cuts, number)
        if own is not None:
            return np.flatnonzero(own)
    return np.arange(int(len(part.rows) * cuts[number]), int(len(part.rows) * cuts[number + 1]))


def _alike(part: Frontier, slots: Slots, cuts: Sequence[float], number: int) -> Mask | None:
    """The piece with this number of the rows of a part, if about these parts of them are to be below the cuts.

    Rows that have the same in the slots are in one piece. None: then pieces would be too uneven. It is the same in all
    processes, however they pack states.
    """
    # Another process may have begun to store a set whole on this level.
    bases = {slot[:-1] if is_element(slot) else slot for slot in slots}
    fields = [slot for slot in part.packing.fields if (slot[:-1] if is_element(slot) else slot) in bases]
    apart = max(1, len(part.rows) // _SAMPLE)
    sample = np.sort(part.packing.lows(Rows([word[::apart] for word in part.rows.words]), fields))
    bounds: list[np.uint64 | None] = []
    for cut in cuts:
        at = int(len(sample) * cut)
        if at in (0, len(sample)):
            bounds.append(None if at else np.uint64(0))
            continue
        begin = int(np.searchsorted(sample, sample[at]))
        end = int(np.searchsorted(sample, sample[at], side="right"))
        if min(at - begin, end - at) > _UNEVEN * len(sample):
            return None
        # Rows with this number are below the cut or not, whatever is nearer.
        above = sample[end] if end < len(sample) else None
        bounds.append(sample[at] if at - begin <= end - at else above)
    low, high = bounds[number : number + 2]
    if low is None:
        return np.zeros(len(part.rows), dtype=np.bool_)
    looks = part.packing.lows(part.rows, fields)
    found: Mask = looks >= low
    return found if high is None else found & (looks < high)
