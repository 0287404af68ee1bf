"""Containers that change their owner: a field or variable gets another value, and what it held has no owner then.

In a state no container has two owners. So a local that took over the value is the only one that refers to it, as if it
were new; and members may go on in a list or dict that takes the place of the one they were in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING, NamedTuple

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_name, is_self, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.rule_text import changing, evaluated, is_bound_once

if TYPE_CHECKING:
    from interpreter.direct.name_lookup import Names


def takes_over(routine: p.Routine, statement: ast.Assign, looked_at: Set[str]) -> bool:
    """Whether a statement `local = place` is followed, on all paths, by one that gives the field or variable another
    value, and nothing else refers to it, but guards before. `looked_at`: the fields that `def`s read, as `.name`."""
    place = _place_of(statement.value)
    if place is None or place in looked_at or len(statement.targets) != 1:
        return False
    (local,) = statement.targets
    if not isinstance(local, ast.Name) or not is_bound_once(routine, local.id):
        return False
    return _is_given_up(routine, statement, place)


def gives_away(routine: p.Routine, node: ast.Expression, looked_at: Set[str]) -> bool:
    """Whether what a field or variable holds gets another owner: it is named here alone, but in guards before, and
    gets another value later on all paths."""
    place = _place_of(node)
    if place is None or place in looked_at or routine.kind == "func":
        # Who calls a func may have a local with what the place holds.
        return False
    if routine.kind == "action" and routine.body.flow != "atomic":
        # Between two statements of a serial action there is a state in which both have it.
        return False
    return _is_given_up(routine, node, place)


def _is_given_up(routine: p.Routine, part: ast.Node, place: str) -> bool:
    """Whether the statement with this part is followed, on all paths, by one that gives a place another value, and
    nothing else names the place, but guards before."""
    block = routine.body.instructions if isinstance(routine.body, p.Sequence) else ()
    begins = [index for index, one in enumerate(block) if _is_in(part, one)]
    if not begins:
        return False
    begin = begins[0]
    ends = [index for index, one in enumerate(block) if index > begin and _binds(one, place)]
    if len(ends) != 1 or not all(map(_is_plain, block[begin : ends[0]])):
        return False
    every = list(instructions(routine.body))
    if any(isinstance(one, p.CallOrDo) and one.routine is not None for one in every):
        return False
    guards = [one for one in block[:begin] if isinstance(one, p.Guard)]
    # Of others, members and fields may have been asked for. One is in the statement, the other what is bound later.
    others = [one for one in block[:begin] if _is_plain(one) and not isinstance(one, p.Guard)]
    return _mentions(every, place) - _mentions(guards, place) - _mentions_in_paths(others, place) == 2


def _is_plain(instruction: p.Instruction) -> bool:
    """Whether an instruction calls nothing that could name a place."""
    if isinstance(instruction, p.CallOrDo):
        return changing(instruction.call) is not None
    return isinstance(instruction, p.Do | p.Guard | p.Pick)


def _is_in(part: ast.Node, instruction: p.Instruction) -> bool:
    """Whether a part of the text is in an assignment, or a change of a container."""
    if not isinstance(instruction, p.Do | p.CallOrDo) or not _is_plain(instruction):
        return False
    text = instruction.statement if isinstance(instruction, p.Do) else instruction.call
    return any(node is part for node in nodes_in(text))


class Kept(NamedTuple):
    """A value that has members of the container whose place it takes. `new`: the displays in it, of other members.

    `added`: if members before one place and from another on are kept, as many members are in the displays; that these
    are not the same ones is to be seen from the lengths.
    """

    new: tuple[ast.Expression, ...]
    added: int | None = None


def kept_of(routine: p.Routine, target: ast.Expression, value: ast.Expression, changed: Set[str]) -> Kept | None:
    """How `place = value` keeps members of what the place held, each at most once; None if that is not sure.

    `changed`: the names whose containers the routine changes in place, as `roots_of` gives them.
    """
    place = _path_of(target)
    if place is None:
        return None
    parts = list(_summands(value))
    local = _place_of(target) is not None
    kept = [part for part in parts if _keeps(routine, place, part, changed, local) or _path_of(part) == place]
    new = tuple(part for part in parts if part not in kept)
    if not all(isinstance(part, ast.ListExpression) for part in new):
        return None
    if len(kept) == 1:
        return Kept(new)
    if len(kept) == 2 and _is_begin(kept[0]) and _is_end(kept[1]):
        lists = (part for part in new if isinstance(part, ast.ListExpression))
        members = [item for part in lists for item in part.items]
        return None if any(isinstance(item, ast.Starred) for item in members) else Kept(new, len(members))
    return None


def unsorted(value: ast.Expression, names: Names) -> ast.Expression:
    """The expression whose members a value has in some order: what `sorted`, or a `def` that sorts it, is given."""
    while isinstance(value, ast.Call) and isinstance(value.function, ast.Name) and value.arguments:
        called, (items, *others) = value.function.id, value.arguments
        source = names.helper(called)
        if items.kind != "positional" or not (
            (called == "sorted" and not names.shadowed(called))
            or (source is not None and not others and _returns_sorted(source, names))
        ):
            break
        value = items.value
    return value


def _returns_sorted(source: ast.Helper, names: Names) -> bool:
    """Whether a `def` does nothing but return its only argument sorted."""
    if len(source.parameters) != 1 or len(source.body.statements) != 1:
        return False
    (statement,) = source.body.statements
    if not isinstance(statement, ast.Return) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value
    is_sorted = isinstance(called.function, ast.Name) and called.function.id == "sorted"
    if not is_sorted or names.shadowed("sorted") or not called.arguments:
        return False
    items = called.arguments[0].value
    return isinstance(items, ast.Name) and items.id == source.parameters[0].name


def _summands(value: ast.Expression) -> Iterator[ast.Expression]:
    if isinstance(value, ast.Binary) and value.operator == "+":
        yield from _summands(value.left)
        yield from _summands(value.right)
    else:
        yield value


def _keeps(routine: p.Routine, place: str, part: ast.Expression, changed: Set[str], local: bool) -> bool:
    """Whether a value has members of the container at a place, each at most once, and no others. `local`: they may have
    been taken into a local before, as it was the same place there."""
    if isinstance(part, ast.Name) and part.id != place:
        return local and not {part.id, place} & changed and _is_kept_in(routine, place, part.id)
    return _selects(place, part)


def _selects(place: str, part: ast.Expression) -> bool:
    """Whether an expression takes members of a container at a place, each at most once."""
    if isinstance(part, ast.Slice):
        return _path_of(part.value) == place
    if not isinstance(part, ast.Comprehension) or part.kind == "generator":
        return False
    loop, *others = part.clauses
    if not isinstance(loop, ast.ComprehensionFor) or any(isinstance(one, ast.ComprehensionFor) for one in others):
        return False
    variables, over = loop.variables, loop.iterable
    if part.kind == "list":
        taken = None if variables.unpack else variables.names[0]
    else:
        items = (
            isinstance(over, ast.Call) and isinstance(over.function, ast.Attribute) and over.function.name == "items"
        )
        if not items or len(variables.names) != 2:
            return False
        assert isinstance(over, ast.Call) and isinstance(over.function, ast.Attribute)
        over, taken = over.function.value, variables.names[1]
    if any(isinstance(node, ast.Name) and node.id in variables.names for node in nodes_in(over)):
        return False
    return _path_of(over) == place and isinstance(part.element, ast.Name) and part.element.id == taken


def _is_kept_in(routine: p.Routine, place: str, local: str) -> bool:
    """Whether a local has members of the container at a place, and is used once."""
    every = list(instructions(routine.body))
    bound = [
        one.statement.value
        for one in every
        if isinstance(one, p.Do) and isinstance(one.statement, ast.Assign) and _binds(one, local)
    ]
    return (
        len(bound) == 1
        and is_bound_once(routine, local)
        and _selects(place, bound[0])
        and _mentions(every, local) == 2
        and not any(isinstance(one, p.Loop) for one in every)
    )


def left_out(node: ast.Binary) -> tuple[ast.Expression, ast.Name] | None:
    """The list and the place of `E[:i] + E[i + 1:]`, of a variable or field; None for other expressions."""
    begin, end = node.left, node.right
    if node.operator != "+" or not (isinstance(begin, ast.Slice) and isinstance(end, ast.Slice)):
        return None
    place, after = begin.stop, end.start
    if not (_is_begin(begin) and _is_end(end) and isinstance(place, ast.Name) and isinstance(after, ast.Binary)):
        return None
    if _place_of(begin.value) is None or _place_of(begin.value) != _place_of(end.value) or after.operator != "+":
        return None
    for own, more in ((after.left, after.right), (after.right, after.left)):
        if is_name(own, place.id) and isinstance(more, ast.Literal) and type(more.value) is int and more.value == 1:
            return begin.value, place
    return None


def _is_begin(part: ast.Expression) -> bool:
    return isinstance(part, ast.Slice) and part.start is None and part.stop is not None and part.step is None


def _is_end(part: ast.Expression) -> bool:
    return isinstance(part, ast.Slice) and part.start is not None and part.stop is None and part.step is None


def _place_of(node: ast.Expression) -> str | None:
    """A name for a field of `self`, as `.name`, or for a variable; None for other expressions."""
    if isinstance(node, ast.Attribute) and is_self(node.value):
        return f".{node.name}"
    return node.id if isinstance(node, ast.Name) else None


def _path_of(node: ast.Expression) -> str | None:
    """As `_place_of`, also of a member at an index that is a name or a literal, and of a field of another instance.

    Within one statement the same text is the same place.
    """
    place = _place_of(node)
    if place is not None:
        return place
    if isinstance(node, ast.Attribute):
        owner = _path_of(node.value)
        return None if owner is None else f"{owner}.{node.name}"
    if not (isinstance(node, ast.Index) and isinstance(node.index, ast.Name | ast.Literal)):
        return None
    owner = _path_of(node.value)
    step = node.index.id if isinstance(node.index, ast.Name) else repr(node.index.value)
    return None if owner is None else f"{owner}[{step}]"


def _binds(instruction: p.Instruction, place: str) -> bool:
    """Whether an instruction gives a place another value."""
    if isinstance(instruction, p.CallOrDo):
        return changing(instruction.call) is not None and list(map(_place_of, instruction.targets)) == [place]
    statement = instruction.statement if isinstance(instruction, p.Do) else None
    return isinstance(statement, ast.Assign) and list(map(_place_of, statement.targets)) == [place]


def _mentions_in_paths(every: Iterable[p.Instruction], place: str) -> int:
    """How often instructions ask what a place holds for a member or field, or give it one."""
    nodes = (node for one in every for part in evaluated(one) for node in nodes_in(part))
    return sum(_place_of(node.value) == place for node in nodes if isinstance(node, ast.Index | ast.Attribute))


def _mentions(every: Iterable[p.Instruction], place: str) -> int:
    """How often instructions name a variable, or a field of any instance."""
    nodes = (node for one in every for part in evaluated(one) for node in nodes_in(part))
    return sum(
        f".{node.name}" == place if isinstance(node, ast.Attribute) else node.id == place
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
    )
