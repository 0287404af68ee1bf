"""Precedence: a flat chain of prefixes, atoms, trailers and operators becomes one expression.

An operator stack replaces recursion, so that no length of chain can exhaust the interpreter's stack.
"""

from __future__ import annotations

import re
from typing import Literal as OneOf
from typing import Protocol, cast

from fizz.base.errors import FizzError, Span
from fizz.syntax import ast
from fizz.syntax.layout import LineIndex
from fizz.syntax.parse_tree import Tree, child

MAX_DEPTH = 150
WORD = re.compile(r"[^\W\d]\w*")
_PREFIX = re.compile(r"not\b|[-+~]")
_OPERATOR = re.compile(r"not\s+in\b|is\s+not\b|\w+|[^\w\s]+?(?=\s|\w|[-+~]|$)")
_NOT, _COMPARISON, _UNARY = 3, 4, 11
_PRECEDENCE = {
    "or": 1, "and": 2,
    "<": 4, ">": 4, "==": 4, ">=": 4, "<=": 4, "!=": 4, "in": 4, "not in": 4, "is": 4, "is not": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "**": 12,
}  # fmt: skip


def start_of(node: Tree) -> int:
    """The offset where the text of an atom begins: a token of strings includes the blanks before it."""
    return node.position + (len(node.value) - len(node.value.lstrip()) if node.rule_name == "Strings" else 0)


class _Operand:
    """An expression and its extent in the text, parentheses included."""

    __slots__ = ("expression", "start", "end", "comparison")

    def __init__(self, expression: ast.Expression, start: int, end: int, comparison: bool = False) -> None:
        self.expression = expression
        self.start = start
        self.end = end
        self.comparison = comparison  # of this very chain: `a < b`, not `(a < b)`


class _Operator:
    __slots__ = ("text", "precedence", "start", "unary")

    def __init__(self, text: str, precedence: int, start: int, unary: bool) -> None:
        self.text = text
        self.precedence = precedence
        self.start = start
        self.unary = unary


class PartLowering(Protocol):
    """Lowers the parts of a chain."""

    lines: LineIndex

    def span(self, start: int, end: int) -> Span: ...

    def error(self, code: str, text: str, tree: Tree, hint: str | None = None) -> FizzError: ...

    def atom(self, tree: Tree) -> ast.Expression: ...

    def test(self, tree: Tree) -> ast.Expression: ...

    def test_list(self, tree: Tree) -> ast.Expression: ...

    def arguments(self, tree: Tree | None) -> tuple[ast.Argument, ...]: ...


class Climb:
    """Operator precedence over one chain, with two stacks."""

    def __init__(self, lower: PartLowering, tree: Tree) -> None:
        self.lower = lower
        self.tree = tree
        self.operands: list[_Operand] = []
        self.operators: list[_Operator] = []

    def run(self) -> ast.Expression:
        for node in self.tree:
            match node.rule_name:
                case "Prefix":
                    self.prefixes(node.value, node.position)
                case "Operator":
                    self.operator(node)
                case "Atom":
                    expression = self.lower.atom(node)
                    self.operands.append(_Operand(expression, start_of(node[0]), node.position_end))
                case _:
                    self.trailer(node[0])
        self.reduce(0)
        return self.operands[0].expression

    def prefixes(self, text: str, start: int) -> None:
        for match in _PREFIX.finditer(text):
            precedence = _NOT if match.group() == "not" else _UNARY
            begin = start + match.start()
            if precedence == _NOT and self.operators and self.operators[-1].precedence > _NOT:
                hint = "put the `not` in parentheses"
                raise self.lower.lines.error("L1", "unexpected 'not' after an operator", begin, begin + 3, hint)
            self.operators.append(_Operator(match.group(), precedence, begin, unary=True))
            if len(self.operators) > MAX_DEPTH:
                raise self.lower.error("L1", f"more than {MAX_DEPTH} operators in a row", self.tree)

    def operator(self, node: Tree) -> None:
        match = _OPERATOR.match(node.value)
        assert match is not None
        text = " ".join(match.group().split())
        precedence = _PRECEDENCE[text]
        end = node.position + match.end()
        if text in ("is", "is not"):
            hint = f"write `{'==' if text == 'is' else '!='}`: `x == None`, `x != None`"
            raise self.lower.lines.error("L4", f"'{text}' is not supported", node.position, end, hint)
        if text == "**":
            hint = "use `math.pow(x, y)`, or multiply"
            raise self.lower.lines.error("L6", "'**' is not part of the language", node.position, end, hint)
        self.reduce(precedence)
        if precedence == _COMPARISON and self.operands[-1].comparison:
            hint = "write `a < b and b < c`, or use parentheses"
            start = self.operands[-1].start
            raise self.lower.lines.error("L5", "chained comparison", start, end, hint)
        self.operators.append(_Operator(text, precedence, node.position, unary=False))
        self.prefixes(node.value[match.end() :], end)

    def reduce(self, precedence: int) -> None:
        """Applies the operators that bind at least as strongly as the next one."""
        while self.operators and self.operators[-1].precedence >= precedence:
            operator = self.operators.pop()
            right = self.operands.pop()
            if operator.unary:
                span = self.lower.span(operator.start, right.end)
                unary = cast(OneOf["-", "+", "~", "not"], operator.text)
                self.operands.append(_Operand(ast.Unary(span, unary, right.expression), operator.start, right.end))
                continue
            left = self.operands.pop()
            span = self.lower.span(left.start, right.end)
            expression: ast.Expression
            if operator.text in ("and", "or"):
                logical = cast(OneOf["and", "or"], operator.text)
                expression = ast.Logical(span, logical, left.expression, right.expression)
            else:
                expression = ast.Binary(span, operator.text, left.expression, right.expression)
            is_comparison = operator.precedence == _COMPARISON
            self.operands.append(_Operand(expression, left.start, right.end, is_comparison))

    def trailer(self, node: Tree) -> None:
        base = self.operands.pop()
        end = node.position_end
        span = self.lower.span(base.start, end)
        value = base.expression
        if node.rule_name == "Call":
            value = ast.Call(span, value, self.lower.arguments(child(node, "Arguments")))
        elif node.rule_name == "Dot":
            match = WORD.search(node.value)
            assert match is not None
            value = ast.Attribute(span, value, match.group())
        else:
            value = self.subscript(node, span, value)
        self.operands.append(_Operand(value, base.start, end))

    def subscript(self, node: Tree, span: Span, value: ast.Expression) -> ast.Expression:
        rest = child(node, "SliceRest")
        colons = rest[0] if rest is not None else child(node, "Slice")
        before = child(node, "TestList")
        first = self.lower.test_list(before) if before is not None else None
        if colons is None:
            assert first is not None
            return ast.Index(span, value, first)
        if isinstance(first, ast.TupleExpression) and before is not None and len(before) > 1:
            raise self.lower.error("L1", "unexpected ',' in a slice", node)
        bounds: list[ast.Expression | None] = [None, None]
        position = -1
        for part in colons:
            if part.rule_name == "Test":
                bounds[position] = self.lower.test(part)
            else:
                position += 1
        return ast.Slice(span, value, first, bounds[0], bounds[1])
