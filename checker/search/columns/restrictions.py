"""`Restrictions`: the renamings of a group, as far as they matter to some names.

A value is changed only where it mentions a name: an element that holds one of four workers and one of five jobs has 20
images under the 2,880 renamings of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.names_in_use import Name
from interpreter.state.renaming import Index, Renamed, Renaming


class Restricted(NamedTuple):
    """The renamings that differ for some names. `which`: by renaming of the group, the index of one of `ones`."""

    which: NDArray[np.intp]
    ones: tuple[Renamed, ...]


class Restrictions:
    """Some renamings of the same names. `nominal`: whether the names of a domain are renamed one by one; those of
    others are renamed together."""

    def __init__(
        self, renamings: Sequence[Renaming], nominal: Callable[[str], bool], renamed: Callable[[Renaming], Renamed]
    ) -> None:
        self._renamings = renamings
        self._renamed = renamed
        self._together = [domain for domain in renamings[0] if not nominal(domain)]
        self._columns = {
            (domain, index): np.array([one[domain][index] for one in renamings], dtype=np.intp)
            for domain, indices in renamings[0].items()
            if domain not in self._together
            for index in indices
        }
        self._whole = [self._numbers(domain) for domain in self._together]
        self._known: dict[tuple[Name, ...], Restricted] = {}

    def __len__(self) -> int:
        return len(self._renamings)

    def to(self, names: Iterable[Name] | None) -> Restricted:
        """The renamings, as far as they matter to these names; None: to all."""
        own = tuple(self._columns) if names is None else tuple(name for name in self._columns if name in names)
        known = self._known.get(own)
        if known is None:
            known = self._known[own] = self._to(own)
        return known

    def _to(self, names: tuple[Name, ...]) -> Restricted:
        which = np.zeros(len(self), dtype=np.intp)
        first = np.zeros(1, dtype=np.intp)
        for column in [*self._whole, *(self._columns[name] for name in names)]:
            joined = which * (int(column.max()) + 1) + column
            # Small numbers again, so that they stay small.
            _, first, which = np.unique(joined, return_index=True, return_inverse=True)
        return Restricted(which, tuple(self._renamed(self._part(self._renamings[at], names)) for at in first.tolist()))

    def _part(self, renaming: Renaming, names: tuple[Name, ...]) -> Renaming:
        made: dict[str, dict[Index, Index]] = {domain: dict(renaming[domain]) for domain in self._together}
        for domain, index in names:
            made.setdefault(domain, {})[index] = renaming[domain][index]
        return made

    def _numbers(self, domain: str) -> NDArray[np.intp]:
        """By renaming, which of the renumberings of a domain it has."""
        known: dict[tuple[tuple[Index, Index], ...], int] = {}
        found = [known.setdefault(tuple(one[domain].items()), len(known)) for one in self._renamings]
        return np.array(found, dtype=np.intp)
