"""`OpenedIds`: the ids of the members of a list or dict, some of which are replaced before it is a value again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from interpreter.values.intern import Interner, Tag

_LIST: Final = Tag.LIST
_DICT: Final = Tag.DICT


class OpenedIds:
    """The members by their places: the indexes of a list, or the ids of the keys of a dict in canonical order."""

    __slots__ = ("_interner", "_tag", "ids")

    def __init__(self, interner: Interner, number: int) -> None:
        """`number`: the id of a list or dict."""
        self._interner = interner
        self._tag = interner.tag(number)
        payload = interner.payload(number)
        self.ids: dict[int, int] = dict(enumerate(payload) if self._tag is _LIST else payload)

    def place(self, place: Any, number: Callable[[Any], int]) -> int | None:
        """The place that a Python value means; None if there is no member."""
        if self._tag is _LIST:
            at = place + len(self.ids) if type(place) is int and place < 0 else place
            return at if type(at) is int and at in self.ids else None
        at = number(place)
        return at if at in self.ids else None

    def interned(self) -> int:
        """The id of the container with these members."""
        if self._tag is _LIST:
            return self._interner.intern(_LIST, tuple(self.ids.values()))
        return self._interner.intern(_DICT, tuple(self.ids.items()))
