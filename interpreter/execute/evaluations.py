"""The values of all expressions of a run: a tree of evaluations, each with those of its operands."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from fizz.syntax import ast
from interpreter.execute.environment import Environment, Evaluator

MOST_CHILDREN: Final = 10_000
"""The number of evaluations kept under one: the last ones, which for a long loop are those that ended it."""


class Evaluation:
    """One evaluation of an expression, numbered in order; without a value if it failed."""

    __slots__ = ("children", "done", "node", "number", "value")

    def __init__(self, node: ast.Expression | None, number: int) -> None:
        self.node = node
        self.number = number
        self.children: deque[Evaluation] = deque(maxlen=MOST_CHILDREN)
        self.value: object = None
        self.done = False

    def of(self, node: ast.Expression) -> Iterator[Evaluation]:
        """The evaluations of a part of this expression, in order."""
        return (child for child in self.children if child.node is node and child.done)


class Watcher:
    """Records the evaluations of all expressions that are compiled with `watch`."""

    def __init__(self) -> None:
        self._count = 0
        self._open = [Evaluation(None, 0)]

    @property
    def evaluations(self) -> deque[Evaluation]:
        """The evaluations of whole statements' expressions."""
        return self._open[0].children

    def watch(self, node: ast.Expression, evaluator: Evaluator) -> Evaluator:
        """An evaluator that also records the evaluation."""

        def evaluate(env: Environment) -> Any:
            self._count += 1
            evaluation = Evaluation(node, self._count)
            self._open[-1].children.append(evaluation)
            self._open.append(evaluation)
            try:
                evaluation.value = value = evaluator(env)
            finally:
                self._open.pop()
            evaluation.done = True
            return value

        return evaluate
