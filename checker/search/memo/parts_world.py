"""`PartsView` and `PartsWorld`: states that are read part by part, and the world of an execution path that does so.

What it changed inside a container it writes part by part too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any, Final

from checker.search.memo.comparisons import is_comparison
from checker.search.memo.division import FIXED, MOST_MEMBERS, ROOT_LENGTH, SIZE, WHOLE, Divider, of_copy
from checker.search.memo.heads import dict_head_of, fewer, gone, list_head
from checker.search.memo.known_folds import Kind
from checker.search.memo.members_by_step import by_step, each
from checker.search.memo.open_containers import (
    ContainerShape,
    OpenContainer,
    OpenList,
    OpenRecord,
    OpenSet,
    Pending,
    PendingMembers,
    PendingSet,
)
from checker.search.memo.open_dicts import OpenDict, PendingDict
from checker.search.memo.open_generics import OpenBag, OpenGenericSet
from checker.search.memo.orders import value_of
from checker.search.memo.path_folds import FoldedSet, PathFolds
from checker.search.memo.pending_generics import NamedElement, PendingBag, PendingGeneric, PendingGenericSet, Settled
from interpreter.execute.beginning import StateSide
from interpreter.execute.code import Code
from interpreter.execute.reach import changed, reachable
from interpreter.execute.settlement import Settlement
from interpreter.execute.view import PairView, StateView, View
from interpreter.execute.world import Reader, World
from interpreter.state.state import MISSING, UNBOUND, Slot, State
from interpreter.values import Container, SetValue
from interpreter.values.access import elements as listed
from interpreter.values.access import iterate, range_length
from interpreter.values.budget import METER
from interpreter.values.element_index import FEW
from interpreter.values.folding import OF_LOOPS, AskedFold
from interpreter.values.freeze import freeze
from interpreter.values.generics import Items
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake

Writes = Sequence[tuple[Slot, int]]
_OPEN: Final[dict[Tag, type[OpenContainer]]] = {
    Tag.LIST: OpenList,
    Tag.DICT: OpenDict,
    Tag.RECORD: OpenRecord,
    Tag.SET: OpenSet,
}


class PartsView(StateView):
    """A view of one state that gives the heads of divided containers, and their parts.

    A walk through the trees of many rules asks for the same slots again and again: answers are cached.
    """

    __slots__ = ("_answers", "_divider")

    def __init__(self, state: State, interner: Interner, divider: Divider) -> None:
        super().__init__(state, interner)
        self._answers: dict[Slot, int] = {}
        self._divider = divider

    @property
    def state(self) -> State:
        return self._state

    def read(self, slot: Slot) -> int:
        answer = self._answers.get(slot)
        if answer is None:
            answer = self._answers[slot] = self._answer(slot)
        return answer

    def _answer(self, slot: Slot) -> int:
        if is_comparison(slot) or isinstance(slot[0], tuple):
            # Of one that is about a step, what is left here are the containers: they are to be read.
            return UNBOUND
        length = ROOT_LENGTH.get(str(slot[0]))
        if length is None:
            return super().read(slot)
        position = self._state.layout.index.get(slot[:length])
        return UNBOUND if position is None else self._divider.read(slot, self._state.values[position])


def states_of(view: View) -> tuple[State, State | None] | None:
    """The state of a view, or those after and before a step, of which containers are read part by part; else None."""
    if type(view) is PartsView:
        return view.state, None
    if type(view) is PairView:
        before, after = view.sides
        if type(before) is PartsView and type(after) is PartsView:
            return after.state, before.state
    return None


class PartsWorld(World):
    """A world whose reader may answer with the head of a container. `opened`: the containers that it gave so.

    `generous`: operations on bags, and comparisons, may charge more than they do where all of a container is there.
    """

    __slots__ = ("_divider", "_generous", "asked_fixed", "by_turns", "folds", "opened", "together", "touches")

    def __init__(self, interner: Interner, recorder: Reader, code: Code, divider: Divider, generous: bool) -> None:
        super().__init__(interner, recorder, code)
        self._divider = divider
        self._generous = generous
        self.folds: PathFolds | None = None
        """Answers comprehensions over sets, if these are asked by elements, and over lists that answer folds."""
        self.touches = 0
        """How often the state was asked for."""
        self.together = [self]
        """All worlds of the path: there is one for each state that it sees."""
        self.opened: dict[Slot, tuple[Container, ContainerShape]] = {}
        self.by_turns: set[Slot] = set()
        """The slots of lists that were asked by turns."""
        self.asked_fixed = False
        """Whether something was that is the same in all states."""

    def beside(self, reader: Reader) -> PartsWorld:
        world = PartsWorld(self.interner, reader, self.code, self._divider, self._generous)
        world.folds, world.together = self.folds, self.together
        self.together.append(world)
        return world

    @property
    def side(self) -> int:
        return next(number for number, world in enumerate(self.together) if world is self)

    def compared(self, question: str, slot: Slot, other: object, other_slot: Slot, charged: int) -> bool | None:
        """The answer to a question about the containers in two slots, which are as they were; None: read them.

        `other`: the world of the second one; they are not the same container.
        """
        if not (self._generous and self._divider.compares and isinstance(other, PartsWorld)):
            return None
        one, two = self.recorder, other.recorder
        self.touches += 1
        if isinstance(one, StateSide) and isinstance(two, StateSide):
            answer = one.compared(question, slot, two, other_slot)
        elif one is two:
            answer = one.read((question, slot, other_slot))
        else:
            return None
        if answer == UNBOUND:
            return None
        METER.charge(charged)
        return bool(self.interner.payload(answer))

    # --- reading ---------------------------------------------------------------------------------------------------

    def get(self, slot: Slot) -> object:
        self.touches += 1
        return super().get(slot)

    def ask(self, slot: Slot) -> int:
        self.touches += 1
        return super().ask(slot)

    def read(self, slot: Slot) -> object:
        self.touches += 1
        number = self.originals[slot] = self.recorder.read(slot)
        if number == UNBOUND:
            return MISSING
        return self._open(slot, number) if self.interner.tag(number) is Tag.HEAD else self.thaw(number)

    def _open(self, slot: Slot, head: int) -> Container:
        """A container of which only the head is known."""
        keys, (rank, steps, whole), _ = self.interner.payload(head)
        tag = Tag(rank)
        if tag is Tag.BAG or tag is Tag.GENERICSET:
            return self._open_generic(slot, tag)
        known = [step[1:] for step in steps] if tag is Tag.RECORD else [self.thaw(key) for key in keys]
        shape = ContainerShape(steps, known, whole)
        container = _OPEN[tag].over(self._pending_set(slot) if tag is Tag.SET else self._pending(slot, tag, shape))
        self.opened[slot] = (container, shape)
        return container

    def _pending(self, slot: Slot, tag: Tag, shape: ContainerShape) -> Pending:
        load_all = partial(self._all, slot, shape) if shape.whole else None

        def load(step: str) -> object:
            return self.read((*slot, step))

        if tag is Tag.RECORD:
            return Pending(shape, load, load_all)
        if tag is Tag.DICT:
            return PendingDict(shape, load, load_all, partial(self._fold_dict, slot, shape), self, slot)
        return PendingMembers(shape, load, load_all, partial(self._fold_list, slot, shape), self, slot)

    def _all(self, slot: Slot, shape: ContainerShape) -> list[object]:
        """The members of a container that is stored whole, in order."""
        container = self._content(slot)
        assert isinstance(container, Container)
        return each(container, shape)

    def _pending_set(self, slot: Slot) -> PendingSet:
        return PendingSet(
            self,
            slot,
            self._step_to,
            lambda step: self._asked((*slot, step)) != UNBOUND,
            lambda: int(self.interner.payload(self._asked((*slot, SIZE)))),
            partial(self._elements, slot),
            partial(self._fold, slot),
        )

    def _open_generic(self, slot: Slot, tag: Tag) -> Container:
        """A genericset or bag of which nothing is known."""
        if not self._generous:
            found = self._content(slot)
            assert isinstance(found, Items)
            return found
        is_bag = tag is Tag.BAG
        pending = (PendingBag if is_bag else PendingGenericSet)(
            slot,
            self._named,
            lambda step, copy: self._asked((*slot, of_copy(step, copy))) != UNBOUND,
            lambda: int(self.interner.payload(self._asked((*slot, SIZE)))),
            partial(self._items, slot),
            partial(self._fold_bag if is_bag else self._fold, slot),
            lambda changes: METER.charge(2 * (FEW + self._divider.named + changes)),
        )
        made = (OpenBag if is_bag else OpenGenericSet).over(pending)
        self.opened[slot] = (made, ContainerShape((), (), True))
        return made

    def _named(self, item: object) -> NamedElement | None:
        """How a genericset or bag is asked for an element alone; None if it cannot be."""
        try:
            number = freeze(item, self.interner)
        except ModelMistake:
            return None
        step = self._divider.bag_element(number)
        return None if step is None else NamedElement(step, self.interner.mutable(number))

    def _items(self, slot: Slot) -> list[object]:
        """The elements of a genericset or bag."""
        container = self._content(slot)
        assert isinstance(container, Items)
        return container.items

    def _fold_bag(self, slot: Slot, fold: AskedFold) -> tuple[object] | None:
        """As `_fold`, of a bag, whose elements are put in order as it is written."""
        METER.charge(self._divider.spread)
        return self._fold(slot, fold)

    def _fold(self, slot: Slot, fold: AskedFold) -> tuple[object] | None:
        """The value of a fold over the set in a slot; None: it is to be computed as it is written."""
        if self.folds is None or not self._divider.by_elements(slot):
            return None
        elements = self._divider.met.get(slot, ())
        if fold.site[1] in OF_LOOPS:
            # A loop puts the elements in order.
            METER.charge(sum(map(self.interner.weight, elements)))
        over = FoldedSet(elements, partial(self._present, slot, elements), partial(self._held_by, slot), self.thaw)
        return self._answered(slot, fold, self.folds.step(fold, over))

    def _answered(self, slot: Slot, fold: AskedFold, step: str | None) -> tuple[object] | None:
        """The value of a fold, by the answer to the question of a step."""
        answer = UNBOUND if step is None else self._asked((*slot, step))
        return None if answer == UNBOUND else (value_of(fold.site, self.thaw(answer)),)

    def _fold_list(self, slot: Slot, shape: ContainerShape, fold: AskedFold) -> tuple[object] | None:
        """As `_fold`, of a list with such members."""
        if self.folds is None or not self._divider.by_turns(slot):
            return self._fold_instances(slot, shape, fold)
        with self.folds.path.apart():
            held = [self.recorder.read((*slot, step)) for step in shape.steps]
        met = self._divider.listed.setdefault(slot, {})
        if all(map(self._is_immutable, held)):
            met.update(dict.fromkeys(held))
        else:
            held = []  # whatever is asked, it is not answered
        room = self.folds.folds.room_for(len(shape.steps))
        over = FoldedSet(tuple(met), lambda: set(held), lambda: held, self.thaw, Kind.LIST, room)
        return self._by_turns(slot, fold, over)

    def _fold_dict(self, slot: Slot, shape: ContainerShape, fold: AskedFold) -> tuple[object] | None:
        """As `_fold`, of the keys of a dict, which the path knows. What is at them is a question of turns."""
        by_turns = self._divider.by_turns(slot)
        if self.folds is None or not (self.folds.fixed or (by_turns and not shape.whole)):
            return None
        keys = self.folds.folds.ids_of(shape.keys)
        if shape.whole or not by_turns:
            return self._fold_fixed(keys, fold)
        over = FoldedSet(keys, lambda: set(keys), lambda: keys, self.thaw, Kind.DICT)
        return self._by_turns(slot, fold, over)

    def _fold_instances(self, slot: Slot, shape: ContainerShape, fold: AskedFold) -> tuple[object] | None:
        """As `_fold`, of a list of role instances, which is mostly the same in all states."""
        if self.folds is None or not self.folds.fixed or shape.whole:
            return None
        held = [self._asked((*slot, step)) for step in shape.steps]
        roles = all(number != UNBOUND and self.interner.tag(number) is Tag.ROLE for number in held)
        return self._fold_fixed(held, fold) if roles else None

    def answers(self, values: object) -> bool:
        constant = isinstance(values, range) or (isinstance(values, Container) and values.frozen)
        return constant and self.folds is not None and self.folds.fixed

    def folded(self, values: object, fold: AskedFold, canonical: bool) -> tuple[object] | None:
        assert self.folds is not None
        # The interpreter counts them before it makes them.
        if isinstance(values, range):
            few = range_length(values) <= MOST_MEMBERS
        else:
            few = isinstance(values, Container) and values.size() <= MOST_MEMBERS
        if not few:
            return None
        try:
            elements = self.folds.folds.ids_of(iterate(values) if canonical else listed(values))
        except ModelMistake:
            # A function, for example, is in no state, but a turn may call it.
            return None
        return self._fold_fixed(elements, fold)

    def _fold_fixed(self, elements: Sequence[int], fold: AskedFold) -> tuple[object] | None:
        """The value of a fold over what is the same in all states; None: it is to be computed as it is written."""
        if self.folds is None or not (self.folds.fixed and 1 < len(elements) <= MOST_MEMBERS):
            return None
        if any(map(self.interner.mutable, elements)):
            return None
        over = FoldedSet(elements, lambda: set(elements), lambda: elements, self.thaw, Kind.FIXED)
        step = self.folds.step(fold, over)
        self.asked_fixed = self.asked_fixed or step is not None
        return self._answered((FIXED,), fold, step)

    def _by_turns(self, slot: Slot, fold: AskedFold, over: FoldedSet) -> tuple[object] | None:
        """The value of a fold over members; None: it is to be computed as it is written."""
        assert self.folds is not None
        step = self.folds.step(fold, over)
        if step is not None:
            self.by_turns.add(slot)
        return self._answered(slot, fold, step)

    def was_asked_by_turns(self) -> bool:
        """Whether lists were asked by turns, and none of them was read besides."""
        found = [self.opened[slot][0] for slot in self.by_turns if slot in self.opened]
        return bool(self.by_turns) and all(isinstance(container, OpenContainer) for container in found)

    def _is_immutable(self, number: int) -> bool:
        return self.interner.tag(number) is not Tag.HEAD and not self.interner.mutable(number)

    def _present(self, slot: Slot, elements: Sequence[int]) -> set[int]:
        """Those of some elements that the set in a slot has. The path does not depend on it."""
        assert self.folds is not None
        with self.folds.path.apart():
            steps = filter(None, map(self._divider.element, elements))
            return {self.recorder.read((*slot, step)) for step in steps}

    def _held_by(self, slot: Slot) -> Sequence[int]:
        """The elements of the set or bag in a slot, in order. The path does not depend on it."""
        assert self.folds is not None
        with self.folds.path.apart():
            whole = self.recorder.read((*slot, WHOLE))
        return self.interner.children(whole)

    def _elements(self, slot: Slot) -> dict[Hashable, object]:
        """The elements of a set, by key."""
        container = self._content(slot)
        assert isinstance(container, SetValue)
        return container.entries

    def _step_to(self, item: object) -> str | None:
        """The step to an element of a set; None if a set cannot be asked for it alone."""
        try:
            return self._divider.element(freeze(item, self.interner))
        except ModelMistake:
            # A function, for example, is in no state, but a model may ask for it.
            return None

    def _content(self, slot: Slot) -> object:
        """A container that is stored whole, all of it."""
        return self.thaw(self._asked((*slot, WHOLE)))

    def _asked(self, slot: Slot) -> int:
        """The answer to a question about a container that is stored whole."""
        self.touches += 1
        number = self.originals[slot] = self.recorder.read(slot)
        return number

    def used(self, domain: str) -> set[int | Fraction]:
        self.touches += 1
        for value in reachable(container for container, _ in self.opened.values()):
            if isinstance(value, OpenContainer):
                value.fill()
        return super().used(domain)

    # --- what was read ---------------------------------------------------------------------------------------------

    def forget(self) -> None:
        super().forget()
        self.opened.clear()

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Within the block all is read anew, as it is in the state, and what is read stays there."""
        before = self.slots, self.originals, self.cells, self.opened, self.written
        self.slots, self.originals, self.cells, self.opened, self.written = {}, {}, {}, {}, set()
        try:
            yield
        finally:
            self.slots, self.originals, self.cells, self.opened, self.written = before

    def saved(self) -> tuple[Any, ...]:
        return super().saved(), self.opened.copy()

    def restore(self, saved: tuple[Any, ...]) -> None:
        rest, opened = saved
        super().restore(rest)
        self.opened = opened.copy()

    def note_opened(self) -> None:
        """Let the divider know which containers were opened, and which of them were read whole."""
        for slot, (container, shape) in self.opened.items():
            if not shape.whole:
                self._divider.note(slot, not isinstance(container, OpenContainer))

    # --- writing ---------------------------------------------------------------------------------------------------

    def writes_at(self, slot: Slot, value: object, settlement: Settlement) -> Writes:
        opened = self.opened.get(slot)
        if opened is None or opened[0] is not value:
            return World.writes_at(self, slot, value, settlement)
        parts = self._part_writes(slot, settlement)
        # Shared containers have no slots for their parts: then all of it is written.
        return ((slot, settlement.freeze(value)),) if parts is None else parts

    def _opened_at(self, slot: Slot, value: object) -> bool:
        """Whether a value is the container that was opened in a slot."""
        opened = self.opened.get(slot)
        return opened is not None and opened[0] is value

    def _part_writes(self, slot: Slot, settlement: Settlement) -> Writes | None:
        """What was written in an opened container; None if something in it is shared now."""
        container, shape = self.opened[slot]
        if settlement.shared(container):
            return None
        if shape.whole:
            return self._writes_inside(slot, settlement)
        found = by_step(container, shape)
        if found is None or container.size() > MOST_MEMBERS:
            number = settlement.freeze(container)
            return None if self.interner.references(number) else [(slot, number)]
        writes: list[tuple[Slot, int]] = []
        if isinstance(container, OpenList) and container.pending.more:
            writes.append((slot, list_head(self.interner, container.size())))
        if isinstance(container, OpenDict) and container.pending.has_other_keys:
            if not container.size():
                return [(slot, settlement.freeze(container))]
            others = self._keys_written(slot, container.pending, settlement)
            if others is None:
                return None
            head = dict_head_of(self.interner, map(settlement.freeze, container.known_keys()))
            writes += [(slot, head), *others]
        for step, member in found:
            part = (*slot, step)
            if self._opened_at(part, member):
                inner = self._part_writes(part, settlement)
                if inner is None:
                    return None
                writes += inner
                continue
            if not (container.changed or settlement.sharing or changed(member)):
                continue
            number = settlement.freeze(member)
            if self.interner.references(number):
                return None
            if number != self.originals.get(part, UNBOUND):
                writes.append((part, number))
        return writes

    def _keys_written(self, slot: Slot, pending: PendingDict, settlement: Settlement) -> Writes | None:
        """The keys that were added to a dict, with their values, and those that are gone; None if a value is shared."""
        writes = [((*slot, pending.shape.steps[index]), gone(self.interner)) for index in sorted(pending.gone)]
        for key, value in pending.fresh.values():
            number = settlement.freeze(value)
            if self.interner.references(number):
                return None
            writes.append(((*slot, self._divider.step(settlement.freeze(key))), number))
        return writes

    def _writes_inside(self, slot: Slot, settlement: Settlement) -> Writes | None:
        """What was written in an opened container that is stored whole; None if something in it is shared now."""
        container, _ = self.opened[slot]
        if not (settlement.sharing or changed(container)):
            return []
        pending = container.pending if isinstance(container, OpenContainer) else None
        if isinstance(pending, PendingGeneric):
            return self._elements_written(slot, pending, settlement)
        if isinstance(pending, PendingSet):
            return [
                ((*slot, step), settlement.freeze(item) if there else gone(self.interner))
                for step, item, there in pending.changes.values()
                if there is not self._held((*slot, step))
            ]
        if pending is None or container.size() > MOST_MEMBERS:
            written = [(slot, settlement.freeze(container), self.originals.get((*slot, WHOLE), UNBOUND))]
        else:
            met = [((*slot, step), settlement.freeze(member)) for step, member in pending.met()]
            written = [(part, number, self.originals.get(part, UNBOUND)) for part, number in met]
            others = self._keys_written(slot, pending, settlement) if isinstance(pending, PendingDict) else ()
            if others is None:
                return None
            written += [(part, number, UNBOUND) for part, number in others]
        if any(self.interner.references(number) for _, number, _ in written):
            return None
        return [(part, number) for part, number, original in written if number != original]

    def _elements_written(self, slot: Slot, pending: PendingGeneric, settlement: Settlement) -> Writes | None:
        """As `_writes_inside`, of a genericset or bag."""

        def settle(item: object) -> Settled | None:
            number = settlement.freeze(item)
            step = None if self.interner.references(number) else self._divider.bag_element(number)
            return None if step is None else Settled(step, number)

        found = pending.settled(settle)
        if found is None:
            return None
        written = self._copies if isinstance(pending, PendingBag) else self._element_or_gone
        return [((*slot, step), number) for step, what in found.items() if (number := written(what)) is not None]

    def _copies(self, change: tuple[int | None, int]) -> int | None:
        """What is written to have so many copies more of an element, or fewer."""
        element, more = change
        if more <= 0:
            return fewer(self.interner, -more) if more else None
        assert element is not None
        return self.interner.intern(Tag.BAG, (element,) * more)

    def _element_or_gone(self, element: int | None) -> int:
        return gone(self.interner) if element is None else element

    def _held(self, part: Slot) -> bool | None:
        """Whether a set held an element; None if that was not asked."""
        number = self.originals.get(part)
        return None if number is None else number != UNBOUND
