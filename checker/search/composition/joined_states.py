"""The joined states of several models: a step of each, or a stutter, all with equal views before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from checker.search.composition.explored_component import ComponentStep, ExploredComponent

MOST_STEPS: Final = 200_000
"""The most joined steps."""

Joined = tuple[int, ...]
"""The numbers of the states of all models."""


class TooManySteps(Exception):
    """There are more than `MOST_STEPS` joined steps."""


class JoinedStates:
    """All states that joined steps lead to, breadth first; `steps` has for each the targets by the names of the steps.

    `crashes`: the pairs of a state and a target, by number, that only steps with a crash join.
    """

    def __init__(self, components: Sequence[ExploredComponent]) -> None:
        self._components = components
        self._by_view = [[_by_view(one, number) for number in range(len(one.states))] for one in components]
        self.states: list[Joined] = []
        self._numbers: dict[Joined, int] = {}
        for state in product(*(one.initial for one in components)):
            if len({one.views[number] for one, number in zip(components, state, strict=True)}) == 1:
                self._number(state)
        self.initial = len(self.states)
        self.steps: list[dict[str, int]] = []
        self.crashes: set[tuple[int, int]] = set()
        taken = 0
        for state in self.states:
            self.steps.append(self._steps_of(state))
            taken += len(self.steps[-1])
            if taken > MOST_STEPS:
                raise TooManySteps

    def _number(self, state: Joined) -> int:
        known = self._numbers.get(state)
        if known is None:
            known = self._numbers[state] = len(self.states)
            self.states.append(state)
        return known

    def _steps_of(self, state: Joined) -> dict[str, int]:
        found: dict[str, int] = {}
        source, crashing, other = self._numbers[state], set[int](), set[int]()
        for steps in self._together(state):
            moved = [(one, step) for one, step in zip(self._components, steps, strict=True) if step is not None]
            target = self._number(
                tuple(old if step is None else step.target for old, step in zip(state, steps, strict=True))
            )
            (crashing if any(step.crash for _, step in moved) else other).add(target)
            name = ", ".join(f"{one.name}.{step.name}" for one, step in moved)
            again = 1
            while found.setdefault(name if again == 1 else f"{name} ({again})", target) != target:
                again += 1
        self.crashes |= {(source, target) for target in crashing - other}
        return found

    def _together(self, state: Joined) -> Iterator[tuple[ComponentStep | None, ...]]:
        """The steps that go together; None: a stutter, but not of all."""
        offers = [found[number] for found, number in zip(self._by_view, state, strict=True)]
        for view in offers[0]:
            if all(view in offer for offer in offers):
                for steps in product(*(offer[view] for offer in offers)):
                    if any(step is not None for step in steps):
                        yield steps


def _by_view(component: ExploredComponent, number: int) -> dict[int, list[ComponentStep | None]]:
    """The steps of a state and its stutter, by the views after them."""
    found: dict[int, list[ComponentStep | None]] = {component.views[number]: [None]}
    for step in component.steps[number]:
        if step.target != number:
            found.setdefault(component.views[step.target], []).append(step)
    return found
