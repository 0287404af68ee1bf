"""Containers that are read part by part: a member is asked for when it is used.

A list, dict or record of a state may be known by its *head* alone: its type, its length, its keys. Its members have
slots of their own, the slot of the container with one step more (`[0]`, `["k"]`, `.name`, as in language 5.6.1). The
head of a set has only the type; each possible element has a slot, which holds it or nothing.

The language sees no difference: the class of such a container derives from that of a list, dict, record or set. As long
as it is open, it has instead of its content an object that can ask for it. Using the whole content asks for all of it;
from then on it is an ordinary container, of the class of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, ClassVar, Final, Protocol

from checker.search.memo.added_elements import fold_with, is_joined
from checker.search.memo.comparisons import CHARGED, CHARGED_OF_SETS, MOST_PARTS, SAME, WITHIN, first
from checker.search.memo.division import root_of
from interpreter.execute.reach import changed
from interpreter.state.state import Slot
from interpreter.values import Container, ListValue, RecordValue, SetValue, Value, ValueWalk
from interpreter.values.basis import equal, hash_key, sought_key
from interpreter.values.budget import METER
from interpreter.values.folding import AskedFold, Fold, Site

MOST_CHANGES: Final = 1_000
"""A set that is changed more often in one step is read whole."""

Undo = Callable[[], None]
_WITHIN: Final[Site] = ("<=", ("all",))
_WITHOUT: Final[Site] = ("-", ("list", "set"))
_COMMON: Final[Site] = ("&", ("list", "set"))
"""The folds over one set that ask about another one."""


class ContainerShape:
    """The content of a head: the steps to the members in canonical order; for dicts the keys, for records the names.

    `whole`: the container is stored as one value, and can be asked for all of it.
    """

    __slots__ = ("keys", "steps", "tokens", "whole")

    def __init__(self, steps: tuple[str, ...], keys: Sequence[object], whole: bool) -> None:
        self.whole = whole
        self.steps = steps
        self.keys = keys
        self.tokens: dict[Hashable, int] = {hash_key(key): index for index, key in enumerate(keys)}
        """The indexes of the members by key or field name; empty for a list."""


class Compares(Protocol):
    """What a container was read through."""

    @property
    def side(self) -> int:
        """Which of the states that a path sees it has."""
        ...

    def compared(self, question: str, slot: Slot, other: object, other_slot: Slot, charged: int) -> bool | None:
        """The answer to a question about what is in a slot and, through another one, in a slot there; None: both are to
        be read."""
        ...


class Pending:
    """The members of one container that were read so far.

    `load` asks for the member at a step, `load_all` for all members, in order (None: that cannot be asked). `more`:
    what was appended, to a list.
    """

    __slots__ = ("load", "load_all", "loaded", "more", "shape")

    def __init__(
        self, shape: ContainerShape, load: Callable[[str], object], load_all: Callable[[], list[object]] | None
    ) -> None:
        self.shape = shape
        self.load = load
        self.load_all = load_all
        self.loaded: dict[int, object] = {}
        self.more: list[object] = []

    def size(self) -> int:
        return len(self.shape.steps) + len(self.more)

    def member(self, index: int) -> object:
        """The member at a valid index."""
        if index >= len(self.shape.steps):
            return self.more[index - len(self.shape.steps)]
        if index not in self.loaded:
            self.loaded[index] = self.load(self.shape.steps[index])
        return self.loaded[index]

    def put(self, index: int, member: object) -> None:
        """Replace the member at a valid index."""
        if index >= len(self.shape.steps):
            self.more[index - len(self.shape.steps)] = member
        else:
            self.loaded[index] = member

    def members(self) -> list[object]:
        """All members, asked for one by one or at once; those that were read before stay as they are."""
        if self.load_all is not None:
            everything = self.load_all()
            self.loaded = {index: self.loaded.get(index, member) for index, member in enumerate(everything)}
        return [self.member(index) for index in range(self.size())]

    def met(self) -> Iterator[tuple[str, object]]:
        """The members that were read, replaced or appended, with the steps to them."""
        for index, member in self.loaded.items():
            yield self.shape.steps[index], member
        for index, member in enumerate(self.more, len(self.shape.steps)):
            yield f"[{index}]", member

    def undo(self) -> Undo:
        """A function that restores the present content."""
        loaded, more = self.loaded.copy(), self.more.copy()

        def put_back() -> None:
            self.loaded, self.more = loaded.copy(), more.copy()

        return put_back


class PendingMembers(Pending):
    """The members of one list or dict that were read so far. `fold` gives the value of a fold over it as it was.

    `world`, `slot`: what it was read through, and where it is.
    """

    __slots__ = ("fold", "slot", "world")

    def __init__(
        self,
        shape: ContainerShape,
        load: Callable[[str], object],
        load_all: Callable[[], list[object]] | None,
        fold: Callable[[AskedFold], tuple[object] | None],
        world: Compares,
        slot: Slot,
    ) -> None:
        super().__init__(shape, load, load_all)
        self.fold = fold
        self.world = world
        self.slot = slot

    def compared(self, question: str, other: PendingMembers) -> bool | None:
        """The answer to a question about two lists that are as they were; None: they are to be read."""
        if self.world is other.world and self.slot == other.slot:
            return None
        return self.world.compared(question, self.slot, other.world, other.slot, CHARGED)

    def alike(self, other: PendingMembers) -> bool | None:
        """Whether two dicts that are as they were are equal, asked key by key; None: they are to be read."""
        mine, others = self.shape, other.shape
        if self.world is not other.world or self.slot == other.slot or mine.tokens.keys() != others.tokens.keys():
            return None

        def turn(key: object) -> list[object]:
            token = sought_key(key)
            one, two = mine.tokens[token], others.tokens[token]
            return [equal(self.load(mine.steps[one]), other.load(others.steps[two]))]

        site: Site = (("==", self.world.side, self.slot, other.slot), ("all",))
        names = frozenset(str(root_of(slot)[-1]) for slot in (self.slot, other.slot))
        answer = self.fold(Fold(site, tuple, turn, False, names))
        return None if answer is None else bool(answer[0])


class PendingElements:
    """The elements of one set or bag that were added or removed so far: `changes`.

    `fold` gives the value of a fold over it as it was.
    """

    __slots__ = ("changes", "fold")
    changes: dict[Any, Any]
    fold: Callable[[AskedFold], tuple[object] | None]

    def added(self) -> list[object] | None:
        """What was added, in order; None if something is gone that was there before."""
        raise NotImplementedError

    def undo(self) -> Undo:
        """A function that restores the present content."""
        changes = self.changes.copy()

        def put_back() -> None:
            self.changes = changes.copy()

        return put_back


class PendingSet(PendingElements):
    """The elements of one set, in `slot`, that were added or removed so far.

    `world` is what it was read through. `step_of` gives the step to an element, None if it cannot be asked for alone.
    Of the set as it was, `load` gives whether it had the element of a step, `load_size` how many elements it had,
    `load_all` the elements by key, and `fold` the value of a fold over it.
    """

    __slots__ = ("load", "load_all", "load_size", "slot", "step_of", "world")

    def __init__(
        self,
        world: Compares,
        slot: Slot,
        step_of: Callable[[object], str | None],
        load: Callable[[str], bool],
        load_size: Callable[[], int],
        load_all: Callable[[], dict[Hashable, object]],
        fold: Callable[[AskedFold], tuple[object] | None],
    ) -> None:
        self.world = world
        self.slot = slot
        self.fold = fold
        self.step_of = step_of
        self.load = load
        self.load_size = load_size
        self.load_all = load_all
        self.changes: dict[Hashable, tuple[str, object, bool]] = {}
        """By the key of an element: the step to it, the element, and whether it is there now."""

    def holds(self, token: Hashable, item: object) -> bool | None:
        """Whether the set holds an element with that key; None if all of it must be read for that."""
        change = self.changes.get(token)
        if change is not None:
            return change[2]
        step = self.step_of(item)
        return None if step is None else self.load(step)

    def put(self, token: Hashable, item: object, there: bool) -> bool:
        """Add or remove an element, present or not; False if all of the set must be read for that."""
        known = self.changes.get(token)
        step = self.step_of(item) if known is None else known[0]
        # One that was removed may be added again in another form: 1.0 for 1.
        again = known is not None and there and not known[2]
        if step is None or again or len(self.changes) >= MOST_CHANGES:
            return False
        if known is None or known[2] != there:
            self.changes[token] = (step, item, there)
        return True

    def added(self) -> list[object] | None:
        """The elements that were not there before, in order; None if one is gone that was."""
        before = {step: self.load(step) for step, _, _ in self.changes.values()}
        if any(before[step] and not there for step, _, there in self.changes.values()):
            return None
        return [item for step, item, there in self.changes.values() if there and not before[step]]

    def compared(self, question: str, other: PendingSet) -> bool | None:
        """The answer to a question about two sets that are as they were; None: they are to be read."""
        if self.changes or other.changes or (self.world is other.world and self.slot == other.slot):
            return None
        return self.world.compared(question, self.slot, other.world, other.slot, CHARGED_OF_SETS)

    def size(self) -> int:
        """The number of elements: as many as there were, one more or less for each that was added or removed."""
        return self.load_size() + sum(there - self.load(step) for step, _, there in self.changes.values())

    def met(self) -> Iterator[tuple[str, object]]:
        """The elements that were added, with the steps to them."""
        return ((step, item) for step, item, there in self.changes.values() if there)

    def entries(self) -> dict[Hashable, object]:
        """All elements by key, in the order of this step."""
        found = self.load_all()
        for token, (_, item, there) in self.changes.items():
            if there:
                found.setdefault(token, item)
            else:
                found.pop(token, None)
        return found


class OpenContainer(Container):
    """The base of open containers. They differ from closed ones, of class `closed`, in their class alone.

    `pending`, a `Pending`, of sets a `PendingSet`, or of bags a `PendingBag`, is in the attribute for the content.
    """

    __slots__ = ()
    closed: ClassVar[type[Container]]
    pending: Any

    @classmethod
    def over(cls, pending: object) -> OpenContainer:
        """A container whose members are not known yet."""
        made = cls.__new__(cls)
        made.frozen = False
        made.iterating = 0
        made.changed = False
        made.pending = pending
        return made

    def filled(self) -> Any:
        """The content, asked for."""
        raise NotImplementedError

    def fill(self) -> Any:
        """Read and return the content, and close the container."""
        content = self.filled()
        self.close(content)
        return content

    def close(self, content: Any) -> None:
        """Become an ordinary container with this content."""
        self.pending = content
        _become(self, self.closed)

    def members(self) -> Iterator[object]:
        self.fill()
        return self.members()

    def met(self) -> list[object]:
        return [member for _, member in self.pending.met()]

    def size(self) -> int:
        size: int = self.pending.size()
        return size

    def put_known(self, token: Hashable, value: object) -> bool:
        """Bind a key that is among those known; whether it is."""
        index = self.pending.shape.tokens.get(token)
        if index is None:
            return False
        self.change()
        self.pending.put(index, value)
        return True

    def undo(self) -> Undo:
        kind, pending, changed = type(self), self.pending, self.changed
        reopen = pending.undo()

        def put_back() -> None:
            reopen()
            _become(self, kind)
            self.pending = pending
            self.changed = changed

        return put_back


def _become(container: Container, kind: type[Container]) -> None:
    """Change the class to another one of the same attributes."""
    container.__class__ = kind


class OpenElements(OpenContainer):
    """The base of open sets and bags, whose `pending` is a `PendingElements`."""

    __slots__ = ()
    ordered: ClassVar[bool]
    """Whether it keeps its elements in the order in which a step adds them."""

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        pending: PendingElements = self.pending
        if not pending.changes:
            return pending.fold(fold)
        if not is_joined(fold, self.ordered):
            return None
        added = pending.added()
        return None if added is None else fold_with(pending.fold, added, fold)


class OpenList(OpenContainer, ListValue):
    """A list that is read element by element."""

    __slots__ = ()
    closed: ClassVar[type[Container]] = ListValue
    pending = ListValue.__dict__["items"]
    items = property(OpenContainer.fill, OpenContainer.close)

    def filled(self) -> list[object]:
        found: list[object] = self.pending.members()
        return found

    def element(self, index: int) -> object:
        return self.pending.member(index)

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        found: tuple[object] | None = None if self.changed else self.pending.fold(fold)
        return found

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, ListValue)
        same = self._compared(SAME, other)
        return super().equals(other, walk) if same is None else same

    def begins_alike(self, other: ListValue, size: int) -> bool | None:
        few = 0 < size <= min(self.size(), other.size(), MOST_PARTS)
        return self._compared(first(size), other) if few else None

    def _compared(self, question: str, other: ListValue) -> bool | None:
        if not isinstance(other, OpenList) or changed(self) or changed(other):
            return None
        pending: PendingMembers = self.pending
        return pending.compared(question, other.pending)

    def part(self, which: slice) -> list[object]:
        if self.pending.shape.whole:
            return super().part(which)
        return [self.element(index) for index in range(*which.indices(self.size()))]

    def append(self, item: object) -> None:
        self.change(self.size() + 1)
        METER.made += 1
        self.pending.more.append(item)

    def extend(self, items: Sequence[object]) -> None:
        self.change(self.size() + len(items))
        METER.make(len(items))
        self.pending.more.extend(items)

    def put(self, index: int, item: object) -> None:
        self.change()
        self.pending.put(index, item)


class OpenRecord(OpenContainer, RecordValue):
    """A record of which the names are known, and which is read field by field."""

    __slots__ = ()
    closed: ClassVar[type[Container]] = RecordValue
    pending = RecordValue.__dict__["fields"]
    fields = property(OpenContainer.fill, OpenContainer.close)

    def filled(self) -> dict[str, object]:
        return dict(zip(map(str, self.pending.shape.keys), self.pending.members(), strict=True))

    def has(self, name: str) -> bool:
        return name in self.pending.shape.tokens

    def field(self, name: str) -> object:
        return self.pending.member(self.pending.shape.tokens[name])

    def put(self, name: str, value: object) -> None:
        if not self.put_known(name, value):
            super().put(name, value)


class OpenSet(OpenElements, SetValue):
    """A set that is asked for one element at a time."""

    __slots__ = ()
    ordered = True
    closed: ClassVar[type[Container]] = SetValue
    pending = SetValue.__dict__["entries"]
    entries = property(OpenContainer.fill, OpenContainer.close)

    def filled(self) -> dict[Hashable, object]:
        found: dict[Hashable, object] = self.pending.entries()
        return found

    def holds(self, item: object) -> bool:
        token = sought_key(item)
        known: bool | None = self.pending.holds(token, item)
        return token in self.entries if known is None else known

    def insert(self, token: Hashable, item: object) -> None:
        # Open sets are small.
        self.change()
        if not self.pending.put(token, item, True):
            super().insert(token, item)

    def discard(self, item: object) -> None:
        self.change()
        token = sought_key(item)
        if not self.pending.put(token, item, False):
            self.entries.pop(token, None)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, SetValue)
        same = self._compared(SAME, other)
        if same is not None:
            return same
        if self.pending.changes and not isinstance(other, OpenSet):
            # It asks this one for its size and for its own elements.
            return other.equals(self, walk)
        found = self._folded(_WITHIN, other)
        back = None if found is None else other.is_within(self)
        return super().equals(other, walk) if back is None else bool(found) and back

    def _compared(self, question: str, other: SetValue) -> bool | None:
        pending: PendingSet = self.pending
        return pending.compared(question, other.pending) if isinstance(other, OpenSet) else None

    def is_within(self, other: SetValue) -> bool:
        known = self._compared(WITHIN, other)
        if known is not None:
            return known
        found = self._folded(_WITHIN, other)
        return super().is_within(other) if found is None else bool(found)

    def without(self, other: SetValue) -> dict[Hashable, object]:
        found = self._folded(_WITHOUT, other)
        return super().without(other) if found is None else found.entries

    def common(self, other: SetValue) -> dict[Hashable, object]:
        found = self._folded(_COMMON, other)
        return super().common(other) if found is None else found.entries

    def holds_all(self, entries: dict[Hashable, object]) -> bool:
        # It changes its class when all of it is read: the method is looked up each time.
        return all(self.holds(item) for item in entries.values())

    def parted(self, entries: dict[Hashable, object]) -> tuple[dict[Hashable, object], dict[Hashable, object]]:
        held = {key: item for key, item in entries.items() if self.holds(item)}
        return held, {key: item for key, item in entries.items() if key not in held}

    def _folded(self, site: Site, other: SetValue) -> Any:
        """The value of a fold whose turns ask whether another set holds the element; None if there is none."""
        kept = site is not _WITHOUT

        def turn(item: object) -> list[object]:
            if site is _WITHIN:
                return [other.holds(item)]
            return [item] if other.holds(item) is kept else []

        answer = self.folded(Fold(site, lambda: (other,), turn, False))
        return None if answer is None else answer[0]


def asked_by_elements(value: object) -> Slot | None:
    """The slot of a set or bag that is asked for by elements, and is unchanged so far; None for other values."""
    if not isinstance(value, OpenElements) or value.pending.changes:
        return None
    slot: Slot = value.pending.slot
    return slot


def is_known_by_content(value: object) -> bool:
    """Whether a value is an open container of which all would have to be read to know it."""
    return isinstance(value, OpenContainer) and asked_by_elements(value) is None
