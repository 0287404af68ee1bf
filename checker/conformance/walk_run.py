"""Runs a walk on a system, beside its model; what it did wrong is shown like a counterexample, and shortened."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from checker.conformance.allowed import SCALARS, assertion_of
from checker.conformance.plain_values import plain
from checker.conformance.tested_model import NOTHING, ModelCall, TestedModel
from interpreter import State

_STATES_SHOWN: Final = 3
_MOST_REPLAYS: Final = 300
_MOST_SECONDS: Final = 60.0
"""A system that does not answer is slow to fail."""


class Mismatch(AssertionError):
    """A system returned what its model does not explain. `moves`: the calls, the last one being the wrong one."""

    def __init__(self, text: str, moves: Sequence[ModelCall]) -> None:
        super().__init__(text)
        self.moves = tuple(moves)


class System(Protocol):
    """The system under test: made anew for each walk."""

    def call(self, move: ModelCall) -> Any:
        """Make a call; what it returned."""

    def stop(self) -> None:
        """End the system."""


@dataclass(slots=True)
class WalkStep:
    """A call that was made: what it returned, as a value of JSON, and what the model expects.

    `is_scalar`: what it returned was a number, a text, a truth value or None, and no other object.
    """

    move: ModelCall
    returned: Any
    expected: list[Any]
    is_scalar: bool = True


Start = Callable[[], System]
Choose = Callable[[list[ModelCall]], ModelCall | None]
"""Chooses one of the possible calls; None ends the walk."""


def run_walk(
    model: TestedModel,
    start: Start,
    moves: Iterable[ModelCall] | Choose,
    otherwise: Choose | None = None,
    made: list[WalkStep] | None = None,
) -> int:
    """Make the calls, those planned or those that a function chooses from the possible ones; how many were made.

    Where the system chose otherwise than the plan, a planned call may not be possible: `otherwise` then chooses in its
    place; without it the call is left out. `made`: the calls are noted there. Raises `Mismatch`, and what calls raise.
    """
    __tracebackhide__ = True  # pytest then shows the method that raised.
    steps: list[WalkStep] = [] if made is None else made
    first = len(steps)
    system = start()
    states = model.beginnings()
    planned = None if callable(moves) else iter(moves)
    try:
        while True:
            possible = model.moves(states)
            move: ModelCall | None
            if planned is None:
                assert callable(moves)
                move = moves(possible) if possible else None
            else:
                move = next(planned, None)
                if move is not None and move not in possible:
                    if otherwise is None or not possible:
                        continue
                    move = otherwise(possible)
            if move is None:
                return len(steps) - first
            steps.append(WalkStep(move, NOTHING, model.expected(states, move)))
            returned = system.call(move)
            steps[-1].returned, steps[-1].is_scalar = plain(returned), type(returned) in SCALARS
            after = model.after(states, move, steps[-1].returned)
            if not after:
                raise Mismatch(_described(model, states, steps), [step.move for step in steps])
            states = after
    finally:
        system.stop()


class LeastTaken:
    """Chooses of the possible calls the one that was taken the fewest times where these were possible."""

    def __init__(self) -> None:
        self._taken: Counter[tuple[tuple[ModelCall, ...], ModelCall]] = Counter()

    def __call__(self, possible: list[ModelCall]) -> ModelCall:
        """The first one of those."""
        here = tuple(possible)
        chosen = min(possible, key=lambda move: self._taken[here, move])
        self._taken[here, chosen] += 1
        return chosen


@dataclass(frozen=True, slots=True)
class WalkFailure:
    """How a walk failed: a `Mismatch`, or what the last call raised."""

    error: Exception
    steps: tuple[WalkStep, ...]

    @property
    def moves(self) -> tuple[ModelCall, ...]:
        """The calls that were made."""
        return tuple([step.move for step in self.steps])


def failure_of(
    model: TestedModel, start: Start, moves: Iterable[ModelCall] | Choose, otherwise: Choose | None = None
) -> WalkFailure | None:
    """Run a walk; how it failed, if it did."""
    __tracebackhide__ = True
    made: list[WalkStep] = []
    try:
        run_walk(model, start, moves, otherwise, made)
    except Exception as error:  # noqa: BLE001 - whatever the system under test raises
        return WalkFailure(error, tuple(made))
    return None


def shortened(model: TestedModel, start: Start, first: WalkFailure) -> WalkFailure:
    """A failure of the same kind by as few of the calls as possible: none of them can be left out, if there is time."""
    begun = time.monotonic()
    best = first
    replays = position = 0
    changed = False
    while replays < _MOST_REPLAYS and time.monotonic() - begun < _MOST_SECONDS:
        if position >= len(best.moves):
            if not changed:
                break
            # What was needed by a call that is gone may be gone too.
            position, changed = 0, False
        replays += 1
        found = failure_of(model, start, [*best.moves[:position], *best.moves[position + 1 :]])
        if found is not None and type(found.error) is type(first.error) and len(found.moves) < len(best.moves):
            best, changed = found, True
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


def as_function(adapter: type, failure: WalkFailure, model: TestedModel) -> str:
    """A plain test function that makes the calls, to be pasted into a file of tests."""
    body = [line for step in failure.steps for line in _plain_call(adapter, step, model)]
    lines = ["import fizzpy"] if any("fizzpy." in line for line in body) else []
    lines.append(f"system = {adapter.__name__}()")
    if callable(getattr(adapter, "start", None)):
        lines.append("system.start()")
    if callable(getattr(adapter, "stop", None)):
        lines += ["try:", *[f"    {line}" for line in body], "finally:", "    system.stop()"]
    else:
        lines += body
    return "\n".join(["def test_found_by_the_model():", *[f"    {line}".rstrip() for line in lines]])


def _plain_call(adapter: type, step: WalkStep, model: TestedModel) -> list[str]:
    """A call as a statement of Python, which asserts what the model says of what it returns."""
    call = f"system.{step.move.text}"
    if model.crashes(step.move):
        restarts = callable(getattr(adapter, "restart", None))
        return [call, *([f"system.restart({step.move.instance!r})"] if restarts else [])]
    if any(one is NOTHING for one in step.expected) or not step.expected:
        return [call]
    return [assertion_of(call, step.expected, step.returned, step.is_scalar)]
