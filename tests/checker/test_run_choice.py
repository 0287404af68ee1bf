"""How a rule is run is chosen by how often the interpreter is needed; no answer depends on it."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.run_choice import RunChoice, Thresholds
from checker.search.registry import engine_of
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared
from tests.stats import stat

EARLY = Thresholds(learning=30, window=10, trial=10)

MESSAGES = """
---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
---
N = 3
action Init:
    done = [0 for i in range(N)]
    messages = []
atomic action Send:
    i = oneof range(N)
    k = oneof range(2)
    require (i, k) not in messages
    messages = sorted(messages + [(i, k)])
atomic action Receive:
    m = oneof messages
    i, k = m
    require len([x for x in messages if x[0] == i]) > done[i]
    done[i] += 1
always assertion Bounded: return all([d <= 2 for d in done])
exists assertion Full: return len(messages) == 2 * N
"""
"""The messages are in a list: those in a set would be asked for one by one."""


def asked(choice: RunChoice, evaluations: int, share: float) -> None:
    """So many evaluations, one at a time; of each an even share of interpreter calls."""
    calls = 0.0
    for _ in range(evaluations):
        calls += 0 if choice.directly else share
        choice.count(1, int(calls))
        calls -= int(calls)


def test_what_is_known_is_remembered() -> None:
    """Few calls, even if there are many evaluations; or many at first."""
    choice = RunChoice(lambda: pytest.fail("asked"), EARLY)
    asked(choice, 8, 1.0)
    asked(choice, 5_000, 0.1)
    assert not choice.directly
    assert choice.left > 1_000


def test_what_was_known_is_looked_at_again() -> None:
    """Where much is new in a window that was to be long, the choice is made again, after a few thousand evaluations."""
    choice = RunChoice(lambda: True, EARLY)
    asked(choice, 8, 1.0)
    asked(choice, 5_000, 0.0)
    assert choice.left > 4_000
    assert choice.left < 10_000
    choice.count(choice.left, choice.left // 2)
    assert choice.directly


def test_what_is_new_is_run_directly() -> None:
    """It is tried again when it was evaluated twice as often, for some calls."""
    choice = RunChoice(lambda: True, EARLY)
    asked(choice, 10, 1.0)
    assert not choice.directly
    asked(choice, 1_000, 1.0)
    assert choice.directly
    asked(choice, choice.left, 1.0)
    assert not choice.directly and choice.left <= 10
    asked(choice, choice.left, 1.0)
    assert choice.directly and choice.left > 500
    asked(choice, choice.left, 1.0)
    asked(choice, 1_000, 0.0)
    assert not choice.directly


def test_what_repeats_nothing_is_run_directly_soon() -> None:
    """A quarter of the calls is enough then; if some of it repeats, it is not."""
    thresholds = Thresholds(learning=400, hopeless=100, window=10, trial=10)
    for share, wanted in ((1.0, True), (0.9, False), (8.0, True)):
        choice = RunChoice(lambda: True, thresholds)
        asked(choice, int(160 / share), share)
        assert choice.directly is wanted
    choice = RunChoice(lambda: True, thresholds)
    for _ in range(20):
        # Of ten paths of each evaluation eight are new.
        choice.count(1, 8, 10)
    assert not choice.directly


@pytest.mark.parametrize(("spent", "falling", "wanted"), [(10, 1.0, True), (10_000, 1.0, False), (10, 0.93, False)])
def test_what_shows_no_sign_of_repeating_more_is_run_directly(spent: int, falling: float, wanted: bool) -> None:
    """Where functions record, a call for each fifth evaluation costs more than direct runs, if there will not be fewer;
    but not if what the rule itself does costs far more than to call it."""
    choice, share, directly = RunChoice(lambda: True), 0.2, False
    choice.recorded = True
    for _ in range(10):
        evaluations = choice.left
        choice.spent += int(evaluations * share) * spent
        choice.count(evaluations, int(evaluations * share))
        directly |= choice.directly
        share *= falling
    assert directly is wanted


def test_what_cannot_be_run_directly_is_asked_once() -> None:
    """The question may take the compilation of the rule."""
    times: list[int] = []
    choice = RunChoice(lambda: bool(times.append(1)), EARLY)
    asked(choice, 10_000, 1.0)
    assert not choice.directly and len(times) == 1


def test_many_calls_are_few_at_a_time() -> None:
    """A rule of which each evaluation takes many calls is not tried for long."""
    choice = RunChoice(lambda: True, Thresholds())
    choice.count(choice.left, 64 * 50)
    while not choice.directly:
        assert choice.left <= 256
        choice.count(choice.left, choice.left * 50)
    choice.count(choice.left, 0)
    assert not choice.directly and choice.left == 8


def test_what_takes_long_to_walk_is_run_directly() -> None:
    """Few paths are new, but rows are led to many nodes: a visit takes some microseconds, whatever the hit rate."""
    short, long = RunChoice(lambda: True, EARLY), RunChoice(lambda: True, EARLY)
    for _ in range(200):
        short.visits += 100
        short.count(100, 0)
        long.visits += 2_000
        long.count(100, 0)
    assert long.directly and not short.directly
    long.count(long.left, 0)
    assert not long.directly and long.visits == 0


def test_paths_that_read_much_are_recorded_less_often() -> None:
    """It takes as long to record one that reads all of a large dict as several others."""
    needed = []
    for reads in (4, 100):
        choice = RunChoice(lambda: True, Thresholds())
        choice.recorded = True
        while not choice.directly:
            choice.reads += 4 * reads
            choice.count(8, 4)
            choice.recorded = True
        needed.append(choice.evaluations)
    assert needed[1] < needed[0] // 4


@pytest.mark.parametrize("wide", [None, 0, 20])
def test_rules_change_over(wide: int | None) -> None:
    """From remembered to direct and back in the middle of a run."""
    program = compile_module(load("m.fizz", text=MESSAGES))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings())
    for thresholds in (EARLY, Thresholds(learning=0, window=5, trial=3, share=0.1)):
        found = explore(EmbeddedEngine(wide, thresholds=thresholds), program, properties, Settings())
        assert compared(found) == compared(plain)
        assert 0 < stat(found, "run directly") < stat(found, "rule evaluations")
        assert stat(found, "interpreter calls") < found.transitions
