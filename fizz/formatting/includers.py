"""`includer_of`: a file that includes another one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from fizz.base.errors import FizzError
from fizz.model_files import read_text
from fizz.syntax import ast
from fizz.syntax.layout import lay_out

_INCLUDES: Final = re.compile(r"^include\b", re.MULTILINE)


class Includer(NamedTuple):
    """A file that includes another one, and the path by which it names that: by a link it may have another name."""

    file: str
    path: str


def includer_of(file: str) -> Includer | None:
    """The first file found that includes this one; None if there is none.

    A model includes nothing outside its folder: so all models that come to this file are in its folder or above.
    """
    wanted = os.path.realpath(file)
    seen = {wanted}
    for folder in Path(wanted).parents:
        for model in _models(folder):
            found = _includer_below(model, wanted, seen)
            if found is not None:
                return found
    return None


def _models(folder: Path) -> list[str]:
    try:
        return sorted(str(path) for path in folder.glob("*.fizz"))
    except OSError:
        return []


def _includer_below(model: str, wanted: str, seen: set[str]) -> Includer | None:
    """The first of a file and all that it includes which includes the wanted one. Adds to the seen ones."""
    waiting = [os.path.realpath(model)]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        included = list(_included_by(file))
        for target, path in included:
            if target == wanted:
                return Includer(file, path)
        waiting.extend(target for target, _ in reversed(included))
    return None


def _included_by(file: str) -> Iterator[tuple[str, str]]:
    """The files that a file includes, each with the path by which it does; none if it can not be read."""
    try:
        text = read_text(file)
    except (OSError, FizzError):
        return
    if not _INCLUDES.search(text):
        return
    from fizz.syntax.lower import lower_piece

    for piece in lay_out(file, text).pieces:
        if not piece.text.startswith("include"):
            continue
        try:
            items, _ = lower_piece(piece)
        except FizzError:
            continue
        for item in items:
            if isinstance(item, ast.Include) and "\0" not in item.path:
                yield os.path.realpath(Path(file).parent / item.path), item.path
