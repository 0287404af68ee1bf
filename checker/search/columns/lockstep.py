"""Read trees walked by many rows at once: each row goes on by one question, or choice, at a time.

Where nearly every row comes to a node of its own, rows that go together are too few to share what a walk costs. Here
rows at different nodes that ask for the same slot are answered together, and the branches that were taken are in one
table, so that a question costs each row a look into it. What has no branch yet, and choices between several
alternatives that are asked for, are left to `Walker`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Words
from checker.search.memo.element_choices import CHOSEN
from checker.search.memo.known_folds import UnknownElement
from checker.search.memo.trie import Forking, Leaf, Leaves, Question, TreeNode
from interpreter.state.state import Slot
from interpreter.state.step import SOME_INDEX
from interpreter.values.budget import METER

_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST_BITS: Final = 12
_MOST_BITS: Final = 18
_ANSWER_BITS: Final = 34
_LEAST_ANSWER: Final = 1 << 33
"""Ids of values are above -2^33 and below 2^33."""
_END: Final = -1
_CHOICE: Final = -2
_LEFT: Final = -3
"""Instead of the number of the slot that a node asks for: it is a result, a choice, or left to `Walker`."""
NONE: Final = -1
"""The number of no node."""


class Prefixes:
    """The choices that rows have made so far, by number; number 0 is none."""

    def __init__(self) -> None:
        self.made: list[tuple[int, ...]] = [()]
        self._numbers: dict[tuple[int, ...], int] = {(): 0}

    def longer(self, number: int, taken: int) -> int:
        """The number of these choices and one more."""
        choices = (*self.made[number], taken)
        known = self._numbers.setdefault(choices, len(self.made))
        if known == len(self.made):
            self.made.append(choices)
        return known


class KnownBranches:
    """The nodes of one read tree that rows came to, by number, and the branches that they took, in a lossy table."""

    def __init__(self, root: TreeNode) -> None:
        self.root = root
        self.nodes: list[TreeNode] = []
        self.slots: list[Slot] = []
        self.asks: NDArray[np.int32] = np.zeros(256, dtype=np.int32)
        """By node, the number of the slot that it asks for."""
        self.bundles: Ints = np.zeros(256, dtype=np.int64)
        """By node that is a result, the number of its bundle."""
        self.sizes: NDArray[np.int32] = np.zeros(256, dtype=np.int32)
        """By node that is a choice, the number of its alternatives."""
        self._numbers: dict[int, int] = {}
        self._slot_numbers: dict[Slot, int] = {}
        self._ids: dict[Slot, tuple[Sequence[int], Ints]] = {}
        self._bits = _FIRST_BITS
        self._stored = 0
        self._keys: Words = np.zeros(0, dtype=np.uint64)
        self._targets: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._clear()

    def number(self, node: TreeNode, bundle_of: Callable[[Leaf | Leaves], int]) -> int:
        """The number of a node. It is kept, so that no other object gets its identity."""
        known = self._numbers.get(id(node))
        if known is None:
            known = self._numbers[id(node)] = len(self.nodes)
            self.nodes.append(node)
            if known >= len(self.asks):
                self.asks = np.concatenate([self.asks, np.zeros_like(self.asks)])
                self.bundles = np.concatenate([self.bundles, np.zeros_like(self.bundles)])
                self.sizes = np.concatenate([self.sizes, np.zeros_like(self.sizes)])
            if isinstance(node, Question):
                slot = self._slot_numbers.setdefault(node.slot, len(self.slots))
                if slot == len(self.slots):
                    self.slots.append(node.slot)
                self.asks[known] = slot
            elif isinstance(node, Forking):
                self.asks[known] = _CHOICE if node.unique else _LEFT
                self.sizes[known] = len(node.branches)
            elif node.ends:
                self.asks[known] = _LEFT
            else:
                self.asks[known] = _END
                self.bundles[known] = bundle_of(node)
        return known

    def answers(self, slot: Slot, codes: Ints, ids: Sequence[int]) -> Ints:
        """The ids for codes. Lists of ids that belong to a slot for good only become longer."""
        known = self._ids.get(slot)
        if known is None or known[0] is not ids:
            known = ids, np.array(ids, dtype=np.int64)
        elif len(known[1]) < len(ids):
            known = ids, np.concatenate([known[1], np.array(ids[len(known[1]) :], dtype=np.int64)])
        self._ids[slot] = known
        return known[1].take(codes)

    def targets(self, nodes: Ints, answers: Ints | int, bundle_of: Callable[[Leaf | Leaves], int]) -> Ints:
        """The numbers of the nodes that come next; `NONE` where there is no such branch yet."""
        keys = ((nodes << _ANSWER_BITS) + (answers + _LEAST_ANSWER)).view(np.uint64)
        places = self._places(keys)
        found = self._targets.take(places).astype(np.int64)
        missed = np.flatnonzero(self._keys.take(places) != keys)
        if len(missed):
            new, back = np.unique(keys[missed], return_inverse=True)
            known = np.array([self._target(key, bundle_of) for key in METER.attended(new.tolist())], dtype=np.int64)
            found[missed] = known[back]
            kept = known != NONE
            self._store(new[kept], known[kept])
        return found

    def _target(self, key: int, bundle_of: Callable[[Leaf | Leaves], int]) -> int:
        node, answer = self.nodes[key >> _ANSWER_BITS], (key & ((1 << _ANSWER_BITS) - 1)) - _LEAST_ANSWER
        assert isinstance(node, Question | Forking)
        found = node.branches.get(answer) if isinstance(node, Question) else node.branches[answer]
        return NONE if found is None else self.number(found, bundle_of)

    def _places(self, keys: Words) -> Ints:
        mixed = (keys ^ (keys >> np.uint64(_ANSWER_BITS))) * _FACTOR
        return (mixed >> np.uint64(64 - self._bits)).view(np.int64)

    def _clear(self) -> None:
        self._keys = np.full(1 << self._bits, ~np.uint64(0), dtype=np.uint64)
        self._targets = np.full(1 << self._bits, NONE, dtype=np.int32)

    def _store(self, keys: Words, targets: Ints) -> None:
        self._stored += len(keys)
        if self._stored > (1 << self._bits) // 2 and self._bits < _MOST_BITS:
            taken = np.flatnonzero(self._targets != NONE)
            old = self._keys[taken], self._targets[taken]
            self._bits += 2
            self._clear()
            self._put(*old)
        self._put(keys, targets)

    def _put(self, keys: Words, targets: Ints | NDArray[np.int32]) -> None:
        places = self._places(keys)
        self._keys[places] = keys
        # Of keys with one place the last is kept, in both arrays alike.
        self._targets[places] = targets


class Left(NamedTuple):
    """Rows, by index, that came to a node after these choices, and so many questions and choices."""

    node: TreeNode
    which: Ints
    choices: tuple[int, ...]
    depth: int


class Asking(NamedTuple):
    """What a walk asks for.

    `codes`: as `SlotSource.codes`. `taken`: the alternative of interest after so many choices; None: all are. `met` is
    called with the most alternatives of choices there. `chooses`: whether paths are of interest that choose an element
    then; None: `CHOSEN` is a slot as others are. `is_asked`: whether a path with these choices and no more is of
    interest. `bundle_of`: the number of the bundle of a result.
    """

    codes: Callable[[Slot, Ints], tuple[Ints, Sequence[int]] | int]
    taken: Callable[[int], int | None]
    met: Callable[[int, int], None]
    chooses: Callable[[int], bool] | None
    is_asked: Callable[[tuple[int, ...]], bool]
    bundle_of: Callable[[Leaf | Leaves], int]


class LockstepWalk:
    """One walk of rows. `found`: their bundles; `left`: those that did not come to a result; `slots`: what was read."""

    def __init__(self, known: KnownBranches, rows: Ints, asking: Asking) -> None:
        self._known = known
        self._rows = rows
        self._asking = asking
        self._prefixes = Prefixes()
        self._active: Ints = np.arange(len(rows))
        root = known.number(known.root, asking.bundle_of)
        self._nodes: Ints = np.full(len(rows), root, dtype=np.int64)
        self._made: Ints = np.zeros(len(rows), dtype=np.int64)
        self._next: Ints = self._nodes
        self._depth = 0
        self.found: Ints = np.zeros(len(rows), dtype=np.int64)
        self.left: list[Left] = []
        self.slots: set[Slot] = set()

    def go(self) -> None:
        """Walk until no row goes on."""
        while len(self._active):
            METER.ask()
            self._next = np.full(len(self._active), NONE, dtype=np.int64)
            for ask, which in groups(self._known.asks.take(self._nodes)):
                if ask == _END:
                    self._end(which)
                elif ask == _CHOICE:
                    self._choose(which)
                elif ask == _LEFT:
                    self._leave(which)
                else:
                    self._ask(self._known.slots[ask], which)
            on = np.flatnonzero(self._next != NONE)
            self._active, self._nodes, self._made = self._active[on], self._next[on], self._made[on]
            self._depth += 1

    def _end(self, which: Ints) -> None:
        for number, own in groups(self._made.take(which), which):
            if self._asking.is_asked(self._prefixes.made[number]):
                self.found[self._active[own]] = self._known.bundles.take(self._nodes[own])

    def _leave(self, which: Ints) -> None:
        for node, own in groups(self._nodes.take(which), which):
            for number, alike in groups(self._made.take(own), own):
                choices = self._prefixes.made[number]
                self.left.append(Left(self._known.nodes[node], self._active[alike], choices, self._depth))

    def _choose(self, which: Ints) -> None:
        """Take the only alternative that is asked for."""
        known, asking = self._known, self._asking
        for number, own in groups(self._made.take(which), which):
            level = len(self._prefixes.made[number])
            sizes = known.sizes.take(self._nodes.take(own))
            asking.met(level, int(sizes.max()))
            taken = asking.taken(level)
            if taken is None:
                self._leave(own[sizes != 1])
                taken, own = 0, own[sizes == 1]
            else:
                own = own[sizes > taken]
            targets = known.targets(self._nodes.take(own), taken, asking.bundle_of)
            self._leave(own[targets == NONE])
            self._next[own] = targets
            self._made[own] = self._prefixes.longer(number, taken)

    def _ask(self, slot: Slot, which: Ints) -> None:
        made = self._made
        if slot == CHOSEN and self._asking.chooses is not None:
            which, made = self._choosing(which, self._asking.chooses)
        if not len(which):
            return
        self.slots.add(slot)
        try:
            answers = self._asking.codes(slot, self._rows.take(self._active[which]))
        except UnknownElement:
            self._leave(which)
            return
        ids = answers if isinstance(answers, int) else self._known.answers(slot, *answers)
        targets = self._known.targets(self._nodes.take(which), ids, self._asking.bundle_of)
        self._next[which] = targets
        unknown = targets == NONE
        if unknown.any():
            self._leave(which[unknown])
        self._made = made

    def _choosing(self, which: Ints, chooses: Callable[[int], bool]) -> tuple[Ints, Ints]:
        """The rows of which paths are asked for that choose an element, and the choices then made."""
        made, found = self._made.copy(), [which[:0]]
        for number, own in groups(self._made.take(which), which):
            if chooses(len(self._prefixes.made[number])):
                made[own] = self._prefixes.longer(number, SOME_INDEX)
                found.append(own)
        return np.concatenate(found), made


def groups(numbers: NDArray[np.int32] | Ints, which: Ints | None = None) -> Iterator[tuple[int, Ints]]:
    """The distinct numbers, each with the indexes at which it is; `which`: instead of indexes, what it has there."""
    if not len(numbers):
        return
    indexes = np.arange(len(numbers)) if which is None else which
    first = int(numbers[0])
    if (numbers == first).all():
        yield first, indexes
        return
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    cuts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    for part in np.split(order, cuts):
        yield int(numbers[part[0]]), indexes[part]
