"""Parsing: a piece of laid-out text to a parse tree. The only module that imports textX.

textX reads `grammar.tx`; `matcher.py` makes functions of its parsing expressions. Their trees have the position of
every token and are lowered directly. Error messages are written here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import textx

from fizz.base.errors import FizzError
from fizz.syntax.layout import DEDENT, FRAGMENT, INDENT, LINE_END, LineIndex, Piece
from fizz.syntax.matcher import Failures, Matcher
from fizz.syntax.parse_tree import Tree

_BLANKS = " \t\n\x0c"
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|'[^'\n]*'|\"[^\"\n]*\"|:=|=>|==|!=|<=|>=|&&|\|\||->|[^\w\s]")
_AUGMENTED = re.compile(r"(?://|<<|>>|[-+*/%&|^])=")
_RECURSION_LIMIT = 20_000  # brackets and blocks are limited in depth by the layout; this is enough for them

_NOT_IN_LANGUAGE = {
    "del": "use `d.pop(key)`, or assign a new value",
    "import": "helper modules `NAME.star` beside the model are visible as `NAME`",
    "from": "helper modules `NAME.star` beside the model are visible as `NAME`",
    "assert": "use `require` for a guard, `always assertion` for a property",
    "try": "run-time errors stop the check; test the condition with `if`",
    "except": "run-time errors stop the check; test the condition with `if`",
    "finally": "run-time errors stop the check; test the condition with `if`",
    "raise": 'use `fail("text")`',
    "with": "use an `atomic:` block",
    "global": "state variables are bound in `action Init` and can be assigned anywhere",
    "nonlocal": "state variables are bound in `action Init` and can be assigned anywhere",
    "class": "use `role NAME:`",
    "yield": "serial code yields by itself after each statement",
    "await": "call the func: `x = r.f()`",
    "async": "actions run concurrently by themselves",
    "exec": None,
    "as": None,
    ":=": "assign the value in a statement of its own",
    "->": "types are not part of the language",
}
_HINTS = {
    "!": "write `not`",
    "&&": "write `and`",
    "=>": "write `>=`, or `not a or b` for an implication",
    "||": "write `or`",
    "=": "compare with `==`",
    "elif": "`elif` follows the block of an `if` at the same column",
    "else": "`else` follows the block of an `if` at the same column",
    **dict.fromkeys("“”‘’„«»", "write strings in plain quotes, ' or \""),  # noqa: RUF001  what people paste
    "oneof": "a choice is a statement: `x = oneof …`, or `oneof v in …:` with a block",
}
_COMPOUND = {"if", "while", "for", "parallel", "serial", "atomic", "oneof", "fair", "require", "return"}
_ITEM_HINTS = (
    (re.compile(r"include[ \t]+[\w.'\"]"), 'write `include "core.fizz"`, with the path of the file'),
    (
        re.compile(r"refines[ \t]+[\w.'\"]"),
        'write `refines "abstract.fizz" with view`, where `view` is a `def` of this model',
    ),
    (
        re.compile(r"refine[ \t]*:"),
        "its lines are `_: view` for this model, and `name: name.view` for the one in name.fizz, without quotes",
    ),
    (re.compile(r"compose[ \t]*:"), "a line is `name: name.view` for the model in name.fizz, without quotes"),
)
"""Items that begin with a word of their own which is a name elsewhere: what to write, whatever is wrong in one."""
_EXPRESSION_RULES = {"Plain", "Strings"}
_ITEM_RULES = {"DefinitionHeader"}
_SIMPLE_RULES = {"Name": "a name", "NewLine": "the end of the line", "In": "'in'", "ParameterList": "'('"}
_GRAMMAR = Path(__file__).with_name("grammar.tx")


@cache
def _rule() -> object:
    """The first rule of the grammar, as textX has it."""
    return textx.metamodel_from_file(str(_GRAMMAR), ws=_BLANKS).rootcls._tx_peg_rule


@cache
def reserved_words() -> frozenset[str]:
    """The words that the grammar does not take for names."""
    rule = re.search(r"^Name: /\(\?!\(\?:([\w|]+)\)", _GRAMMAR.read_text(encoding="utf-8"), re.MULTILINE)
    assert rule is not None
    return frozenset(rule.group(1).split("|"))


@cache
def _matcher() -> Matcher:
    return Matcher(_rule(), _BLANKS)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raises the recursion limit for the recursive descent: some twenty Python frames per level of nesting."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def parse_piece(piece: Piece) -> Tree:
    """The parse tree of an item or of a fragment (a text that begins with `FRAGMENT`); raises FizzError."""
    try:
        tree = _matcher().match(piece.text)
        if tree is None:
            failures = Failures()
            Matcher(_rule(), _BLANKS, failures).match(piece.text)
            raise _translate(piece, failures)
    except RecursionError:
        raise LineIndex(piece).error("L1", "nested too deeply", 0, 1, "split it into several statements") from None
    return tree


def parse_fragment(file: str, text: str, line: int, column: int) -> tuple[Piece, Tree]:
    """The tree of one expression at a line and column of a file."""
    piece = Piece(file, FRAGMENT + text, line, column - 1)
    return piece, parse_piece(piece)


def _translate(piece: Piece, failures: Failures) -> FizzError:
    """The error for what the parser expected and found; language page, section 14."""
    lines = LineIndex(piece)
    offset, expected = failures.position, failures.expected
    token, start, end = _token(piece.text, offset)
    if "Indent" in expected and not piece.text.startswith(INDENT, offset):
        line_end = piece.text.rfind(LINE_END, 0, offset)
        text = "block expected after ':'"
        return lines.error("L3", text, line_end - 1, line_end, "indent its statements; an empty block is `pass`")
    of_item = next((hint for item, hint in _ITEM_HINTS if item.match(piece.text)), None)
    if token in _NOT_IN_LANGUAGE and of_item is None:
        return lines.error("L6", f"'{token}' is not part of the language", start, end, _NOT_IN_LANGUAGE[token])
    wanted = _describe(expected) if token != INDENT else ""
    text = f"unexpected {_name(token)}" + (f", expected {wanted}" if wanted else "")
    hint = _hint(token, expected, offset)
    if piece.text[:offset].rstrip().endswith(("++", "--")):
        hint = "write `x += 1` or `x -= 1`"
    if found := _AUGMENTED.match(piece.text, start):
        hint = f"`{found[0]}` is a statement and has no value: write it on a line of its own"
    return lines.error("L1", text, start, end, of_item or hint)


def _token(text: str, offset: int) -> tuple[str, int, int]:
    """The token at an offset, its start and end; those of an indent mark are of the first token of the next line."""
    if text.startswith((LINE_END, DEDENT), offset) or offset >= len(text):
        return text[offset : offset + 1], offset, offset + 1
    mark = text[offset] if text.startswith(INDENT, offset) else ""
    if not mark and text[offset].isspace():  # a space that is none to the language
        return text[offset], offset, offset + 1
    match = _TOKEN.search(text, offset + len(mark))
    if match is None:
        return mark, offset, offset + 1
    return mark or match.group(), match.start(), match.end()


def _name(token: str) -> str:
    names = {LINE_END: "end of line", DEDENT: "end of the block", INDENT: "indent", "": "end of the text"}
    if token in names or token[0] in "'\"":
        return names.get(token, token)
    return f"the character U+{ord(token):04X}" if token.isspace() else f"'{token}'"


def _describe(expected: set[str]) -> str:
    if expected & _ITEM_RULES:
        return "an action, func, assertion or def" if "PassLine" in expected or "pass\\b" in expected else ""
    if expected & _EXPRESSION_RULES:
        return "an expression"
    if ":" in expected:
        return "':'"
    if "with\\b" in expected:
        return "'with'"
    if "else\\b" in expected:
        return "'else'"
    words = sorted({f"'{rule}'" for rule in expected if rule in {")", "]", "}", ","}}, reverse=True)
    words += sorted(_SIMPLE_RULES[rule] for rule in expected if rule in _SIMPLE_RULES)
    return " or ".join(words)


def _hint(token: str, expected: set[str], offset: int) -> str | None:
    if token in _HINTS:
        return _HINTS[token]
    if token == INDENT:
        return "only the lines of a block are indented more than the line above"
    if "DefinitionHeader" in expected:
        if offset == 0 and token in _COMPOUND:
            return f"'{token}' stands inside an action, func, assertion or def"
        if offset > 0:
            return "fields of a role are bound in its `action Init:` as `self.x = …`"
    if token in reserved_words() and expected & {"Plain", "Name"}:
        return f"'{token}' is a reserved word, choose another name"
    return None
