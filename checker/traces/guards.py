"""Why actions, threads and messages have no step in a state: the guards at which their execution paths ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal as OneOf

from checker.core.trace import Held, Stuck
from checker.traces.why import source_text
from fizz import Span
from fizz.base.light import dataclass
from interpreter import Machine, State
from interpreter.explain.path_endings import Ending, GuardKind, PathExplainer
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

_MOST_PATHS = 1_000
"""Execution paths of one rule that are looked at; any further ones are not reported."""

_MOST_EXPLAINED = 50
"""Execution paths of one rule that are run again to find what ended them."""


@dataclass(frozen=True, slots=True)
class FailedGuard:
    """A guard that ended execution paths of a rule.

    `kind` "limit": an option keeps the action from starting. `file` and `line` are those of the guard, `text` is the
    source text of its condition, or the option; `facts` are the condition and its parts with their values, as texts,
    the most relevant first. `paths`: how many execution paths ended here; `choices` are those of the first of them.
    """

    kind: GuardKind | OneOf["limit"]
    file: str
    line: int
    text: str
    facts: tuple[tuple[str, str], ...]
    choices: tuple[str, ...] = ()
    paths: int = 1


@dataclass(frozen=True, slots=True)
class Disabled:
    """An action, thread or message that has no step in a state.

    `name` is that of its steps (`Act`, `Node#0.Act`, `thread-0`, `channel-0-message-0`), `actor` the action that moves
    (of a thread its root action). `guards`: at least one, in the order in which execution paths met them.
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


Apply = Callable[[State, Rule, Outcome], State | None]
"""The target of a step; None if a domain's limit forbids it."""


def is_step(apply: Apply | None, state: State, rule: Rule, result: Result) -> bool:
    """Whether an execution path with this result is a step of a state; a failure counts as one.

    `apply` is None in models without symmetry: only domains can forbid a target.
    """
    if isinstance(result, Outcome):
        return apply is None or apply(state, rule, result) is not None
    return isinstance(result, Failure)


class Guards:
    """Finds the guards that prevent steps, for states of one machine. One instance serves many states."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._explainer = PathExplainer(machine)

    def disabled(self, state: State, starts: bool = True) -> tuple[Disabled, ...]:
        """See the function `disabled`."""
        candidates = self.machine.candidates(state, limits=False)
        found = (self.one(candidate, state, starts) for candidate in candidates if candidate.rule.kind in _KINDS)
        return tuple(one for one in found if one is not None)

    def one(self, candidate: Candidate, state: State, starts: bool = True) -> Disabled | None:
        """Why one candidate, which is no role crash, has no step; None if it has one."""
        rule = candidate.rule
        guards = self.limits(rule, state, starts) if rule.kind is StepKind.START else ()
        guards = guards or self.ends(rule, state)
        return Disabled(candidate.name, _KINDS[rule.kind], str(self.machine.actor(rule)), guards) if guards else None

    def ends(self, rule: Rule, state: State) -> tuple[FailedGuard, ...]:
        """The guards at which the execution paths of a rule end; none if one of the paths is a step."""
        paths = list(islice(self.machine.paths(rule, self.machine.view(state), noted=False), _MOST_PATHS))
        apply = self.machine.apply if self.machine.symmetric else None
        if any(is_step(apply, state, rule, path.result) for path in paths):
            return ()
        return tuple(self._merged(paths, rule, state))

    def _merged(self, paths: list[ExecutionPath], rule: Rule, state: State) -> Iterator[FailedGuard]:
        """One guard for all execution paths that ended at the same one."""
        found: dict[object, FailedGuard] = {}
        known: dict[object, object] = {}
        explained = 0
        for path in paths:
            result = path.result
            reason = (result.reason, result.span) if isinstance(result, Aborted) else None
            # Paths that did nothing all end at the end of their action, but for different reasons.
            if reason not in known or (
                reason is not None and reason[0] == NOTHING_DONE and explained < _MOST_EXPLAINED
            ):
                explained += 1
                guard = self._guard(path, rule, state)
                known[reason] = (guard.kind, guard.file, guard.line, guard.text)
                if found.setdefault(known[reason], guard) is guard:
                    continue
            guard = found[known[reason]]
            found[known[reason]] = replace(guard, paths=guard.paths + 1)
        yield from found.values()

    def _guard(self, path: ExecutionPath, rule: Rule, state: State) -> FailedGuard:
        forks = [event for event in path.events if isinstance(event, Fork)]
        ending = None
        if isinstance(path.result, Aborted) and path.result.reason == GIVEN_UP:
            ending = Ending("given up", path.result.span, None, ())
        elif isinstance(path.result, Aborted):
            ending = self._explainer.explain(rule, state, tuple(fork.taken for fork in forks))
        if ending is None:
            # The path would lead to more values of a domain than the domain has.
            ending = Ending("domain", self._head(rule), None, ())
        sources = self.machine.program.sources
        facts = dict.fromkeys((source_text(fact.span, sources), fact.value) for fact in ending.facts)
        text = source_text(ending.condition or ending.statement, sources)
        span = ending.statement
        return FailedGuard(ending.kind, span.file, span.line, text, tuple(facts), tuple(fork.label for fork in forks))

    def _head(self, rule: Rule) -> Span:
        return self.machine.span_of(rule)

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
        span = self._head(rule)
        return FailedGuard("limit", span.file, span.line, text, facts)


def stuck(machine: Machine, state: State) -> Stuck:
    """Why a state has no step."""
    guards = Guards(machine)
    held: list[Held] = []
    limited: list[str] = []
    for candidate in machine.candidates(state, limits=False):
        if candidate.rule.kind is StepKind.CRASH_ROLE:
            continue
        # A candidate that would have no step without limits either counts as held by its guard.
        ends = guards.ends(candidate.rule, state)
        if ends:
            first = ends[0]
            held.append(Held(candidate.name, first.file, first.line, first.text, first.facts))
        else:
            limited.append(candidate.name)
    blocked = {(span.file, span.line) for span in machine.steps(state).aborted}
    return Stuck(tuple(sorted(blocked)), tuple(limited), tuple(held))
