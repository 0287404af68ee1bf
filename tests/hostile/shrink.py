"""The smallest case that fails as a given one does: by leaving out, as long as the failure stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.hostile.case import Case

Fails = Callable[[Case], bool]


def shrunk(case: Case, fails: Fails, most: int) -> Case:
    """A case that still fails, after `most` attempts at something smaller."""
    left = most

    def still(other: Case) -> bool:
        nonlocal left
        left -= 1
        return fails(other)

    smaller = True
    while smaller and left > 0:
        smaller = False
        for other in _smaller(case):
            if left <= 0:
                break
            if other.size < case.size and still(other):
                case, smaller = other, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with something left out, the boldest first."""
    words = case.arguments
    if case.words is not None:
        for i in range(case.words, len(words)):
            for length in (2, 1):
                yield replace(case, arguments=words[:i] + words[i + length :])
            yield replace(case, arguments=(*words[:i], words[i][: len(words[i]) // 2], *words[i + 1 :]))
    for name in case.hostile:
        content = case.files[name]
        if not isinstance(content, bytes):
            continue
        yield replace(
            case, files={k: v for k, v in case.files.items() if k != name}, hostile=_without(case.hostile, name)
        )
        for data in (*_shorter(content, b"\n"), *_shorter(content, b"")):
            yield case.with_file(name, data)


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)


def _shorter(data: bytes, joint: bytes) -> Iterator[bytes]:
    """Data with a half, a quarter, ... of its pieces left out: lines, or bytes."""
    pieces: list[bytes] = data.split(joint) if joint else [data[i : i + 1] for i in range(len(data))]
    size = len(pieces) // 2
    while size:
        for begin in range(0, len(pieces), size):
            yield joint.join(pieces[:begin] + pieces[begin + size :])
        # Nobody waits until every single byte of something long was left out.
        size = size // 2 if len(pieces) // size < 64 else 0
