"""Checkpoints changed with knowledge of the format: any part of a file, with all checksums made right again.

Written from docs/checkpoints.md, and not with what writes checkpoints. Files are bytes by name here, so that nothing
need be on a disk.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fizz.base.data import NotData, bundle, deflate, inflate, unbundle

MAGIC: Final = b"fizzpy-1"
_HEAD: Final = struct.Struct("<8sII")
_PART: Final = struct.Struct("<QI")
Change = Callable[[bytes, random.Random], bytes]


# --- files of parts --------------------------------------------------------------------------------------------------


def parts_of(data: bytes) -> list[bytes]:
    """The parts of a file. Raises `ValueError` if it is no file of parts."""
    lengths = [length for length, _ in _PART.iter_unpack(_index(data))]
    begin = _HEAD.size + len(lengths) * _PART.size
    if begin + sum(lengths) != len(data):
        raise ValueError("parts of other lengths")
    found: list[bytes] = []
    for length in lengths:
        found.append(data[begin : begin + length])
        begin += length
    return found


def file_of(parts: list[bytes]) -> bytes:
    """A file of these parts, whose checksums are right."""
    index = b"".join(_PART.pack(len(part), zlib.crc32(part)) for part in parts)
    return _HEAD.pack(MAGIC, len(parts), zlib.crc32(index)) + index + b"".join(parts)


def _index(data: bytes) -> bytes:
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise ValueError("no file of parts")
    count = _HEAD.unpack_from(data)[1]
    index = data[_HEAD.size :][: count * _PART.size]
    if len(index) != count * _PART.size:
        raise ValueError("an index that is cut off")
    return index


# --- manifests -------------------------------------------------------------------------------------------------------


def content_of(manifest: bytes) -> dict[str, Any]:
    """What a manifest says. Raises `ValueError` if it is none."""
    content = json.loads(manifest)
    if not isinstance(content, dict):
        raise ValueError("no manifest")
    return content


def manifest_of(content: Mapping[str, Any]) -> bytes:
    """A manifest that says this, and whose checksum is right."""
    rest = {name: value for name, value in content.items() if name != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    return json.dumps({**rest, "sha256": digest}).encode()


def is_manifest(name: str) -> bool:
    """Whether a file of this name is a manifest."""
    return name.startswith("checkpoint-") and name.endswith(".json")


def seal(name: str, data: bytes) -> str:
    """What a manifest says of a file: a digest of its name and index."""
    return hashlib.sha256(name.encode() + b"\0" + _index(data)).hexdigest()[:32]


def sealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files, with manifests that speak of them as they are, as far as they can."""
    found = dict(files)
    for manifest in filter(is_manifest, files):
        with suppress(ValueError):
            content = content_of(files[manifest])
            named = content.get("files")
            for name in named if isinstance(named, dict) else ():
                with suppress(ValueError, KeyError, UnicodeError):
                    named[name] = seal(name, files[name])
            found[manifest] = manifest_of(content)
    return found


# --- in a folder -----------------------------------------------------------------------------------------------------


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def seal_again(folder: Path) -> None:
    """Let all manifests of a folder speak of its files as they are."""
    for name, data in sealed(files_in(folder)).items():
        (folder / name).write_bytes(data)


# --- changes in any depth --------------------------------------------------------------------------------------------


def changed(data: bytes, chance: random.Random, change: Change) -> bytes:
    """The bytes with a change, inside of what is deflated or bundled more often than not."""
    if chance.random() < 0.9:
        with suppress(NotData):
            if data[:1] == b"\1":
                return deflate(changed(inflate(data), chance, change))
        with suppress(NotData):
            pieces = unbundle(data)
            if pieces:
                index = chance.randrange(len(pieces))
                pieces[index] = changed(pieces[index], chance, change)
                return bundle(pieces)
    return change(data, chance)


def strange_bytes(data: bytes, chance: random.Random) -> bytes:
    """The bytes with some of them other ones, left out or doubled."""
    found = bytearray(data or b"?")
    begin = chance.randrange(len(found))
    match chance.randrange(5):
        case 0:
            found[begin] ^= 1 << chance.randrange(8)
        case 1:
            found[begin] = chance.choice(b'\0\xff[]{}"0123456789,-e.')
        case 2:
            del found[begin : begin + chance.choice((1, 4, 8))]
        case 3:
            found[begin:begin] = found[begin : begin + chance.choice((1, 4, 8))]
        case _:
            found[begin : begin + 4] = b"\xff\xff\xff\xff"
    return bytes(found)


def strange_numbers(data: bytes, chance: random.Random) -> bytes:
    """The bytes as a column of numbers: one of them beyond the table, before it, its own index; or another column.

    So there are cycles of parents, indexes and targets out of range, and columns of wrong lengths and widths.
    """
    width = chance.choice((1, 4, 4, 8, 8, 8, 16))
    count = len(data) // width
    if not count:
        return chance.choice((b"", b"\0" * width, b"\xff" * 64))
    column = [data[i * width : (i + 1) * width] for i in range(count)]
    at = chance.randrange(count)
    last = (1 << 8 * width) - 1
    match chance.randrange(8):
        case 0 | 1 | 2:
            number = chance.choice((0, 1, at, at + 1, count - 1, count, count + 1, last, last - 1, last >> 1, 1 << 31))
            column[at] = (number & last).to_bytes(width, "little")
        case 3:
            other = chance.randrange(count)
            column[at], column[other] = column[other], column[at]
        case 4:
            column[at] = column[chance.randrange(count)]
        case 5:
            column.reverse()
        case 6:
            column[at : at + 1] = chance.choice(([], [column[at]] * 2, column[at:]))
        case _:
            # The same numbers in half or twice the width.
            other_width = chance.choice((max(1, width // 2), width * 2))
            kept = (1 << 8 * other_width) - 1
            return b"".join((int.from_bytes(one, "little") & kept).to_bytes(other_width, "little") for one in column)
    return b"".join(column)


_VALUES: Final[tuple[Any, ...]] = (
    None, True, 0, 1, -1, 2, 255, 1 << 31, -(1 << 31), (1 << 63) - 1, 1 << 63, 1 << 64, 1 << 129, 10**40, 1.5, 1e300,
    "", "x", "a" * 300, "\0", "\ud800", "\x1b[31m", "../precious.txt", "/dev/zero", "level-0", "level-99", "states-0-1",
    "states-0-999999999999999", "graph-0-1", "seen-0-0-1-0", "rows-1-0", "checkpoint-1.json", "embedded", "spark",
    "Head", [], [[]], [None], {}, {"/": [1, 0]}, {"/": []}, {"a": 1}, [0] * 10_000,
)  # fmt: skip


def strange_values(data: bytes, chance: random.Random) -> bytes:
    """The bytes as JSON: some of the values other ones, exchanged, left out or doubled; other bytes if it is none."""
    try:
        root = [json.loads(data)]
    except ValueError:
        return strange_numbers(data, chance) if chance.random() < 0.7 else strange_bytes(data, chance)
    for _ in range(chance.choice((1, 1, 2))):
        if root:
            _change_value(root, chance)
    return json.dumps(root[0] if root else None).encode()


def _change_value(root: list[Any], chance: random.Random) -> None:
    slots: list[tuple[Any, Any]] = []
    stack: list[Any] = [root]
    while stack:
        holder = stack.pop()
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            slots.append((holder, key))
            if isinstance(value, dict | list):
                stack.append(value)
    holder, key = chance.choice(slots)
    match chance.randrange(7):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        case 2:
            other, name = chance.choice(slots)
            holder[key] = json.loads(json.dumps(other[name]))
        case 3 if type(holder[key]) is int:
            holder[key] += chance.choice((1, -1, 1000, 1 << 40))
        case _:
            holder[key] = chance.choice(_VALUES)
