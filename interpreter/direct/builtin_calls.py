"""Calls of builtins in rules that are run directly."""

from __future__ import annotations

import ast as python
from collections.abc import Callable
from typing import Final

from fizz.syntax import ast
from interpreter.direct.chosen_members import PLACE, PLACES, values_of
from interpreter.direct.forms import LISTS, Compiled, Forms, Unsupported, call, constant, name
from interpreter.execute.costs import cost


class BuiltinCalls(Forms):
    """Compiles the calls of builtins whose arguments or results need not be values of the model."""

    def _generators(self, node: ast.Comprehension) -> tuple[python.expr, list[python.comprehension]]:
        """The element and the clauses of a comprehension, with their variables in scope."""
        raise NotImplementedError

    def comprehended(self, node: ast.Comprehension, ordered: bool) -> Compiled:
        """A comprehension. Not `ordered`: the order of its elements does not matter."""
        raise NotImplementedError

    def _in_any_order(self, node: ast.Expression) -> Compiled:
        """An argument for a result that does not depend on the order of its elements, all of which are evaluated."""
        if isinstance(node, ast.Comprehension) and node.kind == "list":
            return self.comprehended(node, False)
        return self.of(node)

    def _all_of(self, node: ast.Expression) -> python.expr:
        """The elements of an argument for a result that does not depend on their order."""
        if isinstance(node, ast.Comprehension) and node.kind == "list":
            return self.members(self.comprehended(node, False))
        return self.elements(node)

    def builtin(self, identifier: str, arguments: list[ast.Expression]) -> Compiled | None:
        """A call of a builtin; None if it has no form of its own."""
        special = _BUILTINS.get(identifier)
        return None if special is None else special(self, arguments)

    def _range(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not 0 < len(arguments) < 4:
            raise Unsupported("range()")
        return Compiled(call("numbers", *map(self.value, arguments)), "range", True)

    def _places(self, arguments: list[ast.Expression]) -> Compiled | None:
        (members,) = arguments
        owner = values_of(members)
        if owner is not None:
            return Compiled(call("value_places", self.value(owner)), "items", True)
        return Compiled(call("places", self.value(members)), "range", True)

    def _place(self, arguments: list[ast.Expression]) -> Compiled | None:
        return Compiled(call("place", *map(self.value, arguments)), "any", True)

    def _len(self, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        if isinstance(only, ast.Call) and self.is_builtin(only.function, "set") and len(only.arguments) == 1:
            inner = self._in_any_order(only.arguments[0].value)
            if inner.kind in LISTS:
                return Compiled(call("distinct", self.members(inner)), "int", True)
        compiled = self._in_any_order(only)
        if compiled.kind in LISTS or compiled.kind == "range":
            return Compiled(call("len", compiled.code), "int", True)
        return Compiled(call("size", compiled.code), "int", True)

    def _one(self, arguments: list[ast.Expression]) -> list[ast.Expression]:
        if len(arguments) != 1:
            raise Unsupported("arguments")
        return arguments

    def _set(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(call("set_of", python.Tuple([], python.Load())), "any", True)
        (only,) = self._one(arguments)
        return Compiled(call("set_of", self._all_of(only)), "any", True)

    def _make_list(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(python.List([], python.Load()), "items", True)
        (only,) = self._one(arguments)
        elements = self.elements(only, True)
        return Compiled(call("list", elements), "items", True)

    def _zip(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return None
        lists = [self.elements(argument, True) for argument in arguments]
        return Compiled(call("zipped", *lists), "rows", True, len(lists))

    def _enumerate(self, arguments: list[ast.Expression]) -> Compiled | None:
        if len(arguments) != 1:
            return None
        return Compiled(call("list", call("enumerate", self.elements(arguments[0], True))), "rows", True, 2)

    def _make_tuple(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(call("tuple_of"), "any", True)
        (only,) = self._one(arguments)
        return Compiled(call("tuple_of", python.Starred(self.elements(only, True), python.Load())), "any", True)

    def _make_dict(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not arguments:
            return Compiled(call("dict_of", python.Tuple([], python.Load())), "any", True)
        return Compiled(call("copied", self.value(self._one(arguments)[0])), "any", True)

    def _sum(self, arguments: list[ast.Expression]) -> Compiled | None:
        if not 0 < len(arguments) < 3:
            raise Unsupported("arguments")
        items, *start = arguments
        total = call("total", self.taken(self._in_any_order(items)))
        return Compiled(call("add", total, self.value(start[0]))) if start else Compiled(total, "int", True)

    def _reversed(self, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        compiled = self.of(only)
        if compiled.kind == "range":
            return Compiled(call("backwards", call("turns", compiled.code, constant(1))), "range", True)
        return Compiled(call("function", constant("reversed"), self.whole(compiled)), "any", True)

    def _least(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._extreme("min", arguments)

    def _greatest(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._extreme("max", arguments)

    def _extreme(self, which: str, arguments: list[ast.Expression]) -> Compiled | None:
        """`min` or `max`: one of the values itself, which may be a container that has an owner."""
        if len(arguments) == 1:
            return Compiled(call("extreme", name(which), self._all_of(arguments[0])))
        values: list[python.expr] = [self.value(argument) for argument in arguments]
        return Compiled(call("extreme", name(which), python.Tuple(values, python.Load())))

    def _sorted(self, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        return Compiled(call("ordered", self._all_of(only)), "items", True)

    def sorted_by(self, node: ast.Call) -> Compiled:
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
            ordered = call("ordered_by", self.elements(items.value, True), constant(None), backwards)
            return Compiled(ordered, "items", True)
        elements, mark = self._by(items.value, rule)
        return Compiled(call("ordered_by", elements, mark, backwards), "items", True)

    def extreme_by(self, which: str, node: ast.Call) -> Compiled:
        """`max(items, key=lambda item: …)`, or `min`"""
        items, rule = node.arguments
        if items.kind != "positional" or rule.kind != "keyword" or rule.name != "key":
            raise Unsupported("arguments")
        elements, mark = self._by(items.value, rule.value)
        return Compiled(call("extreme_by", name(which), elements, mark))

    def _by(self, items: ast.Expression, rule: ast.Expression) -> tuple[python.expr, python.expr]:
        """Some elements, and the function that `key=` has for them."""
        if not isinstance(rule, ast.Lambda) or len(rule.parameters) != 1 or rule.parameters[0].kind != "plain":
            raise Unsupported("a key")
        elements = self.iterable(items, 4 + cost(rule.body), True)
        parameter = rule.parameters[0].name
        self.names.bind(parameter)
        mark = self.value(rule.body)
        self.names.unbind(parameter)
        taken = python.arguments([], [python.arg(self.names.variable(parameter))], None, [], [], None, [])
        return elements, python.Lambda(taken, mark)

    def _any(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._some("any", arguments)

    def _all(self, arguments: list[ast.Expression]) -> Compiled | None:
        return self._some("all", arguments)

    def _some(self, which: str, arguments: list[ast.Expression]) -> Compiled | None:
        (only,) = self._one(arguments)
        if isinstance(only, ast.Comprehension) and only.kind == "generator":
            element, generators = self._generators(only)
            return Compiled(call(which, python.GeneratorExp(element, generators)), "bool", True)
        return Compiled(call(which, self.taken(self._in_any_order(only))), "bool", True)


_BUILTINS: Final[dict[str, Callable[[BuiltinCalls, list[ast.Expression]], Compiled | None]]] = {
    "range": BuiltinCalls._range,
    PLACE: BuiltinCalls._place,
    PLACES: BuiltinCalls._places,
    "len": BuiltinCalls._len,
    "set": BuiltinCalls._set,
    "list": BuiltinCalls._make_list,
    "tuple": BuiltinCalls._make_tuple,
    "dict": BuiltinCalls._make_dict,
    "sum": BuiltinCalls._sum,
    "min": BuiltinCalls._least,
    "max": BuiltinCalls._greatest,
    "sorted": BuiltinCalls._sorted,
    "reversed": BuiltinCalls._reversed,
    "zip": BuiltinCalls._zip,
    "enumerate": BuiltinCalls._enumerate,
    "any": BuiltinCalls._any,
    "all": BuiltinCalls._all,
}
