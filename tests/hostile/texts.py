"""Texts to begin with, and ways to spoil them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.random.programs import program
from tests.random.source import Source

ROOT: Final = Path(__file__).resolve().parents[2]
LARGEST: Final = 5_000
"""Models beyond that take long to parse, and spoil as others do."""

_TOKEN = re.compile(r"\n[ \t]*|\w+|\"[^\"\n]*\"|'[^'\n]*'|[ \t]+|[^\w\s]{1,2}?")

WORDS: Final = (
    "action", "atomic", "serial", "parallel", "oneof", "func", "role", "always", "eventually", "exists", "transition",
    "assertion", "fair", "strong", "require", "if", "else", "elif", "for", "while", "in", "not", "and", "or", "return",
    "break", "continue", "pass", "lambda", "def", "self", "Init", "any", "yield", "import", "load", "before", "after",
    "call", "next_states", "fork", "None", "True", "False", "symmetric", "record", "struct", "enum", "set", "bag",
    "dict",
    "print", "fail", "assert", "del", "global", "try", "with", "is", "@state(ephemeral=[\"x\"])", "`label`", "f\"{x}\"",
    "0", "1", "-1", "9" * 400, "1e999", "0x", "0b2", "1_0", "''", "''''", '"""', "b''", "\\", ":", ";", ",", "(", ")",
    "[", "]", "{", "}", "=", "==", "+=", "->", "**", "//", "<<", "@", "#", "$", "?", "!", "~", "`", "\t", "\r", "\n",
    "\n    ", "---", "...", "__class__", ".__class__", "\x00", "\x1b[31m", "\u202e", "\ufeff", "\u00e9", "\u2028", "x",
)  # fmt: skip


@cache
def models() -> tuple[str, ...]:
    """The models of the repository and the examples of its documents that are not too long."""
    files = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "models").rglob("*.fizz"))]
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))]
    fenced = [
        text for page in pages for text in re.findall(r"^```fizz[^\n]*\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    ]
    return tuple(text for text in (*files, *fenced) if len(text) <= LARGEST)


def model(chance: random.Random) -> str:
    """A model that is well-formed: one that somebody wrote, or a random one."""
    if chance.random() < 0.6:
        return chance.choice(models())
    return program(Source(chance.randint))


def tokens(text: str) -> list[str]:
    """The pieces of a text; together they are the text."""
    return _TOKEN.findall(text)


def spoiled_tokens(text: str, chance: random.Random) -> str:
    """A text with a few of its tokens left out, doubled, exchanged or replaced, or cut off."""
    pieces = tokens(text)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        if pieces:
            chance.choice(_WAYS)(pieces, chance)
    return "".join(pieces)


def _leave_out(pieces: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(pieces))
    del pieces[at : at + chance.choice((1, 1, 2, 5))]


def _double(pieces: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(pieces))
    end = at + chance.choice((1, 1, 3, 20))
    pieces[at:at] = pieces[at:end]


def _exchange(pieces: list[str], chance: random.Random) -> None:
    i, j = chance.randrange(len(pieces)), chance.randrange(len(pieces))
    pieces[i], pieces[j] = pieces[j], pieces[i]


def _replace(pieces: list[str], chance: random.Random) -> None:
    pieces[chance.randrange(len(pieces))] = _word(pieces, chance)


def _insert(pieces: list[str], chance: random.Random) -> None:
    pieces.insert(chance.randrange(len(pieces)), _word(pieces, chance))


def _cut(pieces: list[str], chance: random.Random) -> None:
    del pieces[chance.randrange(len(pieces)) :]


def _splice(pieces: list[str], chance: random.Random) -> None:
    other = tokens(chance.choice(models()))
    at = chance.randrange(len(other))
    pieces[chance.randrange(len(pieces)) :] = other[at : at + chance.choice((5, 50, 500))]


def _word(pieces: Sequence[str], chance: random.Random) -> str:
    return chance.choice(pieces) if chance.random() < 0.4 else chance.choice(WORDS)


_WAYS: Final[tuple[Callable[[list[str], random.Random], None], ...]] = (
    _leave_out, _leave_out, _double, _exchange, _replace, _replace, _insert, _insert, _cut, _splice,
)  # fmt: skip


def spoiled_bytes(data: bytes, chance: random.Random, most: int = 6) -> bytes:
    """Bytes with some of them changed, left out, doubled or put in, or cut off."""
    found = bytearray(data)
    for _ in range(chance.randint(1, most)):
        at = chance.randrange(len(found) + 1)
        match chance.randrange(6):
            case 0 if found:
                found[at % len(found)] ^= 1 << chance.randrange(8)
            case 1 if found:
                found[at % len(found)] = chance.randrange(256)
            case 2:
                del found[at : at + chance.choice((1, 1, 4, 64))]
            case 3:
                found[at:at] = found[at : at + chance.choice((1, 8, 200))]
            case 4:
                found[at:at] = chance.randbytes(chance.choice((1, 2, 8, 64)))
            case 5 if chance.random() < 0.2:
                del found[at:]
    return bytes(found)
