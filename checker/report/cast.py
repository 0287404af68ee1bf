"""Who is who among the threads of a story.

In a state threads are numbered by their place in a sorted list, so that a thread may have another number after each
step. A reader follows threads, not numbers: here each gets a name for as long as it lives, its action's, and where the
story has several threads of one action at a time, a number of its own: `Increment/2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.core.trace import Change, Trace, TraceEntry
from checker.report.thread_text import is_thread

_UNKNOWN = "thread"


@dataclass(frozen=True, slots=True)
class Member:
    """A thread: its action, and the least number that no other thread of the action had when it was born."""

    action: str
    ordinal: int


Threads = tuple[tuple[Member, str], ...]
"""Who stands where in a state, in the order of the state."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The threads before and after one step.

    `mover`: the thread that made the step, if it is one that lives on or has lived before.
    """

    before: Threads
    after: Threads
    mover: Member | None

    @property
    def seat(self) -> str | None:
        """The mover's number when it moved; of a new thread, that in the state after."""
        for threads in (self.before, self.after):
            for number, (member, _) in enumerate(threads):
                if member == self.mover:
                    return f"thread-{number}"
        return None


@dataclass(frozen=True, slots=True)
class Cast:
    """The scenes of a story, one per entry, and the names of those who play in it."""

    scenes: tuple[Scene, ...]

    def name(self, member: Member) -> str:
        """`Increment`, or `Increment/2` where there are several at a time."""
        several = any(m.action == member.action and m.ordinal > 1 for scene in self.scenes for m, _ in scene.after)
        return member.action if not several else f"{member.action}/{member.ordinal}"

    def names(self, index: int) -> list[str]:
        """The names of the threads in the state after an entry."""
        return [self.name(member) for member, _ in self.scenes[index].after]

    def changes(self, index: int) -> list[Change]:
        """What a step changed of the threads, by their names."""
        scene = self.scenes[index]
        old, new = dict(scene.before), dict(scene.after)
        return [
            Change(self.name(member), old.get(member), new.get(member))
            for member in old | new
            if old.get(member) != new.get(member)
        ]

    def renumbered(self, index: int) -> list[tuple[str, int]]:
        """Name and new number of the threads that have another number after a step that was not theirs."""
        scene = self.scenes[index]
        before = {member: number for number, (member, _) in enumerate(scene.before)}
        return [
            (self.name(member), number)
            for number, (member, _) in enumerate(scene.after)
            if member != scene.mover and before.get(member, number) != number
        ]


def cast_of(trace: Trace) -> Cast:
    """Follow the threads through a trace."""
    scenes: list[Scene] = []
    threads: Threads = ()
    for entry in trace.entries:
        scene = _play(threads, entry, scenes[-1].mover if scenes else None)
        scenes.append(scene)
        threads = scene.after
    return Cast(tuple(scenes))


def _play(before: Threads, entry: TraceEntry, last: Member | None) -> Scene:
    """One step; `last` has made the one before it."""
    members = [member for member, _ in before]
    mover = None
    if entry.movers:
        # Of equal threads any may be the one that moves: then it is the one that has moved last.
        told = entry.movers[0]
        chosen = next((number for number in entry.movers if members[number] == last), told)
        members[told], members[chosen] = members[chosen], members[told]
        mover = members[told]
    texts = [text for place, text in entry.state if is_thread(place)]
    after: list[tuple[Member, str]] = []
    for text, origin in zip(texts, entry.origins, strict=True):
        if origin is None:
            member = mover = _born(entry.actor or _UNKNOWN, members)
        else:
            member = members[origin]
        after.append((member, text))
    return Scene(before, tuple(after), mover)


def _born(action: str, living: Sequence[Member]) -> Member:
    taken = {member.ordinal for member in living if member.action == action}
    return Member(action, next(n for n in range(1, len(taken) + 2) if n not in taken))
