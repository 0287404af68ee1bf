"""The steps of a state that a random walk draws from: counted, and made again when they are drawn if there are many.

One state may have a million steps, or thousands with a target of thousands of instances each. They are counted one by
one; those of a state with many are not held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from interpreter import Machine, State, Step
from interpreter.initial_states import initial_states
from interpreter.state.step import Candidate, Failure, InitialState, Outcome, StepFailure, StepKind, failed_step

MOST_HELD: Final = 1 << 21
"""The steps of a state are held if they have no more slots in all; each counts for `STEP_SLOTS` more."""
STEP_SLOTS: Final = 128
MARKED: Final = 256
"""Of so many execution paths one is noted, from which the others are found again."""


class Mark(NamedTuple):
    """An execution path that others follow: its choices, and how many steps come before it, and crash steps of them."""

    choices: tuple[int, ...]
    steps: int
    crashes: int


@dataclass(slots=True)
class Offer:
    """The steps of one candidate: how many, how many of them are crashes, and the marks by which they are found."""

    candidate: Candidate
    steps: int = 0
    crashes: int = 0
    marks: list[Mark] = field(default_factory=list)

    @property
    def moves(self) -> int:
        """How many steps are no crashes."""
        return self.steps - self.crashes


class Offers:
    """The steps of one state. `held`: how many slots it holds. `failure`: the first step in which the model fails.

    `walked`: whether a walk was there.
    """

    def __init__(self, machine: Machine, state: State, most_held: int = MOST_HELD) -> None:
        self.machine = machine
        self.state = state
        self.failure: StepFailure | None = None
        self.offers: list[Offer] = []
        self._held: list[Step] | None = []
        self.held = 0
        self.walked = False
        self._most_held = most_held
        self._each = STEP_SLOTS + len(state.values)
        self._count()
        self.crashes = sum(offer.crashes for offer in self.offers)
        self.moves = sum(offer.moves for offer in self.offers)

    def _count(self) -> None:
        offer: Offer | None = None
        paths = 0
        for candidate, result in self.machine.results(self.state):
            if offer is None or offer.candidate is not candidate:
                offer = Offer(candidate)
                self.offers.append(offer)
                paths = 0
            if isinstance(result, Outcome):
                if not paths % MARKED:
                    offer.marks.append(Mark(result.forks, offer.steps, offer.crashes))
                paths += 1
                self._add(offer, result)
            elif isinstance(result, Failure) and self.failure is None:
                self.failure = failed_step(candidate, result)

    def _add(self, offer: Offer, outcome: Outcome) -> None:
        """Count the steps of an outcome, and hold them while they are few."""
        if self._held is None and not self.machine.symmetric:
            # No limit of a domain forbids a step: it need not be made.
            crash = offer.candidate.rule.kind is StepKind.CRASH_ROLE
            offer.steps += 1 + outcome.may_crash
            offer.crashes += crash or outcome.may_crash
            return
        for step in self.machine.steps_of(self.state, offer.candidate, outcome):
            offer.steps += 1
            offer.crashes += step.crashes
            if self._held is not None:
                self._held.append(step)
                self.held += self._each
        if self.held > self._most_held:
            self._held = None
            self.held = 0

    def fair(self) -> list[Offer]:
        """The offers of fair actions, threads and deliveries."""
        return [offer for offer in self.offers if offer.moves and is_fair(self.machine, offer.candidate)]

    def steps(self, offers: Sequence[Offer] | None = None) -> Iterator[Step]:
        """All steps in step order, or those of some offers."""
        if offers is None and self._held is not None:
            yield from self._held
            return
        for offer in self.offers if offers is None else offers:
            yield from self._from(offer, None)

    def moves_of(self, step: Step) -> Iterator[Step]:
        """The steps of the same actor as a step, without crashes."""
        offers = [offer for offer in self.offers if offer.candidate.order == step.order.candidate]
        return (one for one in self.steps(offers) if not one.crashes)

    def step(self, number: int) -> Step:
        """The step of this number, from 0, among all."""
        if self._held is not None:
            return self._held[number]
        for offer in self.offers:
            if number < offer.steps:
                mark = max((mark for mark in offer.marks if mark.steps <= number), key=lambda mark: mark.steps)
                return next(islice(self._from(offer, mark), number - mark.steps, None))
            number -= offer.steps
        raise IndexError(number)

    def move(self, number: int, offers: Sequence[Offer]) -> Step:
        """The step of this number, from 0, among those of some offers that are no crashes."""
        for offer in offers:
            if number < offer.moves:
                before = [mark for mark in offer.marks if mark.steps - mark.crashes <= number]
                mark = max(before, key=lambda mark: mark.steps)
                moves = (step for step in self._from(offer, mark) if not step.crashes)
                return next(islice(moves, number - mark.steps + mark.crashes, None))
            number -= offer.moves
        raise IndexError(number)

    def _from(self, offer: Offer, mark: Mark | None) -> Iterator[Step]:
        """The steps of one offer, those from a mark on or all."""
        if self._held is not None:
            first = sum(one.steps for one in self.offers[: self.offers.index(offer)])
            skipped = 0 if mark is None else mark.steps
            yield from islice(self._held, first + skipped, first + offer.steps)
            return
        machine, candidate = self.machine, offer.candidate
        together = machine.together(candidate.rule)
        choices = () if mark is None or together else mark.choices
        skipped = 0 if mark is None or not together else mark.steps
        results = machine.results_of(candidate, machine.view(self.state), True, choices)
        outcomes = (result for result in results if isinstance(result, Outcome))
        made = (step for outcome in outcomes for step in machine.steps_of(self.state, candidate, outcome))
        yield from islice(made, skipped, None)


def is_fair(machine: Machine, candidate: Candidate) -> bool:
    """Whether it is the start of a fair action, a thread, or a delivery."""
    return candidate.rule.kind is StepKind.DELIVER or machine.fair_name(candidate.rule) is not None


class OfferCache:
    """The offers of states that walks met lately. It holds a bounded number of states and of slots."""

    def __init__(self, machine: Machine, most_states: int, most_held: int = MOST_HELD) -> None:
        self._machine = machine
        self._most_states = most_states
        self._most_held = most_held
        self._known: dict[State, Offers] = {}
        self._held = 0

    def __len__(self) -> int:
        return len(self._known)

    def of(self, state: State) -> Offers:
        """The offers of a state."""
        known = self._known.get(state)
        if known is None:
            known = Offers(self._machine, state, self._most_held)
            if len(self._known) >= self._most_states or self._held > 4 * self._most_held:
                self._known.clear()
                self._held = 0
            self._known[state] = known
            self._held += known.held + sum(map(_size, known.offers))
        return known


def _size(offer: Offer) -> int:
    return 16 * (2 + len(offer.marks))


class Beginnings:
    """The initial states, counted, and made again when one is drawn. `failure`: the first failure of Init."""

    def __init__(self, machine: Machine, most_held: int = MOST_HELD) -> None:
        self._machine = machine
        self.failure: Failure | None = None
        self.count = 0
        self._marks: list[tuple[int, ...]] = []
        held: list[InitialState] | None = []
        slots = 0
        for one in machine.beginnings():
            if isinstance(one, Failure):
                self.failure = self.failure or one
                continue
            if not self.count % MARKED:
                self._marks.append(one.forks)
            self.count += 1
            if held is not None:
                held.append(one)
                slots += STEP_SLOTS + len(one.state.values)
                held = held if slots <= most_held else None
        self._held = held

    def state(self, number: int) -> InitialState:
        """The initial state of this number, from 0."""
        if self._held is not None:
            return self._held[number]
        program, choices, skipped = self._machine.program, self._marks[number // MARKED], number % MARKED
        if program.init in program.choice_loops.roots:
            choices, skipped = (), number
        return next(islice(initial_states(self._machine, choices), skipped, None))
