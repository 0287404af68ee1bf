"""The steps that walks draw from: those of a state with many are not held, and are found again all the same."""

from pathlib import Path

import pytest

import fizz
from checker.traces.offers import Beginnings, OfferCache, Offers
from interpreter import Machine, compile_module
from interpreter.state.step import InitialState

MODELS = Path(__file__).parents[2] / "models"

PATHS = """
action Init:
    x = oneof range(700)
    y = oneof [0, 1, 2]

atomic action Many:
    require x < 600
    x = oneof range(700)
    y = oneof [0, 1]

atomic fair action Coin:
    while x % 2 == 0:
        x = oneof range(5)

action Serial:
    y = oneof range(300)
    x = 1
"""


def machine_of(text: str) -> Machine:
    return Machine(compile_module(fizz.load("m.fizz", text=text)))


@pytest.mark.parametrize("name", ["classics", "shapes", "text"])
def test_steps_that_are_not_held_are_the_same(name: str) -> None:
    if name == "text":
        machine = machine_of(PATHS)
    else:
        machine = Machine(compile_module(fizz.load(str(next((MODELS / name).glob("*.fizz"))))))
    state = machine.initial()[0][0].state
    for _ in range(4):
        steps = machine.steps(state).steps
        held, found = Offers(machine, state), Offers(machine, state, most_held=0)
        assert found.held == 0 and (held.held > 0) == bool(steps)
        assert tuple(found.steps()) == tuple(held.steps()) == steps
        assert found.moves == held.moves == sum(not step.crashes for step in steps)
        assert found.crashes == held.crashes == sum(step.crashes for step in steps)
        some = [*range(0, len(steps), max(1, len(steps) // 12)), *range(len(steps))[-2:]]
        for number in some:
            assert found.step(number) == held.step(number) == steps[number]
        fair = {offer.candidate.order for offer in held.fair()}
        moves = [step for step in steps if not step.crashes and step.order.candidate in fair]
        for number in [number for number in some if number < len(moves)]:
            assert found.move(number, found.fair()) == held.move(number, held.fair()) == moves[number]
        for step in [steps[number] for number in some[-1:]]:
            actor = [one for one in steps if one.order.candidate == step.order.candidate and not one.crashes]
            assert list(found.moves_of(step)) == list(held.moves_of(step)) == actor
        if not steps:
            break
        state = steps[len(steps) // 2].target


def test_initial_states_that_are_not_held_are_the_same() -> None:
    machine = machine_of(PATHS)
    states, _ = machine.initial()
    found = Beginnings(machine, most_held=0)
    assert found.count == len(states) == 2100
    for number in (0, 1, 255, 256, 257, 1024, 2099):
        assert found.state(number) == states[number] == Beginnings(machine).state(number)


def test_initial_states_after_a_loop_of_choices_are_found() -> None:
    machine = machine_of(
        "action Init:\n    x = 0\n    while x == 0:\n        x = oneof range(600)\n\naction Go:\n    x = 1\n"
    )
    states = [one for one in machine.beginnings() if isinstance(one, InitialState)]
    found = Beginnings(machine, most_held=0)
    assert [found.state(number) for number in (0, 300, 598)] == [states[0], states[300], states[598]]


def test_the_cache_is_bounded() -> None:
    machine = machine_of(PATHS)
    cache = OfferCache(machine, most_states=10, most_held=20_000)
    states = [one.state for one in machine.initial()[0][:30]]
    for state in states:
        known = cache.of(state)
        assert cache.of(state) is known and known.state == state
        assert len(cache) <= 10
