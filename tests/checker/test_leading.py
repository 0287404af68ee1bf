"""Of several violated properties the one with the shortest story leads; the exit code is that of the first kind."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from checker.report.terminal_report import verdict_sentence

STEPS = """\
---
deadlock_detection: {deadlock}
---
action Init: a = 0
atomic action Up:
    require a < {most}
    a += 1
"""


def judged(assertions: str, most: int = 3, deadlock: bool = False) -> Report:
    """Everything that is wrong with a number that goes up step by step."""
    text = STEPS.format(most=most, deadlock=str(deadlock).lower()) + assertions
    return check(fizz.load("m.fizz", text=text), settings=Settings(keep_going=True))


LATE = "always assertion Late: return a < 3\n"
EARLY = "always assertion Early: return a < 2\n"
CHANGE = "transition assertion Change(before, after): return after.a != 1\n"
NEVER = "exists assertion Never: return a > 9\n"
LIVE = "always eventually assertion Live: return a > 9\n"


@pytest.mark.parametrize(
    ("assertions", "deadlock", "leading", "exit_code"),
    [
        (LATE + EARLY, False, "Early", 12),
        (EARLY + LATE, False, "Early", 12),
        (LATE + "always assertion Same: return a < 3\n", False, "Late", 12),
        (EARLY + CHANGE, False, "Change", 12),
        (LATE, True, "Late", 12),
        (LATE.replace("3", "4") + NEVER, True, "deadlock", 11),
        (NEVER + LIVE, False, "Live", 12),
        (NEVER, False, "Never", 12),
        (LATE + LIVE, False, "Live", 12),
        (LIVE, True, "Live", 11),
    ],
)
def test_the_shortest_leads(assertions: str, deadlock: bool, leading: str, exit_code: int) -> None:
    """Whatever its kind is; of equally long ones the first in the file. What was never met has no story: it is last."""
    report = judged(assertions, deadlock=deadlock)
    assert (report.leading, report.exit_code) == (leading, exit_code)
    (first,) = [p for p in report.properties if p.name == leading]
    assert report.trace == first.trace
    assert report.trace is None or report.trace.steps == first.steps


def test_a_stutter_counts_no_step() -> None:
    """A run that stays in the initial state has no steps."""
    report = judged(EARLY + LIVE)
    assert report.trace is not None and (report.leading, report.trace.steps) == ("Live", 0)


def test_mistakes_lead() -> None:
    """A mistake of the model comes before every violation, however long it is."""
    report = judged(EARLY + "always assertion Wrong: return 1 // (3 - a) >= 0 or True\n")
    assert (report.leading, report.exit_code) == (None, 75)
    assert report.error is not None and report.error.steps == 3
    assert report.trace is not None and report.trace.steps == 3


def test_the_verdict_tells_of_its_own_kind() -> None:
    """The last line names a property that the exit code stands for, whichever leads."""
    assert verdict_sentence(judged(LATE + LIVE)) == "Late is violated (always, 3 steps)"
    assert verdict_sentence(judged(LATE + EARLY)) == "Early is violated (always, 2 steps)"
    assert verdict_sentence(judged(NEVER + LIVE)) == "Never is violated (exists)"
    assert verdict_sentence(judged(LIVE)) == "Live is violated (always eventually, 0 steps)"


CRASHES = """\
---
deadlock_detection: false
options: {{max_concurrent_actions: 1}}
---
action Init: a, b = 0, 0
action Go:
    a += 1
    b += 1
always assertion Together: return {holds}
"""


@pytest.mark.parametrize(
    ("holds", "sentence"),
    [
        ("a < 1", "Together is violated (always, 1 step, no crash in it)"),
        ("a - b < 2", "Together is violated (always, 2 steps, crash of Go in step 1)"),
        ("a - b < 3", "Together is violated (always, 3 steps, crashes in steps 1, 2)"),
    ],
)
def test_the_verdict_names_crashes(holds: str, sentence: str) -> None:
    """Or says that there is none, if the model has any: the reader need not look for it."""
    text = CRASHES.format(holds=holds)
    assert verdict_sentence(check(fizz.load("m.fizz", text=text))) == sentence
    without = check(fizz.load("m.fizz", text=CRASHES.format(holds="a < 1"), options={"crash_on_yield": "false"}))
    assert verdict_sentence(without) == "Together is violated (always, 1 step)"


def test_a_deadlock_names_crashes() -> None:
    """The crash without which the run would go on."""
    text = "action Init: lock = 0\nfair action Go:\n    require lock == 0\n    lock = 1\n    lock = 0\n"
    assert verdict_sentence(check(fizz.load("m.fizz", text=text))) == "a state has no step left, crash of Go in step 1"
