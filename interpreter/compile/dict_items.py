"""Comprehensions over `d.items()` and `d.values()`, where `d` is always a dict, as comprehensions over its keys.

`[k for k, v in d.items() if v == c]` is `[k for k in d if d[k] == c]`. Engines ask dicts by their keys; a list of pairs
would be a new value for each dict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in, with_nodes
from interpreter.library.builtin_functions import FUNCTIONS

_KEY: Final = "a key"
"""The variable for keys that a comprehension has no name for: no model can spell it."""
_VIEWS: Final = frozenset({"items", "values", "keys"})
_METHODS: Final = frozenset({"get", "count", "index", *_VIEWS})
"""Methods that change nothing."""
_PAIR: Final = 2


def with_keys(items: tuple[ast.Item, ...]) -> tuple[ast.Item, ...]:
    """The items of a module with such comprehensions."""
    if not any(isinstance(node, ast.Attribute) and node.name in _VIEWS for node in nodes_in(items)):
        return items
    names = _Names(items)

    def by_keys(node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.Comprehension):
            return None
        # Those inside are looked at first.
        key, element, clauses = with_nodes((node.key, node.element, node.clauses), by_keys)
        inner = replace(node, key=key, element=element, clauses=clauses)
        for place, clause in enumerate(inner.clauses):
            if isinstance(clause, ast.ComprehensionFor):
                inner = _by_keys(inner, place, clause, names) or inner
        return inner

    found: tuple[ast.Item, ...] = with_nodes(items, by_keys)
    return found


def is_member_by_key(node: ast.Expression | None) -> bool:
    """Whether an expression stands for a name of a member, as `d[k]` for `v`: it has the place of that name."""
    return isinstance(node, ast.Index) and node.index.span == node.span


class _Names:
    """What the names of variables and fields are bound to anywhere: always to a dict, or perhaps to something else."""

    def __init__(self, items: tuple[ast.Item, ...]) -> None:
        self._dicts: set[str] = set()
        self.others: set[str] = set()
        for node in nodes_in(items):
            self._note(node)
        if "dict" in self.others:
            self._dicts.clear()

    def _note(self, node: ast.Node) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bound(target, value)
            case ast.AugmentedAssign(target=target) | ast.Choose(target=target):
                self._bound(target, None)
            case ast.For(variables=variables) | ast.ChooseBlock(variables=variables):
                self.others |= set(variables.names)
            case ast.ComprehensionFor(variables=variables):
                self.others |= set(variables.names)
            case ast.Parameter(name=name) | ast.Helper(name=name) | ast.Function(name=name) | ast.Role(name=name):
                self.others.add(name)
            case ast.Argument(kind="keyword", name=str(name)):
                # The field of a record or struct, or a param of a role.
                self.others.add(name)
            case ast.ConstantStatement():
                # `--set` may give it another value.
                self.others |= {one.id for one in nodes_in(node) if isinstance(one, ast.Name)}

    def _bound(self, target: ast.Expression, value: ast.Expression | None) -> None:
        match target:
            case ast.Name(id=name) | ast.Attribute(name=name):
                (self._dicts if value is not None and self._is_dict(value) else self.others).add(name)
            case ast.TupleExpression(items=items) | ast.ListExpression(items=items):
                values: tuple[ast.Expression | None, ...] = (None,) * len(items)
                if isinstance(value, ast.TupleExpression | ast.ListExpression) and len(value.items) == len(items):
                    values = value.items
                for one, given in zip(items, values, strict=True):
                    self._bound(one, given)

    def _is_dict(self, value: ast.Expression) -> bool:
        match value:
            case ast.DictExpression() | ast.Comprehension(kind="dict"):
                return True
            case ast.Call(function=ast.Name(id="dict")):
                return True
        return False

    def is_dict(self, node: ast.Expression) -> bool:
        """Whether an expression is the name of a variable, or of a field, that is always a dict, or has no value."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        name = node.id if isinstance(node, ast.Name) else node.name
        return name in self._dicts and name not in self.others and (isinstance(node, ast.Name) or _is_path(node.value))

    def changes_nothing(self, parts: tuple[object, ...]) -> bool:
        """Whether parts of an expression call nothing but builtin functions, and methods that change nothing."""
        for node in nodes_in(parts):
            match node:
                case ast.Call(function=ast.Name(id=name)) if name in FUNCTIONS and name not in self.others:
                    pass
                case ast.Call(function=ast.Attribute(name=name)) if name in _METHODS:
                    pass
                case ast.Call() | ast.Lambda():
                    return False
        return True


def _is_path(node: ast.Expression) -> bool:
    """Whether to evaluate an expression again gives the same and has no effect."""
    while isinstance(node, ast.Attribute | ast.Index):
        if isinstance(node, ast.Index) and not isinstance(node.index, ast.Name | ast.Literal):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _by_keys(
    node: ast.Comprehension, place: int, clause: ast.ComprehensionFor, names: _Names
) -> ast.Comprehension | None:
    """A comprehension with one clause over the keys of a dict; None if that clause is another one."""
    match clause.iterable:
        case ast.Call(function=ast.Attribute(value=group, name=view), arguments=()) if view in _VIEWS:
            pass
        case _:
            return None
    if not names.is_dict(group):
        return None
    variables = clause.variables
    rest = (node.clauses[place + 1 :], node.key, node.element)
    if view == "keys":
        return _with_clause(node, place, replace(clause, iterable=group), rest)
    if variables.unpack != (view == "items") or len(variables.names) != (_PAIR if view == "items" else 1):
        return None
    key, value = (_KEY, *variables.names)[-_PAIR:]
    own = {one.id for one in nodes_in(group) if isinstance(one, ast.Name)}
    again = {key, value, *own} & set(_bound_in(rest))
    if key == value or {key, value} & own or again or not names.changes_nothing(rest):
        return None

    def at_key(part: ast.Node) -> ast.Node | None:
        if isinstance(part, ast.Name) and part.id == value:
            return ast.Index(part.span, group, ast.Name(part.span, key))
        return None

    over = replace(clause, variables=ast.LoopVariables(variables.span, (key,), False), iterable=group)
    return _with_clause(node, place, over, with_nodes(rest, at_key))


def _bound_in(parts: tuple[object, ...]) -> Iterator[str]:
    for node in nodes_in(parts):
        if isinstance(node, ast.ComprehensionFor):
            yield from node.variables.names


def _with_clause(
    node: ast.Comprehension, place: int, clause: ast.ComprehensionFor, rest: tuple[Any, ...]
) -> ast.Comprehension:
    later, key, element = rest
    return replace(node, clauses=(*node.clauses[:place], clause, *later), key=key, element=element)
