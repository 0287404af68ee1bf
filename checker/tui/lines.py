"""A pane of lines with a cursor. It draws only the visible lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from textual import events
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from checker.core.visible import printable
from checker.tui.styles import HERE, PLAIN, STRONG, Piece, strip


class Lines(Widget, can_focus=True):
    """Shows `count` lines below a title. Subclasses provide them."""

    DEFAULT_CSS = """
    Lines {
        border-top: solid ansi_blue;
        border-title-style: none;
        border-title-color: ansi_default;
    }
    Lines:focus {
        border-top: heavy ansi_bright_white;
        border-title-style: bold;
    }
    """

    drawn = 0
    """Lines drawn so far by all panes; tests measure with it what a key costs."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self.top = 0

    # --- what is in it ---------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def line(self, index: int) -> Sequence[Piece]:
        """One line."""
        raise NotImplementedError

    def heads(self) -> Sequence[Sequence[Piece]]:
        """Lines at the top that do not scroll."""
        return ()

    def entitle(self, text: str) -> None:
        """Set the title. It is no markup, for it may contain texts of the model."""
        self.border_title = Content(printable(text, lines=False))

    # --- moving ----------------------------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """How many lines can be seen at once."""
        return max(self.content_size.height - len(self.heads()), 1)

    def move_to(self, index: int) -> None:
        """Put the cursor on a line, and show it with some of its neighbours."""
        self.cursor = max(0, min(index, self.count - 1))
        margin = min(2, (self.room - 1) // 2)
        self.top = max(min(self.top, self.cursor - margin), self.cursor - self.room + 1 + margin)
        self.top = max(0, min(self.top, self.count - self.room))
        self.refresh()

    def move(self, by: int) -> None:
        """Move the cursor."""
        self.move_to(self.cursor + by)

    def render_line(self, y: int) -> Strip:
        heads = self.heads()
        width = self.content_size.width
        Lines.drawn += 1
        if y < len(heads):
            return strip(heads[y], width)
        index = self.top + y - len(heads)
        if index >= self.count:
            return Strip.blank(width, PLAIN)
        return strip(self.line(index), width, self.cursor_style if index == self.cursor else None)

    @property
    def cursor_style(self) -> Style:
        """The style of the line under the cursor."""
        return HERE if self.has_focus else STRONG

    # --- events ----------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self.move_to(self.cursor)

    def on_click(self, event: events.Click) -> None:
        self.move_to(self.top + event.y - len(self.heads()) - 1)

    def on_mouse_scroll_down(self) -> None:
        self.move(3)

    def on_mouse_scroll_up(self) -> None:
        self.move(-3)
