"""EDN, the notation of Jepsen's histories: a reader of one form after the other, with the lines where they begin.

Keywords and symbols become texts (keywords without the colon), vectors and lists become lists, sets sorted lists; tags
are ignored and their values kept, so that a record is a map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_TOKEN: Final = re.compile(
    r"""(?P<skip>[\s,]+|;[^\n]*)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<open>\#\{|[\[({])
    | (?P<close>[\])}])
    | (?P<discard>\#_)
    | (?P<tag>\#[^\s,\[\](){}"]+)
    | (?P<atom>[^\s,\[\](){}";]+)""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER: Final = re.compile(r"[+-]?\d+N?|[+-]?\d+(\.\d*)?([eE][+-]?\d+)?M?")
_PLAIN: Final = {"nil": None, "true": True, "false": False}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIRS: Final = {"[": "]", "(": ")", "{": "}", "#{": "}"}
_DEEPEST: Final = 100
_MOST_DIGITS: Final = 1_000


class EdnError(Exception):
    """A text that is no EDN: why, and in which line, counted from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def forms(text: str) -> Iterator[tuple[int, Any]]:
    """Each form of a text at top level, with the line where it begins. Raises `EdnError`."""
    reader = _Reader(text)
    while (token := reader.next_token()) is not None:
        line = reader.line
        value = reader.form(token, 0)
        if value is not _DISCARDED:
            yield line, value


def members(text: str) -> Iterator[tuple[int, Any]]:
    """As `forms`; of a text that is one vector, its members."""
    reader = _Reader(text)
    token = reader.next_token()
    if token is None or token[1] not in ("[", "("):
        yield from forms(text)
        return
    while True:
        inside = reader.expected(repr(_PAIRS[token[1]]))
        if inside[0] == "close":
            break
        line = reader.line
        value = reader.form(inside, 1)
        if value is not _DISCARDED:
            yield line, value
    rest = reader.next_token()
    if rest is not None:
        raise EdnError("something follows the vector of all operations", reader.line)


_DISCARDED: Final = object()
_Token = tuple[str, str]


class _Reader:
    """The tokens of a text. `line`: where the last one begins."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counted = 0
        self.line = 1

    def next_token(self) -> _Token | None:
        """The next token that is no blank or comment, None at the end."""
        while self._at < len(self._text):
            match = _TOKEN.match(self._text, self._at)
            if match is None:
                self._count(self._at)
                raise EdnError(f"unexpected {self._text[self._at : self._at + 10]!r}", self.line)
            begin, self._at = self._at, match.end()
            kind = str(match.lastgroup)
            if kind != "skip":
                self._count(begin)
                return kind, match.group()
        return None

    def _count(self, at: int) -> None:
        self.line += self._text.count("\n", self._counted, at)
        self._counted = at

    def expected(self, what: str) -> _Token:
        """The next token, where there must be one."""
        token = self.next_token()
        if token is None:
            raise EdnError(f"the text ends before {what}", self.line)
        return token

    def form(self, token: _Token, depth: int) -> Any:
        """The value that begins with a token."""
        if depth > _DEEPEST:
            raise EdnError(f"nested more than {_DEEPEST} levels deep", self.line)
        kind, text = token
        match kind:
            case "string":
                return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1], flags=re.DOTALL)
            case "open":
                return self._inside(text, depth)
            case "discard":
                self.form(self.expected("a form"), depth + 1)
                return _DISCARDED
            case "tag":
                return self.form(self.expected("a form"), depth + 1)
            case "atom":
                return self._atom(text)
        raise EdnError(f"unexpected {text!r}", self.line)

    def _inside(self, opening: str, depth: int) -> Any:
        closing = _PAIRS[opening]
        found: list[Any] = []
        while (token := self.expected(repr(closing)))[0] != "close":
            value = self.form(token, depth + 1)
            if value is not _DISCARDED:
                found.append(value)
        if token[1] != closing:
            raise EdnError(f"{token[1]!r} where {closing!r} is expected", self.line)
        if opening == "{":
            if len(found) % 2:
                raise EdnError("a map with a key that has no value", self.line)
            pairs = {_key(key): value for key, value in zip(found[::2], found[1::2], strict=True)}
            if 2 * len(pairs) < len(found):
                raise EdnError("a map with a key that is given twice", self.line)
            return pairs
        return sorted(found, key=repr) if opening == "#{" else found

    def _atom(self, text: str) -> Any:
        if text in _PLAIN:
            return _PLAIN[text]
        if text.startswith(":"):
            return text[1:]
        if text[0] in "+-0123456789" and _NUMBER.fullmatch(text):
            if len(text) > _MOST_DIGITS:
                raise EdnError(f"a number of more than {_MOST_DIGITS:,} digits", self.line)
            number = text.rstrip("NM")
            return float(number) if any(mark in number for mark in ".eE") or text.endswith("M") else int(number)
        return text


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
