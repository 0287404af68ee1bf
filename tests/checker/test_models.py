"""The models keep their promises on every engine, and every engine tells the same story."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from checker.expect import Promise, promises_below, read_promises
from checker.problems import UsageProblem
from checker.report import Report

MODELS = Path(__file__).resolve().parents[2] / "models"
PROMISES = promises_below(MODELS)
SMALL = 2_500
"""States up to which the plain engine is asked too."""


def cases(promises: list[Promise], large: Callable[[Promise], bool]) -> list[object]:
    marks = [pytest.mark.large]
    return [pytest.param(promise, id=promise.title, marks=marks if large(promise) else []) for promise in promises]


@pytest.mark.parametrize("promise", cases(PROMISES, lambda promise: promise.mark == "large"))
def test_promises(promise: Promise) -> None:
    """The embedded engine finds the promised figures."""
    assert promise.broken_by(promise.run("embedded")) == []


@pytest.mark.parametrize(
    "promise", cases(PROMISES, lambda promise: int(promise.figures.get("states", SMALL + 1)) > SMALL)
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
        ("{", "not valid YAML"),
        ("model: m.fizz", "must be a list"),
        ("- states: 3", "must be a mapping with the key 'model'"),
        ("- {model: m, stats: 3}", "unknown key 'stats'"),
        ("- {model: m, mark: slow}", "mark must be one of quick, large"),
        ("- {model: m, set: 3}", "'set' must be a mapping"),
        ("- {model: m, properties: {P: violated}}", "P must be a mapping"),
        ("- {model: m, properties: {P: {verdict: broken}}}", "the verdict of P must be one of"),
    ],
)
def test_promises_that_are_none(tmp_path: Path, text: str, said: str) -> None:
    """What is wrong with an `expect.yaml` is said in a sentence."""
    (tmp_path / "expect.yaml").write_text(text)
    with pytest.raises(UsageProblem, match=said):
        read_promises(tmp_path / "expect.yaml")
