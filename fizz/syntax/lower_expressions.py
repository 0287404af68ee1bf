"""Lowering of expressions: parse trees to the frozen tree of `ast.py`, with precedence resolved.

The grammar delivers a chain `prefix atom trailers (operator atom trailers)*` as one flat list; `precedence.py` puts it
in order.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import cast

from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.syntax import ast
from fizz.syntax.layout import MAX_BRACKETS, LineIndex, Piece
from fizz.syntax.parse import parse_fragment
from fizz.syntax.parse_tree import Tree, child, children, the
from fizz.syntax.precedence import MAX_DEPTH, WORD, Climb, start_of
from fizz.syntax.string_literals import FStringField, read_strings

MAX_BITS = 4096
_SCALARS = {"None": None, "True": True, "False": False}


class Expressions:
    """Lowers the expressions of one piece."""

    def __init__(self, piece: Piece) -> None:
        self.lines = LineIndex(piece)
        self.warnings: list[Diagnostic] = []
        self._depth = 0  # sum of the lengths of the enclosing chains: a bound of the depth of the tree

    def span(self, start: int, end: int) -> Span:
        return self.lines.span(start, end)

    def span_of(self, tree: Tree) -> Span:
        return self.lines.span(tree.position, tree.position_end)

    def error(self, code: str, text: str, tree: Tree, hint: str | None = None) -> FizzError:
        return self.lines.error(code, text, tree.position, tree.position_end, hint)

    def error_at(self, code: str, text: str, span: Span, hint: str | None = None) -> FizzError:
        return FizzError((Diagnostic(code, text, span, hint),))

    # --- lists of tests

    def test_list(self, tree: Tree) -> ast.Expression:
        """One expression, or a tuple where there is a comma; also for the chains after `oneof`."""
        items = tuple(self._element(node) for node in tree if node.rule_name in ("Test", "Chain"))
        if len(items) == 1 and tree[len(tree) - 1].rule_name != "Comma":
            return self._single(items[0])
        return ast.TupleExpression(self.span_of(tree), items)

    def _element(self, tree: Tree) -> ast.Expression:
        """One of several elements: it may be unpacked."""
        if tree[0].rule_name != "Unpack":
            return self.test(tree)
        self._enter(1, tree)
        value = self.test(tree[0][1])
        self._leave(1)
        return ast.Starred(self.span_of(tree), value)

    def _single(self, item: ast.Expression) -> ast.Expression:
        if isinstance(item, ast.Starred):
            hint = "write `[*a]` for a list, `(*a,)` for a tuple"
            raise self.error_at("L1", "'*' unpacks into a list, a tuple or a call", item.span, hint)
        return item

    def test(self, tree: Tree) -> ast.Expression:
        """A `Test`, `Chain` or `Lambda`."""
        if tree.rule_name == "Chain":
            return self.chain(tree)
        if tree.rule_name == "Lambda":
            return self.lambda_(tree)
        first = tree[0]
        if first.rule_name == "Lambda":
            return self.lambda_(first)
        if first.rule_name == "Plain":
            return self._plain(first)
        if first.rule_name == "Unpack":
            return self._single(self._element(tree))
        if len(tree) == 1:
            return self.chain(first)
        return self._conditional(tree)

    def _conditional(self, tree: Tree) -> ast.Expression:
        """`a if b else c if d else e`: a flat list, the last part first."""
        self._enter(len(tree), tree)
        rest = list(tree)[1:]
        orelse = self.test(rest[-1][3])
        end = tree.position_end
        for index in range(len(rest) - 1, -1, -1):
            body_tree = tree[0] if index == 0 else rest[index - 1][3]
            condition = self.chain(rest[index][1])
            if body_tree.rule_name == "Lambda":
                raise self.error("L1", "a lambda before 'if' needs parentheses", body_tree)
            orelse = ast.Conditional(self.span(body_tree.position, end), condition, self.chain(body_tree), orelse)
        self._leave(len(tree))
        return orelse

    def _enter(self, length: int, tree: Tree) -> None:
        self._depth += length
        if self._depth > MAX_DEPTH:
            text = f"expression with more than {MAX_DEPTH} levels of operators"
            raise self.error("L1", text, tree, "split it into several statements")

    def _leave(self, length: int) -> None:
        self._depth -= length

    def lambda_(self, tree: Tree) -> ast.Expression:
        self._enter(1, tree)
        given = child(tree, "LambdaParameters")
        parameters = self.parameters(given) if given is not None else ()
        body = self.test(the(tree, "Test"))
        self._leave(1)
        return ast.Lambda(self.span_of(tree), parameters, body)

    def parameters(self, tree: Tree) -> tuple[ast.Parameter, ...]:
        """Parameters of a func, def or lambda; the caller checks that only a def has stars."""
        result: list[ast.Parameter] = []
        kinds: dict[str, OneOf["plain", "star", "double star"]] = {"": "plain", "*": "star", "**": "double star"}
        for node in tree:
            if node.rule_name not in ("Parameter", "LambdaParameter"):
                continue
            stars = child(node, "Stars")
            name = the(node, "Name").value
            default_tree = child(node, "Default")
            default = self.test(default_tree[1]) if default_tree is not None else None
            kind = kinds[stars.value if stars is not None else ""]
            if result and default is None and kind == "plain" and result[-1].default is not None:
                raise self.error("L1", f"parameter '{name}' without default after one with a default", node)
            if result and result[-1].kind != "plain" and (kind != "double star" or result[-1].kind == "double star"):
                raise self.error("L1", f"unexpected parameter '{name}' after a starred one", node)
            if default is not None and kind != "plain":
                raise self.error("L1", f"the starred parameter '{name}' takes no default", node)
            result.append(ast.Parameter(self.span_of(node), name, default, kind))
        return tuple(result)

    # --- chains

    def chain(self, tree: Tree) -> ast.Expression:
        if len(tree) == 1 and tree[0].rule_name == "Atom":
            return self.atom(tree[0])
        length = len(tree)
        self._enter(length, tree)
        expression = Climb(self, tree).run()
        self._leave(length)
        return expression

    def atom(self, tree: Tree) -> ast.Expression:
        node = tree[0]
        match node.rule_name:
            case "Plain":
                return self._plain(node)
            case "Strings":
                return self.strings(node)
            case "Parenthesis":
                return self._parenthesis(node)
            case "ListDisplay":
                return self._list(node)
            case _:
                return self._braces(node)

    def _plain(self, node: Tree) -> ast.Expression:
        """A name with attributes, or a number."""
        text, start = node.value, node.position
        if text in _SCALARS:
            return ast.Literal(self.span_of(node), _SCALARS[text])
        if text[0].isdigit() or text[0] == ".":
            return ast.Literal(self.span_of(node), self._number(node))
        if text.isidentifier():
            return ast.Name(self.span_of(node), text)
        words = list(WORD.finditer(text))
        self._enter(len(words), node)
        self._leave(len(words))
        first = words[0].group()
        expression: ast.Expression
        first_span = self.span(start, start + words[0].end())
        expression = ast.Literal(first_span, _SCALARS[first]) if first in _SCALARS else ast.Name(first_span, first)
        for word in words[1:]:
            expression = ast.Attribute(self.span(start, start + word.end()), expression, word.group())
        return expression

    def _number(self, node: Tree) -> int | float:
        text = node.value
        try:
            if text[:2].lower() in ("0x", "0o", "0b"):
                value: int | float = int(text, 0)
            elif len(text) > MAX_BITS:
                raise self.error("L1", "number with too many digits", node)
            elif text.replace("_", "").isdigit():
                value = int(text, 0)
            else:
                value = float(text)
        except ValueError:
            raise self._wrong_number(node) from None
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise self.error("L1", f"an integer has at most {MAX_BITS} bits", node)
        if value == float("inf"):
            raise self.error("L1", "the number is too large for a float", node, 'write `float("inf")`')
        return value

    def _wrong_number(self, node: Tree) -> FizzError:
        text = node.value
        if text[-1] in "jJ" and text[:-1].replace(".", "").isdigit():
            return self.error("L1", "imaginary numbers are not supported", node)
        if text.isdigit() and text[0] == "0":
            return self.error("L1", f"'{text}' is not a number", node, f"write {text.lstrip('0')}, or 0o… for octal")
        return self.error("L1", f"'{text}' is not a number", node)

    def strings(self, node: Tree) -> ast.Expression:
        """Adjacent string literals: one Literal or FString."""
        start = start_of(node)
        span = self.span(start, node.position_end)
        parts, formatted = read_strings(self.lines, start, node.position_end)
        if not formatted:
            if any(isinstance(part, bytes) for part in parts):
                return ast.Literal(span, b"".join(part for part in parts if isinstance(part, bytes)))
            return ast.Literal(span, "".join(part for part in parts if isinstance(part, str)))
        merged: list[str | ast.FormatField] = []
        for part in parts:
            if isinstance(part, FStringField):
                merged.append(self._format_field(part))
            elif isinstance(part, str) and part:
                if merged and isinstance(merged[-1], str):
                    merged[-1] += part
                else:
                    merged.append(part)
        return ast.FString(span, tuple(merged))

    def _format_field(self, field: FStringField) -> ast.FormatField:
        source = field.source
        if source.count("(") + source.count("[") + source.count("{") > MAX_BRACKETS:
            raise self.lines.error("L1", "too many brackets in an f-string", field.start, field.end)
        line, column = self.lines.position(field.offset)
        piece, tree = parse_fragment(self.lines.piece.file, source, line, column)
        inner = Expressions(piece)
        inner._depth = self._depth
        value = inner.test_list(the(tree[0], "TestList"))
        conversion = cast(OneOf["", "r"], field.conversion)
        return ast.FormatField(self.span(field.start, field.end), value, conversion, field.spec)

    # --- displays

    def _tests(self, tree: Tree) -> tuple[ast.Expression, ...]:
        self._enter(1, tree)
        items = tuple(self._element(node) for node in tree if node.rule_name == "Test")
        self._leave(1)
        return items

    def _parenthesis(self, tree: Tree) -> ast.Expression:
        if (clauses := child(tree, "Comprehension")) is not None:
            return self._comprehension(tree, "generator", clauses)
        items = self._tests(tree)
        if len(items) == 1 and child(tree, "Comma") is None:
            return self._single(items[0])
        return ast.TupleExpression(self.span_of(tree), items)

    def _list(self, tree: Tree) -> ast.Expression:
        if (clauses := child(tree, "Comprehension")) is not None:
            return self._comprehension(tree, "list", clauses)
        return ast.ListExpression(self.span_of(tree), self._tests(tree))

    def _comprehension(self, tree: Tree, kind: OneOf["list", "generator"], clauses: Tree) -> ast.Comprehension:
        if len(children(tree, "Test")) > 1 or child(tree, "Comma") is not None:
            hint = "put the comprehension in brackets of its own"
            raise self.error("L1", "unexpected ',' with a comprehension", tree, hint)
        lowered = self.clauses(clauses)
        return ast.Comprehension(self.span_of(tree), kind, None, self._single(self._tests(tree)[0]), lowered)

    def clauses(self, tree: Tree) -> tuple[ast.Clause, ...]:
        result: list[ast.Clause] = []
        self._enter(len(tree), tree)
        for node in tree:
            if node.rule_name == "ComprehensionIf":
                result.append(ast.ComprehensionIf(self.span_of(node), self.chain(node[1])))
            else:
                variables = self.loop_variables(the(node, "LoopVariables"))
                result.append(ast.ComprehensionFor(self.span_of(node), variables, self.chain(the(node, "Chain"))))
        self._leave(len(tree))
        return tuple(result)

    def loop_variables(self, tree: Tree) -> ast.LoopVariables:
        names: list[str] = []
        parts = children(tree, "LoopPart")
        unpack = len(parts) > 1 or child(tree, "Comma") is not None
        for part in parts:
            if part[0].rule_name == "Name":
                names.append(part[0].value)
            elif unpack:
                text = "nested tuples of loop variables are not supported"
                raise self.error("L1", text, part, "unpack inside the loop")
            else:
                inner = self.loop_variables(the(part, "LoopVariables"))
                return ast.LoopVariables(self.span_of(tree), inner.names, inner.unpack)
        return ast.LoopVariables(self.span_of(tree), tuple(names), unpack)

    def _braces(self, tree: Tree) -> ast.Expression:
        pairs = children(tree, "Pair")
        values = [child(pair, "PairValue") for pair in pairs]
        clauses = child(tree, "Comprehension")
        if pairs and all(value is None for value in values):
            what = "set comprehensions are" if clauses is not None else "'{…}' with elements is"
            hint = "write `set([x for …])`" if clauses is not None else "write `set([1, 2])`; a dict is `{key: value}`"
            raise self.error("L6", f"{what} not part of the language", tree, hint)
        self._enter(1, tree)
        lowered: list[tuple[ast.Expression, ast.Expression]] = []
        for pair, value in zip(pairs, values, strict=True):
            if value is None:
                raise self.error("L1", "expected ':' and a value after this key", pair)
            lowered.append((self.test(pair[0]), self.test(value[1])))
        self._leave(1)
        if clauses is None:
            return ast.DictExpression(self.span_of(tree), tuple(lowered))
        if len(lowered) > 1 or child(tree, "Comma") is not None:
            raise self.error("L1", "unexpected ',' with a comprehension", tree)
        key, element = lowered[0]
        return ast.Comprehension(self.span_of(tree), "dict", key, element, self.clauses(clauses))

    # --- calls

    def arguments(self, tree: Tree | None) -> tuple[ast.Argument, ...]:
        if tree is None:
            return ()
        given = children(tree, "Argument")
        result: list[ast.Argument] = []
        named = False
        for node in given:
            first = node[0]
            if first.rule_name == "Keyword_":
                named = True
                name = first.value.rstrip("= \t\n")
                result.append(ast.Argument(self.span_of(node), "keyword", name, self.test(node[1])))
            elif first.rule_name == "Test":
                if named:
                    raise self.error("L1", "positional argument after a keyword argument", node)
                value = self._positional(node, len(given) == 1)
                # The span of a name or number is reused; that of other values may lack their parentheses.
                span = value.span if first[0].rule_name == "Plain" and len(node) == 1 else self.span_of(node)
                result.append(ast.Argument(span, "positional", None, value))
            else:
                kind: OneOf["star", "double star"] = "star" if first.value == "*" else "double star"
                named = named or kind == "double star"
                result.append(ast.Argument(self.span_of(node), kind, None, self.test(node[1])))
        names: set[str] = set()
        for argument in result:
            if argument.name is not None and argument.name in names:
                raise self.error_at("L1", f"argument '{argument.name}' is given twice", argument.span)
            names.add(argument.name or "")
        return tuple(result)

    def _positional(self, node: Tree, alone: bool) -> ast.Expression:
        value = self.test(node[0])
        clauses = child(node, "Comprehension")
        if clauses is None:
            return value
        if not alone:
            raise self.error("L1", "a comprehension beside other arguments needs parentheses", node)
        return ast.Comprehension(self.span_of(node), "generator", None, value, self.clauses(clauses))
