"""From offsets in a piece of text to spans in its file."""

from __future__ import annotations

from bisect import bisect_right

from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.syntax.layout import Piece


class LineIndex:
    """The lines of one piece; a span is asked for by start and end offset."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self._starts = [0]
        position = piece.text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = piece.text.find("\n", position + 1)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        column = offset - self._starts[line] + (self.piece.column if line == 0 else 1)
        return self.piece.line + line, column

    def span(self, start: int, end: int) -> Span:
        line, column = self.position(start)
        last = line - self.piece.line + 1
        if last == len(self._starts) or end < self._starts[last]:  # most stretches end in the line where they begin
            return Span(self.piece.file, line, column, line, column + end - start)
        return Span(self.piece.file, line, column, *self.position(end))

    def error(self, code: str, text: str, start: int, end: int, hint: str | None = None) -> FizzError:
        return FizzError((Diagnostic(code, text, self.span(start, end), hint),))
