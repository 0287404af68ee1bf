"""Screens above the panes: a text, and the help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.strip import Strip

from checker.tui.key_bindings import KEYS, SIGNS
from checker.tui.lines import Lines
from checker.tui.styles import NAME, PLAIN, STRONG, Piece

HELP = "Keys and signs"
MOVES: list[BindingType] = [
    ("down,j", "move(1)", ""),
    ("up,k", "move(-1)", ""),
    ("pagedown", "page(1)", ""),
    ("pageup", "page(-1)", ""),
]


class TextLines(Lines):
    """Lines of text, made for the width of the screen."""

    def __init__(self, make: Callable[[int], list[Sequence[Piece]]], id: str) -> None:
        super().__init__(id)
        self._make = make
        self._lines: list[Sequence[Piece]] = []
        self._width = 0

    @property
    def count(self) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        if self._width != self.content_size.width:
            # It may be drawn before its resize event.
            self._make_lines()
        return super().render_line(y)

    def line(self, index: int) -> Sequence[Piece]:
        return self._lines[index]

    @property
    def cursor_style(self) -> Style:
        return PLAIN

    def move(self, by: int) -> None:
        """Scroll the text."""
        self.top = max(0, min(self.top + by, self.count - self.room))
        self.refresh()

    def on_resize(self) -> None:
        if self._width != self.content_size.width:
            self.renew()

    def renew(self) -> None:
        """Make the lines anew."""
        self._make_lines()
        self.top = 0
        self.refresh()

    def _make_lines(self) -> None:
        self._width = self.content_size.width
        self._lines = self._make(max(self._width, 1))


class TextScreen(Screen[None]):
    """A text to read, with a title. Escape goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES, ("escape,q,enter,question_mark", "app.pop_screen", "")]

    def __init__(self, title: str, make: Callable[[int], list[Sequence[Piece]]]) -> None:
        super().__init__()
        self._text = TextLines(make, "text")
        self._text.entitle(f"{title}   (Esc goes back)")

    def compose(self) -> ComposeResult:
        yield self._text

    def action_move(self, by: int) -> None:
        self._text.move(by)

    def action_page(self, direction: int) -> None:
        self._text.move(direction * self._text.room)


def plain(lines: Sequence[str]) -> list[Sequence[Piece]]:
    """Lines without style."""
    return [[(line, PLAIN)] for line in lines]


def help_lines(width: int) -> list[Sequence[Piece]]:
    """The keys and the signs, each with its meaning."""
    lines: list[Sequence[Piece]] = []
    for title, keys in KEYS:
        lines.append([(title, STRONG)])
        lines += [[(f"  {key.shown:<10s}", NAME), (key.text, PLAIN)] for key in keys]
    lines.append([("Signs", STRONG)])
    lines += [[(f"  {signs:<10s}", NAME), (text, PLAIN)] for signs, text in SIGNS]
    return lines
