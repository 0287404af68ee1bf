"""Context switches: how often a run changes who moves (glossary: context switch)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from interpreter import Machine, State, Step, StepKind
from interpreter.step import Rule


class Context(NamedTuple):
    """Who has moved. `owner`: the role instance, or the action that is in no role. `thread`: None once it is over."""

    owner: str
    thread: int | None


_OUT_OF_SIGHT: Final = -1
"""A thread that reads otherwise in the state after its step, because it shares a container: any of its owner's may be
it."""


class Contexts:
    """Tells who moves in the steps of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._owners: dict[Rule, str] = {}

    def owner(self, rule: Rule) -> str:
        """The role instance that a step belongs to, or the action."""
        known = self._owners.get(rule)
        if known is None:
            if rule.kind is StepKind.CRASH_ROLE and rule.instance is not None:
                known = f"{rule.instance[0]}#{rule.instance[1]}"
            else:
                known = str(self.machine.actor(rule)).partition(".")[0]
            self._owners[rule] = known
        return known

    def after(self, rule: Rule, thread: int | None, target: State) -> Context:
        """Who has moved, after a step to `target` that left this thread alive, or none."""
        if thread is not None and thread not in target.threads:
            thread = _OUT_OF_SIGHT
        return Context(self.owner(rule), thread)

    def goes_on(self, context: Context | None, rule: Rule) -> bool:
        """Does a step of this rule go on with what has moved last? `context` None: nothing has."""
        if context is None:
            return True
        ours = self.owner(rule) == context.owner
        if rule.kind is StepKind.CONTINUE:
            return ours if context.thread == _OUT_OF_SIGHT else rule.subject == context.thread
        return ours and (context.thread is None or rule.kind is StepKind.CRASH_ROLE)

    def of_step(self, step: Step) -> Context:
        """Who has moved in a step."""
        return self.after(step.rule, None if step.crashes else step.outcome.thread, step.target)

    def changes(self, steps: Iterable[Step]) -> list[bool]:
        """For each step of a run, whether it is a context switch; the first one is none."""
        context = None
        found = []
        for step in steps:
            found.append(not self.goes_on(context, step.rule))
            context = self.of_step(step)
        return found

    def switches(self, steps: Sequence[Step], then: Rule | None = None) -> int:
        """The number of context switches in a run; `then` makes the step after it, if there is one."""
        leaves = bool(steps) and then is not None and not self.goes_on(self.of_step(steps[-1]), then)
        return sum(self.changes(steps)) + leaves
