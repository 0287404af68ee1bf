"""Limits of the model: threads at once, starts of an action, each with the keys that name it."""

from __future__ import annotations

import pytest

from tests.interpreter.running import count, machine_of, report_of, walk

ROLES = """
---
options: {{crash_on_yield: false, max_concurrent_actions: 4}}
deadlock_detection: false
action_options: {options}
---
role R:
    action Init: self.n = 0
    action Go:
        require self.n < 5
        self.n += 1
        self.n += 0
action Init:
    a, b = R(), R()
"""


def most(options: str) -> dict[str, int]:
    """The most starts of each action on one path, and the most threads at once."""
    machine = machine_of(ROLES.format(options=options))
    found = {"threads": 0, "R#0": 0, "R#1": 0, "both": 0}
    for state, _ in walk(machine, 4000):
        place = dict(machine.describe(state))
        numbers = [int(place["R#0.n"]), int(place["R#1.n"])]
        found["threads"] = max(found["threads"], len(state.threads))
        found["R#0"], found["R#1"] = max(found["R#0"], numbers[0]), max(found["R#1"], numbers[1])
        found["both"] = max(found["both"], sum(numbers))
    return found


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("{R.Go: {max_actions: 2}}", {"R#0": 2, "R#1": 2, "both": 2, "threads": 2}),
        ('{"R#.Go": {max_actions: 2}}', {"R#0": 2, "R#1": 2, "both": 4, "threads": 4}),
        ('{"R#1.Go": {max_actions: 1}, "R#.Go": {max_actions: 2}}', {"R#0": 2, "R#1": 1, "both": 3, "threads": 3}),
        (
            '{"R#.Go": {max_actions: 2, max_concurrent_actions: 1}}',
            {"R#0": 2, "R#1": 2, "both": 4, "threads": 2},
        ),
        (
            '{"R#.Go": {max_actions: 2}, R.Go: {max_concurrent_actions: 1}}',
            {"R#0": 2, "R#1": 2, "both": 4, "threads": 1},
        ),
        ('{"R#0.Go": {max_actions: 2}, "R#1.Go": {max_actions: 0}, R.Go: {max_actions: 3}}',
         {"R#0": 2, "R#1": 3, "both": 3, "threads": 3}),
    ],
)  # fmt: skip
def test_keys(options: str, wanted: dict[str, int]) -> None:
    """All instances together, each by itself, one alone: every key that matches applies."""
    assert most(options) == wanted


TWO_ACTIONS = """
---
options: {{max_concurrent_actions: 4}}
deadlock_detection: false
action_options: {options}
---
role R:
    action Init: self.n = 0
    action Go:
        require self.n < 2
        self.n += 1
        self.n += 0
    action Back:
        require self.n > 0
        self.n -= 1
        self.n += 0
    func Hear():
        self.n += 0
        self.n += 0
Net = Channel(blocking="fire_and_forget")
action Init:
    a, b = R(), R()
    said = False
atomic action Say:
    require not said
    said = True
    to = Net.stub(a)
    to.Hear()
"""


@pytest.mark.parametrize(
    ("options", "of_one", "of_all"),
    [
        ("{}", 4, 4),
        ('{"R#.*": {max_concurrent_actions: 1}}', 1, 2),
        ('{"R#.*": {max_concurrent_actions: 2}, "R.*": {max_concurrent_actions: 3}}', 2, 3),
        ('{"R.*": {max_concurrent_actions: 1}}', 1, 1),
        ('{"R.*": {max_concurrent_actions: 0}}', 4, 4),
    ],
)
def test_keys_of_all_actions(options: str, of_one: int, of_all: int) -> None:
    """`R#.*` are all actions of one instance, `R.*` of all instances; threads of messages are none."""
    machine = machine_of(TWO_ACTIONS.format(options=options))
    one, every, messages = 0, 0, 0
    for state, _ in walk(machine, 4000):
        roots = [machine.transitions.root(thread) for thread in state.threads]
        acting = [instance for routine, instance in roots if machine.program.routines[routine].kind == "action"]
        one = max([one, *(acting.count(instance) for instance in acting)])
        every = max(every, len(acting))
        messages = max(messages, len(roots) - len(acting))
    assert (one, every) == (of_one, of_all) and messages > 0


@pytest.mark.parametrize("key", ["R.Go", "R#.Go"])
def test_crash_on_yield_of_each_instance(key: str) -> None:
    """`crash_on_yield` means the same under `R.A` and under `R#.A`; if both are given, false wins."""
    other = {"R.Go": "R#.Go", "R#.Go": "R.Go"}[key]
    alone = f'"{key}": {{crash_on_yield: false}}'
    for options in (f"{{{alone}}}", f'{{{alone}, "{other}": {{crash_on_yield: true}}}}'):
        machine = machine_of(ROLES.format(options=options).replace("crash_on_yield: false, max", "max"))
        assert not any(step.crashes for _, steps in walk(machine, 4000) for step in steps)


def test_counters_never_decrease() -> None:
    """The counter of an instance stays when the instance is gone, and counts for the next one of its number."""
    machine = machine_of("""
        ---
        options: {crash_on_yield: false}
        deadlock_detection: false
        action_options: {"R#.Go": {max_actions: 1}}
        ---
        role R:
            action Init: self.n = 0
            atomic action Go: self.n += 1
        action Init: r = R()
        atomic action Renew: r = None
        atomic action Make:
            require r == None
            r = R()
    """)
    found = {
        (dict(machine.describe(s)).get("R#0.n"), '"each R#0.Go":1' in machine.encoding(s)) for s, _ in walk(machine)
    }
    assert found == {("0", False), ("1", True), (None, False), (None, True), ("0", True)}


def test_a_limit_makes_a_deadlock() -> None:
    """A state in which only limits prevent every step is a deadlock; the bound of the exploration makes none."""
    text = """
        ---
        {option}
        ---
        action Init: n = 0
        atomic action Go: n += 1
    """
    limited = report_of(text.format(option="action_options: {Go: {max_actions: 2}}"), crashing=True)
    assert (limited.verdict, limited.states) == ("deadlock", 3)
    bounded = report_of(text.format(option="options: {max_actions: 2}"), crashing=True)
    assert (bounded.verdict, bounded.states, bounded.cut) == ("bounded", 3, 1)


@pytest.mark.parametrize(("limit", "threads"), [("0", 2), ("1", 1), ("2", 2), ("3", 3)])
def test_concurrent_actions(limit: str, threads: int) -> None:
    """A state with that many threads starts nothing; 0 and less mean the default, 2."""
    machine = machine_of(
        """
        action Init: n = 0
        action Go:
            require n < 4
            n += 1
            n += 0
    """,
        **{"options.max_concurrent_actions": limit},
    )
    assert max(len(state.threads) for state, _ in walk(machine)) == threads


def test_default_is_the_smaller_of_two_and_max_actions() -> None:
    """`max_concurrent_actions` is at most `max_actions` by default."""
    text = """
        action Init: n = 0
        action Go:
            n = 1
            n = 2
    """
    assert count(text, **{"options.max_actions": "1"}) == 3


def test_candidates_without_limits() -> None:
    """What could start, without regard to limits: `next_states()` and availability are about that."""
    machine = machine_of("""
        ---
        action_options: {Go: {max_actions: 1}}
        options: {max_concurrent_actions: 1}
        ---
        action Init: n = 0
        action Go:
            n = 1
            n = 2
    """)
    after = [state for state, _ in walk(machine)][1:]
    assert all(not [c for c in machine.candidates(s) if c.name == "Go"] for s in after)
    assert all([c for c in machine.candidates(s, limits=False) if c.name == "Go"] for s in after)
