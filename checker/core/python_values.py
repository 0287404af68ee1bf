"""Display texts of values (language page, 5.5) as values of Python, for scripts and notebooks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Final

_TOKEN = re.compile(
    r"""\s*(?P<token>b?"(?:[^"\\]|\\.)*"|-?(?:\d[\w.]*(?:[eE][+-]?\d+)?|inf\b|nan\b)|"""
    r"""[^\W\d][\w#.]*| = |[()\[\]{},:])""",
    re.DOTALL,
)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_WORDS: Final = {"None": None, "True": True, "False": False, "inf": float("inf"), "nan": float("nan")}
_DEEPEST: Final = 200


class ModelName(str):
    """What is known by its name: an instance `Node#0`, a model value, a symmetric value `k1`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def python_value(text: str) -> object:
    """The value that a display text shows; a text that shows none, as that of a channel, is returned as `ModelName`.

    Structs and records are dicts, bags are `Counter`s; what Python can not hash stands in lists instead of sets.
    """
    reader = _Reader(text)
    try:
        value = reader.value(0)
    except _Unreadable:
        return ModelName(text)
    return value if reader.rest.strip() == "" else ModelName(text)


class _Unreadable(Exception):
    """The text is not of the form that the language page prescribes."""


class _Reader:
    """Reads one value from the beginning of a text."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0

    @property
    def rest(self) -> str:
        return self.text[self.position :]

    def value(self, depth: int) -> object:
        """The next value."""
        if depth > _DEEPEST:
            raise _Unreadable
        begin = self.position
        token = self._next()
        if token in ("[", "{"):
            return self._bracket(token, depth)
        if token == "(":
            return tuple(self._items(")", depth))
        if token.startswith('"'):
            return self._string(token)
        if token.startswith('b"'):
            return token[2:-1].encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace")
        if token in _WORDS:
            return _WORDS[token]
        if token[0].isdigit() or token[0] == "-":
            return _number(token)
        if self._peek() == "(":
            return self._call(token, begin, depth)
        return ModelName(token)

    def _call(self, name: str, begin: int, depth: int) -> object:
        """`set([1, 2])`, `struct(a = 1)` and so on."""
        self._next()
        if name in ("struct", "record"):
            return dict(self._fields(depth))
        arguments = list(self._items(")", depth))
        numbers = [one for one in arguments if isinstance(one, int)]
        if name == "range" and numbers == arguments and 1 < len(numbers) < 4:
            return range(*numbers)
        make = _CONTAINERS.get(name)
        if make is None or len(arguments) != 1:
            return ModelName(self.text[begin : self.position].strip())
        return make(arguments[0])

    def _bracket(self, opening: str, depth: int) -> object:
        if opening == "[":
            return list(self._items("]", depth))
        pairs = []
        while not self._closes("}"):
            key = self.value(depth + 1)
            self._expect(":")
            pairs.append((key, self.value(depth + 1)))
            self._comma("}")
        return dict(pairs) if all(_hashable(key) for key, _ in pairs) else pairs

    def _items(self, closing: str, depth: int) -> Iterable[object]:
        while not self._closes(closing):
            yield self.value(depth + 1)
            self._comma(closing)

    def _fields(self, depth: int) -> Iterable[tuple[str, object]]:
        while not self._closes(")"):
            name = self._next()
            self._expect(" = ")
            yield name, self.value(depth + 1)
            self._comma(")")

    def _string(self, token: str) -> str:
        try:
            return str(json.loads(token, strict=False))
        except ValueError:
            raise _Unreadable from None

    def _next(self) -> str:
        found = _TOKEN.match(self.text, self.position)
        if found is None:
            raise _Unreadable
        self.position = found.end()
        return found["token"]

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _closes(self, closing: str) -> bool:
        begin = self.position
        if self._next() == closing:
            return True
        self.position = begin
        return False

    def _comma(self, closing: str) -> None:
        begin = self.position
        token = self._next()
        if token == closing:
            self.position = begin
        elif token != ",":
            raise _Unreadable

    def _expect(self, wanted: str) -> None:
        if self._next() != wanted:
            raise _Unreadable


def _number(token: str) -> object:
    try:
        return int(token)
    except ValueError:
        try:
            return float(token)
        except ValueError:
            raise _Unreadable from None


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return isinstance(value, Hashable)


def _set(members: object) -> object:
    return frozenset(members) if isinstance(members, list) and all(map(_hashable, members)) else members


def _bag(members: object) -> object:
    return Counter(members) if isinstance(members, list) and all(map(_hashable, members)) else members


_CONTAINERS: Final[dict[str, Callable[[object], object]]] = {
    "set": _set,
    "genericset": _set,
    "bag": _bag,
    "genericmap": lambda pairs: pairs,
}
