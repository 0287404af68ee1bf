"""The outline of a file: its definitions, those of roles inside them."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from checker.lsp.open_models import ExaminedModel
from checker.lsp.positions import range_of
from fizz.symbols.symbol_index import Symbol, SymbolKind

_KINDS: Mapping[SymbolKind, types.SymbolKind] = {
    "constant": types.SymbolKind.Constant,
    "state variable": types.SymbolKind.Variable,
    "field": types.SymbolKind.Field,
    "local": types.SymbolKind.Variable,
    "parameter": types.SymbolKind.Variable,
    "action": types.SymbolKind.Event,
    "func": types.SymbolKind.Function,
    "def": types.SymbolKind.Function,
    "role": types.SymbolKind.Class,
    "assertion": types.SymbolKind.Property,
    "module": types.SymbolKind.Module,
    "member": types.SymbolKind.EnumMember,
}


def outline(model: ExaminedModel, file: str) -> list[types.DocumentSymbol]:
    """The symbols that are defined in one file of a model."""
    text = model.source(file)
    shown: list[types.DocumentSymbol] = []
    roles: dict[str, types.DocumentSymbol] = {}
    symbols = [symbol for symbol in model.index.symbols if symbol.span.file == file and symbol.kind != "module"]
    for symbol in sorted(symbols, key=lambda one: (one.kind != "role", one.span)):
        entry = _entry(symbol, text)
        if symbol.kind == "role":
            roles[symbol.name] = entry
        around = roles.get(symbol.owner or "")
        if around is not None and _within(entry.range, around.range):
            around.children = [*(around.children or []), entry]
        else:
            shown.append(entry)
    return sorted(shown, key=lambda entry: (entry.range.start.line, entry.range.start.character))


def _within(inner: types.Range, outer: types.Range) -> bool:
    return outer.start.line <= inner.start.line and inner.end.line <= outer.end.line


def _entry(symbol: Symbol, text: str) -> types.DocumentSymbol:
    name = range_of(symbol.span, text)
    whole = range_of(symbol.whole, text)
    start = min((whole.start, name.start), key=lambda at: (at.line, at.character))
    end = max((whole.end, name.end), key=lambda at: (at.line, at.character))
    return types.DocumentSymbol(symbol.name, _KINDS[symbol.kind], types.Range(start, end), name, detail=symbol.kind)
