"""`Calls`: which statements of a program call which of its funcs."""

from __future__ import annotations

from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.containers_written import lists_of_containers
from interpreter.direct.forms import Unsupported
from interpreter.direct.name_lookup import Origin
from interpreter.direct.node_operations import PURE_METHODS
from interpreter.direct.paths_written import Path, containers_changed
from interpreter.direct.rule_text import CHANGES, changed_in_place, changed_within, fields_written, is_one_step
from interpreter.direct.second_names import with_places

_CHOICES: Final = (p.OneOfBlock, p.ParallelBlock)


class Calls:
    """Which statements call which funcs of the model: as far as the text says."""

    def __init__(self, program: p.Program) -> None:
        self.program = program
        self._by_name: dict[str, list[int]] = {}
        for role in program.roles:
            for function, number in role.functions.items():
                self._by_name.setdefault(function, []).append(number)
        self._chooses: dict[int, bool] = {}
        self._routines: dict[int, p.Routine] = {}
        self._lists: dict[int, frozenset[str]] | None = None

    def routine(self, number: int) -> p.Routine:
        """A routine, in the form in which it is compiled."""
        known = self._routines.get(number)
        if known is None:
            if self._lists is None:
                self._lists = lists_of_containers(self.program)
            variables = frozenset(self.program.state_variables)
            known = self.program.routines[number]
            # A thread of an action waits at a statement, by its number, with the names that it has.
            if known.kind != "action" or known.body.flow == "atomic" or is_one_step(known.body):
                known = with_places(known, self._lists[known.number], variables, self._calls_others(known))
            self._routines[number] = known
        return known

    def _calls_others(self, routine: p.Routine) -> bool:
        """Whether a routine calls another one."""
        return any(self._called(one, routine.role) is not None for one in instructions(routine.body))

    def callee(self, instruction: p.Instruction, role: str | None) -> p.Routine | None:
        """The func that an instruction calls, in code of this role; None if it calls none."""
        number = self._called(instruction, role)
        return None if number is None else self.routine(number)

    def _called(self, instruction: p.Instruction, role: str | None) -> int | None:
        """Its number."""
        if not isinstance(instruction, p.CallOrDo):
            return None
        if instruction.routine is not None:
            return instruction.routine
        function = instruction.call.function
        assert isinstance(function, ast.Attribute)
        if is_self(function.value):
            return None if role is None else self.program.role(role).functions.get(function.name)
        known = self._by_name.get(function.name, [])
        if not known:
            return None
        if function.name in CHANGES or function.name in PURE_METHODS:
            return None  # a method of a container: of an instance it is left to the interpreter
        if len(known) > 1:
            raise Unsupported("a call of one of several funcs")
        return known[0]

    def all_of(self, routine: p.Routine) -> dict[int, tuple[p.Routine, bool]]:
        """A routine and the funcs that it may call, also through others; whether only for its own `self`."""
        found: dict[int, tuple[p.Routine, bool]] = {}
        waiting = [(routine, True)]
        while waiting:
            one, own = waiting.pop()
            known = found.get(one.number)
            if known is not None and (own or not known[1]):
                continue
            found[one.number] = (one, own)
            for instruction in instructions(one.body):
                callee = self.callee(instruction, one.role)
                if callee is not None:
                    assert isinstance(instruction, p.CallOrDo)
                    function = instruction.call.function
                    same = isinstance(function, ast.Attribute) and is_self(function.value)
                    waiting.append((callee, own and same))
        return found

    def chooses(self, routine: p.Routine) -> bool:
        """Whether a choice is in a routine or in a func that it calls."""
        known = self._chooses.get(routine.number)
        if known is None:
            known = self._chooses[routine.number] = any(
                isinstance(each.body, _CHOICES) or any(map(_is_choice, instructions(each.body)))
                for each, _ in self.all_of(routine).values()
            )
        return known

    def written(self, routine: p.Routine) -> set[str]:
        """The fields that a routine may write other than those of the `self` of the rule."""
        return set[str]().union(*[fields_written(one, own) for one, own in self.all_of(routine).values()])

    def in_place(self, routine: p.Routine) -> set[str]:
        """The roots of what a routine may change in place; see `roots_of`."""
        return set[str]().union(*[changed_in_place(one) for one, _ in self.all_of(routine).values()])

    def containers_changed(self, routine: p.Routine) -> list[Path | None]:
        """The paths of containers that a routine changes in place; None for those that are not known."""
        found: list[Path | None] = []
        for one, _ in self.all_of(routine).values():
            paths = [path for instruction in instructions(one.body) for path in containers_changed(instruction)]
            given = {parameter.name for parameter in one.parameters}
            found += [None if path is None or (path[0] in given and one is not routine) else path for path in paths]
        return found

    def changed(self, routine: p.Routine) -> Origin:
        """The origin of what a routine may change in place."""
        within = set[str]().union(*[changed_within(one) for one, _ in self.all_of(routine).values()])
        roots = frozenset(self.in_place(routine))
        return Origin(roots, roots - within)


def _is_choice(instruction: p.Instruction) -> bool:
    if isinstance(instruction, p.Enter):
        return isinstance(instruction.body, _CHOICES)
    return isinstance(instruction, p.Pick | p.PickBlock)
