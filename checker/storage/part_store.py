"""`PartStore`: where the tasks of a run keep what is too large for its driver, by name and part."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol


class PartStore(Protocol):
    """Parts of bytes under names. Each name is written by one task only, always with equal content.

    What a store cannot give back whole raises `EnvironmentProblem`.
    """

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        ...

    def write(self, name: str, parts: Sequence[bytes]) -> None:
        """Store parts under a name."""
        ...

    def read(self, name: str, part: int) -> bytes:
        """One part."""
        ...

    def map(self, name: str, part: int) -> memoryview:
        """One part, in memory only as far as it is looked at, if that can be."""
        ...

    def views(self, names: Sequence[str], part: int) -> Sequence[memoryview]:
        """As `map`, for each of these names; the store does not keep them."""
        ...

    def reading(self, name: str) -> AbstractContextManager[None]:
        """While the block runs, errors mean that what is stored under the name is damaged."""
        ...

    def has(self, name: str) -> bool:
        """Whether there is anything under a name."""
        ...

    def remove(self, name: str) -> None:
        """Remove what is no longer needed."""
        ...

    def forget_all_but(self, names: frozenset[str]) -> None:
        """Release what was mapped, but for these names."""
        ...

    def fleeting(self) -> PartStore:
        """The same store, for what need not outlast the run."""
        ...
