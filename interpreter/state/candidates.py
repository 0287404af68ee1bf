"""The candidates of a state: threads, messages, starts within their limits, role crashes, in step order."""

from __future__ import annotations

from collections import Counter

from interpreter.compile.program import Program
from interpreter.state.model_limits import ModelLimits
from interpreter.state.state import Layout, State
from interpreter.state.step import Candidate, Rule, StepKind
from interpreter.state.transitions import Transitions
from interpreter.values.intern import Interner


class Candidates:
    """The candidates of states of one machine (language page, 12.2)."""

    def __init__(self, program: Program, values: Interner, limits: ModelLimits, transitions: Transitions) -> None:
        self.program = program
        self.values = values
        self.limits = limits
        self.transitions = transitions
        self._starts: dict[Layout, list[Candidate]] = {}

    def all(self, state: State, starts: bool = True, limits: bool = True) -> list[Candidate]:
        """The rules that may step in a state, in step order, role crashes included.

        `starts` False: no action starts (the bound of the exploration). `limits` False: regardless of limits.
        """
        found: list[Candidate] = []
        for index, thread in enumerate(state.threads):
            if index == 0 or thread != state.threads[index - 1]:
                rule = Rule(StepKind.CONTINUE, thread)
                found.append(Candidate((0, index), f"thread-{index}", rule))
        found += self._deliveries(state)
        if starts:
            found += self.starts(state, limits)
        if self.program.options.crash_on_yield:
            found += self._role_crashes(state)
        return found

    def _deliveries(self, state: State) -> list[Candidate]:
        found: list[Candidate] = []
        met: Counter[int] = Counter()
        for index, message in enumerate(state.messages):
            channel = self.values.payload(message)[1][0]
            number, met[channel] = met[channel], met[channel] + 1
            if index == 0 or message != state.messages[index - 1]:
                name = f"channel-{channel}-message-{number}"
                found.append(Candidate((1, channel, number), name, Rule(StepKind.DELIVER, message)))
        return sorted(found)

    def starts(self, state: State, limits: bool = True) -> list[Candidate]:
        """The starts that limits allow in a state."""
        if limits and len(state.threads) >= self.program.options.max_concurrent_actions:
            return []
        starts = self.starts_in(state.layout)
        if not (limits and self.program.options.action_options):
            return starts
        root, payload = self.transitions.root, self.values.payload
        return [c for c in starts if self.limits.may_start(c.rule, state, root, payload)]

    def starts_in(self, layout: Layout) -> list[Candidate]:
        """All starts in states of a layout, in step order, regardless of limits."""
        known = self._starts.get(layout)
        if known is None:
            known = [
                Candidate((2, -1, 0, index), action.name, Rule(StepKind.START, action.routine))
                for index, action in enumerate(self.program.actions)
            ]
            for position, role in enumerate(self.program.roles):
                for number in layout.live.get(role.name, ()):
                    known += [
                        Candidate(
                            (2, position, number, index),
                            f"{role.name}#{number}.{action.name}",
                            Rule(StepKind.START, action.routine, (role.name, number)),
                        )
                        for index, action in enumerate(role.actions)
                    ]
            self._starts[layout] = known
        return known

    def _role_crashes(self, state: State) -> list[Candidate]:
        waiting = set().union(*[self.transitions.waiting_instances(thread) for thread in state.threads])
        return [c for c in self.role_crashes_in(state.layout) if c.rule.instance not in waiting]

    def role_crashes_in(self, layout: Layout) -> list[Candidate]:
        """The role crashes of all instances of a layout, including those that wait for a reply."""
        return [
            Candidate(
                (3, position, number),
                f"crash-role {role.name}#{number}",
                Rule(StepKind.CRASH_ROLE, 0, (role.name, number)),
            )
            for position, role in enumerate(self.program.roles)
            if role.crashes
            for number in layout.live.get(role.name, ())
        ]
