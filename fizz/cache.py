"""The cache of parsed files: one pickle per file text, or constant from outside, in the user's cache folder.

An entry depends only on the name and text of one file, the version of the tool and its parser. Merged options, models
with constants replaced and checks of names are never in it. Damaged, foreign or unwritable entries are ignored without
a message: the cache only saves time. Entries are read by an unpickler that makes only trees of a model, and only from a
folder that no other user may write to. Files that are not named like an entry are never touched.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache as once
from operator import attrgetter
from pathlib import Path
from typing import Any

from fizz.base.light import FROZEN
from fizz.base.plain_files import read_regular
from fizz.base.version import VERSION

MAX_ENTRIES = 500
MAX_BYTES = 1 << 27
"""The tree of the largest file takes less."""
_DIGEST = 32
_PARSER_FILES = (
    "syntax/grammar.tx", "syntax/layout.py", "syntax/parse.py", "syntax/matcher.py", "syntax/string_literals.py",
    "syntax/lower.py", "syntax/lower_statements.py", "syntax/lower_expressions.py", "syntax/precedence.py",
    "syntax/ast.py", "base/errors.py", "model_files.py", "base/light.py", "options.py",
    "syntax/module.py", "base/yaml_text.py",
)  # fmt: skip
_UNREADABLE = (
    OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, TypeError, ValueError,
    ArithmeticError, RecursionError, MemoryError,
)  # fmt: skip
_ENTRY = re.compile(r"[0-9a-f]{64}|new-[a-z0-9_]+")


def key_of(file: str, text: str) -> str:
    """The name of the entry for a text in a file of this name."""
    digest = hashlib.sha256(_parser_digest())
    for part in (file, text):
        digest.update(len(part).to_bytes(8, "little") + part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@once
def _parser_digest() -> bytes:
    """A digest of what parsing depends on: the version, and during development the sources of the parser."""
    # Instances of light and standard dataclasses are pickled differently.
    digest = hashlib.sha256(f"{VERSION} {FROZEN}".encode())
    for name in _PARSER_FILES:
        try:
            digest.update(Path(__file__).parent.joinpath(name).read_bytes())
        except OSError:  # installed without sources: the version suffices
            digest.update(b"-")
    return digest.digest()


def folder() -> Path:
    """The folder of the entries."""
    from platformdirs import user_cache_path

    return Path(user_cache_path("fizzpy", appauthor=False)) / "parsed"


def get(key: str) -> object | None:
    """The value of an entry; None if there is no trustworthy one."""
    try:
        entries_folder = folder()
        if not _is_ours(entries_folder):
            return None
        data = read_regular(entries_folder / key, MAX_BYTES)
        body = data[_DIGEST:]
        if hashlib.sha256(body).digest() != data[:_DIGEST]:
            return None
        value: object = _Unpickler(io.BytesIO(body)).load()
    except _UNREADABLE:
        return None
    with suppress(OSError):
        # Marks the entry as used: a run over a hundred constants must not evict that of the model.
        os.utime(entries_folder / key)
    return value


def put(key: str, value: object) -> None:
    """Writes an entry atomically; readers see all of it or nothing."""
    try:
        entries_folder = folder()
        entries_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(entries_folder):
            return
        body = _pickled(value)
        import tempfile  # slow to import, and needed only to write

        handle, temporary = tempfile.mkstemp(dir=entries_folder, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(body).digest() + body)
            Path(temporary).replace(entries_folder / key)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
        _drop_oldest(entries_folder)
    except (OSError, pickle.PicklingError, RecursionError):
        return


def _is_ours(entries_folder: Path) -> bool:
    """Whether the folder belongs to the user, and no other user can write to it."""
    status = entries_folder.stat(follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode):
        return False
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _drop_oldest(entries_folder: Path) -> None:
    entries = [entry for entry in entries_folder.iterdir() if _ENTRY.fullmatch(entry.name)]
    if len(entries) > MAX_ENTRIES:
        entries = [entry for entry in entries if entry.is_symlink() or not entry.is_dir()]
        entries.sort(key=lambda entry: entry.lstat().st_mtime)
        for entry in entries[: len(entries) - MAX_ENTRIES]:
            entry.unlink(missing_ok=True)


def _pickled(value: object) -> bytes:
    from fizz.base.errors import Span

    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, protocol=5)
    # Trees are written as calls of their classes, which takes a third of the time of the default.
    pickler.dispatch_table = {one: _written(one) for one in _admitted().values() if is_dataclass(one)}
    pickler.dispatch_table[Span] = lambda span: (Span, tuple(span))
    pickler.dump(value)
    return stream.getvalue()


def _written(kind: type[Any]) -> Callable[[Any], Any]:
    """A reducer for pickle: a call of the class; the default where a keyword-only field is set."""
    named = [field.name for field in fields(kind) if field.kw_only]
    placed = [field.name for field in fields(kind) if not field.kw_only]
    content: Callable[[Any], Any] = attrgetter(*placed)

    def written(node: Any) -> Any:
        for name in named:
            if getattr(node, name) is not None:
                return node.__reduce_ex__(5)
        return kind, content(node) if len(placed) > 1 else (content(node),)

    return written


@once
def _admitted() -> Mapping[tuple[str, str], type]:
    """The classes that a parsed file is made of."""
    from fizz.base.errors import Diagnostic, Span
    from fizz.syntax import ast
    from fizz.syntax.layout import FrontMatter
    from fizz.syntax.module import ParsedFile, Setting

    classes: list[type] = [Span, Diagnostic, ParsedFile, FrontMatter, Setting]
    classes += [c for c in vars(ast).values() if isinstance(c, type) and issubclass(c, ast.Node)]
    return {(c.__module__, c.__qualname__): c for c in classes}


class _Unpickler(pickle.Unpickler):
    """Makes values of the admitted classes only; builtin containers need no class name."""

    def find_class(self, module: str, name: str) -> type:
        try:
            return _admitted()[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed") from None
