"""The possible steps of a state, by the names that a guided trace uses, and which of them a line means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from checker.core.problems import UsageProblem
from checker.traces.guide import GuideLine, Link
from fizz.base.light import dataclass
from interpreter import Machine, State, Step, StepKind
from interpreter.state.step import Failure, InitialState, Outcome, StepFailure, failed_step, step_name

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
) -> Iterator[Possible]:
    """The steps of a state, also those that fail, in step order, one by one: there may be a million.

    `starts` and `crashes` include those kinds. `of`: only steps with this name, which is without choices and ` crash`.
    """
    for candidate, result in machine.results(state, starts, of=of):
        if isinstance(result, Failure):
            failure = failed_step(candidate, result)
            yield Possible(candidate.name, result.choices, result.forks, False, failure)
        elif isinstance(result, Outcome):
            for step in machine.steps_of(state, candidate, result):
                twin = step.crashes and step.rule.kind is not StepKind.CRASH_ROLE
                if crashes or not step.crashes:
                    yield Possible(candidate.name, result.choices, result.forks, twin, step)


def spelled(one: Possible, among: Sequence[Possible]) -> list[str]:
    """The choices as a guided trace spells them: the second of several with equal texts is `Any:x=1 @2`."""
    return [_Spellings(position, among).of(one) for position in range(len(one.forks))]


def all_spelled(among: Sequence[Possible]) -> list[list[str]]:
    """For each of some steps its choices, as a guided trace spells them."""
    longest = max((len(one.forks) for one in among), default=0)
    spellings = [_Spellings(position, among) for position in range(longest)]
    return [[spelling.of(one) for spelling in spellings[: len(one.forks)]] for one in among]


class _Spellings:
    """How the choices at one position are spelled among some steps."""

    def __init__(self, position: int, among: Iterable[Possible]) -> None:
        self._position = position
        found: dict[tuple[object, ...], set[int]] = {}
        for one in among:
            if len(one.forks) > position:
                found.setdefault(self._alike(one), set()).add(one.forks[position])
        self._taken = {alike: sorted(taken) for alike, taken in found.items() if len(taken) > 1}

    def _alike(self, one: Possible) -> tuple[object, ...]:
        position = self._position
        return one.name, one.crashes, one.forks[:position], one.choices[position]

    def of(self, one: Possible) -> str:
        """The choice of one of the steps, which makes one there."""
        text, taken = one.choices[self._position], self._taken.get(self._alike(one))
        return text if taken is None else f"{text} @{taken.index(one.forks[self._position]) + 1}"


def choose(possible: Sequence[Possible], link: Link, choices: list[GuideLine], remark: str = "") -> Possible:
    """The step that a link means. Removes from the front of `choices` those that it uses.

    A choice may be left out where only one step remains. Raises `UsageProblem`; `remark` then says why there are not
    more steps.
    """
    left = _named(possible, link, remark)
    position = 0
    while any(len(one.forks) > position for one in left):
        choosing = [one for one in left if len(one.forks) > position]
        spellings = _Spellings(position, choosing)
        texts = dict.fromkeys(map(spellings.of, choosing))
        text = choices[0].text if choices else None
        fitting = [one for one in choosing if text in (one.choices[position], spellings.of(one))]
        if fitting:
            left = fitting
            choices.pop(0)
        elif len(texts) > 1 and not _same(left):
            raise _undecided(link, choices, texts)
        position += 1
    if not _same(left):
        both = zip(left, all_spelled(left), strict=True)
        names = dict.fromkeys(step_name(one.name, tuple(choices), one.crashes) for one, choices in both)
        raise link.head.problem(f"'{link.head.text}' is ambiguous", _listed("it may be", names))
    return left[0]


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
