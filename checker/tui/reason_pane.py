"""Why the path is a counterexample, above the panes from the first screen on."""

from __future__ import annotations

import io
from collections.abc import Sequence

from textual.geometry import Size

from checker.report.compact_text import reason_lines
from checker.report.model_rows import source_row
from checker.report.page import Page
from checker.tui.lines import Lines
from checker.tui.styles import FAINT, Piece, pieces_of
from checker.tui.viewer_session import ViewerSession

_MOST_ROWS = 8
_SHARE = 6
"""The reason takes one row of so many at most."""


class ReasonPane(Lines, can_focus=False):
    """The reason, in the words of the report; `w` shows all of it where there is no room."""

    DEFAULT_CSS = """
    ReasonPane { height: auto; border-top: none; }
    """

    def __init__(self, session: ViewerSession) -> None:
        super().__init__("reason")
        self.session = session
        self._made: tuple[object, int] | None = None
        self._lines: list[Sequence[Piece]] = []

    @property
    def count(self) -> int:
        return min(len(self._all(self.content_size.width)), self._most)

    @property
    def _most(self) -> int:
        return max(min(self.screen.size.height // _SHARE, _MOST_ROWS), 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(len(self._all(width)), self._most)

    def follow(self) -> None:
        """Update from the session."""
        self.set_class(not self._all(self.content_size.width or self.screen.size.width), "empty")
        self.refresh(layout=True)

    def line(self, index: int) -> Sequence[Piece]:
        lines = self._all(self.content_size.width)
        if index == self._most - 1 and len(lines) > self._most:
            return [*lines[index], (" … w shows all", FAINT)]
        return lines[index]

    def _all(self, width: int) -> list[Sequence[Piece]]:
        trace = self.session.reason
        if self._made is None or self._made[0] is not trace or self._made[1] != width:
            self._made = (trace, width)
            self._lines = [] if trace is None else self._written(width)
        return self._lines

    def _written(self, width: int) -> list[Sequence[Piece]]:
        trace, sources = self.session.reason, self.session.sources
        assert trace is not None
        page = Page(io.StringIO(), color=False, width=max(width, 1))
        rows = [
            row for one in reason_lines(page, trace, sources) for row in page.wrapped(one.text, one.indent, one.hang)
        ]
        last = trace.entries[-1]
        found: list[Sequence[Piece]] = [pieces_of(row) for row in rows]
        if last.fails and last.file is not None and last.line is not None:
            found.append([("why  ", FAINT), (f"line {last.line} | {source_row(sources, last.file, last.line)}", FAINT)])
        return found
