"""DirectExpressions as trees of Python's `ast`. No text of a model is ever parsed as Python.

Names of the model get a prefix, so that they meet no other name; attributes and methods of the model are constant
strings that the operations look up. A node has one of a few kinds, known when it is compiled, which save checks.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self, nodes_in
from interpreter.direct.node_operations import FRESH, PURE_FUNCTIONS, PURE_METHODS
from interpreter.execute.costs import cost
from interpreter.values.intern import Tag

if TYPE_CHECKING:
    from interpreter.direct.name_lookup import Names


class Unsupported(Exception):
    """A rule has something that is not done directly."""


class Compiled(NamedTuple):
    """`kind`: "bool", "int", "str", "none", "items" (a list of Python that nothing else refers to), "range" or "any".

    `fresh`: the value is no container, or a new one.
    """

    code: python.expr
    kind: str = "any"
    fresh: bool = False


def name(text: str) -> python.Name:
    return python.Name(text, python.Load())


def call(function: str, *args: python.expr) -> python.Call:
    return python.Call(name(function), list(args), [])


def constant(value: Any) -> python.Constant:
    return python.Constant(value)


SCALARS: Final = frozenset({"bool", "int", "str", "none"})
_COMPARED: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC: Final = {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod"}
_PYTHON: Final[dict[str, type[python.cmpop]]] = {
    "<": python.Lt,
    "<=": python.LtE,
    ">": python.Gt,
    ">=": python.GtE,
    "==": python.Eq,
    "!=": python.NotEq,
}
_MODULES: Final = frozenset({"math", "itertools"})


class DirectExpressions:
    """Compiles the expressions of one routine or `def`."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._storing = False
        """Whether the display being compiled is stored, so that its members have it as their owner."""

    # --- forms of a value ------------------------------------------------------------------------------------------

    def value(self, node: ast.Expression) -> python.expr:
        """The code of a value as it is stored or passed on."""
        return self.whole(self.of(node))

    def whole(self, compiled: Compiled) -> python.expr:
        if compiled.kind == "items":
            return call("list_of", compiled.code)
        if compiled.kind == "range":
            raise Unsupported("a range as a value")
        return compiled.code

    def test(self, node: ast.Expression) -> python.expr:
        """The code of a condition: Python's truth of it is that of the language."""
        return self.of(node).code

    def stored(self, node: ast.Expression) -> python.expr:
        """The code of a value that goes into the state or into a container: no container may have two owners."""
        if self._display(node):
            # Its members are checked, one by one.
            return self.whole(self._compiled(node, True))
        compiled = self.of(node)
        code = self.whole(compiled)
        if compiled.kind in SCALARS:
            return code
        return call("own" if compiled.fresh else "plain", code)

    def _display(self, node: ast.Expression) -> bool:
        if isinstance(node, ast.Call):
            return self._builtin(node.function, "struct") or self._builtin(node.function, "record")
        return isinstance(node, ast.ListExpression | ast.TupleExpression | ast.DictExpression | ast.Comprehension)

    def _member(self, node: ast.Expression) -> python.expr:
        """A member of a display."""
        return self.stored(node) if self._storing else self.value(node)

    def iterable(self, node: ast.Expression, charge: int, live: bool) -> python.expr:
        """The code of the elements of a loop, each charged."""
        charge = max(1, charge)
        compiled = self.of(node)
        if compiled.kind in ("items", "range"):
            return call("turns", compiled.code, constant(charge))
        return call("live" if live else "each", compiled.code, constant(charge))

    def loop_over(
        self, variables: ast.LoopVariables, iterable: ast.Expression, charge: int, live: bool
    ) -> tuple[python.expr, python.expr]:
        """The target and the elements of a loop."""
        targets: list[python.expr] = [python.Name(self.names.variable(one), python.Store()) for one in variables.names]
        if not variables.unpack:
            return targets[0], self.iterable(iterable, charge, live)
        target = python.Tuple(targets, python.Store())
        if isinstance(iterable, ast.Call) and all(a.kind == "positional" for a in iterable.arguments):
            function, arguments = iterable.function, [a.value for a in iterable.arguments]
            if isinstance(function, ast.Attribute) and function.name == "items" and not arguments and len(targets) == 2:
                return target, call("entries", self.value(function.value), constant(max(1, charge)))
            if self._builtin(function, "enumerate") and len(arguments) == 1 and len(targets) == 2:
                return target, call("enumerate", self.iterable(arguments[0], charge, True))
        return target, call("unpacked", self.iterable(iterable, charge, live), constant(len(targets)))

    def _builtin(self, node: ast.Expression, identifier: str) -> bool:
        return isinstance(node, ast.Name) and node.id == identifier and not self.names.shadowed(identifier)

    # --- expressions -----------------------------------------------------------------------------------------------

    def of(self, node: ast.Expression) -> Compiled:
        """An expression, in the form that is cheapest."""
        return self._compiled(node, False)

    def _compiled(self, node: ast.Expression, storing: bool) -> Compiled:
        compiler = _COMPILERS.get(type(node))
        if compiler is None:
            raise Unsupported(type(node).__name__)
        before, self._storing = self._storing, storing
        try:
            return compiler(self, node)
        finally:
            self._storing = before

    def _literal(self, node: ast.Literal) -> Compiled:
        value = node.value
        if isinstance(value, float | bytes) or (isinstance(value, str) and len(value) > 64):
            raise Unsupported("a literal")
        if type(value) is int and not -(1 << 62) < value < 1 << 62:
            raise Unsupported("a large int")
        kind = {bool: "bool", int: "int", str: "str", type(None): "none"}[type(value)]
        return Compiled(constant(value), kind, True)

    def _name(self, node: ast.Name) -> Compiled:
        return self.names.read(node.id)

    def _fstring(self, node: ast.FString) -> Compiled:
        parts: list[python.expr] = []
        for part in node.parts:
            if isinstance(part, str):
                parts.append(constant(part))
            elif part.conversion or part.spec:
                raise Unsupported("a format")
            else:
                parts.append(self.value(part.value))
        return Compiled(call("text", *parts), "str", True)

    def _tuple(self, node: ast.TupleExpression) -> Compiled:
        return Compiled(call("tuple_of", *map(self._member, node.items)), "any", True)

    def _list(self, node: ast.ListExpression) -> Compiled:
        return Compiled(python.List([self._member(item) for item in node.items], python.Load()), "items", True)

    def _dict(self, node: ast.DictExpression) -> Compiled:
        pairs: list[python.expr] = [
            python.Tuple([self.value(k), self._member(v)], python.Load()) for k, v in node.pairs
        ]
        return Compiled(call("dict_of", python.List(pairs, python.Load())), "any", True)

    def _unary(self, node: ast.Unary) -> Compiled:
        if node.operator == "not":
            return Compiled(python.UnaryOp(python.Not(), self.test(node.operand)), "bool", True)
        if node.operator == "-":
            if isinstance(node.operand, ast.Literal) and type(node.operand.value) is int:
                return Compiled(constant(-node.operand.value), "int", True)
            return Compiled(call("neg", self.value(node.operand)), "int", True)
        raise Unsupported(node.operator)

    def _binary(self, node: ast.Binary) -> Compiled:
        operator = node.operator
        if operator in ("in", "not in"):
            return self._membership(node)
        left, right = self.of(node.left), self.of(node.right)
        a, b = self.whole(left), self.whole(right)
        ints = left.kind == "int" == right.kind
        if operator in ("==", "!="):
            return Compiled(self._equality(operator, Compiled(a, left.kind), Compiled(b, right.kind)), "bool", True)
        if operator in _COMPARED:
            if ints:
                return Compiled(python.Compare(a, [_PYTHON[operator]()], [b]), "bool", True)
            return Compiled(call(_COMPARED[operator], a, b), "bool", True)
        if operator in _ARITHMETIC:
            kind = "int" if ints else "str" if operator == "+" and "str" in (left.kind, right.kind) else "any"
            return Compiled(call(_ARITHMETIC[operator], a, b), kind, True)
        return Compiled(call("binary", constant(operator), a, b), "any", True)

    def _equality(self, operator: str, left: Compiled, right: Compiled) -> python.expr:
        kinds = {left.kind, right.kind}
        compare = _PYTHON[operator]()
        if kinds in ({"int"}, {"bool"}, {"str"}) or "str" in kinds:
            # A text equals nothing but texts, also in Python.
            return python.Compare(left.code, [compare], [right.code])
        for one, other in ((left, right), (right, left)):
            if isinstance(one.code, python.Constant) and not isinstance(other.code, python.Constant):
                value: Any = one.code.value
                if value is None or value is True or value is False or -6 < value < 257:
                    # Python has one object for each of these: `is` tells True from 1.
                    test = python.Is() if operator == "==" else python.IsNot()
                    return python.Compare(other.code, [test], [name(self.names.keep(value))])
        return call("eq" if operator == "==" else "ne", left.code, right.code)

    def _membership(self, node: ast.Binary) -> Compiled:
        item, group = self.value(node.left), self.of(node.right)
        if group.kind == "items":
            found: python.expr = call("contained", item, group.code)
        elif group.kind == "range":
            found = call("within", item, group.code)
        elif node.operator == "in":
            return Compiled(call("contains", item, group.code), "bool", True)
        else:
            return Compiled(call("lacks", item, group.code), "bool", True)
        return Compiled(found if node.operator == "in" else python.UnaryOp(python.Not(), found), "bool", True)

    def _logical(self, node: ast.Logical) -> Compiled:
        left, right = self.of(node.left), self.of(node.right)
        bools = left.kind == "bool" == right.kind
        operator = python.And() if node.operator == "and" else python.Or()
        if not bools:
            left, right = Compiled(self.whole(left), left.kind), Compiled(self.whole(right), right.kind)
        marked = self.names.mark(node.right, right.code)
        return Compiled(python.BoolOp(operator, [left.code, marked]), "bool" if bools else "any", bools)

    def _conditional(self, node: ast.Conditional) -> Compiled:
        body, orelse = self.of(node.body), self.of(node.orelse)
        kind = body.kind if body.kind == orelse.kind and body.kind not in ("items", "range") else "any"
        codes = [self.names.mark(n, self.whole(c)) for n, c in ((node.body, body), (node.orelse, orelse))]
        return Compiled(python.IfExp(self.test(node.condition), *codes), kind, body.fresh and orelse.fresh)

    def _attribute(self, node: ast.Attribute) -> Compiled:
        if node.name == "__id__":
            return Compiled(call("identity", self.value(node.value)), "any", True)
        if node.name.startswith("_"):
            raise Unsupported(node.name)
        if is_self(node.value):
            return self.names.myself(node.name)
        found = self.names.of_side(node.value, node.name)
        if found is not None:
            return found
        return self.names.field(Compiled(self.value(node.value)), node.name)

    def _index(self, node: ast.Index) -> Compiled:
        return Compiled(call("at", self.value(node.value), self.value(node.index)))

    def _slice(self, node: ast.Slice) -> Compiled:
        bounds = [constant(None) if b is None else self.value(b) for b in (node.start, node.stop, node.step)]
        return Compiled(call("part", self.value(node.value), *bounds), "any", True)

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Compiled:
        function = node.function
        if isinstance(function, ast.Name):
            return self._function(node, function.id)
        if isinstance(function, ast.Attribute):
            return self._method(node, function)
        raise Unsupported("a call")

    def _arguments(self, node: ast.Call) -> list[ast.Expression]:
        if any(argument.kind != "positional" for argument in node.arguments):
            raise Unsupported("arguments")
        return [argument.value for argument in node.arguments]

    def _given(self, node: ast.Call, source: ast.Helper | None, skipped: int = 0) -> list[python.expr]:
        """The arguments of a call of a `def`, one for each parameter after the `skipped` ones."""
        assert source is not None
        parameters = source.parameters[skipped:]
        given: dict[str, python.expr] = {}
        for position, argument in enumerate(node.arguments):
            title = argument.name
            if argument.kind == "positional":
                title = parameters[position].name if position < len(parameters) else None
            if argument.kind not in ("positional", "keyword") or title is None or title in given:
                raise Unsupported("arguments")
            given[title] = self.value(argument.value)
        for parameter in parameters:
            if parameter.name not in given:
                if not isinstance(parameter.default, ast.Literal):
                    raise Unsupported("arguments")
                given[parameter.name] = self._literal(parameter.default).code
        if len(given) > len(parameters):
            raise Unsupported("arguments")
        return [given[parameter.name] for parameter in parameters]

    def _function(self, node: ast.Call, identifier: str) -> Compiled:
        helper = self.names.helper(identifier)
        if helper is not None:
            return Compiled(
                call(helper, *self.names.rule.state(), *self._given(node, self.names.shared.closure(identifier)))
            )
        if identifier == "next_states" and not node.arguments:
            # It is reserved: no other name hides it.
            return self.names.next_states()
        if self.names.shadowed(identifier):
            raise Unsupported(identifier)
        if identifier in ("struct", "record"):
            return self._fields(node, identifier)
        if identifier == "sorted" and len(node.arguments) > 1:
            return self._sorted_by(node)
        arguments = self._arguments(node)
        special = _BUILTINS.get(identifier)
        found = None if special is None else special(self, arguments)
        if found is not None:
            return found
        if identifier not in PURE_FUNCTIONS:
            raise Unsupported(identifier)
        values = [self.value(argument) for argument in arguments]
        return Compiled(call("function", constant(identifier), *values), "any", identifier in FRESH)

    def _fields(self, node: ast.Call, identifier: str) -> Compiled:
        named: dict[str, python.expr] = {}
        for argument in node.arguments:
            if argument.kind != "keyword" or argument.name is None or argument.name.startswith("_"):
                raise Unsupported("arguments")
            if argument.name in named:
                raise Unsupported("a name twice")
            named[argument.name] = self._member(argument.value)
        names = tuple(sorted(named))
        maker = self.names.keep(("fields", Tag.STRUCT if identifier == "struct" else Tag.RECORD, names))
        return Compiled(call(maker, *[named[one] for one in names]), "any", True)

    def _method(self, node: ast.Call, function: ast.Attribute) -> Compiled:
        owner = function.value
        if isinstance(owner, ast.Name) and owner.id in _MODULES and not self.names.shadowed(owner.id):
            values = [self._listed(argument) for argument in self._arguments(node)]
            if owner.id == "itertools" and function.name in ("combinations", "permutations") and len(values) == 2:
                return Compiled(call("selections", constant(function.name), *values), "items", True)
            return Compiled(call("module", constant(f"{owner.id}.{function.name}"), *values), "any", True)
        own = None if function.name in PURE_METHODS else self.names.method(function.name)
        if own is not None:
            role, title = own
            receiver = call("role_of", self.value(owner), constant(role))
            _, source = self.names.shared.methods[function.name][0]
            return Compiled(call(title, *self.names.rule.state(), receiver, *self._given(node, source, 1)))
        if function.name not in PURE_METHODS:
            raise Unsupported(f".{function.name}()")
        values = [self.value(argument) for argument in self._arguments(node)]
        code = call("method", constant(function.name), self.value(owner), *values)
        return Compiled(code, "any", function.name in FRESH)

    def _listed(self, node: ast.Expression) -> python.expr:
        """An argument that may be a range, as a list."""
        compiled = self.of(node)
        if compiled.kind == "range":
            return call("list_of", call("turns", compiled.code, constant(1)))
        return self.whole(compiled)

    def _range(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not 0 < len(arguments) < 4:
            raise Unsupported("range()")
        return Compiled(call("numbers", *map(self.value, arguments)), "range", True)

    def _len(self, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        if isinstance(only, ast.Call) and self._builtin(only.function, "set") and len(only.arguments) == 1:
            inner = self.of(only.arguments[0].value)
            if inner.kind == "items":
                return Compiled(call("distinct", inner.code), "int", True)
        compiled = self.of(only)
        if compiled.kind in ("items", "range"):
            return Compiled(call("len", compiled.code), "int", True)
        return Compiled(call("size", compiled.code), "int", True)

    def _one(self, arguments: list[ast.Expression]) -> list[ast.Expression]:
        if len(arguments) != 1:
            raise Unsupported("arguments")
        return arguments

    def _items(self, node: ast.Expression, ordered: bool = False) -> python.expr:
        """The elements of an argument as a sequence of Python; `ordered`: the result depends on their order."""
        compiled = self.of(node)
        if compiled.kind == "items":
            return compiled.code
        if compiled.kind == "range":
            return call("turns", compiled.code, constant(1))
        return call("live" if ordered else "any_order", compiled.code, constant(1))

    def _set(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(call("set_of", python.Tuple([], python.Load())), "any", True)
        (only,) = self._one(arguments)
        return Compiled(call("set_of", self._items(only)), "any", True)

    def _make_list(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(python.List([], python.Load()), "items", True)
        (only,) = self._one(arguments)
        return Compiled(call("list_of", self._items(only, True)), "any", True)

    def _make_tuple(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(call("tuple_of"), "any", True)
        (only,) = self._one(arguments)
        return Compiled(call("tuple_of", python.Starred(self._items(only, True), python.Load())), "any", True)

    def _sum(self, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        return Compiled(call("total", self._items(only)), "int", True)

    def _least(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._of_ints("min", arguments)

    def _greatest(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._of_ints("max", arguments)

    def _of_ints(self, which: str, arguments: list[ast.Expression]) -> Compiled | None:
        if len(arguments) == 1:
            return Compiled(call("extreme", name(which), self._items(arguments[0])), "int", True)
        values: list[python.expr] = [self.value(argument) for argument in arguments]
        return Compiled(call("extreme", name(which), python.Tuple(values, python.Load())), "int", True)

    def _sorted(self, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        return Compiled(call("ordered", self._items(only)), "any", True)

    def _sorted_by(self, node: ast.Call) -> Compiled:
        """`sorted(items, key=lambda item: …, reverse=True)`"""
        items, *options = node.arguments
        given = {option.name: option.value for option in options if option.kind == "keyword"}
        rule, reverse = given.pop("key", None), given.pop("reverse", None)
        if items.kind != "positional" or len(options) != (rule is not None) + (reverse is not None):
            raise Unsupported("arguments")
        backwards = constant(False)
        if reverse is not None:
            if not isinstance(reverse, ast.Literal) or type(reverse.value) is not bool:
                raise Unsupported("arguments")
            backwards = constant(reverse.value)
        if rule is None:
            return Compiled(call("ordered_by", self._items(items.value, True), constant(None), backwards), "any", True)
        if not isinstance(rule, ast.Lambda) or len(rule.parameters) != 1 or rule.parameters[0].kind != "plain":
            raise Unsupported("a key")
        elements = self.iterable(items.value, 4 + cost(rule.body), True)
        parameter = rule.parameters[0].name
        self.names.bind(parameter)
        mark = self.value(rule.body)
        self.names.unbind(parameter)
        taken = python.arguments([], [python.arg(self.names.variable(parameter))], None, [], [], None, [])
        return Compiled(call("ordered_by", elements, python.Lambda(taken, mark), backwards), "any", True)

    def _any(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._some("any", arguments)

    def _all(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._some("all", arguments)

    def _some(self, which: str, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        if isinstance(only, ast.Comprehension) and only.kind == "generator":
            element, generators = self._generators(only)
            return Compiled(call(which, python.GeneratorExp(element, generators)), "bool", True)
        return Compiled(call(which, self._items(only)), "bool", True)

    def apart(self, node: ast.Call, negated: bool) -> python.expr | None:
        """The verdict by `any([…])` or `all([…])`, turn by turn as paths of their own; None for other calls."""
        which = node.function.id if isinstance(node.function, ast.Name) else ""
        if which not in ("any", "all") or not self._builtin(node.function, which) or len(node.arguments) != 1:
            return None
        (only,) = self._one([argument.value for argument in node.arguments])
        if not isinstance(only, ast.Comprehension) or only.kind not in ("list", "generator"):
            return None
        element, generators = self._generators(only)
        parts = [inner for part in (element, *generators) for inner in python.walk(part)]
        if only.kind == "generator" and any(isinstance(part, python.Name) and part.id == "mark" for part in parts):
            # It ends with the first turn that decides: what later turns evaluate does not count.
            return None
        items = generators[0].iter
        generators[0].iter = python.Tuple([name("item")], python.Load())
        results: type = python.GeneratorExp if only.kind == "generator" else python.ListComp
        parameters = python.arguments([], [python.arg("item")], None, [], [], None, [])
        turn = python.Lambda(parameters, call(which, results(element, generators)))
        return call("apart", constant(which == "any"), constant(negated), _lazily(items), turn)

    # --- comprehensions --------------------------------------------------------------------------------------------

    def _comprehension(self, node: ast.Comprehension) -> Compiled:
        if node.key is not None:
            element, generators = self._generators(node)
            return Compiled(call("dict_of", python.ListComp(element, generators)), "any", True)
        element, generators = self._generators(node)
        return Compiled(python.ListComp(element, generators), "items", True)

    def _check_clauses(self, clauses: tuple[ast.Clause, ...]) -> None:
        """A clause may not name a variable of its own or of a later one: it would have the value of an earlier turn."""
        later: set[str] = set()
        for clause in reversed(clauses[1:]):
            if isinstance(clause, ast.ComprehensionFor):
                later |= set(clause.variables.names)
            part = clause.iterable if isinstance(clause, ast.ComprehensionFor) else clause.condition
            if any(isinstance(inner, ast.Name) and inner.id in later for inner in nodes_in(part)):
                raise Unsupported("a variable of a later clause")

    def _generators(self, node: ast.Comprehension) -> tuple[python.expr, list[python.comprehension]]:
        """The element and the clauses, with their variables in scope."""
        charge = 2 + cost(
            node.element, node.key, *[c.condition for c in node.clauses if isinstance(c, ast.ComprehensionIf)]
        )
        generators: list[python.comprehension] = []
        bound: list[str] = []
        self._check_clauses(node.clauses)
        for clause in node.clauses:
            if isinstance(clause, ast.ComprehensionIf):
                generators[-1].ifs.append(self.test(clause.condition))
                continue
            # The iterable does not see the variables of its own clause.
            _, elements = self.loop_over(clause.variables, clause.iterable, charge, True)
            for variable in clause.variables.names:
                self.names.bind(variable)
                bound.append(variable)
            targets: list[python.expr] = [
                python.Name(self.names.variable(one), python.Store()) for one in clause.variables.names
            ]
            target = python.Tuple(targets, python.Store()) if clause.variables.unpack else targets[0]
            generators.append(python.comprehension(target, elements, [], 0))
        element = self.names.mark(node.element, self._member(node.element))
        if node.key is not None:
            element = python.Tuple([self.value(node.key), element], python.Load())
        for variable in bound:
            self.names.unbind(variable)
        return element, generators


def _lazily(elements: python.expr) -> python.expr:
    """The elements of a loop, each asked for when it is taken."""
    called = elements.func if isinstance(elements, python.Call) else None
    if isinstance(elements, python.Call) and isinstance(called, python.Name) and called.id in ("live", "entries"):
        return python.Call(name(f"{called.id}_lazily"), elements.args, [])
    return elements


_BUILTINS: Final[dict[str, Callable[[DirectExpressions, list[ast.Expression]], Compiled | None]]] = {
    "range": DirectExpressions._range,
    "len": DirectExpressions._len,
    "set": DirectExpressions._set,
    "list": DirectExpressions._make_list,
    "tuple": DirectExpressions._make_tuple,
    "sum": DirectExpressions._sum,
    "min": DirectExpressions._least,
    "max": DirectExpressions._greatest,
    "sorted": DirectExpressions._sorted,
    "any": DirectExpressions._any,
    "all": DirectExpressions._all,
}

_COMPILERS: Final[dict[type, Callable[[DirectExpressions, Any], Compiled]]] = {
    ast.Literal: DirectExpressions._literal,
    ast.Name: DirectExpressions._name,
    ast.FString: DirectExpressions._fstring,
    ast.TupleExpression: DirectExpressions._tuple,
    ast.ListExpression: DirectExpressions._list,
    ast.DictExpression: DirectExpressions._dict,
    ast.Unary: DirectExpressions._unary,
    ast.Binary: DirectExpressions._binary,
    ast.Logical: DirectExpressions._logical,
    ast.Conditional: DirectExpressions._conditional,
    ast.Attribute: DirectExpressions._attribute,
    ast.Index: DirectExpressions._index,
    ast.Slice: DirectExpressions._slice,
    ast.Call: DirectExpressions._call,
    ast.Comprehension: DirectExpressions._comprehension,
}
