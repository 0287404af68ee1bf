"""The successors of many states by columns, for assertions that ask for `next_states()`.

What is run for `next_states()` does not count as executed: so rules are looked up, new paths are run ahead
(`PathsAhead`), and atomic actions are run as functions. Rows of which that does not give all successors are left to the
machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from checker.core.level import Level
from checker.search.columns.batch import Taken
from checker.search.columns.capacity import THREAD
from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.images import NO_STEP
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.trie_walk import UNKNOWN
from interpreter.execute.next_states import KINDS, Successor
from interpreter.state.state import State
from interpreter.state.step import Candidate, StepKind

if TYPE_CHECKING:
    from checker.search.columns.chosen_effects import ChosenEffects
    from checker.search.columns.column_frontier import Frontier
    from checker.search.columns.expand import ColumnExpander
    from checker.search.columns.step_rules import StepRule

_ORDER: Final = 32
"""Numbers of orders have so many bits."""
_PART: Final = 4
"""So many steps may be held, as a part of those of rows that are expanded together, as a power of two."""
Title = tuple[str, str, str | None]
"""The name, kind and actor of a successor."""


class _Titled(NamedTuple):
    """Steps, and for each the number of its title."""

    taken: Taken
    titles: Ints


@dataclass(slots=True)
class Followed:
    """The successors of some rows of a packing: those of row i are rows `first[i]` to before `first[i + 1]`.

    `known`: the rows whose successors these are. `titles`: by row of a successor, the number of its title in `names`.
    """

    packing: Packing
    known: Mask
    first: Ints
    rows: Rows
    titles: Ints
    names: list[Title]

    def of(self, rows: list[int]) -> Iterator[list[Successor]]:
        """The successors of some rows, in step order."""
        bounds = [(int(self.first[row]), int(self.first[row + 1])) for row in rows]
        which = np.concatenate([np.arange(begin, end) for begin, end in bounds])
        titles = [self.names[title] for title in self.titles[which].tolist()]
        made = map(_successor, titles, self.packing.states(self.rows, which))
        return (list(islice(made, end - begin)) for begin, end in bounds)

    def alone(self, which: Ints) -> Iterator[tuple[Successor]]:
        """Some successors, by index, each as a list of one."""
        titles = [self.names[title] for title in self.titles[which].tolist()]
        return zip(map(_successor, titles, self.packing.states(self.rows, which)))


def _successor(title: Title, state: State) -> Successor:
    return Successor(*title, state)


class FollowingRows:
    """Finds the successors of rows of one packing. `names`: the numbers of titles, the same for all rows of a run."""

    def __init__(self, expander: ColumnExpander, names: dict[Title, int]) -> None:
        self._expander = expander
        self._space = expander.space
        self._names = names
        self._packing = expander.packing

    def of(self, part: Frontier, begin: int, end: int) -> Followed | None:
        """The successors of some rows; None if columns cannot tell those of any. The packing may be outgrown after.

        Raises `TooWide` if there are too many to be held.
        """
        packing, space = self._packing, self._space
        if packing.outgrown:
            return None
        # They are all sorted, beside all that the level has found.
        count, most = end - begin, space.sizes.steps >> _PART
        chunk = Chunk(part, begin, end, Level(), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_), most)
        known = np.ones(count, dtype=np.bool_)
        if packing.threads:
            # Regardless of limits there may be one thread more.
            known &= packing.codes(chunk.rows(), (THREAD, packing.threads - 1)) == 0
        found: list[_Titled] = []
        for rule in self._expander.rules:
            if rule.kind is not StepKind.CRASH_ROLE:
                found += [self._imaged(one, begin, known) for one in self._steps(rule, chunk, known)]
            if packing.outgrown or not known.any():
                return None
        return self._sorted(known, begin, [one for one in found if len(one.titles)])

    def _steps(self, rule: StepRule, chunk: Chunk, known: Mask) -> list[_Titled]:
        """The steps of a rule from rows of a chunk that are no crashes. Rows with others are `known` no more."""
        expander = self._expander
        rows = chunk.rows()
        which = np.arange(len(rows))
        if rule.kind in (StepKind.CONTINUE, StepKind.DELIVER):
            allowed = expander.rules.allowed(rule, rows, None)
            assert allowed is not None
            which = np.flatnonzero(allowed)
        if not len(which):
            return []
        looked_up = None if rule.alone else rule.ahead(rows if len(which) == len(rows) else rows.take(which))
        if looked_up is None or self._packing.outgrown:
            return self._one_by_one(rule, chunk, which, known)
        new = np.zeros(len(rows), dtype=np.bool_)
        placed = [one._replace(which=which.take(one.which)) for one in looked_up]
        for one in placed:
            for column in one.units:
                new[one.which[column == UNKNOWN]] = True
        rule.effects.compile()
        taken: list[_Titled] = []
        for one in placed:
            for unit, column in enumerate(one.units):
                indexes = None if one.indexes is None else one.indexes[unit]
                chosen = expander.choose(rule, chunk, one, np.where(new[one.which], 0, column), indexes)
                if chosen is None:
                    continue
                chosen = chosen.only(~rule.effects.twin.take(chosen.effects))
                quick = expander.quick(chosen)
                known[chosen.origin[~quick] - chunk.begin] = False
                chosen = chosen.only(quick)
                if not len(chosen.source):
                    continue
                steps = expander.take(chosen, chunk)
                if expander.may_lose(rule):
                    known[steps.origin[expander.loses(steps.batch)] - chunk.begin] = False
                taken.append(_Titled(steps, self._titles(rule, chosen)))
        return taken + self._one_by_one(rule, chunk, np.flatnonzero(new), known)

    def _one_by_one(self, rule: StepRule, chunk: Chunk, which: Ints, known: Mask) -> list[_Titled]:
        """The steps of a rule from rows of which they are not remembered, by functions of Python."""
        which = which[known[which]]
        if rule.kind is not StepKind.START:
            known[which] = False
        if not len(which) or rule.kind is not StepKind.START:
            return []
        found = self._expander.known_alone(rule, chunk, which, known)
        title = self._title(rule.candidate)
        return [_Titled(one, np.full(len(one.origin), title, dtype=np.int64)) for one in found or ()]

    def _imaged(self, found: _Titled, begin: int, known: Mask) -> _Titled:
        """Steps to the images of least key, without those that are none. Rows with others are `known` no more.

        The packing may be outgrown after.
        """
        images, taken = self._space.images, found.taken
        here = None if images is None else images.replace(self._packing, taken.batch)
        if here is None:
            return found
        assert taken.batch.moves is not None
        known[taken.origin[~here & (taken.batch.moves != NO_STEP)] - begin] = False
        kept = np.flatnonzero(here)
        return _Titled(taken.take(kept), found.titles[kept])

    def _titles(self, rule: StepRule, chosen: ChosenEffects) -> Ints:
        """The numbers of the titles of steps."""
        if rule.kind is StepKind.START:
            return np.full(len(chosen.effects), self._title(rule.candidate), dtype=np.int64)
        pairs, back = np.unique(chosen.effects << _ORDER | chosen.orders, return_inverse=True)
        titles = []
        for pair in pairs.tolist():
            outcome, order = (
                rule.effects.effects[pair >> _ORDER].outcome,
                self._space.orders[pair & ((1 << _ORDER) - 1)],
            )
            titles.append(self._title(rule.candidate_of(outcome, order)))
        return np.array(titles, dtype=np.int64)[back]

    def _title(self, candidate: Candidate) -> int:
        rule = candidate.rule
        title = (candidate.name, KINDS[rule.kind], self._space.machine.actor(rule))
        return self._names.setdefault(title, len(self._names))

    def _sorted(self, known: Mask, begin: int, found: list[_Titled]) -> Followed:
        """All steps by row and step order, one for each name and target."""
        count, names = len(known), [*self._names]
        width = self._packing.width
        if not found:
            empty = np.zeros(0, dtype=np.int64)
            nothing = Rows([np.zeros(0, dtype=np.uint64) for _ in range(width)])
            return Followed(self._packing, known, np.zeros(count + 1, dtype=np.int64), nothing, empty, names)
        taken = [one.taken for one in found]
        source = np.concatenate([one.origin for one in taken]) - begin
        title = np.concatenate([one.titles for one in found])
        words = [np.concatenate([one.batch.rows.words[word] for one in taken]) for word in range(width)]
        ranks = self._space.order_ranks()[np.concatenate([one.batch.orders for one in taken])]
        order = np.lexsort((ranks, source))
        # Names without the choices: steps of one action may be equal in name and target.
        by_target = order[np.lexsort((*[word[order] for word in words], title[order], source[order]))]
        same = np.ones(len(order), dtype=np.bool_)
        same[0] = False
        for column in (source, title, *words):
            same[1:] &= column[by_target[1:]] == column[by_target[:-1]]
        repeated = np.zeros(len(order), dtype=np.bool_)
        repeated[by_target[same]] = True
        order = order[~repeated[order]]
        first = np.searchsorted(source[order], np.arange(count + 1))
        rows = Rows([word[order] for word in words])
        return Followed(self._packing, known, first, rows, title[order], names)
