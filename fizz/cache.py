"""The cache of parsed files: one pickle per file text, or constant from outside, in the user's cache folder.

An entry depends on nothing but the name and text of one file, the version of the tool and its parser. Merged options,
models with constants replaced and checks of names are never in it. What is damaged, foreign or unwritable is silently
passed over: the cache only saves time. Entries are read by an unpickler that makes nothing but trees of a model, and
only from a folder that nobody else may write to. What is not named like an entry is never touched.
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
    "syntax/grammar.tx", "syntax/layout.py", "syntax/parse.py", "syntax/matcher.py", "syntax/strings.py",
    "syntax/lower.py", "syntax/lower_statements.py", "syntax/lower_expressions.py", "syntax/precedence.py",
    "syntax/ast.py", "base/errors.py", "files.py", "syntax/line_index.py", "base/light.py", "options.py",
    "settings.py", "base/yaml_text.py",
)  # fmt: skip
_UNREADABLE = (
    OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, TypeError, ValueError,
    ArithmeticError, RecursionError, MemoryError,
)  # fmt: skip
_ENTRY = re.compile(r"[0-9a-f]{64}|new-[a-z0-9_]+")


def key_of(file: str, text: str) -> str:
    """The name of the entry for a text that stands in a file of this name."""
    digest = hashlib.sha256(_parser_digest())
    for part in (file, text):
        digest.update(len(part).to_bytes(8, "little") + part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@once
def _parser_digest() -> bytes:
    """What decides how a text is parsed: the version, and while the tool is being worked on, the parser itself."""
    # Instances of the two kinds of classes are not written alike.
    digest = hashlib.sha256(f"{VERSION} {FROZEN}".encode())
    for name in _PARSER_FILES:
        try:
            digest.update(Path(__file__).parent.joinpath(name).read_bytes())
        except OSError:  # installed without sources: the version decides alone
            digest.update(b"-")
    return digest.digest()


def folder() -> Path:
    """Where the entries are."""
    from platformdirs import user_cache_path

    return Path(user_cache_path("fizzpy", appauthor=False)) / "parsed"


def get(key: str) -> object | None:
    """The value of an entry; None if there is none, or none that can be trusted."""
    try:
        place = folder()
        if not _is_ours(place):
            return None
        data = read_regular(place / key, MAX_BYTES)
        body = data[_DIGEST:]
        if hashlib.sha256(body).digest() != data[:_DIGEST]:
            return None
        value: object = _Unpickler(io.BytesIO(body)).load()
    except _UNREADABLE:
        return None
    with suppress(OSError):
        # Whoever tries a hundred constants on a model shall not lose the model.
        os.utime(place / key)
    return value


def put(key: str, value: object) -> None:
    """Writes an entry in one go; readers see all of it or nothing."""
    try:
        place = folder()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(place):
            return
        body = _pickled(value)
        import tempfile  # slow to import, and needed only to write

        handle, temporary = tempfile.mkstemp(dir=place, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(body).digest() + body)
            Path(temporary).replace(place / key)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
        _drop_oldest(place)
    except (OSError, pickle.PicklingError, RecursionError):
        return


def _is_ours(place: Path) -> bool:
    """Whether nobody else can write to the folder."""
    status = place.stat(follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode):
        return False
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _drop_oldest(place: Path) -> None:
    entries = [entry for entry in place.iterdir() if _ENTRY.fullmatch(entry.name)]
    if len(entries) > MAX_ENTRIES:
        entries = [entry for entry in entries if entry.is_symlink() or not entry.is_dir()]
        entries.sort(key=lambda entry: entry.lstat().st_mtime)
        for entry in entries[: len(entries) - MAX_ENTRIES]:
            entry.unlink(missing_ok=True)


def _pickled(value: object) -> bytes:
    from fizz.base.errors import Span

    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, protocol=5)
    # Trees are written as calls of their classes: that takes a third of the time of what pickle does by itself.
    pickler.dispatch_table = {one: _written(one) for one in _admitted().values() if is_dataclass(one)}
    pickler.dispatch_table[Span] = lambda span: (Span, tuple(span))
    pickler.dump(value)
    return stream.getvalue()


def _written(kind: type[Any]) -> Callable[[Any], Any]:
    """What tells pickle the call that makes an instance; where a field is given by its name, what it does by itself."""
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
    from fizz import files, settings
    from fizz.base import errors
    from fizz.syntax import ast, layout

    classes: list[type] = [errors.Span, errors.Diagnostic, files.ParsedFile, layout.FrontMatter, settings.Setting]
    classes += [c for c in vars(ast).values() if isinstance(c, type) and issubclass(c, ast.Node)]
    return {(c.__module__, c.__qualname__): c for c in classes}


class _Unpickler(pickle.Unpickler):
    """Makes values of the admitted classes only; builtin containers need no name."""

    def find_class(self, module: str, name: str) -> type:
        try:
            return _admitted()[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed") from None
