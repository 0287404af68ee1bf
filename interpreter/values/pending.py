"""Containers that are read part by part: what is inside is asked for when somebody looks at it.

A list, dict or record of a state may be known by its *head* alone: its type, its length, its keys. Its members have
slots of their own, the place of the container with one step more (`[0]`, `["k"]`, `.name`, as in language 5.6.1). Of a
set the head tells but the type; each possible element has a slot, which holds it or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from interpreter.values.basis import hash_key

MOST_CHANGES: Final = 1_000
"""Of a set that is changed more often in one step all is looked at."""


class ContainerShape:
    """What a head tells: the steps to the members in canonical order; for dicts the keys, for records the names.

    `whole`: the container is stored as one value, and there is a question for all of it.
    """

    __slots__ = ("keys", "steps", "tokens", "whole")

    def __init__(self, steps: tuple[str, ...], keys: Sequence[object], whole: bool) -> None:
        self.whole = whole
        self.steps = steps
        self.keys = keys
        self.tokens: dict[Hashable, int] = {hash_key(key): place for place, key in enumerate(keys)}
        """The places of the members by key or field name; nothing for a list."""


class Pending:
    """The members of one container that were looked at so far.

    `load` asks for the member behind a step, `load_all` for all that there were, in order (None: nobody can be asked
    for that). `more`: what was appended, to a list.
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

    def member(self, place: int) -> object:
        """The member at a place, which is valid."""
        if place >= len(self.shape.steps):
            return self.more[place - len(self.shape.steps)]
        if place not in self.loaded:
            self.loaded[place] = self.load(self.shape.steps[place])
        return self.loaded[place]

    def put(self, place: int, member: object) -> None:
        """Replaces the member at a place, which is valid."""
        if place >= len(self.shape.steps):
            self.more[place - len(self.shape.steps)] = member
        else:
            self.loaded[place] = member

    def members(self) -> list[object]:
        """All members, asked for one by one or at once; those that were met stay what they are."""
        if self.load_all is not None:
            everything = self.load_all()
            self.loaded = {place: self.loaded.get(place, member) for place, member in enumerate(everything)}
        return [self.member(place) for place in range(self.size())]

    def met(self) -> Iterator[tuple[str, object]]:
        """The members that were looked at, replaced or appended, with the steps to them."""
        for place, member in self.loaded.items():
            yield self.shape.steps[place], member
        for place, member in enumerate(self.more, len(self.shape.steps)):
            yield f"[{place}]", member


class PendingSet:
    """The elements of one set that were added or taken out so far.

    `step_of` gives the step to an element, None if it can not be asked for alone. `load` tells whether the set held
    what is behind a step, `load_size` how many elements there were, `load_all` gives them by key.
    """

    __slots__ = ("changes", "load", "load_all", "load_size", "step_of")

    def __init__(
        self,
        step_of: Callable[[object], str | None],
        load: Callable[[str], bool],
        load_size: Callable[[], int],
        load_all: Callable[[], dict[Hashable, object]],
    ) -> None:
        self.step_of = step_of
        self.load = load
        self.load_size = load_size
        self.load_all = load_all
        self.changes: dict[Hashable, tuple[str, object, bool]] = {}
        """By the key of an element: the step to it, the element, and whether it is there now."""

    def holds(self, token: Hashable, item: object) -> bool | None:
        """Whether the set holds an element with that key; None if only a look at all of it can tell."""
        change = self.changes.get(token)
        if change is not None:
            return change[2]
        step = self.step_of(item)
        return None if step is None else self.load(step)

    def put(self, token: Hashable, item: object, there: bool) -> bool:
        """Add an element or take it out, whether it is there or not; False if that takes a look at all of the set."""
        known = self.changes.get(token)
        step = self.step_of(item) if known is None else known[0]
        # An element of another form may come in place of one that was taken out: 1.0 in place of 1.
        again = known is not None and there and not known[2]
        if step is None or again or len(self.changes) >= MOST_CHANGES:
            return False
        if known is None or known[2] != there:
            self.changes[token] = (step, item, there)
        return True

    def size(self) -> int | None:
        """The number of elements; None if only a look at all of it can tell."""
        return None if self.changes else self.load_size()

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
