"""Waiting threads and messages as composite values, and their encodings (language page, 5.6)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from interpreter.values.tags import SHAPES, Tag


class Position(NamedTuple):
    """One scope of a parked frame: its number in the routine, index (`at`) and started statements as in `ScopeState`,
    and the number of elements that a `for` loop has left."""

    scope: int
    at: int = 0
    started: tuple[int, ...] = ()
    rest: int = 0


class FrameShape(NamedTuple):
    """The part of a frame that is not values. `path` and the JSON of scopes follow from `positions`."""

    routine: str
    number: int
    names: tuple[str, ...]
    path: str
    positions: tuple[Position, ...]
    loops: tuple[bool, ...]


SHAPES[Tag.FRAME] = FrameShape
SHAPES[Tag.MESSAGE] = tuple[int, str, str, tuple[str, ...]]


@cache
def _quoted(name: str) -> str:
    """A name of the program, in JSON."""
    return json.dumps(name, ensure_ascii=False)


def frame_json(shape: FrameShape, children: Iterable[str]) -> str:
    """The encoding of a frame from the encodings of its children."""
    texts = iter(children)
    instance = next(texts)
    variables = ",".join(f"{_quoted(name)}:{next(texts)}" for name in shape.names)
    scopes = []
    for position, loop in zip(shape.positions, shape.loops, strict=True):
        if loop:
            scopes.append("[" + ",".join(next(texts) for _ in range(position.rest)) + "]")
        elif position.started:
            scopes.append("[" + ",".join(str(i) for i in position.started) + "]")
        else:
            scopes.append("null")
    name = _quoted(shape.routine)
    return f'[{name},{instance},"{shape.path}",{{{variables}}},[{",".join(scopes)}]]'


def thread_json(children: Iterable[str]) -> str:
    """The encoding of a thread from the encodings of its frames, outermost first."""
    return "[" + ",".join(children) + "]"


def composite_json(tag: Tag, extra: object, children: Iterable[str]) -> str:
    """The encoding of a frame, thread or message from its children's encodings."""
    if tag is Tag.FRAME:
        assert isinstance(extra, FrameShape)
        return frame_json(extra, children)
    if tag is Tag.THREAD:
        return thread_json(children)
    return message_json(extra, children)


def message_json(extra: object, children: Iterable[str]) -> str:
    """The encoding of a message: `extra` is (channel number, channel name, function, argument names)."""
    assert isinstance(extra, tuple)
    texts = iter(children)
    receiver = next(texts)
    arguments = ",".join(f"{_quoted(name)}:{next(texts)}" for name in extra[3])
    return f"[{extra[0]},{receiver},{_quoted(extra[2])},{{{arguments}}}]"
