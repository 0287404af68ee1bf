"""Random walks: how they are drawn, where they end, and what they report (language page, 13)."""

from __future__ import annotations

import random

import pytest

from checker.check import check
from checker.core.problems import ExitCode, UsageProblem
from checker.swarm.simulate import simulate
from checker.traces.walker import STEPS_PER_START
from interpreter import Machine, compile_module
from tests.simulate.models import COUNTER, CRASHING, MESSAGES, SERIAL, end, labels, module_of, simulated

ENDLESS = """\
action Init:
    x = 0
action Loop:
    while True:
        x = 1 - x
"""


def walked_by_hand(text: str, seed: int, steps: int) -> list[str]:
    """The names of the steps that the draws of a seed give, with nothing but the machine and the generator."""
    machine = Machine(compile_module(module_of(text)))
    generator = random.Random(seed)
    initial = machine.initial()[0]
    state = initial[generator.randrange(len(initial))].state
    names = []
    for _ in range(steps):
        drawn = machine.steps(state).steps
        step = drawn[generator.randrange(len(drawn))]
        names.append(step.name)
        state = step.target
    return names


@pytest.mark.parametrize("seed", range(8))
def test_draws(seed: int) -> None:
    """One draw for the initial state, then one per step among all steps in the step order, crashes too."""
    text = SERIAL + "always assertion Never:\n    return b != 7\n"
    text = text.replace("a, b = 0, 0", "a = oneof [0, 1]\n    b = 0")
    report = simulate(module_of(text), runs=200, seed=seed, shorten=False)
    assert report.walk is not None
    names = labels(report.trace)
    assert names == walked_by_hand(text, seed + report.walk, len(names))


def test_walk_i_has_the_seed_plus_i() -> None:
    """The walk that found something is made again by its own seed."""
    text = COUNTER.replace("n <= LIMIT", "n < LIMIT")
    first = simulated(text, runs=50, seed=7, max_actions="3")
    assert first.walk is not None and first.walk > 0
    again = simulated(text, runs=1, seed=7 + first.walk, max_actions="3")
    assert (again.walk, again.trace) == (0, first.trace)
    assert simulated(text, runs=50, seed=7, max_actions="3").trace == first.trace


def test_nothing_found_proves_nothing() -> None:
    """Exit code 0, and no property is said to hold."""
    report = simulated(COUNTER)
    assert (report.verdict, report.exit_code, report.walks, report.trace) == ("nothing found", 0, 20, None)
    assert {p.verdict for p in report.properties} == {"undecided"}


def test_walk_ends_after_max_actions_starts() -> None:
    """The walk ends with the start that reaches the bound."""
    report = simulated(COUNTER, runs=3, max_actions="17")
    assert (report.steps, dict(report.ends)) == (3 * 17, {"max_actions": 3})


def test_length_of_a_walk() -> None:
    """`steps` ends a walk, and so does the default where a thread goes on for ever."""
    assert dict(simulated(COUNTER, runs=2, steps=5).ends) == {"length": 2}
    serial = {"crash_on_yield": "false", "max_concurrent_actions": "1"}
    endless = simulated(ENDLESS, runs=1, **serial)
    assert (endless.steps, dict(endless.ends)) == (STEPS_PER_START * 100, {"length": 1})


def test_crashes_that_change_nothing_do_not_go_on_for_ever() -> None:
    """Where nothing but such crashes is left, the walk ends."""
    report = simulated(CRASHING, runs=30, deadlock_detection="false")
    assert report.ends["no step left"] > 0
    assert report.ends["length"] == 0


def test_deadlock() -> None:
    """A state without a step but crashes is a deadlock, if detection is on; not after `max_actions` starts."""
    text = COUNTER.replace("    require n > 0\n", "    require n > 9\n")
    assert simulated(text).exit_code is ExitCode.DEADLOCK
    assert labels(simulated(text).trace) == ["Up", "Up", "Up"]
    assert simulated(text, deadlock_detection="false").exit_code == 0
    assert simulated(text, max_actions="3").exit_code == 0
    assert simulated(CRASHING).exit_code is ExitCode.DEADLOCK


def test_always_is_evaluated_in_the_initial_state_too() -> None:
    """A walk of no steps."""
    report = simulated(COUNTER.replace("n <= LIMIT", "n > 0"))
    assert (report.exit_code, labels(report.trace), report.walk, report.leading) == (12, [], 0, "Small")


def test_transition_is_not_evaluated_on_crashes() -> None:
    """A start breaks it, the crash of a role that does the same change does not."""
    text = CRASHING + "transition assertion Grows(before, after):\n    return before.store.c <= after.store.c\n"
    assert simulated(text, runs=50, deadlock_detection="false").exit_code == 0
    shrinking = COUNTER + "transition assertion Grows(before, after):\n    return before.n <= after.n\n"
    report = simulated(shrinking)
    assert (report.exit_code, labels(report.trace)[-1]) == (12, "Down")


def test_exists_is_met_or_not_met_never_violated() -> None:
    """A witness is good for all walks; without one the simulation finds nothing."""
    text = COUNTER + "exists assertion Full:\n    return n == 3\nexists assertion Over:\n    return n > 3\n"
    report = simulated(text)
    assert report.exit_code == 0
    assert {p.name: p.verdict for p in report.properties if p.kind == "exists"} == {
        "Full": "holds",
        "Over": "undecided",
    }


@pytest.mark.parametrize(
    ("text", "code", "steps"),
    [
        (COUNTER.replace("n += 1", "n += 1 // (1 - n)"), "R5", 2),
        (COUNTER.replace("return n <= LIMIT", "return [1, 2][n] > 0"), "R2", 2),
        (COUNTER.replace("n = 0", "n = 1 // 0"), "R5", 0),
        (COUNTER.replace("n = 0", "n = 0\n    require n > 0"), "R19", 0),
        (COUNTER.replace("LIMIT = 3", "LIMIT = 3 // 0"), "R5", 0),
        (COUNTER + "transition assertion T(before, after):\n    return 1 // before.n > 0\n", "R5", 1),
        (COUNTER + "always eventually assertion E:\n    return 1 // 0 > 0\n", "R5", 0),
    ],
)
def test_model_that_fails(text: str, code: str, steps: int) -> None:
    """In a step, an assertion, Init or a constant: exit code 75, with the steps that led there if there were any."""
    report = simulated(text, runs=50, max_actions="30")
    assert report.error is not None
    assert (report.exit_code, report.verdict, report.error.diagnostic.code) == (75, "error", code)
    assert report.error.steps >= steps
    assert report.trace is None or report.trace.steps == report.error.steps


def test_symmetry_is_off() -> None:
    """Instances keep their names: the states are those that the steps make."""
    text = (
        "symmetric role Node:\n    action Init:\n        self.s = 0\n"
        "    atomic action Step:\n        require self.s < 1\n        self.s += 1\n"
        "action Init:\n    nodes = bag()\n    nodes.add_all([Node(), Node(), Node()])\n"
        "always assertion Same:\n    return len([n for n in nodes if n.s == 0]) != 2\n"
    )
    found = {tuple(labels(simulated(text, runs=1, seed=seed).trace)) for seed in range(20)}
    assert found == {("Node#0.Step",), ("Node#1.Step",), ("Node#2.Step",)}


def test_messages_are_delivered() -> None:
    """Deliveries are drawn like other steps."""
    text = MESSAGES + "always assertion InOrder:\n    return sink.got != [2, 1]\n"
    report = simulated(text, runs=100)
    assert report.exit_code == 12
    assert "channel-0-message-1" in labels(report.trace)
    assert end(report.trace)["sink"] == "Sink#0"


def test_selected_properties() -> None:
    """Only those, and deadlock; an unknown one is said to be unknown."""
    module = module_of(COUNTER.replace("n <= LIMIT", "n < 2") + "always assertion Other:\n    return n < 3\n")
    report = simulate(module, runs=9, seed=0, selected=("Other",))
    assert report.leading == "Other"
    assert [p.name for p in report.properties] == ["Other", "deadlock"]
    with pytest.raises(UsageProblem):
        simulate(module, runs=9, seed=0, selected=("Missing",))


def test_several_violations_at_once() -> None:
    """All are reported with the same story, each with why it is false; the first of the file leads."""
    text = COUNTER.replace("n <= LIMIT", "n < 2") + "always assertion Again:\n    return n != 2\n"
    report = simulated(text)
    assert report.leading == "Small"
    assert [p.verdict for p in report.properties] == ["violated", "violated", "undecided"]
    first, second = (p.trace for p in report.properties[:2])
    assert first is not None and second is not None and first.why is not None and second.why is not None
    assert first.entries == second.entries
    assert (first.why.facts[0], second.why.facts[0]) == (("n < 2", "False"), ("n != 2", "False"))


def test_interruption_keeps_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 130 and the number of walks so far."""
    calls = 0
    results = Machine.results

    def interrupted(self: Machine, *arguments: object, **more: object) -> object:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return results(self, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Machine, "results", interrupted)
    report = simulated(COUNTER.replace("LIMIT = 3", "LIMIT = 30"), runs=100)
    assert (report.verdict, report.exit_code) == ("interrupted", 130)
    assert report.walks > 0


def test_findings_are_real() -> None:
    """What walks find, the exploration finds too, with a story that is not longer."""
    for value in range(10):
        text = SERIAL + f"always assertion Never:\n    return b != {value}\n"
        report, known = simulated(text, runs=100), check(module_of(text))
        assert report.exit_code == (12 if value in (0, 1, 2, 5, 6, 7) else 0)
        assert known.exit_code == report.exit_code
        if known.trace is not None and report.trace is not None:
            assert known.trace.steps <= report.trace.steps
