"""Runs a walk on a system, beside its model; what it did wrong is shown like a counterexample, and shortened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from checker.conformance.tested_model import NOTHING, ModelCall, TestedModel
from interpreter import State

_STATES_SHOWN: Final = 3
_MOST_REPLAYS: Final = 300


class Mismatch(AssertionError):
    """A system returned what its model does not explain. `moves`: the calls, the last one being the wrong one."""

    def __init__(self, text: str, moves: Sequence[ModelCall]) -> None:
        super().__init__(text)
        self.moves = tuple(moves)


class System(Protocol):
    """The system under test: made anew for each walk."""

    def call(self, move: ModelCall) -> Any:
        """Make a call; what it returned, as a value of JSON."""

    def stop(self) -> None:
        """End the system."""


@dataclass(slots=True)
class WalkStep:
    """A call that was made: what it returned, and what the model expects."""

    move: ModelCall
    returned: Any
    expected: list[Any]


Start = Callable[[], System]
Choose = Callable[[list[ModelCall]], ModelCall | None]
"""Chooses one of the possible calls; None ends the walk."""


def run_walk(
    model: TestedModel, start: Start, moves: Iterable[ModelCall] | Callable[[list[ModelCall]], ModelCall | None]
) -> int:
    """Make the calls, those planned or those that a function chooses from the possible ones; how many were made.

    A planned call that the system's states do not all allow ends the walk: the system chose otherwise than the plan.
    Raises `Mismatch`.
    """
    system = start()
    steps: list[WalkStep] = []
    states = model.beginnings()
    planned = None if callable(moves) else iter(moves)
    try:
        while True:
            if planned is None:
                assert callable(moves)
                possible = model.moves(states)
                move = moves(possible) if possible else None
            else:
                move = next(planned, None)
            if move is None or (planned is not None and move not in model.moves(states)):
                return len(steps)
            try:
                returned = system.call(move)
            except Exception as failure:
                calls = "\n".join(f"    {step.move.text}" for step in [*steps, WalkStep(move, None, [])])
                failure.add_note(f"the calls until then:\n{calls}")
                raise
            steps.append(WalkStep(move, returned, model.expected(states, move)))
            after = model.after(states, move, returned)
            if not after:
                raise Mismatch(_described(model, states, steps), [step.move for step in steps])
            states = after
    finally:
        system.stop()


def shortened(model: TestedModel, start: Start, first: Mismatch) -> Mismatch:
    """A mismatch that is found by as few of the calls as possible: none of them can be left out."""
    best = first
    replays = position = 0
    changed = False
    while replays < _MOST_REPLAYS:
        if position >= len(best.moves):
            if not changed:
                break
            # What was needed by a call that is gone may be gone too.
            position, changed = 0, False
        replays += 1
        try:
            run_walk(model, start, [*best.moves[:position], *best.moves[position + 1 :]])
        except Mismatch as found:
            best, changed = found, True
        except Exception:  # noqa: BLE001 - another failure of the system is no shorter form of this one
            position += 1
        else:
            position += 1
    return best


def _described(model: TestedModel, states: frozenset[State], steps: Sequence[WalkStep]) -> str:
    last = steps[-1]
    lines = [f"{last.move.text} returned {last.returned!r}; the model allows {_listed(last.expected)}", ""]
    for number, step in enumerate(steps, 1):
        lines.append(f"{number:>4}  {step.move.text} -> {step.returned!r}")
    for number, state in enumerate(sorted(states, key=model.machine.key)[:_STATES_SHOWN]):
        lines.append("the state may be before the last call:" if not number else "or:")
        lines += [f"    {path} = {value}" for path, value in model.machine.describe(state)]
    return "\n".join(lines)


def _listed(expected: Sequence[Any]) -> str:
    return " or ".join("anything" if one is NOTHING else repr(one) for one in expected) or "no such call"


def as_function(adapter: str, steps: Mismatch, model: TestedModel) -> str:
    """A plain test function that makes the calls, to be pasted into a file of tests."""
    lines = ["def test_found_by_the_model():", f"    system = {adapter}()", "    system.start()"]
    states = model.beginnings()
    for move in steps.moves:
        expected = model.expected(states, move)
        sure = len(expected) == 1 and expected[0] is not NOTHING
        call = f"system.{move.text}"
        lines.append(f"    assert {call} == {expected[0]!r}" if sure else f"    {call}")
        after = [model.after(states, move, one) for one in expected]
        states = frozenset().union(*after) if after else frozenset()
    return "\n".join(lines)
