"""A hostile case: a folder of files, a command line, and what of both may be made smaller when it fails."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

MODEL = "m.fizz"


@dataclass(frozen=True)
class Node:
    """Something in a folder that is no plain file: "link" to a target, "fifo", or "folder"."""

    kind: str
    target: str = ""


Content = bytes | Node


@dataclass(frozen=True)
class Case:
    """One run of the command.

    `files` are in the folder before it, by path. `hostile` names those that may be made smaller; `words` is the place
    of the first argument that may be left out (None: all arguments stay). `outputs` are files and folders that the run
    may change; anything else that was there must stay as it was. `environment` is what the variables of these names are
    (None: there is none of that name). `codes`: the exit codes that it may end with, if not all that there are.
    """

    kind: str
    number: int
    arguments: tuple[str, ...]
    files: Mapping[str, Content] = field(default_factory=dict)
    hostile: tuple[str, ...] = ()
    words: int | None = None
    outputs: tuple[str, ...] = ()
    environment: Mapping[str, str | None] = field(default_factory=dict)
    codes: frozenset[int] | None = None

    @property
    def name(self) -> str:
        """How to ask for it again."""
        return f"{self.kind}:{self.number}"

    @property
    def encoding(self) -> str:
        """What its streams are written in: Python looks at the locale before anything of ours has begun."""
        locale = self.environment.get("LC_ALL") or ""
        return "latin-1" if "ISO" in locale else "ascii" if locale in ("C", "POSIX") else "utf-8"

    @property
    def size(self) -> int:
        """How much there is that may be made smaller."""
        texts = sum(len(self.files[name]) for name in self.hostile if isinstance(self.files[name], bytes))
        return texts + sum(map(len, self.arguments))

    def with_file(self, name: str, content: Content) -> Case:
        """The same with other content of a file."""
        return replace(self, files={**self.files, name: content})

    def lay_out(self, folder: Path) -> None:
        """Make the files."""
        folder.mkdir(parents=True)
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            elif content.kind == "link":
                path.symlink_to(content.target)
            elif content.kind == "fifo":
                os.mkfifo(path)
            else:
                path.mkdir()

    def changed(self, folder: Path) -> list[str]:
        """The files that are not as they were, and are no outputs."""
        return [
            name for name, content in self.files.items() if not (self._is_output(name) or _same(folder / name, content))
        ]

    def _is_output(self, name: str) -> bool:
        return any(name == output or name.startswith(output + "/") for output in self.outputs)


def _same(path: Path, content: Content) -> bool:
    if isinstance(content, bytes):
        return path.is_file() and not path.is_symlink() and path.read_bytes() == content
    if content.kind == "link":
        return path.is_symlink() and str(path.readlink()) == content.target
    return path.is_fifo() if content.kind == "fifo" else path.is_dir()
