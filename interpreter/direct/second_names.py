"""Names that refer to containers which something else owns, and through which these are changed.

    p = oneof people                    for p in people:                account = accounts[name]
    p["to"] = 3                             p["to"] = 3                 account["balance"] -= 1

A function of Python changes nothing in place, and a change through a second name would be lost on the first. So such a
name stands for a place there: `p` becomes `people[<place>]` wherever it is used, and what is chosen, gone through,
looked for or evaluated where the name is bound, is the place. That is the same as long as the place keeps its
container, though that may change: nothing is assigned to the place or to what it is in, and no member is taken out of
that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Any, Final, NamedTuple

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in, with_nodes
from interpreter.compile import program as p
from interpreter.compile.statements import inner, instructions, own, suites, with_parts, written
from interpreter.direct.chosen_members import (
    PLACE,
    PLACES,
    called,
    chosen_places,
    kept_places,
    member,
    place_name,
    view_of,
    with_own_names,
)
from interpreter.direct.one_by_one import one_by_one
from interpreter.direct.paths_written import Path, assigned, changed, is_on_the_way, path_of, rearranged
from interpreter.direct.rule_text import names_bound

_ROUNDS: Final = 3
"""A second name may have a second name."""


class _Alias(NamedTuple):
    """A second name, and what it stands for. `binding`: the instruction that binds it; `instead`: that which binds the
    place. `owner`: the container whose members it is bound to in turn, or by choice; None for an assignment."""

    name: str
    stands: ast.Expression
    binding: p.Instruction
    instead: p.Instruction
    owner: Path | None


def with_places(routine: p.Routine, lists: Set[str], variables: Set[str], calls: bool) -> p.Routine:
    """The routine, one thing at a time, with places for second names through which containers are changed.

    `lists`: the names of lists and dicts of containers. `variables`: those of the variables of the state. `calls`: the
    routine calls others, which may change what names refer to: then no name stands for a place.
    """
    before = one_by_one(routine)
    if calls:
        return before
    by_statements, in_headers = names_bound(before)
    body: Any = with_own_names(before.body, {*by_statements, *in_headers})
    before = replace(before, scopes=(body, *before.scopes[1:]))
    # If some that are only read do not keep their places, others still may.
    return _placed(before, lists, variables, True) or _placed(before, lists, variables, False) or before


def _placed(routine: p.Routine, lists: Set[str], variables: Set[str], read: bool) -> p.Routine | None:
    """The routine with places for second names, also for those that are only `read`; None if a place is not kept."""
    stand: list[ast.Expression] = []
    for _ in range(_ROUNDS):
        found = _second_names(routine, lists, variables, read)
        if not found:
            break
        bindings = {id(one.binding): one.instead for one in found}
        stands = {one.name: one.stands for one in found}
        body: Any = _rewritten(routine.body, bindings, stands)
        names = routine.bound | {place_name(one) for one in stands}
        routine = replace(routine, scopes=(body, *routine.scopes[1:]), bound=names)
        stand += stands.values()
    # Only now it is known what other names stand for.
    return routine if _keep_places(stand, routine, variables) else None


# --- which names -----------------------------------------------------------------------------------------------------


def _second_names(routine: p.Routine, lists: Set[str], variables: Set[str], read: bool) -> list[_Alias]:
    """The second names of a routine, through some of which containers are changed. `read`: or those of what is in
    something that is changed elsewhere."""
    known = list(instructions(routine.body))
    once = _bound_once(routine, known) - variables
    aliases = [one for one in map(_alias, known) if one is not None and one.name in once]
    if not aliases:
        return []
    surely, perhaps = _changed_through(known)
    local = once | {place_name(one) for one in once}
    hidden = {name for one in known for name in _bound_inside(one)}
    aliases = [one for one in aliases if _is_steady(one.stands, local, variables, surely | perhaps, hidden)]
    ways = [one for one in aliases if one.name in surely or (one.name in perhaps and _holds(one, lists))]
    owners = {one.owner for one in ways} - {None}
    # Other names for members of the same container would be those before the change.
    found = [one for one in aliases if one in ways or one.owner in owners or (read and _is_beside(one, known))]
    found = [one for one in found if _is_used_after(one, routine, local)]
    # What a second name of a second name stands for is known when that of the other is.
    names = {one.name for one in found}
    return [one for one in found if names.isdisjoint(path_of(one.stands) or ())]


def _is_beside(alias: _Alias, known: Sequence[p.Instruction]) -> bool:
    """Whether a name for a container in a variable is read part by part, where that variable is changed inside."""
    path = path_of(alias.stands)
    if alias.owner is not None or path is None:
        return False
    parts = (node for one in known for part in written(one) for node in nodes_in(part))
    used = any(
        isinstance(node, ast.Index) and isinstance(node.value, ast.Name) and node.value.id == alias.name
        for node in parts
    )
    return used and any(len(to) > 1 and to[0] == path[0] for one in known for to in assigned(one))


def _holds(alias: _Alias, lists: Set[str]) -> bool:
    """Whether it is known that what a name stands for is a container, and no instance of a role."""
    path = path_of(alias.stands)
    return path is not None and any(step in lists for step in path)


def _changed_through(known: Sequence[p.Instruction]) -> tuple[set[str], set[str]]:
    """The names through which containers are changed; and those through which fields are, which instances have too."""
    surely: set[str] = set()
    perhaps: set[str] = set()
    for instruction in known:
        for path in assigned(instruction):
            if len(path) > 1:
                (perhaps if path[1].startswith(".") else surely).add(path[0])
        for path in changed(instruction):
            (perhaps if len(path) > 1 and path[1].startswith(".") else surely).add(path[0])
    return surely, perhaps


def _bound_once(routine: p.Routine, known: Sequence[p.Instruction]) -> set[str]:
    """The names that one instruction alone binds, and nothing inside an expression."""
    by_statements, in_headers = names_bound(routine)
    names = Counter([*by_statements, *in_headers, *[name for one in known for name in _bound_inside(one)]])
    return {one for one, count in names.items() if count == 1}


def _bound_inside(instruction: p.Instruction) -> Iterator[str]:
    """The names that the expressions of an instruction bind, twice each: they may be others."""
    for part in written(instruction):
        for node in nodes_in(part):
            if isinstance(node, ast.ComprehensionFor):
                yield from 2 * node.variables.names
            elif isinstance(node, ast.Lambda):
                yield from 2 * [one.name for one in node.parameters]


def _is_steady(
    stands: ast.Expression, local: Set[str], variables: Set[str], changed: Set[str], hidden: Set[str]
) -> bool:
    """Whether an expression stands for one place wherever it is written.

    It begins with a variable of the state, `self`, or a name of `local`, those that are bound once; indexes in it are
    literals, or such names that are not changed in place; none is `hidden`, bound inside some expression.
    """
    steps: list[ast.Expression] = []
    node = stands
    while isinstance(node, ast.Index | ast.Attribute):
        steps += [node.index] if isinstance(node, ast.Index) else []
        node = node.value
    if not isinstance(node, ast.Name) or node.id in hidden or node.id not in local | variables | {"self"}:
        return False
    steady = local - changed - hidden
    return all(isinstance(one, ast.Literal) or (isinstance(one, ast.Name) and one.id in steady) for one in steps)


def _keep_places(stand: Sequence[ast.Expression], routine: p.Routine, variables: Set[str]) -> bool:
    """Whether nothing else comes to where names stand for, or where that is in. The routine is that in which all such
    names are replaced; names that are bound once were bound before."""
    once = _bound_once(routine, list(instructions(routine.body))) - variables
    for stands in stand:
        to, known = path_of(stands), _until_last_use(stands, routine)
        assert to is not None
        given = [path for one in known for path in assigned(one) if len(path) > 1 or path[0] not in once]
        moved = [path for one in known for path in rearranged(one)]
        if any(is_on_the_way(path, to) for path in given) or any(is_on_the_way(path, to[:-1]) for path in moved):
            return False
    return True


def _until_last_use(stands: ast.Expression, routine: p.Routine) -> list[p.Instruction]:
    """The instructions up to the last that names the place in an expression, if there is one; with all around that."""
    places = {node.id for node in nodes_in(stands) if isinstance(node, ast.Name)} & set(map(place_name, routine.bound))
    in_turn = not isinstance(routine.body, p.OneOfBlock | p.ParallelBlock)
    each = [list(_with_inner(one)) for one in own(routine.body)]
    used = [at for at, some in enumerate(each) if any(_uses(place, some) for place in places)]
    end = used[-1] + 1 if used and in_turn else len(each)
    return [one for some in each[:end] for one in some]


def _is_used_after(alias: _Alias, routine: p.Routine, local: Set[str]) -> bool:
    """Whether a name is used only where it was bound for sure, and in the same turn of a loop: what its place depends
    on is as it was then. A name for members in turn, or by choice, has a place that is a variable: it is not bound
    before, and stays the same."""
    names = {node.id for node in nodes_in(alias.stands) if isinstance(node, ast.Name)} - {place_name(alias.name)}
    if alias.owner is not None and names.isdisjoint(local):
        return True
    for block in _sequences(routine.body):
        for at, one in enumerate(block):
            if one is alias.binding:
                inside = [*inner(one), *suites(one)]
                after = [*block[at + 1 :], *[each for scope in inside for each in own(scope)]]
                uses = _uses(alias.name, [each for some in after for each in _with_inner(some)])
                return uses + _uses(alias.name, [one]) == _uses(alias.name, list(instructions(routine.body)))
    return False


def _sequences(scope: p.Scope) -> Iterator[Sequence[p.Instruction]]:
    """The blocks in a scope whose statements are run one after the other."""
    if not isinstance(scope, p.OneOfBlock | p.ParallelBlock):
        yield own(scope)
    for one in own(scope):
        for inside in (*suites(one), *inner(one)):
            yield from _sequences(inside)


def _with_inner(instruction: p.Instruction) -> Iterator[p.Instruction]:
    """An instruction and all in its blocks."""
    yield instruction
    for scope in (*suites(instruction), *inner(instruction)):
        yield from instructions(scope)


def _uses(name: str, known: Sequence[p.Instruction]) -> int:
    """How often a name stands in instructions."""
    nodes = (node for one in known for part in written(one) for node in nodes_in(part))
    return sum(isinstance(node, ast.Name) and node.id == name for node in nodes)


# --- what they stand for ---------------------------------------------------------------------------------------------


def _alias(instruction: p.Instruction) -> _Alias | None:
    """The second name that an instruction binds."""
    match instruction:
        case p.Pick(target=ast.Name(id=name), iterable=iterable, fair=False):
            chosen = chosen_places(iterable)
            if chosen is None:
                return None
            target = ast.Name(instruction.span, place_name(name))
            return _of_members(
                name, chosen.container, instruction, replace(instruction, target=target, iterable=chosen.places)
            )
        case p.PickBlock(variables=ast.LoopVariables(names=(name,), unpack=False) as known, iterable=iterable):
            if instruction.fair:
                return None
            variables = replace(known, names=(place_name(name),))
            taken = replace(instruction, variables=variables, iterable=called(PLACES, iterable))
            return _of_members(name, iterable, instruction, taken)
        case p.Loop(body=p.ForLoop(parallel=False) as loop):
            return _of_loop(instruction, loop)
        case p.Do(statement=ast.Assign(targets=(ast.Name(id=name),), value=value) as statement):
            return _assigned(name, value, instruction, statement)
    return None


def _of_loop(instruction: p.Loop, loop: p.ForLoop) -> _Alias | None:
    """The name for the members in a loop over a list, `enumerate(list)`, or the values or items of a dict."""
    name, iterable, variables = loop.variables.names[-1], loop.iterable, loop.variables
    container, by_index = _gone_through(iterable)
    if len(variables.names) == 2 and by_index and variables.unpack:
        place = variables.names[0]
    elif len(variables.names) == 1 and not by_index and not variables.unpack:
        place = place_name(name)
    else:
        return None
    is_list = container is iterable or (by_index and _is_enumerate(iterable))
    new = replace(
        loop,
        variables=replace(variables, names=(place,), unpack=False),
        # Of what is no dict the error is that of `values` or `items`, as nothing else is there.
        iterable=called(PLACES, container) if is_list else view_of(container, "keys"),
    )
    return _of_members(name, container, instruction, replace(instruction, body=new), place)


def _gone_through(iterable: ast.Expression) -> tuple[ast.Expression, bool]:
    """The container whose members a loop goes through, and whether each comes with its index."""
    if _is_enumerate(iterable):
        assert isinstance(iterable, ast.Call)
        return iterable.arguments[0].value, True
    function = iterable.function if isinstance(iterable, ast.Call) and not iterable.arguments else None
    if isinstance(function, ast.Attribute) and function.name in ("items", "values"):
        return function.value, function.name == "items"
    return iterable, False


def _is_enumerate(node: ast.Expression) -> bool:
    if not isinstance(node, ast.Call) or len(node.arguments) != 1 or node.arguments[0].kind != "positional":
        return False
    return isinstance(node.function, ast.Name) and node.function.id == "enumerate"


def _of_members(
    name: str, container: ast.Expression, binding: p.Instruction, instead: p.Instruction, place: str | None = None
) -> _Alias | None:
    """A name for the members of a container, in turn or by choice."""
    owner = path_of(container)
    if owner is None:
        return None
    span = container.span
    stands = ast.Index(span, container, ast.Name(span, place_name(name) if place is None else place))
    return _Alias(name, stands, binding, instead, owner)


def _assigned(name: str, value: ast.Expression, instruction: p.Do, statement: ast.Assign) -> _Alias | None:
    """A name to which a path is assigned, or a member that is looked for: `[p for p in people if …][0]`."""
    if path_of(value) is None:
        return _looked_for(name, value, instruction, statement)
    if not isinstance(value, ast.Index):
        evaluated = ast.ExpressionStatement(statement.span, value)
        return _Alias(name, value, instruction, replace(instruction, statement=evaluated), None)
    if isinstance(value.index, ast.Literal):  # which -1 is not, but an operation on 1
        evaluated = ast.ExpressionStatement(statement.span, called(PLACE, value.value, value.index))
        return _Alias(name, value, instruction, replace(instruction, statement=evaluated), None)
    place = ast.Name(statement.span, place_name(name))
    bound = replace(statement, targets=(place,), value=called(PLACE, value.value, value.index))
    return _Alias(name, replace(value, index=place), instruction, replace(instruction, statement=bound), None)


def _looked_for(name: str, value: ast.Expression, instruction: p.Do, statement: ast.Assign) -> _Alias | None:
    """A name for one of the members of a list that a comprehension takes as they are."""
    found = kept_places(value.value) if isinstance(value, ast.Index) else None
    if found is None:
        return None
    assert isinstance(value, ast.Index)
    place = ast.Name(statement.span, place_name(name))
    bound = replace(statement, targets=(place,), value=replace(value, value=found.places))
    stands = ast.Index(value.span, found.container, place)
    return _Alias(name, stands, instruction, replace(instruction, statement=bound), None)


# --- the routine with places -----------------------------------------------------------------------------------------


def _rewritten(part: Any, bindings: dict[int, p.Instruction], stands: dict[str, ast.Expression]) -> Any:
    """A part of a routine in which these instructions bind places, and names are what they stand for."""
    if isinstance(part, ast.Node):
        return with_nodes(part, lambda node: member(node, stands))
    return with_parts(bindings.get(id(part), part), lambda inside: _rewritten(inside, bindings, stands))
