"""What is said of a case that ended: "ok", or the kind of its failure with a line of details."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from tests.hostile.case import Case
from tests.hostile.child import Ended

OK: Final = "ok"
CODES: Final = frozenset((0, 3, 11, 12, 13, 14, 75, 150, 151, 2, 74))
"""The exit codes that a case may end with: all but 70, a mistake of ours, and 130, since nobody interrupts it."""

BROKEN: Final = 1
"""What `fizzpy test` ends with, and nothing else, if a promise is broken."""

KINDS: Final = ("escape", "input changed", "killed", "memory", "hang", "traceback", "70", "exit code", "output unsafe")
"""The kinds of failures, the gravest first."""

_HARMLESS: Final = frozenset("\n\t")
_DIRECTIONS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Verdict(NamedTuple):
    """The kind, and what is known of the cause, in words that are the same for the same cause as far as can be."""

    kind: str
    cause: str = ""


def judge(case: Case, ended: Ended) -> Verdict:
    """The gravest of what is wrong with how a case ended."""
    text = ended.output.decode(case.encoding, errors="surrogateescape")
    if ended.caught:
        return Verdict("escape", ended.caught)
    if ended.changed:
        return Verdict("input changed", ", ".join(ended.changed))
    if ended.limit:
        return Verdict("memory" if ended.limit == "memory" else "hang", _last_line(text))
    if ended.signal:
        return Verdict("killed", f"signal {ended.signal}")
    if "Traceback (most recent call last)" in text:
        return Verdict("traceback", _where(text))
    if ended.code == 70:
        return Verdict("70", _where(ended.details) or _last_line(text))
    if ended.code not in (case.codes or CODES) and not (ended.code == BROKEN and case.arguments[0] == "test"):
        return Verdict("exit code", str(ended.code))
    unsafe = sorted({character for character in text if _unsafe(character)})
    if unsafe:
        return Verdict("output unsafe", " ".join(f"U+{ord(character):04X}" for character in unsafe))
    return Verdict(OK)


def _unsafe(character: str) -> bool:
    """Whether a terminal would obey a character rather than show it."""
    if character in _HARMLESS:
        return False
    return unicodedata.category(character) in ("Cc", "Cs") or character in _DIRECTIONS


def _where(details: str) -> str:
    """The last line of a traceback, and the place it came from."""
    places = re.findall(r'File "[^"]*?([^/"]+)", line (\d+), in (\S+)', details)
    lines = [line for line in details.splitlines() if line.strip()]
    if not places or not lines:
        return ""
    name, number, function = places[-1]
    return f"{lines[-1][:120]} at {name}:{number} in {function}"


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""
