"""What an abstract model promises of infinite runs is judged on the refining model's runs, through the view (10.9)."""

from __future__ import annotations

import pytest

from checker.core.problems import ExitCode
from tests.refinement.conftest import IN_PARTITIONS, IN_PROCESS, Refine, verdict
from tests.spark.conftest import Stage

ABSTRACT = """\
---
deadlock_detection: false
---
LIMIT = 3
action Init: n, hidden = 0, 0
atomic fair action Up:
    require n < LIMIT
    n += 1
atomic action Hide: hidden = 1 - hidden
eventually always assertion Full: return n == LIMIT
"""

MODEL = """\
---
deadlock_detection: false
---
action Init: low, high = 0, 0
atomic {fair}action Count:
    require low + 2 * high < 3
    low, high = (1, high) if low == 0 else (0, high + 1)
def number(low, high): return {{"n": low + 2 * high}}
refines "abstract.fizz" with number
"""


@pytest.mark.parametrize("engine", IN_PROCESS)
def test_a_promise_that_is_kept_or_broken(refine: Refine, engine: str) -> None:
    """Without fairness the counter may stop for ever: a stutter, told as a violation of liveness, exit code 13."""
    kept = refine(MODEL.format(fair="fair "), ABSTRACT, engine)
    assert (kept.exit_code, verdict(kept).verdict, verdict(kept).notes) == (ExitCode.PASSED, "holds", ())
    report = refine(MODEL.format(fair=""), ABSTRACT, engine)
    found = verdict(report)
    assert (report.exit_code, found.verdict, found.steps) == (ExitCode.LIVENESS, "violated", 0)
    assert found.trace is not None and found.trace.stutter and found.trace.unmatched is None
    assert found.trace.fairness[0] == "Full of the abstract model is violated by this run, seen through the view"


LEADS = "leadsto assertion Goes: return {BODY}\n"


@pytest.mark.parametrize("engine", IN_PROCESS)
@pytest.mark.parametrize(
    ("body", "steps"),
    [
        # Who stops at 2, by unfairness, never comes to 3; the number is seen after the second step.
        ("(n == 2, n == 3)", 2),
        ("[(n == 1, n >= 1), (n == 2, n == 3)]", 2),
        ("[(n == k, n == 3) for k in range(LIMIT)]", 0),
        ("{k: (n == k, n > k - 2) for k in range(LIMIT)}", None),
    ],
)
def test_pairs(refine: Refine, engine: str, body: str, steps: int | None) -> None:
    """Each pair by itself; there may be as many as a constant says, which the refining model gives another value."""
    abstract = ABSTRACT.replace("eventually always assertion Full: return n == LIMIT\n", "").replace("3", "9")
    model = MODEL.format(fair="").replace("action Init", "LIMIT = 3\naction Init", 1)
    leads = LEADS.replace("{BODY}", body)
    report = refine(model, abstract + leads, engine)
    found = verdict(report)
    assert found.notes == ()
    if steps is None:
        assert (report.exit_code, found.verdict) == (ExitCode.PASSED, "holds")
        return
    assert (report.exit_code, found.verdict) == (ExitCode.LIVENESS, "violated")
    assert found.trace is not None and found.trace.stutter
    assert found.trace.fairness[0].startswith("Goes of the abstract model is violated by this run")
    assert found.trace.waiting is not None and found.trace.waiting.step == steps


@pytest.mark.parametrize("engine", IN_PARTITIONS)
def test_the_same_on_spark(refine: Refine, engine: str, stage: Stage) -> None:
    """The driver judges it."""
    conf = (("spark.default.parallelism", "2"), ("spark.fizzpy.core", "0"))
    report = refine(MODEL.format(fair=""), ABSTRACT, engine, spark_from=0, spark_conf=conf)
    assert (report.exit_code, verdict(report).steps) == (ExitCode.LIVENESS, 0)


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ("always eventually assertion P: return hidden == 0", "the view hides hidden"),
        (
            "always eventually assertion P: return len(next_states()) > 9",
            "it asks for more than the values of variables",
        ),
    ],
)
def test_what_is_not_compared(refine: Refine, assertion: str, why: str) -> None:
    """The report says so, and the refinement holds all the same."""
    report = refine(MODEL.format(fair="fair "), ABSTRACT + assertion + "\n")
    assert (report.exit_code, verdict(report).verdict) == (ExitCode.PASSED, "holds")
    assert verdict(report).notes == (f"P of the abstract model was not compared: {why}",)


def test_liveness_off(refine: Refine) -> None:
    """With `liveness: off` nothing is said of infinite runs."""
    report = refine("---\nliveness: off\n" + MODEL.format(fair="").removeprefix("---\n"), ABSTRACT)
    assert (report.exit_code, verdict(report).verdict) == (ExitCode.PASSED, "holds")


def test_funcs_name_variables_too(refine: Refine) -> None:
    """An assertion names what the funcs that it calls name."""
    more = "atomic func secret():\n    return hidden\n"
    more += "always eventually assertion P:\n    found = secret()\n    return found == 9\n"
    report = refine(MODEL.format(fair="fair "), ABSTRACT + more)
    assert verdict(report).notes == ("P of the abstract model was not compared: the view hides hidden",)


@pytest.mark.parametrize("engine", IN_PROCESS)
def test_a_promise_that_fails(refine: Refine, engine: str) -> None:
    """An error of an assertion of the abstract model is one of the run: its place, and the way to the state."""
    abstract = ABSTRACT.replace("return n == LIMIT", "return 6 // (2 - n) == -6")
    report = refine(MODEL.format(fair="fair "), abstract, engine)
    assert report.exit_code == ExitCode.MODEL_ERROR
    assert report.error is not None and report.error.diagnostic.code == "R5"
    span = report.error.diagnostic.span
    assert span is not None and span.file.endswith("abstract.fizz")
    assert (report.error.steps, verdict(report).verdict) == (2, "undecided")
