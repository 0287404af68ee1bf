"""Context switches: how often the mover changes in a run (glossary: context switch)."""

from __future__ import annotations

from typing import NamedTuple

from checker.traces.model_walk import Walk
from interpreter import Machine, StepKind
from interpreter.state.step import Rule


class Context(NamedTuple):
    """The last mover. `owner`: the role instance, or the action outside roles. `thread`: None once it has ended."""

    owner: str
    thread: int | None


class Contexts:
    """Finds the movers of steps of one machine."""

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

    def after(self, rule: Rule, thread: int | None) -> Context:
        """The mover after a step. `thread`: its thread as it is in the state after it; None: it has ended."""
        return Context(self.owner(rule), thread)

    def goes_on(self, context: Context | None, rule: Rule) -> bool:
        """Whether a step of this rule continues the last mover. `context` None: nothing has moved."""
        if context is None:
            return True
        ours = self.owner(rule) == context.owner
        if rule.kind is StepKind.CONTINUE:
            return rule.subject == context.thread
        return ours and (context.thread is None or rule.kind is StepKind.CRASH_ROLE)

    def changes(self, walk: Walk) -> list[bool]:
        """For each step of a run, whether it is a context switch; the first one never is."""
        context = None
        found = []
        for number, step in enumerate(walk.steps):
            found.append(not self.goes_on(context, step.rule))
            context = self._of_step(walk, number)
        return found

    def switches(self, walk: Walk, then: Rule | None = None) -> int:
        """The number of context switches in a run; `then`: the rule of the step after it, if there is one."""
        steps = len(walk.steps)
        leaves = steps > 0 and then is not None and not self.goes_on(self._of_step(walk, steps - 1), then)
        return sum(self.changes(walk)) + leaves

    def _of_step(self, walk: Walk, number: int) -> Context:
        """The mover of a step."""
        step = walk.steps[number]
        state = walk.state_after(number)
        thread = None if step.crashes else self.machine.parked(state, step.rule, step.outcome, step.target)
        return self.after(step.rule, thread)
