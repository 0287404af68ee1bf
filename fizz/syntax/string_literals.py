"""String literals: prefixes, escapes, adjacent strings, the parts of f-strings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NoReturn

from fizz.base.light import dataclass
from fizz.syntax.layout import LineIndex

_STRING = re.compile(r"""([a-zA-Z]{0,2})(\"{3}|'{3}|\"|')""")  # the end is found by the quote
_ESCAPE = re.compile(
    r"\\(\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[xuUN]|.)", re.DOTALL
)
_SIMPLE = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_PREFIXES = {"", "r", "b", "br", "rb", "f"}
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class FStringField:
    """`{source!conversion:spec}` in an f-string; the source is at `offset` of the piece."""

    source: str
    offset: int
    conversion: str
    spec: str | None
    start: int
    end: int


Part = str | bytes | FStringField


def read_strings(lines: LineIndex, start: int, end: int) -> tuple[list[Part], bool]:
    """The parts of adjacent string literals between two offsets, and whether one of them is an f-string."""
    text = lines.piece.text
    parts: list[Part] = []
    formatted = False
    position = start
    kinds: set[type] = set()
    while position < end:
        match = _STRING.match(text, position)
        if match is None:  # blanks between two strings
            position += 1
            continue
        prefix, quote = match.group(1).lower(), match.group(2)
        body = match.end()
        close = _closing_quote(text, body, quote)
        if prefix not in _PREFIXES:
            hint = "the prefixes are r, b, br and f"
            raise lines.error("L1", f"unknown string prefix '{match.group(1)}'", position, body, hint)
        kinds.add(bytes if "b" in prefix else str)
        if len(kinds) > 1:
            raise lines.error("L1", "bytes and strings can not be joined", position, close + len(quote))
        reader = _Reader(lines, body, close, raw="r" in prefix)
        if prefix == "f":
            formatted = True
            parts.extend(reader.fields())
        elif "b" in prefix:
            parts.append(reader.encoded())
        else:
            parts.append(reader.decoded(body, close))
        position = close + len(quote)
    return parts, formatted


def _closing_quote(text: str, position: int, quote: str) -> int:
    while not text.startswith(quote, position):
        position += 2 if text[position] == "\\" else 1
    return position


class _Reader:
    """The body of one literal, between two offsets of the piece."""

    def __init__(self, lines: LineIndex, start: int, end: int, raw: bool) -> None:
        self.lines = lines
        self.text = lines.piece.text
        self.start, self.end = start, end
        self.raw = raw

    def error(self, text: str, start: int, end: int, hint: str | None = None) -> NoReturn:
        raise self.lines.error("L1", text, start, end, hint)

    def decoded(self, start: int, end: int, is_bytes: bool = False) -> str:
        """The characters between two offsets; for bytes each character has the number of the byte."""
        body = self.text[start:end]
        if self.raw or "\\" not in body:
            return body

        def replace(match: re.Match[str]) -> str:
            code = match.group(1)
            if code in _SIMPLE:
                return _SIMPLE[code]
            if code[0] in "01234567":
                return chr(int(code, 8) & (0xFF if is_bytes else 0x1FF))
            if is_bytes and code[0] in "uUN":
                return match.group()
            if code in ("x", "u", "U", "N"):
                digits = {"x": "two", "u": "four", "U": "eight"}.get(code)
                wanted = f"{digits} hexadecimal digits" if digits else "a name in braces"
                at = start + match.start()
                self.error(f"incomplete escape '\\{code}'", at, at + 2, f"\\{code} is followed by {wanted}")
            if code[0] in "xuU" and len(code) > 1:
                number = int(code[1:], 16)
                if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
                    at = start + match.start()
                    self.error(f"'\\{code}' is no character", at, at + len(match.group()))
                return chr(number)
            if code.startswith("N{"):
                try:
                    return unicodedata.lookup(code[2:-1])
                except KeyError:
                    at = start + match.start()
                    self.error(f"unknown character name '{code[2:-1]}'", at, at + len(match.group()))
            return match.group()  # as in Python: an unknown escape stays as it is

        return _ESCAPE.sub(replace, body)

    def encoded(self) -> bytes:
        for offset in range(self.start, self.end):
            if ord(self.text[offset]) > 127:
                self.error("bytes hold ASCII characters only", offset, offset + 1, "write other bytes as \\x41")
        return self.decoded(self.start, self.end, is_bytes=True).encode("latin-1")

    def fields(self) -> Iterator[Part]:
        """The parts of an f-string in order."""
        position = self.start
        literal = position
        while position < self.end:
            character = self.text[position]
            if character == "\\":
                position += 1 if self.text[position + 1] in "{}" else 2
                if self.text.startswith("N{", position - 1):
                    position = self.text.find("}", position) + 1 or self.end
            elif self.text[position : position + 2] in ("{{", "}}"):
                yield self.decoded(literal, position + 1)
                position = literal = position + 2
            elif character == "{":
                yield self.decoded(literal, position)
                field = self._field(position)
                yield field
                position = literal = field.end
            elif character == "}":
                self.error("unexpected '}' in an f-string", position, position + 1, "write `}}` for the character")
            else:
                position += 1
        yield self.decoded(literal, self.end)

    def _field(self, start: int) -> FStringField:
        source_end = self._expression_end(start + 1)
        source = self.text[start + 1 : source_end]
        if not source.strip():
            self.error("empty braces in an f-string", start, source_end + 1, "write `{{}}` for the characters")
        if source.rstrip().endswith("="):
            self.error("'{e=}' is not supported", start, source_end + 1, 'write the name yourself: f"x={x}"')
        position = source_end
        conversion, spec = "", None
        if self.text[position] == "!":
            conversion = self.text[position + 1 : position + 2]
            if conversion != "r":
                hint = "the conversion is !r; `{e}` is str(e)"
                self.error(f"unknown conversion '!{conversion}'", position, position + 2, hint)
            position += 2
        if self.text[position] == ":":
            close = self.text.find("}", position, self.end)
            nested = self.text.find("{", position, self.end)
            if close < 0 or 0 <= nested < close:
                at = max(nested, position)
                self.error("a format spec holds no braces", at, at + 1, "the spec is a fixed text")
            spec = self.decoded(position + 1, close)
            position = close
        if position >= self.end or self.text[position] != "}":
            self.error("'{' is never closed in the f-string", start, start + 1, "write `{{` for the character")
        return FStringField(source, start + 1, conversion, spec, start, position + 1)

    def _expression_end(self, position: int) -> int:
        """The offset of the `!r`, `:` or `}` behind an expression, outside its brackets and strings."""
        start = position
        depth = 0
        while position < self.end:
            character = self.text[position]
            if character in "'\"":
                close = self.text.find(character, position + 1, self.end)
                position = close if close >= 0 else self.end
            elif character in _OPENING:
                depth += 1
            elif character in _CLOSING and depth:
                depth -= 1
            elif depth == 0 and (character in ":}" or (character == "!" and self.text[position + 1] != "=")):
                return position
            elif character == "\\":
                self.error("no backslash inside the braces of an f-string", position, position + 1)
            position += 1
        return self.error("'{' is never closed in the f-string", start - 1, start, "write `{{` for the character")
