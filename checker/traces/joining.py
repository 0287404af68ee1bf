"""Fewer context switches without a search: pieces of a run by the same mover are joined, and the result is replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from checker.traces.model_walk import Walk
from checker.traces.switches import Contexts
from checker.traces.threads import movers, origins
from interpreter import Machine, State, Step, StepKind
from interpreter.state.step import InitialState, Rule


class _Act(NamedTuple):
    """A step as another run may take it. `mover`: the number of the step that began its thread."""

    mover: int
    rule: Rule
    choices: tuple[str, ...]
    crashes: bool


class _Movers:
    """For each thread of a run, by its number in the state, the number of the step that began it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._began: tuple[int, ...] = ()
        self._moves: list[int] = []

    def mover(self, state: State, rule: Rule, number: int) -> int:
        """The mover of step `number`; of equal threads the one that moved last."""
        alike = [self._began[thread] for thread in movers(state, rule)]
        return next((mover for mover in reversed(self._moves) if mover in alike), number)

    def rule(self, state: State, act: _Act) -> Rule:
        """The rule for such a step in this run, where its thread may be in another state."""
        if act.rule.kind is StepKind.CONTINUE and act.mover in self._began:
            return Rule(StepKind.CONTINUE, state.threads[self._began.index(act.mover)])
        return act.rule

    def took(self, mover: int, state: State, step: Step) -> None:
        """A step was made from this state."""
        began = list(self._began)
        moved = movers(state, step.rule)
        if moved:
            # Of equal threads the first counts as the one that moved, even if it stands for one that has not begun.
            if mover in began:
                began[began.index(mover)] = began[moved[0]]
            began[moved[0]] = mover
        after = origins(self._machine, state, step, step.target)
        self._began = tuple(mover if number is None else began[number] for number in after)
        self._moves.append(mover)


class Joiner:
    """Joins pieces of runs of one machine. `ended` says whether a run has reached its end with its last step.

    `most`: how many steps all replays together may take; after that a run stays as it is. `then`: the rule of the step
    after the run, if there is one.
    """

    def __init__(self, machine: Machine, ended: Callable[[Walk], bool], most: int, then: Rule | None = None) -> None:
        self.machine = machine
        self._left = most
        self._ended = ended
        self._then = then
        self._contexts = Contexts(machine)

    def join(self, walk: Walk) -> Walk:
        """The run after moving pieces: the same steps or fewer, with fewer context switches."""
        while self._contexts.switches(walk, self._then):
            better = next(self._better(walk), None)
            if better is None:
                break
            walk = better
        return walk

    def _better(self, walk: Walk) -> Iterator[Walk]:
        best = self._rank(walk)
        for order in self._orders(walk):
            found = self._replay(walk.start, order)
            if found is not None and self._rank(found) < best:
                yield found

    def _rank(self, walk: Walk) -> tuple[int, int]:
        return len(walk.steps), self._contexts.switches(walk, self._then)

    def _orders(self, walk: Walk) -> Iterator[list[_Act]]:
        """The steps with one piece moved to another of the same owner: the later one ahead, or the earlier one back."""
        pieces = self._pieces(walk)
        owners = [self._contexts.owner(piece[0].rule) for piece in pieces]
        if self._then is not None:
            pieces.append([])
            owners.append(self._contexts.owner(self._then))
        for early, owner in enumerate(owners):
            for late in range(early + 2, len(pieces)):
                if owners[late] == owner:
                    between = pieces[early + 1 : late]
                    for middle in ([pieces[early], pieces[late], *between], [*between, pieces[early], pieces[late]]):
                        moved = [*pieces[:early], *middle, *pieces[late + 1 :]]
                        yield [act for piece in moved for act in piece]

    def _pieces(self, walk: Walk) -> list[list[_Act]]:
        """The steps, divided at the context switches."""
        pieces: list[list[_Act]] = []
        threads = _Movers(self.machine)
        for number, (step, changes) in enumerate(zip(walk.steps, self._contexts.changes(walk), strict=True)):
            state = walk.state_after(number)
            mover = threads.mover(state, step.rule, number)
            threads.took(mover, state, step)
            if changes or not pieces:
                pieces.append([])
            pieces[-1].append(_Act(mover, step.rule, step.outcome.choices, step.crashes))
        return pieces

    def _replay(self, start: InitialState, acts: Sequence[_Act]) -> Walk | None:
        """The run of these steps in this order, up to its end; None if it is not possible or has no such end."""
        walk, threads = Walk(self.machine, start), _Movers(self.machine)
        for act in acts:
            state = walk.state
            step = self._step(state, threads.rule(state, act), act) if self._left else None
            if step is None:
                return None
            self._left -= 1
            threads.took(act.mover, state, step)
            walk.take(step)
            if self._ended(walk):
                return walk
        return None

    def _step(self, state: State, rule: Rule, act: _Act) -> Step | None:
        name = next((candidate.name for candidate in self.machine.candidates(state) if candidate.rule == rule), None)
        if name is None:
            return None
        for step in self.machine.each_step(state, of=name):
            if (step.rule, step.outcome.choices, step.crashes) == (rule, act.choices, act.crashes):
                return step
        return None
