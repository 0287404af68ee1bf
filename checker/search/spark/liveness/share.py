"""A share of the graph: the states of one partition with their edges in both directions, and the results of passes.

The address of a state is number x partitions + partition; numbers within a partition ascend by (level, key). Edges are
stored at both ends. A pass sends post to other partitions: numbers of their states, and a value for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from checker.core.demand import QUIET, StateSet
from checker.liveness.graph import Graph, Obligation, Obligations, Strength
from checker.search.checkpoints.key_columns import key_number
from checker.search.contract.ranks import least_of_level, rank

Array = NDArray[Any]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]

KIND: Final = np.dtype(np.uint8)
ADDRESS: Final = np.dtype(np.uint64)
_BITS: Final = 64


class Least(NamedTuple):
    """The least state of some: its rank among all states of the graph, a label to find it by, and its key."""

    rank: tuple[int, int, int]
    label: int
    key: int


@dataclass(slots=True)
class PassResult:
    """The result of a pass in one partition: new arrays, post for each partition, and a reply to the driver.

    `brought` are arrays that only the driver reads.
    """

    arrays: dict[str, Array] = field(default_factory=dict)
    post: Sequence[bytes] = ()
    reply: Any = None
    brought: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Adjacency:
    """The edges of a partition's states in one direction: those of state s are `first[s]` to `first[s + 1]`.

    `ends` are the addresses of the other ends. `order` lists the edges by the partition of the other end, those of each
    partition in the order in which that lists them too; `counts` has their numbers.
    """

    first: Numbers
    ends: NDArray[np.uint64]
    marks: NDArray[np.uint32]
    order: NDArray[np.uint32]
    counts: Numbers

    def of(self, states: Numbers) -> tuple[Numbers, Numbers]:
        """The edges of some states, and for each the index of its state among them."""
        begin = self.first[states]
        lengths = self.first[states + 1] - begin
        index = np.repeat(np.arange(len(states), dtype=np.int64), lengths)
        skipped = np.cumsum(lengths) - lengths
        edges: Numbers = begin[index] + np.arange(len(index), dtype=np.int64) - skipped[index]
        return edges, index

    @cached_property
    def owners(self) -> Numbers:
        """The state of each edge on this side."""
        return np.repeat(np.arange(len(self.first) - 1, dtype=np.int64), np.diff(self.first))

    def sums(self, counted: Mask) -> NDArray[np.uint32]:
        """The number of counted edges of each state."""
        total = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counted, dtype=np.int64)])
        return np.asarray(total[self.first[1:]] - total[self.first[:-1]], dtype=np.uint32)

    def shared(self) -> Iterator[Array]:
        """The edges with each partition, in the order that both ends share."""
        ends = np.cumsum(self.counts)
        for begin, end in zip(ends - self.counts, ends, strict=True):
            yield self.order[begin:end]


@dataclass(frozen=True)
class Share:
    """One partition of the graph: its arrays by name."""

    partition: int
    partitions: int
    arrays: Mapping[str, Array]

    def __getitem__(self, name: str) -> Any:
        return self.arrays[name]

    @property
    def states(self) -> int:
        return len(self.arrays["needs"])

    @cached_property
    def out(self) -> Adjacency:
        return self._adjacency("out")

    @cached_property
    def into(self) -> Adjacency:
        return self._adjacency("into")

    def _adjacency(self, name: str) -> Adjacency:
        return Adjacency(*[self.arrays[f"{name}.{part}"] for part in ("first", "ends", "marks", "order", "counts")])

    @cached_property
    def own(self) -> NDArray[np.uint64]:
        """The addresses of the states."""
        return np.arange(self.states, dtype=np.uint64) * np.uint64(self.partitions) + np.uint64(self.partition)

    def loops(self, side: Adjacency) -> Mask:
        """The edges that lead back to their own state."""
        return np.asarray(side.ends == self.own[side.owners], dtype=np.bool_)

    def here(self, ends: NDArray[np.uint64]) -> tuple[Mask, Numbers]:
        """Which addresses are of this partition, and the number of each within its own partition."""
        numbers, owners = np.divmod(ends, np.uint64(self.partitions))
        return owners == np.uint64(self.partition), numbers.astype(np.int64)

    def rank(self, number: int) -> tuple[int, int, int]:
        """The rank of a state among all; the driver gave those of the states it began with."""
        begun, firsts = self.arrays["begun"], self.arrays["firsts"]
        if number < len(begun):
            return rank(0, 0, int(begun[number]))
        level = int(np.searchsorted(firsts, number, side="right"))
        return rank(level, int(self.arrays["crashes"][number]), key_number(self.arrays["keys"], number))

    def least(self, states: Numbers, labels: Array | None = None) -> Least | None:
        """The least of some states. Without labels its label is its address."""
        if not len(states):
            return None
        number = self._least(np.sort(states))
        label = int((self.own if labels is None else labels)[number])
        return Least(self.rank(number), label, key_number(self.arrays["keys"], number))

    def _least(self, states: Numbers) -> int:
        """The one of least rank among states in ascending order."""
        begun, firsts = self.arrays["begun"], self.arrays["firsts"]
        end = len(begun)
        if states[0] < end:
            ranks = begun
        else:
            level = int(np.searchsorted(firsts, states[0], side="right"))
            ranks, end = self.arrays["crashes"], int(firsts[level]) if level < len(firsts) else self.states
        some = states[: np.searchsorted(states, end)]
        return int(some[least_of_level(ranks[some])])


def least(candidates: Sequence[Least | None]) -> Least | None:
    """The least of the candidates that are not None."""
    return min((c for c in candidates if c is not None), default=None)


def answers_array(key: str) -> str:
    """The name of the array with the answers of a watch, which is no name of another array."""
    return f"answers {key}"


def members(share: Share, states: StateSet) -> Mask:
    """The states of a share that are in a set."""

    def column(key: str) -> NDArray[np.uint8]:
        array = share["quiet"] if key == QUIET.key else share[answers_array(key)]
        return np.asarray(array, dtype=np.uint8)

    return np.asarray(states.over(column, np.ones(share.states, dtype=np.uint8)) != 0)


class Crew(Protocol):
    """Holds the shares of the graph and makes passes over them."""

    partitions: int
    tables: Graph
    columns: tuple[str, ...]
    size: int

    def make(self, name: str, given: object = None) -> list[Any]:
        """Make a pass in every partition; returns their replies."""
        ...

    def go_on(self, name: str, given: object = None) -> Mapping[int, Any]:
        """Make a pass in the partitions that have post; returns their replies by partition."""
        ...

    @property
    def post(self) -> bool:
        """Whether any partition has post."""
        ...

    def share(self, partition: int) -> Share:
        """The arrays of a partition, for single reads."""
        ...

    def cost(self, level: int, crashes: int, begun: int) -> tuple[int, int]:
        """The level of a state and the crash steps on its path, from its arrays.

        A state that was found before there were partitions has the level 0 and a rank, `begun`.
        """
        ...

    def brought(self) -> list[Mapping[str, Array]]:
        """The arrays that the latest pass brought to the driver."""
        ...


# --- post ------------------------------------------------------------------------------------------------------------


def to_post(share: Share, ends: NDArray[np.uint64], values: Array) -> list[bytes]:
    """A value for each of these addresses, by partition; b"" for a partition without any."""
    numbers, owners = np.divmod(ends, np.uint64(share.partitions))
    some = by_owner(owners, share.partitions)
    return [numbers[part].astype(np.uint32).tobytes() + values[part].tobytes() for part in some]


def by_owner(owners: Array, partitions: int) -> list[Numbers]:
    """The indexes of each partition in a column, in order."""
    # Short numbers are sorted in linear time.
    order = np.argsort(owners.astype(np.min_scalar_type(partitions)), kind="stable")
    return np.split(order, np.cumsum(np.bincount(owners.astype(np.int64), minlength=partitions))[:-1])


def from_post(inbound: Sequence[bytes], kind: np.dtype[Any]) -> tuple[Numbers, Array]:
    """The post of all partitions: numbers of states, and values of one kind."""
    numbers: list[Array] = [np.zeros(0, dtype=np.uint32)]
    values: list[Array] = [np.zeros(0, dtype=kind)]
    for data in inbound:
        count = len(data) // (4 + kind.itemsize)
        numbers.append(np.frombuffer(data, dtype=np.uint32, count=count))
        values.append(np.frombuffer(data, dtype=kind, offset=4 * count, count=count))
    return np.concatenate(numbers).astype(np.int64), np.concatenate(values)


# --- obligations as bits ---------------------------------------------------------------------------------------------


def obligations_of(graph: Graph) -> list[Obligation]:
    """All obligations of a graph; the position of each is its bit."""
    asked = frozenset(o for mark in graph.mark_table for o in mark.takes | mark.offers)
    return sorted(asked.union(*graph.need_table))


def bit_tables(graph: Graph) -> dict[str, Array]:
    """The tables of a graph as arrays: a row of bits, one for each obligation, for each mark and each need."""
    numbers = {obligation: number for number, obligation in enumerate(obligations_of(graph))}
    width = max(1, -(-len(numbers) // _BITS))

    def rows(sets: Sequence[Obligations]) -> NDArray[np.uint64]:
        found = np.zeros((max(1, len(sets)), width), dtype=np.uint64)
        for row, obligations in enumerate(sets):
            for obligation in obligations:
                word, bit = divmod(numbers[obligation], _BITS)
                found[row, word] |= np.uint64(1 << bit)
        return found

    def only(strength: Strength) -> list[Obligations]:
        return [frozenset(o for o in need if o.strength == strength) for need in graph.need_table]

    return {
        "takes": rows([mark.takes for mark in graph.mark_table]),
        "offers": rows([mark.offers for mark in graph.mark_table]),
        "strong": rows(only(Strength.STRONG)),
        "weak": rows(only(Strength.WEAK)),
        "crash steps": np.array([mark.order.crashes for mark in graph.mark_table] or [False], dtype=np.bool_),
        "fair steps": np.array([mark.fair for mark in graph.mark_table] or [False], dtype=np.bool_),
    }
