"""Why an assertion is false: the line that said so, and the values of the expressions that decided it.

The assertion is evaluated once more on the state of the violation, this time watched. From the value that it returned
the way goes back to what decided: of `a and b` the part that was false, of `all(...)` the element that was, of a local
name what it was assigned, of `return False` the conditions around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fizz import Span, ast
from interpreter import program as p
from interpreter.machine import Machine
from interpreter.problem import Problem
from interpreter.running.assertions import StateStruct, assertion_frame, evaluate_assertion, next_states
from interpreter.running.code import Code
from interpreter.running.environment import Closure
from interpreter.running.evaluations import Evaluation, Watcher
from interpreter.running.execute import Execution
from interpreter.running.view import PairView, Recorder
from interpreter.running.world import World
from interpreter.state import State
from interpreter.step import ModelError, Rule
from interpreter.values import FunctionValue, truth
from interpreter.values.freeze import display

_MOST_FACTS = 12
_MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class Fact:
    """An expression of the model, where it stands, and the display text of its value."""

    place: Span
    value: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """`line`: the statement that returned the verdict. `facts`: what decided, the most telling first."""

    line: Span
    facts: tuple[Fact, ...]


def explain(machine: Machine, assertion: int, state: State, before: State | None = None) -> Explanation | None:
    """Why an assertion is false in a state, or for the step to it from `before`; None if it is not, or fails."""
    for rule in machine.assertion_rules(assertion, state):
        found = _Explainer(machine, rule).explain(state, before)
        if found is not None:
            return found
    return None


class _Explainer:
    """Explains what one rule of an assertion answers."""

    def __init__(self, machine: Machine, rule: Rule) -> None:
        self.machine = machine
        self.rule = rule
        self.program = machine.program
        self.assertion = machine.program.assertions[rule.subject]
        self.routine = machine.program.routines[self.assertion.routine]
        self.watcher = Watcher()
        self.evaluations: list[Evaluation] = []
        self.facts: dict[Span, Fact] = {}
        self.steps = 0
        self.begun = 0

    def explain(self, state: State, before: State | None) -> Explanation | None:
        """The explanation, if the answer is no."""
        try:
            execution = self._run(state, before)
        except (ModelError, RecursionError):
            return None
        if execution is None:
            return None
        line = execution.lines[-1]
        # What constants came to before is no part of it.
        self.evaluations = [evaluation for evaluation in self.watcher.evaluations if evaluation.number > self.begun]
        around = surroundings(self.routine.body, line)
        returned = around.returned
        if returned is not None and not isinstance(returned, ast.Literal):
            self._why_last(returned)
        for condition in reversed(around.conditions):
            self._why_last(condition)
        return Explanation(line, tuple(self.facts.values())[:_MOST_FACTS])

    def _run(self, state: State, before: State | None) -> Execution | None:
        machine = self.machine
        code = Code(self.program, self.watcher.watch)
        code.next_states = lambda world: next_states(world, machine.steps)
        view = machine.view(state)
        recorder = Recorder(view if before is None else PairView(machine.view(before), view))
        world = World(machine.values, recorder, code)
        frame = assertion_frame(self.program, self.assertion, self.rule.instance, world)
        execution = Execution(code, world, recorder, [frame], (), False)
        self.begun = max((evaluation.number for evaluation in self.watcher.evaluations), default=0)
        return None if evaluate_assertion(self.assertion, execution).value else execution

    # --- back to what decided --------------------------------------------------------------------------------------

    def _why_last(self, node: ast.Expression) -> None:
        """Explain the last evaluation of an expression of the assertion's own statements."""
        last = next((one for one in reversed(self.evaluations) if one.node is node and one.done), None)
        if last is not None:
            self._why(last)

    def _why(self, evaluation: Evaluation) -> None:
        """Tell what made an evaluation true or false."""
        self.steps += 1
        if self.steps > _MOST_STEPS or not evaluation.done:
            return
        match evaluation.node:
            case ast.Literal():
                return
            case ast.Logical() | ast.Conditional() | ast.Unary(operator="not"):
                for child in self._deciding(evaluation):
                    self._why(child)
            case ast.Call(function=ast.Name(id="all" | "any")) as call if element := self._element(evaluation, call):
                self._why(element)
            case ast.Call() as call:
                self._tell(evaluation)
                self._why_helper(evaluation, call)
            case ast.Name(id=name) if (values := self._assigned(name)) and self._why_assigned(evaluation, values):
                return
            case _:
                self._tell(evaluation)

    def _deciding(self, evaluation: Evaluation) -> list[Evaluation]:
        """The parts that an evaluation depends on: of `and` and `or`, where one part decides, that one."""
        children = list(evaluation.children)
        node = evaluation.node
        if isinstance(node, ast.Logical) and truth(evaluation.value) == (node.operator == "or"):
            return children[-1:]
        return children

    def _element(self, evaluation: Evaluation, call: ast.Call) -> Evaluation | None:
        """The element that decided an `all(…)` or `any(…)`; None if none did."""
        if len(call.arguments) != 1 or not isinstance(call.function, ast.Name):
            return None
        decisive = call.function.id == "any"
        if truth(evaluation.value) != decisive:
            return None
        argument = call.arguments[0].value
        inner = next(evaluation.of(argument), evaluation)
        if isinstance(argument, ast.Comprehension):
            elements = list(inner.of(argument.element))
        elif isinstance(argument, ast.ListExpression):
            elements = list(inner.children)
        else:
            return None
        return next((element for element in elements if element.done and truth(element.value) == decisive), None)

    def _why_helper(self, evaluation: Evaluation, call: ast.Call) -> None:
        """Go on with what a `def` helper returned: the last expression that its body evaluated."""
        callee = next(evaluation.of(call.function), None)
        if callee is None or not isinstance(callee.value, Closure):
            return
        own = [call.function, *(argument.value for argument in call.arguments)]
        inner = [child for child in evaluation.children if child.done and not any(child.node is node for node in own)]
        if inner and inner[-1].value is evaluation.value:
            self._why(inner[-1])

    def _assigned(self, name: str) -> list[ast.Expression]:
        """The expressions that the assertion assigns to a name of its own."""
        return [
            instruction.statement.value
            for instruction in instructions(self.routine.body)
            if isinstance(instruction, p.Do) and isinstance(instruction.statement, ast.Assign)
            for target in instruction.statement.targets
            if isinstance(target, ast.Name) and target.id == name
        ]

    def _why_assigned(self, evaluation: Evaluation, values: list[ast.Expression]) -> bool:
        earlier = [one for one in self.evaluations if one.number <= evaluation.number]
        # The last of them is the statement that the evaluation is part of.
        for assigned in reversed(earlier[:-1]):
            if any(assigned.node is value for value in values):
                self._why(assigned)
                return True
        return False

    # --- facts -----------------------------------------------------------------------------------------------------

    def _tell(self, evaluation: Evaluation) -> None:
        """An expression's value, and the values of what it was computed from."""
        self._add(evaluation)
        self._tell_parts(evaluation)

    def _tell_parts(self, evaluation: Evaluation) -> None:
        """Values of operands, arguments and indices. Of `nodes[i].log` only `i`: what it is taken from is too much."""
        node = evaluation.node
        containers: list[ast.Expression] = []
        if isinstance(node, ast.Attribute | ast.Index | ast.Slice):
            containers.append(node.value)
        if isinstance(node, ast.Comprehension | ast.Lambda):
            return
        for child in evaluation.children:
            if any(child.node is container for container in containers) and not self._is_local(child.node):
                self._tell_parts(child)
            elif self._belongs(evaluation, child):
                self._tell(child)

    def _belongs(self, evaluation: Evaluation, child: Evaluation) -> bool:
        """Is a part worth telling? Not what a helper or comprehension evaluated inside, which is no part of it."""
        node = evaluation.node
        if isinstance(node, ast.Call):
            return any(child.node is argument.value for argument in node.arguments) or child.node is node.function
        return True

    def _is_local(self, node: ast.Expression | None) -> bool:
        return (
            isinstance(node, ast.Name)
            and node.id not in self.program.state_variables
            and node.id not in self.program.constant_names
        )

    def _add(self, evaluation: Evaluation) -> None:
        node, value = evaluation.node, evaluation.value
        if node is None or isinstance(node, ast.Literal | ast.Lambda) or isinstance(value, FunctionValue | StateStruct):
            return
        try:
            text = display(value)
        except (Problem, ModelError, RecursionError, NotImplementedError):
            # What `next_states()` gives has no text.
            return
        self.facts.setdefault(node.span, Fact(node.span, text))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a `return` returns, and the conditions of the `if`s that it stands in, the outermost first."""

    returned: ast.Expression | None = None
    conditions: tuple[ast.Expression, ...] = ()


def surroundings(scope: p.Scope, line: Span) -> Surroundings:
    """The surroundings of the `return` at a place; none if there is no such."""
    return next(_search(scope, line, ()), Surroundings())


def _search(scope: p.Scope, line: Span, conditions: tuple[ast.Expression, ...]) -> Iterator[Surroundings]:
    for instruction in _own(scope):
        if isinstance(instruction, p.Leave) and instruction.span == line:
            yield Surroundings(instruction.value, conditions)
        if isinstance(instruction, p.Branch):
            for number, suite in enumerate(instruction.suites):
                # In an `else` it is the last condition that was false.
                deciding = instruction.conditions[min(number, len(instruction.conditions) - 1)]
                yield from _search(suite, line, (*conditions, deciding))
        for inner in _inner(instruction):
            yield from _search(inner, line, conditions)


def instructions(scope: p.Scope) -> Iterator[p.Instruction]:
    """All instructions of a scope and of the scopes in it."""
    for instruction in _own(scope):
        yield instruction
        if isinstance(instruction, p.Branch):
            for suite in instruction.suites:
                yield from instructions(suite)
        for inner in _inner(instruction):
            yield from instructions(inner)


def _own(scope: p.Scope) -> tuple[p.Instruction, ...]:
    if isinstance(scope, p.ForLoop | p.WhileLoop):
        return scope.body.instructions
    return scope.instructions if isinstance(scope, p.Sequence | p.OneOfBlock | p.ParallelBlock) else ()


def _inner(instruction: p.Instruction) -> tuple[p.Scope, ...]:
    return (instruction.body,) if isinstance(instruction, p.Enter | p.Loop | p.PickBlock) else ()
