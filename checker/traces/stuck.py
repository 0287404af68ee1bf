"""Why a state has no step: what holds back each action, thread and message."""

from __future__ import annotations

from checker.core.trace import Held, Stuck
from checker.traces.guards import Guards
from interpreter import Machine, State, StepKind


def stuck(machine: Machine, state: State) -> Stuck:
    """Why a state has no step."""
    guards = Guards(machine)
    held: list[Held] = []
    limited: list[str] = []
    for candidate in machine.candidates(state, limits=False):
        if candidate.rule.kind is StepKind.CRASH_ROLE:
            continue
        # What would have no step without limits either is not held back by them.
        ends = guards.ends(candidate.rule, state)
        if ends:
            first = ends[0]
            held.append(Held(candidate.name, first.file, first.line, first.text, first.facts))
        else:
            limited.append(candidate.name)
    blocked = {(span.file, span.line) for span in machine.steps(state).aborted}
    return Stuck(tuple(sorted(blocked)), tuple(limited), tuple(held))
