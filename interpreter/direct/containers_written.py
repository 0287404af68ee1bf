"""Which variables and fields hold lists of containers, as far as the text of a model says."""

from __future__ import annotations

from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import all_statements, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, written

_MAKERS: Final = frozenset({"record", "dict", "list", "set"})
_APART: Final = " "
"""Between the number of a routine and the name of its local."""


def lists_of_containers(program: p.Program) -> dict[int, frozenset[str]]:
    """By number of a routine, the names in it of variables, and of fields as `.name`, to which any routine assigns a
    list or dict whose members are written as lists, dicts or records, or come from such a list; or adds such a member.
    Other members, as instances of roles, are changed in another way."""
    found = _Found(program)
    while found.look():
        pass
    everywhere = frozenset(one for one in found.lists if _APART not in one)
    locals_of: dict[int, set[str]] = {routine.number: set() for routine in program.routines}
    for one in found.lists - everywhere:
        number, _, identifier = one.partition(_APART)
        locals_of[int(number)].add(identifier)
    return {number: everywhere | names for number, names in locals_of.items()}


class _Found:
    """The names of `containers`, and of `lists` of containers. Those of locals are names in one routine only."""

    def __init__(self, program: p.Program) -> None:
        self.lists: set[str] = set()
        self._containers: set[str] = set()
        self._program = program
        self._variables = frozenset(program.state_variables)
        self._makers = set[str]()
        helpers = [one for one in program.constants if isinstance(one, ast.Helper)]
        self._routine = 0
        self._makers = {one.name for one in helpers if self._makes_containers(one)}

    def look(self) -> bool:
        """Look at all routines, given what is known so far; whether anything is new."""
        before = len(self.lists), len(self._containers)
        for routine in self._program.routines:
            self._routine = routine.number
            for instruction in instructions(routine.body):
                self._look_at(instruction)
        return (len(self.lists), len(self._containers)) != before

    def _look_at(self, instruction: p.Instruction) -> None:
        if isinstance(instruction, p.Do) and isinstance(instruction.statement, ast.Assign):
            self._bind(instruction.statement.targets, instruction.statement.value)
        elif isinstance(instruction, p.CallOrDo):
            self._bind(instruction.targets, instruction.call)
        for part in written(instruction):
            for node in nodes_in(part):
                self._append(node)

    def _bind(self, targets: tuple[ast.Expression, ...], value: ast.Expression) -> None:
        for target in targets:
            if isinstance(target, ast.Index) and self._is_container(value):
                self._add(self.lists, target.value)
            elif self._has_containers(value):
                self._add(self.lists, target)
            elif self._is_container(value):
                self._add(self._containers, target)

    def _append(self, node: ast.Node) -> None:
        """Note the list to which a call appends a container."""
        match node:
            case ast.Call(function=ast.Attribute(value=owner, name="append"), arguments=(argument,)):
                if self._is_container(argument.value):
                    self._add(self.lists, owner)

    def _add(self, names: set[str], node: ast.Expression) -> None:
        named = self._named(node)
        if named is not None:
            names.add(named)

    def _named(self, node: ast.Expression) -> str | None:
        if isinstance(node, ast.Name):
            return node.id if node.id in self._variables else f"{self._routine}{_APART}{node.id}"
        return f".{node.name}" if isinstance(node, ast.Attribute) else None

    def _has_containers(self, value: ast.Expression) -> bool:
        """Whether an expression is a list or dict with members that are containers."""
        match value:
            case ast.ListExpression(items=items):
                return any(map(self._is_container, items))
            case ast.DictExpression(pairs=pairs):
                return any(self._is_container(one) for _, one in pairs)
            case ast.Comprehension(kind="list" | "dict", element=element):
                return self._is_container(element)
            case ast.Binary(operator="+" | "*", left=left, right=right):
                return self._has_containers(left) or self._has_containers(right)
        return False

    def _is_container(self, value: ast.Expression) -> bool:
        """Whether an expression is written as a container that can be changed, or comes from a list of these."""
        match value:
            case ast.Call(function=ast.Name(id=called)):
                return called in _MAKERS or called in self._makers
            case ast.Call(function=ast.Attribute(value=owner, name="pop")) | ast.Index(value=owner):
                return self._named(owner) in self.lists
            case ast.Name() | ast.Attribute():
                return self._named(value) in self._containers
            case ast.Binary(left=left):
                return self._is_container(left)
        return isinstance(value, ast.ListExpression | ast.DictExpression | ast.Comprehension)

    def _makes_containers(self, source: ast.Helper) -> bool:
        """Whether a `def` returns what is written as one."""
        returned = (one.value for one in all_statements(source.body) if isinstance(one, ast.Return))
        return any(value is not None and self._is_container(value) for value in returned)
