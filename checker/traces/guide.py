"""The text of a guided trace (language page, 13), parsed into links: step names, each with its choices.

    # comment
    Init
    Any:x=1          the next choice of the step above; here of Init
    Act              an action starts
    thread-0         a thread continues
    crash            the step above is its crash twin
    crash-role Node#0
    checkpoint       ignored, as are labels in brackets

A line may also hold a full name, `Act[Any:x=1] crash`. Two words in brackets have a meaning: `[explicit]` says that
every step is listed, even if no other line shows that, and `[unbounded]` that the bound on starts does not apply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from checker.core.problems import UsageProblem
from checker.storage.user_paths import read_user_file

_CHOICE = re.compile(r"(Any|Stmt|For):")
_EXPLICIT = re.compile(r"thread-\d|crash-role\s|(.* )?crash$")
_BLANKS = " \t\r\ufeff"
_MOST_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class GuideLine:
    """A line with its location, without blanks and comment."""

    file: str
    number: int
    text: str

    def problem(self, text: str, hint: str | None = None) -> UsageProblem:
        """A problem with the line."""
        return UsageProblem(f"{self.file}:{self.number}: {text}", hint)


@dataclass(slots=True)
class Link:
    """A step's name, the choices below it, and the line `crash` if there is one."""

    head: GuideLine
    choices: list[GuideLine] = field(default_factory=list)
    crash: GuideLine | None = None


@dataclass(slots=True)
class Guide:
    """The links of a guided trace. `init` are the choices of Init; `explicit`: every step is listed."""

    init: Link
    links: list[Link] = field(default_factory=list)
    explicit: bool = False
    unbounded: bool = False


def read_guide(path: str) -> Guide:
    """The guide in a file. Raises `UsageProblem`."""
    text = read_user_file(path, "a guided trace", _MOST_BYTES)
    return parse_guide(text, path)


def parse_guide(text: str, file: str) -> Guide:
    """The guide in a text. Raises `UsageProblem`."""
    guide = Guide(Link(GuideLine(file, 1, "Init")))
    last = guide.init
    for number, row in enumerate(text.split("\n"), start=1):
        line = GuideLine(file, number, _without_comment(row))
        guide.explicit |= _EXPLICIT.match(line.text) is not None
        if not line.text or line.text == "checkpoint":
            continue
        if line.text.startswith("["):
            guide.explicit |= line.text == "[explicit]"
            guide.unbounded |= line.text == "[unbounded]"
        elif line.text == "crash":
            if last is guide.init:
                raise line.problem("there is no step above that could crash")
            if last.crash is not None:
                raise line.problem("the step above crashes already")
            last.crash = line
        elif _CHOICE.match(line.text):
            last.choices.append(line)
        elif line.text.startswith("Init["):
            guide.init.head = line
        elif line.text != "Init" and not line.text.endswith(".Init"):
            last = Link(line)
            guide.links.append(last)
    return guide


def _without_comment(row: str) -> str:
    """The row without surrounding blanks and comment, which is a `#` at the start or after a blank, in no string."""
    row = row.strip(_BLANKS)
    quoted = escaped = False
    for position, character in enumerate(row):
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == "#" and not quoted and (position == 0 or row[position - 1] in _BLANKS):
            return row[:position].rstrip(_BLANKS)
    return row
