"""Cases of checkpoints that were tampered with, bit by bit or knowingly, mostly with checksums that are right."""

from __future__ import annotations

import pickle
import random
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from fizz.base.data import deflate
from tests.checkpoint import forging
from tests.hostile import texts
from tests.hostile.case import MODEL, Case, Content, Node
from tests.hostile.expressions import CANARY

Chance = random.Random
Files = dict[str, Content]

FOLDER: Final = "c"
PRECIOUS: Final = "precious.txt"


class Source(NamedTuple):
    """A model, and the options that its checkpoints are made and resumed with."""

    text: str
    options: tuple[str, ...] = ()


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

ROLES: Final = """\
---
options: {max_actions: 4}
deadlock_detection: false
---
IDS = symmetry.nominal(name="id", limit=3)
Net = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
role Sink:
    action Init: self.seen, self.table = bag(), {"a": (1, 0.5), "b": [None]}
    func put(v):
        self.seen.add(v)
        last = v
role Source:
    action Init: self.sent = []
    fair action Send:
        require len(self.sent) < 2
        id = IDS.fresh()
        self.sent.append(id)
        out.put(id)
action Init:
    sink = Sink()
    out = Net.stub(sink)
    source = Source()
    shared = [sink, source.sent]
    other = shared
always eventually assertion Sent: return len(source.sent) == 2
"""

SOURCES: Final[Mapping[str, Source]] = {
    "wide": Source(WIDE),
    "roles": Source(ROLES),
    "exported": Source(WIDE, ("--export", "x")),
}
"""Wide enough to go on by columns, with a graph for liveness; values of all kinds, and symmetry; rows for tables."""


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
        b"null", b"[]", b"{}", b"[" * 100_000, *_bombs(),
    )  # fmt: skip


def _bombs() -> tuple[bytes, ...]:
    """Little that is inflated to a lot, and lengths of what is not there."""
    zeros = zlib.compress(b"\0" * 50_000_000, 9)
    return (
        zeros, b"\1" + zeros, deflate(deflate(b"\0" * 5_000_000)), b"\1" + zlib.compress(b"[" * 1_000_000),
        b"\1" + zlib.compress(b"\xff" * 900_000), b"\xff" * 12, b"\xff\xff\xff\xff" + b"\0" * 64,
        b"\1\0\0\0" + b"\xff" * 8, b"\0" * 4, b"\0" * 1_000_000,
    )  # fmt: skip


def checkpoints_of(saved: Callable[[str], Mapping[str, bytes]]) -> Callable[[int, Chance], Case]:
    """Makes such cases; `saved` gives the files of a checkpoint of one of `SOURCES` as they were written."""

    def make(number: int, chance: Chance) -> Case:
        which = chance.choice(tuple(SOURCES))
        source = SOURCES[which]
        files: Files = dict(saved(which))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            chance.choice(_WAYS)(files, chance)
        if chance.random() < 0.85:
            _seal(files)
        chance.choice(_LAST)(files, chance)
        files = {f"{FOLDER}/{name}": content for name, content in files.items()}
        hostile = tuple(name for name, content in files.items() if isinstance(content, bytes))
        given: Files = {
            MODEL: source.text.encode(),
            PRECIOUS: b"precious",
            "out/" + PRECIOUS: b"precious",
            **files,
        }
        words = ("check", MODEL, "--resume", FOLDER, *source.options)
        return Case("checkpoints", number, words, given, hostile, outputs=(FOLDER, "x"))

    return make


def _plain(files: Mapping[str, Content]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if isinstance(content, bytes)}


def _seal(files: Files) -> None:
    """Let manifests speak of the files as they are, also of those in the folder within."""
    plain = _plain(files)
    for inside in {name.rpartition("/")[0] for name in plain}:
        own = {name.rpartition("/")[2]: data for name, data in plain.items() if name.rpartition("/")[0] == inside}
        before = inside + "/" if inside else ""
        files.update({before + name: data for name, data in forging.sealed(own).items()})


# --- what is spoiled before the manifests are made right -------------------------------------------------------------


def _any(files: Mapping[str, Content], chance: Chance) -> str:
    """The name of a file; the newest of its kind more often than another."""
    names = sorted(_plain(files))
    levels = [name for name in names if "level-" in name]
    if levels and chance.random() < 0.4:
        return max(levels, key=lambda name: (name.count("/"), len(name), name))
    return chance.choice(names or [MODEL])


def _bits(files: Files, chance: Chance) -> None:
    name = _any(files, chance)
    if name in files:
        files[name] = texts.spoiled_bytes(_plain(files)[name], chance, most=2)


def _shorter(files: Files, chance: Chance) -> None:
    name = _any(files, chance)
    if name in files:
        data = _plain(files)[name]
        files[name] = data[: chance.randrange(len(data) + 1)]


def _gone(files: Files, chance: Chance) -> None:
    files.pop(_any(files, chance), None)


def _exchanged(files: Files, chance: Chance) -> None:
    one, other = _any(files, chance), _any(files, chance)
    if one in files and other in files:
        files[one], files[other] = files[other], files[one]


def _renamed(files: Files, chance: Chance) -> None:
    """A file says by its name that it is of other states or another level, and the manifests name it."""
    name = _any(files, chance)
    if name not in files:
        return
    folder, joint, own = name.rpartition("/")
    numbers = own.removesuffix(".json").split("-")
    at = chance.randrange(1, len(numbers)) if len(numbers) > 1 else 0
    numbers[at] = str(chance.choice((0, 1, 2, 3, 7, 10**8, 10**14, -1, "007", "x")))
    new = "-".join(numbers) + ".json" * own.endswith(".json")
    files[folder + joint + new] = files.pop(name)
    for manifest, data in _plain(files).items():
        if forging.is_manifest(manifest.rpartition("/")[2]):
            files[manifest] = data.replace(f'"{own}"'.encode(), f'"{new}"'.encode())


def _within(files: Files, chance: Chance) -> None:
    """The folder of the second exploration has what is in the first one."""
    for name, data in _plain(files).items():
        if "/" not in name:
            files["unreduced/" + name] = data


def _part(files: Files, chance: Chance) -> None:
    """A part is something else: a pickle, what is inflated without end, fewer or more of them."""
    _with_parts(files, chance, _another_part)


def _another_part(parts: list[bytes], chance: Chance) -> None:
    at = chance.randrange(len(parts))
    match chance.randrange(5):
        case 0 | 1:
            parts[at] = chance.choice(pickles())
        case 2:
            del parts[at]
        case 3:
            parts.insert(at, parts[chance.randrange(len(parts))])
        case _:
            parts[:] = parts * chance.choice((0, 2, 1000))


def _forged(files: Files, chance: Chance) -> None:
    """Inside of a part numbers and values are such as no run has."""

    def change(parts: list[bytes], chance: Chance) -> None:
        at = chance.randrange(len(parts))
        parts[at] = forging.changed(parts[at], chance, chance.choice(_CHANGES))

    _with_parts(files, chance, change)


def _with_parts(files: Files, chance: Chance, change: Callable[[list[bytes], Chance], None]) -> None:
    name = _any(files, chance)
    with suppress(ValueError, KeyError):
        parts = forging.parts_of(_plain(files)[name])
        if parts:
            change(parts, chance)
            files[name] = forging.file_of(parts)


# --- what is spoiled after that --------------------------------------------------------------------------------------


def _no_file(files: Files, chance: Chance) -> None:
    name = _any(files, chance)
    if name in files:
        files[name] = chance.choice(
            (Node("link", "/dev/zero"), Node("link", "absent"), Node("link", f"../{PRECIOUS}"), Node("link", ".."),
             Node("link", "/proc/self/mem"), Node("link", name.rpartition("/")[2]), Node("fifo"), Node("folder"),
             Node("link", "/dev/full"))
        )  # fmt: skip


def _no_folder(files: Files, chance: Chance) -> None:
    """The folder of the second exploration is none, or leads elsewhere."""
    for name in [name for name in files if name.startswith("unreduced")]:
        del files[name]
    files["unreduced"] = chance.choice(
        (b"", Node("fifo"), Node("link", "../out"), Node("link", "."), Node("link", "/dev/zero"), Node("link", ".."))
    )


def _manifest(files: Files, chance: Chance) -> None:
    """A manifest says something else, and its checksum is right."""
    manifests = sorted(name for name in _plain(files) if forging.is_manifest(name.rpartition("/")[2]))
    if not manifests:
        return
    name = chance.choice(manifests)
    try:
        data = forging.content_of(_plain(files)[name])
    except ValueError:
        return
    key = chance.choice(sorted(data) or ["files"])
    if isinstance(data.get(key), dict) and chance.random() < 0.8:
        inner = data[key]
        names = (*sorted(inner), *_NAMES)
        inner[chance.choice(names)] = chance.choice((*_STRANGE, *map(str, inner.values())))
    else:
        data[key] = chance.choice(_STRANGE)
    if chance.random() < 0.15:
        data.pop(chance.choice(sorted(data)))
    files[name] = forging.manifest_of(data)


def _nothing(files: Files, chance: Chance) -> None:
    pass


_NAMES: Final = (
    f"../{PRECIOUS}", f"../out/{PRECIOUS}", "../m.fizz", "/dev/zero", "x", ".", "..", "", "lock", "level-99",
    "states-0-1", "level-0/../../" + PRECIOUS, "\x1b[31m", "level-\u0663", "level-0\n", "states-0-1-2", "a" * 300,
    "seen--1--1--1--1", "unreduced/level-0", "checkpoint-0.json", PRECIOUS,
)  # fmt: skip
_STRANGE: Final[tuple[Any, ...]] = (
    None, 0, -1, 2, 10**30, 1.5, "", "x", "/dev/zero", f"../{PRECIOUS}", [f"../{PRECIOUS}"], [None], [[]], {},
    {"a": 1}, {f"../{PRECIOUS}": "0" * 32}, {"level-0": "0" * 32}, True, ["a" * 5000], "a" * 5000, "embedded", "spark",
    "plain", 99, "\x1b[31m", "\u202e", "0" * 32, {"a" * 5000: "\ud800"},
)  # fmt: skip
_CHANGES: Final[tuple[forging.Change, ...]] = (
    forging.strange_bytes, forging.strange_numbers, forging.strange_numbers, forging.strange_values,
    forging.strange_values, forging.strange_values,
)  # fmt: skip
_Way = Callable[[Files, Chance], None]
_WAYS: Final[tuple[_Way, ...]] = (
    _bits, _shorter, _gone, _exchanged, _renamed, _renamed, _within, _part, _part, *[_forged] * 12,
)  # fmt: skip
_LAST: Final[tuple[_Way, ...]] = (*[_nothing] * 12, _no_file, _no_folder, _manifest, _manifest)
