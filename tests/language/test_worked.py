"""Small models whose states are counted by hand, with the figures that the meaning of the language gives them.

Each model in `worked/` says in its first line what it shows; `worked/expect.yaml` has the figures.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from checker.core.report import Report
from checker.expectations.promises import Promise, promises_below

WORKED = Path(__file__).parent / "worked"
PROMISES = promises_below(WORKED)
UNREDUCED = {
    "symmetric_roles.fizz": (27, 81, 6),
    "instances_in_a_list.fizz": (27, 81, 6),
    "symmetric_keys.fizz": (8, 24, 3),
}


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.title)
def test_figures(promise: Promise) -> None:
    """The figures are as documented, and both engines give the same report."""
    plain, embedded = promise.run("plain"), promise.run("embedded")
    assert promise.broken_by(plain) == []
    assert told(embedded) == told(plain)


def told(report: Report) -> Report:
    """A report without what may differ between engines."""
    return replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})


def test_every_model_is_promised() -> None:
    """No model without figures."""
    assert {promise.model.name for promise in PROMISES} == {path.name for path in WORKED.glob("*.fizz")}


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("name", UNREDUCED)
def test_without_reduction(name: str, engine: str) -> None:
    """With symmetry switched off each arrangement is a state of its own."""
    report = Promise(WORKED / name).run(engine, symmetry=False)
    assert (report.states, report.transitions, report.depth) == UNREDUCED[name]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("serial_func_in_atomic_action", "W1"),
        ("empty_collections", "W3"),
        ("choice_in_init", "W2"),
        ("instances_in_a_list", "W6"),
        ("twins_and_bound", "W12"),
    ],
)
def test_warnings(name: str, code: str) -> None:
    """What is odd about a model is said, and changes nothing."""
    assert code in {warning.code for warning in Promise(WORKED / f"{name}.fizz").run("embedded").warnings}


def test_stutter_and_cycle() -> None:
    """The counterexamples of the liveness models: a stutter in the first state, a step to itself, two swaps."""
    traces = {
        name: Promise(WORKED / f"{name}.fizz").run("embedded").trace
        for name in ("unfair_action", "unfair_choice", "weak_or_strong")
    }
    found = {
        name: None if trace is None else ([entry.label for entry in trace.entries], trace.cycle_start, trace.stutter)
        for name, trace in traces.items()
    }
    assert found == {
        "unfair_action": (["Init"], None, True),
        "unfair_choice": (["Init", "Flip[Any:x=0]"], 1, False),
        "weak_or_strong": (["Init", "Swap", "Swap"], 1, False),
    }
