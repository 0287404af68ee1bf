"""The search of one refinement: pairs of a state and the set of abstract states that explain a run to it (10.9).

Level by level: a pair of level n is reached by a run of n steps and by none shorter. It is the subset construction on
the abstract side, done only as far as runs of the refining model need it. Pairs are columns: most steps lead from a
(set, view) that was met before to one that is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from checker.core.exploration import Finding, PathLink
from checker.core.level import StateRef, Witness
from checker.core.patience import Patience
from checker.core.trace import Unmatched
from checker.search.columns.code_tables import ranks_of
from checker.search.contract.parents import by_key_and_parent, crashes_after
from checker.search.refinement.abstract_states import CUT, AbstractStates
from checker.search.refinement.concrete_run import ConcreteRun, each_edge, in_parts
from interpreter import ModelError
from interpreter.state.step import StepOrder

Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

_NONE: Final = -1
_FAILS: Final = -2
_SET_BITS: Final = 31
"""A pair is one number: that of its state, and that of its set in so many bits."""


class _Arrived(NamedTuple):
    """Pairs that steps lead to, or the ends of runs (`after` below 0).

    `pairs`: those of the sources; `marks` of the steps in the graph; `targets`: states; `crashes` on the path.
    """

    pairs: Ints
    marks: Ints
    targets: Ints
    after: Ints
    crashes: Ints

    def take(self, which: Ints) -> _Arrived:
        return _Arrived(*(column.take(which) for column in self))


class RunPairs:
    """The pairs of one refinement, its number among those of the run being `place`.

    `finding`: the first violation; `error`: the first failure of the abstract model.
    """

    def __init__(self, key: str, run: ConcreteRun, abstract: AbstractStates, place: int, patience: Patience) -> None:
        self.key = key
        self.run = run
        self.abstract = abstract
        self.place = place
        self.patience = patience
        self.finding: Finding | None = None
        self.error: Finding | None = None
        self.undecided = False
        """Whether a run left the explored part of the abstract model, so that nothing is known of it."""
        nothing = np.zeros(0, dtype=np.int64)
        self._states, self._sets, self._crashes, self._parents, self._marks = (nothing,) * 5
        self._known = nothing
        self.waiting = nothing

    @property
    def viewed(self) -> Ints:
        return self.run.viewed[self.place]

    @property
    def pairs(self) -> int:
        """How many pairs were found."""
        return len(self._states)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to search."""
        return not len(self.waiting) or self.finding is not None or self.error is not None

    def first(self) -> None:
        """Level 0: the initial states."""
        states = np.arange(self.run.found)
        explained = [self._result(lambda view: self.abstract.first(view), view) for view in self.viewed.tolist()]
        nowhere = np.full(len(states), _NONE, dtype=np.int64)
        after = np.array(explained, dtype=np.int64)
        self._add(_Arrived(nowhere, nowhere, states, after, np.zeros(len(states), dtype=np.int64)), None)

    def next(self) -> None:
        """The pairs that one more step leads to. Raises `Stop`; then the level is as it was."""
        orders = [mark.order for mark in self.run.graph.mark_table]
        crash = np.array([order.crashes for order in orders], dtype=np.bool_)
        found = [self._steps_of(some, crash) for some in in_parts(self._going())]
        nothing = np.zeros(0, dtype=np.int64)
        columns = zip(*found, strict=True) if found else [[nothing]] * 5
        self._add(_Arrived(*(np.concatenate(column) for column in columns)), ranks_of(orders))

    def _going(self) -> Ints:
        """The pairs from which runs go on."""
        if not self.run.ended:
            return self.waiting
        ended = np.array(sorted(self.run.ended), dtype=np.int64)
        return self.waiting[~np.isin(self._states[self.waiting], ended)]

    def _steps_of(self, pairs: Ints, crash: Mask) -> _Arrived:
        """The steps from some pairs, those apart that lead to pairs that are known."""
        self.patience.ask()
        states = self._states[pairs]
        sources, marks, targets = each_edge(self.run.graph, states)
        sources = pairs[sources]
        explained, seen = self._sets[sources], self.viewed[targets]
        after = explained.copy()
        moved = np.flatnonzero(seen != self.viewed[self._states[sources]])
        codes, inverse = np.unique((explained[moved] << _SET_BITS) | seen[moved], return_inverse=True)
        results = [self._after(code >> _SET_BITS, code & ((1 << _SET_BITS) - 1)) for code in codes.tolist()]
        after[moved] = np.array(results, dtype=np.int64)[inverse]
        crashes = crashes_after(self._crashes[sources], crash[marks])
        arrived = _Arrived(sources, marks, targets, after, crashes)
        reached = (targets << _SET_BITS) | after
        place = np.searchsorted(self._known, reached)
        known = np.zeros(len(reached), dtype=np.bool_)
        inside = place < len(self._known)
        known[inside] = self._known[place[inside]] == reached[inside]
        return arrived.take(np.flatnonzero(~known | (after < 0)))

    def _after(self, explained: int, view: int) -> int:
        self.patience.ask()
        return self._result(lambda seen: self.abstract.after(explained, seen), view)

    def _result(self, find: Any, view: int) -> int:
        """The number of a set; `_NONE` if it explains nothing, `_FAILS` if the abstract model fails."""
        try:
            number: int = find(view)
        except ModelError:
            return _FAILS
        if self.abstract.explains(number):
            return number
        if CUT in self.abstract.sets[number]:
            self.undecided = True
            return number
        return _NONE

    def _add(self, arrived: _Arrived, ranks: Ints | None) -> None:
        """Take in the new pairs, each once with its least parent; `ranks`: those of the orders of marks."""
        lost = np.flatnonzero(arrived.after < 0)
        new = arrived.take(np.flatnonzero(arrived.after >= 0))
        count = len(self._states)
        reached = (new.targets << _SET_BITS) | new.after
        if ranks is not None and len(reached):
            key = reached.astype(np.uint64), np.zeros(len(reached), dtype=np.uint64)
            source = self._halves(self._states[new.pairs])
            order, first = by_key_and_parent(key, new.crashes, ranks[new.marks], source)
            new, reached = new.take(order[first]), reached[order[first]]
        self._states = np.concatenate([self._states, new.targets])
        self._sets = np.concatenate([self._sets, new.after])
        self._crashes = np.concatenate([self._crashes, new.crashes])
        self._parents = np.concatenate([self._parents, new.pairs])
        self._marks = np.concatenate([self._marks, new.marks])
        self._known = np.union1d(self._known, reached)
        self.waiting = np.arange(count, len(self._states))
        if len(lost):
            self._end(arrived.take(lost))

    def _halves(self, states: Ints) -> tuple[Any, Any]:
        """The keys of states in halves."""
        if not len(states):
            return states, states
        unique, inverse = np.unique(states, return_inverse=True)
        high, low = self.run.halves(unique)
        return high[inverse], low[inverse]

    # --- what is found ---------------------------------------------------------------------------------------------

    def _end(self, lost: _Arrived) -> None:
        """Note the least step that ends a run, and the least at which the abstract model fails."""
        least: dict[int, tuple[Witness, int, int, int]] = {}
        for pair, mark, target, kind, crashes in zip(*(column.tolist() for column in lost), strict=True):
            source = target if pair == _NONE else int(self._states[pair])
            order = None if pair == _NONE else self._order(mark)
            one = Witness(StateRef(self.run.key(source), crashes), order, self.run.key(target))
            if kind not in least or one.rank < least[kind][0].rank:
                least[kind] = one, pair, mark, target
        if _NONE in least:
            _, pair, mark, target = least[_NONE]
            path = self._path(pair, mark, target)
            self.finding = Finding(self.key, path, unmatched=self._unmatched(pair, target))
        if _FAILS in least:
            _, pair, mark, target = least[_FAILS]
            self.error = Finding(None, self._path(pair, mark, target), error=self._failure(pair, target))

    def _failure(self, pair: int, target: int) -> ModelError:
        view = int(self.viewed[target])
        try:
            if pair == _NONE:
                self.abstract.first(view)
            else:
                self.abstract.after(int(self._sets[pair]), view)
        except ModelError as error:
            return error
        raise AssertionError("the abstract model failed there before")

    def _path(self, pair: int, mark: int, target: int) -> tuple[PathLink, ...]:
        if pair == _NONE:
            return self.run.path(self.run.key(target))
        links = [*self._links(pair)][::-1]
        return (*links, PathLink(self._order(mark), self.run.key(target)))

    def _links(self, pair: int) -> Iterator[PathLink]:
        """The links to a pair, the last one first."""
        while (before := int(self._parents[pair])) != _NONE:
            yield PathLink(self._order(int(self._marks[pair])), self.run.key(int(self._states[pair])))
            pair = before
        yield from self.run.path(self.run.key(int(self._states[pair])))

    def _order(self, mark: int) -> StepOrder:
        return self.run.graph.mark_table[mark].order

    def _unmatched(self, pair: int, target: int) -> Unmatched:
        number, step, seen = None, 0, None
        if pair != _NONE:
            seen, number = int(self.viewed[self._states[pair]]), int(self._sets[pair])
            step = len([*self._links(pair)])
        return self.abstract.unmatched(step, number, seen, int(self.viewed[target]))
