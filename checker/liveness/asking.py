"""What properties ask of the explored graph, wherever it lies: `Search`, and the search in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from checker.exploration import PathLink
from checker.liveness.eventual import never_again, never_settled
from checker.liveness.fairness import sentences
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso
from checker.liveness.search import FairSearch


@dataclass(frozen=True, slots=True)
class FairRun:
    """A fair lasso by keys: the path to `head`, then `cycle` for ever, or nothing (`stutter`). `why` it is fair."""

    head: int
    cycle: tuple[PathLink, ...]
    stutter: bool
    why: tuple[str, ...]


class Search(Protocol):
    """Questions about the states that were explored. `key` is that of the watch that has recorded their answers."""

    def lasso(self, key: str, everywhere: bool) -> FairRun | None:
        """The fair lasso that begins at the least state with a false answer.

        Unless `everywhere`, all answers on its cycle are false.
        """
        ...

    def lost(self, key: str, settles: bool) -> int | None:
        """With `liveness: nondeterministic` (10.5), the key of the least state from which all is lost.

        What may be lost is that the answer is true again, or, if it `settles`, that it stays true.
        """
        ...


class GraphSearch:
    """The search in a graph that is here as a whole."""

    def __init__(
        self, graph: Graph, answers: Callable[[str], bytearray], ask: Callable[[], None] = lambda: None
    ) -> None:
        """`ask` is called now and then; what it raises ends the search."""
        self.graph = graph
        self.answers = answers
        self._ask = ask
        self._search = FairSearch(graph, ask=ask)

    def lasso(self, key: str, everywhere: bool) -> FairRun | None:
        found = lasso_in(self._search, self.answers(key), everywhere)
        return None if found is None else fair_run(self.graph, found)

    def lost(self, key: str, settles: bool) -> int | None:
        answers = self.answers(key)
        state = (never_settled if settles else never_again)(self.graph, answers, self._ask)
        return None if state is None else self.graph.key(state)


def lasso_in(search: FairSearch, answers: bytearray, everywhere: bool) -> Lasso | None:
    """The lasso that `Search.lasso` asks for."""
    false = answers.translate(bytes([1] + [0] * 255))
    return search.lasso(bytearray(b"\1") * search.graph.states if everywhere else false, false)


def lasso_of(
    graph: Graph, answers: bytearray, everywhere: bool, ask: Callable[[], None] = lambda: None
) -> Lasso | None:
    """The same for a graph that is asked once."""
    return lasso_in(FairSearch(graph, ask=ask), answers, everywhere)


def fair_run(graph: Graph, lasso: Lasso) -> FairRun:
    """A lasso of a graph, by keys."""
    cycle = tuple(PathLink(graph.mark(e).order, graph.key(graph.targets[e])) for e in lasso.cycle)
    return FairRun(graph.key(lasso.head), cycle, lasso.stutter, sentences(graph, lasso))
