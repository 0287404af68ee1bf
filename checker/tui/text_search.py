"""Search for a text in the movers and changes of steps."""

from __future__ import annotations

from collections.abc import Iterator

from checker.tui.path_text import PathText


class TextSearch:
    """Looks for a text in one path. Each step is read once, when it is needed."""

    def __init__(self, path_text: PathText, text: str) -> None:
        self.path_text = path_text
        self.text = text
        self._wanted = text.lower()
        self._known: dict[int, bool] = {}

    @property
    def complete(self) -> bool:
        """Was every step read?"""
        return not self._wanted or len(self._known) == len(self.path_text)

    @property
    def found(self) -> list[int]:
        """The matches known by now."""
        return sorted(index for index, matches in self._known.items() if matches)

    def known(self, index: int) -> bool:
        """Is it known by now that an entry matches?"""
        return self._known.get(index, False)

    def matches(self, index: int) -> bool:
        """Does an entry match?"""
        if index not in self._known:
            self._known[index] = bool(self._wanted) and self._wanted in self._read(index)
        return self._known[index]

    def matches_from(self, selected: int, direction: int = 1) -> Iterator[int | None]:
        """The matches after an entry (-1: before it), cyclically; None for each entry that does not match."""
        count = len(self.path_text)
        for distance in range(1, count + 1):
            index = (selected + direction * distance) % count
            yield index if self.matches(index) else None

    def _read(self, index: int) -> str:
        entry = self.path_text.entries[index]
        changed = self.path_text.parts(index) if index else entry.changes
        texts = [f"{c.place} {c.new}" if c.new is not None else c.place for c in changed]
        brief = self.path_text.effects(index).plain
        return "\n".join((self.path_text.headline(index), entry.label, *entry.labels, *texts, brief)).lower()
