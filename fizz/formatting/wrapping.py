"""Lines that are too long are broken inside brackets: at commas, else at the operators that bind least.

What is broken stands one step deeper than its brackets, as in the formatter Black, on one row if it fits there. A comma
before the closing bracket keeps a row for each element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fizz.formatting.source_tokens import SourceToken

WIDTH = 120
STEP = 4
_OPERATORS = (
    ("or",),
    ("and",),
    ("==", "!=", "<", ">", "<=", ">=", "in"),
    ("|", "^", "&"),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "//", "%"),
)
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_NOT_PARENTHESISED = ("oneof", "any", ",", "if", "else")


@dataclass(slots=True)
class _Group:
    """A pair of brackets and what is between them."""

    opening: SourceToken
    children: list[_Node]
    closing: SourceToken


_Node = SourceToken | _Group


@dataclass(slots=True)
class Row:
    """A row of the output: its indentation in columns, its code, the comment behind it."""

    indent: int
    code: str
    comment: str | None = None


def wrap(tokens: Sequence[SourceToken], indent: int) -> list[Row]:
    """The rows of a logical line."""
    nodes = _nodes(iter(tokens))
    if not _fits(nodes, indent) and not any(map(_is_forced, nodes)):
        nodes = _parenthesised(nodes)
    writer = _Writer(indent)
    writer.emit(nodes)
    writer.end_row()
    return writer.rows


def _nodes(tokens: Iterator[SourceToken]) -> list[_Node]:
    """The tokens as a tree of brackets."""
    nodes: list[_Node] = []
    outer: list[tuple[SourceToken, list[_Node]]] = []
    for token in tokens:
        if token.kind == "open":
            outer.append((token, nodes))
            nodes = []
        elif token.kind == "close":
            opening, around = outer.pop()
            around.append(_Group(opening, nodes, token))
            nodes = around
        else:
            nodes.append(token)
    return nodes


def _flat(nodes: Sequence[_Node]) -> Iterator[SourceToken]:
    for node in nodes:
        if isinstance(node, _Group):
            yield node.opening
            yield from _flat(node.children)
            yield node.closing
        else:
            yield node


def _width(nodes: Sequence[_Node]) -> int:
    """Of a string over several lines the longest line counts."""
    return sum(max(map(len, token.text.split("\n"))) + token.space for token in _flat(nodes))


def _fits(nodes: Sequence[_Node], indent: int) -> bool:
    return indent + _width(nodes) <= WIDTH


def _is_forced(node: _Node) -> bool:
    """Whether a group cannot stand on one row: it has comments, or a comma before its closing bracket."""
    if isinstance(node, SourceToken):
        return False
    commented = any(token.before or token.after for token in _flat([node]))
    return commented or _keeps_rows(node) or any(map(_is_forced, node.children))


def _keeps_rows(group: _Group) -> bool:
    """Whether there is a comma before the closing bracket that says no more than that: `(x,)` and `d[x,]` need it."""
    commas = [node for node in group.children if isinstance(node, SourceToken) and node.text == ","]
    last = group.children[-1] if group.children else None
    return last in commas and (len(commas) > 1 or group.opening.text == "{")


def _parenthesised(nodes: list[_Node]) -> list[_Node]:
    """A condition or a right side in parentheses, if there is `and` or `or` in it, or nothing else to break it at."""
    words = [node.text if isinstance(node, SourceToken) else "" for node in nodes]
    start, end = 0, len(nodes)
    if words[0] in ("require", "return"):
        start = 1
    elif words[0] in ("if", "elif", "while") and words[-1] == ":" and words.count(":") == 1:
        start, end = 1, len(nodes) - 1
    else:
        assigning = [index for index, word in enumerate(words) if word in _ASSIGNING]
        start = assigning[-1] + 1 if assigning else end
    wrapped = words[start:end]
    if len(wrapped) < 2 or "lambda" in words or any(word in _NOT_PARENTHESISED for word in wrapped):
        return nodes
    if not {"or", "and"} & set(wrapped):
        breakable = any(isinstance(node, _Group) and node.children for node in nodes[start:end])
        if breakable or not any(word in level for level in _OPERATORS for word in wrapped):
            return nodes
    opening = SourceToken("open", "(", False, space=True)
    inner = nodes[start:end]
    _first(inner).space = False
    return [*nodes[:start], _Group(opening, inner, SourceToken("close", ")", True)), *nodes[end:]]


def _first(nodes: Sequence[_Node]) -> SourceToken:
    return next(_flat(nodes))


@dataclass(slots=True)
class _Writer:
    """Collects rows. `_code` is the row that is being written."""

    indent: int
    rows: list[Row] = field(default_factory=list)
    _code: str = ""

    def put(self, token: SourceToken) -> None:
        """Appends a token; its comments end rows."""
        if token.before:
            self.end_row()
            self.rows.extend(Row(self.indent, "", comment) for comment in token.before)
        self._code += (" " if token.space and self._code else "") + token.text
        if token.after is not None:
            self.end_row(token.after)

    def end_row(self, comment: str | None = None) -> None:
        if self._code or comment is not None:
            self.rows.append(Row(self.indent, self._code, comment))
            self._code = ""

    def emit(self, nodes: Sequence[_Node]) -> None:
        """Appends nodes, with those groups over several rows that must be."""
        broken = self._to_break(nodes)
        for node in nodes:
            if isinstance(node, SourceToken):
                self.put(node)
            elif id(node) in broken:
                self._break(node)
            else:
                for token in _flat([node]):
                    self.put(token)

    def _to_break(self, nodes: Sequence[_Node]) -> set[int]:
        """The groups to break: those that must be, and the widest ones until each row between them fits."""
        broken = {id(node) for node in nodes if _is_forced(node)}
        while True:
            rows: list[list[_Node]] = [[]]
            for node in nodes:
                if id(node) in broken and isinstance(node, _Group):
                    rows[-1].append(node.opening)
                    rows.append([node.closing])
                else:
                    rows[-1].append(node)
            long = (row for row in rows if not _fits(row, self.indent))
            groups = [node for row in long for node in row if isinstance(node, _Group) and node.children]
            if not groups:
                return broken
            broken.add(id(max(groups, key=lambda group: _width([group]))))

    def _break(self, group: _Group) -> None:
        """Appends a group over several rows. Brackets with nothing but brackets in them open and close together."""
        self.put(group.opening)
        only = group.children[0] if len(group.children) == 1 else None
        if isinstance(only, _Group) and _may_open_with(group, only):
            self._break(only)
            self.put(group.closing)
            return
        self.end_row()
        self.indent += STEP
        children = group.children
        whole = not _keeps_rows(group) and not any(token.before or token.after for token in _flat(children))
        if whole and not any(map(_is_forced, children)) and _fits_at_start(children, self.indent):
            self.emit(children)
        else:
            for element in _elements(children):
                self._element(element)
                self.end_row()
        self.end_row()
        if group.closing.before:
            self.rows.extend(Row(self.indent, "", comment) for comment in group.closing.before)
            group.closing.before = []
        self.indent -= STEP
        self.put(group.closing)

    def _element(self, nodes: Sequence[_Node]) -> None:
        """Appends one element of a group, over several rows if it has comments in it or does not fit."""
        tokens = list(_flat(nodes))
        commented = any(token.before for token in tokens[1:]) or any(token.after for token in tokens[:-1])
        parts = [] if not commented and _fits_at_start(nodes, self.indent) else _parts(nodes)
        if len(parts) < 2:
            self.emit(nodes)
            return
        for part in parts:
            self._element(part)
            self.end_row()


def _may_open_with(group: _Group, only: _Group) -> bool:
    """Whether a group may begin on the row of the one around it: no comment is between their brackets."""
    comments = group.opening.after or only.opening.before or only.closing.after or group.closing.before
    return bool(only.children) and not comments


def _fits_at_start(nodes: Sequence[_Node], indent: int) -> bool:
    return not nodes or indent + _width(nodes) - _first(nodes).space <= WIDTH


def _elements(nodes: Sequence[_Node]) -> Iterator[list[_Node]]:
    """The elements of a group, each with the comma behind it. Commas of loop variables and of lambdas part nothing."""
    element: list[_Node] = []
    ends = ""  # the word until which commas part nothing
    for node in nodes:
        element.append(node)
        word = node.text if isinstance(node, SourceToken) else ""
        if word in ("for", "lambda"):
            ends = "in" if word == "for" else ":"
        elif word == ends:
            ends = ""
        elif word == "," and not ends:
            yield element
            element = []
    if element:
        yield element


def _parts(nodes: Sequence[_Node]) -> list[list[_Node]]:
    """The nodes in parts to be written below each other; in one part if there is nothing to break them at."""
    words = [node.text if isinstance(node, SourceToken) else "" for node in nodes]
    if "lambda" in words:
        return [list(nodes)]
    if "for" in words:
        first = words.index("for")
        marks = [index for index, word in enumerate(words) if index >= first and word in ("for", "if")]
    elif "if" in words:
        marks = [index for index, word in enumerate(words) if word in ("if", "else")]
    else:
        marks = _operator_marks(nodes, words)
    cuts = [0, *(mark for mark in marks if mark), len(nodes)]
    return [list(nodes[start:end]) for start, end in pairwise(cuts) if start < end]


def _operator_marks(nodes: Sequence[_Node], words: Sequence[str]) -> list[int]:
    """Where the operators that bind least stand; arithmetic and comparisons only where there are no brackets."""
    for level in _OPERATORS:
        if level[0] not in ("or", "and") and any(isinstance(node, _Group) and node.children for node in nodes):
            break
        marks = [
            index
            for index, word in enumerate(words)
            # A sign belongs to what follows it, without a space.
            if word in level and index + 1 < len(nodes) and _first(nodes[index + 1 : index + 2]).space
        ]
        if marks:
            return marks
    return []
