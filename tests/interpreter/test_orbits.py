"""The least image that is remembered for an orbit is the least of all images, whichever member is asked about."""

from __future__ import annotations

from itertools import islice
from unittest.mock import patch

import fizz
from interpreter import Machine, State, compile_module
from tests.interpreter.test_shared_keys import BOARD
from tests.random import laws
from tests.random.programs import Program
from tests.random.source import seeded

CLOCK = """\
DAYS = symmetry.interval(name="day", limit=3)
TURNS = symmetry.rotational(name="turn", limit=3)
IDS = symmetry.nominal(name="job", limit=3)
symmetric role Worker:
    action Init:
        self.jobs = []
    atomic action Take:
        job = record(id=IDS.fresh(), day=today, turn=turn, by=self.__id__)
        require len(queue) < 2
        queue.append(job)
        self.jobs = queue
    atomic action Copy:
        self.jobs = [job for job in queue if job.by == self.__id__]
atomic action Tomorrow:
    today = today + 1
    turn = turn + 1
action Init:
    today = DAYS.min()
    turn = TURNS.fresh()
    queue = []
    workers = bag([Worker(), Worker(), Worker()])
"""


def compared(machine: Machine, states: list[State], most: int) -> int:
    """How many images of states have the least image of all; those with up to so many are compared."""
    images, count = machine.images, 0
    for state in states:
        renamings = list(islice(images.renamings(images.used(state)), most + 1))
        if not 2 < len(renamings) <= most:
            continue
        members = [images.image(state, images.renamed(renaming)) for renaming in renamings]
        least = min(members, key=machine.key)
        for member in (state, *members[:: max(1, len(members) // 4)]):
            assert machine.canonical(member) == least, machine.describe(member)
            count += 1
    return count


def test_shared_records() -> None:
    """Nominal values, intervals and rotations together, and instances that hold one another's records."""
    for text, least in ((BOARD, 100), (CLOCK, 100)):
        machine = Machine(compile_module(fizz.load("m.fizz", text=text)))
        states = [state for _, state in laws.walk(machine, 120) if state.layout.cells]
        assert compared(machine, states, 120) > least


def test_random_programs() -> None:
    """With threads, messages, unordered collections and domains of each kind."""
    count = 0
    for seed in range(40):
        text = Program(seeded(seed), {"roles", "symmetric roles", "keys", "domains", "channels", "calls"}).write()
        machine = laws.machine_of(text)
        if machine is not None:
            states = [state for _, state in islice(laws.walk(machine, 40), 40) if state.layout.cells]
            count += compared(machine, states, 36)
    assert count > 100


def test_most_images_of_a_state_are_one_member() -> None:
    """The keys of all images are compared for few of the members of an orbit."""
    machine = Machine(compile_module(fizz.load("m.fizz", text=BOARD)))
    states = list(dict.fromkeys(state for _, state in laws.walk(machine, 250) if state.layout.cells))
    images = machine.images
    members = [
        images.image(state, images.renamed(renaming))
        for state in states
        for renaming in images.renamings(images.used(state))
    ]
    with patch.object(images, "leading", wraps=images.leading) as searched:
        orbits = {machine.canonical(member) for member in members}
    assert 2 * searched.call_count < len(members)
    assert len(members) > 4 * len(orbits)
