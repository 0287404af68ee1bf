"""Folds by element: comprehensions over a set are answered from the results of a turn for each element.

A turn is a function of its element, of the values that it finds around the comprehension, and of what it reads of the
state. So the turns for all elements that were ever met in the set are known before a state is looked at, and of the
state only the question remains which of them it has. That question is a slot of its own, below that of the set: what
follows depends on the value alone that the present elements make.

A turn that reads the state reads what the execution path then has read, too; such a fold is known by all that its path
has asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from checker.search.memo.division import FOLD
from checker.search.memo.element_choices import BeginAnew
from fizz import Span
from interpreter.state.state import MISSING, UNBOUND
from interpreter.state.step import ModelError
from interpreter.values.basis import hash_key
from interpreter.values.budget import METER, parts_of_key
from interpreter.values.folding import Fold
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake

_COSTLY: Final = frozenset({"R20", "R24"})
MOST_TURNS: Final = 4_096
"""Of more elements than this, turns are not asked one by one."""


class UnknownElement(Exception):
    """A row has an element for which a fold has no turn yet."""

    row = -1


class Turn(NamedTuple):
    """The results of a turn as ids, None if it fails; the parts of an assertion that it evaluated; what it costs.

    `keys`: equal results have equal keys, if they go into a set.
    """

    results: tuple[int, ...] | None
    keys: tuple[Hashable, ...]
    met: frozenset[Span]
    charged: int
    made: int


class KnownFold:
    """The turns of one fold by element.

    `decisive`: the result that decides `any` or `all`. `stops`: elements after one that decides are not evaluated.
    """

    def __init__(self, functions: tuple[str, ...], interner: Interner) -> None:
        self.functions = functions
        self.turns: dict[int, Turn] = {}
        self.stops = functions[0] != "list"
        decides = functions[-1] in ("any", "all")
        self.decisive = interner.intern(Tag.BOOL, functions[-1] == "any") if decides else None


class Folds:
    """All folds of one run, by number. `note` is called with the parts of assertions that were evaluated in a state."""

    def __init__(self, interner: Interner, note: Callable[[Iterable[Span]], None]) -> None:
        self.interner = interner
        self._note = note
        self.noted: set[Span] = set()
        self.known: list[KnownFold] = []
        self._numbers: dict[Hashable, int] = {}
        self.refused: set[Hashable] = set()
        """The sites at which comprehensions are evaluated as they are written."""
        self.reading: set[Hashable] = set()
        """The folds, by site and values around, with turns that read the state."""
        self.around: set[Hashable] = set()
        """The sites of folds with such folds in their turns."""

    def ids_of(self, values: Iterable[object]) -> tuple[int, ...]:
        """The ids of values, UNBOUND for MISSING; ModelMistake if a value cannot be in a state."""
        return tuple([UNBOUND if value is MISSING else freeze(value, self.interner, None) for value in values])

    def number(self, key: Hashable, functions: tuple[str, ...]) -> int:
        """The number of a fold."""
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.known)
            self.known.append(KnownFold(functions, self.interner))
        return known

    def matters(self, number: int, element: int) -> bool:
        """Whether the value of a fold may depend on an element, or what is known to have been evaluated does."""
        fold = self.known[number]
        turn = fold.turns.get(element)
        if turn is None or turn.results is None or not turn.met <= self.noted:
            return True
        return bool(turn.results) if fold.decisive is None else fold.decisive in turn.results

    def answer(self, step: str, elements: Sequence[int]) -> int:
        """The answer to the question of a step for these elements, in canonical order.

        UNBOUND: it is not to be answered in this way. Raises `UnknownElement`.
        """
        fold = self.known[int(step[1:])]
        found: list[int] = []
        keys: list[Hashable] = []
        for element in elements:
            turn = fold.turns.get(element)
            if turn is None:
                raise UnknownElement
            if turn.results is None:
                return UNBOUND
            if not turn.met <= self.noted:
                self.noted |= turn.met
                self._note(turn.met)
            found += turn.results
            keys += turn.keys
            if fold.stops and fold.decisive in turn.results:
                break
        return self._made(fold, found, keys)

    def _made(self, fold: KnownFold, found: list[int], keys: list[Hashable]) -> int:
        interner, functions = self.interner, fold.functions
        if fold.decisive is not None:
            return fold.decisive if fold.decisive in found else interner.intern(Tag.BOOL, functions[-1] == "all")
        if functions == ("list", "len"):
            return interner.intern(Tag.INT, len(found))
        if functions == ("list",):
            return interner.intern(Tag.LIST, tuple(found))
        # Of equal elements the first is in the set.
        by_key: dict[Hashable, int] = {}
        for key, number in zip(keys, found, strict=True):
            by_key.setdefault(key, number)
        if functions == ("list", "set", "len"):
            return interner.intern(Tag.INT, len(by_key))
        assert functions == ("list", "set")
        return interner.intern_members(Tag.SET, by_key.values())


class FoldedPath(Protocol):
    """What folds need to know of the execution path that asks them."""

    def prefix(self) -> Hashable:
        """All that the path has asked so far."""
        ...

    @property
    def touches(self) -> int:
        """How often it has asked for the state."""
        ...

    def changes(self) -> Hashable:
        """What it has changed so far."""
        ...

    @property
    def has_changed(self) -> bool:
        """Whether it has changed a container of the state."""
        ...

    def thaw(self, number: int) -> object:
        """The value of an id."""
        ...


class PathFolds:
    """The folds of one execution path. `met`: the parts of an assertion that were evaluated."""

    def __init__(self, folds: Folds, path: FoldedPath, met: set[Span]) -> None:
        self.folds = folds
        self._path = path
        self._met = met
        self._asked = 0
        """How many folds with turns that read the state were asked."""

    def step(self, fold: Fold, elements: Sequence[int]) -> str | None:
        """The step to the answer of a fold over a set that may have these elements; None: as it is written."""
        folds = self.folds
        if fold.site in folds.refused or len(elements) > MOST_TURNS:
            return None
        if fold.calls and self._path.has_changed:
            # That a turn changes it once more would not be seen.
            return None
        try:
            key = (fold.site, folds.ids_of(fold.held()))
        except ModelMistake:
            folds.refused.add(fold.site)
            return None
        if key in folds.reading or fold.site in folds.around:
            return self._reading(fold, key, elements)
        number = folds.number(key, fold.site[1])
        known = folds.known[number]
        for element in elements:
            turn = known.turns.get(element)
            if turn is None:
                before, asked = self._path.touches, self._asked
                turn = self._turn(fold, element)
                if self._asked != asked:
                    # Those in it are known by all that was asked before, and this would be asked twice.
                    folds.around.add(fold.site)
                    raise BeginAnew
                if self._path.touches != before:
                    folds.reading.add(key)
                    return self._reading(fold, key, elements)
                known.turns[element] = turn
            else:
                METER.charge(turn.charged)
                METER.make(turn.made)
        return f"{FOLD}{number}"

    def _reading(self, fold: Fold, key: Hashable, elements: Sequence[int]) -> str:
        """As `step`, of a fold whose turns read the state."""
        self._asked += 1
        turns = {element: self._turn(fold, element) for element in elements}
        number = self.folds.number((key, self._path.prefix()), fold.site[1])
        self.folds.known[number].turns.update(turns)
        return f"{FOLD}{number}"

    def _turn(self, fold: Fold, element: int) -> Turn:
        folds, path = self.folds, self._path
        met, depth, (count, made) = self._met.copy(), METER.depth, METER.spent
        before = (path.changes(), folds.ids_of(fold.held())) if fold.calls else None
        self._met.clear()
        results: tuple[int, ...] | None = None
        keys: tuple[Hashable, ...] = ()
        try:
            values = fold.turn(path.thaw(element))
            results = folds.ids_of(values)
            if "set" in fold.site[1]:
                keys = tuple(map(hash_key, values))
            # The list, the set, and what looking elements up costs.
            METER.make(2 * len(values) + sum(map(parts_of_key, keys)))
        except (ModelMistake, ModelError) as problem:
            METER.depth = depth
            results = None
            if problem.code in _COSTLY:
                self._refuse(fold)
        found = frozenset(self._met)
        self._met.clear()
        self._met |= met
        changed = fold.calls and before != (path.changes(), folds.ids_of(fold.held()))
        if changed or any(map(folds.interner.mutable, results or ())):
            # A turn that changes something, or gives out what may be changed, must happen where it is written.
            self._refuse(fold)
        spent = METER.spent
        return Turn(results, keys, found, spent[0] - count, spent[1] - made)

    def _refuse(self, fold: Fold) -> None:
        self.folds.refused.add(fold.site)
        raise BeginAnew
