"""Numbers of values that are the same for equal values, also of two machines (language page, 5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from interpreter.values.intern import Interner, Tag
from interpreter.values.tags import FIELD_TAGS, PAIR_TAGS


class EqualValues:
    """The numbers that it has given. `of` maps each value to one; two values have the same one if they are equal.

    Role instances are equal by role and number, so that instances of two models can be compared.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[tuple[int, int], int] = {}
        self._interners: list[Interner] = []

    def of(self, interner: Interner, number: int | None) -> int:
        """The number of a value by its id in `interner`; None: of a variable that is not bound."""
        if number is None:
            return self._number(None)
        key = (self._place(interner), number)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._number(self._form(interner, number))
        return known

    def _place(self, interner: Interner) -> int:
        # Ids are those of one interner; there are two.
        for place, known in enumerate(self._interners):
            if known is interner:
                return place
        self._interners.append(interner)
        return len(self._interners) - 1

    def _number(self, form: Hashable) -> int:
        return self._numbers.setdefault(form, len(self._numbers))

    def _form(self, interner: Interner, number: int) -> Hashable:
        """What equal values have in common; parts are numbers."""
        tag, payload = interner.tag(number), interner.payload(number)
        if tag in (Tag.INT, Tag.FLOAT):
            # 1 == 1.0, and Python's numbers agree on that; all nans are one value in states.
            return ("number", payload if payload == payload else "nan")
        if tag in FIELD_TAGS:
            return (int(tag), frozenset((name, self.of(interner, child)) for name, child in payload))
        if tag in PAIR_TAGS:
            return (int(tag), frozenset((self.of(interner, k), self.of(interner, v)) for k, v in payload))
        inside = tuple(self.of(interner, child) for child in interner.children(number))
        match tag:
            case Tag.SET | Tag.FROZENSET | Tag.GENERICSET:
                return (int(tag), frozenset(inside))
            case Tag.BAG:
                return (int(tag), frozenset(Counter(inside).items()))
            case Tag.TUPLE | Tag.LIST | Tag.STUB:
                return (int(tag), inside)
            case Tag.RANGE:
                return (int(tag), range(*payload))
            case Tag.SYMMETRIC:
                return (int(tag), payload[:2])
            case Tag.CHANNEL:
                return (int(tag), payload[0])
        # A payload with ids in it means something in one interner alone.
        assert not inside
        return (int(tag), payload)
