"""Keys of images of states with shared containers are those of the images themselves."""

from __future__ import annotations

from itertools import islice

import fizz
from interpreter import Machine, State, compile_module
from tests.random import laws
from tests.random.programs import Program
from tests.random.source import seeded

BOARD = """\
IDS = symmetry.nominal(name="card", limit=3)
symmetric role User:
    action Init:
        self.view = []
    action Look:
        self.view = board.cards
    action Keep:
        self.view = [oneof_card(board.cards), board.cards]
    action Add:
        require len(board.cards) < 2
        board.cards.append(record(id=IDS.fresh(), by=self.__id__))
role Board:
    action Init:
        self.cards = []
        self.places = {}
    action Place:
        one = oneof board.cards
        self.places[one.id] = one
def oneof_card(cards):
    return cards[0] if cards else None
action Init:
    board = Board()
    users = bag([User(), User()])
"""


def compared(machine: Machine, states: list[State]) -> int:
    """How many images have a key without being made; each is compared."""
    images, keys = machine.images, 0
    for state in states:
        for renaming in islice(images.renamings(images.used(state)), 12):
            renamed = images.renamed(renaming)
            known = images.shared.key(state, renamed)
            if known is not None:
                assert known == machine.key(images.image(state, renamed)), machine.describe(state)
                keys += 1
    return keys


def test_records_that_instances_share() -> None:
    """In lists, records and dicts, whose keys are renamed, at any depth."""
    machine = Machine(compile_module(fizz.load("m.fizz", text=BOARD)))
    states = [state for _, state in laws.walk(machine, 400) if state.layout.cells]
    assert len(states) > 100
    assert compared(machine, states) > 1_000


def test_random_programs() -> None:
    """Also with threads, messages, unordered collections, excluded variables: where a key is given it is right."""
    keys = 0
    for seed in range(60):
        text = Program(seeded(seed), {"roles", "symmetric roles", "keys", "channels", "exclude", "calls"}).write()
        machine = laws.machine_of(text)
        if machine is not None:
            states = [state for _, state in islice(laws.walk(machine, 40), 40) if state.layout.cells]
            keys += compared(machine, states)
    assert keys > 100
