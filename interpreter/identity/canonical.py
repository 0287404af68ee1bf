"""Symmetry: of all images of a state under the allowed renamings, the one of least key (language page, 11.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from math import inf
from typing import Final

from interpreter.identity.domains import DomainShape
from interpreter.identity.encoding import Encoder
from interpreter.identity.normalise import Normaliser, rebuild
from interpreter.program import RoleProgram
from interpreter.state import Layouts, Slot, State
from interpreter.values.intern import Interner, Tag

Index = int | Fraction | float
Renaming = Mapping[str, Mapping[Index, Index]]
"""New indices by domain name (of a symmetric role: its name) and old index."""

LOWEST: Final = -inf
HIGHEST: Final = inf
"""The open ends of segments, which a reflection exchanges."""


class Canonical:
    """Chooses images of states of one machine. `roles` are the symmetric roles."""

    def __init__(
        self,
        interner: Interner,
        layouts: Layouts,
        encoder: Encoder,
        shapes: Mapping[str, DomainShape],
        roles: tuple[RoleProgram, ...],
    ) -> None:
        self._interner = interner
        self._layouts = layouts
        self._encoder = encoder
        self._normaliser = Normaliser(interner, layouts)
        self._shapes = shapes
        self._roles = tuple(role.name for role in roles)
        self._born_later = any(role.born_later for role in roles)
        self._renamed: dict[tuple[tuple[str, tuple[tuple[Index, Index], ...]], ...], dict[int, int]] = {}

    @property
    def needed(self) -> bool:
        """Whether the model declares any symmetry."""
        return bool(self._shapes or self._roles)

    @property
    def lasting(self) -> bool:
        """Whether a state without symmetric values or instances leads to such states only."""
        return not self._shapes and not self._born_later

    def used(self, state: State) -> dict[str, list[Index]]:
        """The indices in use in each domain, sorted; instance numbers of symmetric roles under the role's name."""
        found: dict[str, set[Index]] = {}
        for number in (*state.values, *state.threads, *state.messages):
            for name, index in self._interner.symmetric(number):
                found.setdefault(name, set()).add(index)
            for name, index in self._interner.identities(number):
                if name in self._roles:
                    found.setdefault(name, set()).add(index)
        for role in self._roles:
            if role in state.layout.live:
                found.setdefault(role, set()).update(state.layout.live[role])
        return {name: sorted(indices) for name, indices in sorted(found.items())}

    def settled(self, state: State) -> State | None:
        """The state with its ordinals as ranks; None if a domain is over its limit or its divergence (11.2)."""
        renaming: dict[str, dict[Index, Index]] = {}
        for name, indices in self.used(state).items():
            shape = self._shapes.get(name)
            if shape is None or shape.kind not in ("interval", "ordinal"):
                continue
            if shape.limit is not None and len(indices) > shape.limit:
                return None
            if shape.kind == "ordinal":
                ranks: dict[Index, Index] = {index: rank for rank, index in enumerate(indices)}
                if any(index != rank for index, rank in ranks.items()):
                    renaming[name] = ranks
            elif shape.divergence is not None and indices[-1] - indices[0] > shape.divergence:
                return None
        return self.image(state, renaming) if renaming else state

    def least(self, state: State) -> State:
        """The image of least key."""
        choices = [
            [(name, renaming) for renaming in self._renamings(name, indices)]
            for name, indices in self.used(state).items()
        ]
        images = (self.image(state, dict(chosen)) for chosen in product(*choices))
        return min(images, key=self._encoder.key)

    def _renamings(self, name: str, used: list[Index]) -> Iterator[dict[Index, Index]]:
        shape = self._shapes.get(name)
        size = len(used)
        if shape is None or shape.kind == "nominal":
            for numbers in permutations(range(size)):
                yield dict(zip(used, numbers, strict=True))
        elif shape.kind == "ordinal":
            yield {index: rank for rank, index in enumerate(used)}
            if shape.reflection:
                mirrored: dict[Index, Index] = {index: size - 1 - rank for rank, index in enumerate(used)}
                yield {**mirrored, LOWEST: HIGHEST, HIGHEST: LOWEST}
        elif shape.kind == "interval":
            yield {index: index - used[0] + shape.start for index in used}
            if shape.reflection:
                yield {index: used[-1] - index + shape.start for index in used}
        else:
            assert shape.limit is not None
            for shift in range(shape.limit):
                yield {index: (index + shift) % shape.limit for index in used}
                if shape.reflection:
                    yield {index: (shift - index) % shape.limit for index in used}

    # --- images ----------------------------------------------------------------------------------------------------

    def image(self, state: State, renaming: Renaming) -> State:
        """The state with its symmetric values and instances renamed."""
        if all(old == new for indices in renaming.values() for old, new in indices.items()):
            return state
        mark = tuple((name, tuple(indices.items())) for name, indices in renaming.items())
        known = self._renamed.setdefault(mark, {})
        slots = {
            self._slot(slot, renaming): self._value(number, renaming, known)
            for slot, number in zip(state.layout.slots, state.values, strict=True)
        }
        if ("returns",) in slots:
            slots["returns",] = self._returns(slots["returns",], renaming)
        layout = self._layouts.of(slots)
        threads = [self._value(thread, renaming, known) for thread in state.threads]
        messages = [self._value(message, renaming, known) for message in state.messages]
        return self._normaliser.state(layout, [slots[slot] for slot in layout.slots], threads, messages)

    def _slot(self, slot: Slot, renaming: Renaming) -> Slot:
        if slot[0] in ("role", "param", "field", "reset") and slot[1] in renaming:
            return (slot[0], slot[1], renaming[slot[1]].get(slot[2], slot[2]), *slot[3:])
        if slot[0] == "count" and "#" in slot[1]:
            head, _, rest = slot[1].partition("#")
            prefix, _, role = head.rpartition(" ")
            number, _, action = rest.partition(".")
            if role in renaming and number.isdigit():
                renamed = renaming[role].get(int(number), int(number))
                return ("count", f"{prefix} {role}#{renamed}.{action}".lstrip())
        return slot

    def _returns(self, number: int, renaming: Renaming) -> int:
        """Returns with the instances in their labels renamed: `Node#0.Act`."""
        interner = self._interner
        pairs = []
        for label, value in interner.payload(number):
            head, mark, rest = interner.payload(label).partition("#")
            if mark and head in renaming:
                index, _, action = rest.partition(".")
                label = interner.intern(Tag.STRING, f"{head}#{renaming[head].get(int(index), int(index))}.{action}")
            pairs.append((label, value))
        return interner.intern_pairs(Tag.DICT, pairs)

    def _segment(self, number: int, renaming: Renaming) -> int:
        domain, after, before = self._interner.payload(number)
        if domain not in renaming:
            return number
        ends = (LOWEST if after is None else after, HIGHEST if before is None else before)
        low, high = sorted(renaming[domain].get(end, end) for end in ends)
        payload = (domain, None if low == LOWEST else low, None if high == HIGHEST else high)
        return self._interner.intern(Tag.SEGMENT, payload)

    def _value(self, number: int, renaming: Renaming, known: dict[int, int]) -> int:
        found = known.get(number)
        if found is None:
            found = known[number] = self._renamed_value(number, renaming, known)
        return found

    def _renamed_value(self, number: int, renaming: Renaming, known: dict[int, int]) -> int:
        interner = self._interner
        tag = interner.tag(number)
        if tag is Tag.SYMMETRIC:
            domain, index, kind, limit = interner.payload(number)
            if domain in renaming:
                return interner.intern(Tag.SYMMETRIC, (domain, renaming[domain].get(index, index), kind, limit))
            return number
        if tag in (Tag.ROLE, Tag.MODEL_VALUE):
            name, index = interner.payload(number)
            if name in renaming:
                return interner.intern(tag, (name, renaming[name].get(index, index)))
            return number
        if tag is Tag.SEGMENT:
            return self._segment(number, renaming)
        children = interner.children(number)
        if not children:
            return number
        renamed = [self._value(child, renaming, known) for child in children]
        return number if list(children) == renamed else rebuild(interner, number, renamed)
