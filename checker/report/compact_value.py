"""Display texts of values in brief, for people: `(key=key2, offset=0)`; the full report has them to the letter."""

from __future__ import annotations

import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.?)*+"?|\b(?:struct|record)\(| = ', re.DOTALL)
# Texts that are read as they are meant without their quotation marks.
_WORD = re.compile(r'"[^\W\d][\w-]*"')
_NO_WORDS = frozenset(('"True"', '"False"', '"None"'))


def brief(text: str) -> str:
    """The text of a value without `struct`, blanks around `=`, and quotation marks around words."""
    return _TOKEN.sub(_briefer, text)


def _briefer(token: re.Match[str]) -> str:
    found = token[0]
    if found == " = ":
        return "="
    if not found.startswith('"'):
        return "("
    return found[1:-1] if _WORD.fullmatch(found) and found not in _NO_WORDS else found
