"""Expressions as trees of Python's `ast`. No text of a model is ever parsed as Python.

Names of the model get a prefix, so that they meet no other name; attributes and methods of the model are constant
strings that the operations look up. A value has one of a few kinds, known when it is compiled, which save checks.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self, nodes_in
from interpreter.compile.dict_items import is_written_out
from interpreter.compile.pair_questions import ANSWER
from interpreter.direct.asked_comparisons import AskedComparisons
from interpreter.direct.constant_tests import part_taken
from interpreter.direct.def_arguments import arguments_of, without_states
from interpreter.direct.forms import (
    LISTS,
    SCALARS,
    Compiled,
    Unsupported,
    call,
    constant,
    in_any_order,
    lazily,
    lazy,
    name,
)
from interpreter.direct.node_operations import FRESH, PURE_FUNCTIONS, PURE_METHODS
from interpreter.execute.costs import cost
from interpreter.values.intern import Tag

if TYPE_CHECKING:
    from interpreter.direct.name_lookup import Names
    from interpreter.direct.taken_over import Kept

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
_SELECTIONS: Final = frozenset({("combinations", 2), ("permutations", 2), ("permutations", 1)})


class DirectExpressions(AskedComparisons):
    """Compiles the expressions of one routine or `def`."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._storing = False
        """Whether the display being compiled is stored, so that its members have it as their owner."""
        self._owners: frozenset[int] = frozenset()
        """The displays, by `id`, that are stored though they are a part of an expression."""
        self.taken_out: dict[int, str] = {}
        """The calls, by `id`, that were made before the statement, and the variables with what they took out."""

    def test(self, node: ast.Expression) -> python.expr:
        """The code of a condition: Python's truth of it is that of the language."""
        return self.of(node).code

    def stored(self, node: ast.Expression) -> python.expr:
        """The code of a value that goes into the state or into a container: no container may have two owners."""
        if id(node) in self.taken_out:
            # It is in no other container now.
            return name(self.taken_out[id(node)])
        if self._display(node):
            # Its members are checked, one by one.
            return self.whole(self._compiled(node, True))
        compiled = self.of(node)
        code = self.whole(compiled)
        if compiled.kind in SCALARS or compiled.owned or self.names.given_away(node):
            return code
        return call("own" if compiled.fresh else "plain", code)

    def kept(self, node: ast.Expression, of: ast.Expression, kept: Kept) -> python.expr:
        """The code of a value that takes the place of the container `of`, and keeps members of it."""
        outer, self._owners = self._owners, frozenset(map(id, kept.new))
        value = self.value(node)
        self._owners = outer
        bound = [] if kept.added is None else [self.value(of), constant(kept.added)]
        return call("kept", value, *bound)

    def _display(self, node: ast.Expression) -> bool:
        if isinstance(node, ast.Call):
            return self.is_builtin(node.function, "struct") or self.is_builtin(node.function, "record")
        return isinstance(node, ast.ListExpression | ast.TupleExpression | ast.DictExpression | ast.Comprehension)

    def _member(self, node: ast.Expression) -> python.expr:
        """A member of a display, or the members of what is unpacked there."""
        if isinstance(node, ast.Starred):
            return python.Starred(call("spread", self.elements(node.value, True)), python.Load())
        return self.stored(node) if self._storing else self.value(node)

    # --- expressions -----------------------------------------------------------------------------------------------

    def of(self, node: ast.Expression) -> Compiled:
        """An expression, in the form that is cheapest."""
        return self._compiled(node, False)

    def _compiled(self, node: ast.Expression, storing: bool) -> Compiled:
        if id(node) in self.taken_out:
            return Compiled(name(self.taken_out[id(node)]))
        compiler = _COMPILERS.get(type(node))
        if compiler is None:
            raise Unsupported(type(node).__name__)
        before, self._storing = self._storing, storing or id(node) in self._owners
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
        width = self._width(*node.items)
        if width:
            rows: list[python.expr] = [self._row(item) for item in node.items]
            return Compiled(python.List(rows, python.Load()), "rows", True, width)
        return Compiled(python.List([self._member(item) for item in node.items], python.Load()), "items", True)

    def _width(self, *nodes: ast.Expression) -> int:
        """How many members these displays have, if they are tuples of one size in a list that is not stored; else 0."""
        if self._storing:
            return 0
        sizes = {len(one.items) if isinstance(one, ast.TupleExpression) else 0 for one in nodes}
        return sizes.pop() if len(sizes) == 1 else 0

    def _row(self, node: ast.Expression) -> python.expr:
        """A tuple as a tuple of Python."""
        assert isinstance(node, ast.TupleExpression)
        return python.Tuple([self.value(item) for item in node.items], python.Load())

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
        if self.names.rule.asks:
            if (asked := self.asked_comparison(node)) is not None:
                return Compiled(asked, "bool", True)
            if (left_out := self.without_one(node)) is not None:
                return Compiled(left_out, "any", True)
        left, right = self.of(node.left), self.of(node.right)
        if LISTS & {left.kind, right.kind}:
            found = self._of_lists(operator, left, right)
            if found is not None:
                return found
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

    def _of_lists(self, operator: str, left: Compiled, right: Compiled) -> Compiled | None:
        """An operation on values one of which is a list of Python; None if it needs values of the model."""
        if operator == "+" and left.kind in LISTS and right.kind in LISTS:
            if left.kind == right.kind and left.width == right.width:
                return Compiled(call("joined", left.code, right.code), left.kind, True, left.width)
            return Compiled(call("joined", self.members(left), self.members(right)), "items", True)
        if operator in ("==", "!="):
            if left.kind not in LISTS:
                left, right = right, left
            same = call("same_list", self.members(left), self.members(right))
            return Compiled(same if operator == "==" else python.UnaryOp(python.Not(), same), "bool", True)
        return None

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
            if isinstance(one.code, python.Name) and one.code.id == "me" and self.names.rule.has_one_me:
                test = python.Is() if operator == "==" else python.IsNot()
                return python.Compare(other.code, [test], [one.code])
        return call("eq" if operator == "==" else "ne", left.code, right.code)

    def _membership(self, node: ast.Binary) -> Compiled:
        item, group = self.value(node.left), self.of(node.right)
        if group.kind in LISTS:
            found: python.expr = call("contained", item, self.members(group))
        elif group.kind == "range":
            found = call("within", item, group.code)
        elif node.operator == "in":
            return Compiled(call("contains", item, group.code), "bool", True)
        else:
            return Compiled(call("lacks", item, group.code), "bool", True)
        return Compiled(found if node.operator == "in" else python.UnaryOp(python.Not(), found), "bool", True)

    def _decided(self, node: ast.Logical | ast.Conditional) -> Compiled:
        """What constants decide is not tested: the part that is the value in all states."""
        part = part_taken(self.names, node)
        if part is None:
            return self._logical(node) if isinstance(node, ast.Logical) else self._conditional(node)
        found = self.of(part)
        if isinstance(node, ast.Logical) and part is node.left:
            return found
        code = self.names.mark(part, self.whole(found))
        return Compiled(code, found.kind if found.kind in SCALARS else "any", found.fresh)

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
        kind = body.kind if body.kind == orelse.kind and body.kind not in LISTS | {"range"} else "any"
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
        group = self.of(node.value)
        if group.kind in LISTS:
            taken = call("member_at", group.code, self.value(node.index))
            return Compiled(call("tuple_of", python.Starred(taken, python.Load())) if group.kind == "rows" else taken)
        return Compiled(call("at", self.whole(group), self.value(node.index)))

    def _slice(self, node: ast.Slice) -> Compiled:
        bounds = [constant(None) if b is None else self.value(b) for b in (node.start, node.stop, node.step)]
        group = self.of(node.value)
        if group.kind in LISTS:
            return Compiled(call("sliced", group.code, *bounds), group.kind, True, group.width)
        return Compiled(call("part", self.whole(group), *bounds), "any", True)

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

    def _function(self, node: ast.Call, identifier: str) -> Compiled:
        if identifier == ANSWER:
            return self._answer(*[argument.value for argument in node.arguments])
        source = self.names.helper(identifier)
        if source is not None:
            return self._of_def_at_top(node, source)
        if identifier == "next_states" and not node.arguments:
            # It is reserved: no other name hides it.
            return self.names.next_states()
        if self.names.shadowed(identifier):
            raise Unsupported(identifier)
        if identifier in ("struct", "record"):
            return self._fields(node, identifier)
        if identifier == "sorted" and len(node.arguments) > 1:
            return self.sorted_by(node)
        if identifier in ("min", "max") and any(argument.kind != "positional" for argument in node.arguments):
            if len(node.arguments) != 2:
                raise Unsupported("arguments")
            return self.extreme_by(identifier, node)
        arguments = self._arguments(node)
        found = self.builtin(identifier, arguments)
        if found is not None:
            return found
        values = [self.value(argument) for argument in arguments]
        if identifier == "getattr" and 1 < len(values) < 4:
            return Compiled(call("attribute_named", *values), "any")
        if identifier not in PURE_FUNCTIONS:
            raise Unsupported(identifier)
        return Compiled(call("function", constant(identifier), *values), "any", identifier in FRESH)

    def _answer(self, value: ast.Expression, instance: ast.Expression, question: ast.Expression) -> Compiled:
        """The answer of a question about the pairs of a `leadsto` assertion."""
        assert isinstance(question, ast.Literal)
        pairs = self.of(value)
        code = pairs.code if pairs.kind == "rows" and pairs.width == 2 else self.whole(pairs)
        return Compiled(
            call("answered", code, self.value(instance), name(self.names.keep(question.value))), "bool", True
        )

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
            if owner.id == "itertools" and function.name == "product":
                return self._products(node)
            arguments = self._arguments(node)
            if owner.id == "itertools" and (function.name, len(arguments)) in _SELECTIONS:
                return self._selections(function.name, *arguments)
            values = [self._listed(argument) for argument in arguments]
            return Compiled(call("module", constant(f"{owner.id}.{function.name}"), *values), "any", True)
        own = None if function.name in PURE_METHODS else self.names.method(function.name)
        if own is not None:
            role, title = own
            receiver = call("role_of", self.value(owner), constant(role))
            _, source = self.names.shared.methods[function.name][0]
            return self._of_def(title, [receiver, *arguments_of(node, source.parameters[1:], self)])
        if function.name not in PURE_METHODS:
            raise Unsupported(f".{function.name}()")
        values = [self.value(argument) for argument in self._arguments(node)]
        if function.name in ("index", "count") and len(values) == 1:
            listed = self.of(owner)
            if listed.kind in LISTS:
                operation = "position_of" if function.name == "index" else "occurrences"
                return Compiled(call(operation, self.members(listed), *values), "int", True)
        if not values and function.name in ("items", "keys", "values"):
            return self._of_dict(function.name, self.value(owner))
        code = call("method", constant(function.name), self.value(owner), *values)
        return Compiled(code, "any", function.name in FRESH)

    def _of_def_at_top(self, node: ast.Call, source: ast.Helper) -> Compiled:
        """A call of a `def` that belongs to no role."""
        rule, title = self.names.rule, f"d_{source.name}"
        rest, sides = without_states(node, source.parameters, self.names)
        if sides:
            try:
                function = rule.helper_function(title, source, sides)
                return self._of_def(function, arguments_of(rest, source.parameters, self, sides))
            except Unsupported:
                if rule.asks:
                    raise
        function = rule.helper_function(title, source)
        return self._of_def(function, arguments_of(node, source.parameters, self))

    def _of_def(self, title: str, arguments: list[python.expr]) -> Compiled:
        """A call of a function that stands for a `def`."""
        rule = self.names.rule
        return rule.returned(title, call(title, *rule.state(title), *arguments))

    def _selections(self, which: str, group: ast.Expression, *number: ast.Expression) -> Compiled:
        """`itertools.combinations` or `permutations` of a list, so many at a time."""
        size = self.value(number[0]) if number else None
        code = call("selections", constant(which), self._selected(group), *([] if size is None else [size]))
        return self._rows(code, size)

    def _products(self, node: ast.Call) -> Compiled:
        """`itertools.product` of lists, perhaps with `repeat`."""
        groups = [argument.value for argument in node.arguments if argument.kind == "positional"]
        named = [argument for argument in node.arguments if argument.kind != "positional"]
        if any((argument.kind, argument.name) != ("keyword", "repeat") for argument in named) or len(named) > 1:
            raise Unsupported("arguments")
        repeat = self.value(named[0].value) if named else constant(1)
        code = call("products", repeat, *map(self._selected, groups))
        return self._rows(code, repeat if len(groups) == 1 else None)

    def _selected(self, group: ast.Expression) -> python.expr:
        """What rows are made of, as a list of Python."""
        listed = self.of(group)
        if listed.kind == "range":
            return call("list", call("turns", listed.code, constant(1)))
        return self.members(listed)

    def _rows(self, code: python.expr, size: python.expr | None) -> Compiled:
        """Rows of so many members each; it may be known how many these are."""
        width = size.value if isinstance(size, python.Constant) and type(size.value) is int else 0
        if width > 0:
            return Compiled(code, "rows", True, width)
        return Compiled(call("tuples", code), "items", True)

    def _of_dict(self, which: str, owner: python.expr) -> Compiled:
        """The items, keys or values of a dict."""
        if which == "items":
            return Compiled(call("entries", owner, constant(1)), "rows", True, 2)
        return Compiled(call(f"{which}_of", owner), "items", True)

    def _listed(self, node: ast.Expression) -> python.expr:
        """An argument that may be a range, as a list."""
        compiled = self.of(node)
        if compiled.kind == "range":
            return call("list_of", call("turns", compiled.code, constant(1)))
        return self.whole(compiled)

    def apart(self, node: ast.Call, negated: bool) -> python.expr | None:
        """The verdict by `any([…])` or `all([…])`, turn by turn as paths of their own; None for other calls."""
        which = node.function.id if isinstance(node.function, ast.Name) else ""
        if which not in ("any", "all") or not self.is_builtin(node.function, which) or len(node.arguments) != 1:
            return None
        (only,) = self._one([argument.value for argument in node.arguments])
        if not isinstance(only, ast.Comprehension) or only.kind not in ("list", "generator"):
            return None
        element, generators = self._generators(only)
        parts = [inner for part in (element, *generators) for inner in python.walk(part)]
        if only.kind == "generator" and any(isinstance(part, python.Name) and part.id == "mark" for part in parts):
            # It ends with the first turn that decides: what later turns evaluate does not count.
            return None
        results: type = python.GeneratorExp if only.kind == "generator" else python.ListComp
        sides = constant(which == "any"), constant(negated)
        turn: python.expr = call(which, results(element, [_of_one_item(generators[-1])]))
        for outer, inner in reversed(list(pairwise(generators))):
            # No turn if a condition does not hold; else one for each item that the inner loop has then.
            turn = python.ListComp(
                call("apart_inside", *sides, lazily(inner.iter), lazy(turn, "item")), [_of_one_item(outer)]
            )
        return call("apart", *sides, lazily(generators[0].iter), lazy(turn, "item"))

    # --- comprehensions --------------------------------------------------------------------------------------------

    def _comprehension(self, node: ast.Comprehension) -> Compiled:
        return self.comprehended(node, True)

    def comprehended(self, node: ast.Comprehension, ordered: bool) -> Compiled:
        if node.key is not None:
            element, generators = self._generators(node)
            return Compiled(call("dict_of", python.ListComp(element, generators)), "any", True)
        width = self._width(node.element)
        element, generators = self._generators(node)
        for one in generators if not ordered else ():
            one.iter = in_any_order(one.iter)
        return Compiled(python.ListComp(element, generators), "rows" if width else "items", True, width)

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
            elements = self.to_compare(clause.variables, elements, (node,))
            for variable in clause.variables.names:
                self.names.bind(variable)
                bound.append(variable)
            targets: list[python.expr] = [
                python.Name(self.names.variable(one), python.Store()) for one in clause.variables.names
            ]
            target = python.Tuple(targets, python.Store()) if clause.variables.unpack else targets[0]
            generators.append(python.comprehension(target, elements, [], 0))
        is_row = node.key is None and self._width(node.element)
        made = self._row(node.element) if is_row else self._member(node.element)
        element = self.names.mark(node.element, made) if is_written_out(node) else made
        if node.key is not None:
            element = python.Tuple([self.value(node.key), element], python.Load())
        for variable in bound:
            self.names.unbind(variable)
        return element, generators


def _of_one_item(loop: python.comprehension) -> python.comprehension:
    """The loop over `item` alone."""
    return python.comprehension(loop.target, python.Tuple([name("item")], python.Load()), loop.ifs, 0)


_COMPILERS: Final[dict[type, Callable[[DirectExpressions, Any], Compiled]]] = {
    ast.Literal: DirectExpressions._literal,
    ast.Name: DirectExpressions._name,
    ast.FString: DirectExpressions._fstring,
    ast.TupleExpression: DirectExpressions._tuple,
    ast.ListExpression: DirectExpressions._list,
    ast.DictExpression: DirectExpressions._dict,
    ast.Unary: DirectExpressions._unary,
    ast.Binary: DirectExpressions._binary,
    ast.Logical: DirectExpressions._decided,
    ast.Conditional: DirectExpressions._decided,
    ast.Attribute: DirectExpressions._attribute,
    ast.Index: DirectExpressions._index,
    ast.Slice: DirectExpressions._slice,
    ast.Call: DirectExpressions._call,
    ast.Comprehension: DirectExpressions._comprehension,
}
