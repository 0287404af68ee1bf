"""Where serial code yields first: a step of it ends there, and a thread waits (language page, 6.3).

A rule that starts an action runs to the first statement after which it yields. What follows is run by the interpreter,
from the thread that waits: each thread has values of its own.
"""

from __future__ import annotations

import ast as python
from typing import Any, Final, NamedTuple

from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.direct.direct_expressions import DirectExpressions
from interpreter.direct.forms import Unsupported, call, constant, name
from interpreter.direct.scopes import RuleScope

_QUIET: Final = (p.Pick, p.Nothing)
"""Statements after which nothing yields."""


class WaitingPlace(NamedTuple):
    """Where a thread waits: the number of the routine, those of the sequences that it is in with the statement that is
    next in each, and the names of the locals of the routine. `own`: that of a list to which nothing else refers."""

    routine: int
    places: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    own: str | None


class SerialCode:
    """The yields of one routine. `never_yields`: it has none, whatever its text says."""

    def __init__(self, names: RuleScope, never_yields: bool) -> None:
        self.names = names
        self.expressions = DirectExpressions(names)
        self._never_yields = never_yields
        self._certain = never_yields
        """Whether the step surely has an effect."""
        self._one_step = False
        """Whether serial code has no yield but at its end."""
        self._serial: set[int] = set()
        """The sequences in which it may yield, by `id`."""
        self._waiting: dict[int, tuple[tuple[int, int], ...]] = {}
        """By the `id` of a statement after which it may yield, the `places` of the thread then."""

    def _marked(self) -> list[python.stmt]:
        """Note the statements since the last mark as executed."""
        raise NotImplementedError

    def _flow(self, scope: p.Scope) -> Any:
        """The scope, if it is run without a yield, or to one outside of loops and of choices."""
        if isinstance(scope, p.ParallelBlock):
            raise Unsupported("a parallel block")
        never = self._never_yields or self._one_step or (isinstance(scope, p.Sequence) and not scope.instructions)
        if scope.flow != "atomic" and not never and id(scope) not in self._serial:
            raise Unsupported("a yield")
        return scope

    def _may_wait(self, scope: p.Scope, outer: tuple[tuple[int, int], ...] = ()) -> None:
        """Find the places where a thread may wait: after statements of serial sequences."""
        if not isinstance(scope, p.Sequence) or scope.flow != "serial":
            return
        self._serial.add(id(scope))
        for index, instruction in enumerate(scope.instructions):
            # The end of a sequence is passed without a statement: then it waits after what the sequence belongs to.
            if index + 1 < len(scope.instructions) and not isinstance(instruction, _QUIET):
                self._waiting[id(instruction)] = (*outer, (scope.number, index + 1))
            for inner in _sequences(instruction):
                self._may_wait(inner, (*outer, (scope.number, index)))

    def _yielded(self, instruction: p.Instruction) -> list[python.stmt]:
        """The path ends after this statement of serial code, if it has had an effect."""
        places = self._waiting.get(id(instruction))
        if places is None:
            return []
        made = self._marked()
        thread = self._parked(places, self._new_list(instruction))
        ended: list[python.stmt] = [self.names.finish(None, thread), python.Return(None)]
        return [*made, *(ended if self._certain else [python.If(name("E"), ended, [])])]

    def _new_list(self, instruction: p.Instruction) -> str | None:
        """The local to which a statement binds a list that is made there."""
        statement = instruction.statement if isinstance(instruction, p.Do) else None
        if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
            return None
        (target,), value = statement.targets, statement.value
        made = isinstance(value, ast.ListExpression) or (isinstance(value, ast.Comprehension) and value.kind == "list")
        return target.id if made and isinstance(target, ast.Name) and self.names.is_local(target) else None

    def _parked(self, places: tuple[tuple[int, int], ...], own: str | None) -> python.expr:
        """The thread that waits there, with the locals that have a value."""
        names = tuple(sorted(self.names.locals()))
        values: list[python.expr] = []
        for one in names:
            compiled = self.names.local(one)
            assert compiled is not None
            # What may be unbound is passed as it is, if it is a list of Python as well: no thread keeps one.
            bound = one in self.names.assigned
            values.append(self.expressions.whole(compiled) if bound else name(self.names.variable(one)))
        key = self.names.keep(WaitingPlace(self.names.routine.number, places, names, own))
        me = constant(None) if self.names.me is None else name(self.names.me)
        return call("park", name(key), me, *values)


def ends_path(statements: list[python.stmt]) -> bool:
    """Whether nothing follows statements."""
    return bool(statements) and isinstance(statements[-1], python.Return)


def _sequences(instruction: p.Instruction) -> tuple[p.Scope, ...]:
    """The blocks of a statement that are run once, at most, and without a choice."""
    if isinstance(instruction, p.Branch):
        return instruction.suites
    return (instruction.body,) if isinstance(instruction, p.Enter) else ()
