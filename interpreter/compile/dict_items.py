"""Comprehensions over `d.items()` and `d.values()`, where `d` is always a dict, as comprehensions over its keys.

`[k for k, v in d.items() if v == c]` is `[k for k in d if d[k] == c]`; so are loops of assertions and `def`s, and
`sum(d.values())` is `sum([d[k] for k in d])`. Engines ask dicts by their keys; a list of pairs would be a new value for
each dict.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from fizz.syntax import ast
from fizz.syntax.tree_walk import bound_names, is_path, nodes_in, with_nodes
from interpreter.library.builtin_functions import FUNCTIONS

_KEY: Final = "the key at"
"""How variables for keys are called that have no name: no model can spell it."""
_VIEWS: Final = frozenset({"items", "values", "keys"})
_METHODS: Final = frozenset({"get", "count", "index", "append", "add", "extend", "insert", "discard", *_VIEWS})
"""Methods that change no dict."""
_OF_MEMBERS: Final = frozenset({"sum", "min", "max", "set", "len", "sorted", "any", "all"})
"""Functions that are asked of all members together."""
_NONE: Final = ""
_PAIR: Final = 2


def with_keys(items: tuple[ast.Item, ...]) -> tuple[ast.Item, ...]:
    """The items of a module with such comprehensions."""
    if not any(isinstance(node, ast.Attribute) and node.name in _VIEWS for node in nodes_in(items)):
        return items
    names = _Names(items)

    def by_keys(node: ast.Node) -> ast.Node | None:
        # What is inside is looked at first.
        match node:
            case ast.Comprehension():
                key, element, clauses = with_nodes((node.key, node.element, node.clauses), by_keys)
                inner = replace(node, key=key, element=element, clauses=clauses)
                # Members may be moved into a dict: functions see that of items alone.
                for place in range(len(inner.clauses) if inner.kind != "dict" else 0):
                    clause = inner.clauses[place]
                    if isinstance(clause, ast.ComprehensionFor):
                        inner = _by_keys(inner, place, clause, names) or inner
                return inner
            case ast.Call(function=ast.Name(id=name), arguments=(first, *rest)) if name in _OF_MEMBERS - names.others:
                members = _members_by_key(first.value, names)
                if members is not None:
                    others = with_nodes(tuple(rest), by_keys)
                    return replace(node, arguments=(replace(first, value=members), *others))
            case ast.Assertion() | ast.Helper():
                body: ast.Block = with_nodes(node.body, by_keys)
                return replace(node, body=with_nodes(body, partial(_loop_by_keys, body, names)))
        return None

    found: tuple[ast.Item, ...] = with_nodes(items, by_keys)
    return found


def is_member_by_key(node: ast.Expression | None) -> bool:
    """Whether an expression stands for a name of a member, as `d[k]` for `v`: it has the place of that name."""
    return isinstance(node, ast.Index) and node.index.span == node.span


def is_written_out(node: ast.Comprehension) -> bool:
    """Whether the element of a comprehension is in the text; what stands for `d.values()` has none there."""
    return node.element.span != node.span


class _Names:
    """What the names of variables and fields are bound to anywhere: always to a dict, or perhaps to something else."""

    def __init__(self, items: tuple[ast.Item, ...]) -> None:
        self._dicts: set[str] = set()
        self._functions: set[str] = set()
        self.others: set[str] = set()
        for node in nodes_in(items):
            self._note(node)
        if "dict" in self.others:
            self._dicts.clear()

    def _note(self, node: ast.Node) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    # Two names of one dict: what changes one would change the other.
                    self._bound(target, value if len(targets) == 1 else None)
            case ast.AugmentedAssign(target=target) | ast.Choose(target=target):
                self._bound(target, None)
            case ast.For(variables=variables) | ast.ChooseBlock(variables=variables):
                self.others |= set(variables.names)
            case ast.ComprehensionFor(variables=variables):
                self.others |= set(variables.names)
            case ast.Helper(name=name) | ast.Function(name=name):
                self._functions.add(name)
                self.others.add(name)
            case ast.Parameter(name=name) | ast.Role(name=name):
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
        return name in self._dicts and name not in self.others and is_path(node)

    def _changes(self, target: ast.Expression, group: set[str]) -> bool:
        """Whether an assignment may change a dict that is named by names of a `group`."""
        match target:
            case ast.Name():
                return False
            case ast.Index(value=ast.Name(id=name)):
                # What is bound to dicts of its own only.
                return name in group or name in self.others or name not in self._dicts
            case ast.TupleExpression(items=items) | ast.ListExpression(items=items):
                return any(self._changes(item, group) for item in items)
        return True

    def changes_nothing(self, parts: tuple[object, ...], group: set[str]) -> bool:
        """Whether parts of a tree do not change a dict that is named by names of a `group`.

        They use no functions but builtin ones, and no other methods.
        """
        for node in nodes_in(parts):
            match node:
                case ast.Assign(targets=targets) if any(self._changes(target, group) for target in targets):
                    return False
                case ast.AugmentedAssign(target=target) if self._changes(target, group):
                    return False
                case ast.Helper():
                    return False
                case ast.Call(function=ast.Name(id=name)) if name in FUNCTIONS and name not in self.others:
                    pass
                case ast.Call(function=ast.Attribute(name=name)) if name in _METHODS and name not in self._functions:
                    pass
                case ast.Name(id=name) | ast.Attribute(name=name) if name not in self._functions:
                    pass
                case ast.Call() | ast.Lambda() | ast.Name() | ast.Attribute():
                    return False
        return True


class _ByKey(NamedTuple):
    """A clause or loop over the keys of `group`, of which what is bound to `value` is what is at `key`."""

    group: ast.Expression
    key: str
    value: str

    def at_key(self, part: ast.Node) -> ast.Node | None:
        """What stands for a name of a value."""
        if isinstance(part, ast.Name) and part.id == self.value:
            return ast.Index(part.span, self.group, ast.Name(part.span, self.key))
        return None

    def variables(self, before: ast.LoopVariables) -> ast.LoopVariables:
        """The variable that stands for the ones before."""
        return ast.LoopVariables(before.span, (self.key,), False)


def _found(
    variables: ast.LoopVariables, iterable: ast.Expression, rest: tuple[object, ...], names: _Names
) -> _ByKey | None:
    """How to go through a dict by its keys; None if it is no dict, or if `rest`, what is done for each, may see it."""
    match iterable:
        case ast.Call(function=ast.Attribute(value=group, name=view), arguments=()) if view in _VIEWS:
            pass
        case _:
            return None
    own = {one.id for one in nodes_in(group) if isinstance(one, ast.Name)}
    if not names.is_dict(group) or not names.changes_nothing(rest, own):
        return None
    if any(is_member_by_key(node) for node in nodes_in(group) if isinstance(node, ast.Index)):
        # Two keys for one member: an explanation would show both.
        return None
    if variables.unpack != (view == "items") or len(variables.names) != (_PAIR if view == "items" else 1):
        return None
    # Of keys there is no value, of values no name for keys.
    unnamed = f"{_KEY} {variables.span.line}:{variables.span.column}"
    key, value = {"keys": (*variables.names, _NONE), "values": (unnamed, *variables.names)}.get(view, variables.names)
    again = {key, value, *own} & _bound_in(rest)
    return None if key == value or {key, value} & own or again else _ByKey(group, key, value)


def _members_by_key(value: ast.Expression, names: _Names) -> ast.Comprehension | None:
    """The list that `d.values()` or `d.keys()` is, as a comprehension over the keys of the dict; None for all else."""
    match value:
        case ast.Call(function=ast.Attribute(name="values" | "keys"), arguments=()):
            span = value.span
            variables = ast.LoopVariables(span, (f"the member at {span.line}:{span.column}",), False)
            clause = ast.ComprehensionFor(span, variables, value)
            element = ast.Name(span, variables.names[0])
            return _by_keys(ast.Comprehension(span, "list", None, element, (clause,)), 0, clause, names)
    return None


def _by_keys(
    node: ast.Comprehension, place: int, clause: ast.ComprehensionFor, names: _Names
) -> ast.Comprehension | None:
    """A comprehension with one clause over the keys of a dict; None if that clause is another one."""
    rest = (node.clauses[place + 1 :], node.key, node.element)
    found = _found(clause.variables, clause.iterable, rest, names)
    if found is None:
        return None
    over = replace(clause, variables=found.variables(clause.variables), iterable=found.group)
    later, key, element = with_nodes(rest, found.at_key)
    return replace(node, clauses=(*node.clauses[:place], over, *later), key=key, element=element)


def _loop_by_keys(around: ast.Block, names: _Names, node: ast.Node) -> ast.Node | None:
    """A loop of an assertion or `def` over the keys of a dict; None for other nodes. `around`: all of its body."""
    if not isinstance(node, ast.For):
        return None
    loop = replace(node, body=with_nodes(node.body, partial(_loop_by_keys, around, names)))
    found = _found(loop.variables, loop.iterable, (loop.body,), names)
    if found is None or _is_seen_outside(around, found.value):
        return loop
    body = with_nodes(loop.body, found.at_key)
    return replace(loop, variables=found.variables(loop.variables), iterable=found.group, body=body)


def _is_seen_outside(around: ast.Block, name: str) -> bool:
    """Whether a name is mentioned outside of all loops that bind it: what is bound last is seen after a loop."""

    def without(node: ast.Node) -> ast.Node | None:
        return ast.Pass(node.span) if isinstance(node, ast.For) and name in node.variables.names else None

    return any(isinstance(node, ast.Name) and node.id == name for node in nodes_in(with_nodes(around, without)))


def _bound_in(parts: tuple[object, ...]) -> set[str]:
    """The names that comprehensions and blocks bind in parts of a tree."""
    bound: set[str] = set()
    for node in nodes_in(parts):
        if isinstance(node, ast.ComprehensionFor):
            bound |= set(node.variables.names)
        elif isinstance(node, ast.Block):
            bound |= bound_names(node)
    return bound
