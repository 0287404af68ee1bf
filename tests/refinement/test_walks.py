"""Refinements on random walks."""

from __future__ import annotations

from pathlib import Path

import fizzpy
from checker.core.problems import ExitCode

MODELS = Path(__file__).parents[2] / "models"


def test_a_walk_that_nothing_explains() -> None:
    """It ends at the first step that nothing explains, and only steps that this needs are left of it."""
    report = fizzpy.simulate(str(MODELS / "elections" / "ElectionWonTwice.fizz"), runs=20, seed=0)
    assert (report.exit_code, report.leading) == (ExitCode.SAFETY, "refines Election.fizz")
    assert report.trace is not None and report.trace.unmatched is not None
    # The search finds no shorter one.
    assert report.trace.steps == report.trace.unmatched.step == 4
    assert report.trace.unmatched.viewed[0][1:] in [(f'(1, "{node}")', f'(2, "{node}")') for node in "abc"]


def test_an_initial_state_that_nothing_explains(tmp_path: Path) -> None:
    """No step is needed."""
    (tmp_path / "abstract.fizz").write_text("action Init: n = 0\natomic action Up: n += 1\n")
    model = tmp_path / "m.fizz"
    model.write_text('action Init: m = 5\ndef view(m): return {"n": m}\nrefines "abstract.fizz" with view\n')
    report = fizzpy.simulate(str(model), runs=1, seed=0)
    assert report.trace is not None and (report.trace.steps, report.leading) == (0, "refines abstract.fizz")


def test_walks_that_are_explained(tmp_path: Path) -> None:
    """Nothing is said against a refinement that holds, nor where the abstract model is cut by its own bound."""
    assert fizzpy.simulate(str(MODELS / "elections" / "ElectionByVotes.fizz"), runs=20, seed=0).exit_code == 0
    (tmp_path / "abstract.fizz").write_text(
        "---\noptions: {max_actions: 2}\n---\naction Init: n = 0\natomic action Up: n += 1\n"
    )
    model = tmp_path / "m.fizz"
    view = 'def view(m): return {"n": m}\nrefines "abstract.fizz" with view\n'
    text = f"action Init: m = 0\natomic action Up: m += 1\n{view}"
    model.write_text(text)
    report = fizzpy.simulate(str(model), runs=3, seed=0, steps=8)
    assert (report.exit_code, report.properties[0].verdict) == (ExitCode.PASSED, "undecided")
    model.write_text(text.replace("{", "{1: 2, "))
    failed = fizzpy.simulate(str(model), runs=1, seed=0)
    assert failed.error is not None and failed.error.diagnostic.code == "R26"
