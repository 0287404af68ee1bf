"""A run made calmer without a search: pieces of one mover are put together, and what is left is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from checker.traces.model_walk import Walk
from checker.traces.replay import movers, origins
from checker.traces.switches import Contexts
from interpreter import Machine, State, Step, StepKind
from interpreter.state.step import InitialState, Rule


class _Act(NamedTuple):
    """A step as another run may take it. `mover`: the place of the step with which its thread began."""

    mover: int
    rule: Rule
    choices: tuple[str, ...]
    crashes: bool


class _Movers:
    """The threads of a run under way by the steps with which they began, each under its number in the state."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._began: tuple[int, ...] = ()
        self._moves: list[int] = []

    def mover(self, state: State, rule: Rule, number: int) -> int:
        """Who makes step `number`: of equal threads the one that has moved last."""
        alike = [self._began[thread] for thread in movers(state, rule)]
        return next((mover for mover in reversed(self._moves) if mover in alike), number)

    def rule(self, state: State, act: _Act) -> Rule:
        """The rule by which this run makes such a step: a thread may read otherwise here."""
        if act.rule.kind is StepKind.CONTINUE and act.mover in self._began:
            return Rule(StepKind.CONTINUE, state.threads[self._began.index(act.mover)])
        return act.rule

    def took(self, mover: int, state: State, step: Step) -> None:
        """A step was made from this state."""
        began = list(self._began)
        moved = movers(state, step.rule)
        if moved:
            # Of equal threads it is now the first that moved. It may be one that stands in for another, not yet begun.
            if mover in began:
                began[began.index(mover)] = began[moved[0]]
            began[moved[0]] = mover
        after = origins(self._machine, state, step, step.target)
        self._began = tuple(mover if number is None else began[number] for number in after)
        self._moves.append(mover)


class Joiner:
    """Joins pieces of runs of one machine. `ended` says whether a run, after its last step, is where it has to end.

    `most`: how many steps all replays together may take; after that a run stays as it is. `then`: who moves in the step
    after the run, if there is one.
    """

    def __init__(self, machine: Machine, ended: Callable[[Walk], bool], most: int, then: Rule | None = None) -> None:
        self.machine = machine
        self._left = most
        self._ended = ended
        self._then = then
        self._contexts = Contexts(machine)

    def join(self, walk: Walk) -> Walk:
        """The run that moving pieces leads to: of the same steps, or of fewer, and with fewer context switches."""
        while self._contexts.switches(walk, self._then):
            calmer = next(self._calmer(walk), None)
            if calmer is None:
                break
            walk = calmer
        return walk

    def _calmer(self, walk: Walk) -> Iterator[Walk]:
        best = self._rank(walk)
        for order in self._orders(walk):
            found = self._replay(walk.start, order)
            if found is not None and self._rank(found) < best:
                yield found

    def _rank(self, walk: Walk) -> tuple[int, int]:
        return len(walk.steps), self._contexts.switches(walk, self._then)

    def _orders(self, walk: Walk) -> Iterator[list[_Act]]:
        """The steps with one piece moved to another of the same owner: the later one forward, or the earlier back."""
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
        """The steps, parted where a context switch is."""
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
        """The run of these steps in this order as far as where it has to end, if there is one and it comes there."""
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
        for step in self.machine.steps(state, of=name).steps:
            if (step.rule, step.outcome.choices, step.crashes) == (rule, act.choices, act.crashes):
                return step
        return None
