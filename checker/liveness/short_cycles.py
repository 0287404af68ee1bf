"""Short cycles (language page, 12.4): the shortest fair cycle through a state, or a known one without padding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, combinations
from typing import Final, NamedTuple, Protocol

from checker.liveness.graph import Graph, Obligation, Obligations, Strength

MOST_NODES: Final = 20_000
"""Nodes that the search for the shortest cycle meets before it is given up."""


class Inside(Protocol):
    """A fair component, and a head in it. The graph has at least the head, and the edges that were asked for."""

    graph: Graph
    head: int

    def edges(self, state: int) -> Iterable[int]:
        """The edges of a state that stay inside, in step order."""
        ...


class Account(NamedTuple):
    """What fairness knows of a walk, each a set of obligations as bits.

    `taken`: names and alternatives. `owed`: strong ones that were available or offered, and not taken. `always`: weak
    ones that were available in every state.
    """

    taken: int
    owed: int
    always: int

    @property
    def settled(self) -> bool:
        """Is a cycle with this account fair?"""
        return not self.owed and not self.always & ~self.taken

    def then(self, later: Account) -> Account:
        """The account of this walk and of how it goes on."""
        taken = self.taken | later.taken
        return Account(taken, (self.owed | later.owed) & ~taken, self.always & later.always)


class ShortCycles:
    """Finds short fair cycles through the head of one component. `most`: the nodes that a search may meet."""

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
        """The account of an edge and of the state it leads to. Many edges share one."""
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

        Breadth first, with edges in step order, finds the walks to each node in that very order. None if the search
        meets too many nodes.
        """
        head, targets = self.inside.head, self.graph.targets
        nodes = [(head, self._in(head))]
        came = [(-1, -1)]
        met = {nodes[0]}
        for place, (state, account) in enumerate(nodes):
            for edge in self.inside.edges(state):
                following = targets[edge], account.then(self._by(edge))
                if following in met:
                    continue
                if len(met) >= self.most:
                    return None
                met.add(following)
                nodes.append(following)
                came.append((place, edge))
                if following[0] == head and following[1].settled:
                    return list(_way(came))[::-1]
        raise AssertionError("a fair component, walked completely, is a fair cycle")

    # --- without padding -------------------------------------------------------------------------------------------

    def without_padding(self, cycle: Sequence[int]) -> list[int]:
        """What is left of a fair cycle when closed pieces of it that fairness does not ask for are removed.

        The longest removable piece goes first, the earliest of equal ones, until there is none.
        """
        left = list(cycle)
        while (piece := self._padding(left)) is not None:
            del left[piece[0] : piece[1]]
        return left

    def _padding(self, cycle: list[int]) -> tuple[int, int] | None:
        """The piece of a cycle to be removed next, from an edge to before another one."""
        states = [self.inside.head, *(self.graph.targets[edge] for edge in cycle)]
        accounts = [self._by(edge) for edge in cycle]
        before = [*accumulate([self._in(states[0]), *accounts], Account.then)]
        after = [*accumulate([self._in(states[-1]), *reversed(accounts)], lambda later, one: one.then(later))][::-1]
        places: defaultdict[int, list[int]] = defaultdict(list)
        for place, state in enumerate(states):
            places[state].append(place)
        pieces = [piece for visits in places.values() for piece in combinations(visits, 2)]
        for begin, end in sorted(pieces, key=lambda piece: (piece[0] - piece[1], piece[0])):
            # The whole cycle is not removed: then what was available at its head is owed.
            if before[begin].then(after[end]).settled:
                return begin, end
        return None


def _way(came: list[tuple[int, int]]) -> Iterator[int]:
    """The edges that led to the last node, from the last to the first."""
    place, edge = came[-1]
    while place >= 0:
        yield edge
        place, edge = came[place]
