"""What is shown about a name: what it is, its comment, its value."""

from __future__ import annotations

import re
from collections.abc import Mapping

from checker.lsp.builtin_docs import BUILTIN_DOCS, KEYWORD_DOCS, OPTION_DOCS
from checker.lsp.open_models import ExaminedModel
from fizz.base.errors import rows_of
from fizz.symbols.symbol_index import Mention, Symbol

Values = Mapping[str, Mapping[str, tuple[str, str]]]
"""As `first_values` gives them."""
_MOST_SYMBOLS = 4


def hover_of_mention(model: ExaminedModel, mention: Mention, values: Values) -> str:
    """Markdown about all that a name may mean."""
    return "\n\n---\n\n".join(_about(model, symbol, values) for symbol in mention.symbols[:_MOST_SYMBOLS])


def hover_of_word(word: str, in_front_matter: bool) -> str | None:
    """Markdown about a word that the language or its options define."""
    if in_front_matter:
        text = OPTION_DOCS.get(word)
        return None if text is None else f"`{word}`: {text}"
    if word in BUILTIN_DOCS:
        signature, text = BUILTIN_DOCS[word]
        return f"{_code(signature)}\n\n{text}"
    return KEYWORD_DOCS.get(word)


def _about(model: ExaminedModel, symbol: Symbol, values: Values) -> str:
    source = model.source(symbol.span.file)
    parts = [_code(declaration_of(symbol, source)), f"{symbol.kind} `{symbol.title}`"]
    if symbol.is_local:
        parts[-1] = f"{symbol.kind} of `{symbol.owner}`"
    value = _value_of(symbol, values)
    if value is not None:
        kind, text = value
        when = "" if symbol.kind == "constant" else " at first"
        parts.append(f"{kind}{when}: `{text.replace('`', '')}`")
    comment = comment_of(symbol, source)
    if comment:
        parts.append(comment)
    return "\n\n".join(parts)


def _code(text: str) -> str:
    return f"```fizz\n{text.replace('```', '')}\n```"


def _value_of(symbol: Symbol, values: Values) -> tuple[str, str] | None:
    match symbol.kind:
        case "constant":
            return values.get("constants", {}).get(symbol.title)
        case "state variable":
            return values.get("variables", {}).get(symbol.name)
        case "field":
            return values.get("fields", {}).get(symbol.title)
        case _:
            return None


def declaration_of(symbol: Symbol, source: str) -> str:
    """The line that defines a symbol, without its comment and its block."""
    rows = rows_of(source)
    if symbol.kind == "module" or not 1 <= symbol.span.line <= len(rows):
        return symbol.name
    row = rows[symbol.span.line - 1].strip()
    if symbol.kind in ("action", "func", "def", "role", "assertion"):
        return row.partition("#")[0].rstrip().removesuffix(":")
    return re.sub(r"\s+#[^'\"]*$", "", row)


def comment_of(symbol: Symbol, source: str) -> str:
    """The comment behind the line that defines a symbol, or the lines of comments directly above it."""
    rows = rows_of(source)
    line = symbol.span.line
    if symbol.kind == "module" or not 1 <= line <= len(rows):
        return ""
    behind = re.search(r"\s#\s*([^'\"]*)$", rows[line - 1])
    if behind is not None:
        return behind.group(1).strip()
    above: list[str] = []
    index = line - 2
    while index >= 0 and rows[index].strip().startswith(("#", "@")):
        if rows[index].strip().startswith("#"):
            above.append(rows[index].strip().lstrip("#").strip())
        index -= 1
    # Names of a block have the comments of their own line alone.
    return " ".join(above[::-1]) if symbol.kind in ("action", "func", "def", "role", "assertion", "constant") else ""
