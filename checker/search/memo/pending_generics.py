"""What was asked of genericsets and bags, and changed in them: their elements may be containers, changed in place.

An element of the state that a path gets to see is the same object wherever it is met again. So such elements are kept
(`loaded`), and so are those that were added. As soon as one of them is no more what it was, all of the collection is
read, with these in their places, and goes on as an ordinary one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from checker.search.memo.open_containers import PendingElements, Undo
from interpreter.state.state import Slot
from interpreter.values import ListValue
from interpreter.values.folding import AskedFold

_MOST_KNOWN: Final = 64
"""Where more elements may be changed than this, all of the collection is read: each question asks what they are."""


class NamedElement(NamedTuple):
    """How an element is asked for alone: the step to it, of bags to its first copy. `mutable`: it may be changed."""

    step: str
    mutable: bool


class Settled(NamedTuple):
    """An element at the end of a path: the step to it, and its id; None if it is removed."""

    step: str
    number: int | None


Settle = Callable[[object], Settled | None]


class PendingGeneric(PendingElements):
    """What was asked of the genericset or bag in `slot`, and changed in it so far.

    `named` tells how an element is asked for alone; None if it cannot be. Of the collection as it was, `load` gives
    whether it had so many copies of the element of a step, `load_size` how many elements it had, `load_all` its
    elements, and `fold` the value of a fold over it. `charge` charges for looking for an element.
    """

    __slots__ = ("_fluid", "charge", "load", "load_all", "load_size", "loaded", "named", "slot")

    def __init__(
        self,
        slot: Slot,
        named: Callable[[object], NamedElement | None],
        load: Callable[[str, int], bool],
        load_size: Callable[[], int],
        load_all: Callable[[], list[object]],
        fold: Callable[[AskedFold], tuple[object] | None],
        charge: Callable[[int], None],
    ) -> None:
        self.slot = slot
        self.named = named
        self.load = load
        self.load_all = load_all
        self.load_size = load_size
        self.fold = lambda asked: self._with_elements(fold(asked))
        self.charge = charge
        self.changes: dict[str, Any] = {}
        self.loaded: dict[str, object] = {}
        """By the step, the elements of the state that were given out and may be changed."""
        self._fluid: set[str] = set()
        """The steps at which elements were added that may be changed."""

    def give_out(self, item: object) -> object:
        """An element of the state as the one that a path gets to see; each time the same, if it may be changed."""
        named = self.named(item)
        return item if named is None or not named.mutable else self.loaded.setdefault(named.step, item)

    def _with_elements(self, found: tuple[object] | None) -> tuple[object] | None:
        """The value of a fold over the collection as it was: what may be changed in a list are elements."""
        if found is not None and isinstance(found[0], ListValue):
            found[0].items = list(map(self.give_out, found[0].items))
        return found

    def note_added(self, named: NamedElement) -> None:
        """Note that an element is added."""
        if named.mutable:
            self._fluid.add(named.step)

    def note_removed(self, step: str) -> None:
        """Note that an element is removed: the first of those that are equal, which is the one that was given out."""
        self.loaded.pop(step, None)
        self._fluid.discard(step)

    def is_as_known(self) -> bool:
        """Whether each element that may be changed is as it was when it was given out or added, as far as that is worth
        asking."""
        if len(self.loaded) + len(self._fluid) > _MOST_KNOWN:
            return False
        for step, item in self._changeable():
            named = self.named(item)
            if named is None or named.step != step:
                return False
        return True

    def _changeable(self) -> Iterator[tuple[str, object]]:
        yield from self.loaded.items()
        for step in self._fluid:
            yield step, self.changes[step][0]

    def met(self) -> Iterator[tuple[str, object]]:
        """The elements that were added, and those that were given out, with the steps to them."""
        yield from ((step, item) for step, (item, more) in self.changes.items() if more > 0)
        yield from self.loaded.items()

    def takes(self, more: Sequence[NamedElement | None]) -> bool:
        """Whether these elements can be added without reading the others."""
        raise NotImplementedError

    def put(self, named: NamedElement, item: object) -> None:
        """Add an element, one of those that it takes."""
        raise NotImplementedError

    def lets_go(self, named: NamedElement) -> bool:
        """Whether an element can be taken away without reading the others."""
        raise NotImplementedError

    def _loaded_in(self, items: list[object]) -> list[object]:
        """The elements of the state, with those that were given out in their places."""
        left = dict(self.loaded)
        for place, item in enumerate(items if left else ()):
            named = self.named(item)
            if named is not None and named.step in left:
                items[place] = left.pop(named.step)
        return items

    def settled(self, settle: Settle) -> dict[str, Any] | None:
        """By step what is written; None if all of the collection must be. `settle` gives None for what is shared."""
        raise NotImplementedError

    def undo(self) -> Undo:
        restore, loaded, fluid = super().undo(), self.loaded.copy(), self._fluid.copy()

        def put_back() -> None:
            restore()
            self.loaded, self._fluid = loaded.copy(), fluid.copy()

        return put_back


class PendingBag(PendingGeneric):
    """Of a bag. `changes`: by the step to an element that element, and how many copies more there are, or fewer."""

    __slots__ = ()

    def more(self, step: str) -> int:
        """How many copies more than before there are of the element of a step."""
        return self.changes[step][1] if step in self.changes else 0

    def holds(self, step: str) -> bool:
        """Whether there is a copy of the element of a step."""
        more = self.more(step)
        return more > 0 or self.load(step, 1 - more)

    def count(self, step: str) -> int:
        """How many copies there are of the element of a step."""
        before = 0
        while self.load(step, before + 1):
            before += 1
        return before + self.more(step)

    def takes(self, more: Sequence[NamedElement | None]) -> bool:
        if None in more:
            return False
        steps = [named.step for named in more if named is not None and named.mutable]
        # Of two that are equal each may be chosen, and they may be changed apart.
        return len(set(steps)) == len(steps) and not any(step in self.changes or self.load(step, 1) for step in steps)

    def lets_go(self, named: NamedElement) -> bool:
        """Whether it is known which object is taken away: the first of those that are equal."""
        return not (named.mutable and named.step in self.changes)

    def put(self, named: NamedElement, item: object) -> None:
        """Add a copy of an element."""
        self.note_added(named)
        self.changes[named.step] = (item, self.more(named.step) + 1)

    def take(self, step: str, item: object) -> None:
        """Take a copy of an element away that is there."""
        self.note_removed(step)
        self.changes[step] = (item, self.more(step) - 1)

    def added(self) -> list[object] | None:
        if any(more < 0 for _, more in self.changes.values()):
            return None
        return [item for item, more in self.changes.values() for _ in range(more)]

    def size(self) -> int:
        """The number of elements."""
        return self.load_size() + sum([int(more) for _, more in self.changes.values()])

    def items(self) -> list[object]:
        """All elements, in any order."""
        fewer = {step: -more for step, (_, more) in self.changes.items() if more < 0}
        found = self._loaded_in(self.load_all())
        if fewer:
            kept = []
            for item in found:
                named = self.named(item)
                if named is not None and fewer.get(named.step):
                    fewer[named.step] -= 1
                else:
                    kept.append(item)
            found = kept
        for item, more in self.changes.values():
            found += [item] * more
        return found

    def settled(self, settle: Settle) -> dict[str, tuple[int | None, int]] | None:
        """By step, the id of an element and how many copies more of it there are, perhaps fewer."""
        found: dict[str, tuple[int | None, int]] = {}
        for step, (item, more) in self.changes.items():
            after = settle(item) if more > 0 else Settled(step, None)
            if after is None or (after.step != step and self._is_taken(after.step, found)):
                return None
            found[after.step] = (after.number, more)
        for step, item in self.loaded.items():
            after = settle(item)
            if after is None or (after.step != step and self._is_taken(after.step, found)):
                return None
            if after.step != step:
                found |= {step: (None, -1), after.step: (after.number, 1)}
        return found

    def _is_taken(self, step: str, found: Collection[str]) -> bool:
        """Whether there may be an element already that equals one which was changed."""
        return step in found or step in self.changes or self.load(step, 1)


class PendingGenericSet(PendingGeneric):
    """Of a genericset. `changes`: by the step to an element that element, and whether it is there now."""

    __slots__ = ()

    def holds(self, step: str) -> bool:
        """Whether there is the element of a step."""
        return self.changes[step][1] if step in self.changes else self.load(step, 1)

    def takes(self, more: Sequence[NamedElement | None]) -> bool:
        # One that was removed before would be put at the end.
        return all(named is not None and (named.step not in self.changes or self.holds(named.step)) for named in more)

    def lets_go(self, named: NamedElement) -> bool:
        """Whether it is known which object is taken away: there is but one."""
        return True

    def put(self, named: NamedElement, item: object) -> None:
        """Add an element, present or not."""
        if named.step in self.changes or (named.mutable and self.holds(named.step)):
            return
        self.note_added(named)
        self.changes[named.step] = (item, True)

    def take(self, step: str, item: object) -> None:
        """Remove an element."""
        self.note_removed(step)
        self.changes[step] = (item, False)

    def added(self) -> list[object] | None:
        before = {step: self.load(step, 1) for step in self.changes}
        if any(before[step] and not there for step, (_, there) in self.changes.items()):
            return None
        return [item for step, (item, there) in self.changes.items() if there and not before[step]]

    def size(self) -> int:
        """The number of elements."""
        more = [int(there) - self.load(step, 1) for step, (_, there) in self.changes.items()]
        return self.load_size() + sum(more)

    def items(self) -> list[object]:
        """All elements, in the order of this step."""
        found: dict[str, object] = {}
        for item in self.load_all():
            named = self.named(item)
            assert named is not None, "otherwise it is read whole"
            found[named.step] = self.loaded.get(named.step, item)
        for step, (item, there) in self.changes.items():
            if there:
                found.setdefault(step, item)
            else:
                found.pop(step, None)
        return list(found.values())

    def settled(self, settle: Settle) -> dict[str, int | None] | None:
        """By step, the id of an element that is added; None if it is removed."""
        found: dict[str, int | None] = {step: None for step, (_, there) in self.changes.items() if not there}
        for step, item in self.met():
            after = settle(item)
            if after is None:
                return None
            if step in self.loaded and self.loaded[step] is item:
                if after.step == step:
                    continue
                found.setdefault(step, None)
            equal = (
                found[after.step] is not None
                if after.step in found
                else after.step != step and self.load(after.step, 1)
            )
            if equal:
                return None
            found[after.step] = after.number
        return found
