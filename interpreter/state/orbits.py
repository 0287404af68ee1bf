"""Remembers the least image of one member of an orbit for the others (language page, 11.3).

Two states that a renaming relates have the same least image. So of each state first an image is made that is mostly the
same for all of them: indices are numbered in the order in which a walk through the state meets them. Only where none of
its kind was met before the keys of all images are compared. That a walk may tell apart what is alike costs time, and
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from interpreter.state.renaming import OF_INSTANCES, Index, Renamed, Renaming
from interpreter.state.state import Slot, State
from interpreter.values.intern import Interner
from interpreter.values.tags import Tag

_MOST: Final = 200_000

Mention = tuple[str, Index]
"""A symmetric value or an instance, by domain and index; "" and the number of a cell."""


class Orbits:
    """The least images of states of one machine that were asked for. `roles`: the symmetric ones."""

    def __init__(self, interner: Interner, roles: tuple[str, ...], renamed: Callable[[Renaming], Renamed]) -> None:
        self._interner = interner
        self._roles = frozenset(roles)
        self._renamed = renamed
        self._mentions: dict[int, tuple[Mention, ...]] = {}
        self._least: dict[State, State] = {}

    def least(
        self,
        state: State,
        fixed: Renaming,
        free: Mapping[str, list[Index]],
        image: Callable[[State, Renamed], State],
        searched: Callable[[State], State],
    ) -> State:
        """The image of least key: known for an image of this state, or `searched` for.

        `free`: the indices in use of the domains that may be renamed at will; `fixed`: a renaming of the others.
        """
        member = image(state, self._renamed({**fixed, **self._numbered(state, free)}))
        known = self._least.get(member)
        if known is None:
            if len(self._least) >= _MOST:
                self._least.clear()
            known = self._least[member] = searched(member)
        return known

    def _numbered(self, state: State, free: Mapping[str, list[Index]]) -> dict[str, dict[Index, Index]]:
        """Numbers of the indices of each domain, in the order in which they are met."""
        numbers: dict[str, dict[Index, Index]] = {name: {} for name in free}
        owned: dict[tuple[str, int], list[tuple[Slot, int]]] = {}
        for slot, number in zip(state.layout.slots, state.values, strict=True):
            if slot[0] in OF_INSTANCES and slot[1] in self._roles:
                owned.setdefault((slot[1], slot[2]), []).append((slot, number))
            elif slot[0] != "cell":
                self._meet(state, number, numbers)
        for role, instance in self._in_order(owned, numbers):
            numbers[role].setdefault(instance, len(numbers[role]))
            for _, number in owned[role, instance]:
                self._meet(state, number, numbers)
        for number in (*state.threads, *state.messages):
            self._meet(state, number, numbers)
        for name, indices in free.items():
            for index in indices:
                numbers[name].setdefault(index, len(numbers[name]))
        return numbers

    def _in_order(
        self, owned: Mapping[tuple[str, int], list[tuple[Slot, int]]], numbers: Mapping[str, Mapping[Index, Index]]
    ) -> list[tuple[str, int]]:
        """The instances of symmetric roles: those met already, then by what they hold, as far as it is numbered."""
        partly = self._renamed({name: dict(known) for name, known in numbers.items()})

        def place(one: tuple[str, int]) -> tuple[str, Index, list[int]]:
            role, index = one
            met = numbers[role].get(index, len(numbers[role]))
            return role, met, [partly.value(slot, number) for slot, number in owned[one]]

        return sorted(owned, key=place)

    def _meet(self, state: State, number: int, numbers: Mapping[str, dict[Index, Index]]) -> None:
        """Number what a value mentions, through cells too."""
        seen: set[Index] = set()
        pending: list[Iterator[Mention]] = [iter(self._mentioned(number))]
        while pending:
            mention = next(pending[-1], None)
            if mention is None:
                pending.pop()
                continue
            name, index = mention
            if name in numbers:
                numbers[name].setdefault(index, len(numbers[name]))
            elif not name and index not in seen:
                seen.add(index)
                content = state.values[state.layout.cells[int(index)]]
                pending.append(iter(self._mentioned(content)))

    def _mentioned(self, number: int) -> tuple[Mention, ...]:
        """What a value mentions, each once, in the order of its parts."""
        known = self._mentions.get(number)
        if known is None:
            known = self._mentions[number] = tuple(dict.fromkeys(self._found(number)))
        return known

    def _found(self, number: int) -> Iterable[Mention]:
        interner = self._interner
        tag = interner.tag(number)
        if tag is Tag.REF:
            return [("", interner.payload(number)[0])]
        if tag in (Tag.SYMMETRIC, Tag.ROLE, Tag.MODEL_VALUE):
            payload = interner.payload(number)
            return [(payload[0], payload[1])]
        inside: list[Mention] = []
        for child in interner.children(number):
            inside += self._mentioned(child)
        return inside
