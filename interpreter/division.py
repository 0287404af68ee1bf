"""Which containers of a state are read part by part, and what their parts are.

A list, dict or record of a state variable, field or param is known by its *head*; its members have slots of their own,
which are the slot of the container and one step more. Containers that are shared, empty or large are read whole, and so
are those in slots where a try has shown that whoever looks inside looks at everything (`Divider.gather`). Nothing else
decides it: so a write of a part never changes how its neighbours are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from interpreter.state import UNBOUND, Slot
from interpreter.values.intern import Interner, Tag
from interpreter.values.tags import MUTABLE_TAGS

ROOT_LENGTH: Final = {"heap": 2, "field": 4, "param": 4}
"""How long the slots are whose values may be divided; what comes after are the steps to a part."""

MOST_MEMBERS: Final = 64
"""Longer containers are read whole."""

NEARLY_ALL: Final = 0.75
_DIVIDED: Final = frozenset({Tag.LIST, Tag.DICT, Tag.RECORD})


def root_of(slot: Slot) -> Slot:
    """The slot of the state that a part belongs to: itself if it is no part."""
    return slot[: ROOT_LENGTH.get(str(slot[0]), len(slot))]


class Division(NamedTuple):
    """A container as its head and its members by step. `flat`: no member is a container itself."""

    head: int
    members: dict[str, int]
    flat: bool


class Divider:
    """Divides the values of one interner."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._divisions: dict[int, Division | None] = {}
        self._gathered: set[Slot] = set()
        self._nested: set[Slot] = set()
        self._opened: Counter[Slot] = Counter()
        self._emptied: Counter[Slot] = Counter()
        self._replaced: dict[tuple[int, tuple[str, ...], int], int] = {}
        self._keys: dict[str, int] = {}

    def division(self, slot: Slot, number: int) -> Division | None:
        """What a value in a slot divides into; None if it is read whole."""
        if number == UNBOUND or slot[0] not in ROOT_LENGTH:
            return None
        known = self._known(number)
        if known is None or slot in self._gathered:
            return None
        if not known.flat:
            self._nested.add(slot)
        return known

    def note(self, slot: Slot, emptied: bool) -> None:
        """A way has looked into the container in a slot; `emptied`: at all of it."""
        self._opened[slot] += 1
        self._emptied[slot] += emptied

    def gather(self) -> set[Slot]:
        """Slots of flat containers that are read whole from now on, because nearly all who looked looked at everything.

        What was remembered of them must be forgotten.
        """
        flat = [slot for slot in self._opened if slot not in self._nested]
        chosen = {slot for slot in flat if self._emptied[slot] > NEARLY_ALL * self._opened[slot]}
        self._gathered |= chosen
        return chosen

    @property
    def gathered(self) -> frozenset[Slot]:
        """The slots that are read whole because a try has shown it."""
        return frozenset(self._gathered)

    def gather_as(self, slots: frozenset[Slot]) -> None:
        """Divide as somebody else does who has tried it. Nothing may have been remembered yet."""
        self._gathered |= slots

    def _known(self, number: int) -> Division | None:
        known = self._divisions.get(number, _UNKNOWN)
        if known is _UNKNOWN:
            known = self._divisions[number] = self._divide(number)
        return known

    def read(self, slot: Slot, root: int) -> int:
        """The answer to a read of a root or of a part of it, the root's value being given."""
        begin = ROOT_LENGTH[str(slot[0])]
        at, number = slot[:begin], root
        division = self.division(at, number)
        for step in slot[begin:]:
            number = UNBOUND if division is None else division.members.get(step, UNBOUND)
            if number == UNBOUND:
                return UNBOUND
            at = (*at, step)
            division = self.division(at, number)
        return number if division is None else division.head

    def parts(self, slot: Slot, number: int) -> Iterator[tuple[Slot, int]]:
        """The slots that a value takes up, with their heads and values."""
        division = self.division(slot, number)
        if division is None:
            yield slot, number
            return
        yield slot, division.head
        for step, member in division.members.items():
            yield from self.parts((*slot, step), member)

    def whole(self, slot: Slot, ask: Callable[[Slot], int]) -> int:
        """The value whose parts are the answers."""
        number = ask(slot)
        if number == UNBOUND or self._interner.tag(number) is not Tag.HEAD:
            return number
        keys, (rank, steps), _ = self._interner.payload(number)
        members = [self.whole((*slot, step), ask) for step in steps]
        return self._made(Tag(rank), steps, keys, members)

    def replaced(self, root: int, steps: tuple[str, ...], new: int) -> int:
        """The value of a root after one of its parts was written."""
        if not steps:
            # A head alone comes with the members that make it true.
            return root if self._interner.tag(new) is Tag.HEAD else new
        key = (root, steps, new)
        known = self._replaced.get(key)
        if known is None:
            division = self._known(root)
            assert division is not None
            # A step beyond the members appends to a list.
            old = division.members.get(steps[0], UNBOUND)
            members = {**division.members, steps[0]: self.replaced(old, steps[1:], new)}
            keys, (rank, _), _ = self._interner.payload(division.head)
            known = self._replaced[key] = self._made(Tag(rank), tuple(members), keys, list(members.values()))
        return known

    def _made(self, tag: Tag, steps: tuple[str, ...], keys: tuple[int, ...], members: list[int]) -> int:
        if tag is Tag.LIST:
            return self._interner.intern(tag, tuple(members))
        if tag is Tag.DICT:
            return self._interner.intern(tag, tuple(zip(keys, members, strict=True)))
        return self._interner.intern(tag, tuple(zip([step[1:] for step in steps], members, strict=True)))

    def step(self, key: int) -> str:
        """The step to what a dict holds at a key."""
        step = _dict_step(self._interner, key)
        self._keys[step] = key
        return step

    def key(self, step: str) -> int | None:
        """The key that a step of a dict stands for."""
        return self._keys.get(step)

    def _divide(self, number: int) -> Division | None:
        interner = self._interner
        tag, payload = interner.tag(number), interner.payload(number)
        if tag not in _DIVIDED or not 0 < len(payload) <= MOST_MEMBERS or interner.references(number):
            return None
        if tag is Tag.LIST:
            steps, members = _list_steps(len(payload)), payload
            head = list_head(interner, len(payload))
        elif tag is Tag.DICT:
            keys = tuple(key for key, _ in payload)
            steps, members = tuple(self.step(key) for key in keys), [member for _, member in payload]
            head = dict_head(interner, keys)
        else:
            steps, members = tuple(f".{name}" for name, _ in payload), [member for _, member in payload]
            head = interner.intern_composite(Tag.HEAD, (), (int(tag), steps), f"record {len(payload)}")
        flat = not any(interner.tag(member) in MUTABLE_TAGS for member in members)
        return Division(head, dict(zip(steps, members, strict=True)), flat)


def list_head(interner: Interner, size: int) -> int:
    """The head of a list of some size."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.LIST), _list_steps(size)), f"list {size}")


def dict_head(interner: Interner, keys: tuple[int, ...]) -> int:
    """The head of a dict with these keys, in canonical order."""
    steps = tuple(_dict_step(interner, key) for key in keys)
    return interner.intern_composite(Tag.HEAD, keys, (int(Tag.DICT), steps), f"dict {len(keys)}")


def _dict_step(interner: Interner, key: int) -> str:
    return f"[{interner.json(key)}]"


@cache
def _list_steps(size: int) -> tuple[str, ...]:
    return tuple(f"[{place}]" for place in range(size))


_UNKNOWN: Final = Division(UNBOUND, {}, True)
