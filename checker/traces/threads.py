"""Which thread is which before and after a step.

In a state threads are numbered by their position in a sorted list, so a thread may have another number after each step.
Equal threads cannot be distinguished: they are matched here so that as few as possible change their numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interpreter import Machine, State, Step
    from interpreter.state.step import Rule


def movers(state: State, rule: Rule) -> tuple[int, ...]:
    """The numbers of the threads any of which a rule may continue: one, or several that are equal; or none."""
    from interpreter import StepKind  # late: the viewer's first screen needs no interpreter

    return equal(state.threads, rule.subject) if rule.kind is StepKind.CONTINUE else ()


def origins(machine: Machine, state: State, step: Step, target: State) -> tuple[int | None, ...]:
    """For each thread after a step, by its number there, its number before; None for one that the step began."""
    found = machine.origins(state, step.rule, step.outcome, target, step.crashes)
    return settled(target.threads, found, movers(state, step.rule)[:1])


def equal(threads: Sequence[object], thread: object) -> tuple[int, ...]:
    """The numbers of the threads that are equal to this one."""
    return tuple(number for number, one in enumerate(threads) if one == thread)


def settled(threads: Sequence[Hashable], origins: Sequence[int | None], moved: Sequence[int]) -> tuple[int | None, ...]:
    """The origins of these threads, exchanged among equal ones.

    A new thread comes last, and all but the one that moved keep their numbers where possible.
    """
    numbers = defaultdict(list)
    for number, thread in enumerate(threads):
        numbers[thread].append(number)
    found: dict[int, int | None] = {}
    for alike in numbers.values():
        found |= _settled(alike, [origins[number] for number in alike], moved)
    return tuple(found[number] for number in range(len(threads)))


def _settled(alike: list[int], before: Sequence[int | None], moved: Sequence[int]) -> dict[int, int | None]:
    """For each of these numbers, the number before."""
    found: dict[int, int | None] = {alike.pop(): None for number in before if number is None}
    numbers = [number for number in before if number is not None]
    for number in sorted(numbers, key=lambda number: number in moved):
        there = number if number in alike else alike[0]
        alike.remove(there)
        found[there] = number
    return found
