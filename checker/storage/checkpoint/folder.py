"""`Folder`: the checkpoints in a folder. The two latest are kept, so that one may be damaged.

A manifest names a level and all files that are needed to resume from it. It is written when they are on the disk; then
files that no manifest needs are removed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.storage.checkpoint.identity import Identity, demand_equal
from checker.storage.file_store import FileStore
from fizz.base.data import UNREADABLE, NotData, demand
from fizz.base.plain_files import NotAFile, open_regular_to_lock, read_regular

FORMAT: Final = 7
KEPT: Final = 2
UNREDUCED: Final = "unreduced"
"""The subfolder for the second exploration, without symmetry, that a fair lasso may need."""
_MOST_BYTES: Final = 1 << 25
"""The most bytes of a manifest, which has a line for each file."""
_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,14})"
_MANIFEST: Final = re.compile(r"checkpoint-(0|[1-9][0-9]{0,8})\.json")
_FILES: Final = "|".join(
    [
        rf"(?:level|lessons|stop)-{_NUMBER}",
        rf"(?:states|graph|share|post|core)-{_NUMBER}-{_NUMBER}",
        rf"(?:found|edges|moved)-{_NUMBER}-{_NUMBER}-{_NUMBER}",
        rf"(?:seen|outbound)-{_NUMBER}-{_NUMBER}-{_NUMBER}-{_NUMBER}",
        rf"(?:rows|steps)-{_NUMBER}-{_NUMBER}(?:-{_NUMBER})?",
    ]
)
_FILE: Final = re.compile(_FILES)
"""The names of the files that runs write: only these are read or removed."""
_OURS: Final = re.compile(rf"(?:{_FILES})(?:\.[0-9a-f]{{32}}\.part)?")
_UNFINISHED: Final = re.compile(rf"{_MANIFEST.pattern}\.[0-9a-f]{{32}}\.part")
_KEYS: Final = frozenset({"format", "level", "engine", "run", "files"})
_ANOTHER: Final = "name another one"
_DISK_FAULTS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""The errors of the system when a folder cannot be made because of the disk, not because of its name."""


def refuse_inputs(folder: str, read: Iterable[str]) -> None:
    """Raise `UsageProblem` for a file of the model in the folder that has a name that runs write or remove."""
    try:
        resolved = Path(folder).resolve()
    except (OSError, ValueError):
        # Opening this folder reports the error.
        return
    for path in (Path(name) for name in read if not name.startswith("--")):
        # A link is a name of its own.
        for one in (path.resolve(), path.parent.resolve() / path.name):
            taken = any(names.fullmatch(one.name) for names in (_OURS, _MANIFEST, _UNFINISHED))
            if taken and one.parent in (resolved, resolved / UNREDUCED):
                raise UsageProblem(f"'{path}' has the name of a file of a checkpoint, and lies among them", _ANOTHER)


def demand_checkpoint(folder: str | os.PathLike[str]) -> None:
    """Raise `UsageProblem` unless there is a checkpoint in the folder. Writes nothing."""
    try:
        there = manifests_among(path.name for path in Path(folder).iterdir())
    except (OSError, ValueError):
        # It is no folder, or its name is invalid.
        there = []
    if not there:
        raise nothing_in(folder)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A checkpoint: the complete level, the engine that must resume from it if any, and its files.

    `files`: the seal of each by name (see `FileStore.seal`), so that none can be exchanged for another.
    """

    level: int
    engine: str | None
    identity: Identity
    files: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"checkpoint-{self.level}.json"

    def text(self) -> str:
        """The manifest with its own checksum, as JSON."""
        content = {
            "format": FORMAT,
            "level": self.level,
            "engine": self.engine,
            "run": dict(self.identity),
            "files": dict(sorted(self.files.items())),
        }
        return json.dumps({**content, "sha256": _digest(content)}, indent=1)


@dataclass(slots=True)
class Folder:
    """The checkpoints of one run, whose identity is known."""

    path: Path
    identity: Identity
    store: FileStore
    manifests: list[Manifest] = field(default_factory=list)
    _lock: BinaryIO | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], identity: Identity) -> Folder:
        """The folder, made if necessary and locked until it is closed. Raises `Problem`."""
        absolute = Path(path).absolute()
        try:
            absolute.mkdir(parents=True, exist_ok=True)
            lock = open_regular_to_lock(absolute / "lock")
        except NotAFile as failure:
            raise EnvironmentProblem(f"the file {absolute / 'lock'} {failure.strerror}", "remove it") from None
        except ValueError as failure:
            raise UsageProblem(f"the folder {path!r} cannot be used for checkpoints: {failure}", _ANOTHER) from None
        except OSError as failure:
            kind = EnvironmentProblem if failure.errno in _DISK_FAULTS else UsageProblem
            raise kind(f"the folder {path} cannot be used for checkpoints: {failure.strerror}", _ANOTHER) from None
        if not _locked(lock):
            lock.close()
            raise UsageProblem(f"another run is writing checkpoints to {path}", "wait for it, or name another folder")
        return cls(absolute, identity, FileStore(absolute, durable=True), _lock=lock)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def open_to_others(self) -> bool:
        """Whether all users may write to the folder, or it belongs to another user."""
        if os.name == "nt":
            return False
        status = self.path.stat()
        mine = status.st_uid in (os.getuid(), 0) or os.getuid() == 0
        return bool(status.st_mode & stat.S_IWOTH) or not mine

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def in_use(self) -> bool:
        """Whether there are checkpoints."""
        return bool(self._manifests())

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return str(self.path)

    def inside(self, identity: Identity) -> Folder:
        """The folder for the second exploration, without symmetry. Raises `Problem`."""
        inside = self.path / UNREDUCED
        if inside.is_symlink():
            raise EnvironmentProblem(f"{inside} is a link, and not a folder of this checkpoint", "remove it")
        return Folder.open(inside, identity)

    def _listed(self) -> list[str]:
        """The names of all that is in the folder."""
        return [path.name for path in self.path.iterdir()]

    def _manifests(self) -> list[str]:
        """The names of the manifests, the latest first."""
        return manifests_among(self._listed())

    def _has_unreduced(self) -> bool:
        return any((self.path / UNREDUCED).glob("checkpoint-*.json"))

    def _content(self, name: str) -> bytes:
        """The bytes of a manifest. Raises `EnvironmentProblem`."""
        path = self.path / name
        try:
            return read_regular(path, _MOST_BYTES)
        except NotAFile as failure:
            raise EnvironmentProblem(f"the file {path} {failure.strerror}") from None
        except OSError as failure:
            raise EnvironmentProblem(f"the file {path} cannot be read: {failure.strerror}") from None

    def _without(self, name: str) -> None:
        """Remove a file of ours, or a link with its name, but no folder: runs make none."""
        path = self.path / name
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)

    def _demand_own(self) -> None:
        """Raise `EnvironmentProblem` if another run writes here. The lock keeps others out of a folder."""

    def begin(self) -> None:
        """Begin a new series of checkpoints. Raises `UsageProblem` if there is one already."""
        names = self._listed()
        if manifests_among(names) or self._has_unreduced():
            raise UsageProblem(
                f"there is a checkpoint in {self.place} already",
                f"go on from it with --resume {self.place}, or name another folder",
            )
        for name in names:
            if _FILE.fullmatch(name) and not self.store.wrote(name):
                where = f"{self.place}/{name}"
                raise UsageProblem(f"the file {where} has the name of one of a checkpoint, but is none", _ANOTHER)
        self.clear()

    def clear(self) -> None:
        """Remove all checkpoints."""
        for name in self._manifests():
            self.store.remove(name)
        self._sweep(frozenset())

    def latest(self) -> tuple[Manifest, list[str]]:
        """The latest undamaged checkpoint, and the problems of those after it, which are removed.

        Raises `UsageProblem` if there is none or if it is of another run, `EnvironmentProblem` if all are damaged.
        """
        names = self._manifests()
        if not names:
            raise nothing_in(self.place)
        troubles: list[str] = []
        good: list[Manifest] = []
        for name in names:
            try:
                manifest = self._read(name)
                if not good:
                    for file, seal in sorted(manifest.files.items()):
                        self.store.check(file, seal)
            except EnvironmentProblem as problem:
                troubles.append(problem.text)
            else:
                good.append(manifest)
        if not good:
            raise EnvironmentProblem(
                f"no checkpoint in {self.place} can be used: {troubles[0]}", "begin anew with --checkpoint elsewhere"
            )
        for name in names:
            if _level(name) > good[0].level:
                self._without(name)
        self.manifests = list(reversed(good))
        self._sweep(self._needed())
        return good[0], troubles

    def _read(self, name: str) -> Manifest:
        """An undamaged manifest of this run. Raises `Problem`."""
        path = f"{self.place}/{name}"
        data = self._content(name)
        try:
            content = _content(data)
        except UNREADABLE:
            raise EnvironmentProblem(f"the file {path} is damaged") from None
        if content["format"] != FORMAT:
            raise UsageProblem(
                f"the checkpoint in {self.place} has format {content['format']}, this fizzpy reads {FORMAT}",
                "resume with the version that wrote it, or begin anew in another folder",
            )
        try:
            manifest = _manifest(content)
            demand(manifest.name == name, "the level of its name")
        except UNREADABLE:
            raise EnvironmentProblem(f"the file {path} is damaged") from None
        demand_equal(manifest.identity, self.identity)
        return manifest

    # --- writing ---------------------------------------------------------------------------------------------------

    def commit(self, level: int, engine: str | None, parts: Sequence[bytes], files: Iterable[str]) -> None:
        """Make a checkpoint of a level: `parts` are written to a file of its own, `files` exist already."""
        name = level_file(level)
        self.store.write(name, parts)
        # Known seals are not read again: a name always has the same content.
        known = self.manifests[-1].files if self.manifests else {}
        seals = {file: known.get(file) or self.store.seal(file) for file in files}
        manifest = Manifest(level, engine, self.identity, {**seals, name: self.store.seal(name)})
        self._demand_own()
        self.store.write_whole(manifest.name, [manifest.text().encode()])
        gone = self.manifests[: max(0, len(self.manifests) + 1 - KEPT)]
        self.manifests = [*self.manifests[len(gone) :], manifest]
        needed = self._needed()
        for old in gone:
            self._without(old.name)
            for file in old.files.keys() - needed:
                self.store.remove(file)

    def _needed(self) -> frozenset[str]:
        return frozenset(name for manifest in self.manifests for name in manifest.files)

    def _sweep(self, needed: frozenset[str]) -> None:
        """Remove the files that a killed run has left, and no others."""
        for name in self._listed():
            if (_OURS.fullmatch(name) and name not in needed) or _UNFINISHED.fullmatch(name):
                self._without(name)


def manifests_among(names: Iterable[str]) -> list[str]:
    """Of some names those of manifests, the latest first."""
    return sorted(filter(_MANIFEST.fullmatch, names), key=_level, reverse=True)


def nothing_in(folder: str | os.PathLike[str]) -> UsageProblem:
    return UsageProblem(f"there is no checkpoint in {folder}", "--checkpoint DIR writes them")


def _content(data: bytes) -> dict[str, Any]:
    """The content of an undamaged manifest. Raises one of `UNREADABLE`."""
    content = json.loads(data, parse_constant=_refused, parse_float=_refused)
    demand(type(content) is dict, "a manifest")
    checksum = content.pop("sha256")
    demand(checksum == _digest(content) and type(content["format"]) is int, "its checksum")
    return dict(content)


def _manifest(content: dict[str, Any]) -> Manifest:
    demand(content.keys() == _KEYS, "what a manifest has, and nothing else")
    level, engine, identity, files = (content[key] for key in ("level", "engine", "run", "files"))
    demand(type(level) is int and (engine is None or type(engine) is str), "a level and an engine")
    demand(type(identity) is dict and type(files) is dict, "a run and its files")
    demand(all(type(text) is str for text in (*identity.values(), *files.values())), "texts")
    demand(all(map(_FILE.fullmatch, files)) and level_file(level) in files, "names of files that runs write")
    return Manifest(level, engine, identity, files)


def _refused(text: str) -> None:
    raise NotData(f"{text} is nothing that stands in a manifest")


def _level(name: str) -> int:
    found = _MANIFEST.fullmatch(name)
    assert found is not None
    return int(found.group(1))


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _locked(file: BinaryIO) -> bool:
    """Whether the lock was taken; always true on systems without such locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def level_file(level: int) -> str:
    """The name of the file of a level, which together with earlier files is needed to resume from it."""
    return f"level-{level}"
