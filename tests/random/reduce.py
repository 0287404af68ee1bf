"""Making a program small that breaks a law: lines and whole blocks are left out while it goes on breaking it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress

Breaks = Callable[[str], bool]


def reduced(text: str, breaks: Breaks) -> str:
    """A smaller text for which `breaks` is still true."""
    lines = text.splitlines()
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(lines):
            if len("\n".join(smaller)) < len("\n".join(lines)) and _holds(breaks, smaller):
                lines, changed = smaller, True
                break
    return "\n".join(lines) + "\n"


def _holds(breaks: Breaks, lines: list[str]) -> bool:
    with suppress(Exception):
        return breaks("\n".join(lines) + "\n")
    return False


def _smaller(lines: list[str]) -> Iterator[list[str]]:
    """Texts with a block or line less, large parts first; then with an option less."""
    blocks = sorted(((_end(lines, i) - i, i) for i in range(len(lines))), reverse=True)
    for size, begin in blocks:
        yield [*lines[:begin], *lines[begin + size :]]
    for size, begin in blocks:
        if size > 1:
            body = [line[4:] for line in lines[begin + 1 : begin + size]]
            yield [*lines[:begin], *body, *lines[begin + size :]]
        yield [*lines[:begin], _bare(lines[begin]) + "pass", *lines[begin + size :]]
    for number, line in enumerate(lines):
        if line.startswith("{"):
            options = json.loads(line)
            for key in list(options):
                fewer = {name: value for name, value in options.items() if name != key}
                yield [*lines[:number], json.dumps(fewer), *lines[number + 1 :]]
            for key in list(options.get("options", ())):
                inner = {name: value for name, value in options["options"].items() if name != key}
                yield [*lines[:number], json.dumps({**options, "options": inner}), *lines[number + 1 :]]
        yield from ([*lines[:number], shorter, *lines[number + 1 :]] for shorter in _shorter(line))


def _shorter(line: str) -> Iterator[str]:
    """The line with the content of some brackets replaced by something simple, or without one word."""
    for begin, letter in enumerate(line):
        if letter in "([":
            end = _closing(line, begin)
            if end is not None:
                inner = line[begin + 1 : end]
                yield line[:begin] + inner + line[end + 1 :]
                for simple in ("", "0", "1", "True"):
                    yield line[:begin] + simple + line[end + 1 :]
                    yield line[: begin + 1] + simple + line[end:]
    words = line.split(" ")
    indent = len(line) - len(line.lstrip())
    for word in (" or ", " and ", " if ", " + ", " % ", " == ", " != ", " < ", ", ", " | "):
        if word in line:
            head, _, tail = line.partition(word)
            yield head
            yield " " * indent + tail
    for i, word in enumerate(words):
        if word in ("fair", "serial", "atomic", "parallel", "symmetric", "not", "fair<strong>", "fair<weak>"):
            yield " ".join([*words[:i], *words[i + 1 :]])


def _closing(line: str, begin: int) -> int | None:
    depth = 0
    for i in range(begin, len(line)):
        depth += (line[i] in "([{") - (line[i] in ")]}")
        if depth == 0:
            return i
    return None


def _bare(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _end(lines: list[str], begin: int) -> int:
    """Where the block of a line ends."""
    indent = len(_bare(lines[begin]))
    end = begin + 1
    while end < len(lines) and len(_bare(lines[end])) > indent:
        end += 1
    return end
