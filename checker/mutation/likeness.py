"""Whether two models have the same states and the same transitions, by the keys of their states."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, NamedTuple

from checker.core.exploration import Settings
from checker.core.patience import Patience
from checker.search.contract.protocol import Task
from checker.search.driver import Clock, SearchDriver
from checker.search.rows.row_run import RowRun
from fizz import Module
from interpreter import compile_module
from interpreter.state.step import Candidate, step_name

_WHOLE: Final = 1 << 128


class Likeness(NamedTuple):
    """Sums over the keys of all states, and over all transitions: equal for equal sets, and hardly for others.

    A transition is hashed by the keys of its states and its name; the sums are taken modulo 2^128.
    """

    states: int
    keys: int
    transitions: int
    sum: int
    complete: bool


def likeness(module: Module, symmetry: bool, patience: Patience) -> Likeness:
    """The likeness of a model, explored row by row, whatever its properties say. Raises `Stop`."""
    program = compile_module(module)
    run = RowRun(Task(program, (), Settings(symmetry=symmetry), patience=patience))
    transitions = total = 0
    met: set[tuple[int, str]] = set()

    def observe(source: int, target: int, candidate: Candidate, choices: tuple[str, ...], crash: bool) -> None:
        nonlocal transitions, total
        name = step_name(candidate.name, choices, crash)
        if (source, name) in met:
            return
        met.add((source, name))
        transitions += 1
        digest = blake2b(f"{source:032x}{target:032x}{name}".encode(errors="surrogatepass"), digest_size=16).digest()
        total = (total + int.from_bytes(digest, "little")) % _WHOLE

    run.expander.observe = observe
    driver = SearchDriver(run, program, (), Clock(), patience)
    driver.go(Settings().limits, on=True)
    keys = run.found.keys
    return Likeness(len(keys), sum(keys) % _WHOLE, transitions, total, not driver.stopped.bounds)
