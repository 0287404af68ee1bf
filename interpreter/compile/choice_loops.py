"""Loops of choices: `while`s that one step may repeat after a choice (language page, 6.3).

Only in these can an execution path reach a loop header in a configuration where an earlier path has been, and only the
paths of routines that may enter such a loop are followed together. The analysis is an over-approximation: it finds all
of these loops, and perhaps others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, assert_never

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions

Came = frozenset[bool]
"""How paths reach a statement: after a choice (True), without one (False); empty: it is not reached."""

NEVER: Final[Came] = frozenset()
CHOSEN: Final[Came] = frozenset([True])
AT_FIRST: Final[Came] = frozenset([False])


def find_choice_loops(
    routines: tuple[p.Routine, ...], init: int | None, roles: tuple[p.RoleProgram, ...], host_code: Iterable[object]
) -> p.ChoiceLoops:
    """The loops of choices of a program. `host_code`: constants and helpers, which may pass a role on as a value."""
    return _Search(routines, init, roles, host_code).found()


class _Search:
    def __init__(
        self,
        routines: tuple[p.Routine, ...],
        init: int | None,
        roles: tuple[p.RoleProgram, ...],
        host_code: Iterable[object],
    ) -> None:
        self.routines = routines
        self.init = init
        self.functions: defaultdict[str, set[int]] = defaultdict(set)
        for role in roles:
            for name, number in role.functions.items():
                self.functions[name].add(number)
        self.inits = {role.name: role.init for role in roles if role.init is not None}
        parts = host_code if roles else ()
        mentioned = {node.id for part in parts for node in nodes_in(part) if isinstance(node, ast.Name)}
        self.loose = {role.name for role in roles if role.params is None or role.name in mentioned}
        self.calls = {routine.number: self._called(routine) for routine in routines}

    def found(self) -> p.ChoiceLoops:
        begun = frozenset() if self.init is None else self._reached(self.init)
        loops = frozenset(
            (routine.number, scope.number)
            for routine in self.routines
            if routine.kind != "assertion"
            for scope in routine.scopes
            if isinstance(scope, p.WhileLoop)
            # Nothing yields in Init.
            and _Paths(self, scope.flow == "serial" and routine.number not in begun).turn(scope)
        )
        within = {routine for routine, _ in loops}
        return p.ChoiceLoops(loops, frozenset(r.number for r in self.routines if self._reached(r.number) & within))

    def _reached(self, routine: int) -> frozenset[int]:
        """The routine, and all routines that it may call."""
        reached: set[int] = set()
        waiting = {routine}
        while waiting:
            one = waiting.pop()
            reached.add(one)
            waiting |= self.calls[one] - reached
        return frozenset(reached)

    def _called(self, routine: p.Routine) -> frozenset[int]:
        return frozenset().union(*map(self.callees, instructions(routine.body)))

    def callees(self, instruction: p.Instruction) -> frozenset[int]:
        """The routines that may run within an instruction: funcs, and Inits of roles that it constructs."""
        found: set[int] = set()
        parts: tuple[object, ...]
        match instruction:
            case p.CallOrDo():
                parts = (instruction.targets, instruction.call)
                if instruction.routine is not None:
                    found.add(instruction.routine)
                elif isinstance(instruction.call.function, ast.Attribute):
                    found |= self.functions.get(instruction.call.function.name, set())
            case p.Do():
                parts = (instruction.statement,)
            case (
                p.Nothing() | p.Guard() | p.Pick() | p.PickBlock() | p.Leave() | p.LeaveLoop() | p.NextIteration()
                | p.Branch() | p.Enter() | p.Loop()
            ):  # fmt: skip
                return frozenset()
            case _:
                assert_never(instruction)
        if not self.inits and not self.loose:
            return frozenset(found)
        nodes = [node for part in parts for node in nodes_in(part)]
        made = {node.id for node in nodes if isinstance(node, ast.Name)}
        if any(isinstance(node, ast.Call) for node in nodes):
            made |= self.loose
        return frozenset(found | {self.inits[name] for name in made & self.inits.keys()})


class _Paths:
    """Follows paths from one iteration of a loop to the next, and those that begin at a yield point in between.

    `serial`: the loop yields at the end of an iteration if an enabling statement was executed.
    """

    def __init__(self, search: _Search, serial: bool) -> None:
        self.search = search
        self.serial = serial
        self._breaks: Came = NEVER
        self._continues: Came = NEVER
        self._returns: Came = NEVER
        self._known: dict[tuple[int, Came], Came] = {}

    def turn(self, loop: p.WhileLoop) -> bool:
        """Whether a path may reach the loop's header again after a choice."""
        return True in self._sequence(loop.body.instructions, AT_FIRST) | self._continues

    def _scope(self, scope: p.Block, came: Came) -> Came:
        """How paths reach the end of a block that they enter like this."""
        if not came:
            return NEVER
        match scope:
            case p.OneOfBlock():
                return NEVER.union(*(self._instruction(one, CHOSEN) for one in scope.instructions))
            case p.ParallelBlock():
                return self._sequence(scope.instructions, CHOSEN)
            case p.Sequence():
                return self._sequence(scope.instructions, came)
            case _:
                assert_never(scope)

    def _sequence(self, instructions: tuple[p.Instruction, ...], came: Came) -> Came:
        for instruction in instructions:
            if came:
                came = self._instruction(instruction, came)
        return came

    def _instruction(self, one: p.Instruction, came: Came) -> Came:
        match one:
            case p.Do():
                return self._enabled(came | self._called(one, came))
            case p.CallOrDo():
                after = self._called(one, came)
                if one.routine is None:
                    # It may not be a call of a func.
                    after |= self._enabled(came)
                return self._enabled(after) if one.targets else after
            case p.Nothing():
                return self._enabled(came)
            case p.Pick():
                return self._enabled(CHOSEN)
            case p.Guard():
                return came
            case p.Leave():
                self._returns |= came
                return NEVER
            case p.LeaveLoop():
                self._breaks |= came
                return NEVER
            case p.NextIteration():
                self._continues |= came
                return NEVER
            case p.Branch():
                passed = came if len(one.suites) == len(one.conditions) else NEVER
                return passed.union(*(self._scope(suite, came) for suite in one.suites))
            case p.Enter():
                return self._scope(one.body, came)
            case p.PickBlock():
                return came | self._scope(one.body, CHOSEN)
            case p.Loop():
                return self._loop(one.body, came)
            case _:
                assert_never(one)

    def _enabled(self, came: Came) -> Came:
        """After an enabling statement: in a serial loop a new step begins before the end of the iteration."""
        return AT_FIRST if came and self.serial else came

    def _loop(self, loop: p.ForLoop | p.WhileLoop, came: Came) -> Came:
        """A nested loop: how paths leave it after any number of iterations."""
        around = self._breaks, self._continues
        self._breaks = self._continues = NEVER
        at_header: Came = NEVER
        while not came <= at_header:
            at_header |= came
            parallel = isinstance(loop, p.ForLoop) and loop.parallel
            came = self._scope(loop.body, CHOSEN if parallel else at_header) | self._continues
        after = at_header | self._breaks
        self._breaks, self._continues = around
        return after

    def _called(self, instruction: p.Instruction, came: Came) -> Came:
        """A statement that may call routines: how paths leave it, whichever it calls."""
        return NEVER.union(*(self._routine(number, came) for number in self.search.callees(instruction)))

    def _routine(self, number: int, came: Came) -> Came:
        known = self._known.get((number, came))
        if known is not None:
            return known
        # A recursive call may return after a choice or without one.
        self._known[number, came] = came | CHOSEN
        around = self._breaks, self._continues, self._returns
        self._breaks = self._continues = self._returns = NEVER
        body = self.search.routines[number].body
        assert not isinstance(body, p.ForLoop | p.WhileLoop)
        after = self._scope(body, came) | self._returns
        self._breaks, self._continues, self._returns = around
        self._known[number, came] = after
        return after
