"""The possible steps of a state, by the names that a guided trace uses, and which of them a line means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checker.core.problems import UsageProblem
from checker.traces.guide import GuideLine, Link
from fizz.base.light import dataclass
from interpreter import Machine, State, Step, StepKind
from interpreter.state.step import Failure, InitialState, StepFailure, step_name

_MOST_NAMES = 40


@dataclass(frozen=True, slots=True)
class Possible:
    """A step of a state or an execution path of Init, or one that fails. `name` is without choices and ` crash`."""

    name: str
    choices: tuple[str, ...]
    forks: tuple[int, ...]
    crashes: bool
    result: Step | StepFailure | InitialState | Failure

    @property
    def full_name(self) -> str:
        return step_name(self.name, self.choices, self.crashes)

    @property
    def begins(self) -> bool:
        """Whether it is an execution path of Init that leads to a state."""
        return isinstance(self.result, InitialState)

    @property
    def leads_to(self) -> object:
        """The state after it; for a failure the failure itself."""
        match self.result:
            case Step(target=target):
                return target
            case InitialState(state=state):
                return state
        return self.result


def possible_inits(machine: Machine) -> list[Possible]:
    """The execution paths of Init, also those that fail."""
    states, failures = machine.initial()
    found = [Possible("Init", state.outcome.choices, state.forks, False, state) for state in states]
    return found + [Possible("Init", failure.choices, failure.forks, False, failure) for failure in failures]


def possible_steps(
    machine: Machine, state: State, starts: bool, crashes: bool, of: str | None = None
) -> list[Possible]:
    """The steps of a state, also those that fail, in step order; `starts` and `crashes` include those kinds.

    `of`: only steps with this name, which is without choices and ` crash`.
    """
    expansion = machine.steps(state, starts, of=of)
    found = []
    for step in expansion.steps:
        twin = step.crashes and step.rule.kind is not StepKind.CRASH_ROLE
        if crashes or not step.crashes:
            bare = _bare(step.name.removesuffix(" crash") if twin else step.name)
            found.append((step.order, Possible(bare, step.outcome.choices, step.order.forks, twin, step)))
    for failure in expansion.failures:
        choices = failure.failure.choices
        found.append((failure.order, Possible(_bare(failure.name), choices, failure.order.forks, False, failure)))
    return [possible for _, possible in sorted(found, key=lambda pair: pair[0])]


def _bare(name: str) -> str:
    return name.partition("[")[0]


def spelled(one: Possible, among: Sequence[Possible]) -> list[str]:
    """The choices as a guided trace spells them: the second of several with equal texts is `Any:x=1 @2`."""
    return [_spelling(one, position, among) for position in range(len(one.forks))]


def _spelling(one: Possible, position: int, among: Sequence[Possible]) -> str:
    text, earlier = one.choices[position], one.forks[:position]
    alike = {
        other.forks[position]
        for other in among
        if (other.name, other.crashes, other.forks[:position]) == (one.name, one.crashes, earlier)
        and len(other.forks) > position
        and other.choices[position] == text
    }
    return text if len(alike) == 1 else f"{text} @{sorted(alike).index(one.forks[position]) + 1}"


def choose(possible: Sequence[Possible], link: Link, choices: list[GuideLine], remark: str = "") -> Possible:
    """The step that a link means. Removes from the front of `choices` those that it uses.

    A choice may be left out where only one step remains. Raises `UsageProblem`; `remark` then says why there are not
    more steps.
    """
    left = _named(possible, link, remark)
    position = 0
    while any(len(one.forks) > position for one in left):
        texts = dict.fromkeys(_spelling(one, position, left) for one in left if len(one.forks) > position)
        fitting = [one for one in left if choices and _fits(one, position, left, choices[0].text)]
        if fitting:
            left = fitting
            choices.pop(0)
        elif len(texts) > 1 and not _same(left):
            raise _undecided(link, choices, texts)
        position += 1
    if not _same(left):
        names = dict.fromkeys(step_name(one.name, tuple(spelled(one, left)), one.crashes) for one in left)
        raise link.head.problem(f"'{link.head.text}' is ambiguous", _listed("it may be", names))
    return left[0]


def _fits(one: Possible, position: int, among: Sequence[Possible], text: str) -> bool:
    return len(one.forks) > position and text in (one.choices[position], _spelling(one, position, among))


def _same(left: Sequence[Possible]) -> bool:
    return len({one.leads_to for one in left}) == 1


def meant(possible: Sequence[Possible], link: Link) -> list[Possible]:
    """The steps with the name of a link, with any choices."""
    text, crashes = link.head.text, link.crash is not None
    found = [one for one in possible if one.name == text and one.crashes == crashes]
    whole = f"{text} crash" if crashes else text
    return found or [one for one in possible if one.full_name == whole]


def _named(possible: Sequence[Possible], link: Link, remark: str) -> list[Possible]:
    """The steps with the name of a link, either bare or full, with choices and crash. Raises `UsageProblem`."""
    found, head = meant(possible, link), link.head
    if found:
        return found
    if link.crash is not None and any(head.text in (one.name, one.full_name) for one in possible):
        raise link.crash.problem(f"'{head.text}' has no crash twin here", "it ends its thread, or nothing may crash")
    listed = _listed("the steps here are", dict.fromkeys(one.full_name for one in possible))
    raise head.problem(f"'{head.text}' fits no existing step", f"{listed}; {remark}" if remark else listed)


def _undecided(link: Link, choices: Sequence[GuideLine], texts: Iterable[str]) -> UsageProblem:
    listed = _listed("the choices are", texts)
    if choices:
        return choices[0].problem(f"'{choices[0].text}' is no choice of '{link.head.text}' here", listed)
    return link.head.problem(f"'{link.head.text}' needs a choice", f"{listed}; write one in the next line")


def _listed(what: str, names: Iterable[str]) -> str:
    names = list(names)
    if not names:
        return "there is no step at all"
    more = len(names) - _MOST_NAMES
    return f"{what} {', '.join(names[:_MOST_NAMES])}" + (f" and {more:,} more" if more > 0 else "")
