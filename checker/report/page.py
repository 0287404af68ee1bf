"""A page in the terminal: a console, and lines that keep their indentation when they are wrapped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text

from checker.core.visible import printable

if TYPE_CHECKING:
    from rich.table import Table

# How our own signs are written where the encoding of the output has none of them.
_SPELLED = str.maketrans({"→": "->", "∞": "*", "✗": "X", "…": "...", "·": "*"})

# A narrower page gets lines that are too wide rather than shredded ones.
_NARROWEST = 20
_WIDEST = 10_000

# A longer line is cut in a terminal; the JSON report has everything.
_LONGEST = 4000


def _break(text: str, room: int) -> int:
    """Where to break a line: after a comma, if that leaves it well filled, else at a blank, else anywhere."""
    end = min(len(text), room)
    while cell_len(text[:end]) > room:
        end -= 1
    comma = text.rfind(", ", 0, end) + len(", ")
    if comma * 3 > end * 2:
        return comma
    return text.rfind(" ", 1, end) + 1 or max(end, 1)


def _visible(text: Text) -> Text:
    """The text with control characters spelled out, and its styles kept in position."""
    if printable(text.plain) == text.plain:
        return text
    shown = [printable(character) for character in text.plain]
    offsets = [0]
    for piece in shown:
        offsets.append(offsets[-1] + len(piece))
    last = len(shown)
    spans = [Span(offsets[min(one.start, last)], offsets[min(one.end, last)], one.style) for one in text.spans]
    return Text("".join(shown), text.style, spans=spans)


def _width(text: Text) -> int:
    """The columns that a cell takes."""
    return cell_len(text.plain)


def _indented(columns: int, text: Text) -> Text:
    line = Text(" " * columns) + text
    line.rstrip()
    return line


class _Console(Console):
    """A console that writes no control character of a text. A broken pipe is left to the command."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to write: texts made printable, colours as they are."""
        return _seen(super().render(renderable, options))

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _seen(segments: Iterable[Segment]) -> Iterator[Segment]:
    for segment in segments:
        yield segment if segment.control else segment._replace(text=printable(segment.text))


def _can_have_signs(encoding: str) -> bool:
    try:
        "".join(map(chr, _SPELLED)).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _asked_width() -> int | None:
    """The width that the environment asks for; None: that of the terminal."""
    text = os.environ.get("COLUMNS", "")
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0")
    return None if not digits else _WIDEST if len(digits) > len(str(_WIDEST)) else min(int(digits), _WIDEST)


class Page:
    """Where a report is printed. Without colour the output has no escape sequences at all.

    The only control characters written are those of the colours; see `checker.core.visible`.
    """

    def __init__(self, file: TextIO | None = None, *, color: bool = True, width: int | None = None) -> None:
        self._console = _Console(
            file=file or sys.stdout,
            width=_asked_width() if width is None else width,
            color_system="auto" if color else None,
            highlight=False,
            markup=False,
            emoji=False,
            # Rich accepts every string of digits as a size, even superscript digits and the empty string.
            _environ={name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")},
        )
        self._signs = _can_have_signs(self._console.encoding)

    def spelled(self, text: str) -> str:
        """A text with our own signs, such as arrows, as the output can have them."""
        return text if self._signs else text.translate(_SPELLED)

    @property
    def width(self) -> int:
        return self._console.width

    def line(self, text: Text | str = "", indent: int = 0, hang: int = 0) -> None:
        """One line, wrapped to the width; what does not fit goes on below, `hang` columns further in."""
        for row in self.wrapped(text, indent, hang):
            self._console.print(row, soft_wrap=True)

    def wrapped(self, text: Text | str, indent: int = 0, hang: int = 0, width: int | None = None) -> list[Text]:
        """The rows of a line, with their margins; `width`: of the page, unless given."""
        width = self.width if width is None else width
        rest = Text(text) if isinstance(text, str) else text
        if len(rest) > _LONGEST:
            rest = rest[:_LONGEST].append(f" ... and {len(rest) - _LONGEST:,} characters more", "dim")
        rest = _visible(rest)
        rows = []
        while rest.cell_len > (room := max(width - indent, _NARROWEST)):
            first, rest = rest.divide([_break(rest.plain, room)])
            rows.append(_indented(indent, first))
            indent, hang = indent + hang, 0
        return [*rows, _indented(indent, rest)]

    def rows(self, header: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
        """A table that may have thousands of rows; the first column is folded where the page is too narrow.

        The last one is of numbers. All texts are printable. A table of rich's takes six times as long.
        """
        table = [[Text(title, "dim") for title in header], *rows]
        first, *others = (max(map(_width, column)) for column in zip(*table, strict=True))
        gap = " " * 2
        first = min(first, max(self.width - sum(others) - len(gap) * len(others), _NARROWEST))
        page = Text()
        for name, *cells, number in table:
            beginning, *rest = chop_cells(name.plain, first) or [""]
            page.append(beginning, name.style).append(" " * (first - cell_len(beginning)))
            for cell, width in zip(cells, others, strict=False):
                page.append(gap).append(cell.plain, cell.style).append(" " * (width - _width(cell)))
            page.append(gap + " " * (others[-1] - _width(number))).append(number.plain, number.style)
            for piece in rest:
                page.append("\n").append(piece, name.style)
            page.append("\n")
        self._console.print(page, soft_wrap=True, end="")

    def table(self, table: Table, least: int = 0) -> None:
        """A table, as wide as it needs to be, and never wider than the page if that has `least` columns."""
        width = self._console.width
        self._console.width = max(width, least)
        self._console.print(table)
        self._console.width = width
