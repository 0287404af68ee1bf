"""A page in the terminal: a console, and lines that keep their indentation when they are wrapped."""

from __future__ import annotations

import sys
import unicodedata
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

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


class Page:
    """Where a report is printed. Without colour the output has no escape sequences at all."""

    def __init__(self, file: TextIO | None = None, *, color: bool = True, width: int | None = None) -> None:
        self._console = Console(
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
        text = Text(text) if isinstance(text, str) else text
        width = self.width
        if text.cell_len + indent <= width or width - indent - hang < 20:
            self._print(" " * indent, text)
            return
        first = text.wrap(self._console, width - indent)[0]
        self._print(" " * indent, first)
        rest = text[len(first.plain) :]
        rest = rest[len(rest.plain) - len(rest.plain.lstrip(" ")) :]
        for part in rest.wrap(self._console, width - indent - hang):
            self._print(" " * (indent + hang), part)

    def _print(self, margin: str, text: Text) -> None:
        line = Text(margin) + text
        line.rstrip()
        self._console.print(line, soft_wrap=True)

    def table(self, table: Table) -> None:
        """A table, as wide as it needs to be and never wider than the page."""
        self._console.print(table)
