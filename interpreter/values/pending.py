"""Containers that are read part by part: what is inside is asked for when somebody looks at it.

A list, dict or record of a state may be known by its *head* alone: its type, its length, its keys. Its members have
slots of their own, the place of the container with one step more (`[0]`, `["k"]`, `.name`, as in language 5.6.1).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from interpreter.values.basis import hash_key


class Shape:
    """What a head tells: the steps to the members in canonical order; for dicts the keys, for records the names."""

    __slots__ = ("keys", "steps", "tokens")

    def __init__(self, steps: tuple[str, ...], keys: Sequence[object]) -> None:
        self.steps = steps
        self.keys = keys
        self.tokens: dict[Hashable, int] = {hash_key(key): place for place, key in enumerate(keys)}
        """The places of the members by key or field name; nothing for a list."""


class Pending:
    """The members of one container that were looked at so far. `load` asks for the member behind a step.

    `more`: what was appended, to a list.
    """

    __slots__ = ("load", "loaded", "more", "shape")

    def __init__(self, shape: Shape, load: Callable[[str], object]) -> None:
        self.shape = shape
        self.load = load
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
        """All members; this asks for each of them."""
        return [self.member(place) for place in range(self.size())]

    def met(self) -> Iterator[tuple[str, object]]:
        """The members that were looked at, replaced or appended, with the steps to them."""
        for place, member in self.loaded.items():
            yield self.shape.steps[place], member
        for place, member in enumerate(self.more, len(self.shape.steps)):
            yield f"[{place}]", member
