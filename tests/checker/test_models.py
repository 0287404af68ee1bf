"""The models keep their promises on every engine, and every engine tells the same story."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from checker.core.report import Report
from checker.expectations.promise_runs import run_promise
from checker.expectations.promises import ExpectationProblem, Promise, promises_below, read_promises

MODELS = Path(__file__).resolve().parents[2] / "models"
PROMISES = promises_below(MODELS)
SMALL, LARGE = 150, 2_500
"""States up to which the plain engine is asked too, and up to which it is if large models are asked for."""


def cases(promises: list[Promise], large: Callable[[Promise], bool]) -> list[object]:
    marks = [pytest.mark.large]
    return [pytest.param(promise, id=promise.title, marks=marks if large(promise) else []) for promise in promises]


def _states(promise: Promise) -> int:
    return int(promise.figures.get("states", LARGE + 1))


@pytest.mark.parametrize("promise", cases(PROMISES, lambda promise: promise.mark == "large"))
def test_promises(promise: Promise) -> None:
    """The embedded engine finds the promised figures, as `fizzpy test` asks for them."""
    kept = run_promise(promise, "embedded")
    assert kept.holds, (kept.differs, kept.trouble)


@pytest.mark.parametrize(
    "promise",
    cases(
        [promise for promise in PROMISES if promise.mark != "large" and _states(promise) <= LARGE],
        lambda promise: _states(promise) > SMALL,
    ),
)
def test_the_plain_engine_tells_the_same(promise: Promise) -> None:
    """Reports are equal in all that may not differ between engines: counts, verdicts, counterexamples."""
    assert told(promise.run("plain")) == told(promise.run("embedded"))


def told(report: Report) -> Report:
    """A report without what may differ between engines."""
    return replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})


def test_a_broken_promise_says_what_differs(tmp_path: Path) -> None:
    """One sentence per figure."""
    (tmp_path / "m.fizz").write_text("action Init: n = 0\natomic action Up:\n    require n < 2\n    n += 1\n")
    (tmp_path / "expect.yaml").write_text(
        "- {model: m.fizz, exit: 0, states: 4, depth: 2, properties: {deadlock: {verdict: holds, steps: 2}, P: {}}}\n"
    )
    (promise,) = promises_below(tmp_path)
    assert promise.broken_by(promise.run("plain")) == [
        "exit is 11, not 0",
        "states is 3, not 4",
        "deadlock: verdict is violated, not holds",
        "there is no property P",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n- {", r"expect.yaml:2: this is not valid YAML"),
        ("model: m.fizz", "must be a list"),
        ("", "must be a list"),
        ("- 3", "must be a mapping with the key 'model'"),
        ("- states: 3", "must be a mapping with the key 'model'"),
        ("- model: m\n- model: m\n  stats: 3", r"expect.yaml:3: run 2: unknown key 'stats'"),
        ("- {model: m, states: many}", "states must be a number"),
        ("- {model: m, exit: true}", "exit must be a number"),
        ("- {model: m, max_states: 0}", "max_states must be a number"),
        ("- {model: m, keep_going: perhaps}", "keep_going must be true or false"),
        ("- {model: m, verdict: fine}", "verdict must be one of passed"),
        ("- {model: m, set: {D: 2020-01-01}}", "'2020-01-01' is a date"),
        ("- {model: m, mark: slow}", "mark must be one of quick, large"),
        ("- {model: m, set: 3}", "'set' must be a mapping"),
        ("- {model: m, properties: {P: violated}}", "P must be a mapping"),
        ("- {model: m, properties: {P: {verdict: broken}}}", "the verdict of P must be one of"),
        ("- {model: m, properties: {P: {steps: few}}}", "the steps of P must be a number"),
    ],
)
def test_promises_that_are_none(tmp_path: Path, text: str, said: str) -> None:
    """What is wrong with an `expect.yaml` is said in a sentence."""
    (tmp_path / "expect.yaml").write_text(text)
    with pytest.raises(ExpectationProblem, match=said):
        read_promises(tmp_path / "expect.yaml")
