"""Read trees walked by columns: the leaves that each of many states reaches.

The results of a rule in a state, one per execution path, are a *bundle*. Rows that read the same have the same bundle,
so a walk gives one small number per row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from checker.search.columns.code_tables import Ints
from checker.search.columns.lockstep import Asking, KnownBranches, LockstepWalk
from checker.search.columns.packing import Scalars
from checker.search.memo.element_choices import CHOSEN, BeginAnew
from checker.search.memo.known_folds import UnknownElement
from checker.search.memo.trie import Forking, Leaf, Leaves, Question, ReadTree, TreeNode
from interpreter.state.state import Slot
from interpreter.state.step import SOME_INDEX, ExecutionPath, Result, is_none_admitted
from interpreter.values.budget import EACH, METER

UNKNOWN: Final = -1
"""The number of no bundle: that of a row is not known."""


class NotKnown(Exception):
    """A path would have to be run."""


class SlotSource(Protocol):
    """Rows that can be asked for slots."""

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        """The codes of a slot in these rows, and the ids by code; or one id that holds for all rows."""
        ...

    def field(self, slot: Slot) -> Scalars | None:
        """How to read a slot of one row; None if it is not stored."""
        ...

    def number(self, slot: Slot, row: int) -> int:
        """The id in a slot of one row."""
        ...

    def also_read(self, slots: set[Slot]) -> set[Slot]:
        """These slots, and those that were read to answer them."""
        ...

    def run(self, row: int, choices: tuple[int, ...]) -> ExecutionPath:
        """One execution path of the rule in one row."""
        ...


class Bundles:
    """Bundles of results by number; number 0 is the empty one. Of more than `most` results only one more is kept."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.longest = 0
        self.parts: list[tuple[Leaf, ...]] = [()]
        self._numbers: dict[tuple[Leaf, ...], int] = {(): 0}
        self._joined: dict[tuple[int, int], int] = {}
        self._lengths: Ints = np.zeros(1, dtype=np.int64)
        self._ending: list[int] = []
        self.none_admitted: list[int] = []
        """The bundles which say that no value of a choice is admitted."""

    def __len__(self) -> int:
        return len(self.parts)

    def number(self, leaves: tuple[Leaf, ...]) -> int:
        leaves = leaves[: self.most + 1]
        known = self._numbers.get(leaves)
        if known is None:
            known = self._numbers[leaves] = len(self.parts)
            self.parts.append(leaves)
            if any(leaf.ends for leaf in leaves):
                self._ending.append(known)
            if len(leaves) == 1 and is_none_admitted(leaves[0].result):
                self.none_admitted.append(known)
            self.longest = max(self.longest, len(leaves))
        return known

    def ending(self, column: Ints) -> bool:
        """Whether any of these bundles ends with a path that is the last one, with any choices left."""
        return bool(self._ending) and bool(np.isin(column, self._ending).any())

    def lengths(self) -> Ints:
        """How many results each bundle has."""
        known = len(self._lengths)
        if known < len(self.parts):
            more = [len(leaves) for leaves in self.parts[known:]]
            self._lengths = np.concatenate([self._lengths, np.array(more, dtype=np.int64)])
        return self._lengths

    def join(self, left: Ints, right: Ints) -> Ints:
        """The bundles of both, row by row."""
        pairs, back = np.unique(left << 32 | right, return_inverse=True)
        joined = np.empty(len(pairs), dtype=np.int64)
        for i, pair in enumerate(pairs.tolist()):
            a, b = pair >> 32, pair & 0xFFFF_FFFF
            known = self._joined.get((a, b))
            if known is None:
                known = self._joined[a, b] = self.number(self.parts[a] + self.parts[b])
            joined[i] = known
        return joined[back]

    def chain(self, columns: Iterable[Ints]) -> Ints | None:
        """All columns joined, row by row; None if there are none.

        They are joined in twos, and these in twos again, so that many columns do not make long bundles many times.
        """
        joined: list[tuple[int, Ints]] = []
        for column in columns:
            size = 1
            while joined and joined[-1][0] == size:
                size, column = 2 * size, self.join(joined.pop()[1], column)
            joined.append((size, column))
            if self.longest > self.most and (self.lengths()[joined[0][1]] > self.most).all():
                break
        total = None
        for _, column in reversed(joined):
            total = column if total is None else self.join(column, total)
        return total


_FEW: Final = 32
_NOTHING: Final = Leaves(())


class TakenBranches:
    """The branches of a rule's tree that rows have taken in lockstep, which so `many` rows do; from walk to walk."""

    def __init__(self, many: int) -> None:
        self.many = many
        self.known: KnownBranches | None = None


class Walker:
    """Walks one rule's tree. `slots` collects what was read, `sizes` how many alternatives each choice had at most,
    `together` that the paths of a row have to stay in one bundle: some alternatives had equal texts, or some path was
    the last one.

    `branch`: only paths whose first choices are these (None: all paths). `by_element`: rows have an element each, which
    their paths take by a choice. `branches`: taken in walks before. `shared`: trees by the answer at the root.
    """

    def __init__(
        self,
        tree: ReadTree,
        source: SlotSource,
        bundles: Bundles,
        branch: tuple[int, ...] | None,
        by_element: bool,
        branches: TakenBranches,
        shared: dict[int, TreeNode] | None = None,
    ) -> None:
        self.tree = tree
        self.branches = branches
        self.shared = shared
        self.source = source
        self.bundles = bundles
        self.branch = branch
        self._by_element = by_element
        self.slots: set[Slot] = set()
        self.sizes: list[int] = []
        self.together = False
        self._fields: dict[Slot, Scalars | None] = {}

    def walk(self, rows: Ints) -> Ints:
        """The bundle of each row."""
        if not len(rows):
            return np.zeros(0, dtype=np.int64)
        if self.tree.root is None:
            self.tree.root = self.tree.learn(self.source.run(int(rows[0]), ()), 0)
        few = len(rows) < self.branches.many
        found = self._node(self.tree.root, rows, (), 0) if few else self._in_lockstep(rows)
        self.slots = self.source.also_read(self.slots)
        return found

    def _in_lockstep(self, rows: Ints) -> Ints:
        root = self.tree.root
        assert root is not None
        if self.branches.known is None or self.branches.known.root is not root:
            self.branches.known = KnownBranches(root)
        chooses = self._chooses if self._by_element else None
        asking = Asking(self.source.codes, self._only, self._met, chooses, self._ours, self._bundle)
        walk = LockstepWalk(self.branches.known, rows, asking)
        walk.go()
        self.slots |= walk.slots
        for left in walk.left:
            go_on = self._each_alone if len(left.which) <= _FEW else self._node
            walk.found[left.which] = go_on(left.node, rows[left.which], left.choices, left.depth)
        return walk.found

    def _bundle(self, node: Leaf | Leaves) -> int:
        return self.bundles.number(_leaves(node))

    def known(self, rows: Ints) -> Ints:
        """The bundle of each row; `UNKNOWN` where the source raises `NotKnown` instead of running a path."""
        found = np.full(len(rows), UNKNOWN, dtype=np.int64)
        for index in range(len(rows)):
            with suppress(NotKnown):
                found[index] = self.walk(rows[index : index + 1])[0]
        return found

    def _node(self, node: TreeNode, rows: Ints, choices: tuple[int, ...], depth: int) -> Ints:
        while True:
            if isinstance(node, Leaf | Leaves):
                return self._end(node, rows, choices)
            if isinstance(node, Forking):
                return self._fork(node, rows, choices, depth + 1)
            if len(rows) <= _FEW:
                return self._each_alone(node, rows, choices, depth)
            depth += 1
            if node.slot == CHOSEN and self._by_element:
                if not self._chooses(len(choices)):
                    return np.zeros(len(rows), dtype=np.int64)
                choices = (*choices, SOME_INDEX)
            self.slots.add(node.slot)
            answers = self._codes(node.slot, rows, choices)
            if not isinstance(answers, int):
                break
            node = self._branch(node, answers, int(rows[0]), choices, depth)
        return self._read(node, *answers, rows, choices, depth)

    def _each_alone(self, node: TreeNode, rows: Ints, choices: tuple[int, ...], depth: int) -> Ints:
        found = [self.bundles.number(self._alone(node, row, choices, depth)) for row in rows.tolist()]
        return np.array(found, dtype=np.int64)

    def _alone(self, node: TreeNode | None, row: int, choices: tuple[int, ...], depth: int) -> tuple[Leaf, ...]:
        """The results of one row, in order of the choices, at most one more than most: few rows go faster alone.

        The branches still to be walked are kept as in `ReadTree.results`.
        """
        found: list[Leaf] = []
        fields, most = self._fields, self.bundles.most
        pending: list[tuple[Forking, int, tuple[int, ...], int]] = []
        while True:
            while type(node) is Question:
                depth += 1
                slot = node.slot
                if slot == CHOSEN and self._by_element:
                    if not self._chooses(len(choices)):
                        node = _NOTHING
                        break
                    choices = (*choices, SOME_INDEX)
                field = fields[slot] if slot in fields else self._field(slot)
                if field is None:
                    answer = self._number(slot, row, choices)
                else:
                    word, shift, mask, ids = field
                    answer = ids[(word(row) >> shift) & mask]
                node = node.branches.get(answer) or self._branch(node, answer, row, choices, depth)
            if type(node) is Forking:
                depth += 1
                pending += [(node, i, (*choices, i), depth) for i in reversed(self._taken(node, len(choices)))]
            elif self._ours(choices):
                if isinstance(node, Leaf):
                    found.append(node)
                else:
                    assert isinstance(node, Leaves)
                    found += node.leaves
                if node.ends:
                    self.together = True
                    return tuple(found)
            if not pending or len(found) > most:
                return tuple(found)
            if not len(pending) % EACH:
                METER.ask()
            fork, taken, choices, depth = pending.pop()
            node = fork.branches[taken] or self._learn(fork, taken, row, choices, depth)

    def _codes(self, slot: Slot, rows: Ints, choices: tuple[int, ...]) -> tuple[Ints, Sequence[int]] | int:
        """As `SlotSource.codes`. Turns of a fold for elements that are new are taken."""
        while True:
            try:
                return self.source.codes(slot, rows)
            except UnknownElement as unknown:
                for row in unknown.rows:
                    self._number(slot, row, choices)

    def _number(self, slot: Slot, row: int, choices: tuple[int, ...]) -> int:
        """As `SlotSource.number`. Turns of a fold for elements that are new are taken."""
        try:
            return self.source.number(slot, row)
        except UnknownElement:
            self.tree.counters.calls += 1
            self.source.run(row, choices)
        try:
            return self.source.number(slot, row)
        except UnknownElement:
            # The turns read more of the state now, so the path comes to the fold by other questions.
            raise BeginAnew from None

    def _field(self, slot: Slot) -> Scalars | None:
        self.slots.add(slot)
        field = self._fields[slot] = self.source.field(slot)
        return field

    def _ours(self, choices: tuple[int, ...]) -> bool:
        """Whether a path that has made these choices and no more is one of those asked for."""
        return self.branch is None or all(taken == 0 for taken in self.branch[len(choices) :])

    def _end(self, node: Leaf | Leaves, rows: Ints, choices: tuple[int, ...]) -> Ints:
        self.together |= node.ends
        return np.full(len(rows), self._bundle(node) if self._ours(choices) else 0, dtype=np.int64)

    def _branch(self, node: Question, answer: int, row: int, choices: tuple[int, ...], depth: int) -> TreeNode:
        found = node.branches.get(answer)
        if found is None:
            # Below the root of a thread slot is the tree of the thread, which all slots share.
            known = self.shared if self.shared is not None and node is self.tree.root else None
            found = None if known is None else known.get(answer)
            if found is None:
                found = self.tree.learn(self.source.run(row, choices), depth)
                if known is not None:
                    known[answer] = found
            node.branches[answer] = found
        return found

    def _read(
        self, node: Question, codes: Ints, ids: Sequence[int], rows: Ints, choices: tuple[int, ...], depth: int
    ) -> Ints:
        # Sixteen bits are sorted by counting.
        order = np.argsort(codes.astype(np.uint16) if len(ids) <= 1 << 16 else codes, kind="stable")
        ordered = codes.take(order)
        cuts = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist(), len(rows)]
        if len(cuts) == 2:
            child = self._branch(node, ids[int(codes[0])], int(rows[0]), choices, depth)
            return self._node(child, rows, choices, depth)
        # Codes that lead to one node go on together.
        groups: dict[int, tuple[TreeNode, list[Ints]]] = {}
        for begin, end in pairwise(cuts):
            part = order[begin:end]
            child = self._branch(node, ids[int(ordered[begin])], int(rows[part[0]]), choices, depth)
            groups.setdefault(id(child), (child, []))[1].append(part)
        found = np.empty(len(rows), dtype=np.int64)
        for child, parts in groups.values():
            part = parts[0] if len(parts) == 1 else np.concatenate(parts)
            found[part] = self._node(child, rows[part], choices, depth)
        return found

    def _fork(self, node: Forking, rows: Ints, choices: tuple[int, ...], depth: int) -> Ints:
        ended = False

        def alternatives() -> Iterator[Ints]:
            nonlocal ended
            for i in METER.attended(self._taken(node, len(choices))):
                column = self._alternative(node, i, rows, choices, depth)
                yield column
                if self.bundles.ending(column):
                    ended = True
                    return

        total = self.bundles.chain(alternatives())
        if ended:
            # Some rows have no further paths, the others have.
            return self._each_alone(node, rows, choices, depth - 1)
        return np.zeros(len(rows), dtype=np.int64) if total is None else total

    def _taken(self, node: Forking, level: int) -> Sequence[int]:
        """The alternatives that are asked for at a choice that `level` choices precede."""
        size, only = len(node.branches), self._only(level)
        self._met(level, size)
        self.together |= not node.unique
        if only is None:
            return range(size)
        return [only] if only < size else []

    def _only(self, level: int) -> int | None:
        """The only alternative that is asked for at a choice after so many others; None: all are."""
        return None if self.branch is None or level >= len(self.branch) else self.branch[level]

    def _met(self, level: int, size: int) -> None:
        """Note that a choice after so many others had so many alternatives."""
        while len(self.sizes) <= level:
            self.sizes.append(0)
        self.sizes[level] = max(self.sizes[level], size)

    def _chooses(self, level: int) -> bool:
        """Whether paths are asked for that choose an element after so many choices: of several units the first's."""
        self._met(level, 1)
        return not self._only(level)

    def _alternative(self, node: Forking, taken: int, rows: Ints, choices: tuple[int, ...], depth: int) -> Ints:
        choices = (*choices, taken)
        child = node.branches[taken] or self._learn(node, taken, int(rows[0]), choices, depth)
        return self._node(child, rows, choices, depth)

    def _learn(self, node: Forking, taken: int, row: int, choices: tuple[int, ...], depth: int) -> TreeNode:
        return self.tree.branch(node, taken, lambda: self.source.run(row, choices), depth)


def _leaves(node: Leaf | Leaves) -> tuple[Leaf, ...]:
    return node.leaves if isinstance(node, Leaves) else (node,)


def results_of(leaves: tuple[Leaf, ...]) -> list[Result]:
    """The results in a bundle, in the order of their choices."""
    return [leaf.result for leaf in leaves]
