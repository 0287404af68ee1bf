"""The symbols of a model and their mentions, across the files that it includes.

Names are looked up as the checks do (`fizz/checks/scope.py`): variables of lambdas and comprehensions, then locals,
constants of the role, state variables, other names of the model. What stands before a dot has no type: `node.x` may be
the field `x` of each role that has one, unless it is `self`, a helper module or an `enum`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from fizz.base.errors import Span
from fizz.syntax import ast

SymbolKind = OneOf[
    "constant", "state variable", "field", "local", "parameter", "action", "func", "def", "role", "assertion",
    "module", "member",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name with a meaning. `span`: where it is defined; `whole`: the definition or statement; `owner`: its role,
    module, `enum`, or the definition that it is local to."""

    name: str
    kind: SymbolKind
    span: Span
    whole: Span
    owner: str | None = None
    node: ast.Node | None = field(default=None, compare=False, repr=False)

    @property
    def title(self) -> str:
        """The name as users write it: `Node.x`."""
        return self.name if self.owner is None or self.is_local else f"{self.owner}.{self.name}"

    @property
    def is_local(self) -> bool:
        return self.kind in ("local", "parameter")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a name stands, and what it may mean: several symbols if that is not known."""

    span: Span
    symbols: tuple[Symbol, ...]
    defines: bool = False


@dataclass(slots=True)
class SymbolIndex:
    """All symbols in the order of their definitions, and all mentions by file."""

    symbols: list[Symbol] = field(default_factory=list)
    mentions: dict[str, list[Mention]] = field(default_factory=dict)
    members: dict[str, dict[str, Symbol]] = field(default_factory=dict)  # of roles, helper modules and enums
    names: dict[str, Symbol] = field(default_factory=dict)  # of the model itself
    locals_of: list[tuple[Span, str | None, Mapping[str, Symbol]]] = field(default_factory=list)  # bodies, their roles

    def at(self, file: str, line: int, column: int) -> Mention | None:
        """What is mentioned at a place; columns count from 1, and the one behind a name still belongs to it."""
        found = self.mentions.get(file, [])
        index = bisect_right(found, (line, column), key=lambda mention: (mention.span.line, mention.span.column))
        for mention in found[max(index - 2, 0) : index][::-1]:
            span = mention.span
            if span.line == line == span.end_line and span.column <= column <= span.end_column:
                return mention
        return None

    def mentions_of(self, symbols: Iterable[Symbol]) -> list[Mention]:
        """All places that may mean one of these symbols, its definition among them."""
        wanted = set(symbols)
        return [mention for found in self.mentions.values() for mention in found if wanted & set(mention.symbols)]

    def seen_at(self, file: str, line: int) -> tuple[str | None, Mapping[str, Symbol]]:
        """The role around a line, and the locals that are seen there."""
        role: str | None = None
        names: dict[str, Symbol] = {}
        for span, owner, seen in self.locals_of:
            if span.file == file and span.line <= line <= span.end_line:
                role, names = owner or role, names | dict(seen)
        return role, names

    def sort(self) -> None:
        """Puts the mentions of each file in order, each place once."""
        for file, found in self.mentions.items():
            unique = {mention.span: mention for mention in found}
            # A definition is not replaced by another mention of the place.
            unique |= {mention.span: mention for mention in found if mention.defines}
            self.mentions[file] = sorted(unique.values(), key=lambda mention: mention.span)


def name_at_end(node: ast.Node, name: str) -> Span:
    """The span of the name that a node ends with, as that of an attribute."""
    span = node.span
    return Span(span.file, span.end_line, span.end_column - len(name), span.end_line, span.end_column)


def find_names(span: Span, names: Sequence[str], sources: Mapping[str, str]) -> list[Span]:
    """The spans of names in a stretch of source text, each the next one after that of the name before."""
    import re

    rows = sources.get(span.file, "").split("\n")
    found: list[Span] = []
    line, column = span.line, span.column
    for name in names:
        while line <= min(span.end_line, len(rows)):
            match = re.compile(rf"\b{re.escape(name)}\b").search(rows[line - 1], column - 1)
            if match is not None:
                column = match.end() + 1
                found.append(Span(span.file, line, match.start() + 1, line, match.end() + 1))
                break
            line, column = line + 1, 1
    return found
