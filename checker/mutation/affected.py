"""Which actions and funcs a mutant changes, with all that may come to a changed one by calls."""

from __future__ import annotations

from collections.abc import Iterator

from fizz import Module
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in

_Callable = ast.Action | ast.Function | ast.Helper | ast.Role


def affected(module: Module, mutant: Module) -> frozenset[str] | None:
    """The names of actions, funcs and defs, without their roles, that may do something else in the mutant.

    None: any may, as a constant is another. Names alone are followed: two of the same name count as one.
    """
    names: set[str] = set()
    for old, new in zip(module.items, mutant.items, strict=True):
        if old is new:
            continue
        changed = _changed(old, new)
        if changed is None:
            return None
        names |= changed
    callers = [(name, _mentioned(part)) for name, part in _callables(module.items)]
    constants = [_mentioned(item) for item in _constants(module.items)]
    while True:
        more = {name for name, mentioned in callers if mentioned & names} - names
        if not more:
            break
        names |= more
    return None if any(mentioned & names for mentioned in constants) else frozenset(names)


def answers_affected(module: Module, mutant: Module, asking: tuple[ast.Item, ...]) -> bool:
    """Whether an assertion or a view of `asking` may say something else of the same states and transitions.

    What `next_states()` gives has an order, that of choices, which models with the same transitions may not share.
    """
    names = affected(module, mutant)
    if names is None:
        return True
    asked: set[str] = set()
    for item in asking:
        if isinstance(item, ast.Role):
            asked |= _mentioned(item.assertions)
        elif isinstance(item, ast.Assertion):
            asked |= _mentioned(item)
        elif isinstance(item, ast.RefinesLine):
            asked.add(item.view)
        elif isinstance(item, ast.Entries):
            asked |= {one.function for one in item.models}
    return not asked.isdisjoint({*names, "next_states"})


def _constants(items: tuple[ast.Item, ...]) -> Iterator[ast.ConstantStatement]:
    for item in items:
        if isinstance(item, ast.ConstantStatement):
            yield item
        elif isinstance(item, ast.Role):
            yield from item.constants


def _changed(old: ast.Item, new: ast.Item) -> set[str] | None:
    """The names of what differs in an item; None: it is no action, func or def."""
    if isinstance(old, ast.Role) and isinstance(new, ast.Role):
        if (old.constants, old.helpers) != (new.constants, new.helpers):
            return None
        role = old.name
        parts: list[tuple[ast.Action | ast.Function, ast.Action | ast.Function]]
        parts = [*zip(old.actions, new.actions, strict=True), *zip(old.functions, new.functions, strict=True)]
        return {role if a.name == "Init" else a.name for a, b in parts if a is not b}
    return {name for name, _ in _callables((old,))} or None


def _callables(items: tuple[ast.Item, ...]) -> Iterator[tuple[str, _Callable]]:
    """All that is run, by name; the Init of a role by the name of the role, as which it is called."""
    for item in items:
        if isinstance(item, ast.Action | ast.Function):
            yield item.name, item
        elif isinstance(item, ast.TopHelper):
            yield item.helper.name, item.helper
        elif isinstance(item, ast.Role):
            yield from ((item.name if one.name == "Init" else one.name, one) for one in item.actions)
            yield from ((one.name, one) for one in item.functions)
            yield from ((one.name, one) for one in item.helpers)


def _mentioned(part: object) -> set[str]:
    """The names in a part of a model, those of fields and methods too."""
    names = {node.id for node in nodes_in(part) if isinstance(node, ast.Name)}
    return names | {node.name for node in nodes_in(part) if isinstance(node, ast.Attribute)}
