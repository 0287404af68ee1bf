"""Values for rules that are recorded as functions of Python: containers of the state are known by their heads.

`AskedNode` and `AskedSet` stand for a container of which members are asked for when they are used; the other values
are those of `interpreter.direct.nodes`. As there, a change makes another object, and nothing is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

from checker.search.memo.division import LISTED, MOST_MEMBERS, SIZE, WHOLE, Divider, shorter
from checker.search.memo.head_shapes import HeadShape
from checker.search.memo.heads import COUNTED, gone, list_head, list_steps, listed
from checker.search.memo.list_places import Places, place_of
from interpreter.direct.nodes import GiveUp, Nodes, ValueNode, key
from interpreter.direct.sides import Sides
from interpreter.state.state import UNBOUND, Slot
from interpreter.state.written_out import Unwritable, written
from interpreter.values.intern import Interner, Tag

_RECORD: Final = Tag.RECORD
_LIST: Final = Tag.LIST
_DICT: Final = Tag.DICT
_SET: Final = Tag.SET


class AsksTurns(GiveUp):
    """All members of a list are gone through that may answer that by turns: the interpreter asks it so."""


Bounds = tuple[int, int]
"""The least and the most that something may be."""
Saved = tuple[dict[Slot, Any], dict[Slot, int], "list[AskedNode]", int, set[int], dict[Slot, Bounds]]
"""What a reader was asked, up to a choice."""


class AskingNodes(Nodes):
    """The values by id, among them the heads of containers.

    `divider`: what the parts of containers are. `places`: where lists are expected.
    """

    def __init__(self, divider: Divider, interner: Interner, places: Places) -> None:
        super().__init__(interner)
        self.divider = divider
        self.listed = listed(interner)
        self._places = places
        self._listable: dict[Slot, bool] = {}
        self.leaves_turns = True
        """Whether lists that answer folds are left to the interpreter where all members are gone through."""
        self._shapes: dict[int, HeadShape] = {}

    def number(self, value: Any) -> int:
        """The id of a value. All of a container is asked for."""
        return super().number(value.value() if isinstance(value, AskedContainer) else value)

    def may_be_listed(self, slot: Slot) -> bool:
        """Whether a list is expected in a slot: it is asked whether there is one first, and of which size later."""
        found = self._listable.get(slot)
        if found is None:
            found = self._listable[slot] = place_of(slot) in self._places
        return found

    def shape(self, head: int) -> HeadShape:
        """The content of a head."""
        known = self._shapes.get(head)
        if known is None:
            known = self._shapes[head] = HeadShape(head, self)
        return known


class StateReader(dict[Slot, Any]):
    """The values in the slots of a state, asked for when they are used. `ask` records the question.

    `sides`: it is the state before a step, whose instances are distinguished from those after it. `before`: the reader
    of the state before, if this is the one after a step; its slots have "before" in front of them.
    """

    def __init__(
        self,
        ask: Callable[[Slot], int],
        nodes: AskingNodes,
        sides: Sides | None = None,
        before: StateReader | None = None,
    ) -> None:
        super().__init__()
        self.ask = ask
        self.nodes = nodes
        self.unordered = set(nodes.unordered)
        """The ids of sets and dicts, of constants or made since the last cut point, whose order is perhaps not the
        canonical one."""
        self.answers: dict[Slot, int] = {}
        self._sides = sides
        self._before = before
        self.side: tuple[str, ...] = ()
        """What slots begin with where questions are asked of two states."""
        self.compare: Callable[[Slot], int] | None = None
        """Asks whether two containers are equal, if that may be asked."""
        self.opened: list[AskedNode] = []
        self.asked_whole: list[AskedContainer] = []
        """The containers of which all was asked for."""
        self._bounds: dict[Slot, Bounds] = {}
        """What is known of the sizes of lists."""
        self.writes_out = False
        """Whether values have the contents of shared containers for references to them."""
        self._written: dict[int, int | None] = {}

    def __missing__(self, slot: Slot) -> Any:
        if slot[0] == "before":
            assert self._before is not None
            return self._before[slot[1:]]
        number = self._first(slot)
        if number == UNBOUND:
            raise GiveUp
        value = self[slot] = self._opened(slot, number)
        return value

    def number(self, slot: Slot) -> int:
        """The answer to a question."""
        number = self.answers.get(slot)
        if number is None:
            number = self.ask(slot)
            if number != UNBOUND:
                if self._sides is not None:
                    number = self._sides.of(1, number)
                if self.writes_out:
                    number = self._written_out(number)
            self.answers[slot] = number
        return number

    def _written_out(self, number: int) -> int:
        """A value with the contents of shared containers, which are asked for, for references to them."""
        try:
            return written(self.nodes.interner, number, lambda k: self.nodes.number(self["cell", k]), self._written)
        except Unwritable:
            raise GiveUp from None

    def _first(self, slot: Slot) -> int:
        """What is there, or `listed` for a list of which no more is known."""
        if slot in self.answers or not self.nodes.may_be_listed(slot):
            return self.number(slot)
        number = self.number((*slot, LISTED))
        if number != self.nodes.listed:
            self.answers[slot] = number
        return number

    def is_shorter(self, slot: Slot, size: int) -> bool:
        """Whether the list in a slot, which has some members, has fewer than `size`."""
        known = self.answers.get(slot)
        if known is not None:
            return len(self.nodes.shape(known).steps) < size
        least, most = self._bounds.get(slot, (1, MOST_MEMBERS))
        if size <= least or most < size:
            return most < size
        answer = self.number((*slot, shorter(size)))
        found = bool(self.nodes.interner.payload(answer))
        self._bounds[slot] = (least, size - 1) if found else (size, most)
        return found

    def equals(self, slot: Slot, value: Any) -> bool | None:
        """Whether a slot has a value, without asking for all of its values; None if that must be asked."""
        step = None if slot in self.answers else self.nodes.divider.equality(self.nodes.number(value))
        if step is None:
            return None
        number = self.number((*slot, step))
        if number == UNBOUND:
            return False
        self.answers[slot] = number
        return True

    def _opened(self, slot: Slot, number: int) -> Any:
        if self.nodes.interner.tag(number) is not Tag.HEAD:
            return self.nodes[number]
        made: AskedNode
        if number == self.nodes.listed:
            made = AskedList(self, slot)
        else:
            shape = self.nodes.shape(number)
            if shape.tag is _SET:
                return AskedSet(self, slot, {})
            if shape.tag in COUNTED:
                return self._generic(slot)
            made = AskedNode(self, slot, shape, {}, ())
        self.opened.append(made)
        return made

    def _generic(self, slot: Slot) -> ValueNode:
        """A genericset or bag, all of it. The interpreter asks for those that are stored by elements."""
        if self.nodes.divider.by_elements(slot):
            raise GiveUp
        found: ValueNode = self.nodes[self.number((*slot, WHOLE))]
        return found

    def forget(self) -> None:
        """Everything is asked anew from now on."""
        self.clear()
        self.answers.clear()
        self.opened.clear()
        self._bounds.clear()
        self._written.clear()
        self.unordered.clear()
        self.unordered |= self.nodes.unordered

    def saved(self) -> Saved:
        """What was asked so far, to be restored."""
        opened, bounds = self.opened.copy(), self._bounds.copy()
        return dict(self), self.answers.copy(), opened, len(self.asked_whole), self.unordered.copy(), bounds

    def restore(self, saved: Saved) -> None:
        """Restores what `saved` returned."""
        values, answers, opened, asked_whole, unordered, bounds = saved
        self.unordered.clear()
        self.unordered.update(unordered)
        self.clear()
        self.update(values)
        self.answers = answers.copy()
        self.opened = opened.copy()
        self._bounds = bounds.copy()
        self._written.clear()
        for container in self.asked_whole[asked_whole:]:
            container.forget()
        del self.asked_whole[asked_whole:]


class AskedContainer:
    """A container of a state of which only the head is known. It is compared with nothing before it is asked for."""

    __slots__ = ("_value", "reader", "slot")

    def __init__(self, reader: StateReader, slot: Slot) -> None:
        self.reader = reader
        self.slot = slot
        self._value: ValueNode | None = None

    def __eq__(self, other: object) -> bool:
        raise GiveUp

    def __hash__(self) -> int:
        raise GiveUp

    def value(self) -> ValueNode:
        """All of it, as a value."""
        if self._value is None:
            self._value = self._asked()
            self.reader.asked_whole.append(self)
        return self._value

    def forget(self) -> None:
        """All of it must be asked for anew."""
        self._value = None

    @property
    def as_stored(self) -> bool:
        """Whether it is what its slot holds, and not known."""
        return False

    def compared(self, question: str, other: AskedContainer) -> bool | None:
        """The answer to a question about this container and another one; None: they are to be read."""
        reader = self.reader
        if reader.compare is None or not (self.as_stored and other.as_stored):
            return None
        slots = (*reader.side, *self.slot), (*other.reader.side, *other.slot)
        number = UNBOUND if slots[0] == slots[1] else reader.compare((question, *slots))
        return None if number == UNBOUND else bool(reader.nodes.interner.payload(number))

    def _asked(self) -> ValueNode:
        raise NotImplementedError

    def size(self) -> int:
        """The number of its members."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        return self.size() > 0

    @property
    def fields(self) -> Mapping[str, Any] | None:
        """The fields of a record by name, else None."""
        return None

    def writes(self) -> Iterator[tuple[Slot, int]]:
        """What is to be written if the container in the slot is to become this one."""
        raise NotImplementedError


class AskedNode(AskedContainer):
    """A list, dict or record. `changes`: by index, the members that were replaced; `more`: what was appended."""

    __slots__ = ("_all", "changes", "more", "shape")

    def __init__(
        self, reader: StateReader, slot: Slot, shape: HeadShape, changes: Mapping[int, Any], more: tuple[Any, ...]
    ) -> None:
        super().__init__(reader, slot)
        self.shape = shape
        self.changes = changes
        self.more = more
        self._all: list[Any] | None = None

    @property
    def is_list(self) -> bool:
        return self.shape.tag is _LIST

    @property
    def is_dict(self) -> bool:
        return self.shape.tag is _DICT

    @property
    def as_stored(self) -> bool:
        return self._value is None and self._all is None and not self.changes and not self.more

    def size(self) -> int:
        return len(self.shape.steps) + len(self.more)

    def __bool__(self) -> bool:
        return self.shape.tag is _RECORD or self.size() > 0

    @property
    def fields(self) -> Mapping[str, Any] | None:
        return FieldsAsked(self) if self.shape.tag is _RECORD else None

    def member(self, index: int) -> Any:
        """The member at an index, which is not negative. Raises `IndexError`."""
        known = len(self.shape.steps)
        if index >= known:
            return self.more[index - known]
        if index in self.changes:
            return self.changes[index]
        return self.reader[(*self.slot, self.shape.steps[index])]

    def member_is(self, index: int, value: Any) -> bool | None:
        """Whether the member at an index has a value, asked as such; None if the member must be asked for."""
        if index >= len(self.shape.steps) or index in self.changes or self.shape.whole:
            return None
        return self.reader.equals((*self.slot, self.shape.steps[index]), value)

    def gone_through(self) -> None:
        """Raise `AsksTurns` if the members of a list, or what is in a dict, had better be asked by turns."""
        nodes = self.reader.nodes
        if nodes.leaves_turns and not self.changes and not self.more and nodes.divider.by_turns(self.slot):
            raise AsksTurns

    def members(self) -> list[Any]:
        """All members, in order."""
        if self._all is None:
            if self._is_stored() and self.shape.tag is _LIST:
                self._all = list(self.value().items)
            else:
                self._all = [self.member(index) for index in range(self.size())]
            self.reader.asked_whole.append(self)
        return self._all

    def _is_stored(self) -> bool:
        """Whether it is a container as the state has it, and stored whole: then all of it is one question."""
        return self.shape.whole and not self.changes and not self.more

    def known(self) -> Any:
        """All of it as a value, if nothing more is asked for it; else the container."""
        return self.value() if self._all is not None and (self._is_stored() or not self.shape.whole) else self

    def forget(self) -> None:
        super().forget()
        self._all = None

    def index(self, place: Any) -> int:
        """The index of a place: of a list a number, of a dict a key. Raises `GiveUp` or `KeyError`."""
        if self.shape.tag is _DICT:
            return self.shape.indexes[key(place)]
        size = self.size()
        if self.shape.tag is not _LIST or type(place) is not int or not -size <= place < size:
            raise GiveUp
        return place + size if place < 0 else place

    def put(self, index: int, member: Any) -> AskedNode:
        """The container with another member at an index."""
        known = len(self.shape.steps)
        if index < known:
            return AskedNode(self.reader, self.slot, self.shape, {**self.changes, index: member}, self.more)
        more = (*self.more[: index - known], member, *self.more[index - known + 1 :])
        return AskedNode(self.reader, self.slot, self.shape, self.changes, more)

    def append(self, member: Any) -> AskedNode:
        """The list with one member more."""
        return AskedNode(self.reader, self.slot, self.shape, self.changes, (*self.more, member))

    def _asked(self) -> ValueNode:
        nodes, shape = self.reader.nodes, self.shape
        interner, number = nodes.interner, nodes.number
        if shape.whole:
            original = self.reader.number((*self.slot, WHOLE))
            ids = list(interner.payload(original))
            if shape.tag is not _LIST:
                ids = [member for _, member in ids]
            for index, member in self.changes.items():
                ids[index] = number(member)
            ids += map(number, self.more)
        else:
            ids = [number(member) for member in self.members()]
        if shape.tag is _LIST:
            made: ValueNode = nodes[interner.intern(_LIST, tuple(ids))]
        else:
            named = [step[1:] for step in shape.steps] if shape.tag is _RECORD else map(number, shape.keys)
            made = nodes[interner.intern(shape.tag, tuple(zip(named, ids, strict=True)))]
        return made

    def is_shorter(self, size: int) -> bool:
        """Whether it has fewer members."""
        return self.size() < size

    def note(self) -> None:
        """Let the divider know whether all of it was asked for."""
        if not self.shape.whole:
            answers = self.reader.answers
            was_read = self._value is not None or all((*self.slot, step) in answers for step in self.shape.steps)
            self.reader.nodes.divider.note(self.slot, was_read)

    def writes(self) -> Iterator[tuple[Slot, int]]:
        nodes, shape, known = self.reader.nodes, self.shape, len(self.shape.steps)
        if self.size() > MOST_MEMBERS:
            yield self.slot, nodes.number(self)
            return
        if self.more and not shape.whole:
            yield self.slot, list_head(nodes.interner, self.size())
        for index, member in self.changes.items():
            part = (*self.slot, shape.steps[index])
            if isinstance(member, AskedContainer) and member.slot == part and member.reader is self.reader:
                yield from member.writes()
                continue
            number = nodes.number(member)
            if number != self.reader.answers.get(part):
                yield part, number
        for index, member in enumerate(self.more, known):
            yield (*self.slot, f"[{index}]"), nodes.number(member)


class AskedList(AskedNode):
    """A list of the state that has members; how many there are is asked for when that matters."""

    __slots__ = ()

    def __init__(self, reader: StateReader, slot: Slot) -> None:
        AskedContainer.__init__(self, reader, slot)
        self.changes: Mapping[int, Any] = {}
        self.more: tuple[Any, ...] = ()
        self._all: list[Any] | None = None

    @property
    def shape(self) -> HeadShape:  # type: ignore[override]
        # Not kept: what was asked may have been forgotten since.
        return self.reader.nodes.shape(self.reader.number(self.slot))

    @property
    def is_list(self) -> bool:
        return True

    @property
    def is_dict(self) -> bool:
        return False

    @property
    def _is_open(self) -> bool:
        return self.slot in self.reader.answers

    @property
    def fields(self) -> Mapping[str, Any] | None:
        return None

    def __bool__(self) -> bool:
        return True

    def is_shorter(self, size: int) -> bool:
        return self.reader.is_shorter(self.slot, size)

    def index(self, place: Any) -> int:
        if type(place) is not int or place < 0:
            return super().index(place)
        if self.is_shorter(place + 1):
            raise GiveUp
        return place

    def member(self, index: int) -> Any:
        return self.reader[self._part(index)]

    def member_is(self, index: int, value: Any) -> bool | None:
        if self.reader.nodes.divider.is_gathered(self.slot):
            return None
        return self.reader.equals(self._part(index), value)

    def _part(self, index: int) -> Slot:
        return (*self.slot, list_steps(MOST_MEMBERS)[index])

    def note(self) -> None:
        divider = self.reader.nodes.divider
        if self._is_open:
            super().note()
        elif not divider.is_gathered(self.slot):
            divider.note(self.slot, False)

    def writes(self) -> Iterator[tuple[Slot, int]]:
        return iter(())


class FieldsAsked(Mapping[str, Any]):
    """The fields of a record of the state."""

    def __init__(self, record: AskedNode) -> None:
        self._record = record

    def __getitem__(self, name: str) -> Any:
        return self._record.member(self._record.shape.indexes[name])

    def __len__(self) -> int:
        return len(self._record.shape.steps)

    def __iter__(self) -> Iterator[str]:
        return map(str, self._record.shape.indexes)


class AskedSet(AskedContainer):
    """A set. `changes`: by what `nodes.key` returns for an element, the element and whether it is there now."""

    __slots__ = ("changes",)

    def __init__(self, reader: StateReader, slot: Slot, changes: Mapping[Hashable, tuple[Any, bool]]) -> None:
        super().__init__(reader, slot)
        self.changes = changes

    @property
    def as_stored(self) -> bool:
        return self._value is None and not self.changes

    def _part(self, item: Any) -> Slot:
        """The slot of an element."""
        nodes = self.reader.nodes
        step = nodes.divider.element(nodes.number(item))
        if step is None:
            raise GiveUp
        return (*self.slot, step)

    def holds(self, item: Any) -> bool:
        """Whether an element is in the set."""
        change = self.changes.get(key(item))
        return self.reader.number(self._part(item)) != UNBOUND if change is None else change[1]

    def put(self, item: Any, there: bool) -> AskedSet:
        """The set with or without an element."""
        return self.put_all((item,), there)

    def put_all(self, items: Sequence[Any], there: bool) -> AskedSet:
        """The set with or without some elements."""
        changes = {key(item): (item, there) for item in items}
        return AskedSet(self.reader, self.slot, {**self.changes, **changes})

    def size(self) -> int:
        if self._value is not None:
            return len(self._value.items)
        if self.changes:
            self._only_whole()
        size: int = self.reader.nodes.interner.payload(self.reader.number((*self.slot, SIZE)))
        more = [there - (self.reader.number(self._part(item)) != UNBOUND) for item, there in self.changes.values()]
        return size + sum(more)

    def _only_whole(self) -> None:
        """Sets that are stored by elements are asked for in other forms by the interpreter."""
        if self.reader.nodes.divider.by_elements(self.slot):
            raise GiveUp

    def content(self) -> ValueNode:
        """All of it, as a value, however it is stored."""
        return self._read() if self._value is None else self._value

    def _asked(self) -> ValueNode:
        self._only_whole()
        return self._read()

    def _read(self) -> ValueNode:
        nodes = self.reader.nodes
        original = self.reader.number((*self.slot, WHOLE))
        if not self.changes:
            found: ValueNode = nodes[original]
            return found
        members = {key(item): item for item in nodes[original].items}
        for token, (item, there) in self.changes.items():
            if there:
                members.setdefault(token, item)
            else:
                members.pop(token, None)
        number = nodes.interner.intern_members(_SET, list(map(nodes.number, members.values())))
        if any(there for _, there in self.changes.values()):
            self.reader.unordered.add(number)
        made: ValueNode = nodes[number]
        return made

    def writes(self) -> Iterator[tuple[Slot, int]]:
        for item, there in self.changes.values():
            part = self._part(item)
            held = self.reader.answers.get(part)
            if held is None or there is not (held != UNBOUND):
                yield part, self.reader.nodes.number(item) if there else gone(self.reader.nodes.interner)
