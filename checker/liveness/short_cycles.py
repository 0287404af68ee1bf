"""Short cycles (language page, 12.4): the shortest fair cycle through a state, or a known cycle without padding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, combinations
from typing import Final, NamedTuple, Protocol

from checker.liveness.graph import Graph, Obligation, Obligations, Strength

MOST_NODES: Final = 20_000
"""Nodes after which the search for the shortest cycle is given up."""


class Inside(Protocol):
    """A fair component, and a head in it. The graph has at least the head and the edges returned so far."""

    graph: Graph
    head: int

    def edges(self, state: int) -> Iterable[int]:
        """The edges of a state that stay inside, in step order."""
        ...


class Account(NamedTuple):
    """The obligations of a walk, as sets of bits.

    `taken`: names and alternatives. `owed`: strong names that were available and alternatives that were offered, not
    taken. `always`: weak names that were available in every state.
    """

    taken: int
    owed: int
    always: int

    @property
    def settled(self) -> bool:
        """Whether a cycle with this account is fair."""
        return not self.owed and not self.always & ~self.taken

    def then(self, later: Account) -> Account:
        """The account of this walk followed by another."""
        taken = self.taken | later.taken
        return Account(taken, (self.owed | later.owed) & ~taken, self.always & later.always)


class ShortCycles:
    """Finds short fair cycles through the head of one component. `most`: how many nodes a search may meet."""

    def __init__(self, inside: Inside, most: int) -> None:
        self.inside = inside
        self.graph = inside.graph
        self.most = most
        self._bits: dict[Obligation, int] = {}
        self._known: dict[tuple[int, int], Account] = {}

    # --- accounts --------------------------------------------------------------------------------------------------

    def _in(self, state: int) -> Account:
        """The account of being in a state."""
        names = self.graph.need(state)
        strong = frozenset(name for name in names if name.strength == Strength.STRONG)
        return Account(0, self._set(strong), self._set(names - strong))

    def _by(self, edge: int) -> Account:
        """The account of an edge and of its target. Many edges share one."""
        graph, target = self.graph, self.graph.targets[edge]
        key = graph.marks[edge], graph.needs[target]
        known = self._known.get(key)
        if known is None:
            mark = graph.mark(edge)
            alone = Account(self._set(mark.takes), self._set(mark.offers), -1)
            known = self._known[key] = alone.then(self._in(target))
        return known

    def _set(self, obligations: Obligations) -> int:
        return sum(1 << self._bits.setdefault(one, len(self._bits)) for one in obligations)

    # --- the shortest ----------------------------------------------------------------------------------------------

    def shortest(self) -> list[int] | None:
        """The edges of the shortest fair cycle, of several the least by the order of its steps.

        Breadth first with edges in step order finds walks in that order. None if the search meets too many nodes.
        """
        head, targets = self.inside.head, self.graph.targets
        nodes = [(head, self._in(head))]
        came = [(-1, -1)]
        met = {nodes[0]}
        for index, (state, account) in enumerate(nodes):
            for edge in self.inside.edges(state):
                following = targets[edge], account.then(self._by(edge))
                if following in met:
                    continue
                if len(met) >= self.most:
                    return None
                met.add(following)
                nodes.append(following)
                came.append((index, edge))
                if following[0] == head and following[1].settled:
                    return list(_edges_to_last(came))[::-1]
        raise AssertionError("a fair component, walked completely, is a fair cycle")

    # --- without padding -------------------------------------------------------------------------------------------

    def without_padding(self, cycle: Sequence[int]) -> list[int]:
        """A fair cycle without the closed pieces that fairness does not need.

        The longest removable piece is removed first, the earliest of equal ones, until there is none.
        """
        left = list(cycle)
        while (piece := self._padding(left)) is not None:
            del left[piece[0] : piece[1]]
        return left

    def _padding(self, cycle: list[int]) -> tuple[int, int] | None:
        """The piece of a cycle to be removed next, as a slice of its edges."""
        states = [self.inside.head, *(self.graph.targets[edge] for edge in cycle)]
        accounts = [self._by(edge) for edge in cycle]
        before = [*accumulate([self._in(states[0]), *accounts], Account.then)]
        after = [*accumulate([self._in(states[-1]), *reversed(accounts)], lambda later, one: one.then(later))][::-1]
        positions: defaultdict[int, list[int]] = defaultdict(list)
        for position, state in enumerate(states):
            positions[state].append(position)
        pieces = [piece for visits in positions.values() for piece in combinations(visits, 2)]
        for begin, end in sorted(pieces, key=lambda piece: (piece[0] - piece[1], piece[0])):
            # The whole cycle is never removed: the obligations at its head would be owed.
            if before[begin].then(after[end]).settled:
                return begin, end
        return None


def _edges_to_last(came: list[tuple[int, int]]) -> Iterator[int]:
    """The edges that led to the last node, from the last to the first."""
    index, edge = came[-1]
    while index >= 0:
        yield edge
        index, edge = came[index]
