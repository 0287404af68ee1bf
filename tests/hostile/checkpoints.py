"""Cases of checkpoints that were tampered with, bit by bit or knowingly, with checksums that are right."""

from __future__ import annotations

import hashlib
import json
import pickle
import random
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.hostile import texts
from tests.hostile.case import MODEL, Case, Content, Node
from tests.hostile.expressions import CANARY

Chance = random.Random

FOLDER: Final = "c"
PRECIOUS: Final = "precious.txt"
_HEAD: Final = struct.Struct("<8sII")
_PART: Final = struct.Struct("<QI")

WIDE: Final = """\
---
options: {max_actions: 9}
deadlock_detection: false
---
action Init:
    a, b, seen = 0, 0, set()
action Up:
    a = oneof range(4)
    b = (a + b) % 5
atomic action Note:
    one = oneof [a, b]
    seen.add(one)
always assertion Small: return a < 4
eventually always assertion Calm: return b == 0
"""
"""A model that is wide enough to go on by columns, and has a graph for liveness."""


class _Command:
    """What unpickling it would do."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._call = function, arguments

    def __reduce__(self) -> Any:
        return self._call


def pickles() -> tuple[bytes, ...]:
    """Pickles that act, and some that are only strange."""
    import builtins
    import os

    deep: Any = []
    for _ in range(150):
        deep = [deep]
    return (
        pickle.dumps(_Command(os.system, f"touch {CANARY}")),
        pickle.dumps(_Command(builtins.eval, f"open('{CANARY}', 'w')")),
        pickle.dumps(_Command(builtins.open, CANARY, "w")),
        zlib.compress(pickle.dumps(_Command(os.system, f"touch {CANARY}"))),
        pickle.dumps(None), pickle.dumps({}), pickle.dumps(()), pickle.dumps(deep), b"", b"\x80", b"N.", b"(" * 10_000,
        b"null", b"[]", b"{}", b"[" * 100_000, zlib.compress(b"\x00" * 50_000_000),
    )  # fmt: skip


def checkpoints_of(saved: Callable[[], Mapping[str, bytes]]) -> Callable[[int, Chance], Case]:
    """Makes such cases; `saved` gives the files of a checkpoint of `WIDE` as they were written."""

    def make(number: int, chance: Chance) -> Case:
        files: dict[str, Content] = {f"{FOLDER}/{name}": data for name, data in saved().items()}
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            chance.choice(_WAYS)(files, chance)
        hostile = tuple(name for name, content in files.items() if isinstance(content, bytes))
        given: dict[str, Content] = {
            MODEL: WIDE.encode(),
            PRECIOUS: b"precious",
            "out/" + PRECIOUS: b"precious",
            **files,
        }
        words = ("check", MODEL, "--resume", FOLDER)
        return Case("checkpoints", number, words, given, hostile, outputs=(FOLDER,))

    return make


def _any(files: Mapping[str, Content], chance: Chance) -> str | None:
    plain = sorted(name for name, content in files.items() if isinstance(content, bytes))
    # A lock says nothing; manifests say most.
    manifests = [name for name in plain if name.endswith(".json")]
    return chance.choice(manifests if manifests and chance.random() < 0.3 else plain) if plain else None


def _bits(files: dict[str, Content], chance: Chance) -> None:
    name = _any(files, chance)
    if name is not None:
        files[name] = texts.spoiled_bytes(files[name], chance, most=2)  # type: ignore[arg-type]


def _shorter(files: dict[str, Content], chance: Chance) -> None:
    name = _any(files, chance)
    if name is not None:
        data = files[name]
        assert isinstance(data, bytes)
        files[name] = data[: chance.randrange(len(data) + 1)]


def _gone(files: dict[str, Content], chance: Chance) -> None:
    name = _any(files, chance)
    if name is not None:
        del files[name]


def _exchanged(files: dict[str, Content], chance: Chance) -> None:
    one, other = _any(files, chance), _any(files, chance)
    if one is not None and other is not None:
        files[one], files[other] = files[other], files[one]


def _no_file(files: dict[str, Content], chance: Chance) -> None:
    name = _any(files, chance)
    if name is not None:
        files[name] = chance.choice(
            (Node("link", "/dev/zero"), Node("link", "absent"), Node("link", f"../{PRECIOUS}"), Node("link", ".."),
             Node("link", "/proc/self/mem"), Node("link", name.rpartition("/")[2]), Node("fifo"), Node("folder"),
             Node("link", "/dev/full"))
        )  # fmt: skip


def _manifest(files: dict[str, Content], chance: Chance) -> None:
    """A manifest says something else, and its checksum is right."""
    manifests = sorted(name for name in files if name.endswith(".json") and isinstance(files[name], bytes))
    if not manifests:
        return
    name = chance.choice(manifests)
    try:
        data = json.loads(files[name])  # type: ignore[arg-type]
    except ValueError:
        return
    if not isinstance(data, dict) or not data:
        return
    key = chance.choice(sorted(data))
    strange: tuple[Any, ...] = (
        None, 0, -1, 10**30, 1.5, "", "x", "/dev/zero", f"../{PRECIOUS}", [f"../{PRECIOUS}"], [f"../out/{PRECIOUS}"],
        ["/dev/zero"], [None],
        [[]], {}, {"a": 1}, True, ["a" * 300], ["a" * 5000], "embedded", "spark", "plain", 99, ["level-0", "level-0"],
        ["../m.fizz"], ["."], [""],
    )  # fmt: skip
    if isinstance(data[key], list) and chance.random() < 0.5:
        data[key] = [
            *data[key],
            chance.choice((f"../{PRECIOUS}", "/dev/zero", "x", ".", "", None, "level-99", "states-0-1", "\x1b[31m")),
        ]
    elif isinstance(data[key], dict) and data[key] and chance.random() < 0.7:
        data[key][chance.choice(sorted(data[key]))] = chance.choice(strange)
    else:
        data[key] = chance.choice(strange)
    if chance.random() < 0.15:
        data.pop(chance.choice(sorted(data)))
    data.pop("sha256", None)
    for separators in ((", ", ": "), (",", ":")):
        text = json.dumps(data, sort_keys=True, separators=separators)
        whole = {**data, "sha256": hashlib.sha256(text.encode()).hexdigest()}
        files[name] = json.dumps(whole, sort_keys=True, separators=separators).encode()
        if chance.random() < 0.5:
            break


def parts_of(data: bytes) -> list[bytes] | None:
    """The parts of a file of parts (docs/checkpoints.md); None if it is none."""
    try:
        magic, count, _ = _HEAD.unpack_from(data)
        lengths = [_PART.unpack_from(data, _HEAD.size + i * _PART.size)[0] for i in range(count)]
    except struct.error:
        return None
    at = _HEAD.size + count * _PART.size
    if not magic.startswith(b"fizzpy") or at + sum(lengths) != len(data):
        return None
    found = []
    for length in lengths:
        found.append(data[at : at + length])
        at += length
    return found


def file_of(magic: bytes, parts: list[bytes]) -> bytes:
    """A file of these parts, with checksums that are right."""
    index = b"".join(_PART.pack(len(part), zlib.crc32(part)) for part in parts)
    return _HEAD.pack(magic, len(parts), zlib.crc32(index)) + index + b"".join(parts)


def _part(files: dict[str, Content], chance: Chance) -> None:
    """A part is something else, and all checksums are right."""
    name = _any(files, chance)
    data = files.get(name or "")
    parts = parts_of(data) if isinstance(data, bytes) else None
    if not parts:
        return
    assert isinstance(data, bytes) and name is not None
    at = chance.randrange(len(parts))
    match chance.randrange(6):
        case 0 | 1:
            parts[at] = chance.choice(pickles())
        case 2:
            parts[at] = texts.spoiled_bytes(parts[at], chance)
        case 3:
            del parts[at]
        case 4:
            parts.insert(at, parts[chance.randrange(len(parts))])
        case 5:
            parts[at] = _spoiled_inside(parts[at], chance)
    files[name] = file_of(data[:8], parts)


def _spoiled_inside(part: bytes, chance: Chance) -> bytes:
    """A part that is deflated, spoiled before it was; or one of numbers, with another number in it."""
    try:
        return zlib.compress(texts.spoiled_bytes(zlib.decompress(part), chance))
    except zlib.error:
        pass
    width = chance.choice((4, 8))
    if len(part) < width:
        return part
    at = chance.randrange(len(part) // width) * width
    number = chance.choice((0, 1, (1 << 8 * width) - 1, 1 << (8 * width - 1), 10**6, 255))
    return part[:at] + number.to_bytes(width, "little") + part[at + width :]


_WAYS: Final[tuple[Callable[[dict[str, Content], Chance], None], ...]] = (
    _bits, _bits, _bits, _shorter, _gone, _exchanged, _no_file, _manifest, _manifest, _manifest, _part, _part, _part,
    _part,
)  # fmt: skip
