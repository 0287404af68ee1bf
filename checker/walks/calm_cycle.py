"""The cycle of a lasso made calmer: from the same state back to it, in as many steps, with fewer context switches.

In another order its states are others, and so is what fairness asks of them: each cycle is judged anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from checker.walks.fair_cycle import Account, FairCycles
from checker.walks.joining import Joiner
from checker.walks.moves import Move, Moves, move_of, path_to
from checker.walks.switches import Context, Contexts
from checker.walks.walk import Walk
from interpreter import Machine, State, Step, StepKind
from interpreter.step import NO_OUTCOME, InitialState

MOST_STATES: Final = 1_000
MOST_PLACES: Final = 5_000
"""States that a search meets, and ways to be in them that it goes on from, before it is given up."""


@dataclass(slots=True, eq=False)
class _Place:
    """A way to be in a state of a cycle, with what fairness knows of it."""

    state: State
    account: Account
    starts: int = 0
    context: Context | None = None
    before: _Place | None = None
    move: Move | None = None


class CycleCalmer:
    """Finds calmer cycles of one machine. `most_joined`: how many steps all replays of pieces together may take."""

    def __init__(self, machine: Machine, moves: Moves, contexts: Contexts, most_joined: int) -> None:
        self.machine = machine
        self.moves = moves
        self.contexts = contexts
        self.most_joined = most_joined

    def calmer(self, head: State, cycle: tuple[Step, ...], fair: FairCycles) -> tuple[Step, ...] | None:
        """The cycle with the fewest context switches that was found; None if none has fewer than this one."""
        if not fair.judged(head, [move_of(step) for step in cycle]):
            # What stands for others, as under a symmetry that is not kept, is told as it was found.
            return None
        known = Walk(self.machine, InitialState((), head, NO_OUTCOME), list(cycle))
        joined = Joiner(self.machine, lambda run: self._is_cycle(run, len(cycle), fair), self.most_joined).join(known)
        place = self._searched(head, cycle, self.contexts.switches(joined.steps), fair)
        if place is not None:
            return tuple(self.moves.step(state, move) for state, move in reversed(list(path_to(place))))
        return None if joined is known else tuple(joined.steps)

    def _is_cycle(self, run: Walk, length: int, fair: FairCycles) -> bool:
        return len(run.steps) == length and fair.judged(run.start.state, [move_of(step) for step in run.steps])

    def _searched(self, head: State, cycle: tuple[Step, ...], most: int, fair: FairCycles) -> _Place | None:
        """Where a cycle with fewer than `most` switches ends. Ways are gone through by switches, then by length.

        Ways that are in the same state, with the same account and mover, go on alike: the first one counts. The cycle
        starts as many actions as the one that is known: what bounds the exploration is the number of starts.
        """
        starts = sum(step.rule.kind is StepKind.START for step in cycle)
        waiting: defaultdict[tuple[int, int], list[_Place]] = defaultdict(list)
        waiting[0, 0].append(_Place(head, fair.begun(head)))
        seen: set[tuple[object, ...]] = set()
        for switches in range(most):
            for level in range(len(cycle)):
                for place in waiting.pop((switches, level), ()):
                    key = (level, place.state, place.account, place.context, place.starts)
                    if key in seen:
                        continue
                    seen.add(key)
                    if len(seen) > MOST_PLACES or fair.states > MOST_STATES:
                        return None
                    for following, more in self._following(place, fair):
                        if following.starts <= starts:
                            waiting[switches + more, level + 1].append(following)
            for place in waiting.pop((switches, len(cycle)), ()):
                if place.state == head and place.starts == starts and place.account.settled:
                    return place
        return None

    def _following(self, place: _Place, fair: FairCycles) -> Iterator[tuple[_Place, bool]]:
        """Where the moves of a state lead on a cycle, and whether each is a context switch."""
        for move in self.moves.of(place.state).moves:
            account = fair.after(place.account, place.state, move)
            if account is not None:
                starts = place.starts + (move.rule.kind is StepKind.START)
                context = self.contexts.after(move.rule, move.thread, move.target)
                switch = not self.contexts.goes_on(place.context, move.rule)
                yield _Place(move.target, account, starts, context, place, move), switch
