"""The initial states, by a function of Python where there are many."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from typing import Final

from checker.search.memo.memo import Memory
from interpreter.initial_states import beginnings_of, init_rule
from interpreter.state.step import Failure, InitialState

FEW: Final = 100
"""So many are made by the interpreter before a function is: most models have fewer."""


def first_states(memory: Memory) -> Iterable[InitialState | Failure]:
    """The initial states and the failures of Init, in the order of its choices."""
    machine = memory.machine
    interpreted = machine.beginnings()
    few = list(islice(interpreted, FEW + 1))
    if len(few) <= FEW or machine.program.init is None or any(isinstance(one, Failure) for one in few):
        return chain(few, interpreted)
    results = memory.in_all_ways(init_rule(machine), machine.transitions.empty)
    return chain(few, interpreted) if results is None else beginnings_of(machine, results)
