"""Layout: cuts the front matter off and turns lines and indentation into marker characters, item by item.

The grammar works on text without comments in which each logical line ends with `LINE_END`, followed by `INDENT` or
`DEDENT` where the next line is deeper or shallower. The markers are put at the *end* of a code line, so that every
token keeps its line and column. Each top-level item becomes a `Piece` that is parsed by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field

from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.base.light import dataclass
from fizz.syntax.ast import ASSERTION_KINDS

LINE_END, INDENT, DEDENT, FRAGMENT = "\x01", "\x02", "\x03", "\x04"
TAB_WIDTH = 4
MAX_BRACKETS = 100
MAX_BLOCKS = 40
MAX_MESSAGES = 100  # of broken lines in a file; some twenty are shown

# Three quotes never mean an empty string followed by the start of another one.
_SCAN = re.compile(
    r'(?P<string>"{3}(?:[^\\]|\\.)*?"{3}|' + r"'{3}(?:[^\\]|\\.)*?'{3}"
    r'|(?!"{3})"(?:[^"\\\n]|\\.)*"|' + r"(?!'{3})'(?:[^'\\\n]|\\.)*')"
    r"|(?P<label>`[^`\n]*`)|(?P<comment>#[^\n]*)|(?P<join>\\\n)|(?P<newline>\n)|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<wrong>\"{3}|'{3}|[\"'\\;`])",
    re.DOTALL,
)
_LAST = re.compile(r"[ \t\x0c]*(?:#[^\n]*)?(?:\n|\Z)")
"""What may follow the last character of a line."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_OF_ASSERTIONS = "|".join(dict.fromkeys(kind.partition(" ")[0] for kind in ASSERTION_KINDS))
# A line that begins like this in column 1 starts an item, even where a bracket above it is not closed.
_ITEM_START = re.compile(
    r"(?:(?:atomic|serial|parallel|oneof|fair(?:<\w+>)?|symmetric)\s+)*(?:action|func|role|def)\s+\w+\s*[:(]"
    rf"|(?:{_OF_ASSERTIONS})\s+(?:\w+\s+)?assertion\b|@state\b"
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to parse, with the line and column of its first character in the file."""

    file: str
    text: str
    line: int
    column: int = 1


class LineIndex:
    """The line starts of a piece: converts offsets in its text to spans in its file."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self._last = (
            0,
            0,
            0,
            0,
        )  # offsets of a line, its number in the file, and its first offset less its first column
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
        first, after, line, margin = self._last
        if not first <= start < after:  # most spans begin in the line of the one before
            index = bisect_right(self._starts, start) - 1
            first, line = self._starts[index], self.piece.line + index
            after = self._starts[index + 1] if index + 1 < len(self._starts) else len(self.piece.text) + 1
            margin = first - (self.piece.column if index == 0 else 1)
            self._last = first, after, line, margin
        if end < after:  # and end in it
            return Span(self.piece.file, line, start - margin, line, end - margin)
        return Span(self.piece.file, line, start - margin, *self.position(end))

    def error(self, code: str, text: str, start: int, end: int, hint: str | None = None) -> FizzError:
        return FizzError((Diagnostic(code, text, self.span(start, end), hint),))


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The YAML text and the number of its first line in the file."""

    text: str
    line: int


@dataclass(slots=True)
class TextLayout:
    front_matter: FrontMatter | None = None
    pieces: list[Piece] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


@dataclass(slots=True)
class _Line:
    """A logical line: code without comments, possibly over several physical lines."""

    number: int
    indentation: str
    code: str
    broken: bool

    @property
    def width(self) -> int:
        return len(self.indentation.expandtabs(TAB_WIDTH))


def lay_out(file: str, text: str) -> TextLayout:
    """The pieces of a file, and the mistakes in its lines; `text` has `\\n` line ends only."""
    layout = TextLayout()
    control = _CONTROL.search(text)
    if control:
        span = _span(file, text, control.start(), control.end())
        message = f"the file contains the control character U+{ord(control.group()):04X}"
        layout.diagnostics.append(Diagnostic("L1", message, span, "a model is a plain UTF-8 text file"))
        return layout
    body, first_line = _cut_front_matter(file, text, layout)
    lines = _logical_lines(file, body, first_line, layout)
    for group in _items(lines):
        _lay_out_item(file, group, layout)
    return layout


def expression_text(file: str, text: str) -> str:
    """A text that is one expression, without comments; raises FizzError if its brackets or quotes are wrong."""
    layout = lay_out(file, text) if _CONTROL.search(text) else TextLayout()
    lines = [] if layout.diagnostics else _logical_lines(file, text, 1, layout)
    if layout.diagnostics:
        raise FizzError((layout.diagnostics[0],))
    if len(lines) != 1:
        span = Span(file, lines[1].number, 1, lines[1].number, 2) if lines else Span(file, 1, 1, 1, 2)
        hint = "write it on one line" if lines else "write a value, as 2 or [1, 2]"
        raise FizzError((Diagnostic("L1", "expected one expression", span, hint),))
    return "\n" * (lines[0].number - 1) + lines[0].indentation + lines[0].code.lstrip()


def _span(file: str, text: str, start: int, end: int, first_line: int = 1) -> Span:
    line = text.count("\n", 0, start)
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return Span(file, first_line + line, column, first_line + line, column + end - start)


def _cut_front_matter(file: str, text: str, layout: TextLayout) -> tuple[str, int]:
    lines = text.split("\n")
    for index, line in enumerate(lines):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if not line.startswith("---"):
            return text, 1
        for closing in range(index + 1, len(lines)):
            if lines[closing].startswith("---"):
                layout.front_matter = FrontMatter("\n".join(lines[index + 1 : closing]), index + 2)
                return "\n".join(lines[closing + 1 :]), closing + 2
        span = Span(file, index + 1, 1, index + 1, len(line) + 1)
        layout.diagnostics.append(Diagnostic("L11", "front matter is never closed", span, "close it with a line `---`"))
        return "", len(lines)
    return text, 1


def _logical_lines(file: str, text: str, first_line: int, layout: TextLayout) -> list[_Line]:
    """Splits at line ends outside brackets and strings; comments are cut, brackets and quotes checked.

    A semicolon at the end of a line is cut as well: published models have them.
    """
    diagnostics = layout.diagnostics
    lines: list[_Line] = []
    parts: list[str] = []  # code of the line being collected
    brackets: list[int] = []
    copied = 0  # all before is in `parts`
    number = first_line
    start_number = first_line
    broken = False

    def report(code: str, message: str, start: int, end: int, hint: str | None = None) -> None:
        nonlocal broken
        if not broken and len(diagnostics) < MAX_MESSAGES:
            diagnostics.append(Diagnostic(code, message, _span(file, text, start, end, first_line), hint))
        broken = True

    def finish() -> None:
        nonlocal broken, parts
        code = "".join(parts)
        stripped = code.lstrip(" \t\x0c")
        if stripped:
            indentation = code[: len(code) - len(stripped)].replace("\x0c", "")
            lines.append(_Line(start_number, indentation, code.rstrip(), broken))
        parts, broken = [], False

    for match in _SCAN.finditer(text):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind == "newline":
            parts.append(text[copied:start])
            copied = end
            number += 1
            if brackets and _ITEM_START.match(text, end):
                opening = brackets[0]
                report("L1", f"'{text[opening]}' is never closed", opening, opening + 1)
                brackets.clear()
            if brackets:
                parts.append("\n")
            else:
                finish()
                start_number = number
        elif kind == "comment":
            parts.append(text[copied:start])
            copied = end
        elif kind == "join":
            parts.append(text[copied:start] + " \n")
            copied = end
            number += 1
        elif kind == "string":
            number += match.group().count("\n")
        elif kind == "open":
            brackets.append(start)
            if len(brackets) > MAX_BRACKETS:
                report("L1", f"brackets are nested more than {MAX_BRACKETS} deep", start, end, "split the expression")
        elif kind == "close":
            if not brackets:
                report("L1", f"unexpected '{match.group()}', no bracket is open here", start, end)
            else:
                opening = brackets.pop()
                if _PAIRS[text[opening]] != match.group():
                    wanted = _PAIRS[text[opening]]
                    report(
                        "L1",
                        f"unexpected '{match.group()}', expected '{wanted}'",
                        start,
                        end,
                        f"'{text[opening]}' was opened in line {first_line + text.count(chr(10), 0, opening)}",
                    )
        elif (
            match.group() == ";"
            and not brackets
            and _LAST.match(text, end)
            and "".join([*parts, text[copied:start]]).strip()
        ):
            parts.append(text[copied:start])
            copied = end
            span = _span(file, text, start, end, first_line)
            layout.warnings.append(Diagnostic("W18", "';' is not needed at the end of a line", span, "remove it"))
        elif kind == "wrong":
            _report_character(match.group(), text, start, report)
    parts.append(text[copied:])
    if brackets:
        report("L1", f"'{text[brackets[0]]}' is never closed", brackets[0], brackets[0] + 1)
    finish()
    return lines


def _report_character(character: str, text: str, start: int, report: object) -> None:
    assert callable(report)
    if character == ";":
        report("L6", "';' is not part of the language", start, start + 1, "write one statement per line")
    elif character == "\\":
        hint = "a backslash joins two lines only directly before the line end"
        report("L1", "unexpected '\\'", start, start + 1, hint)
    elif character == "`":
        report("L1", "label is never closed", start, start + 1, "a label stands in two backticks: `name`")
    else:
        report("L1", "string is never closed", start, start + len(character), f"close it with {character}")


def _items(lines: list[_Line]) -> list[list[_Line]]:
    """Groups of lines, one per top-level item; decorators belong to the role below them."""
    groups: list[list[_Line]] = []
    decorated = False
    for line in lines:
        if groups and (line.width > 0 or decorated):
            groups[-1].append(line)
        else:
            groups.append([line])
        decorated = line.width == 0 and line.code.startswith("@")
    return groups


def _lay_out_item(file: str, lines: list[_Line], layout: TextLayout) -> None:
    """Appends the item as a piece with markers, or reports a mistake in its indentation."""
    if any(line.broken for line in lines):
        return
    first = lines[0]
    if first.width > 0:
        span = Span(file, first.number, 1, first.number, len(first.indentation) + 1)
        layout.diagnostics.append(Diagnostic("L1", "unexpected indent", span, "top-level items start in column 1"))
        return
    if first.code.startswith("---"):
        span = Span(file, first.number, 1, first.number, len(first.code.split("\n")[0]) + 1)
        message = "front matter must come before everything but comments"
        layout.diagnostics.append(Diagnostic("L11", message, span, "move it to the top of the file"))
        return
    open_columns = [0]
    text: list[str] = []
    for index, line in enumerate(lines):
        text.append(line.code)
        following = lines[index + 1] if index + 1 < len(lines) else None
        width = following.width if following else 0
        markers = LINE_END
        if following and width > open_columns[-1]:
            if len(open_columns) > MAX_BLOCKS:
                span = Span(file, following.number, 1, following.number, len(following.indentation) + 1)
                message = f"blocks are nested more than {MAX_BLOCKS} deep"
                layout.diagnostics.append(Diagnostic("L1", message, span, "move the inner blocks into a func"))
                return
            open_columns.append(width)
            markers += INDENT
        columns = ", ".join(str(column + 1) for column in open_columns)
        while width < open_columns[-1]:
            open_columns.pop()
            markers += DEDENT
        if width != open_columns[-1] and following:
            span = Span(file, following.number, 1, following.number, len(following.indentation) + 1)
            hint = f"this line starts in column {width + 1}, the open blocks start in columns {columns}"
            layout.diagnostics.append(Diagnostic("L2", "inconsistent dedent", span, hint))
            return
        text.append(markers)
        if following:
            text.append("\n" * (following.number - line.number - line.code.count("\n")))
    layout.pieces.append(Piece(file, "".join(text), first.number))
