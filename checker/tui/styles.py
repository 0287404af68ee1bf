"""Styles in the sixteen colours of a terminal. No meaning is given by colour alone."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from checker.core.visible import printable

Piece = tuple[str, Style]

PLAIN = Style()
FAINT = Style(dim=True)
STRONG = Style(bold=True)
NAME = Style(color="cyan")
OLD = Style(color="red")
NEW = Style(color="green", bold=True)
WARNING = Style(color="yellow")
WRONG = Style(color="red", bold=True)
CRASH = Style(color="red", bold=True, reverse=True)
CYCLE = Style(color="magenta", bold=True)
HERE = Style(reverse=True, dim=False)

_CONSOLE = Console(color_system=None, width=80)

MARKS = {" ": PLAIN, "~": WARNING, "+": NEW, "-": OLD}
_LONGEST = 1000


def pieces_of(text: Text) -> list[Piece]:
    """A text of the reports in its styles."""
    return [(segment.text, segment.style or PLAIN) for segment in text.render(_CONSOLE)]


def strip(pieces: Iterable[Piece], width: int, over: Style | None = None) -> Strip:
    """One line of a pane. A line that does not fit ends with an ellipsis. `over` is added to every style."""
    segments, room = [], width
    for text, style in pieces:
        shown = printable(text[:_LONGEST]).replace("\n", " ")
        segments.append(Segment(shown, style if over is None else style + over))
        room -= len(shown)
        if room < 0:
            break
    line = Strip(segments)
    if line.cell_length > width:
        line = Strip([*line.crop(0, max(width - 1, 0)), Segment("…", over or FAINT)])
    return line.adjust_cell_length(width, over or PLAIN)
