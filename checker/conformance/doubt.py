"""The first doubtful event of a run: one that was explained in more than one way, apart from the order of events.

Events of several processes may come in many orders, and steps that do not touch each other in any; that is no doubt:
all orders lead to the same states. There is doubt where an event may have been several steps that lead to different
states, or may have followed silent steps that do. Where a log is rejected, the mistake may be as early as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from checker.conformance.observed_event import Doubt, Observed
from checker.conformance.step_fit import StepFit
from interpreter import State


class Explained(Protocol):
    """A node of a run: a state that explains some events. `ways`: to how many states its event leads from before it."""

    @property
    def state(self) -> State:
        """The state."""

    @property
    def event(self) -> Observed | None:
        """The event that led to it; None: a silent step did, or nothing."""

    @property
    def ways(self) -> int:
        """To how many states the event leads from the node before."""

    @property
    def consumed(self) -> int:
        """How many events are explained."""


def first_doubt(path: Sequence[Explained], fit: StepFit, beginnings: Sequence[State]) -> Doubt | None:
    """The first doubtful event of a run, whose nodes are these. `beginnings`: the states in which runs begin."""
    silent: list[Explained] = []
    for before, after in pairwise(path):
        if after.event is None:
            silent.append(before)
            continue
        why = _why(before, after, fit, silent)
        if not why and not before.consumed and _fit_from(beginnings, after.event, fit) > 1:
            why = "it fits in several initial states"
        if why:
            return Doubt(after.event, why)
        silent.clear()
    return None


def _why(before: Explained, after: Explained, fit: StepFit, silent: Sequence[Explained]) -> str:
    """Why an event is doubtful; empty if it is not. `silent`: the nodes that silent steps led away from just before."""
    assert after.event is not None
    if after.ways > 1:
        return f"it may be steps to {after.ways} different states"
    if silent and _might_go_elsewhere([*silent, before], after.event, fit):
        return "other silent steps may have come before it"
    if _might_follow_more(before.state, after.state, after.event, fit):
        return "a silent step may have come before it"
    return ""


def _might_go_elsewhere(chain: Sequence[Explained], event: Observed, fit: StepFit) -> bool:
    """Whether the event fits already before the last of some silent steps, or one of them might have been another."""
    for here, following in pairwise(chain):
        if _after(here.state, event, fit):
            return True
        beyond = _after_silence(following.state, fit) | {following.state}
        for other in _after_silence(here.state, fit) - {here.state, following.state}:
            # Two steps that may come in either order lead to the same state.
            if beyond.isdisjoint(_after_silence(other, fit) | {other}):
                return True
    return False


def _might_follow_more(before: State, after: State, event: Observed, fit: StepFit) -> bool:
    """Whether a further silent step before an event leads to a state to which none leads after it."""
    for state in _after_silence(before, fit) - {before}:
        if not _after(state, event, fit) <= {after, *_after_silence(after, fit)}:
            return True
    return False


def _after_silence(state: State, fit: StepFit) -> set[State]:
    """The states after one silent step."""
    return {step.target for step in fit.silent_steps(state)}


def _after(state: State, event: Observed, fit: StepFit) -> set[State]:
    """The states after a step that the event may be."""
    found = (step for one in event.readings for step in fit.moves(state, one))
    return {state if step is None else step.target for step in found}


def _fit_from(states: Sequence[State], event: Observed, fit: StepFit) -> int:
    """In how many states the event fits."""
    return sum(bool(_after(state, event, fit)) for state in states)
