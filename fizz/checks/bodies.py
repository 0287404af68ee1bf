"""Checks of a body: names, calls and misplaced statements (language page, sections 4, 6, 7 and 10)."""

from __future__ import annotations

from typing import assert_never

from fizz.base.builtin_names import BUILTIN_MODULES, METHODS
from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations
from fizz.checks.scope import Messages, Scope
from fizz.syntax import ast
from fizz.syntax.tree_walk import all_statements, is_self, parts


@dataclass(frozen=True, slots=True)
class _Around:
    """The context of a statement: whether its flow is atomic, and whether it is inside a loop."""

    atomic: bool
    loop: bool


class Body:
    """Checks one action, func, assertion or constant statement."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.model: Declarations = scope.model
        self.messages = scope.messages
        self.kind = scope.kind
        self.is_assertion = scope.kind in ("assertion", "transition")
        self._may_construct = False
        self._needs_atomic = scope.role is None and scope.kind != "init"  # for fizz calls

    def check(self, body: ast.Block, atomic: bool, *, only_in_init: bool = False) -> None:
        self._needs_atomic = self._needs_atomic and not only_in_init
        self.block(body, _Around(atomic, loop=False))

    def block(self, block: ast.Block, around: _Around) -> None:
        for statement in block.statements:
            self.statement(statement, around)

    def statement(self, statement: ast.Statement, around: _Around) -> None:
        self._may_construct = isinstance(statement, ast.Assign | ast.AugmentedAssign | ast.ExpressionStatement)
        match statement:
            case ast.Assign(targets=targets, value=value):
                self.value(value, around)
                for target in targets:
                    self.target(target)
            case ast.AugmentedAssign(target=target, value=value):
                self.expression(value)
                self.target(target)
                if isinstance(target, ast.Name):
                    self.scope.read(target, frozenset())
            case ast.ExpressionStatement(value=value):
                self.value(value, around)
            case ast.Require(condition=condition):
                self._not_in_assertion("`require`", statement)
                self.expression(condition)
            case ast.Return(value=value):
                if value is not None:
                    self.expression(value)
            case ast.Break() | ast.Continue():
                if not around.loop:
                    word = "break" if isinstance(statement, ast.Break) else "continue"
                    self.messages.error("L31", f"'{word}' outside a loop", statement.span)
            case ast.Choose(target=target, iterable=iterable, condition=condition):
                self._not_in_assertion("a choice", statement)
                self.expression(iterable)
                self.target(target)
                if condition is not None:
                    self.expression(condition)
            case ast.Helper():
                hint = "a `def` stands at top level, in a role or in another `def`"
                self.messages.error("L6", "a 'def' inside an action, func or assertion", statement.name_span, hint)
            case ast.Pass():
                pass
            case ast.If() | ast.While() | ast.For() | ast.ChooseBlock() | ast.FlowBlock():
                self.compound(statement, around)
            case _:
                assert_never(statement)

    def compound(self, statement: ast.CompoundStatement, around: _Around) -> None:
        match statement:
            case ast.If(branches=branches, orelse=orelse):
                for condition, block in branches:
                    self._may_construct = False
                    self.expression(condition)
                    self.block(block, around)
                if orelse is not None:
                    self.block(orelse, around)
            case ast.While(flow=flow, condition=condition, body=body):
                self.expression(condition)
                self.block(body, _Around(_atomic(flow, around), loop=True))
            case ast.For(flow=flow, variables=variables, iterable=iterable, body=body):
                if flow == "parallel":
                    self._not_in_assertion("a choice", statement)
                self.expression(iterable)
                self.variables(variables, "loop variable")
                self.block(body, _Around(_atomic(flow, around), loop=True))
            case ast.ChooseBlock(variables=variables, iterable=iterable, body=body):
                self._not_in_assertion("a choice", statement)
                self.expression(iterable)
                self.variables(variables, "choice variable")
                self.block(body, around)
            case ast.FlowBlock(flow=flow, body=body):
                if flow in ("parallel", "oneof"):
                    self._not_in_assertion("a choice", statement)
                self.block(body, _Around(_atomic(flow, around), around.loop))
            case _:
                assert_never(statement)

    def _not_in_assertion(self, what: str, statement: ast.Statement) -> None:
        if self.is_assertion:
            span = statement.span
            if span.end_line > span.line:  # the header says enough
                span = span._replace(end_line=span.line, end_column=span.column + 1)
            self.messages.error("L30", f"{what} inside an assertion", span, "an assertion only looks at a state")

    # --- targets

    def target(self, target: ast.Expression) -> None:
        match target:
            case ast.Name():
                self.scope.bind(target.id, target.span)
            case ast.TupleExpression(items=items) | ast.ListExpression(items=items):
                for item in items:
                    self.target(item)
            case ast.Attribute(value=value, name=name):
                self.expression(value)
                role = self.scope.role
                if role is not None and is_self(value) and name in self.scope.role_constants:
                    first = self.scope.role_constants[name]
                    hint = f"it is defined at {first.file}:{first.line}; use another name for a field"
                    text = f"'{name}' is a constant of role {role.name} and cannot be assigned"
                    self.messages.error("L22", text, target.span, hint)
                elif role is not None and is_self(value) and name in self.model.role_parameters.get(role.name, ()):
                    hint = f"it is given to the constructor: `{role.name}({name}=…)`; use another name for a field"
                    text = f"assignment to the param '{name}' of role {role.name}"
                    self.messages.error("L39", text, target.span, hint)
            case _:
                self.expression(target)

    def variables(self, variables: ast.LoopVariables, what: str | None) -> None:
        for name in variables.names:
            self.scope.bind_variable(name, variables.span, what=what)

    # --- calls that are a whole statement or a whole right side

    def value(self, value: ast.Expression, around: _Around) -> None:
        if not isinstance(value, ast.Call):
            self.expression(value)
            return
        function, name = self._known_function(value)
        if name is None:
            self.expression(value)
            return
        if self.kind == "constant":
            hint = "use a `def` helper"
            self.messages.error("L32", f"a constant may not call the func '{name}'", value.span, hint)
        elif self.is_assertion and function is not None:
            self._call_in_assertion(value, function)
        elif not self.is_assertion and not around.atomic and self._needs_atomic:
            hint = "make the action atomic, or move it into a role"
            self.messages.error("L25", "fizz call in serial code outside a role", value.span, hint)
        if around.atomic and function is not None and self.kind in ("action", "func"):
            self._warn_yields(value, function)
        if function is not None:
            check_arguments(value, name, function.parameters, self.messages)
        if isinstance(value.function, ast.Attribute):
            self.expression(value.function.value)
        self._may_construct = False
        for argument in value.arguments:
            self.expression(argument.value)

    def _known_function(self, call: ast.Call) -> tuple[ast.Function | None, str | None]:
        """The func that a call calls, as far as the text shows; (None, name) if it is one of several."""
        function = call.function
        if isinstance(function, ast.Name):
            if function.id in self.scope.locals:
                return None, None
            known = self.model.functions.get(function.id)
            return known, known.name if known is not None else None
        if not isinstance(function, ast.Attribute):
            return None, None
        role, name = self.scope.role, function.name
        if is_self(function.value) and role is not None:
            known = self.model.functions_of[role.name].get(name)
            return known, name if known is not None else None
        if not self._is_surely_role_call(function):
            return None, None
        candidates = self.model.role_functions[name]
        return (candidates[0] if len(candidates) == 1 else None), name

    def _is_surely_role_call(self, function: ast.Attribute) -> bool:
        """Whether `E.f(…)` can only be the call of a role's func (a call through a stub looks the same)."""
        model, value = self.model, function.value
        if function.name not in model.role_functions or function.name in METHODS or model.uses_channels:
            return False
        if isinstance(value, ast.Name) and (value.id in model.constants or value.id in model.modules):
            return False
        return function.name not in model.role_helpers

    def _check_method(self, call: ast.Call, role: ast.Role, name: str) -> None:
        for helper in role.helpers:
            if helper.name == name:
                check_arguments(call, name, helper.parameters[1:], self.messages)
                return
        known = [function.name for function in role.functions] + [helper.name for helper in role.helpers]
        hint = near_hint(name, known) or (f"its funcs are: {', '.join(known)}" if known else None)
        self.messages.error("L20", f"role '{role.name}' has no func '{name}'", call.function.span, hint)

    def _call_in_assertion(self, call: ast.Call, function: ast.Function) -> None:
        """No func that an assertion calls may choose; of those that a func calls that is found when they are run."""
        if function.flow in ("parallel", "oneof") or any(map(_chooses, all_statements(function.body))):
            text = f"call of the func '{function.name}', which chooses, inside an assertion"
            self.messages.error("L30", text, call.span, "an assertion only looks at a state")

    def _warn_yields(self, call: ast.Call, function: ast.Function) -> None:
        if function.flow != "atomic" and yields(function.body, atomic=False) > 1:
            text = f"func '{function.name}' will yield inside the atomic block"
            self.messages.warning("W1", text, call.span, f"declare it `atomic func {function.name}`")

    # --- expressions

    def expression(self, node: ast.Expression, own: frozenset[str] = frozenset()) -> None:
        match node:
            case ast.Name():
                self.scope.read(node, own)
            case ast.Call():
                self._call(node, own)
            case ast.Attribute(value=ast.Name(id="self"), name=name) if self._is_role_constant(name):
                self.scope.read_role_constant(name, node.span)
            case ast.Attribute(value=ast.Name(id=module), name=name) if module not in own | self.scope.locals:
                self.scope.read(node.value, own, member=name)  # type: ignore[arg-type]
                self._member(node, module, name)
            case ast.Lambda(parameters=parameters, body=body):
                for parameter in parameters:
                    self.scope.bind_variable(parameter.name, parameter.span, what=None)
                    if parameter.default is not None:
                        self.expression(parameter.default, own)
                with self.scope.later():
                    self.expression(body, own | {parameter.name for parameter in parameters})
            case ast.Comprehension():
                self._comprehension(node, own)
            case _:
                for part in parts(node):
                    self.expression(part, own)

    def _is_role_constant(self, name: str) -> bool:
        """Whether `self.name` is a constant of the role. In a `def`, `self` may be any value."""
        return self.scope.role is not None and self.kind != "def" and name in self.scope.role_constants

    def _member(self, node: ast.Attribute, module: str, name: str) -> None:
        members = BUILTIN_MODULES.get(module, self.model.modules.get(module))
        if members is not None and name not in members:
            hint = near_hint(name, sorted(members))
            self.messages.error("L20", f"module '{module}' has no '{name}'", node.span, hint)

    def _comprehension(self, node: ast.Comprehension, own: frozenset[str]) -> None:
        for clause in node.clauses:
            if isinstance(clause, ast.ComprehensionIf):
                self.expression(clause.condition, own)
            else:
                self.expression(clause.iterable, own)
                self.variables(clause.variables, None)
                own = own | frozenset(clause.variables.names)
        if node.key is not None:
            self.expression(node.key, own)
        self.expression(node.element, own)

    def _call(self, call: ast.Call, own: frozenset[str]) -> None:
        """A call inside an expression: of a builtin, a def or a constructor, but never of a func."""
        function = call.function
        if isinstance(function, ast.Name) and function.id not in own and function.id not in self.scope.locals:
            name = function.id
            if name in self.model.roles:
                self._constructor(call, name)
            elif name in self.model.functions:
                self._call_of_func(call, name)
                self._arguments(call, own)
                return
            elif name in self.model.helpers:
                check_arguments(call, name, self.model.helpers[name].parameters, self.messages)
        elif isinstance(function, ast.Attribute):
            _, func_name = self._known_function(call)
            if func_name is not None:
                self._call_of_func(call, func_name)
            elif is_self(function.value) and self.scope.role is not None:
                self._check_method(call, self.scope.role, function.name)
        if isinstance(function, ast.Name):
            self.scope.read(function, own, called=True)
        else:
            self.expression(function, own)
        self._arguments(call, own)

    def _arguments(self, call: ast.Call, own: frozenset[str]) -> None:
        for argument in call.arguments:
            self.expression(argument.value, own)

    def _call_of_func(self, call: ast.Call, name: str) -> None:
        if self.kind == "constant":
            self.messages.error("L32", f"a constant may not call the func '{name}'", call.span, "use a `def` helper")
        else:
            hint = "assign the result to a variable first"
            self.messages.error("L24", f"call of func '{name}' inside an expression", call.span, hint)

    def _constructor(self, call: ast.Call, name: str) -> None:
        if self.kind == "constant":
            hint = "create roles in `action Init`"
            self.messages.error("L32", f"a constant may not create the role '{name}'", call.span, hint)
        elif self.kind == "def":
            hint = "create it in an action and pass it as an argument"
            self.messages.error("L28", f"role '{name}' constructed in a `def` helper", call.span, hint)
        elif not self._may_construct:
            text = f"role '{name}' constructed outside an assignment or expression statement"
            self.messages.error("L28", text, call.span, "assign it to a variable first")
        for argument in call.arguments:
            if argument.kind in ("positional", "star"):
                hint = f"write `{name}(NAME=…)`"
                self.messages.error("L27", f"role '{name}' takes keyword arguments only", argument.span, hint)
                return


def _chooses(statement: ast.Statement) -> bool:
    """Whether a statement is a choice by itself."""
    if isinstance(statement, ast.FlowBlock | ast.For):
        return statement.flow in ("parallel", "oneof")
    return isinstance(statement, ast.Choose | ast.ChooseBlock)


def _atomic(flow: str | None, around: _Around) -> bool:
    return flow == "atomic" if flow in ("atomic", "serial") else around.atomic


def yields(block: ast.Block, atomic: bool) -> int:
    """The number of yields in the text of a body; a loop that yields counts twice."""
    count = 0
    for statement in block.statements:
        match statement:
            case ast.Assign() | ast.AugmentedAssign() | ast.ExpressionStatement():
                count += not atomic
            case ast.FlowBlock(flow=flow, body=body):
                inner = flow == "atomic" if flow in ("atomic", "serial") else atomic
                count += max(yields(body, inner), int(not atomic))
            case ast.For(flow=flow, body=body) | ast.While(flow=flow, body=body):
                inner = flow == "atomic" if flow in ("atomic", "serial") else atomic
                count += max(2 * yields(body, inner), int(not atomic))
            case ast.ChooseBlock(body=body):
                count += yields(body, atomic)
            case ast.If(branches=branches, orelse=orelse):
                blocks = [branch for _, branch in branches] + ([orelse] if orelse is not None else [])
                count += max(yields(inner_block, atomic) for inner_block in blocks)
    return count


def check_arguments(call: ast.Call, name: str, parameters: tuple[ast.Parameter, ...], messages: Messages) -> None:
    """Reports missing, unexpected and superfluous arguments (L26)."""
    plain = [parameter for parameter in parameters if parameter.kind == "plain"]
    names = {parameter.name for parameter in plain}
    kinds = {parameter.kind for parameter in parameters}
    hint = f"its parameters are ({', '.join(_shown(parameter) for parameter in parameters)})"
    given: set[str] = set()
    position = 0
    spread = False
    for argument in call.arguments:
        if argument.kind in ("star", "double star"):
            spread = True
        elif argument.kind == "positional":
            if position < len(plain):
                given.add(plain[position].name)
            elif "star" not in kinds and not spread:
                messages.error("L26", f"wrong arguments for '{name}': too many", argument.span, hint)
                return
            position += 1
        else:
            assert argument.name is not None
            if argument.name in given:
                text = f"wrong arguments for '{name}': '{argument.name}' is given twice"
                messages.error("L26", text, argument.span, hint)
            elif argument.name not in names and "double star" not in kinds:
                text = f"wrong arguments for '{name}': unexpected '{argument.name}'"
                messages.error("L26", text, argument.span, hint)
            given.add(argument.name)
    missing = [parameter.name for parameter in plain if parameter.default is None and parameter.name not in given]
    if missing and not spread:
        shown = ", ".join(f"'{word}'" for word in missing)
        messages.error("L26", f"wrong arguments for '{name}': missing {shown}", call.span, hint)


def _shown(parameter: ast.Parameter) -> str:
    stars = {"plain": "", "star": "*", "double star": "**"}[parameter.kind]
    return stars + parameter.name + ("=…" if parameter.default is not None else "")
