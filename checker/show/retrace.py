"""From a trace that was told back to the states of a machine, step by step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from checker.problems import UsageProblem
from checker.replay import changes, failed_entry, init_entry, step_entry
from checker.trace import Change, Trace, TraceEntry
from checker.walks.possible import Possible, possible_inits, possible_steps
from interpreter import Machine, State, Step
from interpreter.step import InitialState, StepFailure

_MOST_NAMES = 6
_STANDING = re.compile(r' at [^{}"]*?(:\d+)')


@dataclass(frozen=True, slots=True)
class Path:
    """A trace, and the states of a machine after its entries.

    There are fewer states than entries if the last step fails, or if the machine could not follow (see `follow`).
    """

    trace: Trace
    states: tuple[State, ...]

    def state(self, index: int) -> State | None:
        """The state after an entry, if it is known."""
        return self.states[index] if index < len(self.states) else None


class Told(NamedTuple):
    """What was written down of a step. `fails`: the model failed in it; or, if no such step fails, after it."""

    label: str
    changes: tuple[Change, ...]
    fails: bool = False


def follow(machine: Machine, trace: Trace) -> Path:
    """The states of a trace that was told of this very model, as far as they can be found.

    A trace of least images, of a model that does not respect its own symmetry, has steps that nobody can take.
    """
    walk = _Retracing(machine)
    for entry in trace.entries:
        if not walk.take(Told(entry.label, entry.changes, entry.fails)):
            break
    return Path(trace, tuple(walk.states))


def retrace(machine: Machine, told: Sequence[Told], source: str) -> Path:
    """The trace that leads through steps of which label and changes are known.

    Raises `UsageProblem` if the model, as it is now, has no such steps; `source` says where they are from.
    """
    walk = _Retracing(machine)
    for number, one in enumerate(told):
        if not walk.take(one) and not (one.fails and walk.take(one._replace(fails=False))):
            step = f"step {number}, '{one.label}'" if number else f"'{one.label}'"
            names = list(dict.fromkeys(p.full_name for p in walk.possible()))
            more = ", ..." if len(names) > _MOST_NAMES else ""
            here = f"the steps there are {', '.join(names[:_MOST_NAMES])}{more}" if names else "there is no step at all"
            raise UsageProblem(
                f"{source} does not fit {machine.program.path}: nothing does what it tells of {step}; {here}",
                "has the model changed? Check it again. Was it given constants or options? Repeat --set and --option.",
            )
    return Path(Trace(tuple(walk.entries)), tuple(walk.states))


class _Retracing:
    """A run that is made again."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.entries: list[TraceEntry] = []
        self.states: list[State] = []

    def possible(self, of: str | None = None) -> list[Possible]:
        """What may come next, or those of it that have this name."""
        if not self.states:
            return possible_inits(self.machine)
        return possible_steps(self.machine, self.states[-1], True, crashes=True, of=of)

    def take(self, told: Told) -> bool:
        """Go on as was told; False if nothing does that."""
        for one in self.possible(told.label.partition("[")[0].removesuffix(" crash")):
            if one.full_name == told.label and (entry := self._entry(one, told)) is not None:
                self.entries.append(entry)
                return True
        return False

    def _entry(self, one: Possible, told: Told) -> TraceEntry | None:
        match one.result:
            case InitialState(outcome=outcome, state=state):
                entry = init_entry(self.machine, outcome, state)
                if _pathless(entry.changes) != _pathless(told.changes):
                    return None
                self.states.append(state)
                return entry
            case Step(target=target) as step if not told.fails:
                before = self.states[-1]
                found = changes(self.machine.describe(before), self.machine.describe(target))
                if _pathless(found) != _pathless(told.changes):
                    return None
                self.states.append(target)
                return step_entry(self.machine, before, step, target)
            case StepFailure() as failure if told.fails:
                return failed_entry(self.machine, self.states[-1], failure)
        return None


def _pathless(found: Sequence[Change]) -> list[tuple[str, str | None, str | None]]:
    """Changes without the path of the model, which is in the texts of threads: it may lie elsewhere now."""
    return [
        (one.place, one.old and _STANDING.sub(r" at \1", one.old), one.new and _STANDING.sub(r" at \1", one.new))
        if one.place.startswith("thread-")
        else (one.place, one.old, one.new)
        for one in found
    ]


def begun(machine: Machine, one: Possible) -> Path:
    """The path that begins with a way through Init."""
    assert isinstance(one.result, InitialState)
    return Path(Trace((init_entry(machine, one.result.outcome, one.result.state),)), (one.result.state,))


def extended(machine: Machine, path: Path, index: int, one: Possible) -> Path:
    """The path up to an entry, and one step more."""
    before = path.states[index]
    kept = path.trace.entries[: index + 1]
    states = path.states[: index + 1]
    if isinstance(one.result, StepFailure):
        return Path(Trace((*kept, failed_entry(machine, before, one.result))), states)
    assert isinstance(one.result, Step)
    entry = step_entry(machine, before, one.result, one.result.target)
    return Path(Trace((*kept, entry)), (*states, one.result.target))
