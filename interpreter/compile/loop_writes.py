"""Loops that write what they go through: `for m in NODES: clock[n][m] = max(clock[n][m], clock[o][m])`.

Each turn writes a place of its own, and of what the loop writes it reads nothing but that. So all values can be
computed before the first is written. The analysis is sound, not complete: doubtful loops write nothing that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import combinations

from fizz import Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from fizz.syntax.tree_walk import is_name, is_path, nodes_in
from interpreter.compile import program as p
from interpreter.compile.independent_turns import changes

Chain = ast.Name | ast.Attribute | ast.Index
_Taken = tuple[Span, int]
"""An `if` and which of its suites is taken."""


@dataclass(frozen=True, slots=True)
class LoopWrite:
    """An assignment that a turn makes where all conditions hold. `span`: of the statement; `within`: the suites that it
    is in, with the spans of their `if`s."""

    span: Span
    target: ast.Index | ast.Attribute
    value: ast.Expression
    conditions: tuple[ast.Expression, ...]
    within: tuple[_Taken, ...]

    @property
    def reads(self) -> tuple[ast.Expression, ...]:
        """What is evaluated to know what is written."""
        return (self.value, *self.conditions)


@dataclass(frozen=True, slots=True)
class _Place:
    """What a loop writes: members of a variable or of a field of this name, below so many indexes, or (0) a field of
    what is gone through."""

    name: str
    is_field: bool
    depth: int


def loop_writes(loop: p.ForLoop, state_variables: Set[str], bound: Set[str]) -> tuple[LoopWrite, ...] | None:
    """What the turns of a loop write; None if they do more, or that is not sure. `bound`: the local names around."""
    if loop.variables.unpack:
        return None
    (variable,) = loop.variables.names
    if variable in state_variables:
        return None
    found: list[LoopWrite] = []
    for write in _written(loop.body, (), ()):
        if write is None:
            return None
        found.append(write)
    places = [_place(write.target, variable, state_variables - bound) for write in found]
    known = [place for place in places if place is not None]
    if not found or len(known) < len(places):
        return None
    text = tuple(write.reads for write in found)
    if changes(text) or any(variable in names or not names.isdisjoint(state_variables) for names in _bound_in(text)):
        return None
    if not all(_fits(chain, known, variable) for chain in _chains(text)):
        return None
    for (first, place), (second, _) in combinations(zip(found, known, strict=True), 2):
        if _together(first, second) and _mentions(second.reads, place):
            return None
    return tuple(found)


def _written(
    block: p.Sequence, conditions: tuple[ast.Expression, ...], within: tuple[_Taken, ...]
) -> Iterator[LoopWrite | None]:
    """The assignments of a block; None for anything else."""
    for statement in block.instructions:
        match statement:
            case p.Nothing():
                continue
            case p.Do(statement=ast.Assign(targets=(ast.Index() | ast.Attribute() as target,), value=value)):
                yield LoopWrite(statement.span, target, value, conditions, within)
            case p.Do(statement=ast.AugmentedAssign(target=ast.Index() | ast.Attribute() as target) as augmented):
                value = ast.Binary(augmented.span, augmented.operator, target, augmented.value)
                yield LoopWrite(statement.span, target, value, conditions, within)
            case p.Branch():
                before = conditions
                for index, suite in enumerate(statement.suites):
                    here = statement.conditions[index : index + 1]
                    yield from _written(suite, (*before, *here), (*within, (statement.span, index)))
                    before = (*before, *[ast.Unary(one.span, "not", one) for one in here])
            case _:
                yield None


def _place(target: ast.Index | ast.Attribute, variable: str, state_variables: Set[str]) -> _Place | None:
    """What is written, if each turn writes a place of its own."""
    if isinstance(target, ast.Attribute):
        own = isinstance(target.value, ast.Name) and target.value.id == variable
        return _Place(target.name, True, 0) if own else None
    if not is_name(target.index, variable) or not is_path(target.value):
        return None
    if any(is_name(node, variable) for node in nodes_in(target.value)):
        return None
    inside = [node for node in nodes_in(target.value) if isinstance(node, ast.Index)]
    if not all(isinstance(node.index, ast.Name | ast.Literal) for node in inside):
        return None
    steps = _steps(target)
    fields = [at for at, step in enumerate(steps) if isinstance(step, ast.Attribute)]
    if fields:
        last = steps[fields[-1]]
        assert isinstance(last, ast.Attribute)
        return _Place(last.name, True, len(steps) - 1 - fields[-1])
    root = steps[0]
    if not isinstance(root, ast.Name) or root.id not in state_variables:
        return None
    return _Place(root.id, False, len(steps) - 1)


def _steps(chain: ast.Expression) -> list[ast.Expression]:
    """An expression and what it is a part of, from the outermost container on."""
    found = [chain]
    while isinstance(chain, ast.Attribute | ast.Index):
        chain = chain.value
        found.append(chain)
    return found[::-1]


def _chains(text: Sequence[tuple[ast.Expression, ...]]) -> list[Chain]:
    """The names, attributes and members in some expressions that are no part of another one of these."""
    found = [node for node in nodes_in(tuple(text)) if isinstance(node, Chain)]
    inner = {id(node.value) for node in found if not isinstance(node, ast.Name)}
    return [node for node in found if id(node) not in inner]


def _fits(chain: Chain, places: Sequence[_Place], variable: str) -> bool:
    """Whether what is read is no place that another turn writes."""
    steps = _steps(chain)
    for place in places:
        for at, step in enumerate(steps):
            if not _is_of(step, place):
                continue
            if not place.depth:
                assert isinstance(step, ast.Attribute)
                if not is_name(step.value, variable):
                    return False
                continue
            own = steps[at + place.depth] if at + place.depth < len(steps) else None
            if not (isinstance(own, ast.Index) and is_name(own.index, variable)):
                return False
            if not all(isinstance(one, ast.Index) for one in steps[at + 1 : at + place.depth]):
                return False
    return True


def _is_of(step: ast.Expression, place: _Place) -> bool:
    if place.is_field:
        return isinstance(step, ast.Attribute) and step.name == place.name
    return is_name(step, place.name)


def _mentions(reads: tuple[ast.Expression, ...], place: _Place) -> bool:
    return any(isinstance(node, ast.Name | ast.Attribute) and _is_of(node, place) for node in nodes_in(reads))


def _together(first: LoopWrite, second: LoopWrite) -> bool:
    """Whether one turn may make both assignments."""
    return not any(a[0] == b[0] and a[1] != b[1] for a in first.within for b in second.within)


def _bound_in(text: Sequence[tuple[ast.Expression, ...]]) -> Iterator[set[str]]:
    """The names that comprehensions and functions bind."""
    for node in nodes_in(tuple(text)):
        if isinstance(node, ast.ComprehensionFor):
            yield set(node.variables.names)
        elif isinstance(node, ast.Lambda):
            yield {parameter.name for parameter in node.parameters}
