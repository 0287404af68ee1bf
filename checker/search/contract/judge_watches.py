"""Judges states and steps by the watches of a run, one at a time: what is seen, what fails, what is left out.

`columns/judge.py` judges many at once, with the same results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from checker.core.level import STATE_STAGE, TRANSITION_STAGE, Level, StateRef, Witness
from checker.core.property import Watch
from checker.search.contract.assertion_answers import Assertions
from interpreter.state.state import State
from interpreter.state.step import ModelError, StepOrder


class Judgement(NamedTuple):
    """What the watches found in a state: whether it is pruned, and the recorded answers in order of the watches."""

    pruned: bool
    answers: tuple[bool, ...]


def leaves_out(watch: Watch, prune: bool) -> bool:
    """Whether a state at which a watch has found what it seeks is not expanded.

    `prune`: the options do not let the run go on from violations (language page, 2).
    """
    return watch.prunes and prune


def fails_in_state(watch: Watch, at: StateRef, error: ModelError, level: Level) -> None:
    """An assertion fails on a state: it has no answer there, and the error has the length of the state (12.4)."""
    level.broken.add(watch.key)
    level.fail(Witness(at, error=error, stage=STATE_STAGE))


def fails_in_step(watch: Watch, at: StateRef, order: StepOrder, target: int, error: ModelError, level: Level) -> None:
    """An assertion fails on a step from a state: it has no answer there, and the error has the length of the step."""
    level.broken.add(watch.key)
    level.fail(Witness(at, order, target, error=error, stage=TRANSITION_STAGE))


def judge_state(
    assertions: Assertions, watches: Sequence[Watch], prune: bool, state: State, at: StateRef, level: Level
) -> Judgement:
    """Judge a state by the watches of states (language page, 10.1 and 12.4).

    An assertion that fails on a state has no answer; it is recorded as false. `prune`: see `leaves_out`.
    """
    pruned = False
    answers: list[bool] = []
    for watch in watches:
        assert watch.predicate is not None
        try:
            answer = assertions.holds(watch.predicate, state)
        except ModelError as error:
            fails_in_state(watch, at, error, level)
            if watch.records:
                answers.append(False)
            continue
        if watch.records:
            answers.append(answer.value)
        if answer.value is watch.seeks:
            level.see(watch.key, Witness(at, instance=answer.instance))
            pruned |= leaves_out(watch, prune)
    return Judgement(pruned, tuple(answers))


def judge_step(
    assertions: Assertions,
    watches: Sequence[Watch],
    before: State,
    after: State,
    at: StateRef,
    order: StepOrder,
    target: int,
    level: Level,
) -> None:
    """Judge a step that is no crash by the watches of steps (language page, 10.3 and 12.4).

    `after` is the state that the step makes, not its image, in which names would mean other things than in `before`.
    `target` is the key of its image.
    """
    for watch in watches:
        assert watch.predicate is not None
        try:
            answer = assertions.holds_between(watch.predicate, before, after)
        except ModelError as error:
            fails_in_step(watch, at, order, target, error, level)
            continue
        if answer.value is watch.seeks:
            level.see(watch.key, Witness(at, order, target, answer.instance))


def judge_dead_end(watches: Sequence[Watch], at: StateRef, level: Level) -> None:
    """Note a dead end: the least one of a level is reported (language page, 12.4)."""
    for watch in watches:
        level.see(watch.key, Witness(at))
