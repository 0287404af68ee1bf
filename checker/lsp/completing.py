"""What may stand at a place of a text: names with their declarations, builtins, options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from lsprotocol import types

from checker.lsp.builtin_docs import BUILTIN_DOCS, KEYWORD_DOCS, OPTION_DOCS
from checker.lsp.hover_text import comment_of, declaration_of
from checker.lsp.open_models import ExaminedModel
from fizz.base.builtin_names import BUILTIN_MODULES, METHODS
from fizz.symbols.symbol_index import Symbol, SymbolKind

_KINDS: Mapping[SymbolKind, types.CompletionItemKind] = {
    "constant": types.CompletionItemKind.Constant,
    "state variable": types.CompletionItemKind.Variable,
    "field": types.CompletionItemKind.Field,
    "local": types.CompletionItemKind.Variable,
    "parameter": types.CompletionItemKind.Variable,
    "action": types.CompletionItemKind.Event,
    "func": types.CompletionItemKind.Function,
    "def": types.CompletionItemKind.Function,
    "role": types.CompletionItemKind.Class,
    "assertion": types.CompletionItemKind.Property,
    "module": types.CompletionItemKind.Module,
    "member": types.CompletionItemKind.EnumMember,
}
_AFTER_DOT = re.compile(r"([^\W\d]\w*)?\s*\.\s*\w*$")


def completions(
    models: Iterable[ExaminedModel], file: str, text: str, line: int, column: int
) -> list[types.CompletionItem]:
    """The items for a place; the editor keeps those that begin with what is typed already."""
    rows = text.split("\n")
    before = rows[line - 1][: column - 1] if line <= len(rows) else ""
    if "#" in re.sub(r"'[^']*'|\"[^\"]*\"", "", before):
        return []
    if in_front_matter(rows, line):
        return list(_options())
    found = list(models)
    dot = _AFTER_DOT.search(before)
    items = _behind_dot(found, file, line, dot.group(1)) if dot is not None else _names(found, file, line)
    return list({item.label: item for item in items}.values())


def in_front_matter(rows: list[str], line: int) -> bool:
    """Whether a line stands between the two lines of dashes of the front matter."""
    first = next((index for index, row in enumerate(rows, 1) if row.strip() and not row.startswith("#")), 0)
    if not first or not rows[first - 1].startswith("---"):
        return False
    end = next((index for index in range(first + 1, len(rows) + 1) if rows[index - 1].startswith("---")), len(rows) + 1)
    return first < line < end


def _options() -> Iterator[types.CompletionItem]:
    for name, text in OPTION_DOCS.items():
        yield types.CompletionItem(name, kind=types.CompletionItemKind.Property, detail=text, insert_text=f"{name}: ")


def _behind_dot(
    models: list[ExaminedModel], file: str, line: int, receiver: str | None
) -> Iterator[types.CompletionItem]:
    """Members of what stands before the dot; of all roles, and methods, if that is not known."""
    if receiver is not None and receiver in BUILTIN_MODULES:
        for name in sorted(BUILTIN_MODULES[receiver]):
            yield types.CompletionItem(name, kind=types.CompletionItemKind.Function, detail=f"{receiver}.{name}")
        return
    known = False
    for model in models:
        role, locals_seen = model.index.seen_at(file, line)
        owner = role if receiver == "self" else receiver if receiver not in locals_seen else None
        if owner is not None and owner in model.index.members:
            known = True
            yield from (_item(model, symbol) for symbol in model.index.members[owner].values())
    if known:
        return
    for model in models:
        for members in model.index.members.values():
            yield from (_item(model, symbol) for symbol in members.values() if symbol.kind in ("field", "func", "def"))
    for name in sorted(METHODS):
        yield types.CompletionItem(name, kind=types.CompletionItemKind.Method, detail="method", sort_text=f"~{name}")


def _names(models: list[ExaminedModel], file: str, line: int) -> Iterator[types.CompletionItem]:
    for model in models:
        role, locals_seen = model.index.seen_at(file, line)
        yield from (_item(model, symbol) for symbol in locals_seen.values())
        members = model.index.members.get(role or "", {}).values()
        yield from (_item(model, symbol) for symbol in members if symbol.kind == "constant")
        yield from (_item(model, symbol) for symbol in model.index.names.values() if symbol.kind != "action")
    for name, (signature, text) in BUILTIN_DOCS.items():
        kind = types.CompletionItemKind.Module if name in BUILTIN_MODULES else types.CompletionItemKind.Function
        yield types.CompletionItem(name, kind=kind, detail=signature, documentation=text, sort_text=f"~{name}")
    for name, text in KEYWORD_DOCS.items():
        kind = types.CompletionItemKind.Keyword
        yield types.CompletionItem(name, kind=kind, documentation=text, sort_text=f"~~{name}")


def _item(model: ExaminedModel, symbol: Symbol) -> types.CompletionItem:
    source = model.source(symbol.span.file)
    return types.CompletionItem(
        symbol.name,
        kind=_KINDS[symbol.kind],
        detail=declaration_of(symbol, source),
        documentation=comment_of(symbol, source) or None,
    )
