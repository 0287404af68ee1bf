"""Places of the language (lines and columns of characters, from 1) and of the protocol (UTF-16 units, from 0)."""

from __future__ import annotations

from lsprotocol import types

from fizz.base.errors import Span, rows_of


def to_units(row: str, column: int) -> int:
    """The UTF-16 units before a column."""
    return len(row[: max(column - 1, 0)].encode("utf-16-le", "surrogatepass")) // 2


def to_column(row: str, units: int) -> int:
    """The column at a number of UTF-16 units."""
    return len(row.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")) + 1


def range_of(span: Span, text: str) -> types.Range:
    """The range of a span in a text; cut at the end of the text."""
    rows = rows_of(text)

    def position(line: int, column: int) -> types.Position:
        if line > len(rows):
            return types.Position(len(rows) - 1, to_units(rows[-1], len(rows[-1]) + 1))
        row = rows[line - 1]
        return types.Position(line - 1, to_units(row, min(column, len(row) + 1)))

    return types.Range(position(max(span.line, 1), span.column), position(max(span.end_line, 1), span.end_column))


def place_of(position: types.Position, text: str) -> tuple[int, int]:
    """Line and column of a position in a text."""
    rows = rows_of(text)
    row = rows[position.line] if position.line < len(rows) else ""
    return position.line + 1, to_column(row, position.character)
