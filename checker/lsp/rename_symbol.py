"""Renaming a symbol wherever it is mentioned, in all files of its models; refused where that could change a model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from checker.lsp.open_models import ExaminedModel, OpenModels
from fizz.base.builtin_names import ASSERTION_NAMES, BUILTIN_FUNCTIONS, BUILTIN_MODULES, METHODS, RESERVED_FUNCTIONS
from fizz.base.errors import Span
from fizz.load import examine
from fizz.symbols.indexing import index_symbols
from fizz.symbols.symbol_index import Mention, Symbol
from fizz.syntax.parse import reserved_words

_LANGUAGE = BUILTIN_FUNCTIONS | RESERVED_FUNCTIONS | ASSERTION_NAMES | BUILTIN_MODULES.keys()


class RenameRefused(Exception):
    """Why a symbol cannot be renamed, in a sentence."""


def renamable(mention: Mention | None) -> Symbol:
    """The symbol of a mention that may be renamed. Raises `RenameRefused`."""
    if mention is None:
        raise RenameRefused("there is no name of the model here")
    if len(mention.symbols) > 1:
        titles = ", ".join(f"'{symbol.title}'" for symbol in mention.symbols)
        raise RenameRefused(f"this may be each of {titles}: rename it where it is defined")
    (symbol,) = mention.symbols
    if symbol.kind in ("module", "member") or symbol.name in ("Init", "self"):
        raise RenameRefused(f"'{symbol.name}' cannot be renamed: its name has a meaning of its own")
    return symbol


def rename_spans(models: OpenModels, path: str, symbol: Symbol, name: str) -> list[Span]:
    """The places to change. Raises `RenameRefused` if the model would have other errors than before."""
    _refuse_name(symbol, name)
    found = models.models_with(path)
    spans: set[Span] = set()
    for model in found:
        for mention in model.index.mentions_of(_same(model, symbol)):
            if len(mention.symbols) > 1:
                line = f"{Path(mention.span.file).name}:{mention.span.line}"
                raise RenameRefused(f"'{symbol.name}' in {line} may be of another role: rename it by hand")
            spans.add(mention.span)
        spans |= set(_in_front_matter(model, symbol))
    places = sorted(spans)
    _refuse_changes(models, found, places, symbol, name)
    return places


def _same(model: ExaminedModel, symbol: Symbol) -> list[Symbol]:
    return [one for one in (*model.index.symbols, symbol) if (one.span, one.name) == (symbol.span, symbol.name)]


def _refuse_name(symbol: Symbol, name: str) -> None:
    if not re.fullmatch(r"[^\W\d]\w*", name) or name.startswith("__"):
        raise RenameRefused(f"'{name}' is no name")
    if name in reserved_words() or name == "self":
        raise RenameRefused(f"'{name}' is a reserved word")
    if name in _LANGUAGE or (symbol.owner is not None and not symbol.is_local and name in METHODS):
        raise RenameRefused(f"'{name}' is a name of the language")


def _in_front_matter(model: ExaminedModel, symbol: Symbol) -> list[Span]:
    """Keys of `action_options` and names in `identity.exclude` that name the symbol."""
    if symbol.kind not in ("action", "func", "role", "state variable"):
        return []
    rows = model.source(model.path).split("\n")
    ends = [number for number, row in enumerate(rows, 1) if row.startswith("---")][:2]
    if len(ends) < 2 or model.known is None or any(row.strip()[:1] not in ("", "#") for row in rows[: ends[0] - 1]):
        return []
    word = re.escape(symbol.name)
    if symbol.owner is not None:
        pattern = re.compile(rf"(?<![\w.])(?:{re.escape(symbol.owner)}(?:#\d*)?\.)({word})(?![\w.])")
    else:
        pattern = re.compile(rf"(?<![\w.])({word})(?![\w])")
    return [
        Span(model.path, number, match.start(1) + 1, number, match.end(1) + 1)
        for number in range(ends[0] + 1, ends[1])
        for match in pattern.finditer(rows[number - 1].partition(" #")[0])
    ]


def _refuse_changes(
    models: OpenModels, found: Sequence[ExaminedModel], places: Sequence[Span], symbol: Symbol, name: str
) -> None:
    """Refuse a name that means something else already: it would then be mentioned more often than the symbol was."""
    texts = dict(models.texts)
    for file in {span.file for span in places}:
        texts[os.path.realpath(file)] = renamed(models.text(os.path.realpath(file)), file, places, name)
    for model in found:
        known = examine(model.path, texts)
        if [error.code for error in known.diagnostics] != [error.code for error in model.errors]:
            new = next((error.text for error in known.diagnostics if error not in model.errors), "the errors change")
            raise RenameRefused(f"'{name}' does not fit: {new}")
        index = index_symbols(known)
        before = sorted(_shapes(model.index.mentions.values(), symbol.name, name))
        if before != sorted(_shapes(index.mentions.values(), name, name)):
            raise RenameRefused(f"'{name}' means something else already")


def _shapes(files: Iterable[Sequence[Mention]], old: str, new: str) -> Iterator[tuple[str, int, str]]:
    """Each mention by its line and what it means, with the new name for the old one."""
    for mentions in files:
        for mention in mentions:
            meant = [
                f"{symbol.kind} {symbol.span.line} {new if symbol.name == old else symbol.name}"
                for symbol in mention.symbols
            ]
            yield mention.span.file, mention.span.line, "|".join(meant)


def renamed(text: str, file: str, places: Sequence[Span], name: str) -> str:
    """The text of a file with another name at these places."""
    rows = text.split("\n")
    for span in sorted((span for span in places if span.file == file), reverse=True):
        row = rows[span.line - 1]
        rows[span.line - 1] = row[: span.column - 1] + name + row[span.end_column - 1 :]
    return "\n".join(rows)
