"""Walks for tests: such that together they take each call of each state of a model, or at random."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checker.conformance.tested_model import ModelCall, TestedModel
from interpreter import State

_MOST_STATES: Final = 2_000
_MOST_MOVES: Final = 20_000


@dataclass(frozen=True, slots=True)
class WalkPlan:
    """Walks from an initial state. They take `covered` of `calls` pairs of a state and a call, over `states` states.

    `calls`: None if it is not known how many there are. `whole`: all states of the model were seen. `certain`: each
    call has one outcome, so that the system can not choose otherwise.
    """

    walks: tuple[tuple[ModelCall, ...], ...]
    covered: int
    calls: int | None
    states: int
    whole: bool
    certain: bool = True

    @property
    def sentence(self) -> str:
        """What they cover."""
        number = len(self.walks)
        walks = "1 walk takes" if number == 1 else f"{number:,} walks take"
        all_calls = "" if self.calls is None else f" of {self.calls:,}"
        part = "" if self.whole else f", of the first {self.states:,} states"
        choice = "" if self.certain else ", if the system chooses as planned"
        return f"{walks} {self.covered:,}{all_calls} transitions{part}{choice}"


def covering_walks(model: TestedModel, longest: int) -> WalkPlan:
    """Walks of at most `longest` calls that take each call of each state: always the nearest one not yet taken.

    Each call is also taken right after each crash: another one in between would hide what the crash lost. Where a call
    has several outcomes the plan assumes the first; the system may take another.
    """
    graph, begin, whole = _graph(model)
    left = {(state, move) for state, moves in graph.items() for move in moves}
    total = len(left)
    walks: list[tuple[ModelCall, ...]] = []
    stuck = False
    while left and not stuck and sum(map(len, walks)) < _MOST_MOVES:
        stuck = True
        for start in begin:
            walk: list[ModelCall] = []
            state = start
            while len(walk) < longest:
                path = _nearest(graph, state, left, longest - len(walk))
                if path is None:
                    break
                for move in path:
                    left.discard((state, move))
                    state = graph[state][move]
                    walk.append(move)
            if walk:
                walks.append(tuple(walk))
                stuck = False
    return WalkPlan(
        tuple(walks), total - len(left), total, len({state for state, _ in graph}), whole, _is_certain(model, graph)
    )


def _is_certain(model: TestedModel, graph: Graph) -> bool:
    """Whether each call of each state has one outcome."""
    return all(len(ways) == 1 for state, _ in graph for ways in model.effects(state).values())


def random_walks(model: TestedModel, number: int, longest: int, seed: int) -> WalkPlan:
    """Walks that draw each call from those that the state allows; walk i has the seed `seed` + i."""
    walks: list[tuple[ModelCall, ...]] = []
    taken: set[tuple[State, ModelCall]] = set()
    states: set[State] = set()
    certain = True
    for i in range(number):
        draw = random.Random(seed + i)
        state = draw.choice(_ordered(model, model.beginnings()))
        walk: list[ModelCall] = []
        for _ in range(longest):
            states.add(state)
            moves = model.moves(frozenset({state}))
            if not moves:
                break
            move = draw.choice(moves)
            walk.append(move)
            taken.add((state, move))
            ways = model.effects(state)[move]
            certain = certain and len(ways) == 1
            state = draw.choice(ways).target
        walks.append(tuple(walk))
    return WalkPlan(tuple(walks), len(taken), None, len(states), True, certain)


Place = tuple[State, bool]
"""A state, and whether a crash led to it."""
Graph = dict[Place, dict[ModelCall, Place]]
Left = set[tuple[Place, ModelCall]]


def _graph(model: TestedModel) -> tuple[Graph, list[Place], bool]:
    begin = [(state, False) for state in _ordered(model, model.beginnings())]
    graph: Graph = {}
    waiting = deque(begin)
    while waiting and len(graph) < _MOST_STATES:
        place = waiting.popleft()
        if place in graph:
            continue
        effects = model.effects(place[0])
        graph[place] = {move: (ways[0].target, model.crashes(move)) for move, ways in effects.items()}
        waiting += [(way.target, model.crashes(move)) for move, ways in effects.items() for way in ways]
    whole = all(place in graph for place in waiting)
    # A call that leads out of what was seen is no part of it.
    inside = {p: {m: t for m, t in moves.items() if t in graph} for p, moves in graph.items()}
    return inside, begin, whole


def _ordered(model: TestedModel, states: frozenset[State]) -> list[State]:
    return sorted(states, key=model.machine.key)


def _nearest(graph: Graph, place: Place, left: Left, longest: int) -> Sequence[ModelCall] | None:
    """The shortest path that ends with a call not yet taken."""
    waiting: deque[tuple[Place, tuple[ModelCall, ...]]] = deque([(place, ())])
    met = {place}
    while waiting:
        at, path = waiting.popleft()
        for move, target in graph[at].items():
            if (at, move) in left:
                return (*path, move)
            if target not in met and len(path) + 1 < longest:
                met.add(target)
                waiting.append((target, (*path, move)))
    return None
