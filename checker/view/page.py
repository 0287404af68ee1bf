"""A page in the terminal: a console, and lines that keep their indentation when they are wrapped."""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rich.table import Table

# A model is not trusted: its text must not move the cursor, recolour the screen or turn the reading direction.
_DANGEROUS = ("Cc", "Cf", "Cs", "Zl", "Zp")


def printable(text: str) -> str:
    """The text with control characters spelled out. Tabs become spaces, line ends stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character == "\n" or unicodedata.category(character) not in _DANGEROUS
        else "    "
        if character == "\t"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


# Below this a line is rather too wide for the page than cut into crumbs.
_NARROWEST = 20

# Nobody reads further in a terminal; the JSON report has everything.
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


class _Console(Console):
    """A console that leaves it to the command what to do when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Page:
    """Where a report is printed. Without colour the output has no escape sequences at all."""

    def __init__(self, file: TextIO | None = None, *, color: bool = True, width: int | None = None) -> None:
        self._console = _Console(
            file=file or sys.stdout,
            width=width,
            color_system="auto" if color else None,
            highlight=False,
            markup=False,
            emoji=False,
        )

    @property
    def width(self) -> int:
        return self._console.width

    def line(self, text: Text | str = "", indent: int = 0, hang: int = 0) -> None:
        """One line, wrapped to the width; what does not fit goes on below, `hang` columns further in."""
        rest = Text(text) if isinstance(text, str) else text
        if len(rest) > _LONGEST:
            rest = rest[:_LONGEST].append(f" ... and {len(rest) - _LONGEST:,} characters more", "dim")
        while rest.cell_len > (room := max(self.width - indent, _NARROWEST)):
            first, rest = rest.divide([_break(rest.plain, room)])
            self._print(" " * indent, first)
            indent, hang = indent + hang, 0
        self._print(" " * indent, rest)

    def _print(self, margin: str, text: Text) -> None:
        line = Text(margin) + text
        line.rstrip()
        self._console.print(line, soft_wrap=True)

    def table(self, table: Table) -> None:
        """A table, as wide as it needs to be and never wider than the page."""
        self._console.print(table)
