"""Renamings that are made of others: the same images, of which few are built."""

from __future__ import annotations

from itertools import islice, permutations
from unittest.mock import patch

import pytest

from interpreter import Machine, State
from interpreter.state import renaming
from interpreter.state.normalise import rebuild
from interpreter.state.renaming import Index, Renamed, steps_of
from tests.interpreter.running import machine_of

PAIRS = """
    C = symmetric_values("c", 4)
    R = symmetric_values("r", 3)
    action Init: held = {r: set() for r in R}
    atomic action Take:
        r = oneof R
        c = oneof C
        held[r].add((c, r))
"""
NODES = """
    ---
    action_options: {"Node#.Vote": {max_actions: 1}}
    ---
    symmetric role Node:
        action Init: self.log = []
        action Vote:
            other = oneof nodes
            self.log.append((other, self.__id__))
            return other
    action Init: nodes = set([Node() for i in range(4)])
"""


def states_of(machine: Machine, count: int) -> list[State]:
    """So many states, none of them reduced, in the order in which they are reached."""
    found = {initial.state: None for initial in machine.initial()[0]}
    pending = list(found)
    while pending and len(found) < count:
        new = {step.target: None for step in machine.steps(pending.pop(0)).steps if step.target not in found}
        found |= new
        pending += new
    return list(found)


@pytest.mark.parametrize("old", [range(3), range(5), (1, 4, 6, 7)], ids=str)
def test_two_in_turn_are_the_same(old: tuple[Index, ...]) -> None:
    """Of each renumbering but the one that keeps the order there are two that come sooner; those end."""
    for new in permutations(range(len(old))):
        renumbering: dict[Index, Index] = dict(zip(old, new, strict=True))
        turns = 0
        while (steps := steps_of(renumbering)) is not None:
            first, then = steps
            assert {index: then.get(first[index], first[index]) for index in old} == dict(renumbering)
            renumbering, turns = dict(first), turns + 1
        assert list(renumbering.values()) == sorted(new)
        assert turns == sum(new[i] > new[j] for j in range(len(new)) for i in range(j))


@pytest.mark.parametrize("text", [PAIRS, NODES], ids=["values", "instances"])
def test_images_are_those_made_at_once(text: str) -> None:
    """Slots, values, labels of returns."""
    machine = machine_of(text)
    images = machine.images
    made = 0
    for state in states_of(machine, 120):
        for one in islice(images.renamings(images.used(state)), 144):
            renamed = images.renamed(one)
            made += renamed.steps is not None
            assert images.image(state, renamed) == images.image(state, Renamed(machine.values, one))
    assert made > 1000


def test_few_values_are_built() -> None:
    """Of 144 renamings seven build values: those that keep the order, and five exchanges of neighbours."""
    machine = machine_of(PAIRS)
    images = machine.images
    states = states_of(machine, 300)
    renamings = list(images.renamings({"c": [0, 1, 2, 3], "r": [0, 1, 2]}))
    assert len(renamings) == 144
    counts = []
    for make in (images.renamed, lambda one: Renamed(machine.values, one)):
        with patch.object(renaming, "rebuild", side_effect=rebuild) as built:
            for renamed in map(make, renamings):
                for state in states:
                    images.image(state, renamed)
        counts.append(built.call_count)
    assert counts[0] * 10 < counts[1]
