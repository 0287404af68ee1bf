"""`Code`: a program's instructions as Python callables. Caches are here, never in a state or in the program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fizz import Span
from fizz.base.light import dataclass
from interpreter.compile import program as p
from interpreter.compile.unbroken_routines import unbroken_routines
from interpreter.execute.comprehensions import bind_loop_variables
from interpreter.execute.costs import cost
from interpreter.execute.environment import Closure, Environment, Evaluator, located, plain_names
from interpreter.execute.expressions import compile_binder, compile_expression
from interpreter.execute.globals import Channels, ConstantWorld, make_globals
from interpreter.execute.helpers import compile_helper
from interpreter.execute.names import NameScope, Watch
from interpreter.state.domains import Domains
from interpreter.state.state import MISSING
from interpreter.values import Instance, truth
from interpreter.values.budget import METER
from interpreter.values.problem import ModelMistake

if TYPE_CHECKING:
    from interpreter.execute.decisions import Decisions
    from interpreter.execute.execution import Execution
    from interpreter.execute.frames import Frame, ScopeState
    from interpreter.execute.world import World

Operation = Callable[["Execution", "Frame"], bool]
Binder = Callable[[Environment, object], None]
Named = tuple[Sequence[int], Sequence[str], bool, int]
"""The alternatives of a choice: positions of distinct ones, their labels, whether these differ, the charge for them."""
_RECURSION: Final = 5_000
Compiled = tuple[Operation, Span, str | None, int]
"""An operation, its span, its label with the routine's name, its charge, and whether it is a choice."""


@dataclass(frozen=True, slots=True)
class RoleCode:
    """A role with its `def` methods, as evaluators that make them in an environment."""

    program: p.RoleProgram
    helpers: Mapping[str, Evaluator]


class Code:
    """All callables of one program. Operations are compiled when they are first needed.

    `watch` wraps the evaluator of each expression, to observe its values; `decisions` records those of statements.
    `met` collects the statements of turns that run apart.
    """

    def __init__(
        self,
        program: p.Program,
        watch: Watch | None = None,
        decisions: Decisions | None = None,
        met: set[Span] | None = None,
    ) -> None:
        self.program = program
        self.met = set() if met is None else met
        self.decisions = decisions
        self.budget = program.options.limits
        # Calls and values within the limits nest deeper than Python allows at first.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        self.next_states: Callable[[World], object] = _no_next_states
        """The result of `next_states()`: set by the machine, which computes steps."""
        self.domains = Domains(frozenset(role.name for role in program.roles if role.symmetric))
        self.channels = Channels()
        self.known = known = make_globals(program, self.domains, self.channels, watch)
        self.operations: list[dict[int, list[Compiled]]] = [{} for _ in program.routines]
        """By routine and block, the operations of the statements of the blocks that were executed so far."""
        self.names = [plain_names(routine.parameters) for routine in program.routines]
        """The names of the parameters of each routine, None if one has a star."""
        self.named: dict[tuple[str, Hashable], Named] = {}
        """The labels of alternatives, by their prefix and values."""
        self.marks_choices = False
        """Whether outcomes have a label for each choice made, among the others in order."""
        self.labels = 0
        """The number of labels in `named`."""
        self._unbroken: frozenset[int] | None = None
        self._conditions: dict[tuple[int, int], Callable[[Environment], bool]] = {}
        self._loop_binders: dict[tuple[int, int], Binder] = {}
        self._targets: dict[tuple[int, int, int], Binder | None] = {}
        self._defaults: dict[int, dict[str, Evaluator]] = {}
        self._parameters = {one.routine: frozenset(one.parameters) for one in program.assertions}
        self._host = Environment(known.constants, None, ConstantWorld(), None)
        host = NameScope(frozenset(), None, False, known)
        self.roles = {
            role.name: RoleCode(role, {h.name: compile_helper(h, host) for h in role.helpers}) for role in program.roles
        }

    def role_constant(self, role: str, name: str) -> object:
        """A constant of a role; MISSING if it has none of this name."""
        return self.known.constants.get(f"{role}.{name}", MISSING)

    def unbroken(self) -> frozenset[int]:
        """See `unbroken_routines`. Few models ask for it."""
        if self._unbroken is None:
            self._unbroken = unbroken_routines(self.program)
        return self._unbroken

    def scope(self, routine: p.Routine) -> NameScope:
        """The name scope of a routine's frames."""
        names = routine.bound | self._parameters.get(routine.number, frozenset())
        return NameScope(names, None, True, self.known)

    def condition(self, routine: p.Routine, loop: p.WhileLoop) -> Callable[[Environment], bool]:
        """The condition of a `while` header, charged."""
        key = (routine.number, loop.number)
        known = self._conditions.get(key)
        if known is None:
            evaluator, charged = compile_expression(loop.condition, self.scope(routine)), cost(loop.condition)

            def condition(env: Environment) -> bool:
                METER.count += charged
                value = evaluator(env)
                return value if value is True or value is False else truth(value)

            known = condition if self.decisions is None else self.decisions.header(loop, condition)
            self._conditions[key] = known
        return known

    def loop_binder(self, routine: p.Routine, loop: p.ForLoop) -> Binder:
        """Binds the variables of a `for` header: always locals."""
        key = (routine.number, loop.number)
        known = self._loop_binders.get(key)
        if known is None:
            known = self._loop_binders[key] = local_binder(loop.variables, loop.span)
        return known

    def call_target(self, routine: p.Routine, state: ScopeState) -> Binder | None:
        """The binder of the result of the call at the position of a scope; None if the result is dropped."""
        key = (routine.number, state.scope.number, state.index)
        try:
            return self._targets[key]
        except KeyError:
            known = self._targets[key] = self._call_target(routine, state)
            return known

    def _call_target(self, routine: p.Routine, state: ScopeState) -> Binder | None:
        scope = state.scope
        if not isinstance(scope, p.Sequence | p.OneOfBlock | p.ParallelBlock):
            return None
        instruction = scope.instructions[state.index]
        if not isinstance(instruction, p.CallOrDo):
            return None
        return binding_all([compile_binder(target, self.scope(routine)) for target in instruction.targets])

    def span_at(self, routine: p.Routine, state: ScopeState) -> Span:
        """The span of the statement at the position of a scope."""
        scope = state.scope
        if isinstance(scope, p.ForLoop | p.WhileLoop):
            return scope.span
        assert isinstance(scope, p.Sequence | p.OneOfBlock | p.ParallelBlock)
        if 0 <= state.index < len(scope.instructions):
            return scope.instructions[state.index].span
        return scope.instructions[0].span if scope.instructions else routine.span

    def default(self, routine: p.Routine, name: str) -> Evaluator:
        """The evaluator of a parameter's default, in the callee's scope."""
        if routine.number not in self._defaults:
            scope = self.scope(routine)
            self._defaults[routine.number] = {
                q.name: compile_expression(q.default, scope) for q in routine.parameters if q.default is not None
            }
        return self._defaults[routine.number][name]

    def method(self, instance: Instance, name: str) -> Closure:
        """A `def` method bound to an instance."""
        closure = self.roles[instance.role].helpers[name](self._host)
        return Closure(
            name, closure.parameters, closure.defaults, closure.body, closure.environment, 0, closure.names, instance
        )


def binding_all(binders: list[Binder]) -> Binder | None:
    """Binds all targets of an assignment to one value; None if there are none."""
    if len(binders) < 2:
        return binders[0] if binders else None

    def bind(env: Environment, value: object) -> None:
        for binder in binders:
            binder(env, value)

    return bind


def _no_next_states(world: World) -> object:
    raise ModelMistake("L30", "next_states() is only available in assertions")


def local_binder(variables: Any, span: Span) -> Binder:
    """Binds loop or choice variables as locals of the frame."""

    def bind(env: Environment, item: object) -> None:
        try:
            bind_loop_variables(variables, env.locals, item)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return bind
