"""What else could happen in a state: its steps, and what blocks the other rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from checker.search.contract.bounds import is_cut
from checker.traces.guards import Disabled, Guards
from checker.traces.possible import Possible, possible_inits, possible_steps, spelled
from checker.tui.opened.opened_paths import Path
from fizz.base.light import dataclass
from interpreter import Machine, State, StepKind
from interpreter.state.step import Failure, StepFailure


@dataclass(frozen=True, slots=True)
class Enabled:
    """A step that exists. With `choices` its name is unique in its state; `taken`: it is the next step of the path."""

    possible: Possible
    choices: tuple[str, ...]
    taken: bool


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What could happen after one entry of a path.

    `beginnings` are the steps of Init, if the state is initial and there are several. `bound`: the value of the option
    max_actions, if so many actions were started; the check stops here.
    """

    state: State
    enabled: tuple[Enabled, ...]
    beginnings: tuple[Enabled, ...] = ()
    bound: int | None = None


class AlternativeFinder:
    """Finds what could happen in the states of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._guards = Guards(machine)

    def look(self, path: Path, index: int) -> Alternatives | None:
        """What could happen after an entry of a path; None if its state is not known."""
        state = path.state(index)
        if state is None:
            return None
        follows = path.state(index + 1)
        label = path.trace.entries[index + 1].label if index + 1 < len(path.trace.entries) else None
        possible = list(possible_steps(self.machine, state, True, crashes=True))
        starts = sum(entry.kind == "start" for entry in path.trace.entries[: index + 1])
        most = self.machine.program.options.max_actions
        return Alternatives(
            state,
            tuple(_named(possible, lambda one: one.full_name == label and _leads(one, follows))),
            tuple(self._beginnings(state)) if index == 0 else (),
            most if is_cut(starts, most) else None,
        )

    def held_back(self, alternatives: Alternatives) -> Iterator[Disabled | None]:
        """The rules without a step, one at a time; None for each rule that has one, so that the caller can pause."""
        for candidate in self.machine.candidates(alternatives.state, limits=False):
            if candidate.rule.kind is not StepKind.CRASH_ROLE:
                yield self._guards.one(candidate, alternatives.state)

    def _beginnings(self, state: State) -> Iterator[Enabled]:
        inits = [one for one in possible_inits(self.machine) if not isinstance(one.result, Failure)]
        if len(inits) > 1:
            yield from _named(inits, lambda one: one.leads_to == state)


def _named(possible: Sequence[Possible], taken: Callable[[Possible], bool]) -> Iterator[Enabled]:
    """Steps with their choices, spelled out for steps of one name."""
    often = Counter(one.full_name for one in possible)
    for one in possible:
        choices = tuple(spelled(one, possible)) if often[one.full_name] > 1 else one.choices
        yield Enabled(one, choices, taken(one))


def _leads(one: Possible, state: State | None) -> bool:
    """Does the step lead to this state; or, if there is none, does it fail?"""
    return one.leads_to == state if state is not None else isinstance(one.result, StepFailure)
