"""The successors of many states by columns, for assertions that ask for `next_states()`.

Only what is remembered of rules is used: nothing is run, because what is run for `next_states()` does not count as
executed. Rows of which that does not give all successors are left to the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from checker.core.level import Level
from checker.search.columns.batch import Taken
from checker.search.columns.capacity import THREAD
from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.trie_walk import UNKNOWN
from interpreter.execute.next_states import KINDS, Successor
from interpreter.state.state import State
from interpreter.state.step import Rule, StepKind

if TYPE_CHECKING:
    from checker.search.columns.column_frontier import Frontier
    from checker.search.columns.expand import ColumnExpander
    from checker.search.columns.step_rules import StepRule

_PART: Final = 4
"""So many steps may be held, as a part of those of rows that are expanded together, as a power of two."""
Title = tuple[str, str, str | None]
"""The name, kind and actor of a successor."""


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
        taken: list[Taken] = []
        titles: list[Ints] = []
        for rule in self._expander.rules:
            if rule.kind is StepKind.CRASH_ROLE:
                continue
            for one in self._steps(rule, chunk, known):
                taken.append(one)
                titles.append(self._titles(rule, part, one.origin))
            if packing.outgrown or not known.any():
                return None
        return self._sorted(known, begin, taken, titles)

    def _steps(self, rule: StepRule, chunk: Chunk, known: Mask) -> list[Taken]:
        """The steps of a rule from rows of a chunk that are no crashes. Rows with others are `known` no more."""
        expander = self._expander
        rows = chunk.rows()
        which = np.arange(len(rows))
        if rule.kind is StepKind.CONTINUE:
            allowed = expander.rules.allowed(rule, rows, None)
            assert allowed is not None
            which = np.flatnonzero(allowed)
        if not len(which):
            return []
        looked_up = None if rule.alone else rule.known(rows if len(which) == len(rows) else rows.take(which))
        if looked_up is None or self._packing.outgrown:
            return self._one_by_one(rule, chunk, which, known)
        new = np.zeros(len(rows), dtype=np.bool_)
        placed = [one._replace(which=which.take(one.which)) for one in looked_up]
        for one in placed:
            for column in one.units:
                new[one.which[column == UNKNOWN]] = True
        rule.effects.compile()
        taken: list[Taken] = []
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
                taken.append(steps)
        return taken + self._one_by_one(rule, chunk, np.flatnonzero(new), known)

    def _one_by_one(self, rule: StepRule, chunk: Chunk, which: Ints, known: Mask) -> list[Taken]:
        """The steps of a rule from rows of which they are not remembered, by functions of Python."""
        which = which[known[which]]
        if rule.kind is not StepKind.START:
            known[which] = False
        if not len(which) or rule.kind is not StepKind.START:
            return []
        found = self._expander.known_alone(rule, chunk, which, known)
        return [] if found is None else found

    def _titles(self, rule: StepRule, part: Frontier, origin: Ints) -> Ints:
        """The numbers of the titles of steps of a rule, from these rows of a frontier."""
        name, kind, machine = rule.candidate.name, KINDS[rule.kind], self._space.machine
        if rule.kind is StepKind.START:
            return np.full(len(origin), self._title((name, kind, machine.actor(rule.candidate.rule))), dtype=np.int64)
        codes = self._packing.codes(part.rows, (THREAD, rule.thread_slot or 0)).take(origin)
        met, back = np.unique(codes, return_inverse=True)
        threads = [self._space.tables.threads.ids[code] for code in met.tolist()]
        found = [self._title((name, kind, machine.actor(Rule(StepKind.CONTINUE, thread)))) for thread in threads]
        return np.array(found, dtype=np.int64)[back]

    def _title(self, title: Title) -> int:
        return self._names.setdefault(title, len(self._names))

    def _sorted(self, known: Mask, begin: int, taken: list[Taken], titles: list[Ints]) -> Followed:
        """All steps by row and step order, one for each name and target."""
        count, names = len(known), [*self._names]
        width = self._packing.width
        if not taken:
            empty = np.zeros(0, dtype=np.int64)
            nothing = Rows([np.zeros(0, dtype=np.uint64) for _ in range(width)])
            return Followed(self._packing, known, np.zeros(count + 1, dtype=np.int64), nothing, empty, names)
        source = np.concatenate([one.origin for one in taken]) - begin
        title = np.concatenate(titles)
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
