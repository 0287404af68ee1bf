"""Why an expression has its value: the deciding parts and their values, from the recorded evaluations of a run.

An evaluation is traced back to the deciding parts: for `a and b` the false part, for `all(...)` the false element, for
a local name the expression assigned to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fizz import Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.dict_items import is_member_by_key
from interpreter.compile.pair_questions import ANSWER
from interpreter.compile.statements import instructions
from interpreter.execute.environment import Closure
from interpreter.execute.evaluations import Evaluation
from interpreter.execute.state_struct import StateStruct
from interpreter.state.step import ModelError
from interpreter.values import FunctionValue, truth
from interpreter.values.freeze import display
from interpreter.values.problem import ModelMistake

_MOST_FACTS = 12
_MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class Fact:
    """The span of an expression of the model, and the display text of its value."""

    span: Span
    value: str


class Reasons:
    """Collects facts about the evaluations of one run; `routine`: the routine whose assignments are traced."""

    def __init__(self, program: p.Program, routine: p.Routine, evaluations: Sequence[Evaluation]) -> None:
        self.program = program
        self.routine = routine
        self.evaluations = evaluations
        self._facts: dict[Span, Fact] = {}
        self._steps = 0

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts, the most important first."""
        return tuple(self._facts.values())[:_MOST_FACTS]

    def why_last(self, node: ast.Expression) -> None:
        """Explains the last evaluation of an expression of a statement."""
        last = next((one for one in reversed(self.evaluations) if one.node is node and one.done), None)
        if last is not None:
            self.why(last)

    def why(self, evaluation: Evaluation) -> None:
        """Collects the facts that made an evaluation true or false."""
        self._steps += 1
        if self._steps > _MOST_STEPS or not evaluation.done:
            return
        match evaluation.node:
            case ast.Literal():
                return
            case ast.Logical() | ast.Conditional() | ast.Unary(operator="not"):
                for child in self._deciding(evaluation):
                    self.why(child)
            case ast.Call(function=ast.Name(id="all" | "any")) as call if element := self._element(evaluation, call):
                self.why(element)
            case ast.Call(function=ast.Name(id=identifier)) as call if identifier == ANSWER:
                self._why_pair(evaluation, call)
            case ast.Call() as call:
                self._record(evaluation)
                self._why_helper(evaluation, call)
            case ast.Name(id=name) if (values := self._assigned(name)) and self._why_assigned(evaluation, values):
                return
            case _:
                self._record(evaluation)

    def _deciding(self, evaluation: Evaluation) -> list[Evaluation]:
        """The parts that an evaluation depends on; for `and` and `or` the deciding part, if there is one."""
        children = list(evaluation.children)
        node = evaluation.node
        if isinstance(node, ast.Logical) and truth(evaluation.value) == (node.operator == "or"):
            return children[-1:]
        return children

    def _element(self, evaluation: Evaluation, call: ast.Call) -> Evaluation | None:
        """The element that decided an `all(…)` or `any(…)`; None if no element did."""
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

    def _why_pair(self, evaluation: Evaluation, call: ast.Call) -> None:
        """Continues with the q that is false, of the pair that the question is about or of the first such."""
        returned = next(evaluation.of(call.arguments[0].value), None)
        if returned is None:
            return
        node = returned.node
        inner = list(returned.of(node.element)) if isinstance(node, ast.Comprehension) else list(returned.children)
        waiting = next((pair for pair in [returned, *inner] if _is_unanswered(pair)), returned)
        if isinstance(waiting.node, ast.TupleExpression) and len(waiting.children) == 2:
            self.why(waiting.children[1])
        else:
            self._record(waiting)

    def _why_helper(self, evaluation: Evaluation, call: ast.Call) -> None:
        """Continues with the value that a `def` helper returned: the last expression that its body evaluated."""
        callee = next(evaluation.of(call.function), None)
        if callee is None or not isinstance(callee.value, Closure):
            return
        own = [call.function, *(argument.value for argument in call.arguments)]
        inner = [child for child in evaluation.children if child.done and not any(child.node is node for node in own)]
        if inner and inner[-1].value is evaluation.value:
            self.why(inner[-1])

    def _assigned(self, name: str) -> list[ast.Expression]:
        """The expressions that the routine assigns to a name."""
        return [
            instruction.statement.value
            for instruction in instructions(self.routine.body)
            if isinstance(instruction, p.Do) and isinstance(instruction.statement, ast.Assign)
            for target in instruction.statement.targets
            if isinstance(target, ast.Name) and target.id == name
        ]

    def _why_assigned(self, evaluation: Evaluation, values: list[ast.Expression]) -> bool:
        earlier = [one for one in self.evaluations if one.number <= evaluation.number]
        # The last of them belongs to the statement of the evaluation itself.
        for assigned in reversed(earlier[:-1]):
            if any(assigned.node is value for value in values):
                self.why(assigned)
                return True
        return False

    # --- facts -----------------------------------------------------------------------------------------------------

    def _record(self, evaluation: Evaluation) -> None:
        """Records an expression's value, and the values of its operands."""
        self._add(evaluation)
        self._record_parts(evaluation)

    def _record_parts(self, evaluation: Evaluation) -> None:
        """Records operands, arguments and indices. Of `nodes[i].log` only `i`: whole collections are too large."""
        node = evaluation.node
        containers: list[ast.Expression] = []
        if isinstance(node, ast.Attribute | ast.Index | ast.Slice):
            containers.append(node.value)
        if isinstance(node, ast.Comprehension | ast.Lambda):
            return
        for child in evaluation.children:
            if any(child.node is container for container in containers) and not self._is_local(child.node):
                self._record_parts(child)
            elif self._belongs(evaluation, child):
                self._record(child)

    def _belongs(self, evaluation: Evaluation, child: Evaluation) -> bool:
        """Whether an evaluation is of an operand; evaluations inside a helper or comprehension are not."""
        node = evaluation.node
        if isinstance(node, ast.Call):
            return any(child.node is argument.value for argument in node.arguments) or child.node is node.function
        return True

    def _is_local(self, node: ast.Expression | None) -> bool:
        return is_member_by_key(node) or (
            isinstance(node, ast.Name)
            and node.id not in self.program.state_variables
            and node.id not in self.program.constant_names
        )

    def _add(self, evaluation: Evaluation) -> None:
        node, value = evaluation.node, evaluation.value
        if (
            node is None
            or isinstance(node, ast.Literal | ast.Lambda | ast.Starred)
            or self._is_known_self(node)
            or isinstance(value, FunctionValue | StateStruct)
        ):
            return
        try:
            text = display(value)
        except (ModelMistake, ModelError, RecursionError, NotImplementedError):
            # The result of `next_states()` has no text.
            return
        self._facts.setdefault(node.span, Fact(node.span, text))

    def _is_known_self(self, node: ast.Expression) -> bool:
        """Whether it is a `self` that the name of the action or func shows; names of assertions do not show it."""
        return isinstance(node, ast.Name) and node.id == "self" and self.routine.kind != "assertion"


def _is_unanswered(evaluation: Evaluation) -> bool:
    value = evaluation.value if evaluation.done else None
    return isinstance(value, tuple) and len(value) == 2 and value[1] is False
