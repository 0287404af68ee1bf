"""Chains are those that a reader of the language page would write down: states by the plain machine, dense matrices."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import fizzpy
from fizz import load
from interpreter import Machine, State, compile_module
from interpreter.state.step import Step

MODELS = Path(__file__).parents[2] / "models"
CASES = {
    "classics/LostUpdate.fizz": {},
    "classics/TwoPhase.fizz": {"RMS": 2},
    "classics/TwoPhaseRoles.fizz": {"PARTICIPANTS": 2},
    "classics/EWD840.fizz": {"N": 3},
    "venice/VeniceLeaderFollower.fizz": {"MAX_WRITES": 1, "N_NODES": 2, "NUM_KEYS": 1},
    "shapes/TokenRing.fizz": {},
}
MOST = 900


def shares(steps: list[Step], depth: int = -1) -> dict[int, float]:
    """Uniform probabilities by the place of a step among these: who acts first, then choice by choice."""
    if len(steps) == 1:
        return {0: 1.0}
    groups: dict[object, list[int]] = defaultdict(list)
    for place, step in enumerate(steps):
        groups[step.order.candidate if depth < 0 else step.order.forks[depth]].append(place)
    found = {}
    for places in groups.values():
        for inner, share in shares([steps[place] for place in places], depth + 1).items():
            found[places[inner]] = share / len(groups)
    return found


class Dense:
    """The chain of a model, state by state."""

    def __init__(self, path: Path, constants: dict[str, int]) -> None:
        program = compile_module(load(path, constants={name: str(value) for name, value in constants.items()}))
        self.machine = Machine(program)
        self.states: list[State] = []
        self.numbers: dict[State, int] = {}
        begins = self.machine.initial()[0]
        entries: list[tuple[int, int, float]] = []
        self.begin = {self._number(one.state): 0.0 for one in begins}
        fake = shares([Step(one_order, "", None, one.state, False, None, one.outcome)  # type: ignore[arg-type]
                       for one in begins for one_order in [_order(one.forks)]])  # fmt: skip
        for place, share in fake.items():
            self.begin[self.numbers[begins[place].state]] += share
        done = 0
        while done < len(self.states):
            assert len(self.states) <= MOST, "too large for a dense matrix"
            steps = [step for step in self.machine.steps(self.states[done]).steps if not step.crashes]
            targets = [self._number(step.target) for step in steps]
            entries += [(done, targets[place], share) for place, share in shares(steps).items()] if steps else []
            done += 1
        self.matrix = np.zeros((done, done))
        for source, target, share in entries:
            self.matrix[source, target] += share

    def _number(self, state: State) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.states)
            self.states.append(state)
        return self.numbers[state]

    def true(self, name: str) -> np.ndarray:
        """The states in which an assertion is true."""
        number = next(one.number for one in self.machine.program.assertions if one.name == name)
        return np.array(
            [
                all(
                    bool(self.machine.run(rule, self.machine.view(state)).result.value)  # type: ignore[union-attr]
                    for rule in self.machine.assertion_rules(number, state)
                )
                for state in self.states
            ]
        )

    def reaches(self, goal: np.ndarray) -> float:
        """The probability to come to the goal, by very many steps."""
        matrix = self.matrix.copy()
        matrix[goal] = 0
        power = matrix + np.diag(goal | (matrix.sum(axis=1) == 0)).astype(float)
        for _ in range(40):
            power = power @ power
        start = np.zeros(len(self.states))
        start[list(self.begin)] = list(self.begin.values())
        return float((start @ power)[goal].sum())


def _order(forks: tuple[int, ...]):  # type: ignore[no-untyped-def]
    from interpreter.state.step import StepOrder

    return StepOrder((), forks, 0)


@pytest.mark.parametrize("name", CASES)
def test_the_chain_is_that_of_the_page(name: str) -> None:
    """Each assertion is ever true, and ever false, with the probability of the dense chain."""
    dense = Dense(MODELS / name, CASES[name])
    found = fizzpy.measure(MODELS / name, nondeterminism="uniform", constants=CASES[name], symmetry=False)
    assert found.states == len(dense.states)
    for one in found.assertions:
        true = dense.true(one.name)
        assert one.true.value == pytest.approx(dense.reaches(true), abs=1e-8), one.name
        assert one.false.value == pytest.approx(dense.reaches(~true), abs=1e-8), one.name
