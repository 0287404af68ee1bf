"""Places of members of lists and dicts: all of them, or those of members that a comprehension keeps.

`[t for t in tasks.values() if t.state == "new"]` gives members. Their places, which are keys of `tasks`, are what the
same comprehension gives with `tasks[<place>]` for `t`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any, Final, NamedTuple

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in, with_nodes
from interpreter.compile.statements import with_parts
from interpreter.direct.paths_written import path_of
from interpreter.execute.comprehensions import kept_of

PLACES: Final = "0places"
"""Called with a list, or the values of a dict: the places. No text of a model can spell this name, nor the next."""
PLACE: Final = "0place"
"""Called with a container and an index: the index, if there is a container."""


class PlacesChosen(NamedTuple):
    """A list or dict, and what gives the places of some of its members, one after the other."""

    container: ast.Expression
    places: ast.Expression


def place_name(name: str) -> str:
    """The name for the place of what has a name; no text of a model can spell it."""
    return f"0{name}"


def as_written(name: str) -> str:
    """The name for a place without what marks it as one; other names as they are."""
    return name.removeprefix("0")


def called(function: str, *values: ast.Expression) -> ast.Expression:
    """A call of one of the functions above."""
    span = values[0].span
    return ast.Call(
        span, ast.Name(span, function), tuple([ast.Argument(span, "positional", None, one) for one in values])
    )


def listed_by(node: ast.Expression) -> ast.Expression | None:
    """The list, or values of a dict, of which an expression gives places; None for other expressions."""
    if isinstance(node, ast.Comprehension):
        first = node.clauses[0]
        return listed_by(first.iterable) if isinstance(first, ast.ComprehensionFor) else None
    if isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.id == PLACES:
        return node.arguments[0].value
    return None


def values_of(node: ast.Expression) -> ast.Expression | None:
    """`E` of `E.values()`; None for other expressions."""
    function = node.function if isinstance(node, ast.Call) and not node.arguments else None
    return function.value if isinstance(function, ast.Attribute) and function.name == "values" else None


def view_of(container: ast.Expression, which: str) -> ast.Expression:
    """`container.keys()`, or another view of a dict."""
    return ast.Call(container.span, ast.Attribute(container.span, container, which), ())


def chosen_places(iterable: ast.Expression) -> PlacesChosen | None:
    """The places of the members that an expression gives; None if it does not give members of one container."""
    owner = values_of(iterable)
    container = iterable if owner is None else owner
    if path_of(container) is not None:
        return PlacesChosen(container, called(PLACES, iterable))
    return kept_places(iterable)


def kept_places(node: ast.Expression) -> PlacesChosen | None:
    """The places of the members that a comprehension keeps as they are; None for other expressions."""
    if not isinstance(node, ast.Comprehension) or node.kind != "list" or any(map(_binds, nodes_in(node.clauses[1:]))):
        return None
    return _kept_by_key(node) or _kept(node)


def _kept_by_key(node: ast.Comprehension) -> PlacesChosen | None:
    """Of `[tasks[k] for k in tasks if …]`, which is what values that are kept are compiled to."""
    loop, member_taken = node.clauses[0], node.element
    assert isinstance(loop, ast.ComprehensionFor)
    if not (isinstance(member_taken, ast.Index) and isinstance(member_taken.index, ast.Name)):
        return None
    path, names = path_of(loop.iterable), loop.variables.names
    if (
        path is None
        or path != path_of(member_taken.value)
        or names != (member_taken.index.id,)
        or loop.variables.unpack
    ):
        return None
    keys = replace(loop, iterable=called(PLACES, view_of(loop.iterable, "values")))
    return PlacesChosen(loop.iterable, replace(node, element=member_taken.index, clauses=(keys, *node.clauses[1:])))


def _kept(node: ast.Comprehension) -> PlacesChosen | None:
    members = kept_of(node)
    if members is None:
        return None
    loop, *conditions = node.clauses
    assert isinstance(loop, ast.ComprehensionFor)
    owner, taken = values_of(members), loop.variables.names[0]
    container = members if owner is None else owner
    if path_of(container) is None:
        return None
    place = ast.Name(loop.span, place_name(taken))
    stands = {taken: ast.Index(loop.span, container, place)}
    kept = (
        replace(loop, variables=replace(loop.variables, names=(place.id,)), iterable=called(PLACES, members)),
        *with_nodes(tuple(conditions), lambda node: member(node, stands)),
    )
    return PlacesChosen(container, replace(node, element=place, clauses=kept))


def member(node: ast.Node, stands: Mapping[str, ast.Expression]) -> ast.Expression | None:
    """What a name stands for, as a node of its own."""
    instead = stands.get(node.id) if isinstance(node, ast.Name) else None
    return None if instead is None else replace(instead, span=node.span)


def with_own_names(part: Any, taken: Set[str]) -> Any:
    """A part of a routine in which no comprehension and no lambda binds one of these names.

    `t = oneof [t for t in tasks if …]` binds two variables.
    """
    made = with_parts(part, lambda inside: with_own_names(inside, taken))
    if isinstance(made, ast.Comprehension):
        return _with_other_variables(made, taken)
    if isinstance(made, ast.Lambda) and not taken.isdisjoint(names := [one.name for one in made.parameters]):
        others = _other_names(names, taken, made.span)
        parameters = [replace(one, name=_other(one.name, others)) for one in made.parameters]
        return replace(
            made, parameters=tuple(parameters), body=with_nodes(made.body, lambda node: member(node, others))
        )
    return made


def _with_other_variables(node: ast.Comprehension, taken: Set[str]) -> ast.Comprehension:
    """A comprehension that binds other names. What its first loop goes through is evaluated outside."""
    bound = [name for one in node.clauses if isinstance(one, ast.ComprehensionFor) for name in one.variables.names]
    others = _other_names(bound, taken, node.span)
    if not others:
        return node
    renamed: ast.Comprehension = with_nodes(node, lambda one: member(one, others))
    clauses = [
        replace(
            one, variables=replace(one.variables, names=tuple([_other(name, others) for name in one.variables.names]))
        )
        if isinstance(one, ast.ComprehensionFor)
        else one
        for one in renamed.clauses
    ]
    first, outside = clauses[0], node.clauses[0]
    assert isinstance(first, ast.ComprehensionFor) and isinstance(outside, ast.ComprehensionFor)
    return replace(renamed, clauses=(replace(first, iterable=outside.iterable), *clauses[1:]))


def _other_names(names: Iterable[str], taken: Set[str], span: Span) -> dict[str, ast.Name]:
    return {name: ast.Name(span, f"1{name}") for name in names if name in taken}


def _other(name: str, others: Mapping[str, ast.Name]) -> str:
    return others[name].id if name in others else name


def _binds(node: ast.Node) -> bool:
    """Whether it binds names of its own."""
    return isinstance(node, ast.ComprehensionFor | ast.Lambda)
