"""`PathFolds`: the folds that one execution path asks, and the turns that it takes to answer them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NamedTuple, Protocol

from checker.search.memo.division import FOLD
from checker.search.memo.folds import Folds
from checker.search.memo.known_folds import Kind, KnownFold, KnownPassing, PassedTurns, UnknownElement
from checker.search.memo.open_containers import OpenContainer, OpenSet, asked_by_elements, is_known_by_content
from checker.search.memo.orders import orders_in
from checker.search.memo.turn_trees import Turn, TurnNode, turn_in
from fizz import Span
from interpreter.execute.reach import changed
from interpreter.execute.state_struct import StateStruct
from interpreter.state.state import UNBOUND, Slot
from interpreter.state.step import Event, ModelError
from interpreter.values import Instance, ListValue
from interpreter.values.basis import hash_key
from interpreter.values.budget import METER, parts_of_key
from interpreter.values.folding import FIRST, AskedFold, Fold, PassingFold, Site
from interpreter.values.problem import ModelMistake

_COUNTING: Final = ("list", "len")
"""The functions of a fold that only counts what its turns give."""
_GIVING_OUT: Final = (("list",), FIRST)
"""Those of folds whose values are lists of what the turns give."""
_COSTLY: Final = frozenset({"R20", "R24"})
MOST_TURNS: Final = 4_096
"""Of more elements than this, turns are not asked one by one."""
MOST_LISTED: Final = 1_000
"""Lists with more different members than this are gone through as it is written."""
TURNS_AHEAD: Final = 100
MOST_AHEAD: Final = 4_000
"""So many turns that pass something on are taken ahead in each run of a path, until so many are known."""
MOST_PASSED: Final = 50_000
"""Where more turns are known that pass something on, or beginnings, the loop is run as it is written."""


class FoldedSet(NamedTuple):
    """A set or bag of a state: the elements that it may have, those that it has, these in order with all copies, and
    what they are.

    Or a list of up to `most` members (see `Folds.room_for`); then any of them may be any element. Or the keys of a
    dict. Or what is the same in all states.
    """

    elements: Sequence[int]
    present: Callable[[], set[int]]
    held: Callable[[], Sequence[int]]
    thaw: Callable[[int], object]
    kind: Kind = Kind.SET
    most: int = 0

    @property
    def fixed(self) -> tuple[int, ...]:
        """The elements, if they are the same in all states."""
        return tuple(self.elements) if self.kind is Kind.FIXED else ()


@contextmanager
def _kept_open(held: Iterable[object]) -> Iterator[None]:
    """After the block those of these containers are open that were so before: what was read of them in it is a question
    of a turn, and not of the path."""
    again = [value.undo() for value in held if isinstance(value, OpenContainer)]
    try:
        yield
    finally:
        for open_again in again:
            open_again()


class _Turning(NamedTuple):
    """A fold of which a turn is taken. `kind`: what it is over; `passing`: it passes something on."""

    site: Site
    kind: Kind
    passing: bool


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

    @property
    def untouched(self) -> bool:
        """Whether it has changed nothing so far: a turn finds all as it is in the state."""
        ...

    def changed_names(self) -> frozenset[str] | None:
        """The names of the variables and fields that it has changed so far; None if there may be others."""
        ...

    @property
    def of_steps(self) -> bool:
        """Whether it sees two states."""
        ...

    def apart(self) -> AbstractContextManager[Sequence[Event]]:
        """Within the block all is asked as if nothing had been asked before; gives the questions, with answers."""
        ...

    def side(self, world: object) -> int:
        """Which of the states that the path sees this world has."""
        ...

    def look(self, slot: Slot) -> int:
        """The answer to a question of a turn; the path does not depend on it."""
        ...


class PathFolds:
    """The folds of one execution path. `met`: the parts of an assertion that were evaluated.

    `fixed`: what is the same in all states is asked turn by turn, too.
    """

    def __init__(self, folds: Folds, path: FoldedPath, met: set[Span], fixed: bool) -> None:
        self.folds = folds
        self.path = path
        self.fixed = fixed
        self._met = met
        self._asked = 0
        """How many folds with turns that read the state were asked."""
        self._turning: list[_Turning] = []
        """The folds of which this path takes a turn at present, one in the other."""

    def step(self, fold: AskedFold, over: FoldedSet) -> str | None:
        """The step to the answer of a fold over a set; None: it is evaluated as it is written."""
        folds = self.folds
        if fold.site in folds.refused or (not over.most and len(over.elements) > MOST_TURNS):
            return None
        if over.kind is not Kind.SET and not self._may_ask(fold, over):
            return None
        if fold.calls and self.path.has_changed:
            # That a turn changes it once more would not be seen.
            return None
        try:
            # What turns ask for in a turn depends on what is asked turn by turn.
            key = (fold.site, (over.kind, over.most, self._held(fold), over.fixed, self.fixed))
        except ModelMistake:
            folds.refuse(fold.site)
        as_in_state = self.path.untouched or self._is_left_alone(fold, over)
        if isinstance(fold, PassingFold):
            return self._passing(fold, key, over) if as_in_state else None
        if as_in_state:
            return self._apart(fold, key, over)
        if over.kind is not Kind.SET:
            return None
        if key in folds.reading or fold.site in folds.around:
            return self._reading(fold, key, over)
        new = not folds.is_numbered(key)
        number, known = folds.numbered(key, fold.site, over.kind)
        for element in over.elements:
            if element in known.turns:
                known.charge(element)
                continue
            before, asked = self.path.touches, self._asked
            turn = self._turn(fold, over.thaw(element))
            if self._asked != asked:
                # Those in it are known by all that was asked before, and this would be asked twice.
                folds.read_around(fold.site)
            if self.path.touches != before:
                folds.read(key, new)
                return self._reading(fold, key, over)
            known.learn(element, (), turn)
        return f"{FOLD}{number}"

    def _is_left_alone(self, fold: AskedFold, over: FoldedSet) -> bool:
        """Whether the path has changed nothing that turns may read, by the names in the text: they find all as it is in
        the state."""
        if fold.calls or fold.mentions is None or over.kind is Kind.SET:
            return False
        changed = self.path.changed_names()
        return changed is not None and changed.isdisjoint(fold.mentions)

    def _may_ask(self, fold: AskedFold, over: FoldedSet) -> bool:
        """Whether a list or dict may be asked. What is not of the text is decided once for all paths."""
        if any(map(is_known_by_content, fold.held())):
            # What a turn reads of it would not be seen, or each content would be another fold.
            return False
        if self._turning and not self._may_nest(fold):
            return False
        roles = self.path.of_steps and any(map(self.folds.interner.has_roles, over.elements))
        if roles or len(over.elements) > MOST_LISTED:
            self.folds.refuse(fold.site)
        if over.kind is Kind.FIXED:
            self.folds.note_fixed(fold.site, over.fixed)
        return True

    def _may_nest(self, fold: AskedFold) -> bool:
        """Whether a list or dict may be asked in a turn: once, where nothing is passed on. More costs more than it
        saves.
        """
        if len(self._turning) == 1 and not (self._turning[0].passing or isinstance(fold, PassingFold)):
            return True
        if self._turning[0].kind is not Kind.SET:
            self.folds.refuse(self._turning[0].site)
        return False

    def _apart(self, fold: Fold, key: Hashable, over: FoldedSet) -> str:
        """As `step`, of a path that has changed nothing: what a turn asks is no question of the path."""
        number, known = self.folds.numbered(("apart", key), fold.site, over.kind, over.fixed)
        spent = METER.spent
        with self.folds.quietly():
            self._learn(fold, known, over)
        METER.resume(spent)
        self.folds.charge(number, known.cost_of(None if over.most else over.elements), over.most, bool(self._turning))
        return f"{FOLD}{number}"

    def _learn(self, fold: Fold, known: KnownFold, over: FoldedSet) -> None:
        """Take the turns for all elements, as far as they are not known."""
        present: set[int] | None = None
        for element in over.elements:
            node = known.turns.get(element)
            if isinstance(node, Turn):
                continue
            if node is not None:
                present = over.present() if present is None else present
                if element not in present or self._known(node) is not None:
                    continue
            with self.path.apart() as events:
                turn = self._turn(fold, over.thaw(element), over.kind)
            known.learn(element, events, turn)

    def _known(self, node: TurnNode | None) -> Turn | None:
        """The turn in the state of the path, if it is known. It may ask a fold that has a new element."""
        try:
            return turn_in(node, self.path.look)
        except UnknownElement:
            return None

    def _passing(self, fold: PassingFold, key: tuple[Site, Hashable], over: FoldedSet) -> str:
        """As `step`, of a loop that passes something on, by a path that has changed nothing."""
        folds = self.folds
        try:
            values = folds.ids_of(fold.given)
        except ModelMistake:
            folds.refuse(fold.site)
        if any(map(self._refused, values)):
            folds.refuse(fold.site)
        number, known = folds.numbered_passing(key, values, over.kind, over.fixed)
        if known.shared.met > MOST_PASSED:
            folds.refuse(fold.site)
        spent, held = METER.spent, over.held()
        with folds.quietly():
            self._follow(fold, known, held, over)
            if not self._turning:
                # Each of the turns ahead would look ahead, too.
                self._look_ahead(fold, known, over)
        METER.resume(spent)
        turns = 1 if over.most else max(len(held), len(over.elements))
        folds.charge(number, turns * known.shared.turns_cost, over.most, bool(self._turning))
        return f"{FOLD}{number}"

    def _follow(self, fold: PassingFold, known: KnownPassing, held: Sequence[int], over: FoldedSet) -> None:
        """Take the turns for the elements that a set holds, as far as they are not known."""
        given, shared = known.start, known.shared
        for element in held:
            turn = self._known(shared.turns.get((given, element)))
            if turn is None:
                turn = self._take(fold, shared, given, element, over)
            if turn.results is None:
                return
            (given,) = turn.results
            if given in shared.ends:
                return

    def _take(self, fold: PassingFold, shared: PassedTurns, given: int, element: int, over: FoldedSet) -> Turn:
        """Learn the turn for an element that is given something."""
        with self.path.apart() as events:
            before = over.thaw(given)
            assert isinstance(before, ListValue)
            turn = self._turn(fold.after(before.items), over.thaw(element), over.kind, True)
        return shared.learn(given, element, events, turn)

    def _look_ahead(self, fold: PassingFold, known: KnownPassing, over: FoldedSet) -> None:
        """Take turns for elements that other sets may hold: each run of a path learns so many."""
        shared = known.shared
        if len(shared.turns) > MOST_AHEAD or shared.is_ahead(known.start, len(over.elements)):
            return
        left = TURNS_AHEAD
        given = {known.start}
        for element in sorted(over.elements, key=self.folds.interner.order_key):
            for one in list(given):
                turn = shared.turns.get((one, element))
                if turn is None:
                    if not left:
                        return
                    left -= 1
                    turn = self._take(fold, shared, one, element, over)
                if isinstance(turn, Turn) and turn.results is not None and turn.results[0] not in shared.ends:
                    given.add(turn.results[0])
        shared.note_ahead(known.start, len(over.elements))

    def _reading(self, fold: Fold, key: Hashable, over: FoldedSet) -> str:
        """As `step`, of a fold whose turns read the state."""
        self._asked += 1
        turns = [(element, self._turn(fold, over.thaw(element))) for element in over.elements]
        # What the path has asked by now, with what the turns have.
        number, known = self.folds.numbered((key, self.path.prefix()), fold.site, over.kind)
        for element, turn in turns:
            known.learn(element, (), turn)
        return f"{FOLD}{number}"

    def _held(self, fold: AskedFold) -> tuple[Hashable, ...]:
        """What a turn may use besides its element. A state, or a set of one, is known by where it is."""
        return tuple(map(self._token, fold.held()))

    def _token(self, value: object) -> Hashable:
        path, interner = self.path, self.folds.interner
        if isinstance(value, StateStruct):
            return "state", path.side(value.world)
        slot = asked_by_elements(value)
        if slot is not None and isinstance(value, OpenSet):
            return "set", path.side(value.pending.world), slot
        (number,) = self.folds.ids_of((value,))
        # What is in canonical order in a state keeps within a step the order in which it was made.
        orders = tuple([self.folds.ids_of(inside) for inside in orders_in([value])])
        if orders:
            return number, orders
        if number == UNBOUND or not interner.has_roles(number):
            return number
        if isinstance(value, Instance):
            return "instance", path.side(value.world), number
        if path.of_steps:
            raise ModelMistake("R25", "instances of one of two states inside a value")
        return number

    @contextmanager
    def _in_turn(self, turning: _Turning) -> Iterator[None]:
        self._turning.append(turning)
        try:
            yield
        finally:
            self._turning.pop()

    def _turn(self, fold: Fold, element: object, kind: Kind = Kind.SET, passing: bool = False) -> Turn:
        folds, path = self.folds, self.path
        met, depth, (count, made) = self._met.copy(), METER.depth, METER.spent
        before = (path.changes(), self._held(fold)) if fold.calls else None
        self._met.clear()
        results: tuple[int, ...] | None = None
        keys: tuple[Hashable, ...] = ()
        values: list[object] = []
        try:
            with self._in_turn(_Turning(fold.site, kind, passing)), _kept_open(fold.held()):
                values = fold.turn(element)
            results = folds.ids_of(values)
            if "set" in fold.site[1]:
                keys = tuple(map(hash_key, values))
            # The list, the set, and what looking elements up costs.
            METER.make(2 * len(values) + sum(map(parts_of_key, keys)))
        except (ModelMistake, ModelError) as problem:
            METER.depth = depth
            results = None
            if problem.code in _COSTLY:
                folds.refuse(fold.site)
        found = frozenset(self._met)
        self._met.clear()
        self._met |= met
        spoilt = changed(element) or (fold.calls and before != (path.changes(), self._held(fold)))
        # The container that elements are given out of knows them.
        gives_out = not passing and fold.site[1] in _GIVING_OUT
        given = [(one, gives_out and value is element) for one, value in zip(results or (), values, strict=False)]
        if spoilt or (fold.site[1] != _COUNTING and any(self._refused(one, own) for one, own in given)):
            # A turn that changes something, or gives out what may be changed, must happen where it is written.
            folds.refuse(fold.site)
        spent = METER.spent
        return Turn(results, keys, found, spent[0] - count, spent[1] - made)

    def _refused(self, result: int, own: bool = False) -> bool:
        """Whether a turn may not give this: it may be changed, or it may belong to one of two states. `own`: it is the
        element."""
        interner = self.folds.interner
        return (interner.mutable(result) and not own) or (self.path.of_steps and interner.has_roles(result))
