"""`LazyMembers`: a sequence of which each member is asked for when it is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class LazyMembers(Sequence[Any]):
    """So many members, each of which `take` gives by its index."""

    def __init__(self, size: int, take: Callable[[int], Any]) -> None:
        self._size = size
        self._take = take

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if index >= self._size:
            raise IndexError
        return self._take(index)
