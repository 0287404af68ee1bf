"""Compiles instructions to operations: the effects of statements in a step (language page, 6.4 and 6.6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from collections.abc import Sequence as Seq
from functools import cache, partial
from typing import TYPE_CHECKING, Final, assert_never

from fizz import Span
from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.statements import chooses
from interpreter.execute.code import Code, Compiled, Operation, binding_all, local_binder
from interpreter.execute.comprehensions import Filtered, calls_only_builtins, filtered, kept_of
from interpreter.execute.costs import cost, instruction_cost
from interpreter.execute.environment import Evaluator, bind_arguments, located
from interpreter.execute.expressions import (
    attribute_of,
    call_value,
    compile_arguments,
    compile_binder,
    compile_expression,
)
from interpreter.execute.frames import Frame, ScopeState, enter
from interpreter.execute.helpers import compile_effect
from interpreter.execute.loop_turns import folded_loop
from interpreter.execute.names import NameScope
from interpreter.execute.world import Message
from interpreter.execute.writing_loops import WritingLoop
from interpreter.library import operations
from interpreter.state.step import NO_CHOICE, NONE_ADMITTED, NOT_HELD, Abort, ModelError
from interpreter.values import Instance, SetValue, Stub, truth
from interpreter.values.budget import METER
from interpreter.values.folding import RETURNS
from interpreter.values.problem import ModelMistake

if TYPE_CHECKING:
    from interpreter.execute.execution import Execution

_MESSAGE: Final = 4
"""The elements charged for a message besides its arguments."""


def compile_block(code: Code, routine: p.Routine, block: p.Scope) -> list[Compiled]:
    """Compiles the statements of a block and adds their operations to `code.operations`."""
    assert isinstance(block, p.Sequence | p.OneOfBlock | p.ParallelBlock)
    scope = code.scope(routine)

    def operation(index: int, instruction: p.Instruction) -> Operation:
        made = _compile_instruction(code, routine, block, index, scope)
        return made if code.decisions is None else code.decisions.watched(instruction, made)

    found = code.operations[routine.number][block.number] = [
        (
            operation(index, instruction),
            instruction.span,
            None if instruction.label is None else f"{routine.name}.{instruction.label}",
            instruction_cost(instruction),
        )
        for index, instruction in enumerate(block.instructions)
    ]
    return found


def _compile_instruction(
    code: Code, routine: p.Routine, block: p.Sequence | p.OneOfBlock | p.ParallelBlock, index: int, scope: NameScope
) -> Operation:
    """The operation of the instruction at an index of `block`."""
    instruction = block.instructions[index]
    match instruction:
        case p.Do():
            return _do(instruction, scope)
        case p.CallOrDo():
            return _Calls(code, routine, block, instruction, scope).operation
        case p.Nothing():
            return _nothing
        case p.Guard():
            return _guard(instruction, scope, _is_last_guard(block, index))
        case p.Pick():
            return _pick(instruction, scope)
        case p.PickBlock():
            return _pick_block(instruction, scope)
        case p.Leave():
            return _leave(instruction, scope)
        case p.LeaveLoop():
            return lambda run, frame: run.leave_loop()
        case p.NextIteration():
            return lambda run, frame: run.next_iteration()
        case p.Branch():
            return _branch(instruction, scope)
        case p.Enter():
            return _entering(instruction.body)
        case p.Loop(body=loop):
            return _for(code, routine, loop, scope) if isinstance(loop, p.ForLoop) else _while(loop)
        case _:
            assert_never(instruction)


def _do(instruction: p.Do, scope: NameScope) -> Operation:
    effect = compile_effect(instruction.statement, scope)

    def operation(run: Execution, frame: Frame) -> bool:
        created = len(frame.world.created)
        effect(frame)
        return _done(run, frame, created)

    return operation


def _done(run: Execution, frame: Frame, created: int) -> bool:
    """Called after an assignment or expression is evaluated; `created` instances existed before."""
    run.enabled = True
    if len(frame.world.created) > created and run.construct(created):
        return False
    return run.finish()


def _nothing(run: Execution, frame: Frame) -> bool:
    run.enabled = True
    return run.quietly()


def _is_last_guard(block: p.Sequence | p.OneOfBlock | p.ParallelBlock, index: int) -> bool:
    """Whether a guard is followed by a statement that is neither a guard nor a choice."""
    following = block.instructions[index + 1 : index + 2] if isinstance(block, p.Sequence) else ()
    return any(not isinstance(one, p.Guard) and not chooses(one) for one in following)


def _guard(instruction: p.Guard, scope: NameScope, last: bool) -> Operation:
    condition, span = compile_expression(instruction.condition, scope), instruction.span

    def operation(run: Execution, frame: Frame) -> bool:
        if not truth(condition(frame)):
            raise Abort(NOT_HELD, span)
        yields = run.finish()
        if last and not yields and len(run.frames) == 1:
            run.choice_made()
        return yields

    return operation


def elements(values: object, span: Span) -> Seq[object]:
    """The present elements of a choice or loop."""
    try:
        return operations.iterated(values)
    except ModelMistake as problem:
        raise located(problem, span) from None


def _by_element(
    node: ast.Expression | None, some: Filtered | None, iterable: Evaluator, word: str
) -> Callable[[Execution, Frame], Seq[object] | None]:
    """Lets the observer choose among the elements of a set, or among some of them; see `Observer.alternatives`."""
    # To evaluate it twice has no effect.
    simple = isinstance(node, ast.Name | ast.Attribute)

    def choose(run: Execution, frame: Frame) -> Seq[object] | None:
        if run.observer is None:
            return None
        if some is not None:
            found = some.of(frame)
            return None if found is None else run.observer.alternatives(run, found[0], word, found[1])
        return run.observer.alternatives(run, iterable(frame), word) if simple else None

    return choose


def _among(instruction: p.Pick, scope: NameScope) -> ast.Expression | None:
    """What a choice is among, as an expression; None if its condition uses more than a new local variable."""
    node, condition, target = instruction.iterable, instruction.condition, instruction.target
    if condition is None:
        return node
    if not isinstance(target, ast.Name) or (scope.sees_state and target.id in scope.known.state_variables):
        return None
    loop = ast.ComprehensionFor(node.span, ast.LoopVariables(target.span, (target.id,), False), node)
    return ast.Comprehension(node.span, "list", None, target, (loop, ast.ComprehensionIf(node.span, condition)))


def _one_of(
    instruction: p.Pick, among: ast.Expression | None, some: Filtered | None, scope: NameScope, word: str
) -> Callable[[Execution, Frame], Seq[object] | None] | None:
    """Lets the observer choose among those of some values that a condition admits; see `Observer.one_admitted`."""
    offered = None if among is None else kept_of(among)
    # They may be found twice.
    if some is None or offered is None or not calls_only_builtins((offered,), scope):
        return None
    values = compile_expression(offered, scope)

    def choose(run: Execution, frame: Frame) -> Seq[object] | None:
        observer = run.observer
        assert observer is not None and some is not None
        if not observer.has_paths_for_values(run):
            return None
        admits, depth = some.filter(frame), METER.depth
        try:
            found = values(frame)
            given = operations.iterated(found)
        except (ModelMistake, ModelError):
            # It fails again as it is written.
            METER.depth = depth
            return None
        # A comprehension goes through a set in another order than a choice does.
        if admits is None or (instruction.condition is None and isinstance(found, SetValue)):
            return None
        return observer.one_admitted(run, given, word, admits)

    return choose


def _pick(instruction: p.Pick, scope: NameScope) -> Operation:
    iterable, span = compile_expression(instruction.iterable, scope), instruction.span
    condition = None if instruction.condition is None else compile_expression(instruction.condition, scope)
    bind = compile_binder(instruction.target, scope)
    charged = 1 + cost(instruction.target, instruction.condition)

    def admitted(condition: Evaluator, frame: Frame, item: object) -> bool:
        METER.count += charged
        bind(frame, item)
        return truth(condition(frame))

    word = f"Any:{instruction.text}="
    among = _among(instruction, scope)
    some = None if among is None else filtered(among, scope, compile_expression)
    by_element = _by_element(among, some, iterable, word)
    one_of = _one_of(instruction, among, some, scope, word)

    def operation(run: Execution, frame: Frame) -> bool:
        run.only_in_steps("a choice", span)
        chosen = by_element(run, frame)
        if chosen is None and run.observer is not None and one_of is not None:
            chosen = one_of(run, frame)
            if chosen is not None and not chosen:
                raise Abort(NONE_ADMITTED, span)
        alternatives = elements(iterable(frame), instruction.iterable.span) if chosen is None else chosen
        if condition is not None and chosen is None:
            alternatives = [item for item in alternatives if admitted(condition, frame, item)]
        if not alternatives:
            raise Abort(NO_CHOICE, span)

        def taken(value: object) -> bool:
            bind(frame, value)
            if instruction.fair:
                run.choose_fairly(span, frame, value, alternatives)
            run.enabled = True
            yields = run.quietly()
            if not yields:
                run.choice_made()
            return yields

        return run.pick_and(alternatives, word, taken) if chosen is None else taken(chosen[0])

    return operation


def _pick_block(instruction: p.PickBlock, scope: NameScope) -> Operation:
    iterable, span = compile_expression(instruction.iterable, scope), instruction.span
    bind = local_binder(instruction.variables, span)
    word = f"Any:{', '.join(instruction.variables.names)}="
    some = filtered(instruction.iterable, scope, compile_expression)
    by_element = _by_element(instruction.iterable, some, iterable, word)

    def operation(run: Execution, frame: Frame) -> bool:
        run.only_in_steps("a choice", span)
        chosen = by_element(run, frame)
        alternatives = elements(iterable(frame), instruction.iterable.span) if chosen is None else chosen
        if not alternatives:
            return run.finish()

        def taken(value: object) -> bool:
            bind(frame, value)
            if instruction.fair:
                run.choose_fairly(span, frame, value, alternatives)
            frame.scopes.append(enter(instruction.body))
            run.choice_made()
            return False

        return run.pick_and(alternatives, word, taken) if chosen is None else taken(chosen[0])

    return operation


def _leave(instruction: p.Leave, scope: NameScope) -> Operation:
    if instruction.value is None:
        return lambda run, frame: run.function_done(None)
    value = compile_expression(instruction.value, scope)
    return lambda run, frame: run.leave(value(frame))


def _branch(instruction: p.Branch, scope: NameScope) -> Operation:
    conditions = [compile_expression(condition, scope) for condition in instruction.conditions]
    suites = instruction.suites
    orelse = suites[len(conditions)] if len(suites) > len(conditions) else None
    # The first one is charged with the move.
    costs = [0, *[cost(condition) for condition in instruction.conditions[1:]]]

    def operation(run: Execution, frame: Frame) -> bool:
        for condition, suite, charged in zip(conditions, suites, costs, strict=False):
            METER.count += charged
            if truth(condition(frame)):
                frame.scopes.append(enter(suite))
                return False
        if orelse is None:
            return run.finish()
        frame.scopes.append(enter(orelse))
        return False

    return operation


def _entering(scope: p.Scope) -> Operation:
    def operation(run: Execution, frame: Frame) -> bool:
        frame.scopes.append(enter(scope))
        return False

    return operation


def _while(loop: p.WhileLoop) -> Operation:
    def operation(run: Execution, frame: Frame) -> bool:
        frame.scopes.append(ScopeState(loop, begun=() if run.headers is None else run.chosen))
        return False

    return operation


def _for(code: Code, routine: p.Routine, loop: p.ForLoop, scope: NameScope) -> Operation:
    iterable, span = compile_expression(loop.iterable, scope), loop.iterable.span
    # Where decisions are recorded, those of all turns are.
    folded = None if code.decisions is not None else folded_loop(loop, routine, scope, code.unbroken)
    writing = None if code.decisions is not None else WritingLoop(code, loop, routine, scope)
    asserts = routine.kind == "assertion"

    def operation(run: Execution, frame: Frame) -> bool:
        values = iterable(frame)
        end = (
            None if folded is None else folded.ask(values, frame, partial(run.turn_alone, loop), asserts or run.enabled)
        )
        if end is not None:
            run.enabled = run.enabled or end.enabled
            return run.leave(end.value) if end.how == RETURNS else run.finish()
        if writing is not None and writing.take(values, run, frame):
            return run.finish()
        rest = elements(values, span)
        if run.observer is not None:
            yields = run.observer.take_turn(run, loop, rest)
            if yields is not None:
                return yields
        frame.scopes.append(ScopeState(loop, rest=deque(rest)))
        return False

    return operation


@cache
def _called(name: str) -> str:
    """The label of a call."""
    return f"{name}.call"


class _Calls:
    """A statement of the shape of a fizz call; whether it is one may depend on the receiver's value."""

    def __init__(
        self, code: Code, routine: p.Routine, block: p.Scope, instruction: p.CallOrDo, scope: NameScope
    ) -> None:
        self.code = code
        self.routine = routine
        self.block = block
        self.instruction = instruction
        self.span = instruction.call.span
        self.arguments = compile_arguments(instruction.call.arguments, scope)
        self.bind = binding_all([compile_binder(target, scope) for target in instruction.targets])
        function = instruction.call.function
        if instruction.routine is None:
            assert isinstance(function, ast.Attribute)
            self.receiver: Evaluator = compile_expression(function.value, scope)
            self.name = function.name

    def operation(self, run: Execution, frame: Frame) -> bool:
        if self.instruction.routine is not None:
            return self._fizz_call(run, frame, self.code.program.routines[self.instruction.routine], None)
        receiver = self.receiver(frame)
        if isinstance(receiver, Instance):
            number = self.code.roles[receiver.role].program.functions.get(self.name)
            if number is not None:
                return self._fizz_call(run, frame, self.code.program.routines[number], receiver)
        if isinstance(receiver, Stub):
            return self._send(run, frame, receiver)
        return self._plain_call(run, frame, receiver)

    def _plain_call(self, run: Execution, frame: Frame, receiver: object) -> bool:
        created = len(frame.world.created)
        try:
            callee = attribute_of(receiver, self.name, frame)
        except ModelMistake as problem:
            raise located(problem, self.instruction.call.function.span) from None
        args, kwargs = self.arguments(frame)
        value = call_value(callee, args, kwargs, self.span)
        if self.bind is not None:
            self.bind(frame, value)
        return _done(run, frame, created)

    def _fizz_call(self, run: Execution, frame: Frame, callee: p.Routine, receiver: Instance | None) -> bool:
        if frame.instance is None and self.block.flow != "atomic" and run.yields:
            raise ModelError(
                "L25",
                f"call of func '{callee.name}' in serial code outside a role",
                self.span,
                "make the action atomic, or move it into a role",
            )
        args, kwargs = self.arguments(frame)
        run.labels.append(_called(callee.name))
        run.call(callee, receiver, self._bound(run, callee, receiver, args, kwargs))
        return False

    def _send(self, run: Execution, frame: Frame, stub: Stub) -> bool:
        """Queue a message for the stub's instance (language page, 8.4)."""
        run.only_in_steps("a message", self.span)
        number = self.code.roles[stub.instance.role].program.functions.get(self.name)
        if number is None:
            raise ModelError("R12", f"there is no func '{self.name}' on role {stub.instance.role}", self.span)
        if self.bind is not None:
            hint = "let the receiver answer by a message"
            raise ModelError("R4", "a message has no result to assign", self.span, hint)
        args, kwargs = self.arguments(frame)
        callee = self.code.program.routines[number]
        variables = self._bound(run, callee, stub.instance, args, kwargs)
        METER.make(_MESSAGE + len(variables))
        run.world.sent.append(Message(stub.channel, stub.instance, self.name, variables))
        run.enabled = True
        return run.finish()

    def _bound(
        self,
        run: Execution,
        callee: p.Routine,
        receiver: Instance | None,
        args: list[object],
        kwargs: dict[str, object],
    ) -> dict[str, object]:
        """The arguments of a call by name; defaults are evaluated in the callee's scope."""
        names = self.code.names[callee.number]
        if names is not None and len(args) == len(names) and not kwargs:
            return dict(zip(names, args, strict=True))
        try:
            variables, missing = bind_arguments(callee.name, callee.parameters, args, kwargs)
        except ModelMistake as problem:
            raise located(problem, self.span) from None
        if missing:
            inner = Frame(callee, receiver, variables, run.world)
            for parameter in missing:
                inner.locals[parameter.name] = self.code.default(callee, parameter.name)(inner)
        return variables
