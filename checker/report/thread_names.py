"""Names for the threads of a trace.

In a state a thread's number is its position in a sorted list, so that it may change with every step. Here each thread
gets one name for as long as it lives: its action's, with a number where the trace has several threads of one action at
a time, `Increment/2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.core.trace import Change, Trace, TraceEntry
from checker.report.thread_text import is_thread

_UNKNOWN = "thread"


@dataclass(frozen=True, slots=True)
class NamedThread:
    """A thread: its action, and the least number that no other thread of the action had when it started."""

    action: str
    ordinal: int


ThreadTexts = tuple[tuple[NamedThread, str], ...]
"""Threads with their display texts, in the order of the state."""


@dataclass(frozen=True, slots=True)
class ThreadStep:
    """The threads before and after one step.

    `mover`: the thread that made the step; None if it started and ended in this step.
    """

    before: ThreadTexts
    after: ThreadTexts
    mover: NamedThread | None

    @property
    def number(self) -> str | None:
        """The mover's number in the state before; for a new thread, in the state after."""
        for threads in (self.before, self.after):
            for number, (member, _) in enumerate(threads):
                if member == self.mover:
                    return f"thread-{number}"
        return None


@dataclass(frozen=True, slots=True)
class ThreadNames:
    """The threads of each entry of a trace, and their names."""

    steps: tuple[ThreadStep, ...]

    def name(self, member: NamedThread) -> str:
        """`Increment`, or `Increment/2` where there are several at a time."""
        several = any(m.action == member.action and m.ordinal > 1 for step in self.steps for m, _ in step.after)
        return member.action if not several else f"{member.action}/{member.ordinal}"

    def names(self, index: int) -> list[str]:
        """The names of the threads in the state after an entry."""
        return [self.name(member) for member, _ in self.steps[index].after]

    def changes(self, index: int) -> list[Change]:
        """The threads that a step changed, by name."""
        step = self.steps[index]
        old, new = dict(step.before), dict(step.after)
        return [
            Change(self.name(member), old.get(member), new.get(member))
            for member in old | new
            if old.get(member) != new.get(member)
        ]

    def renumbered(self, index: int) -> list[tuple[str, int]]:
        """Name and new number of each thread that did not move and yet has another number after the step."""
        step = self.steps[index]
        before = {member: number for number, (member, _) in enumerate(step.before)}
        return [
            (self.name(member), number)
            for number, (member, _) in enumerate(step.after)
            if member != step.mover and before.get(member, number) != number
        ]


def thread_names_of(trace: Trace) -> ThreadNames:
    """Follow the threads through a trace."""
    steps: list[ThreadStep] = []
    threads: ThreadTexts = ()
    for entry in trace.entries:
        step = _next_step(threads, entry, steps[-1].mover if steps else None)
        steps.append(step)
        threads = step.after
    return ThreadNames(tuple(steps))


def _next_step(before: ThreadTexts, entry: TraceEntry, last: NamedThread | None) -> ThreadStep:
    """One step; `last` moved in the step before."""
    members = [member for member, _ in before]
    mover = None
    if entry.movers:
        # Any of several equal threads may be the mover: take the one that moved last.
        first = entry.movers[0]
        chosen = next((number for number in entry.movers if members[number] == last), first)
        members[first], members[chosen] = members[chosen], members[first]
        mover = members[first]
    texts = [text for place, text in entry.state if is_thread(place)]
    after: list[tuple[NamedThread, str]] = []
    for text, origin in zip(texts, entry.origins, strict=True):
        if origin is None:
            member = mover = _new_thread(entry.actor or _UNKNOWN, members)
        else:
            member = members[origin]
        after.append((member, text))
    return ThreadStep(before, tuple(after), mover)


def _new_thread(action: str, living: Sequence[NamedThread]) -> NamedThread:
    taken = {member.ordinal for member in living if member.action == action}
    return NamedThread(action, next(n for n in range(1, len(taken) + 2) if n not in taken))
