"""The state graph of a model for other libraries: a graph of networkx, a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.core.model_result import ModelResult
from checker.core.problems import EnvironmentProblem
from checker.core.python_values import python_value
from checker.search.composition.load_whole import load_whole
from checker.state_graph import StateGraph, state_graph

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

_EXTRA = "install it with: pip install 'fizzpy[notebook]'"


def networkx_graph(answer: ModelResult, most: int) -> MultiDiGraph:
    """The states and steps of the model as a directed graph with parallel edges."""
    try:
        from networkx import MultiDiGraph
    except ImportError:
        raise EnvironmentProblem("a graph needs networkx, which is not installed", _EXTRA) from None
    found = _state_graph(answer, most)
    graph = MultiDiGraph(model=found.model)
    for node in found.nodes:
        values = {place: python_value(text) for place, text in node.lines}
        graph.add_node(node.number, level=node.level, cut=node.cut, values=values)
    for edge in found.edges:
        graph.add_edge(edge.source, edge.target, name=edge.name, crash=edge.crash)
    return graph


def states_frame(answer: ModelResult, most: int) -> DataFrame:
    """A row for each state, a column for each variable, field and thread, and the level."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise EnvironmentProblem("a table needs pandas, which is not installed", _EXTRA) from None
    found = _state_graph(answer, most)
    rows = [{"level": node.level} | {place: python_value(text) for place, text in node.lines} for node in found.nodes]
    return DataFrame(rows, dtype=object, index=[node.number for node in found.nodes])


def _state_graph(answer: ModelResult, most: int) -> StateGraph:
    given = answer.given
    text = getattr(answer, "sources", {}).get(answer.model)
    module = load_whole(answer.model, text=text, options=dict(given.options), constants=dict(given.constants))
    symmetry = "no_symmetry" not in getattr(answer, "asked", {})
    # No further than the run went: its levels are those that the answer counts.
    return state_graph(module, symmetry, most=most, depth=getattr(answer, "depth", None))
