"""Tokens with their comments: a file cut into logical lines, nothing of it left out but blanks.

The text must parse: brackets and quotes are not checked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

from fizz.syntax.layout import TAB_WIDTH

TokenKind = OneOf["name", "number", "string", "operator", "open", "close", "label"]

_STRINGS = (
    r'"{3}(?:[^\\]|\\.)*?"{3}|'
    r"'{3}(?:[^\\]|\\.)*?'{3}"
    r'|(?!"{3})"(?:[^"\\\n]|\\.)*"|'
    r"(?!'{3})'(?:[^'\\\n]|\\.)*'"
)
_TOKENS = re.compile(
    rf"(?P<string>(?:[bBfF][rR]?|[rR][bBfF]?)?(?:{_STRINGS}))"
    r"|(?P<label>`[^`\n]*`)|(?P<comment>#[^\n]*)|(?P<join>\\\n)|(?P<newline>\n)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<number>0[xXoObB]\w*|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?\w*)"
    r"|(?P<name>fair\s*<\s*\w*\s*>|[^\W\d]\w*)"
    r"|(?P<operator>\*\*=|//=|<<=|>>=|[=!<>+\-*/%&|^]=|\*\*|//|<<|>>|[-+*/%&|^~<>=.,:@])"
    r"|(?P<semicolon>;)",
    re.DOTALL,
)


@dataclass(slots=True)
class SourceToken:
    """A token. `before` are the comments on lines of their own above it, `after` the one behind it: both in brackets.

    `glued`: nothing is between it and the token before it. `space`: whether a space belongs there; set by `set_spaces`.
    """

    kind: TokenKind
    text: str
    glued: bool
    before: list[str] = field(default_factory=list)
    after: str | None = None
    space: bool = False


@dataclass(slots=True)
class OwnLine:
    """A line without code: a comment with its column (from 0), or, with an empty text, a blank line."""

    text: str
    column: int = 0


@dataclass(slots=True)
class SourceLine:
    """A logical line: the lines without code above it, its column (from 0), its tokens, the comment behind it.

    The last one of a file has no tokens.
    """

    above: list[OwnLine]
    column: int = 0
    tokens: list[SourceToken] = field(default_factory=list)
    comment: str | None = None


def source_lines(text: str) -> Iterator[SourceLine]:
    """The logical lines of a text, at the end one without tokens."""
    line = SourceLine([])
    waiting: list[str] = []  # comments in brackets, for the token below them
    depth = 0
    row_start = last_end = 0
    row_has_code = False
    for match in _TOKENS.finditer(text):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind == "comment":
            comment = match.group().rstrip()
            if not line.tokens:
                line.above.append(OwnLine(comment, _width(text[row_start:start])))
            elif depth and row_has_code:
                line.tokens[-1].after = comment
            elif depth:
                waiting.append(comment)
            else:
                line.comment = comment
        elif kind == "newline":
            if not line.tokens:
                if not text[row_start:start].strip():
                    line.above.append(OwnLine(""))
            elif not depth:
                yield line
                line = SourceLine([])
            row_start, row_has_code = end, False
        elif kind == "join":
            if line.tokens:
                row_start = end
        elif kind != "semicolon":
            if not line.tokens:
                line.column = _width(text[row_start:start])
            written = "".join(match.group().split()) if kind == "name" else match.group()
            # The groups that are left are the kinds of tokens.
            line.tokens.append(SourceToken(kind, written, start == last_end, waiting))  # type: ignore[arg-type]
            waiting, row_has_code = [], True
            depth += {"open": 1, "close": -1}.get(kind or "", 0)
        last_end = end
    if line.tokens:
        yield line
        line = SourceLine([])
    yield line


def _width(indentation: str) -> int:
    return len(indentation.replace("\x0c", "").expandtabs(TAB_WIDTH))
