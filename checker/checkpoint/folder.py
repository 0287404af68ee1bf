"""`Folder`: the checkpoints in a folder. The two latest are kept, so that one may be damaged.

A manifest names a level and all files that are needed to go on from it. It is written when they are on the disk, and
what no manifest needs any more is removed after that.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from checker.checkpoint.identity import Identity, demand_equal
from checker.checkpoint.saved import level_file
from checker.engines.spark.store import Store
from checker.problems import EnvironmentProblem, UsageProblem

FORMAT: Final = 1
KEPT: Final = 2
UNREDUCED: Final = "unreduced"
"""The folder within for the second exploration, without symmetry, that a fair lasso may ask for."""
_MANIFEST: Final = re.compile(r"checkpoint-(\d+)\.json")
_KINDS: Final = "level|states|graph|found|edges|seen|outbound|share|post|core|lessons|rows|steps"
_OURS: Final = re.compile(rf"({_KINDS})-[\d-]+(\.[0-9a-f]{{32}}\.part)?")
_UNFINISHED: Final = re.compile(r"checkpoint-\d+\.json\.[0-9a-f]{32}\.part")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A checkpoint: the level that was complete, the engine that must go on from it if any, the files by name."""

    level: int
    engine: str | None
    identity: Identity
    files: frozenset[str]

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
            "files": sorted(self.files),
        }
        return json.dumps({**content, "sha256": _digest(content)}, indent=1)


@dataclass(slots=True)
class Folder:
    """The checkpoints of one run, whose identity is known."""

    path: Path
    identity: Identity
    store: Store
    manifests: list[Manifest] = field(default_factory=list)
    _lock: BinaryIO | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], identity: Identity) -> Folder:
        """The folder, made if need be, and nobody else's as long as it is open."""
        place = Path(path).absolute()
        try:
            place.mkdir(parents=True, exist_ok=True)
            lock = (place / "lock").open("ab")
        except OSError as failure:
            raise EnvironmentProblem(
                f"the folder {path} cannot be used for checkpoints: {failure.strerror}", "name another one"
            ) from None
        if not _locked(lock):
            lock.close()
            raise UsageProblem(f"another run is writing checkpoints to {path}", "wait for it, or name another folder")
        return cls(place, identity, Store(place, durable=True), _lock=lock)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def in_use(self) -> bool:
        """Are there checkpoints?"""
        return bool(self._names())

    def begin(self) -> None:
        """Begin a new series of checkpoints: there may be no other one here."""
        if self._names() or any((self.path / UNREDUCED).glob("checkpoint-*.json")):
            raise UsageProblem(
                f"there is a checkpoint in {self.path} already",
                f"go on from it with --resume {self.path}, or name another folder",
            )
        self.clear()

    def clear(self) -> None:
        """Remove all checkpoints."""
        for name in self._names():
            (self.path / name).unlink()
        self._sweep(frozenset())

    def latest(self) -> tuple[Manifest, list[str]]:
        """The latest checkpoint that is whole, and what is wrong with those after it, which are removed.

        Raises `UsageProblem` if there is none or if it is of another run, `EnvironmentProblem` if all are damaged.
        """
        names = self._names()
        if not names:
            raise UsageProblem(f"there is no checkpoint in {self.path}", "--checkpoint DIR writes them")
        troubles: list[str] = []
        good: list[Manifest] = []
        for name in names:
            try:
                manifest = self._read(name)
                if not good:
                    for file in sorted(manifest.files):
                        self.store.check(file)
            except EnvironmentProblem as problem:
                troubles.append(problem.text)
            else:
                good.append(manifest)
        if not good:
            raise EnvironmentProblem(
                f"no checkpoint in {self.path} can be used: {troubles[0]}", "begin anew with --checkpoint elsewhere"
            )
        for name in names:
            if _level(name) > good[0].level:
                (self.path / name).unlink()
        self.manifests = list(reversed(good))
        self._sweep(self._needed())
        return good[0], troubles

    def _names(self) -> list[str]:
        """The manifests that are there, the latest first."""
        names = [path.name for path in self.path.iterdir() if _MANIFEST.fullmatch(path.name)]
        return sorted(names, key=_level, reverse=True)

    def _read(self, name: str) -> Manifest:
        """A manifest that is as it was written, and of this run."""
        try:
            content: dict[str, Any] = json.loads((self.path / name).read_bytes())
            checksum = content.pop("sha256")
            if checksum != _digest(content):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise EnvironmentProblem(f"the file {self.path / name} is damaged") from None
        if content["format"] != FORMAT:
            raise UsageProblem(
                f"the checkpoint in {self.path} has format {content['format']}, this fizzpy reads {FORMAT}",
                "resume with the version that wrote it, or begin anew in another folder",
            )
        demand_equal(content["run"], self.identity)
        return Manifest(content["level"], content["engine"], content["run"], frozenset(content["files"]))

    # --- writing ---------------------------------------------------------------------------------------------------

    def commit(self, level: int, engine: str | None, parts: Sequence[bytes], files: Iterable[str]) -> None:
        """Make a checkpoint of a level: `parts` are for a file of its own, `files` are there already."""
        name = level_file(level)
        self.store.write(name, parts)
        manifest = Manifest(level, engine, self.identity, frozenset((*files, name)))
        self.store.write_whole(manifest.name, [manifest.text().encode()])
        gone = self.manifests[: max(0, len(self.manifests) + 1 - KEPT)]
        self.manifests = [*self.manifests[len(gone) :], manifest]
        needed = self._needed()
        for old in gone:
            (self.path / old.name).unlink(missing_ok=True)
            for file in old.files - needed:
                self.store.remove(file)

    def _needed(self) -> frozenset[str]:
        return frozenset().union(*[manifest.files for manifest in self.manifests])

    def _sweep(self, needed: frozenset[str]) -> None:
        """Remove what a run that was killed has left, and nothing else."""
        for path in self.path.iterdir():
            name = path.name
            if (_OURS.fullmatch(name) and name not in needed) or _UNFINISHED.fullmatch(name):
                path.unlink(missing_ok=True)


def _level(name: str) -> int:
    found = _MANIFEST.fullmatch(name)
    assert found is not None
    return int(found.group(1))


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _locked(file: BinaryIO) -> bool:
    """Whether the lock is ours now. Systems without such locks have to trust their users."""
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
