"""Rules, execution paths, outcomes and steps. Data only.

Running a rule against a view of a state gives *execution paths*, one per combination of choices. A path records every
read of the state (`Read`) and every choice (`Fork`), in order; its result is a function of the answers alone. Engines
may therefore cache results by answers, and nothing else may influence a path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import ClassVar, NamedTuple

from fizz import Diagnostic, Span
from fizz.base.light import dataclass
from interpreter.state.state import Slot, State


class StepKind(IntEnum):
    """The kinds of steps in step order; INIT and ASSERT are kinds of rules that are no steps."""

    CONTINUE = 0
    DELIVER = 1
    START = 2
    CRASH_ROLE = 3
    INIT = 4
    ASSERT = 5


class Rule(NamedTuple):
    """Code to run with its subject, independent of a state: equal rules behave alike on equal answers.

    `subject`: CONTINUE the thread's id; DELIVER the message's id; START and INIT the routine's number; CRASH_ROLE 0;
    ASSERT the assertion's number. `instance` is the `self` of a start, a role crash or an assertion in a role.
    """

    kind: StepKind
    subject: int
    instance: tuple[str, int] | None = None


class Candidate(NamedTuple):
    """A rule in a given state: `order` is its position in step order, before choices; `name` as in language 12.2."""

    order: tuple[int, ...]
    name: str
    rule: Rule


class Read(NamedTuple):
    slot: Slot
    answer: int


class Fork(NamedTuple):
    """A choice between `size` alternatives of which this path took number `taken`; `label` is the taken one's text.

    `unique`: no two alternatives have the same text. Otherwise paths of one name count once (language page, 12.3).
    """

    size: int
    taken: int
    label: str
    unique: bool = True


CHOICE_MARK = "\0"
"""Begins a label that stands for a choice, if these are marked: then the function and the alternative, `Act.x=1`."""
GIVEN_UP_MARK = "\1"
"""Begins the last label of each outcome of paths followed together, if choices are marked: the paths given up, as JSON.
"""

SOME_INDEX = -1
"""Instead of the number of an alternative in `forks`: it was taken as an element of a set, wherever that stands among
the alternatives of a state. At most once in a path."""


def one_of_some(number: int) -> int:
    """Instead of the number of an alternative in `forks`: it is that one of all values, whichever of them the state
    admits."""
    return SOME_INDEX - number


def is_one_of_some(taken: int) -> bool:
    """Whether an entry of `forks` was made by `one_of_some`."""
    return taken < SOME_INDEX


class Cut:
    """The event at which an observer discards the reads recorded so far; observers define subclasses."""

    __slots__ = ()


Event = Read | Fork | Cut


class FairChoice(NamedTuple):
    """A passed `fair` choice: the index of its fork in the path, and its location, `self` and chosen value as texts."""

    fork: int
    location: str
    instance: str
    value: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of a step, as local writes.

    `writes`: (slot, id) with UNBOUND for a removed slot. `thread`: the id of the thread parked at the yield, None if it
    ended. `sent`: ids of queued messages. `may_crash`: the step has a twin. `returns`: (label, id) pairs. `lines`: the
    executed statements' spans in order. `value`: the verdict of an assertion.
    """

    writes: tuple[tuple[Slot, int], ...]
    thread: int | None
    sent: tuple[int, ...]
    choices: tuple[str, ...]
    forks: tuple[int, ...]
    may_crash: bool
    labels: tuple[str, ...]
    returns: tuple[tuple[str, int], ...]
    fair: tuple[FairChoice, ...]
    lines: tuple[Span, ...]
    value: bool | None = None


NO_OUTCOME = Outcome((), None, (), (), (), False, (), (), (), ())
NOT_HELD = "require"
NO_CHOICE = "nothing to choose from"
NONE_ADMITTED = "none of the values is admitted"
"""As `NO_CHOICE`, of a path that holds only where each value was asked for by a path of its own, and had none."""
NOTHING_DONE = "nothing done"
GIVEN_UP = "comes back to where another path was"
"""Reasons for which paths are no steps: after NOTHING_DONE the path ran to its end, GIVEN_UP occurs in loops of
choices."""


@dataclass(frozen=True, slots=True)
class Aborted:
    """A path that is no step: a false `require`, nothing to choose from, nothing done, given up in a loop of choices.

    `lines` as in `Outcome`.
    """

    reason: str
    span: Span
    lines: tuple[Span, ...] = ()


class Abort(Exception):
    """Raised when a path is no step: a false guard, nothing to choose from, an exhausted domain."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


_ErrorData = tuple[str, str, Span | None, str | None, tuple[str, ...]]


class ModelError(Exception):
    """A run-time error of the model: code R.., span, hint, and the active calls, innermost first."""

    AS_DATA: ClassVar = _ErrorData
    """The type of `to_data`."""

    def __init__(self, code: str, text: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.span = span
        self.hint = hint
        self.calls: tuple[str, ...] = ()

    @property
    def diagnostic(self) -> Diagnostic:
        return Diagnostic(self.code, self.text, self.span, self.hint)

    def to_data(self) -> _ErrorData:
        """The error as plain data."""
        return self.code, self.text, self.span, self.hint, self.calls

    @classmethod
    def from_data(cls, data: _ErrorData) -> ModelError:
        """The inverse of `to_data`."""
        error = cls(*data[:4])
        error.calls = data[4]
        return error

    def __reduce__(self) -> tuple[object, ...]:
        return ModelError.from_data, (self.to_data(),)


@dataclass(frozen=True, slots=True)
class Failure:
    """A path that ended in a mistake of the model. `choices` and `forks` as in `Outcome`, up to the mistake."""

    error: ModelError
    choices: tuple[str, ...]
    forks: tuple[int, ...]
    lines: tuple[Span, ...]

    @property
    def ends_step(self) -> bool:
        """Whether later paths of the step are not executed: each could be as expensive again (language page, 14)."""
        return self.error.code in ("R20", "R24")


def ends_step(result: Result) -> bool:
    """Whether a path with this result is the last one of its step."""
    return isinstance(result, Failure) and result.ends_step


def verdict_of(results: Sequence[Result]) -> Result:
    """The verdict of an assertion: that of the first path that has one."""
    for result in results:
        if isinstance(result, Failure) or (isinstance(result, Outcome) and result.value is not None):
            return result
    raise AssertionError("the last path of an assertion always has a verdict")


def is_none_admitted(result: Result) -> bool:
    """Whether a path has this result because no value of a choice is admitted."""
    return isinstance(result, Aborted) and result.reason == NONE_ADMITTED


Result = Outcome | Aborted | Failure
"""The result of an execution path."""


@dataclass(frozen=True, slots=True)
class ExecutionPath:
    """One execution of a rule for given choices: the events in order, and the result.

    `skipped`: the number of reads and choices before these events, if the path was begun after a restart. `others`: if
    all paths were followed together, the results of those after the first, in the order of their choices; the events
    are the reads of all of them then.
    """

    events: tuple[Event, ...]
    result: Result
    skipped: int = 0
    others: tuple[Result, ...] = ()

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of this path and of those that were followed together with it."""
        return (self.result, *self.others)

    def next_choices(self) -> tuple[int, ...] | None:
        """The choices of the next path, depth first; None if this was the last."""
        forks = [event for event in self.events if isinstance(event, Fork)]
        while forks:
            last = forks.pop()
            if last.taken + 1 < last.size:
                return (*(fork.taken for fork in forks), last.taken + 1)
        return None


class FairName(NamedTuple):
    """The subject of a fairness condition: an action ("action", "Node#0.Send") or its threads ("thread", …)."""

    kind: str
    name: str


_ROLE_CRASHES = (StepKind.CRASH_ROLE.value,)


class StepOrder(NamedTuple):
    """The position of a step among the steps from its source (language page, 12.2)."""

    candidate: tuple[int, ...]
    forks: tuple[int, ...]
    twin: int

    @property
    def crashes(self) -> bool:
        """Whether it is the position of a twin or of a role crash."""
        return self.twin != 0 or self.candidate[:1] == _ROLE_CRASHES


@dataclass(frozen=True, slots=True)
class Step:
    """An existing step from a state: `name` with choices and ` crash` as in language 12.2.

    `crashes`: a twin or a role crash. `actor`: the action started, or the root action of the thread.
    """

    order: StepOrder
    name: str
    rule: Rule
    target: State
    crashes: bool
    actor: str | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class StepFailure:
    """A step that failed: its order, its name, and the error."""

    order: StepOrder
    name: str
    failure: Failure


@dataclass(frozen=True, slots=True)
class Expansion:
    """All steps of one state in step order, and those that failed. `aborted` counts paths that are no step, by span."""

    steps: tuple[Step, ...]
    failures: tuple[StepFailure, ...]
    aborted: Mapping[Span, int]


@dataclass(frozen=True, slots=True)
class InitialState:
    """The initial state of one execution path of Init."""

    forks: tuple[int, ...]
    state: State
    outcome: Outcome


def step_name(name: str, choices: tuple[str, ...], twin: bool = False) -> str:
    """The name of a step: `Act[Any:x=1, Stmt:0] crash`."""
    bracket = f"[{', '.join(choices)}]" if choices else ""
    return f"{name}{bracket}{' crash' if twin else ''}"


def failed_step(candidate: Candidate, failure: Failure) -> StepFailure:
    """The step of a candidate that failed."""
    order = StepOrder(candidate.order, failure.forks, 0)
    return StepFailure(order, step_name(candidate.name, failure.choices), failure)
