"""Folds by element: comprehensions over a set are answered from the results of a turn for each element.

A turn is a function of its element, of the values that it finds around the comprehension, and of what it reads of the
state. So the turns for all elements that were ever met in the set are known before a state is looked at, and of the
state only the question remains which of them it has. That question is a slot of its own, below that of the set: what
follows depends on the value alone that the present elements make.

What a turn asks of the state is no question of the path: the turns for an element are a tree of their own, and the
answer to the fold is found by walking the trees of the elements that are present. Only where a path has changed
something before does it ask what its turns ask; such a fold is known by all that its path has asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn

from checker.search.memo.division import FOLD
from checker.search.memo.element_choices import BeginAnew
from checker.search.memo.known_folds import Kind, KnownFold, KnownPassing, PassedTurns, UnknownElement
from checker.search.memo.turn_trees import Ask, Turn, TurnNode, turn_in
from fizz import Span
from interpreter.library.builtin_functions import FUNCTIONS
from interpreter.state.state import MISSING, UNBOUND, Slot
from interpreter.values import ListValue
from interpreter.values.budget import METER
from interpreter.values.folding import FIRST, INTO_ONE, OF_SETS, Site
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake

FEW_MEMBERS: Final = 8
"""Folds over lists are charged for so many turns, and for more if lists turn out to be longer."""
_ROOM: Final = 64
_ROOM_OF_SETS: Final = 4_096
"""And for so much in each turn, or for a set in all unless it is in a turn, and for more if they cost more."""
_MOST_FIXED: Final = 64
"""So many folds may there be at a site over what is the same in all states."""
_DEAR: Final = 50_000
"""A path may spend six times as much."""


class Folds:
    """All folds of one run, by number. `note` is called with the parts of assertions that were evaluated in a state."""

    def __init__(self, interner: Interner, note: Callable[[Iterable[Span]], None]) -> None:
        self.interner = interner
        self._note = note
        self.noted: set[Span] = set()
        self.known: list[KnownFold | KnownPassing] = []
        self._passed: dict[Hashable, PassedTurns] = {}
        self._numbers: dict[tuple[Hashable, ...], int] = {}
        self.refused: set[Hashable] = set()
        """The sites at which comprehensions are evaluated as they are written."""
        self.reading: set[Hashable] = set()
        """The folds, by site and values around, with turns that read the state."""
        self.around: set[Hashable] = set()
        """The sites of folds with such folds in their turns."""
        self._quiet = 0
        self._longest = FEW_MEMBERS
        """Lists have no more members, as far as is known."""
        self._rooms: dict[Hashable, int] = {}
        """What a fold over a set, or a turn of one over a list, is charged with."""
        self._asked: set[int] = set()
        """The folds that were asked since they were charged so."""
        self._of_lists: set[int] = set()
        """The folds that were asked of lists since then."""
        self._fixed: dict[Site, set[tuple[int, ...]]] = {}
        """By site, the elements of all folds over what is the same in all states."""
        self.over_lists = False
        """Whether the last path asked lists by turns that it did not read besides."""
        self.ended: set[str] = set()
        """The steps to the answers of folds that no path asks any more: trees that ask for them are not added to."""
        self.visits = 0
        """How often some rows were led to a node of a tree of turns."""

    def ids_of(self, values: Iterable[object]) -> tuple[int, ...]:
        """The ids of values, UNBOUND for MISSING; ModelMistake if a value cannot be in a state."""
        return tuple([UNBOUND if value is MISSING else freeze(value, self.interner, None) for value in values])

    def numbered(
        self, key: tuple[Hashable, ...], site: Site, kind: Kind, fixed: tuple[int, ...] = ()
    ) -> tuple[int, KnownFold]:
        """A fold at a site, and its number. `fixed`: its elements, if they are the same in all states."""
        number = self._numbers.get(key)
        if number is None:
            number = self._add(key, KnownFold(key, site, self.interner, kind, fixed))
        known = self.known[number]
        assert isinstance(known, KnownFold)
        return number, known

    def numbered_passing(
        self, key: tuple[Site, Hashable], values: tuple[int, ...], kind: Kind, fixed: tuple[int, ...] = ()
    ) -> tuple[int, KnownPassing]:
        """As `numbered`, of one that passes something on, and begins with these values."""
        shared = self._passed.get(key)
        if shared is None:
            shared = self._passed[key] = PassedTurns(self.interner)
        start = shared.start(values)
        begun = ("passed", key, start)
        number = self._numbers.get(begun)
        if number is None:
            number = self._add(begun, KnownPassing(key, shared, start, kind, fixed))
        known = self.known[number]
        assert isinstance(known, KnownPassing)
        return number, known

    def _add(self, key: tuple[Hashable, ...], fold: KnownFold | KnownPassing) -> int:
        number = self._numbers[key] = len(self.known)
        self.known.append(fold)
        return number

    def is_numbered(self, key: tuple[Hashable, ...]) -> bool:
        """Whether a fold has a number."""
        return key in self._numbers

    def refuse(self, site: Site) -> NoReturn:
        """Have comprehensions at a site evaluated as they are written from now on; raises `BeginAnew`."""
        self.refused.add(site)
        self._end([number for number, fold in enumerate(self.known) if fold.site == site])

    def note_fixed(self, site: Site, elements: tuple[int, ...]) -> None:
        """Note that a fold at a site is over these elements, in all states; raises `BeginAnew` if too many were."""
        met = self._fixed.setdefault(site, set())
        met.add(elements)
        if len(met) > _MOST_FIXED:
            self.refuse(site)

    def read(self, key: tuple[Site, Hashable], new: bool) -> None:
        """Let paths that have changed something ask what the turns of a fold ask, from now on.

        `new`: no path has asked for it yet. Raises `BeginAnew` if one may have.
        """
        self.reading.add(key)
        if not new:
            self._end([self._numbers[key]])

    def read_around(self, site: Site) -> NoReturn:
        """As `read`, of all folds at a site, in the turns of which there are such folds; raises `BeginAnew`."""
        self.around.add(site)
        self._end([number for key, number in self._numbers.items() if key[0] == site])

    def _end(self, numbers: Iterable[int]) -> NoReturn:
        """Ask some folds no more. Turns in which they were asked are forgotten.

        And their own: so a tree that still asks one comes to an element that is not known, and begins anew.
        """
        gone = set(numbers)
        for number in gone:
            self.known[number].forget()
        ended = {f"{FOLD}{number}" for number in gone}
        self.ended |= ended
        self.forget_reads(lambda slot: slot[-1] in ended)
        raise BeginAnew

    def room_for(self, members: int) -> int:
        """As many turns as a fold over a list is charged for, if there is one with so many members.

        Raises `BeginAnew` if folds were charged for fewer.
        """
        if members > self._longest:
            self._longest = 1 << (members - 1).bit_length()
            ended, self._of_lists = self._of_lists, set()
            self._end(ended)
        return self._longest

    def charge(self, number: int, cost: int, turns: int, nested: bool) -> None:
        """Charge for a fold that costs so much at most: by turn, of which a list has up to that many, or for a set (0).

        `nested`: in a turn of another fold, which is charged for that in each of its turns.

        What costs more is not known when a path asks. So it is charged for some more, and if a fold turns out to cost
        more than that, the paths that asked for it are forgotten. Raises `BeginAnew` then, or if lists cost much.
        """
        fold = self.known[number]
        room = self._rooms.setdefault(fold.key, _ROOM if turns or nested else _ROOM_OF_SETS)
        if turns and cost * turns > _DEAR:
            self.refuse(fold.site)
        if cost > room:
            self._rooms[fold.key] = room = 1 << (cost - 1).bit_length()
            ended = {one for one in self._asked if self.known[one].key == fold.key}
            if ended:
                self._asked -= ended
                for key in [key for key, one in self._numbers.items() if one in ended]:
                    del self._numbers[key]
                self._end(ended)
        METER.make(max(1, turns) * room)
        self._asked.add(number)
        if turns:
            self._of_lists.add(number)

    def fold(self, step: str) -> KnownFold | KnownPassing:
        """The fold of a step."""
        return self.known[int(step[1:])]

    def read_by(self, slots: Iterable[Slot]) -> set[Slot]:
        """These slots, and all that the turns of folds among them ask of the state, as far as is known."""
        found = set(slots)
        pending = list(found)
        while pending:
            step = pending.pop()[-1]
            if isinstance(step, str) and step.startswith(FOLD):
                more = self.fold(step).reads - found
                found |= more
                pending += more
        return found

    def forget_reads(self, which: Callable[[Slot], bool]) -> None:
        """Forget the turns of folds that ask for any of these slots. Rules that do must be forgotten, too."""
        for fold in self.known:
            if any(map(which, self.read_by(fold.reads))):
                fold.forget()

    def answer(self, step: str, elements: Sequence[int], ask: Ask | None = None) -> int:
        """The answer to the question of a step for these elements, in canonical order.

        `ask` answers what turns ask of the state. UNBOUND: it is not to be answered in this way. Raises
        `UnknownElement`.
        """
        fold = self.fold(step)
        if isinstance(fold, KnownPassing):
            return self._passed_by(fold, elements, ask)
        taken: list[Turn] = []
        for element in elements:
            turn = _turn_of(fold.turns.get(element), ask)
            if turn.results is None:
                return UNBOUND
            self.note(turn)
            taken.append(turn)
            if fold.stops and fold.counts(turn.results):
                break
        return self.made(fold, taken)

    def _passed_by(self, fold: KnownPassing, elements: Sequence[int], ask: Ask | None) -> int:
        """As `answer`, of a loop that passes something on."""
        given = fold.start
        for element in elements:
            turn = _turn_of(fold.turns.get((given, element)), ask)
            if turn.results is None:
                return UNBOUND
            self.note(turn)
            (given,) = turn.results
            if given in fold.shared.ends:
                break
        return fold.answer(given)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Within the block nothing is noted: turns are learned there, and none is taken in a state."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is noted at present."""
        return self._quiet > 0

    def note(self, turn: Turn) -> None:
        """Note what a turn evaluated in a state."""
        if not self._quiet and not turn.met <= self.noted:
            self.noted |= turn.met
            self._note(turn.met)

    def made(self, fold: KnownFold, turns: Iterable[Turn]) -> int:
        """The value of a fold, made from the results of turns, in the order of their elements; UNBOUND: it is not to
        be made so."""
        found: list[int] = []
        keys: list[Hashable] = []
        for turn in turns:
            found += turn.results or ()
            keys += turn.keys
        return self._made(fold, found, keys)

    def _made(self, fold: KnownFold, found: list[int], keys: list[Hashable]) -> int:
        interner, functions = self.interner, fold.functions
        if fold.decisive is not None:
            return fold.decisive if fold.decisive in found else interner.intern(Tag.BOOL, functions[-1] == "all")
        if functions == ("list", "len"):
            return interner.intern(Tag.INT, len(found))
        if functions == FIRST:
            return interner.intern(Tag.LIST, tuple(found[:1]))
        if functions == ("list",):
            return interner.intern(Tag.LIST, tuple(found))
        if functions[-1] in INTO_ONE:
            return self._into_one(functions[-1], found)
        # Of equal elements the first is in the set.
        by_key: dict[Hashable, int] = {}
        for key, number in zip(keys, found, strict=True):
            by_key.setdefault(key, number)
        if functions == ("list", "set", "len"):
            return interner.intern(Tag.INT, len(by_key))
        assert functions == OF_SETS
        # In the order in which they come into the set, which it keeps within a step: see `value_of`.
        return interner.intern(Tag.LIST, tuple(by_key.values()))

    def _into_one(self, function: str, found: list[int]) -> int:
        """The sum, the greatest or the least of results that are ints; UNBOUND for others, and where it fails."""
        interner = self.interner
        if any(interner.tag(number) is not Tag.INT for number in found):
            return UNBOUND
        try:
            value = FUNCTIONS[function].call([ListValue(list(map(interner.payload, found)))], {})
        except ModelMistake:
            return UNBOUND
        return interner.intern(Tag.INT, value)


def _turn_of(node: TurnNode | None, ask: Ask | None) -> Turn:
    """The turn of a tree where `ask` answers; `UnknownElement` if it is not known."""
    turn = node if isinstance(node, Turn) else None if ask is None else turn_in(node, ask)
    if turn is None:
        raise UnknownElement
    return turn
