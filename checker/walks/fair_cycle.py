"""What makes a cycle the cycle of a counterexample: it is fair, and the property stays false (language page, 10.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from checker.engines.assertions import Assertions
from checker.liveness.fairness import sentences
from checker.liveness.graph import (
    NONE,
    Graph,
    LiveStep,
    Mark,
    Obligations,
    Strength,
    available,
    marks_of,
    obligation_of,
)
from checker.liveness.lasso import Lasso
from checker.properties.liveness import Liveness
from checker.walks.moves import Move, Moves
from interpreter import Machine, ModelError, State


class Account(NamedTuple):
    """What fairness knows of a way: what it has taken; what it owes for having been where that is available or offered;
    and the weak names that were available in every state of it.
    """

    taken: Obligations
    owed: Obligations
    always: Obligations

    @property
    def settled(self) -> bool:
        """Would a cycle with this account be fair?"""
        return self.owed <= self.taken and self.always <= self.taken


class FairCycles:
    """Judges cycles of one machine that shall violate one property, step by step."""

    def __init__(self, machine: Machine, moves: Moves, assertions: Assertions, property: Liveness) -> None:
        self.machine = machine
        self._moves = moves
        self._assertions = assertions
        self._property = property
        self._live: dict[State, list[LiveStep]] = {}
        self._marks: dict[State, list[Mark]] = {}

    @property
    def states(self) -> int:
        """How many states were looked at."""
        return len(self._live)

    def begun(self, head: State) -> Account:
        """The account of a cycle that begins in this state."""
        strong, weak = self._needs(head)
        return Account(NONE, strong, weak)

    def after(self, account: Account, state: State, move: Move) -> Account | None:
        """The account when a move from this state was made; None if no cycle of a counterexample makes it."""
        if move.crashes or not self._stays_false(move.target):
            return None
        mark = next(mark for mark in self._marks_of(state) if mark.order == move.order)
        strong, weak = self._needs(move.target)
        return Account(account.taken | mark.takes, account.owed | mark.offers | strong, account.always & weak)

    def judged(self, head: State, moves: Sequence[Move]) -> bool:
        """Are these moves the cycle of a counterexample that begins in this state?"""
        account, state = self.begun(head), head
        for move in moves:
            following = self.after(account, state, move)
            if following is None:
                return False
            account, state = following, move.target
        return state == head and account.settled

    def sentences(self, head: State, moves: Sequence[Move]) -> tuple[str, ...]:
        """Why the cycle is fair, as the engines say it."""
        numbers = {state: n for n, state in enumerate(dict.fromkeys([head, *(move.target for move in moves)]))}
        graph = Graph(lambda number: number)
        states = list(numbers)
        edges: dict[int, list[tuple[Mark, int]]] = {}
        walked: list[tuple[int, int]] = []
        source = head
        for move in moves:
            out = edges.setdefault(numbers[source], [])
            walked.append((numbers[source], len(out)))
            mark = next(mark for mark in self._marks_of(source) if mark.order == move.order)
            out.append((mark, numbers[move.target]))
            source = move.target
        for number, state in enumerate(states):
            graph.needs.append(number)
            graph.need_table.append(available(self._steps(state)))
            for mark, target in edges.get(number, ()):
                graph.marks.append(len(graph.mark_table))
                graph.mark_table.append(mark)
                graph.targets.append(target)
            graph.first.append(len(graph.targets))
        cycle = tuple(graph.first[number] + position for number, position in walked)
        return sentences(graph, Lasso(numbers[head], cycle, stutter=False))

    def _stays_false(self, state: State) -> bool:
        """What is to settle need be false but once on the cycle, and it is where that begins."""
        if self._property.settles:
            return True
        assert self._property.assertion is not None
        try:
            return not self._assertions.holds(self._property.assertion, state).value
        except ModelError:
            return False

    def _needs(self, state: State) -> tuple[Obligations, Obligations]:
        """The names that are available there: the strong ones, and the weak ones."""
        names = available(self._steps(state))
        strong = frozenset(name for name in names if name.strength == Strength.STRONG)
        return strong, names - strong

    def _steps(self, state: State) -> list[LiveStep]:
        if state not in self._live:
            fair_name = self.machine.fair_name
            self._live[state] = [
                LiveStep(move.order, obligation_of(fair_name(move.rule)), move.fair)
                for move in self._moves.of(state).moves
                if not move.crashes
            ]
        return self._live[state]

    def _marks_of(self, state: State) -> list[Mark]:
        if state not in self._marks:
            self._marks[state] = marks_of(self._steps(state))
        return self._marks[state]
