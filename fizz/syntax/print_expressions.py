"""Printing of expressions: source text that parses to an equal tree, with as few parentheses as that takes."""

from __future__ import annotations

from typing import assert_never

from fizz.syntax import ast

_LOWEST, _OR_TEST, _NOT, _UNARY, _POSTFIX, _ATOM = 0, 1, 3, 11, 13, 14
_PRECEDENCE = {
    "or": 1, "and": 2,
    "<": 4, ">": 4, "==": 4, ">=": 4, "<=": 4, "!=": 4, "in": 4, "not in": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10,
}  # fmt: skip
_COMPARISON = 4
_QUOTES = ('"', "'", '"""', "'''")
# Quotes by depth of f-strings in f-strings: that of the f-string itself, and those left for strings inside it.
_NESTED_QUOTES = (('"""', ("'", '"', "'''")), ("'''", ("'", '"')), ('"', ("'",)))


def print_expression(node: ast.Expression) -> str:
    return _Printer(0, _QUOTES).text(node, _LOWEST)


def print_operand(node: ast.Expression) -> str:
    """The text where the grammar wants an or_test: conditional expressions and lambdas in parentheses."""
    return _Printer(0, _QUOTES).text(node, _OR_TEST)


def print_arguments(arguments: tuple[ast.Argument, ...]) -> str:
    return _Printer(0, _QUOTES).arguments(arguments)


def print_parameters(parameters: tuple[ast.Parameter, ...]) -> str:
    return _Printer(0, _QUOTES).parameters(parameters)


def print_variables(variables: ast.LoopVariables) -> str:
    text = ", ".join(variables.names)
    return text + "," if variables.unpack and len(variables.names) == 1 else text


def print_string(text: str) -> str:
    return _quoted(text, '"')


class _Printer:
    """Prints at one depth of f-strings."""

    def __init__(self, depth: int, quotes: tuple[str, ...]) -> None:
        self.depth = depth
        self.quotes = quotes

    def text(self, node: ast.Expression, strength: int) -> str:
        """The text of a node that has to bind at least as strongly as `strength`."""
        text, own = self._print(node)
        return f"({text})" if own < strength else text

    def _print(self, node: ast.Expression) -> tuple[str, int]:
        """The text of a node, and how strongly it binds."""
        match node:
            case ast.Literal(value=value):
                return self._literal(value), _ATOM
            case ast.Name(id=name):
                return name, _ATOM
            case ast.FString():
                return self._f_string(node), _ATOM
            case ast.Starred(value=value):
                return f"*{self.text(value, _LOWEST)}", _ATOM
            case ast.TupleExpression(items=items):
                inner = ", ".join(self.text(item, _LOWEST) for item in items)
                return f"({inner},)" if len(items) == 1 else f"({inner})", _ATOM
            case ast.ListExpression(items=items):
                return f"[{', '.join(self.text(item, _LOWEST) for item in items)}]", _ATOM
            case ast.DictExpression(pairs=pairs):
                inner = ", ".join(f"{self.text(key, _LOWEST)}: {self.text(value, _LOWEST)}" for key, value in pairs)
                return "{" + inner + "}", _ATOM
            case ast.Comprehension():
                return self._comprehension(node), _ATOM
            case ast.Conditional(condition=condition, body=body, orelse=orelse):
                parts = self.text(body, _OR_TEST), self.text(condition, _OR_TEST), self.text(orelse, _LOWEST)
                return f"{parts[0]} if {parts[1]} else {parts[2]}", _LOWEST
            case ast.Lambda(parameters=parameters, body=body):
                names = self.parameters(parameters)
                return f"lambda{' ' if names else ''}{names}: {self.text(body, _LOWEST)}", _LOWEST
            case ast.Unary(operator=operator, operand=operand):
                strength = _NOT if operator == "not" else _UNARY
                blank = " " if operator == "not" else ""
                return f"{operator}{blank}{self.text(operand, strength)}", strength
            case ast.Binary(operator=operator) | ast.Logical(operator=operator):
                strength = _PRECEDENCE[operator]
                left = self.text(node.left, strength + (strength == _COMPARISON))
                return f"{left} {operator} {self.text(node.right, strength + 1)}", strength
            case ast.Attribute() | ast.Index() | ast.Slice() | ast.Call():
                return self._postfix(node), _POSTFIX
            case _:
                assert_never(node)

    def _postfix(self, node: ast.Attribute | ast.Index | ast.Slice | ast.Call) -> str:
        match node:
            case ast.Attribute(value=value, name=name):
                return f"{self._base(value)}.{name}"
            case ast.Index(value=value, index=index):
                return f"{self._base(value)}[{self.text(index, _LOWEST)}]"
            case ast.Slice(value=value, start=start, stop=stop, step=step):
                bounds = f"{self._optional(start)}:{self._optional(stop)}"
                return f"{self._base(value)}[{bounds}{':' + self._optional(step) if step is not None else ''}]"
            case ast.Call(function=function, arguments=arguments):
                return f"{self._base(function)}({self.arguments(arguments)})"
            case _:
                assert_never(node)

    def _base(self, node: ast.Expression) -> str:
        is_number = isinstance(node, ast.Literal) and isinstance(node.value, int | float)
        return f"({self.text(node, _LOWEST)})" if is_number else self.text(node, _POSTFIX)

    def _optional(self, node: ast.Expression | None) -> str:
        return self.text(node, _LOWEST) if node is not None else ""

    def _comprehension(self, node: ast.Comprehension) -> str:
        parts = [self.text(node.element, _LOWEST)]
        if node.key is not None:
            parts = [f"{self.text(node.key, _LOWEST)}: {parts[0]}"]
        for clause in node.clauses:
            if isinstance(clause, ast.ComprehensionIf):
                parts.append(f"if {self.text(clause.condition, _OR_TEST)}")
            else:
                parts.append(f"for {print_variables(clause.variables)} in {self.text(clause.iterable, _OR_TEST)}")
        brackets = {"list": "[]", "dict": "{}", "generator": "()"}[node.kind]
        return brackets[0] + " ".join(parts) + brackets[1]

    def arguments(self, arguments: tuple[ast.Argument, ...]) -> str:
        prefixes = {"positional": "", "star": "*", "double star": "**"}
        texts: list[str] = []
        for argument in arguments:
            prefix = f"{argument.name}=" if argument.name is not None else prefixes[argument.kind]
            texts.append(prefix + self.text(argument.value, _LOWEST))
        return ", ".join(texts)

    def parameters(self, parameters: tuple[ast.Parameter, ...]) -> str:
        stars = {"plain": "", "star": "*", "double star": "**"}
        texts: list[str] = []
        for parameter in parameters:
            default = f"={self.text(parameter.default, _LOWEST)}" if parameter.default is not None else ""
            texts.append(stars[parameter.kind] + parameter.name + default)
        return ", ".join(texts)

    def _literal(self, value: ast.ScalarValue) -> str:
        if isinstance(value, str):
            return _quoted(value, self._quote(value))
        return repr(value)

    def _quote(self, value: str) -> str:
        """A quote that needs no escape, if there is one: escapes are not allowed inside an f-string."""
        for quote in self.quotes:
            if quote[0] not in value and (len(quote) == 3 or "\n" not in value):
                return quote
        return self.quotes[-1]

    def _f_string(self, node: ast.FString) -> str:
        quote, inner_quotes = _NESTED_QUOTES[min(self.depth, len(_NESTED_QUOTES) - 1)]
        inner = _Printer(self.depth + 1, inner_quotes)
        texts: list[str] = []
        for part in node.parts:
            if isinstance(part, str):
                texts.append(_escaped(part, quote).replace("{", "{{").replace("}", "}}"))
                continue
            expression = inner.text(part.value, _OR_TEST)
            blank = " " if expression.startswith("{") else ""
            conversion = f"!{part.conversion}" if part.conversion else ""
            spec = f":{_escaped(part.spec, quote)}" if part.spec is not None else ""
            texts.append(f"{{{blank}{expression}{blank}{conversion}{spec}}}")
        return f"f{quote}{''.join(texts)}{quote}"


def _quoted(text: str, quote: str) -> str:
    return quote + _escaped(text, quote) + quote


def _escaped(text: str, quote: str) -> str:
    escapes = {chr(code): f"\\x{code:02x}" for code in (*range(32), 127)}
    escapes |= {"\\": "\\\\", quote[0]: "\\" + quote[0], "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "".join(escapes.get(character, character) for character in text)
