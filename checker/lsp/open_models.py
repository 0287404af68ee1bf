"""The models that an editor has open: their texts, which files belong together, and what is known of them.

A file that others include is examined as a part of these: alone it would lack what they define.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from fizz.base.errors import Diagnostic, FizzError
from fizz.load import Examined, examine
from fizz.model_files import ParseMemory, read_text
from fizz.symbols.indexing import includes_of, index_symbols
from fizz.symbols.symbol_index import SymbolIndex

_MOST_FILES = 300
_MOST_ROOTS = 5
"""Models that a file is examined as a part of while it is edited."""


@dataclass(frozen=True, slots=True)
class ExaminedModel:
    """A model as it was examined last: `path` is the file that is checked, `known` None if it is no text."""

    path: str
    known: Examined | None
    index: SymbolIndex
    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]

    def source(self, file: str) -> str:
        """The text of one of its files."""
        return "" if self.known is None else self.known.sources.get(file, "")

    @property
    def files(self) -> list[str]:
        return [self.path] if self.known is None else list(self.known.sources)


@dataclass(slots=True)
class OpenModels:
    """`texts`: those of open files by their real path, which the editor may not have saved yet."""

    texts: dict[str, str] = field(default_factory=dict)
    _models: dict[str, ExaminedModel] = field(default_factory=dict)
    _right: dict[str, ExaminedModel] = field(default_factory=dict)  # the models when they had no errors, last
    _memory: ParseMemory = field(default_factory=ParseMemory)

    def set_text(self, path: str, text: str) -> None:
        """The text of a file, opened or changed. What was known of its models is no longer."""
        self.texts[path] = text
        self._models.clear()

    def close(self, path: str) -> None:
        """From now on the file on the disk counts."""
        self.texts.pop(path, None)
        self._models.clear()

    def forget(self) -> None:
        """Files on the disk may have changed."""
        self._models.clear()

    def text(self, path: str) -> str:
        """The text of a file; empty if it cannot be read."""
        if path not in self.texts:
            with suppress(OSError, FizzError):
                return read_text(path)
        return self.texts.get(path, "")

    def models_with(self, path: str) -> list[ExaminedModel]:
        """The models that a file is a part of; itself, if no other includes it."""
        return [self.model(root) for root in self._roots(path)]

    def model(self, path: str) -> ExaminedModel:
        """A model, examined unless nothing has changed since."""
        if path not in self._models:
            self._models[path] = self._examined(path)
        return self._models[path]

    def also_when_right(self, path: str) -> list[ExaminedModel]:
        """The models with a file, and what they were before an error: where a line is not complete yet."""
        models = self.models_with(path)
        return [*models, *(self._right[one.path] for one in models if one.errors and one.path in self._right)]

    def _examined(self, path: str) -> ExaminedModel:
        try:
            found = examine(path, self.texts, self._memory)
        except FizzError as error:
            return ExaminedModel(path, None, SymbolIndex(), error.diagnostics, ())
        except OSError as error:
            text = f"the file cannot be read: {error.strerror}"
            return ExaminedModel(path, None, SymbolIndex(), (Diagnostic("L1", text),), ())
        model = ExaminedModel(path, found, index_symbols(found), found.diagnostics, found.warnings)
        if not model.errors:
            self._right[path] = model
        return model

    def _roots(self, path: str) -> list[str]:
        """The files that include this one, directly or not, and that none includes."""
        if path.endswith(".star"):
            return [file for file in self._neighbours(Path(path).parent) if self._mentions(file, path)] or [path]
        included_by: dict[str, set[str]] = {}
        for folder in self._folders(Path(path).parent):
            for file in self._neighbours(folder):
                for _, _, _, target in includes_of(self.text(file), file):
                    included_by.setdefault(os.path.realpath(target), set()).add(file)
        roots: set[str] = set()
        waiting, seen = [path], {path}
        while waiting:
            file = waiting.pop()
            above = included_by.get(file, set()) - seen
            if file not in included_by:
                roots.add(file)
            seen |= above
            waiting += above
        return sorted(roots or {path})[:_MOST_ROOTS]

    def _mentions(self, file: str, module: str) -> bool:
        return f"{Path(module).stem}." in self.text(file)

    def _folders(self, folder: Path) -> Iterator[Path]:
        """The folder of a file, and the two above it: a model may include files of folders below its own."""
        yield from (folder, *folder.parents[:2])

    def _neighbours(self, folder: Path) -> list[str]:
        """The models in a folder, by their real paths."""
        names: Iterable[Path] = ()
        with suppress(OSError):
            names = sorted(folder.glob("*.fizz"))[:_MOST_FILES]
        opened = [path for path in self.texts if Path(path).parent == folder and path.endswith(".fizz")]
        return list(dict.fromkeys([*(os.path.realpath(name) for name in names), *opened]))

    def problems_of(self, path: str) -> dict[str, list[tuple[bool, Diagnostic]]]:
        """What is wrong in each file of the models with this one: whether it is an error, and the message.

        What several models say of one place is said once.
        """
        found: dict[str, list[tuple[bool, Diagnostic]]] = {path: []}
        for model in self.models_with(path):
            for file in model.files:
                found.setdefault(file, [])
            messages = [(True, error) for error in model.errors] + [(False, warning) for warning in model.warnings]
            for message in messages:
                span = message[1].span
                of_file = found.setdefault(model.path if span is None else span.file, [])
                if message not in of_file:
                    of_file.append(message)
        return found
