"""The state graph of a small model as plain data: states with their texts, steps with their names."""

from __future__ import annotations

from collections.abc import Mapping

from checker.core.exploration import Settings
from checker.core.limits import UNTIMELY, Limits
from checker.core.patience import Patience, Stop
from checker.core.problems import UsageProblem, constants_fail
from checker.search.contract.protocol import Task
from checker.search.driver import Clock, SearchDriver
from checker.search.engines.plain import FoundState, PlainRun
from fizz import Module
from fizz.base.light import dataclass
from interpreter import ModelError, compile_module
from interpreter.state.step import Step

MOST_STATES = 1_000
"""The most states of a graph that is drawn."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A state: its number by level and key, its level, its lines (place, text). `cut`: no action starts there."""

    number: int
    level: int
    lines: tuple[tuple[str, str], ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A step from one state to another."""

    source: int
    target: int
    name: str
    crash: bool


@dataclass(frozen=True, slots=True)
class StateGraph:
    """All states of a model and all steps between them."""

    model: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


def refuse_large(states: int, most: int = MOST_STATES) -> None:
    """Raise `UsageProblem` if there are too many states to draw."""
    if states > most:
        raise UsageProblem(
            f"the state graph has more than {most:,} states, too many to be looked at",
            "choose smaller constants with --set, or bound it with --option max_actions=N; in Python also most=N",
        )


def state_graph(
    module: Module,
    symmetry: bool = True,
    patience: Patience | None = None,
    most: int = MOST_STATES,
    depth: int | None = None,
) -> StateGraph:
    """The graph, explored by the plain engine, up to a level if there is a `depth`.

    Raises `UsageProblem` if it has more than `most` states, or constants that fail; `Stop` if the patience is over.
    """
    patience = patience or Patience()
    with patience.limiting_steps():
        return _drawn(module, symmetry, patience, most, depth)


def _drawn(module: Module, symmetry: bool, patience: Patience, most: int, depth: int | None) -> StateGraph:
    program = compile_module(module)
    try:
        run = PlainRun(Task(program, (), Settings(symmetry=symmetry), patience=patience))
    except ModelError as error:
        raise constants_fail(error.text) from None
    driver = SearchDriver(run, program, (), Clock(), patience)
    driver.go(Limits(states=most + 1, depth=depth), on=True)
    if driver.stopped in UNTIMELY:
        raise Stop(driver.stopped)
    refuse_large(driver.total.states, most)
    numbers = {identity: number for number, identity in enumerate(run.nodes)}
    nodes = list(run.nodes.values())
    edges = [
        GraphEdge(number, numbers[run.identity(run.image(step.target))], step.name, step.crashes)
        for number, node in enumerate(nodes)
        for step in _steps(run, node)
        if run.identity(run.image(step.target)) in numbers
    ]
    described = [
        GraphNode(number, len(node.path) - 1, tuple(run.machine.describe(node.state)), node.cut)
        for number, node in enumerate(nodes)
    ]
    return StateGraph(module.path, tuple(described), tuple(dict.fromkeys(edges)))


def _steps(run: PlainRun, node: FoundState) -> tuple[Step, ...]:
    return run.machine.steps(node.state, starts=not node.cut).steps


def names_between(graph: StateGraph) -> Mapping[tuple[int, int, bool], list[str]]:
    """The names of all steps from one state to another, by source, target and whether they are crashes."""
    found: dict[tuple[int, int, bool], list[str]] = {}
    for edge in graph.edges:
        found.setdefault((edge.source, edge.target, edge.crash), []).append(edge.name)
    return found
