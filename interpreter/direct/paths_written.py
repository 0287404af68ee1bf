"""The paths of containers in the text of a routine: what is assigned to, and what gets other members."""

from __future__ import annotations

from collections.abc import Iterator, Set

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, written
from interpreter.direct.node_operations import PURE_METHODS
from interpreter.direct.rule_text import changed_containers, changing, evaluated, targets_of
from interpreter.execute.comprehensions import kept_of
from interpreter.library.builtin_functions import FUNCTIONS

Path = tuple[str, ...]
"""A name; then for each step `.name`, `["text"]` or `[0]`, or `[]` for an index that is not a literal."""
ANY = "[]"
_KEEPS = frozenset({"append", "add", "setdefault", "extend"})
"""Methods after which each member is where it was."""


def path_of(node: ast.Expression) -> Path | None:
    """The path that an expression is; None for other expressions."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=value, name=name):
            owner = path_of(value)
            return None if owner is None else (*owner, f".{name}")
        case ast.Index(value=value, index=index):
            owner = path_of(value)
            step = f"[{index.value!r}]" if isinstance(index, ast.Literal) and _is_text(index.value) else ANY
            return None if owner is None else (*owner, step)
    return None


def _is_text(value: object) -> bool:
    """Whether equal indexes are written alike: -1 and 3 may be one place."""
    return isinstance(value, str)


def assigned(instruction: p.Instruction) -> Iterator[Path]:
    """The paths to which an instruction assigns."""
    for target in targets_of(instruction):
        path = path_of(target.value if isinstance(target, ast.Slice) else target)
        if path is not None:
            yield path


def rearranged(instruction: p.Instruction) -> Iterator[Path]:
    """The paths of containers of which an instruction may remove or move members."""
    for part in written(instruction):
        for function in filter(None, map(changing, nodes_in(part))):
            path = path_of(function.value)
            if path is not None and function.name not in _KEEPS:
                yield path


def changed(instruction: p.Instruction) -> Iterator[Path]:
    """The paths of containers that an instruction changes by methods."""
    return filter(None, map(path_of, changed_containers(instruction)))


def containers_changed(instruction: p.Instruction) -> Iterator[Path | None]:
    """The paths of containers that an instruction changes in place; None for one that has no path."""
    for target in targets_of(instruction):
        if isinstance(target, ast.Index | ast.Slice | ast.Attribute):
            yield path_of(target.value)
    if isinstance(instruction, p.Do) and isinstance(instruction.statement, ast.AugmentedAssign):
        yield path_of(instruction.statement.target)
    for container in changed_containers(instruction):
        yield path_of(container)


def are_apart(choice: p.Pick | p.PickBlock, routine: p.Routine, variables: Set[str]) -> bool:
    """Whether a choice that is not in a loop is one among members of a container as the state has it, or some of them.

    Then equal containers among them are different ones. `variables`: the names of the variables of the state. An action
    has changed nothing before if it has only bound names of its own.
    """
    path = path_of(kept_of(choice.iterable) or choice.iterable)
    if routine.kind != "action" or path is None or path[0] not in variables | {"self"}:
        return False
    for one in instructions(routine.body):
        if one is choice:
            return True
        calls = isinstance(one, p.CallOrDo) and one.routine is not None
        bound = all(len(to) == 1 and to[0] not in variables for to in assigned(one))
        if calls or not bound or any(True for _ in containers_changed(one)) or any(map(_may_change, evaluated(one))):
            return False
    return False


def _may_change(part: ast.Node) -> bool:
    """Whether a function or method that is no builtin, and may change what it is given, is called in an expression."""
    called = (node.function for node in nodes_in(part) if isinstance(node, ast.Call))
    return any(
        one.id not in FUNCTIONS if isinstance(one, ast.Name) else one.name not in PURE_METHODS
        for one in called
        if isinstance(one, ast.Name | ast.Attribute)
    )


def is_on_the_way(path: Path, to: Path) -> bool:
    """Whether a path may be `to`, or the path of something that it is in."""
    return bool(to) and any(
        len(one) <= len(other) and all(map(_may_be_one, one, other))
        for one in _forms(path)
        for other in _forms(to)
        if one[0].startswith(".") is other[0].startswith(".")
    )


def _forms(path: Path) -> Iterator[Path]:
    """A path, and its ends that begin with a field: which instance has the field may not be known."""
    yield path
    for at, step in enumerate(path):
        if step.startswith("."):
            yield path[at:]


def _may_be_one(step: str, other: str) -> bool:
    return step == other or (ANY in (step, other) and step.startswith("[") and other.startswith("["))
