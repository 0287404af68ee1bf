"""What the functions of `fizzpy` return has in common: one line as text, true or false, a page for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from checker.core.given import Given
from checker.core.problems import ExitCode

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

AnyResult = TypeVar("AnyResult", bound="ModelResult")

MOST_STATES = 100_000
"""States of a graph or table made for a script, unless it asks for more."""


class ModelResult:
    """An answer about a model. It is true if its exit code is 0: nothing is wrong, and nothing was left out."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def model(self) -> str:
            """The path of the model."""

        @property
        def sources(self) -> Mapping[str, str]:
            """The texts of its files."""

        @property
        def given(self) -> Given:
            """The constants and options that it was given."""

    def __bool__(self) -> bool:
        return self._code is ExitCode.PASSED

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {PurePath(self.model).name}: {self.summary}>"

    def _repr_html_(self) -> str:
        """The answer in a notebook."""
        # Printers stand above the nouns that they print.
        html: str = import_module("checker.report.html_notebook").notebook_html(self)
        return html

    def graph(self, most: int = MOST_STATES) -> MultiDiGraph:
        """The state graph of the model as a `networkx.MultiDiGraph`.

        A node is the number of a state, with `level`, `cut` and its values by place; an edge has the `name` of a step,
        and whether it is a `crash`. Raises `UsageProblem` if there are more than `most` states, `EnvironmentProblem`
        without networkx.
        """
        graph: MultiDiGraph = import_module("checker.report.data_frames").networkx_graph(self, most)
        return graph

    def table(self, most: int = MOST_STATES) -> DataFrame:
        """The states of the model as a `pandas.DataFrame`: a row for each, a column for each place.

        `states()` is the same, of answers that count states too. Raises as `graph` does, without pandas.
        """
        table: DataFrame = import_module("checker.report.data_frames").states_frame(self, most)
        return table

    @property
    def summary(self) -> str:
        """The answer in a few words."""
        raise NotImplementedError

    @property
    def _code(self) -> ExitCode:
        code: ExitCode = getattr(self, "exit_code", ExitCode.PASSED)
        return code


class StateCount(int):
    """A number of states; called, it gives their table: `report.states` and `report.states()`."""

    answer: ModelResult

    def __call__(self, most: int = MOST_STATES) -> DataFrame:
        return self.answer.table(most)


def with_table(answer: AnyResult) -> AnyResult:
    """The answer, a frozen dataclass, with a number of states that can be called."""
    count = StateCount(answer.states)  # type: ignore[attr-defined]
    count.answer = answer
    changed: AnyResult = replace(answer, states=count)  # type: ignore[type-var]
    return changed
