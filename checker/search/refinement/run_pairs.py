"""The search of one refinement: pairs of a state and the set of abstract states that explain a run to it (10.9).

Level by level: a pair of level n is reached by a run of n steps and by none shorter. It is the subset construction on
the abstract side, done only as far as runs of the refining model need it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from checker.core.exploration import Finding, PathLink
from checker.core.patience import Patience
from checker.core.trace import Unmatched
from checker.search.contract.parents import crashes_after
from checker.search.refinement.abstract_states import CUT, AbstractStates
from checker.search.refinement.concrete_run import ConcreteRun
from checker.search.refinement.view_values import Views
from fizz.base.light import dataclass
from interpreter import ModelError
from interpreter.state.step import StepOrder

_NONE = -1


@dataclass(frozen=True, slots=True)
class _Ended:
    """A step at which a run ends: nothing explains its target, or the abstract model fails (`error`).

    `pair`: that of its source, -1 before Init. Of several, the one of least rank counts.
    """

    pair: int
    order: StepOrder
    target: int
    rank: tuple[object, ...]
    error: ModelError | None = None


class RunPairs:
    """The pairs of one refinement. `finding`: the first violation; `error`: the first failure of the abstract model."""

    def __init__(
        self, key: str, run: ConcreteRun, abstract: AbstractStates, viewed: array[int], patience: Patience
    ) -> None:
        self.key = key
        self.run = run
        self.abstract = abstract
        self.viewed = viewed
        self.patience = patience
        self.finding: Finding | None = None
        self.error: Finding | None = None
        self.undecided = False
        """Whether a run left the explored part of the abstract model, so that nothing is known of it."""
        self.states: array[int] = array("q")
        self.sets: array[int] = array("q")
        self.parents: array[int] = array("q")
        self.orders: array[int] = array("q")
        self._crashes: array[int] = array("q")
        self._known: dict[tuple[int, int], int] = {}
        self.waiting: range = range(0)

    @property
    def views(self) -> Views:
        return self.abstract.views

    @property
    def over(self) -> bool:
        """Whether there is nothing more to search."""
        return not self.waiting or self.finding is not None or self.error is not None

    def first(self) -> None:
        """Level 0: the initial states."""
        ended: list[_Ended] = []
        arrived: dict[tuple[int, int], tuple[int, int, int]] = {}
        for state in range(len(self.run.found.keys)):
            order = self.run.found.orders[state]
            try:
                explained = self.abstract.first(self.viewed[state])
            except ModelError as error:
                ended.append(self._ended(_NONE, order, state, error))
                continue
            if self.abstract.explains(explained):
                arrived[state, explained] = (_NONE, order, 0)
            elif CUT not in self.abstract.sets[explained]:
                ended.append(self._ended(_NONE, order, state, None))
            else:
                self.undecided = True
        self._add(arrived)
        self._end(ended)

    def next(self) -> None:
        """The pairs that one more step leads to. Raises `Stop`; then the level is as it was."""
        ended: list[_Ended] = []
        arrived: dict[tuple[int, int], tuple[int, int, int]] = {}
        ranks: dict[tuple[int, int], tuple[object, ...]] = {}
        for pair in self.waiting:
            self.patience.ask()
            state, explained, crashes = self.states[pair], self.sets[pair], self._crashes[pair]
            view, key = self.viewed[state], self.run.found.keys[state]
            for order, target in zip(*self.run.steps(state), strict=True):
                try:
                    after = explained if self.viewed[target] == view else self._after(explained, self.viewed[target])
                except ModelError as error:
                    ended.append(self._ended(pair, order, target, error))
                    continue
                if after == _NONE:
                    ended.append(self._ended(pair, order, target, None))
                    continue
                reached = target, after
                if reached in self._known:
                    continue
                step = self.run.found.order_table[order]
                then = crashes_after(crashes, step.crashes)
                rank = then, step, key, explained
                if reached not in ranks or rank < ranks[reached]:
                    ranks[reached] = rank
                    arrived[reached] = pair, order, then
        self._add(arrived)
        self._end(ended)

    def _after(self, explained: int, view: int) -> int:
        """The set after a step to another view; -1 if nothing explains it."""
        after = self.abstract.after(explained, view)
        if self.abstract.explains(after):
            return after
        if CUT in self.abstract.sets[after]:
            self.undecided = True
            return after
        return _NONE

    def _add(self, arrived: dict[tuple[int, int], tuple[int, int, int]]) -> None:
        first = len(self.states)
        # In the order of keys, so that nothing depends on the order of arrival.
        for (state, explained), (parent, order, crashes) in sorted(arrived.items()):
            self._known[state, explained] = len(self.states)
            self.states.append(state)
            self.sets.append(explained)
            self.parents.append(parent)
            self.orders.append(order)
            self._crashes.append(crashes)
        self.waiting = range(first, len(self.states))

    # --- what is found ---------------------------------------------------------------------------------------------

    def _ended(self, pair: int, order: int, target: int, error: ModelError | None) -> _Ended:
        step = self.run.found.order_table[order]
        crashes = 0 if pair == _NONE else crashes_after(self._crashes[pair], step.crashes)
        source = -1 if pair == _NONE else self.run.found.keys[self.states[pair]]
        return _Ended(pair, step, target, (crashes, source, step, self.run.found.keys[target]), error)

    def _end(self, ended: list[_Ended]) -> None:
        failed = min((one for one in ended if one.error is not None), key=lambda one: one.rank, default=None)
        if failed is not None:
            self.error = Finding(None, self._path(failed), error=failed.error)
        left = min((one for one in ended if one.error is None), key=lambda one: one.rank, default=None)
        if left is not None:
            self.finding = Finding(self.key, self._path(left), unmatched=self._unmatched(left))

    def _path(self, ended: _Ended) -> tuple[PathLink, ...]:
        links = [*self._links(ended.pair)][::-1]
        return (*links, PathLink(ended.order, self.run.found.keys[ended.target]))

    def _links(self, pair: int) -> Iterator[PathLink]:
        """The links to a pair, the last one first."""
        found = self.run.found
        while pair != _NONE:
            yield PathLink(found.order_table[self.orders[pair]], found.keys[self.states[pair]])
            pair = self.parents[pair]

    def _unmatched(self, left: _Ended) -> Unmatched:
        names, texts = self.views.names or (), self.views.texts
        after = self.viewed[left.target]
        before: tuple[str | None, ...] = (None,) * len(names)
        number = None
        if left.pair != _NONE:
            before, number = texts[self.viewed[self.states[left.pair]]], self.sets[left.pair]
        return Unmatched(
            self.abstract.machine.program.path,
            len([*self._links(left.pair)]),
            tuple(zip(names, before, texts[after], strict=True)),
            self.abstract.nearest(number, after),
        )
