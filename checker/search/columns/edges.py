"""Edges for liveness, gathered by columns and written into the graph level by level."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from checker.liveness.graph import Graph, LiveStep
from checker.search.columns.code_tables import Ints, Mask, Words, ranks_of
from checker.search.columns.store import StateStore
from interpreter.values.budget import METER

_MIX = np.uint64(0x9E3779B97F4A7C15)
_MANY: Final = 1 << 19
"""Keys that are looked up at a time: the more there are, the closer together are the positions where they are found."""


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

    def complete(self, graph: Graph, base: int, quiet: Mask, cut: Mask, known: StateStore) -> None:
        """Write the states `base`, `base + 1`, … of a level, with what was gathered for them, into the graph.

        The meter's hook may raise: then some of them are lost.
        """
        count = len(quiet)
        sources, kinds, targets = self._gathered(known)
        hidden = targets < 0
        order = self.in_step_order(sources, kinds, hidden)
        METER.ask()
        sources, kinds, targets, hidden = sources[order], kinds[order], targets[order], hidden[order]
        METER.ask()
        first = np.searchsorted(sources, base + np.arange(count + 1))
        position = np.arange(len(kinds)) - first[sources - base]
        METER.ask()
        shapes, examples = same_steps(kinds, hidden, position, first)
        marks_of: list[tuple[int, ...]] = []
        needs: list[int] = []
        for state in METER.attended(examples.tolist()):
            span = slice(int(first[state]), int(first[state + 1]))
            steps = [self.kinds[kind] for kind in kinds[span].tolist()]
            need, marks = graph.shape(steps, int(np.count_nonzero(~hidden[span])))
            marks_of.append(marks)
            needs.append(need)
        METER.ask()
        lengths = np.array([len(marks) for marks in marks_of], dtype=np.int64)
        begin = np.cumsum(lengths) - lengths
        flat = np.array([mark for marks in marks_of for mark in marks], dtype=np.uint32)
        taken = ~hidden
        own = shapes[sources[taken] - base]
        inside = np.concatenate([[0], np.cumsum(lengths[shapes])]) if count else np.zeros(1, dtype=np.int64)
        offset = np.uint64(len(graph.targets))
        _extend(graph.marks, flat[begin[own] + position[taken]].astype(np.uint32))
        _extend(graph.targets, targets[taken].astype(np.uint32))
        _extend(graph.first, inside[1:].astype(np.uint64) + offset)
        _extend(graph.needs, np.array(needs, dtype=np.uint32)[shapes])
        graph.quiet += quiet.astype(np.uint8).tobytes()
        graph.cut += cut.astype(np.uint8).tobytes()
        self.clear()

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

    def _gathered(self, known: StateStore) -> tuple[Ints, Ints, Ints]:
        """Sources, kinds and targets of all steps; the target of a hidden one is -1."""
        hidden = [(s, k, np.full(len(s), -1, dtype=np.int64)) for s, k in self._hidden]
        parts = [*self._found(known), *hidden]
        if not parts:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing, nothing
        sources, kinds, targets = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return sources, kinds, targets

    def _found(self, known: StateStore) -> Iterator[tuple[Ints, Ints, Ints]]:
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
            yield sources, kinds, known.numbers(high, low)


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
