"""Whether operations with different keys do not depend on each other, as far as the text of their funcs shows it.

Linearizability is local (Herlihy and Wing, 1990): a history of several objects is linearizable just if the part of
each is. Entries of a dict are such objects if each operation names a key, and touches nothing of the state but the
entries of that key.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from checker.conformance.history import Operation
from checker.conformance.specification import Specification
from fizz.syntax import ast
from fizz.syntax.tree_walk import is_name, is_self, nodes_in, own_expressions, parts
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, written
from interpreter.direct.rule_text import targets_of
from interpreter.values.intern import Tag

_SCALARS: Final = (bool, int, str, type(None))
_ASKING: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of dicts whose first argument is the key that they touch."""
_FUNCTIONS: Final = frozenset(
    {"abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list", "max", "min", "range", "record",
     "reversed", "set", "sorted", "str", "struct", "sum", "tuple", "zip"}
)  # fmt: skip
"""Functions that look at their arguments alone."""


def independent_parameter(specification: Specification, operations: Sequence[Operation]) -> str | None:
    """The parameter whose values share nothing; None if there is none, or the text does not show it.

    No is never wrong, only slower.
    """
    routines = _routines(specification, operations)
    if not routines or not _apart_at_first(specification):
        return None
    constants = specification.machine.code.known.constants
    free = frozenset(name for name, value in constants.items() if type(value) in _SCALARS)
    for name in _parameters(routines):
        if _are_keys([one.arguments.get(name) for one in operations]) and all(
            _touches_only(routine, name, free, specification.machine.program.state_variables) for routine in routines
        ):
            return name
    return None


def common_parameter(specification: Specification, operations: Sequence[Operation]) -> str | None:
    """The first parameter of which all operations have a value; None if there is none."""
    names = _parameters(_routines(specification, operations))
    return next((name for name in names if all(name in one.arguments for one in operations)), None)


def _routines(specification: Specification, operations: Sequence[Operation]) -> list[p.Routine]:
    return list({one.function: specification.function(one.function, one.place) for one in operations}.values())


def _parameters(routines: Sequence[p.Routine]) -> list[str]:
    """The names of the parameters that all routines have."""
    names = [[one.name for one in routine.parameters] for routine in routines]
    return [name for name in names[0] if all(name in others for others in names)] if names else []


def _are_keys(values: Sequence[object]) -> bool:
    """Whether values are different in JSON just if they are different keys of a dict."""
    return all(type(value) is str for value in values) or all(type(value) is int for value in values)


def _apart_at_first(specification: Specification) -> bool:
    """Whether the entries of dicts share nothing in the beginning: no aliases, no role instances but the receiver."""
    values = specification.machine.values
    for number in specification.beginnings():
        state = specification.state(number)
        if state.layout.cells or state.threads or state.messages or sum(map(len, state.layout.live.values())) > 1:
            return False
        fields = [state.get(slot) for slot in state.layout.slots if slot[0] in ("field", "param")]
        if any(values.has_roles(one) for one in fields if values.tag(one) is not Tag.NONE):
            return False
    return True


def _touches_only(routine: p.Routine, key: str, free: Set[str], variables: Sequence[str]) -> bool:
    """Whether a func touches nothing of the state but entries with its parameter `key`. `free`: names of constants."""
    if any(one.kind != "plain" or not isinstance(one.default, ast.Literal | None) for one in routine.parameters):
        return False
    found = list(instructions(routine.body))
    if any(isinstance(one, p.CallOrDo) and one.routine is not None for one in found):
        return False
    nodes = [node for one in found for part in written(one) for node in nodes_in(part)]
    bound = {one.id for each in found for one in targets_of(each) if isinstance(one, ast.Name)}
    bound |= {name for node in nodes if isinstance(node, ast.LoopVariables) for name in node.names}
    bound |= {name for one in found if isinstance(one, p.PickBlock) for name in one.variables.names}
    if key in bound or bound & {"self", *variables}:
        return False
    known = ({one.name for one in routine.parameters} | bound | free) - {"self", *variables}
    return all(_is_apart(part, key, known) for one in found for part in written(one))


def _is_apart(node: ast.Node, key: str, known: Set[str]) -> bool:
    """Whether a part of the text looks at known values alone, and at entries `self.d[key]`, `self.d.get(key)`."""
    if isinstance(node, ast.Index) and _is_field(node.value) and is_name(node.index, key):
        return True
    if isinstance(node, ast.Binary) and _asks_for(node, key):
        return True
    if isinstance(node, ast.Call):
        arguments, function = node.arguments, node.function
        if isinstance(function, ast.Attribute) and function.name in _ASKING and _is_field(function.value):
            if not arguments or arguments[0].kind != "positional" or not is_name(arguments[0].value, key):
                return False
        elif isinstance(function, ast.Name):
            if function.id not in _FUNCTIONS:
                return False
        elif not _is_apart(function, key, known):
            return False
        return all(_is_apart(one.value, key, known) for one in arguments)
    if isinstance(node, ast.Name):
        return node.id in known or node.id in _FUNCTIONS
    if isinstance(node, ast.Lambda | ast.Helper):
        return False
    if isinstance(node, ast.LoopVariables):
        return True
    inside = own_expressions(node) if isinstance(node, ast.Statement) else parts(node)  # type: ignore[arg-type]
    return all(_is_apart(one, key, known) for one in inside)


def _asks_for(node: ast.Binary, key: str) -> bool:
    """Whether it is `key in self.d`."""
    return node.operator in ("in", "not in") and is_name(node.left, key) and _is_field(node.right)


def _is_field(node: ast.Expression) -> bool:
    """Whether it is `self.d`."""
    return isinstance(node, ast.Attribute) and is_self(node.value)
