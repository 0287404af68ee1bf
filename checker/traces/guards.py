"""What holds back the actions and threads that have no step in a state: for each the guards at which its ways ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal as OneOf

from checker.traces.why import source_text
from fizz import Span
from fizz.base.light import dataclass
from interpreter import Machine, State
from interpreter.explain.paths import Ending, GuardKind, PathExplainer
from interpreter.state.step import (
    GIVEN_UP,
    NOTHING_DONE,
    Aborted,
    Candidate,
    ExecutionPath,
    Failure,
    Fork,
    Outcome,
    Result,
    Rule,
    StepKind,
)

_MOST_WAYS = 1_000
"""Ways through one step that are looked at; of more, those after them are not told of."""

_MOST_WATCHED = 50
"""Ways through one step that are gone again to learn what ended them."""


@dataclass(frozen=True, slots=True)
class FailedGuard:
    """What ended ways through a step.

    `kind` "limit": an option keeps the action from starting. `file` and `line` are those of the guard, `text` is the
    source text of its condition, or the option; `facts` are the condition and its parts with their values, as texts,
    the most telling first. `ways`: how many ways ended here; `choices` are those of the first of them.
    """

    kind: GuardKind | OneOf["limit"]
    file: str
    line: int
    text: str
    facts: tuple[tuple[str, str], ...]
    choices: tuple[str, ...] = ()
    ways: int = 1


@dataclass(frozen=True, slots=True)
class Disabled:
    """Something that has no step in a state.

    `name` is that of its steps (`Act`, `Node#0.Act`, `thread-0`, `channel-0-message-0`), `actor` the action that moves
    (of a thread its root action). `guards` in the order in which ways met them; there is always one.
    """

    name: str
    kind: OneOf["start", "continue", "deliver"]
    actor: str
    guards: tuple[FailedGuard, ...]


_KINDS: dict[StepKind, OneOf["start", "continue", "deliver"]] = {
    StepKind.START: "start",
    StepKind.CONTINUE: "continue",
    StepKind.DELIVER: "deliver",
}


def disabled(machine: Machine, state: State, starts: bool = True) -> tuple[Disabled, ...]:
    """The actions, threads and messages that have no step in a state, in step order.

    `starts` False: the bound of the exploration is reached, so that no action starts.
    """
    return Guards(machine).disabled(state, starts)


def is_step(machine: Machine, state: State, rule: Rule, result: Result) -> bool:
    """Whether a way with this result is a step from a state; one that fails is told of as such."""
    if isinstance(result, Outcome):
        # Only domains can forbid what a way leads to.
        return not machine.symmetric or machine.apply(state, rule, result) is not None
    return isinstance(result, Failure)


class Guards:
    """Finds out what holds back steps, for states of one machine. Keep one for many states."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._explainer = PathExplainer(machine)

    def disabled(self, state: State, starts: bool = True) -> tuple[Disabled, ...]:
        """As the function of this name."""
        candidates = self.machine.candidates(state, limits=False)
        found = (self.one(candidate, state, starts) for candidate in candidates if candidate.rule.kind in _KINDS)
        return tuple(one for one in found if one is not None)

    def one(self, candidate: Candidate, state: State, starts: bool = True) -> Disabled | None:
        """What holds back one candidate, which is no role crash; None if it has a step."""
        rule = candidate.rule
        guards = self.limits(rule, state, starts) if rule.kind is StepKind.START else ()
        guards = guards or self.ends(rule, state)
        return Disabled(candidate.name, _KINDS[rule.kind], str(self.machine.actor(rule)), guards) if guards else None

    def ends(self, rule: Rule, state: State) -> tuple[FailedGuard, ...]:
        """Where the ways through a rule end; none if one of them is a step."""
        ways = list(islice(self.machine.ways(rule, self.machine.view(state), noted=False), _MOST_WAYS))
        if any(is_step(self.machine, state, rule, way.result) for way in ways):
            return ()
        return tuple(self._merged(ways, rule, state))

    def _merged(self, ways: list[ExecutionPath], rule: Rule, state: State) -> Iterator[FailedGuard]:
        """One guard for all ways that ended at the same one."""
        found: dict[object, FailedGuard] = {}
        known: dict[object, object] = {}
        watched = 0
        for way in ways:
            result = way.result
            reason = (result.reason, result.span) if isinstance(result, Aborted) else None
            # Ways that did nothing end where their action does, whatever kept them from doing something.
            if reason not in known or (reason is not None and reason[0] == NOTHING_DONE and watched < _MOST_WATCHED):
                watched += 1
                guard = self._guard(way, rule, state)
                known[reason] = (guard.kind, guard.file, guard.line, guard.text)
                if found.setdefault(known[reason], guard) is guard:
                    continue
            guard = found[known[reason]]
            found[known[reason]] = replace(guard, ways=guard.ways + 1)
        yield from found.values()

    def _guard(self, way: ExecutionPath, rule: Rule, state: State) -> FailedGuard:
        forks = [event for event in way.events if isinstance(event, Fork)]
        ending = None
        if isinstance(way.result, Aborted) and way.result.reason == GIVEN_UP:
            ending = Ending("given up", way.result.span, None, ())
        elif isinstance(way.result, Aborted):
            ending = self._explainer.explain(rule, state, tuple(fork.taken for fork in forks))
        if ending is None:
            # The way is a step, which leads to more values of a domain than there may be.
            ending = Ending("domain", self._head(rule), None, ())
        sources = self.machine.program.sources
        facts = dict.fromkeys((source_text(fact.place, sources), fact.value) for fact in ending.facts)
        text = source_text(ending.condition or ending.statement, sources)
        place = ending.statement
        return FailedGuard(ending.kind, place.file, place.line, text, tuple(facts), tuple(fork.label for fork in forks))

    def _head(self, rule: Rule) -> Span:
        return self.machine.place(rule)

    # --- limits ----------------------------------------------------------------------------------------------------

    def limits(self, rule: Rule, state: State, starts: bool = True) -> tuple[FailedGuard, ...]:
        """The options that keep an action from starting."""
        return tuple(self._limits(rule, state, starts))

    def _limits(self, rule: Rule, state: State, starts: bool) -> Iterator[FailedGuard]:
        options, limits = self.machine.program.options, self.machine.limits
        if not starts:
            yield self._limit(rule, f"max_actions: {options.max_actions}", ())
        if len(state.threads) >= options.max_concurrent_actions:
            running = (("unfinished threads", str(len(state.threads))),)
            yield self._limit(rule, f"max_concurrent_actions: {options.max_concurrent_actions}", running)
        for counter, most in limits.limited(rule):
            done = state.layout.index.get(("count", counter))
            if done is not None and self.machine.values.payload(state.values[done]) >= most:
                key = limits.key_of(counter)
                yield self._limit(rule, f"action_options.{key}.max_actions: {most}", (("starts", str(most)),))
        root = self.machine.transitions.root
        for key, most in limits.concurrency(rule):
            running_now = sum(limits.shares(key, rule, thread, root) for thread in state.threads)
            if running_now >= most:
                facts = (("unfinished threads", str(running_now)),)
                yield self._limit(rule, f"action_options.{key}.max_concurrent_actions: {most}", facts)

    def _limit(self, rule: Rule, text: str, facts: tuple[tuple[str, str], ...]) -> FailedGuard:
        place = self._head(rule)
        return FailedGuard("limit", place.file, place.line, text, facts)
