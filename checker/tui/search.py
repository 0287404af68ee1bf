"""The steps in which a text occurs: in who moves, or in what changes."""

from __future__ import annotations

from collections.abc import Iterator

from checker.tui.telling import PathText


class TextSearch:
    """Looks for a text in one path. A step is looked into once, when it is its turn."""

    def __init__(self, telling: PathText, text: str) -> None:
        self.telling = telling
        self.text = text
        self._wanted = text.lower()
        self._known: dict[int, bool] = {}

    @property
    def complete(self) -> bool:
        """Was every step looked into?"""
        return not self._wanted or len(self._known) == len(self.telling)

    @property
    def found(self) -> list[int]:
        """The matches, as far as they are known by now."""
        return sorted(index for index, matches in self._known.items() if matches)

    def known(self, index: int) -> bool:
        """Is it known by now that an entry matches?"""
        return self._known.get(index, False)

    def matches(self, index: int) -> bool:
        """Does an entry match?"""
        if index not in self._known:
            self._known[index] = bool(self._wanted) and self._wanted in self._read(index)
        return self._known[index]

    def way(self, selected: int, direction: int = 1) -> Iterator[int | None]:
        """The matches after an entry (before it: -1), after the last one the first; None for what does not match."""
        count = len(self.telling)
        for distance in range(1, count + 1):
            index = (selected + direction * distance) % count
            yield index if self.matches(index) else None

    def _read(self, index: int) -> str:
        entry = self.telling.entries[index]
        changed = self.telling.parts(index) if index else entry.changes
        texts = [f"{c.place} {c.new}" if c.new is not None else c.place for c in changed]
        return "\n".join((self.telling.headline(index), entry.label, *entry.labels, *texts)).lower()
