"""`def`s of the model as functions of Python, a part of each rule that calls them."""

from __future__ import annotations

import ast as python
from collections.abc import Mapping
from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import bound_names, is_name, nodes_in
from interpreter.direct.any_order import AnyOrder, returns_in_any_order
from interpreter.direct.direct_expressions import DirectExpressions
from interpreter.direct.forms import LISTS, SCALARS, Compiled, Unsupported, call, constant, name, source_of
from interpreter.direct.name_lookup import Names, roots_of
from interpreter.direct.node_operations import PURE_METHODS
from interpreter.direct.scopes import RuleScope, function, names_in
from interpreter.execute.costs import cost, effect_cost

_MAKERS: Final = frozenset({"list", "dict", "set", "sorted"})
"""Builtin functions that make containers."""

_COUNTING: Final = frozenset({"all", "any", "bool", "len", "sum"})
"""Builtin functions that give the same for members in any order."""


class HelperBody(Names):
    """A `def`: it sees its parameters, constants, builtins and other `def`s, and the fields of instances."""

    def __init__(self, source: ast.Helper, rule: RuleScope, sides: Mapping[str, str]) -> None:
        """`sides`: by parameter, the state before or after a step that it is."""
        super().__init__(rule.shared)
        self._rule = rule
        self.source = source
        bound = bound_names(source.body)
        if sides.keys() & bound:
            raise Unsupported("a state as a variable")
        self._sides = sides
        self._parameters = [one.name for one in source.parameters if one.name not in sides]
        self._locals = bound.union(self._parameters)
        self.expressions = DirectExpressions(self)
        self._in_place = _changed_in(source)
        self._altered = self._in_place.union(*map(roots_of, _members_put(source)))
        self._ends: list[tuple[python.Return, Compiled, ast.Expression | None]] = []
        self._any_order: AnyOrder | None = None
        """The loop around, if it has the same result in any order."""

    @property
    def rule(self) -> RuleScope:
        return self._rule

    def locals(self) -> frozenset[str]:
        return self._locals

    def read(self, identifier: str) -> Compiled:
        found = self.local(identifier)
        if found is None and identifier in self._sides:
            raise Unsupported("a state as a whole")
        return self.beyond(identifier) if found is None else found

    def side(self, node: ast.Expression) -> str | None:
        if not isinstance(node, ast.Name) or node.id in self._bound:
            return None
        return self._sides.get(node.id)

    def of_side(self, owner: ast.Expression, attribute: str) -> Compiled | None:
        side = self.side(owner)
        return None if side is None else self._rule.variable_of(side, attribute)

    def myself(self, attribute: str) -> Compiled:
        return self.field(self.read("self"), attribute)

    def field(self, owner: Compiled, attribute: str) -> Compiled:
        return self._rule.field(owner, attribute)

    def mark(self, part: ast.Expression, code: python.expr) -> python.expr:
        return code

    def function(self, title: str) -> list[python.stmt]:
        for parameter in self._parameters:
            self.borrowed(parameter)
            self.assigned.add(parameter)
        body = [python.Expr(call("spend", constant(_size(self.source.body)))), *self._block(self.source.body)]
        body.append(python.Return(constant(None)))
        self._return_values(title)
        self.check()
        parameters = [f"v_{parameter}" for parameter in self._parameters]
        state = ["V", "W"] if self._rule.dynamic else ["V"]
        if self._sides:
            # It reads what it was given: that is no argument.
            return [function(title, [*state, "B", *parameters], body)]
        if "V" not in names_in(body):
            self._rule.depends_on_arguments(title)
            state = []
        made = function(title, [*state, *parameters], body)
        if state and any(source is self.source for _, source in self.shared.methods.get(self.source.name, ())):
            return [made]  # What is called on an instance, and reads fields, does not depend on its arguments alone.
        remembered = call("remembering", constant(title), name(title), constant(len(state)))
        return [made, python.Assign([python.Name(title, python.Store())], remembered)]

    def _return_values(self, title: str) -> None:
        """Return values in the form that all have which are returned."""
        values = [self._let_go(value, node) for _, value, node in self._ends]
        # Where the text may end without a `return`, that is None.
        always = isinstance(self.source.body.statements[-1], ast.Return)
        kinds = {(value.kind, value.width) for value in values}
        fresh = all(value.fresh for value in values)
        ((kind, width),) = kinds if always and len(kinds) == 1 else {("any", 0)}
        if kind == "range":
            raise Unsupported("a range as a value")
        owned = bool(values) and all(value.owned or value.kind in SCALARS for value in values)
        self._rule.returns(title, Compiled(constant(None), kind, fresh, width, owned))
        for made, value, _ in self._ends:
            made.value = value.code if kind in LISTS else self.expressions.whole(value)

    def _returned(self, node: ast.Expression) -> Compiled:
        """A value that is returned: of new containers, in which there are no others."""
        if isinstance(node, ast.Comprehension | ast.ListExpression) and _makes_members(node):
            return Compiled(self.expressions.stored(node), "any", True, owned=True)
        return self.expressions.of(node)

    def _let_go(self, value: Compiled, node: ast.Expression | None) -> Compiled:
        """A value that is returned, if it is that of a local, which is gone then."""
        if not isinstance(node, ast.Name) or node.id not in self._locals:
            return value
        if value.kind in SCALARS or self.is_borrowed(node.id):
            return value
        # What is in a new container that is changed in place was stored in it; `*=` takes it more than once.
        return value._replace(fresh=True, owned=node.id in self._in_place and not self.is_augmented(node.id))

    def _block(self, block: ast.Block) -> list[python.stmt]:
        made: list[python.stmt] = []
        for statement in block.statements:
            made += self._statement(statement)
        return made or [python.Pass()]

    def _statement(self, statement: ast.Statement) -> list[python.stmt]:
        match statement:
            case ast.Return(value=value):
                compiled = Compiled(constant(None), "none", True) if value is None else self._returned(value)
                end = python.Return(compiled.code)
                self._ends.append((end, compiled, value))
                return [end] if self._any_order is None else self._any_order.ending(end)
            case ast.Pass():
                return [python.Pass()]
            case ast.Break():
                return [python.Break()]
            case ast.Continue():
                return [python.Continue()]
            case ast.If():
                orelse = [] if statement.orelse is None else self._inner(statement.orelse)
                for condition, block in reversed(statement.branches):
                    orelse = [python.If(self.expressions.test(condition), self._inner(block), orelse)]
                return orelse
            case ast.For():
                return self._for(statement)
            case ast.Assign(targets=(ast.Name() as target,), value=value):
                return self._bind(target.id, self._value_for(target.id, value), value)
            case ast.Assign(targets=(ast.TupleExpression() | ast.ListExpression() as target,), value=value):
                return self._unpack(target, value)
            case ast.Assign(targets=(ast.Index() as target,), value=value):
                return [self._put(target, self.expressions.stored(value))]
            case ast.AugmentedAssign(target=ast.Name() as target, operator=operator) if operator in ("+", "-", "*"):
                old = self.expressions.of(target)
                operation = {"+": "added", "-": "sub", "*": "mul"}[operator]
                made = call(operation, old.code, self.expressions.stored(statement.value))
                self.unshared(target.id, made)
                return [self._assign(target.id, made)]
            case ast.ExpressionStatement(value=ast.Call(function=ast.Attribute(value=ast.Name() as owner) as method)):
                return [self._change(statement.value, owner, method.name)]
        raise Unsupported(type(statement).__name__)

    def _put(self, target: ast.Index, code: python.expr) -> python.stmt:
        """Give a member of a local, or of what is in it, a value: the containers on the way are made anew."""
        owner = target.value
        made = call("put", self.expressions.value(owner), self.expressions.value(target.index), code)
        if isinstance(owner, ast.Index):
            return self._put(owner, made)
        if not isinstance(owner, ast.Name):
            raise Unsupported("a target")
        self.changed(owner.id, None)
        return self._assign(owner.id, made)

    def _unpack(self, target: ast.TupleExpression | ast.ListExpression, value: ast.Expression) -> list[python.stmt]:
        names = [one.id for one in target.items if isinstance(one, ast.Name)]
        if len(names) < len(target.items):
            raise Unsupported("targets")
        if isinstance(value, ast.TupleExpression | ast.ListExpression) and len(value.items) == len(names):
            members: python.expr = python.Tuple(
                [self._lent(one, self.expressions.value(one)) for one in value.items], python.Load()
            )
        else:
            members = call("members", self._lent(value, self.expressions.value(value)), constant(len(names)))
        for one in names:
            self.borrowed(one)
        self.assigned |= set(names)
        targets: list[python.expr] = [python.Name(self.variable(one), python.Store()) for one in names]
        return [python.Assign([python.Tuple(targets, python.Store())], members)]

    def _inner(self, block: ast.Block) -> list[python.stmt]:
        assigned = set(self.assigned)
        made = self._block(block)
        self.assigned = assigned
        return made

    def _for(self, statement: ast.For) -> list[python.stmt]:
        for variable in statement.variables.names:
            self.borrowed(variable)
        looped = _root(statement.iterable)
        target, elements = self.expressions.loop_over(
            statement.variables, statement.iterable, 2 + _size(statement.body), True
        )
        if not self._is_altered(statement.iterable):
            elements = self.expressions.to_compare(statement.variables, elements, (self.source.body,))
        assigned = set(self.assigned)
        self.assigned |= set(statement.variables.names)
        changed = set(self._changed)
        self._changed = set()
        body: list[python.stmt] = []
        if self._is_altered(statement.iterable):
            body += [python.Expr(call("plain", name(f"v_{one}"))) for one in statement.variables.names]
        source = source_of(elements) if returns_in_any_order(statement.body) else None
        self._any_order = None if source is None else AnyOrder(source, len(self._ends))
        body += self._block(statement.body)
        any_order, self._any_order = self._any_order, None
        if looped in self._changed:
            raise Unsupported("a change of what is iterated over")
        self._changed |= changed
        self.assigned = assigned
        if any_order is None:
            return [python.For(target, elements, body, [])]
        made, value, node = self._ends[-1]
        self._ends.append((python.Return(made.value), value, node))
        return any_order.loop(target, elements, body, self._ends[-1][0])

    def _bind(self, identifier: str, value: Compiled, node: ast.Expression) -> list[python.stmt]:
        is_kept = value.kind in LISTS and self.may_be_listed(identifier)
        if is_kept and not self._in_place & {identifier, *self.shared.roots(node)} and self._is_bound_once(identifier):
            self.listed(identifier, value)
            return [self._assign(identifier, value.code)]
        code = self.expressions.whole(value)
        if not value.fresh and value.kind not in SCALARS:
            self.borrowed(identifier)
            code = self._lent(node, code)
        elif value.kind not in SCALARS and self._in_place & {identifier, *self.shared.roots(node)}:
            # What is in the new container is changed neither through it nor through another name.
            code = self.expressions.stored(node)
        return [self._assign(identifier, code)]

    def _lent(self, node: ast.Expression, code: python.expr) -> python.expr:
        """The value of an expression that gets a second name: no container, if that may be changed by the first."""
        return call("plain", code) if self._is_altered(node) else code

    def _is_altered(self, node: ast.Expression) -> bool:
        """Whether what an expression gives, or what that is in, may be changed in place here."""
        return bool(self._altered & self.shared.roots(node))

    def _assign(self, identifier: str, code: python.expr) -> python.stmt:
        self.assigned.add(identifier)
        return python.Assign([python.Name(f"v_{identifier}", python.Store())], code)

    def _value_for(self, identifier: str, node: ast.Expression) -> Compiled:
        """The value of a local: of a list that is only counted, the members may come in any order."""
        if isinstance(node, ast.Comprehension) and node.kind == "list" and self._is_counted(identifier):
            return self.expressions.comprehended(node, False)
        return self.expressions.of(node)

    def _is_counted(self, local: str) -> bool:
        """Whether all that is asked of the one value of a local is how many members it has, or which."""
        found = known = 0
        for node in nodes_in(self.source.body):
            found += is_name(node, local)
            match node:
                case ast.Call(
                    function=ast.Name() as function, arguments=(ast.Argument(kind="positional", value=value),)
                ):
                    counting = function.id in _COUNTING and self.expressions.is_builtin(function, function.id)
                    known += counting and is_name(value, local)
                case ast.Binary(operator="in" | "not in", right=part) | ast.Unary(operator="not", operand=part):
                    known += is_name(part, local)
        return known > 0 and found == known + 1 and self._is_bound_once(local)

    def _is_bound_once(self, local: str) -> bool:
        """Whether one assignment alone gives a local its value."""
        names = list(self._parameters)
        for node in nodes_in(self.source.body):
            targets: tuple[ast.Node, ...] = ()
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AugmentedAssign):
                targets = (node.target, node.target)
            elif isinstance(node, ast.For):
                names += 2 * node.variables.names
            names += [one.id for target in targets for one in nodes_in(target) if isinstance(one, ast.Name)]
        return names.count(local) == 1

    def _change(self, node: ast.Expression, owner: ast.Name, method: str) -> python.stmt:
        operation = {"append": "append", "add": "set_add", "discard": "discarded", "extend": "extended"}.get(method)
        assert isinstance(node, ast.Call)
        if operation is None or len(node.arguments) != 1 or node.arguments[0].kind != "positional":
            raise Unsupported(f".{method}()")
        self.changed(owner.id, None)
        if owner.id not in self._locals:
            raise Unsupported("a change of a constant")
        return self._assign(
            owner.id, call(operation, self.expressions.value(owner), self.expressions.stored(node.arguments[0].value))
        )


def _changed_in(source: ast.Helper) -> set[str]:
    """The names of what is changed in place, or of what that is in."""
    found: set[str] = set()
    for node in nodes_in(source.body):
        if isinstance(node, ast.Assign):
            inside = [one for one in node.targets if isinstance(one, ast.Index) and isinstance(one.value, ast.Index)]
            found = found.union(*map(roots_of, inside))
        elif isinstance(node, ast.AugmentedAssign):
            found |= roots_of(node.target)
        elif isinstance(node, ast.Call) and isinstance(node.function, ast.Attribute):
            found |= set() if node.function.name in PURE_METHODS else roots_of(node.function.value)
    return found


def _members_put(source: ast.Helper) -> list[ast.Target]:
    """The members that are given a value, of whatever."""
    assigned = [node for node in nodes_in(source.body) if isinstance(node, ast.Assign)]
    return [
        one for node in assigned for target in node.targets for one in nodes_in(target) if isinstance(one, ast.Index)
    ]


def compile_def(source: ast.Helper, rule: RuleScope, title: str, sides: Mapping[str, str]) -> list[python.stmt]:
    """The function that stands for a `def` in a rule. Where it cannot read the state, its results are remembered."""
    return HelperBody(source, rule, sides).function(title)


def _makes_members(node: ast.Comprehension | ast.ListExpression) -> bool:
    """Whether a display makes containers as its members."""
    makers = ast.ListExpression | ast.DictExpression | ast.Comprehension | ast.Slice
    members = [node.element] if isinstance(node, ast.Comprehension) else node.items
    return any(
        isinstance(one, makers)
        or (isinstance(one, ast.Call) and isinstance(one.function, ast.Name) and one.function.id in _MAKERS)
        for one in members
    )


def _root(node: ast.Expression) -> str | None:
    while isinstance(node, ast.Index | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _size(block: ast.Block) -> int:
    """At least what one execution of each statement of a block is charged."""
    count = 0
    for statement in block.statements:
        count += 1 + effect_cost(statement)
        match statement:
            case ast.If():
                count += sum(cost(condition) + _size(inner) for condition, inner in statement.branches)
                count += 0 if statement.orelse is None else _size(statement.orelse)
            case ast.For():
                count += cost(statement.iterable) + _size(statement.body)
    return count
