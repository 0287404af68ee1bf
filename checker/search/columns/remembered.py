"""`Remembered`: one rule over the rows of one packing, with its bundles, split into units by its first choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import prod
from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.lookup import Unit
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.sizes import Sizes
from checker.search.columns.sources import Asked, Columns, RunRow, StateColumns, TooMany
from checker.search.columns.trie_walk import UNKNOWN, Bundles, NotKnown, TakenBranches, Walker
from checker.search.memo.element_choices import BeginAnew
from checker.search.memo.trie import Leaf, ReadTree, TreeNode
from fizz import Span
from interpreter.state.state import Slot
from interpreter.state.step import ExecutionPath, Result
from interpreter.values.intern import Interner

_MOST_UNITS: Final = 256
SPLIT_LEVELS: Final = 3
_LITTLE: Final = 0.05
"""The share of misses that is next to nothing."""
Branch = tuple[int, ...] | None
"""The first choices of the paths of a unit; None: all paths."""


def _not_known(row: int, choices: tuple[int, ...]) -> ExecutionPath:
    raise NotKnown


class Split:
    """How the paths of a rule are split into units by their first choices. `chooses`: rows have elements to choose."""

    def __init__(self, chooses: bool) -> None:
        self.chooses = chooses
        self.units = [Unit(None)]
        self._widths: list[int] = []
        self._whole = False

    def distinguishes(self, levels: int) -> bool:
        """Whether the paths of each unit have made the same first choices, so many if they made as many."""
        made = min(levels, len(self._widths))
        return not self._whole and all(len(unit.branch or ()) >= made for unit in self.units)

    def width(self, level: int) -> int:
        """How many alternatives the choice after so many others had at most, at least 1."""
        return self._widths[level] if level < len(self._widths) else 1

    def forget(self) -> None:
        """Forget what the units have looked up."""
        self.units = [Unit(unit.branch) for unit in self.units]

    def follow(self, walkers: list[Walker]) -> bool:
        """Make a unit of each combination of the first choices, if more of them were met than there are units.

        Steps of one name count once in a state, which can be seen only within one bundle: if alternatives have equal
        texts, all paths stay together; also if one of them may be the last, with any choices left.
        """
        if any(walker.together for walker in walkers):
            self._whole = True
            alone = len(self.units) == 1 and self.units[0].branch is None
            self.units = self.units if alone else [Unit(None)]
            return not alone
        if self._whole:
            return False
        widths = list(self._widths)
        for walker in walkers:
            for level, width in enumerate(walker.sizes[:SPLIT_LEVELS]):
                if level >= len(widths):
                    widths.append(width)
                widths[level] = max(widths[level], width)
        if widths == self._widths:
            return False
        self._widths = widths
        levels = len(widths)
        while levels and prod(widths[:levels]) > _MOST_UNITS:
            levels -= 1
        branches = list(product(*[range(width) for width in widths[:levels]]))
        if [unit.branch for unit in self.units] == [*branches]:
            return False
        self.units = [Unit(branch) for branch in branches] if levels else [Unit(None)]
        return True


class Remembered:
    """A rule's bundles by row, of at most `most` execution paths. `counters` of the tree are kept up to date."""

    def __init__(self, tree: ReadTree, most: int, sizes: Sizes, shared: dict[int, TreeNode] | None = None) -> None:
        self.tree = tree
        self.shared = shared
        self._sizes = sizes
        self.bundles = Bundles(most)
        self._branches = TakenBranches(sizes.lockstep)
        self._ends: dict[Span | None, Leaf] = {}
        self.split = Split(False)
        self.by_element = Split(True)
        """Of rows with an element each, where a rule chooses among elements."""
        self._rows = 0
        self._paths = 0
        self._calls = 0
        self._begun = 0
        """How many calls there were when all was forgotten last."""
        self._new_paths = 0

    def lookup(self, columns: Columns, run: RunRow, too_many: TooMany | None = None) -> list[Ints]:
        """The bundles of all rows, one column per unit: the results of a row are those of all its bundles together.

        `too_many` gives what stands for the paths beyond the most (None: no row can have as many).
        """
        source = Asked(columns, run)
        return self.lookup_each(self.split, lambda branch: source, too_many)

    def lookup_each(
        self, split: Split, source_of: Callable[[Branch], Asked], too_many: TooMany | None = None
    ) -> list[Ints]:
        """As `lookup`, of rows that may be asked otherwise for each unit of a split."""
        counters = self.tree.counters
        calls = counters.calls
        count = 0
        while True:
            walkers: list[Walker] = []
            missed = sum(unit.misses for unit in split.units)
            try:
                found = []
                for unit in split.units:
                    source = source_of(unit.branch)
                    columns = source.columns
                    if not count:
                        # Those who judge how much is new while rules are run know what is still to come.
                        count = len(columns.words[0])
                        counters.evaluations += count
                    make = partial(self._walker, unit, source, split.chooses, walkers)
                    found.append(unit.lookup(columns.words, columns.mask_of, columns.versions, make))
                    if any(walker.together for walker in walkers):
                        break
            except BeginAnew:
                self.forget()
                continue
            counters.misses += sum(unit.misses for unit in split.units) - missed
            counters.lookups += count * len(split.units)
            if not split.follow(walkers):
                break
        counters.hits += max(0, count - (counters.calls - calls))
        if too_many is not None and self.bundles.longest * len(found) > self.bundles.most:
            self._limit(found, too_many)
        return found

    def known_each(self, split: Split, source_of: Callable[[Branch], Asked]) -> list[Ints]:
        """As `lookup_each`, but nothing is run and nothing is learned: `UNKNOWN` where that would be necessary.

        Of a row in which one unit is unknown the others are not sought.
        """
        count = 0
        while True:
            found: list[Ints] = []
            walkers: list[Walker] = []
            wanted: Mask = np.zeros(0, dtype=np.bool_)
            try:
                for unit in split.units:
                    source = Asked(source_of(unit.branch).columns, _not_known)
                    columns = source.columns
                    count = len(columns.words[0])
                    make = partial(self._walker, unit, source, split.chooses, walkers)
                    wanted = np.ones(count, dtype=np.bool_) if not found else wanted & (found[-1] != UNKNOWN)
                    found.append(unit.known(columns.words, columns.mask_of, columns.versions, make, wanted))
            except BeginAnew:
                return [np.full(count, UNKNOWN, dtype=np.int64)]
            # What units keep is of their own first choices: there must be one for each that was met.
            if not split.follow(walkers):
                break
        if self.bundles.longest * len(found) > self.bundles.most:
            return [np.full_like(column, UNKNOWN) for column in found]
        return found

    def results_in(self, columns: list[Ints]) -> Iterator[Result]:
        """The results in the bundles of some columns, those of each bundle once for each column."""
        for column in columns:
            for bundle in np.flatnonzero(np.bincount(column)).tolist():
                yield from (leaf.result for leaf in self.bundles.parts[bundle])

    @property
    def misses(self) -> int:
        """How often something was not found in a table."""
        return sum(unit.misses for split in (self.split, self.by_element) for unit in split.units)

    @property
    def is_learned(self) -> bool:
        """Whether so much was looked up that it is known whether remembering pays."""
        return self._paths >= self._sizes.learning

    def read_by_units(self) -> set[Slot]:
        """The slots that the units have read of rows."""
        return set().union(*[unit.slots for unit in self.split.units])

    def read_by_all(self, packing: Packing, interner: Interner) -> frozenset[Slot]:
        """The slots of a packing that all units read and that have several values, as far as is known.

        Units that missed next to nothing do not count.
        """
        columns = StateColumns(packing, Rows([]), interner)
        units = [unit for split in (self.split, self.by_element) for unit in split.units]
        masks = [columns.mask_of(unit.slots) for unit in units if unit.misses > _LITTLE * self.misses]
        if not masks:
            return frozenset()
        mask = np.bitwise_and.reduce(masks)
        varied = {slot: field for slot, field in packing.fields.items() if len(field.table) > 1}
        every = [(slot, field.word, field.mask << field.shift) for slot, field in varied.items()]
        return frozenset([slot for slot, word, bits in every if mask[word] & bits == bits])

    def forget(self) -> None:
        """Forget everything but the numbers of bundles. Whether remembering pays is asked anew."""
        self.tree.forget()
        self._rows = self._paths = self._new_paths = 0
        self._calls = self._begun = self.tree.counters.calls
        self._branches.known = None
        for split in (self.split, self.by_element):
            split.forget()

    def learned_since(self, calls: int) -> int:
        """The calls since there were so many, but for those of what was forgotten since."""
        return self.tree.counters.calls - max(calls, self._begun)

    def pays(self, columns: list[Ints]) -> bool:
        """Count these bundles; whether remembering pays, as far as is known."""
        calls, self._calls = self.tree.counters.calls - self._calls, self.tree.counters.calls
        if self._rows < self._sizes.learning:
            self._rows += len(columns[0])
            return True
        if not self.is_learned:
            self._paths += sum(int(self.bundles.lengths()[column].sum()) for column in columns)
            self._new_paths += calls
        return not self.is_learned or self._new_paths <= (1 - self._sizes.worthwhile) * self._paths

    def _limit(self, columns: list[Ints], too_many: TooMany) -> None:
        """Replace the paths that a row has beyond the most by the error that there are too many."""
        left = np.full(len(columns[0]), self.bundles.most)
        for column in columns:
            column[left < 0] = 0
            lengths = self.bundles.lengths()[column]
            for row in np.flatnonzero(lengths > left).tolist():
                failure = too_many(row)
                end = self._ends.setdefault(failure.error.span, Leaf(failure))
                kept = self.bundles.parts[int(column[row])][: int(left[row])]
                column[row] = self.bundles.number((*kept, end))
            left -= lengths

    def _walker(self, unit: Unit, source: Asked, chooses: bool, made: list[Walker]) -> Walker:
        made.append(Walker(self.tree, source, self.bundles, unit.branch, chooses, self._branches, self.shared))
        return made[-1]
