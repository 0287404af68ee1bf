"""Errors and warnings about a model file, and their text.

A `Diagnostic` is data: code, text, span, hint. `render` turns one into the lines that the language page (section 14)
prescribes. Nothing here prints or exits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

MAX_WIDTH = 160


class Span(NamedTuple):
    """A stretch of source text: lines and columns count from 1, the end column is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message about a model: an error or a warning, with its span and a hint."""

    code: str
    text: str
    span: Span | None = None
    hint: str | None = None


class FizzError(Exception):
    """A model file that does not parse, resolve or configure: the diagnostics, sorted by location.

    `exit_code` is 150 for the language (codes L), 151 for options and constants (codes O), as of the most severe
    diagnostic: language errors win.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], sources: Mapping[str, str] | None = None) -> None:
        super().__init__("; ".join(d.text for d in diagnostics))
        self.diagnostics = diagnostics
        self.sources: dict[str, str] = dict(sources or {})

    def __str__(self) -> str:
        return self.render()

    @property
    def exit_code(self) -> int:
        return 150 if any(d.code.startswith("L") for d in self.diagnostics) else 151

    def render(self) -> str:
        """All messages as plain text, a blank line between two."""
        return "\n\n".join(render(d, self.sources) for d in self.diagnostics)


def render(diagnostic: Diagnostic, sources: Mapping[str, str]) -> str:
    """The message as plain text: location and text, the source line, carets, hint (language page, section 14)."""
    span = diagnostic.span
    location = "" if span is None else f"{span.file}:{span.line}:{span.column}: "
    lines = [_one_line(f"{location}{diagnostic.text} [{diagnostic.code}]")]
    if span is not None:
        lines += _excerpt(span, sources.get(span.file, ""))
    if diagnostic.hint:
        lines.append(_one_line(f"hint: {diagnostic.hint}"))
    return "\n".join(lines)


def _one_line(text: str) -> str:
    """Line ends escaped: those in a file name must not look like the start of another message."""
    return text.replace("\n", "\\n")


@lru_cache(maxsize=4)
def rows_of(text: str) -> Sequence[str]:
    """The lines of a text; cached, since thousands of messages may ask for one line each."""
    return text.split("\n")


def _excerpt(span: Span, text: str) -> list[str]:
    rows = rows_of(text)
    if not 1 <= span.line <= len(rows):
        return []
    row = rows[span.line - 1].rstrip("\r")
    end = span.end_column if span.end_line == span.line else len(row) + 1
    width = max(1, min(end, len(row) + 1) - span.column)
    # Of a very long line only the part around the span is shown.
    first = max(0, span.column - 1 - MAX_WIDTH // 2) if len(row) > MAX_WIDTH else 0
    shown = ("…" if first else "") + row[first : first + MAX_WIDTH] + ("…" if first + MAX_WIDTH < len(row) else "")
    before = row[first : span.column - 1]
    # Tabs are kept in the margin below, so that the carets stand under the text in any terminal.
    margin = (" " if first else "") + "".join("\t" if c == "\t" else " " for c in before)
    carets = "^" * min(width, first + MAX_WIDTH - span.column + 1)
    return [f"{span.line:5d} | {shown}", f"{'':5s} | {margin}{carets}"]
