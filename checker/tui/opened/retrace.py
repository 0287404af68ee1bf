"""From the steps of a trace back to the states of a machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from checker.core.problems import UsageProblem
from checker.core.trace import Change, Trace, TraceEntry
from checker.traces.possible import Possible, possible_inits, possible_steps
from checker.traces.replay import failed_entry, init_entry, step_entry
from checker.tui.opened.opened_paths import Path
from checker.tui.opened.step_record import StepRecord
from interpreter import Machine, State, Step
from interpreter.state.step import InitialState, StepFailure

_MOST_NAMES = 6
_POSITION = re.compile(r' at [^{}"]*?(:\d+)')


def follow(machine: Machine, trace: Trace) -> Path:
    """The states of a trace of this very model, as far as they can be found.

    Where states represent others (see `_Retracing`) the entries of the trace are kept.
    """
    walk = _Retracing(machine)
    for entry in trace.entries:
        if not walk.take(StepRecord(entry.label, entry.changes, entry.fails)):
            break
    return Path(trace, tuple(walk.states), walk.remark)


def retrace(machine: Machine, records: Sequence[StepRecord], source: str) -> Path:
    """The trace with these labels and changes.

    Raises `UsageProblem` if the model, as it is now, has no such steps; `source` names their origin.
    """
    walk = _Retracing(machine)
    for number, one in enumerate(records):
        if not walk.take(one) and not (one.fails and walk.take(one._replace(fails=False))):
            step = f"step {number}, '{one.label}'" if number else f"'{one.label}'"
            names = list(dict.fromkeys(p.full_name for p in walk.possible()))
            more = ", ..." if len(names) > _MOST_NAMES else ""
            here = f"the steps there are {', '.join(names[:_MOST_NAMES])}{more}" if names else "there is no step at all"
            raise UsageProblem(
                f"{source} does not fit {machine.program.path}: no step has the changes of {step}; {here}",
                "has the model changed? Check it again. If the file does not name them, repeat --set and --option.",
            )
    return Path(Trace(tuple(walk.entries)), tuple(walk.states), walk.remark)


class _Retracing:
    """Replays a run from records of its steps.

    A counterexample need not be an exact run: under a symmetry that the model does not respect it may consist of least
    images, and states that differ only in excluded variables are one state to a check. If no step has the recorded
    changes, a step is taken whose target's image has them, or that differs only in such variables. `remark` says so.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.entries: list[TraceEntry] = []
        self.states: list[State] = []
        self.remark = ""

    def possible(self, of: str | None = None) -> list[Possible]:
        """The possible next steps, or those of this name."""
        if not self.states:
            return possible_inits(self.machine)
        return list(possible_steps(self.machine, self.states[-1], True, crashes=True, of=of))

    def take(self, record: StepRecord) -> bool:
        """Take the recorded step; False if there is none."""
        names = self.possible(record.label.partition("[")[0].removesuffix(" crash"))
        named = [one for one in names if one.full_name == record.label]
        return any(self._takes(one, record, match) for match in self._matches() for one in named)

    def _matches(self) -> list[_StateMatch]:
        """How recorded states may represent those of a run, the most exact first."""
        excluded = self.machine.program.options.exclude
        return [
            _StateMatch(),
            *([_StateMatch(image=True)] if self.machine.symmetric else []),
            *([_StateMatch(excluded=excluded)] if excluded else []),
        ]

    def _takes(self, one: Possible, record: StepRecord, match: _StateMatch) -> bool:
        """Take a step, or one of Init, if it has the recorded changes."""
        match one.result:
            case InitialState(outcome=outcome, state=state):
                state = self._shown(state, match)
                entry = init_entry(self.machine, outcome, state)
                found: Sequence[Change] = entry.changes
            case Step(target=target) as step if not record.fails:
                state = self._shown(target, match)
                entry = step_entry(self.machine, self.states[-1], step, state)
                found = entry.changes
            case StepFailure() as failure if record.fails:
                self.entries.append(failed_entry(self.machine, self.states[-1], failure))
                return True
            case _:
                return False
        if _comparable(found, match.excluded) != _comparable(record.changes, match.excluded):
            return False
        self.remark = self.remark or match.remark(len(self.states))
        self.states.append(state)
        self.entries.append(entry)
        return True

    def _shown(self, state: State, match: _StateMatch) -> State:
        return self.machine.canonical(state) if match.image else state


class _StateMatch(NamedTuple):
    """How a recorded state represents one of a run: as its least image, or except for excluded variables."""

    image: bool = False
    excluded: tuple[str, ...] = ()

    def remark(self, step: int) -> str:
        """The remark for a path that is inexact from this step on."""
        if self.image:
            return f"from step {step} on the states are images: the model breaks its symmetry (--no-symmetry)"
        if self.excluded:
            names = ", ".join(self.excluded)
            return f"from step {step} on this run has other values of {names}, which identity.exclude leaves out"
        return ""


def _comparable(found: Sequence[Change], excluded: Sequence[str]) -> list[tuple[str, str | None, str | None]]:
    """Changes without these variables, and without the path of the model in threads: it may have moved."""
    return [
        (one.place, one.old and _POSITION.sub(r" at \1", one.old), one.new and _POSITION.sub(r" at \1", one.new))
        if one.place.startswith("thread-")
        else (one.place, one.old, one.new)
        for one in found
        if one.place not in excluded
    ]


def begun(machine: Machine, one: Possible) -> Path:
    """The path that begins with a step of Init."""
    assert isinstance(one.result, InitialState)
    return Path(Trace((init_entry(machine, one.result.outcome, one.result.state),)), (one.result.state,))


def extended(machine: Machine, path: Path, index: int, one: Possible) -> Path:
    """The path up to an entry, and one step more."""
    before = path.states[index]
    before_it = path.trace.entries[: index + 1]
    states = path.states[: index + 1]
    if isinstance(one.result, StepFailure):
        return Path(Trace((*before_it, failed_entry(machine, before, one.result))), states)
    assert isinstance(one.result, Step)
    entry = step_entry(machine, before, one.result, one.result.target)
    return Path(Trace((*before_it, entry)), (*states, one.result.target))
