"""The refining model, explored row by row without symmetry, with the views of its states and all its steps."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from checker.core.level import Level
from checker.liveness.graph import LiveStep
from checker.search.contract.gathering import Gathering, Newcomer
from checker.search.contract.judge_watches import Judgement
from checker.search.contract.protocol import Task
from checker.search.refinement.view_values import ConcreteViews
from checker.search.rows.row_run import FrontierState, RowRun
from interpreter import ModelError, State


class FailedView(NamedTuple):
    """A view that failed on a state: the state's number and the error."""

    number: int
    error: ModelError


class ConcreteRun(RowRun):
    """One exploration. States have the numbers of `found`; crash steps are steps like others.

    `views` are those of the refinements; `viewed` has for each the number of the view of each state.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.views: list[ConcreteViews] = []
        self.viewed: list[array[int]] = []
        self.failed: list[FailedView] = []
        """Of the last level: the views that failed."""
        self.whole = True
        """Whether no state was pruned, so that the graph has all steps."""
        self._targets: list[array[int] | None] = []
        self._orders: list[array[int] | None] = []

    def view(self, views: ConcreteViews) -> array[int]:
        """Look at states through these views too; the numbers of what is seen. Only before the first level."""
        self.views.append(views)
        self.viewed.append(array("q"))
        return self.viewed[-1]

    def steps(self, number: int) -> tuple[Sequence[int], Sequence[int]]:
        """The steps of a state that was expanded: numbers of their orders, and of the states they lead to."""
        return self._orders[number] or (), self._targets[number] or ()

    def crashes(self, order: int) -> bool:
        """Whether the steps of an order, by its number, are crashes."""
        return self.found.order_table[order].crashes

    def _number(self, new: list[tuple[int, Newcomer[State]]], judgements: list[Judgement]) -> list[int]:
        first = len(self.found.keys)
        self.failed = []
        columns = [array("q") for _ in self.views]
        for place, (_, one) in enumerate(new):
            self.task.patience.ask()
            for views, column in zip(self.views, columns, strict=True):
                try:
                    column.append(views.of(one.handle))
                except ModelError as error:
                    self.failed.append(FailedView(first + place, error))
                    column.append(-1)
        numbers = super()._number(new, judgements)
        for viewed, column in zip(self.viewed, columns, strict=True):
            viewed.extend(column)
        self._targets += [None] * len(new)
        self._orders += [None] * len(new)
        return numbers

    def _draw(self, edges: list[tuple[FrontierState, list[LiveStep], list[int]]], numbers: list[int]) -> None:
        for source, live, targets in edges:
            known = [target if target >= 0 else numbers[~target] for target in targets]
            self._targets[source.number] = array("q", known)
            # Steps that are not explored stand behind those that are.
            self._orders[source.number] = array("q", [self.found.order_number(one.order) for one in live[: len(known)]])
        if self.whole:
            super()._draw(edges, numbers)

    def _complete(
        self,
        level: Level,
        fresh: Gathering[int, State],
        edges: list[tuple[FrontierState, list[LiveStep], list[int]]],
    ) -> None:
        super()._complete(level, fresh, edges)
        self.whole &= self.wants_graph
        # The steps are needed in any case.
        self.wants_graph = True
