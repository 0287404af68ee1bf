"""Makes the `SymbolIndex` of a model: definitions first, then the mentions in all bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import assert_never

from fizz.base.errors import Span
from fizz.checks.declarations import bound_by
from fizz.load import Examined
from fizz.symbols.symbol_index import Mention, Symbol, SymbolIndex, SymbolKind, find_names, name_at_end
from fizz.syntax import ast
from fizz.syntax.module import HelperModule
from fizz.syntax.tree_walk import (
    all_expressions,
    all_statements,
    blocks_of,
    header_names_of,
    is_self,
    own_expressions,
    parts,
)

_Names = Mapping[str, Symbol]


def index_symbols(found: Examined) -> SymbolIndex:
    """The index of what could be parsed."""
    indexer = _Indexer(found.sources)
    for module in found.helper_modules:
        indexer.define_module(module)
    for item in found.items:
        indexer.define(item)
    for name, span in found.definitions.state_variables.items():
        indexer.define_name(name, "state variable", span, span)
    for item in found.items:
        indexer.define_fields(item)
    for module in found.helper_modules:
        for one in module.items:
            indexer.walk(one)
    for item in found.items:
        indexer.walk(item)
    indexer.index.sort()
    return indexer.index


class _Indexer:
    def __init__(self, sources: Mapping[str, str]) -> None:
        self.index = SymbolIndex()
        self._sources = sources
        self._assertions: dict[Span, Symbol] = {}

    # --- definitions

    def _add(self, symbol: Symbol) -> Symbol:
        self.index.symbols.append(symbol)
        self._mention(symbol.span, (symbol,), defines=True)
        return symbol

    def _mention(self, span: Span, symbols: tuple[Symbol, ...], defines: bool = False) -> None:
        if symbols:
            self.index.mentions.setdefault(span.file, []).append(Mention(span, symbols, defines))

    def define_name(self, name: str, kind: SymbolKind, span: Span, whole: Span, node: ast.Node | None = None) -> None:
        """A name of the model; the first definition counts."""
        if name not in self.index.names:
            self.index.names[name] = self._add(Symbol(name, kind, span, whole, None, node))

    def _define_member(
        self, owner: str, name: str, kind: SymbolKind, span: Span, whole: Span, node: ast.Node | None = None
    ) -> None:
        members = self.index.members.setdefault(owner, {})
        if name not in members:
            members[name] = self._add(Symbol(name, kind, span, whole, owner, node))

    def define_module(self, module: HelperModule) -> None:
        """A helper module, with what it defines."""
        start = Span(module.path, 1, 1, 1, 1)
        self.index.names[module.name] = symbol = Symbol(module.name, "module", start, start)
        self.index.symbols.append(symbol)
        self.index.members[module.name] = {}
        for item in module.items:
            if isinstance(item, ast.TopHelper):
                helper = item.helper
                self._define_member(module.name, helper.name, "def", helper.name_span, helper.span, helper)
            else:
                for bound in bound_by(item.statement):
                    self._define_member(module.name, bound.id, "constant", bound.span, item.span, item)

    def define(self, item: ast.Item) -> None:
        """The names that an item defines."""
        match item:
            case ast.Action(name=name):
                self.define_name(name, "action", item.name_span, item.span, item)
            case ast.Function(name=name):
                self.define_name(name, "func", item.name_span, item.span, item)
            case ast.Assertion():
                self._define_assertion(item, None)
            case ast.TopHelper(helper=helper):
                self.define_name(helper.name, "def", helper.name_span, helper.span, helper)
            case ast.Role():
                self._define_role(item)
            case ast.ConstantStatement(statement=statement):
                for bound in bound_by(statement):
                    self.define_name(bound.id, "constant", bound.span, item.span, item)
                    self._define_enum(bound.id, statement)
            case ast.Entries(word="compose", models=models):
                for one in models:
                    self.define_name(one.name, "state variable", one.span, one.span, one)
            case ast.Include() | ast.RefinesLine() | ast.Entries():
                pass
            case _:
                assert_never(item)

    def _define_assertion(self, assertion: ast.Assertion, owner: str | None) -> None:
        # Assertions have names of their own: a func may have the same one.
        symbol = Symbol(assertion.name, "assertion", assertion.name_span, assertion.span, owner, assertion)
        self._assertions[assertion.span] = self._add(symbol)

    def _define_enum(self, name: str, statement: ast.Statement) -> None:
        """The members of `NAME = enum("A", "B", c=1)`."""
        value = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(value, ast.Call) and isinstance(value.function, ast.Name) and value.function.id == "enum":
            for argument in value.arguments:
                word = argument.name
                if word is None and isinstance(argument.value, ast.Literal) and isinstance(argument.value.value, str):
                    word = argument.value.value
                if word is not None:
                    self._define_member(name, word, "member", argument.span, argument.span)

    def _define_role(self, role: ast.Role) -> None:
        self.define_name(role.name, "role", role.name_span, role.span, role)
        self.index.members.setdefault(role.name, {})
        for constant in role.constants:
            for name in bound_by(constant.statement):
                self._define_member(role.name, name.id, "constant", name.span, constant.span, constant)
        for action in role.actions:
            self._define_member(role.name, action.name, "action", action.name_span, action.span, action)
        for function in role.functions:
            self._define_member(role.name, function.name, "func", function.name_span, function.span, function)
        for helper in role.helpers:
            self._define_member(role.name, helper.name, "def", helper.name_span, helper.span, helper)
        for assertion in role.assertions:
            self._define_assertion(assertion, role.name)

    def define_fields(self, item: ast.Item) -> None:
        """The fields of roles: what is assigned to `self`, first in Init, and what constructors are given."""
        if isinstance(item, ast.Role):
            first = sorted(item.actions, key=lambda action: action.name != "Init")
            for body in [*(one.body for one in first), *(one.body for one in item.functions)]:
                for statement in all_statements(body):
                    for expression in own_expressions(statement):
                        self._define_field(item.name, expression, statement)
        for expression in all_expressions((item,)):
            if isinstance(expression, ast.Call) and isinstance(expression.function, ast.Name):
                role = expression.function.id
                symbol = self.index.names.get(role)
                if symbol is not None and symbol.kind == "role":
                    for argument in expression.arguments:
                        if argument.name is not None:
                            span = _start(argument.span, argument.name)
                            self._define_member(role, argument.name, "field", span, argument.span)

    def _define_field(self, role: str, target: ast.Expression, statement: ast.Statement) -> None:
        if isinstance(target, ast.TupleExpression | ast.ListExpression):
            for part in target.items:
                self._define_field(role, part, statement)
        elif isinstance(target, ast.Attribute) and is_self(target.value):
            targets = statement.targets if isinstance(statement, ast.Assign) else ()
            if any(target is one or target in parts(one) for one in targets) or isinstance(statement, ast.Choose):
                span = name_at_end(target, target.name)
                self._define_member(role, target.name, "field", span, statement.span, statement)

    # --- mentions

    def walk(self, item: ast.Item) -> None:
        """Notes the mentions in an item."""
        match item:
            case ast.Action():
                self._body(item.body, None, item.name, (), item.span)
            case ast.Function():
                self._body(item.body, None, item.name, item.parameters, item.span)
            case ast.Assertion():
                self._assertion(item, None)
            case ast.TopHelper(helper=helper):
                self._body(helper.body, None, helper.name, helper.parameters, helper.span)
            case ast.ConstantStatement(statement=statement):
                self._statement(statement, None, {})
            case ast.Role():
                self._role(item)
            case ast.RefinesLine(view=view):
                self._mention(item.view_span, self._meaning(view, None, {}))
            case ast.Entries(models=models):
                for one in models:
                    if one.name == ast.THIS_MODEL:
                        self._mention(one.function_span, self._meaning(one.function, None, {}))
            case ast.Include():
                pass
            case _:
                assert_never(item)

    def _role(self, role: ast.Role) -> None:
        self.index.locals_of.append((role.span, role.name, {}))
        for decorator in role.decorators:
            for argument in decorator.arguments:
                self._expression(argument.value, None, {})
        for constant in role.constants:
            self._statement(constant.statement, role.name, {})
        for action in role.actions:
            self._body(action.body, role.name, f"{role.name}.{action.name}", (), action.span)
        for function in role.functions:
            self._body(function.body, role.name, f"{role.name}.{function.name}", function.parameters, function.span)
        for helper in role.helpers:
            self._body(helper.body, role.name, f"{role.name}.{helper.name}", helper.parameters, helper.span)
        for assertion in role.assertions:
            self._assertion(assertion, role.name)

    def _assertion(self, assertion: ast.Assertion, role: str | None) -> None:
        header = Span(*assertion.name_span[:3], assertion.body.span.line, assertion.body.span.column)
        spans = find_names(header, assertion.parameters, self._sources)
        owner = assertion.name if role is None else f"{role}.{assertion.name}"
        given = dict(zip(assertion.parameters, spans, strict=False))
        names = {name: self._local(name, "parameter", span, owner) for name, span in given.items()}
        self._body(assertion.body, role, owner, (), assertion.span, names)

    def _local(self, name: str, kind: SymbolKind, span: Span, owner: str) -> Symbol:
        symbol = Symbol(name, kind, span, span, owner)
        self._mention(span, (symbol,), defines=True)
        return symbol

    def _body(
        self,
        body: ast.Block,
        role: str | None,
        owner: str,
        parameters: Sequence[ast.Parameter],
        whole: Span,
        around: _Names | None = None,
    ) -> None:
        """The mentions in a body with its own locals."""
        names = dict(around or {})
        for parameter in parameters:
            if parameter.default is not None:
                self._expression(parameter.default, role, names)
        for parameter in parameters:
            (span, *_) = find_names(parameter.span, [parameter.name], self._sources) or [parameter.span]
            names[parameter.name] = self._local(parameter.name, "parameter", span, owner)
        members = self.index.members.get(role or "", {})
        for statement in all_statements(body):
            for name in bound_by(statement):
                known = self.index.names.get(name.id)
                is_global = known is not None and known.kind in ("state variable", "constant")
                is_constant = name.id in members and members[name.id].kind == "constant"
                if name.id not in names and not is_global and not is_constant:
                    names[name.id] = self._local(name.id, "local", name.span, owner)
            for word, span in zip(header_names_of(statement), self._header_spans(statement), strict=False):
                if word not in names:
                    names[word] = self._local(word, "local", span, owner)
            if isinstance(statement, ast.Helper) and statement.name not in names:
                names[statement.name] = self._local(statement.name, "local", statement.name_span, owner)
        self.index.locals_of.append((whole, role, names))
        for statement in body.statements:
            self._statement(statement, role, names)

    def _header_spans(self, statement: ast.Statement) -> list[Span]:
        if isinstance(statement, ast.For | ast.ChooseBlock):
            return find_names(statement.variables.span, statement.variables.names, self._sources)
        return []

    def _statement(self, statement: ast.Statement, role: str | None, names: _Names) -> None:
        for expression in own_expressions(statement):
            self._expression(expression, role, names)
        for word, span in zip(header_names_of(statement), self._header_spans(statement), strict=False):
            self._mention(span, self._meaning(word, role, names))
        if isinstance(statement, ast.Helper):
            self._body(statement.body, role, statement.name, statement.parameters, statement.span, names)
            return
        for block in blocks_of(statement):
            for inner in block.statements:
                self._statement(inner, role, names)

    def _expression(self, expression: ast.Expression, role: str | None, names: _Names) -> None:
        match expression:
            case ast.Name(id=word):
                self._mention(expression.span, self._meaning(word, role, names))
            case ast.Attribute(value=value, name=word):
                self._expression(value, role, names)
                self._mention(name_at_end(expression, word), self._attribute(value, word, role, names))
            case ast.Call(function=function, arguments=arguments):
                self._expression(function, role, names)
                for argument in arguments:
                    self._argument(function, argument)
                    self._expression(argument.value, role, names)
            case ast.Lambda(parameters=parameters, body=body):
                inner = dict(names)
                for parameter in parameters:
                    if parameter.default is not None:
                        self._expression(parameter.default, role, names)
                    (span, *_) = find_names(parameter.span, [parameter.name], self._sources) or [parameter.span]
                    inner[parameter.name] = self._local(parameter.name, "parameter", span, "lambda")
                self._expression(body, role, inner)
            case ast.Comprehension():
                self._comprehension(expression, role, names)
            case _:
                for part in parts(expression):
                    self._expression(part, role, names)

    def _comprehension(self, expression: ast.Comprehension, role: str | None, names: _Names) -> None:
        inner = dict(names)
        for clause in expression.clauses:
            if isinstance(clause, ast.ComprehensionIf):
                self._expression(clause.condition, role, inner)
                continue
            self._expression(clause.iterable, role, inner)
            variables = clause.variables
            for word, span in zip(
                variables.names, find_names(variables.span, variables.names, self._sources), strict=False
            ):
                inner[word] = self._local(word, "local", span, "comprehension")
        for part in (expression.key, expression.element):
            if part is not None:
                self._expression(part, role, inner)

    def _argument(self, function: ast.Expression, argument: ast.Argument) -> None:
        """The name of an argument of a constructor is a field of the role."""
        if argument.name is not None and isinstance(function, ast.Name):
            symbol = self.index.members.get(function.id, {}).get(argument.name)
            if symbol is not None and symbol.kind == "field":
                self._mention(_start(argument.span, argument.name), (symbol,))

    def _meaning(self, word: str, role: str | None, names: _Names) -> tuple[Symbol, ...]:
        """What a plain name means here; nothing for builtins."""
        member = self.index.members.get(role or "", {}).get(word)
        constant = member if member is not None and member.kind == "constant" else None
        symbol = names.get(word) or constant or self.index.names.get(word)
        return () if symbol is None else (symbol,)

    def _attribute(self, value: ast.Expression, word: str, role: str | None, names: _Names) -> tuple[Symbol, ...]:
        """What a name behind a dot may mean."""
        if is_self(value) and role is not None:
            return self._of(role, word)
        if isinstance(value, ast.Name) and value.id not in names and value.id in self.index.members:
            return self._of(value.id, word)
        roles = [name for name, symbol in self.index.names.items() if symbol.kind == "role"]
        return tuple(symbol for name in roles for symbol in self._of(name, word))

    def _of(self, owner: str, word: str) -> tuple[Symbol, ...]:
        symbol = self.index.members.get(owner, {}).get(word)
        return () if symbol is None else (symbol,)


def _start(span: Span, name: str) -> Span:
    """The span of the name that a node begins with."""
    return Span(span.file, span.line, span.column, span.line, span.column + len(name))


def includes_of(text: str, file: str) -> Iterable[tuple[int, int, int, str]]:
    """The `include` lines of a text: line, first and last column of the path, and the path of the file."""
    import re

    for number, row in enumerate(text.split("\n"), 1):
        match = re.match(r"include\s*(['\"])(.*?)\1", row)
        if match is not None:
            yield number, match.start(2) + 1, match.end(2) + 1, str(Path(file).parent / match.group(2))
