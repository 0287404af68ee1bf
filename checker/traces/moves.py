"""The steps of many states, without their texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from checker.search.memo.memo import Memory
from interpreter import Machine, State, Step
from interpreter.state.step import Candidate, Failure, FairChoice, Outcome, Rule, StepKind, StepOrder


class Move(NamedTuple):
    """A step without its texts.

    `name` is that of its candidate; `thread`: its thread as it is in the target, None if it ended; `fair`: its fair
    choices.
    """

    order: StepOrder
    name: str
    rule: Rule
    crashes: bool
    thread: int | None
    target: State
    fair: tuple[FairChoice, ...] = ()


class Expanded(NamedTuple):
    """The moves of a state in step order. `fails`: the model fails in some step of the state."""

    moves: tuple[Move, ...]
    fails: bool

    @property
    def going(self) -> int:
        """The number of steps that are no crashes."""
        return sum(not move.crashes for move in self.moves)


class MoveNode(Protocol):
    """A node of a search: a state, and the move that led to it from the node before."""

    @property
    def state(self) -> State: ...

    @property
    def before(self) -> MoveNode | None: ...

    @property
    def move(self) -> Move | None: ...


def path_to(node: MoveNode) -> Iterator[tuple[State, Move]]:
    """The moves that led to a node, from the last to the first, each with its source state."""
    while node.before is not None and node.move is not None:
        yield node.before.state, node.move
        node = node.before


class Moves:
    """The moves of the states of one machine. Results are memoised by what a rule read, and moves by the state."""

    def __init__(self, memory: Memory) -> None:
        self.machine = memory.machine
        self.memory = memory
        self._known: dict[tuple[State, bool], Expanded] = {}
        self._keys: dict[State, int] = {}

    def of(self, state: State, starts: bool = True) -> Expanded:
        """The moves of a state; `starts` False: no action starts."""
        known = self._known.get((state, starts))
        if known is None:
            known = self._known[state, starts] = self._expanded(state, starts)
        return known

    def key(self, state: State) -> int:
        """The key of a state."""
        known = self._keys.get(state)
        if known is None:
            known = self._keys[state] = self.machine.key(state)
        return known

    def step(self, state: State, move: Move) -> Step:
        """The step that a move stands for, made by the machine without the memo."""
        step = self.machine.step(state, move.order)
        assert step is not None and step.target == move.target
        return step

    def _expanded(self, state: State, starts: bool) -> Expanded:
        view = self.memory.view(state)
        moves: list[Move] = []
        fails = False
        for candidate in self.machine.candidates(state, starts):
            if candidate.rule.kind is StepKind.CRASH_ROLE:
                moves.append(self._crash(state, candidate))
                continue
            for result in self.memory.results(candidate.rule, view):
                fails |= isinstance(result, Failure)
                if isinstance(result, Outcome):
                    moves += self._of_outcome(state, candidate, result)
        return Expanded(tuple(moves), fails)

    def _crash(self, state: State, candidate: Candidate) -> Move:
        assert candidate.rule.instance is not None
        target = self.machine.crash_role(state, candidate.rule.instance)
        return Move(StepOrder(candidate.order, (), 0), candidate.name, candidate.rule, True, None, target)

    def _of_outcome(self, state: State, candidate: Candidate, outcome: Outcome) -> Iterator[Move]:
        for twin in (False, True) if outcome.may_crash else (False,):
            target = self.memory.apply(state, candidate.rule, outcome, twin)
            if target is not None:
                order = StepOrder(candidate.order, outcome.forks, int(twin))
                thread = None if twin else self.memory.parked(state, candidate.rule, outcome, target)
                yield Move(order, candidate.name, candidate.rule, twin, thread, target, outcome.fair)


def move_of(machine: Machine, state: State, step: Step) -> Move:
    """The move of a step."""
    thread = None if step.crashes else machine.parked(state, step.rule, step.outcome, step.target)
    return Move(step.order, step.name, step.rule, step.crashes, thread, step.target, step.outcome.fair)
