"""Edges for liveness, gathered by columns and written into the graph level by level."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.liveness.graph import Graph, LiveStep
from checker.search.columns.code_tables import Ints, Mask, Words, ranks_of
from interpreter.values.budget import METER

_MIX = np.uint64(0x9E3779B97F4A7C15)
_MANY: Final = 1 << 19
"""Keys that are looked up at a time: the more there are, the closer together are the positions where they are found."""


Numbered = Callable[[Words, Words], Ints]
"""Gives the numbers of the states with these halves of keys."""


class DrawnStates(NamedTuple):
    """Consecutive states as they go into the graph, in columns.

    `shapes`: the index of the shape of each state. Of a shape, there are its `lengths` steps among `kinds`, by number,
    the first `inside` of which lead into the graph: to `targets`, in order of the states. `quiet`, `cut`: see `Graph`.
    """

    shapes: Ints
    kinds: Ints
    lengths: Ints
    inside: Ints
    targets: NDArray[np.uint32]
    quiet: Mask
    cut: Mask


class Drawing:
    """Writes states into a graph. `kinds` gives the steps by number; more may follow."""

    def __init__(self, kinds: Sequence[LiveStep]) -> None:
        self._kinds = kinds
        self._known: dict[tuple[int, bytes], tuple[int, bytes]] = {}
        """By shape, as `inside` and the numbers of all steps, its need and its marks, as in `Graph.shape`."""

    def draw(self, graph: Graph, drawn: DrawnStates) -> None:
        """Write the next states into a graph, which is the same in each call.

        The meter's hook may raise: then nothing is written.
        """
        needs, marks = self._shapes(graph, drawn)
        METER.ask()
        begins = np.cumsum(drawn.inside) - drawn.inside
        lengths = drawn.inside[drawn.shapes]
        ends = np.cumsum(lengths)
        position = np.arange(len(drawn.targets)) - np.repeat(ends - lengths, lengths)
        offset = np.uint64(len(graph.targets))
        _extend(graph.marks, marks[np.repeat(begins[drawn.shapes], lengths) + position])
        _extend(graph.targets, drawn.targets)
        _extend(graph.first, ends.astype(np.uint64) + offset)
        _extend(graph.needs, needs[drawn.shapes])
        graph.quiet += drawn.quiet.astype(np.uint8).tobytes()
        graph.cut += drawn.cut.astype(np.uint8).tobytes()

    def _shapes(self, graph: Graph, drawn: DrawnStates) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The need of each shape, and the marks of all of them."""
        known, data = self._known, drawn.kinds.astype(np.uint32).tobytes()
        needs, marks = [], []
        begin = 0
        for length, inside in METER.attended(list(zip(drawn.lengths.tolist(), drawn.inside.tolist(), strict=True))):
            end = begin + 4 * length
            shape = inside, data[begin:end]
            found = known.get(shape)
            if found is None:
                steps = [self._kinds[kind] for kind in drawn.kinds[begin // 4 : end // 4].tolist()]
                need, made = graph.shape(steps, inside)
                found = known[shape] = need, np.array(made, dtype=np.uint32).tobytes()
            needs.append(found[0])
            marks.append(found[1])
            begin = end
        return np.array(needs, dtype=np.uint32), np.frombuffer(b"".join(marks), dtype=np.uint32)


class LevelEdges:
    """The steps of one level that liveness sees: sources by number, kinds by number into `kinds`, targets by key.

    Hidden steps exist, and are not taken because their source is cut.
    """

    def __init__(self) -> None:
        self.kinds: list[LiveStep] = []
        self._numbers: dict[LiveStep, int] = {}
        self._taken: list[tuple[Ints, Ints, Words, Words]] = []
        self._hidden: list[tuple[Ints, Ints]] = []

    def kind(self, step: LiveStep) -> int:
        """The number of a kind of step."""
        known = self._numbers.get(step)
        if known is None:
            known = self._numbers[step] = len(self.kinds)
            self.kinds.append(step)
        return known

    def take(self, sources: Ints, kinds: Ints, high: Words, low: Words) -> None:
        """Steps that lead to the states of these keys."""
        self._taken.append((sources, kinds, high, low))

    def hide(self, sources: Ints, kinds: Ints) -> None:
        """Steps that are available and not taken."""
        self._hidden.append((sources, kinds))

    def drawn(self, base: int, quiet: Mask, cut: Mask, numbers: Numbered) -> DrawnStates:
        """The states `base`, `base + 1`, … of a level, with what was gathered for them, which is given up.

        The meter's hook may raise: then some of them are lost.
        """
        count = len(quiet)
        sources, kinds, targets = self._gathered(numbers)
        hidden = targets < 0
        order = self.in_step_order(sources, kinds, hidden)
        METER.ask()
        sources, kinds, targets, hidden = sources[order], kinds[order], targets[order], hidden[order]
        METER.ask()
        first = np.searchsorted(sources, base + np.arange(count + 1))
        position = np.arange(len(kinds)) - first[sources - base]
        METER.ask()
        shapes, examples = same_steps(kinds, hidden, position, first)
        METER.ask()
        begins, lengths = first[examples], first[examples + 1] - first[examples]
        shown = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        taken = np.concatenate([[0], np.cumsum(~hidden)])
        inside = taken[begins + lengths] - taken[begins]
        self.clear()
        return DrawnStates(shapes, kinds[shown], lengths, inside, targets[~hidden].astype(np.uint32), quiet, cut)

    def clear(self) -> None:
        """Forget the steps; numbers of kinds stay."""
        self._taken, self._hidden = [], []

    @property
    def gathered(self) -> tuple[int, int]:
        """How far they were gathered, for `forget`."""
        return len(self._taken), len(self._hidden)

    def forget(self, gathered: tuple[int, int]) -> None:
        """Forget the steps that were gathered since then."""
        del self._taken[gathered[0] :], self._hidden[gathered[1] :]

    def in_step_order(self, sources: Ints, kinds: Ints, hidden: Mask) -> Ints:
        """The order of steps by source, hidden ones last, and then as the kinds are in the step order."""
        ranks = ranks_of([kind.order for kind in self.kinds])
        # One number each: sorting once is faster than three times.
        sort_keys = (sources.astype(np.int64) << 32) | (hidden.astype(np.int64) << 31) | ranks.take(kinds)
        return np.argsort(sort_keys, kind="stable")

    def _gathered(self, numbers: Numbered) -> tuple[Ints, Ints, Ints]:
        """Sources, kinds and targets of all steps; the target of a hidden one is -1."""
        hidden = [(s, k, np.full(len(s), -1, dtype=np.int64)) for s, k in self._hidden]
        parts = [*self._found(numbers), *hidden]
        if not parts:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing, nothing
        sources, kinds, targets = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return sources, kinds, targets

    def targets(self) -> Iterator[tuple[Words, Words]]:
        """The halves of the keys of all targets, in order."""
        for _, _, high, low in self._taken:
            yield high, low

    def _found(self, numbers: Numbered) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Sources, kinds and targets of the steps that were taken, many at a time; they are given up."""
        waiting = self._taken[::-1]
        self._taken = []
        while waiting:
            parts, count = [], 0
            while waiting and count < _MANY:
                parts.append(waiting.pop())
                count += len(parts[-1][0])
            sources, kinds, high, low = (np.concatenate(columns) for columns in zip(*parts, strict=True))
            METER.ask()
            yield sources, kinds, numbers(high, low)


def same_steps(kinds: Ints, hidden: NDArray[np.bool_], position: Ints, first: Ints) -> tuple[Ints, Ints]:
    """Which states have the same kinds of steps in the same order: a shape number per state, an example per shape."""
    salted = (kinds.astype(np.uint64) * np.uint64(2) + hidden) + (position.astype(np.uint64) << np.uint64(40))
    mixed = salted * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(31))) * _MIX
    METER.ask()
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    totals = sums[first[1:]] - sums[first[:-1]]
    _, examples, shapes = np.unique(totals, return_index=True, return_inverse=True)
    METER.ask()
    # Sums of mixed numbers may agree by accident: then every state is a shape of its own.
    lengths = np.diff(first)
    like = first[examples[shapes]]
    if (lengths == lengths[examples[shapes]]).all():
        owner = np.repeat(np.arange(len(lengths)), lengths)
        twin = like[owner] + position
        if (kinds[twin] == kinds).all() and (hidden[twin] == hidden).all():
            return shapes, examples
    each = np.arange(len(lengths))
    return each, each


def _extend(target: array[int], column: NDArray[np.uint32] | NDArray[np.uint64]) -> None:
    target.frombytes(np.ascontiguousarray(column).tobytes())
