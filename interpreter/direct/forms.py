"""The code of a value, and its form: a value of the model, or a sequence of Python that stands for a list.

A list that is only iterated over, measured or compared need not become a node: its members stay in a list of Python.
"""

from __future__ import annotations

import ast as python
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fizz.syntax import ast

if TYPE_CHECKING:
    from interpreter.direct.name_lookup import Names


class Unsupported(Exception):
    """A rule has something that is not done directly."""


class Compiled(NamedTuple):
    """The code of a value.

    `kind`: "bool", "int", "str", "none", "any", or that of a list in a form of Python: "items" (a list of its members),
    "rows" (a list of tuples of Python, each the `width` members of a tuple), "range". `fresh`: the value is no
    container, or a new one. `owned`: and so are all containers in it.
    """

    code: python.expr
    kind: str = "any"
    fresh: bool = False
    width: int = 0
    owned: bool = False


def name(text: str) -> python.Name:
    return python.Name(text, python.Load())


def call(function: str, *args: python.expr) -> python.Call:
    return python.Call(name(function), list(args), [])


def store(text: str) -> python.Name:
    return python.Name(text, python.Store())


def assign(text: str, value: python.expr) -> python.stmt:
    return python.Assign([store(text)], value)


def constant(value: Any) -> python.Constant:
    return python.Constant(value)


SCALARS: Final = frozenset({"bool", "int", "str", "none"})
LISTS: Final = frozenset({"items", "rows"})
"""The kinds of lists that are lists of Python."""
_IN_ANY_ORDER: Final = {"live": "any_order", "entries": "entries_any", "values_lazily": "values_in_any_order"}
"""The operations that do the same in any order."""


class Forms:
    """The expressions of one routine or `def`, in one form or another."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def of(self, node: ast.Expression) -> Compiled:
        """An expression, in the form that is cheapest."""
        raise NotImplementedError

    def value(self, node: ast.Expression) -> python.expr:
        """The code of a value as it is stored or passed on."""
        return self.whole(self.of(node))

    def whole(self, compiled: Compiled) -> python.expr:
        """The code of a value as a value of the model."""
        if compiled.kind in LISTS:
            return call("list_of", self.members(compiled))
        if compiled.kind == "range":
            raise Unsupported("a range as a value")
        return compiled.code

    def members(self, compiled: Compiled) -> python.expr:
        """The members of a list that is a list of Python."""
        return call("tuples", compiled.code) if compiled.kind == "rows" else compiled.code

    def elements(self, node: ast.Expression, ordered: bool = False) -> python.expr:
        """The elements of an argument as a sequence of Python; `ordered`: the result depends on their order."""
        return self.taken(self.of(node), ordered)

    def taken(self, compiled: Compiled, ordered: bool = False) -> python.expr:
        """As `elements`, of a value."""
        if compiled.kind in LISTS:
            return self.members(compiled)
        if compiled.kind == "range":
            return call("turns", compiled.code, constant(1))
        return call("live" if ordered else "any_order", compiled.code, constant(1))

    def iterable(self, node: ast.Expression, charge: int, live: bool) -> python.expr:
        """The code of the elements of a loop, each charged."""
        return self._iterated(self.of(node), max(1, charge), live)

    def _iterated(self, compiled: Compiled, charge: int, live: bool) -> python.expr:
        if compiled.kind in LISTS:
            return call("turns", self.members(compiled), constant(charge))
        if compiled.kind == "range":
            return call("turns", compiled.code, constant(charge))
        return call("live" if live else "each", compiled.code, constant(charge))

    def loop_over(
        self, variables: ast.LoopVariables, iterable: ast.Expression, charge: int, live: bool
    ) -> tuple[python.expr, python.expr]:
        """The target and the elements of a loop."""
        charge = max(1, charge)
        targets: list[python.expr] = [python.Name(self.names.variable(one), python.Store()) for one in variables.names]
        if not variables.unpack:
            return targets[0], self.iterable(iterable, charge, live)
        target = python.Tuple(targets, python.Store())
        if isinstance(iterable, ast.Call) and all(a.kind == "positional" for a in iterable.arguments):
            function, arguments = iterable.function, [a.value for a in iterable.arguments]
            if isinstance(function, ast.Attribute) and function.name == "items" and not arguments and len(targets) == 2:
                return target, call("entries", self.value(function.value), constant(charge))
            if self.is_builtin(function, "enumerate") and len(arguments) == 1 and len(targets) == 2:
                return target, call("enumerate", self.iterable(arguments[0], charge, True))
        compiled = self.of(iterable)
        if compiled.kind == "rows" and compiled.width == len(targets):
            return target, call("turns", compiled.code, constant(charge))
        return target, call("unpacked", self._iterated(compiled, charge, live), constant(len(targets)))

    def is_builtin(self, node: ast.Expression, identifier: str) -> bool:
        """Whether an expression is the name of this builtin."""
        return isinstance(node, ast.Name) and node.id == identifier and not self.names.shadowed(identifier)


def _called(code: python.expr) -> tuple[str, list[python.expr]]:
    """The name of the function that is called, and the arguments."""
    if isinstance(code, python.Call) and isinstance(code.func, python.Name):
        return code.func.id, code.args
    return "", []


def compared(elements: python.expr) -> python.expr:
    """The elements of a loop, the last of each a member that is only compared; the same if they are asked for."""
    operation, arguments = _called(elements)
    if operation == "enumerate":
        members = compared(arguments[0])
        return elements if members is arguments[0] else call("enumerate", members)
    if operation == "turns":
        # Those of a dict's values are one operation there.
        operation, arguments = _called(lazily(elements))
    if operation in ("live", "each", "entries", "values_lazily"):
        return call("compared", *arguments, name(operation))
    return elements


def lazily(elements: python.expr) -> python.expr:
    """The elements of a loop, each asked for when it is taken."""
    operation, arguments = _called(elements)
    if operation in ("live", "entries"):
        return call(f"{operation}_lazily", *arguments)
    if operation == "turns" and _called(arguments[0])[0] == "values_of":
        return call("values_lazily", *_called(arguments[0])[1], *arguments[1:])
    return elements


def lazy(code: python.expr, *parameters: str) -> python.expr:
    """A function that evaluates an expression when it is called."""
    arguments = python.arguments([], [python.arg(one) for one in parameters], None, [], [], None, [])
    return python.Lambda(arguments, code)


def source_of(elements: python.expr) -> python.Call | None:
    """The call in the code of the elements of a loop whose first argument is a container with an order of its own."""
    operation, arguments = _called(elements)
    if operation == "turns":
        elements = arguments[0]
        operation = _called(elements)[0]
    known = operation in ("live", "entries", "keys_of", "values_of", "compared")
    return elements if known and isinstance(elements, python.Call) else None


def in_any_order(elements: python.expr) -> python.expr:
    """The elements of a loop, in any order."""
    operation, arguments = _called(elements)
    if operation in _IN_ANY_ORDER:
        return call(_IN_ANY_ORDER[operation], *arguments)
    if operation == "turns":
        inner, of = _called(arguments[0])
        if inner == "values_of":
            return call("turns", call("values_any", *of), *arguments[1:])
        if inner == "keys_of":
            return call("any_order", *of, *arguments[1:])
    if operation == "compared":
        group, charge, function = arguments
        assert isinstance(function, python.Name)
        return call("compared", group, charge, name(_IN_ANY_ORDER.get(function.id, function.id)))
    return elements
