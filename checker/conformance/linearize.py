"""Searches for an order of concurrent operations that the sequential specification explains.

Linearizability: the search of Wing and Gong ("Testing and verifying concurrent objects", 1993) depth first, with the
memo of Lowe ("Testing for linearizability", 2017) over the set of operations that took effect and the state. The set is
represented by how many operations took effect of those whose responses come first, and bits for the others. Sequential
consistency: the same over the position in each process, without real time.

The search begins again after some time, with operations in another order, and keeps which configurations led nowhere:
where there are many orders, one is found early that a wrong choice near the beginning would hide for long, and where
there is none, only what was open is done twice (as the restarts of Gomes, Selman and Kautz, "Boosting combinatorial
search through randomization", 1998).

Three things are left out that can not matter: an operation that can only read is put in its place as soon as it fits;
one without a response is not tried where it changes nothing; of several alike without responses the first is tried.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from checker.conformance.history import Operation
from checker.conformance.specification import Specification
from checker.core.patience import Patience

_ASKS_EVERY: Final = 256
_FIRST_RUN: Final = 2_000
"""New configurations after which the search begins again for the first time; then it takes twice as many."""
_SPREADS: Final = (16, 64, 4)
"""How many events operations are moved, at most, in the orders in which they are tried after the first."""

Config = tuple[Hashable, ...]
"""What took effect, and the number of the state, which stands last."""


class Order(Protocol):
    """Which operations may take effect next. Configurations end with the number of a state."""

    def first(self, state: int) -> Config:
        """The configuration in which nothing took effect."""

    def after(self, config: Config) -> Iterator[tuple[int, Config]]:
        """The operations that may take effect next, by their position, and the configurations after them."""

    def complete(self, config: Config) -> bool:
        """Whether all operations with a response took effect."""

    def progress(self, config: Config) -> tuple[int, int]:
        """How far it is; the greatest is shown if the search fails."""

    def blocked(self, config: Config) -> list[int]:
        """The operations of which one would have to take effect next, by their position."""

    def reorder(self, chance: random.Random, spread: int) -> None:
        """Try operations in another order from now on: each up to so many events later."""


@dataclass(slots=True)
class Searched:
    """The end of a search. `found`: the operations by the order they took effect in; None: there is no such order.

    `furthest`: the longest order that was found, `stuck`: the configurations as far as that one. `configurations`: how
    many were met.
    """

    found: list[int] | None
    furthest: list[int]
    stuck: list[Config]
    configurations: int


class Search:
    """A depth-first search for a complete configuration, some configurations at a time."""

    def __init__(self, order: Order, beginnings: Sequence[int]) -> None:
        self._order = order
        self._beginnings = list(dict.fromkeys(order.first(state) for state in beginnings))
        self._parents: dict[Config, tuple[Config, int] | None] = {}
        self._best: tuple[int, int] = (-1, -1)
        self._best_config: Config | None = None
        self._stack: list[tuple[Config, Iterator[tuple[int, Config]]]] = []
        self._begun = 0
        self._run = _FIRST_RUN
        self._until = _FIRST_RUN
        self._restarts = 0
        self._chance = random.Random(0)

    @property
    def configurations(self) -> int:
        """How many were met."""
        return len(self._parents)

    def go_on(self, patience: Patience, most: int) -> Searched | None:
        """Search until there are `most` configurations in all; None: it was not decided. Raises `ModelError`."""
        parents, order, stack = self._parents, self._order, self._stack
        asked = 0
        while True:
            if not stack:
                if self._begun == len(self._beginnings):
                    return self._failed()
                self._visit(self._beginnings[self._begun], None)
                self._begun += 1
                continue
            config, following = stack[-1]
            if order.complete(config):
                return Searched(_path(parents, config), [], [], len(parents))
            step = next((one for one in following if one[1] not in parents), None)
            if step is None:
                stack.pop()
                continue
            asked += 1
            if len(parents) >= most or (not asked % _ASKS_EVERY and patience.over is not None):
                # The step is not lost: nothing of it is known.
                stack[-1] = (config, order.after(config))
                return None
            self._visit(step[1], (config, step[0]))
            if len(parents) >= self._until:
                self._begin_again()

    def _visit(self, config: Config, parent: tuple[Config, int] | None) -> None:
        self._parents[config] = parent
        progress = self._order.progress(config)
        if progress > self._best:
            self._best, self._best_config = progress, config
        self._stack.append((config, self._order.after(config)))

    def _begin_again(self) -> None:
        """What is on the stack is open, all else that was met leads nowhere."""
        for config, _ in self._stack:
            del self._parents[config]
        self._stack.clear()
        self._begun -= 1
        self._order.reorder(self._chance, _SPREADS[self._restarts % len(_SPREADS)])
        self._restarts += 1
        self._run *= 2
        self._until = len(self._parents) + self._run

    def _failed(self) -> Searched:
        stuck = [config for config in self._parents if self._order.progress(config)[0] == self._best[0]]
        furthest = [] if self._best_config is None else _path(self._parents, self._best_config)
        return Searched(None, furthest, stuck, len(self._parents))


def _path(parents: dict[Config, tuple[Config, int] | None], config: Config) -> list[int]:
    found: list[int] = []
    while (before := parents[config]) is not None:
        config, position = before
        found.append(position)
    return found[::-1]


class RealTime:
    """Linearizability: an operation that has a response takes effect before those that are invoked after it.

    A configuration: how many operations took effect of those whose responses come first, the bits of others with a
    response from there on, the bits of those without, the state.
    """

    def __init__(self, specification: Specification, operations: Sequence[Operation], kinds: Sequence[int]) -> None:
        self._specification = specification
        with_response = [i for i, one in enumerate(operations) if one.ended is not None]
        self.completed = sorted(with_response, key=lambda i: operations[i].ended or 0)
        self._kinds = [kinds[i] for i in self.completed]
        self._reads = [specification.only_reads(kind) for kind in self._kinds]
        ends = [operations[i].ended or 0 for i in self.completed]
        # For each front, the responses of operations that were invoked before it ended.
        self._open: list[list[int]] = [[] for _ in self.completed]
        for position, i in enumerate(self.completed):
            for front in range(bisect_left(ends, operations[i].called), position + 1):
                self._open[front].append(position)
        pending = [i for i, one in enumerate(operations) if one.ended is None]
        self.pending = sorted(pending, key=lambda i: operations[i].called)
        self._pending_kinds = [kinds[i] for i in self.pending]
        called = [operations[i].called for i in self.pending]
        self._available = [bisect_left(called, end) for end in ends]
        self._ends = ends

    def reorder(self, chance: random.Random, spread: int) -> None:
        """Try operations in another order from now on: each up to so many events later."""
        late = [end + chance.random() * spread for end in self._ends]
        for waiting in self._open:
            waiting.sort(key=late.__getitem__)

    def first(self, state: int) -> Config:
        """Nothing took effect."""
        return (0, 0, 0, state)

    def complete(self, config: Config) -> bool:
        """Whether all operations with a response took effect."""
        return config[0] == len(self.completed)

    def progress(self, config: Config) -> tuple[int, int]:
        """The front, and the number of others."""
        front, others, pending, _ = config
        assert isinstance(front, int) and isinstance(others, int) and isinstance(pending, int)
        return front, others.bit_count() + pending.bit_count()

    def blocked(self, config: Config) -> list[int]:
        """The operation whose response comes next."""
        front = config[0]
        assert isinstance(front, int)
        return [self.completed[front]] if front < len(self.completed) else []

    def after(self, config: Config) -> Iterator[tuple[int, Config]]:
        """The operations invoked before the next response, by their responses, then those without one."""
        front, others, pending, state = config
        assert isinstance(front, int) and isinstance(others, int) and isinstance(pending, int)
        assert isinstance(state, int)
        if front == len(self.completed):
            return
        after, kinds = self._specification.after, self._kinds
        waiting = [one for one in self._open[front] if not others >> (one - front) & 1]
        for one in waiting:
            if self._reads[one] and after(kinds[one], state):
                yield self.completed[one], self._taken(front, others, one, pending, state)
                return
        for one in waiting:
            if not self._reads[one]:
                for target in after(kinds[one], state):
                    yield self.completed[one], self._taken(front, others, one, pending, target)
        met: set[int] = set()
        for one in range(self._available[front]):
            kind = self._pending_kinds[one]
            if pending >> one & 1 or kind in met:
                continue
            met.add(kind)
            for target in after(kind, state):
                if target != state:
                    yield self.pending[one], (front, others, pending | 1 << one, target)

    @staticmethod
    def _taken(front: int, others: int, one: int, pending: int, state: int) -> Config:
        others |= 1 << (one - front)
        passed = (~others & (others + 1)).bit_length() - 1
        return front + passed, others >> passed, pending, state


class ProgramOrder:
    """Sequential consistency: the operations of each process take effect in their order.

    A configuration: the position in each process, the state.
    """

    def __init__(self, specification: Specification, operations: Sequence[Operation], kinds: Sequence[int]) -> None:
        self._specification = specification
        by_process: dict[str, list[int]] = {}
        for i, one in enumerate(operations):
            by_process.setdefault(one.process, []).append(i)
        self._processes = list(by_process.values())
        self._turns = list(range(len(self._processes)))
        self._kinds = list(kinds)
        self._reads = [specification.only_reads(kind) for kind in kinds]
        self._optional = [one.ended is None for one in operations]
        # What the last operation of a process does without a response is open.
        self._needed = [
            max((n + 1 for n, i in enumerate(process) if not self._optional[i]), default=0)
            for process in self._processes
        ]

    def first(self, state: int) -> Config:
        """Each process is at its first operation."""
        return (tuple([0] * len(self._processes)), state)

    def reorder(self, chance: random.Random, spread: int) -> None:
        """Try the processes in another order from now on."""
        chance.shuffle(self._turns)

    def _positions(self, config: Config) -> tuple[int, ...]:
        positions = config[0]
        assert isinstance(positions, tuple)
        return positions

    def complete(self, config: Config) -> bool:
        """Whether each process is past its last response."""
        return all(map(int.__ge__, self._positions(config), self._needed))

    def progress(self, config: Config) -> tuple[int, int]:
        """How many took effect."""
        return sum(self._positions(config)), 0

    def blocked(self, config: Config) -> list[int]:
        """The next operation of each process."""
        at = zip(self._processes, self._positions(config), self._needed, strict=True)
        return [process[position] for process, position, needed in at if position < needed]

    def after(self, config: Config) -> Iterator[tuple[int, Config]]:
        """The next operation of each process."""
        positions, state = self._positions(config), config[1]
        assert isinstance(state, int)
        waiting = [
            (number, self._processes[number][positions[number]])
            for number in self._turns
            if positions[number] < len(self._processes[number])
        ]
        after = self._specification.after
        for number, one in waiting:
            if self._reads[one] and after(self._kinds[one], state):
                yield one, (_advanced(positions, number), state)
                return
        for number, one in waiting:
            if self._reads[one]:
                continue
            for target in after(self._kinds[one], state):
                yield one, (_advanced(positions, number), target)
            if self._optional[one]:
                yield one, (_advanced(positions, number), state)


def _advanced(positions: tuple[int, ...], number: int) -> tuple[int, ...]:
    return (*positions[:number], positions[number] + 1, *positions[number + 1 :])
