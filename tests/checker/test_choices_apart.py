"""Choices with a condition whose values are asked for one by one: every engine finds what the plain one finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.shapes import MEASURED
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.columns.admitted import Admitted
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.element_choices import BeginAnew, ElementChoices
from checker.search.memo.in_place import in_place
from checker.search.memo.run_choice import Thresholds
from fizz import Span, load
from interpreter import compile_module
from interpreter.state.step import NONE_ADMITTED, Aborted, Outcome, Rule, StepKind, one_of_some
from tests.random import laws
from tests.random.choices import ENGINES, program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import stat

ROOT = Path(__file__).resolve().parents[2]
VALUES = 4


def agreed(text: str, states: int = 1_000) -> Report:
    """The report of the plain engine; all engines give the same."""
    settings = Settings(keep_going=True, limits=Limits(states=states))
    found = laws.reports(text, settings, ENGINES)
    assert all(report == found["plain"] for report in found.values())
    return found["plain"]


MODEL = """\
---
deadlock_detection: false
options: {{crash_on_yield: false}}
---
NODES = ["c", "a", "b"]
def mark(into, node):
    into.append(node)
    return len(into)
action Init:
    busy = {{node: 0 for node in NODES}}
    mail = set()
    taken = None
    log = []
atomic action Work:
    node = oneof NODES
    busy[node] = (busy[node] + 1) % 3
    mail.add((node, busy[node]))
atomic action Take:
    {take}
"""


TAKES = [
    "node = oneof busy if busy[node] > 0\n    taken = node",
    "node = oneof busy if busy[node] > 0\n    other = oneof NODES if busy[other] < busy[node]\n    taken = other",
    "node = oneof busy if busy[node] == 1\n    m = oneof mail if m[0] == node and m[1] == 2\n    mail.remove(m)",
    "index = oneof range(len(mail)) if index % 2 == 1\n    taken = index",
    "node = fair<strong> oneof busy.keys() if busy[node] == 2\n    busy[node] = 0\n    taken = node",
    "node = oneof NODES if 2 // busy[node] > 1\n    taken = node",
    "node = oneof NODES if mark(log, node) > 1\n    taken = node",
    "seen = []\n    node = oneof NODES if mark(seen, node) > busy[node]\n    taken = (node, len(seen))",
    "m = oneof mail if busy[m[0]] == m[1]\n    taken = m",
    "node = oneof NODES if node == 3\n    taken = node",
    "node = oneof [n for n in busy if busy[n] > 0]\n    taken = node",
    "node = oneof [n for n in busy if busy[n] > 0 if n != taken]\n    taken = node",
    "node = oneof [n for n in NODES if busy[n] == 1]\n    m = oneof [m for m in mail if node in m]\n    taken = m",
    "index = oneof [node for node in range(len(mail)) if node % 2]\n    taken = index",
    "node = oneof [n for n in set(NODES) if busy[n] > 1]\n    taken = node",
    "node = oneof [n for n in sorted(log + NODES) if busy[n] > 1]\n    taken = node",
    "node = oneof [n for n in log if n]\n    taken = node",
    "node = oneof [n for n in NODES if 2 // busy[n] > 1]\n    taken = node",
    "node = oneof [n for n in NODES if mark(log, n) > 1]\n    taken = node",
    "node = oneof [n for n in [mark(log, 'a'), 7] if len(log) < 3]\n    taken = node",
    "taken = oneof [taken for taken in NODES if busy[taken]]",
    "node = oneof [n for n in (1 if busy['a'] else NODES) if n]\n    taken = node",
]


@pytest.mark.parametrize("take", one_in(2, TAKES))
def test_each_value_by_a_path_of_its_own(take: str) -> None:
    """Keys of a dict, indexes, and elements of lists and sets; after another; with conditions that fail or change."""
    assert agreed(MODEL.format(take=take)).states > 20


def test_which_values_a_state_admits_is_counted_alike_by_rows_and_by_columns() -> None:
    """A path for a value has its number among those that the state admits; the path for none is there if none is."""
    somewhere = Span("", 0, 0, 0, 0)
    for number in range(2**VALUES):
        values = [value for value in range(1, VALUES + 1) if number >> (value - 1) & 1]
        paths: list[tuple[tuple[int, ...], Outcome | Aborted]] = [((0,), Aborted(NONE_ADMITTED, somewhere))]
        paths += [((value,), _taking(one_of_some(value))) for value in values]
        by_rows = [result.forks if isinstance(result, Outcome) else None for result in in_place(paths)]
        admitted = Admitted(1, {0})
        branches = [(value,) for value in range(VALUES + 1)]
        units = [np.array([1]), *[np.array([int(value in values)]) for value in range(1, VALUES + 1)]]
        admitted.add(branches, units, None)
        left = [int(admitted.without(*unit, [1])[0]) for unit in zip(branches, units, strict=True)]
        numbers = [int(admitted.numbers(branch, [VALUES + 1])[0]) for branch in branches]
        by_columns = [(numbers[value],) if value else None for value in range(VALUES + 1) if left[value]]
        assert by_columns == by_rows


def _taking(taken: int) -> Outcome:
    return Outcome((), None, (), (), (taken,), False, (), (), (), ())


@pytest.mark.parametrize("block", one_in(4, range(4)))
def test_random_programs(block: int) -> None:
    """Random programs about choices with a condition; `python -m tests.random.choices` has as many as you like."""
    for seed in range(2 * block, 2 * block + 2):
        source = seeded(seed)
        text = program(source)
        assert broken(text, settings_of(source), ENGINES[:3]) is None, text


def test_rules_that_cannot_be_run_directly_stay_as_they_are() -> None:
    """Paths for each value are tried instead of running a rule directly: others keep choosing element by element."""
    program = compile_module(
        load(str(ROOT / "models/shapes/Paxos.fizz"), constants={"ACCEPTORS": "3", "VALUES": '["a"]'})
    )
    properties = properties_of(program, MEASURED["Paxos"].split())
    found = explore(EmbeddedEngine(), program, properties, Settings(keep_going=True))
    assert stat(found, "interpreter calls") < 2 * found.transitions


CHANNELS = """\
---
deadlock_detection: false
options: {{crash_on_yield: false, max_actions: 100}}
---
NODES = list(range(5))
action Init:
    boxes = {{node: [] for node in NODES}}
    seen = {{node: 0 for node in NODES}}
atomic action Send:
    node = oneof NODES
    require len(boxes[node]) < 2
    boxes[node].append((node + len(boxes[node])) % 2)
atomic action Receive:
    node = oneof {choice}
    what = boxes[node].pop(0)
    seen[node] = (seen[node] + 1 + what) % 2
"""


@pytest.mark.parametrize("choice", ["NODES if len(boxes[node]) > 0", "[n for n in NODES if len(boxes[n]) > 0]"])
def test_a_rule_that_tables_seldom_know_has_a_path_for_each_value(choice: str) -> None:
    """What the n-th of the values that a state admits does depends on all of them, which tables do not repeat."""
    text = CHANNELS.format(choice=choice)
    program = compile_module(load("channels.fizz", text=text))
    settings = Settings(keep_going=True, limits=Limits(states=15_000))
    often, seldom = (
        explore(EmbeddedEngine(0, Sizes(walks=walks)), program, properties_of(program, None), settings)
        for walks in (1 << 30, 20)
    )
    assert (often.states, often.transitions) == (seldom.states, seldom.transitions)
    assert stat(seldom, "walked through trees") < 0.5 * stat(often, "walked through trees")


def test_a_rule_that_goes_back_still_chooses_by_elements() -> None:
    """Only that it has a path for each value of a condition ends, and that for good."""
    choices, rule, slot = ElementChoices(), Rule(StepKind.START, 0), ("heap", "s")
    with pytest.raises(BeginAnew):
        choices.admits(rule, slot, None)
    assert choices.may_be_apart(rule)
    choices.set_apart(rule, 0, 0)
    assert choices.by_value(rule) and not choices.may_be_apart(rule)
    choices.end_apart(rule)
    assert choices.sets == {rule: slot} and not choices.apart and not choices.may_be_apart(rule)


def test_many_more_paths_apart_are_too_many() -> None:
    """Four times as many new paths as before, if one comes to so many evaluations."""
    choices, rule = ElementChoices(), Rule(StepKind.START, 0)
    assert not choices.is_worse_apart(rule, 9_000, 9_000)
    choices.set_apart(rule, 1_000, 50_000)
    assert not choices.is_worse_apart(rule, 4_000, 60_000)
    assert choices.is_worse_apart(rule, 4_001, 90_000)
    assert not choices.is_worse_apart(rule, 4_001, 100_000)


ELECTION = """
---
deadlock_detection: false
---
N = 4
TERMS = 3
role Node:
    action Init:
        self.candidate = False
        self.term = 0
        self.voted = None
    atomic action Stand:
        require self.term < TERMS
        self.term += 1
        self.candidate = True
        self.voted = self.__id__
    atomic action Vote:
        c = oneof [n for n in nodes if n.candidate and n.term > self.term]
        self.term = c.term
        self.candidate = False
        self.voted = c.__id__
action Init:
    nodes = [Node() for i in range(N)]
"""


def test_a_rule_of_which_much_is_remembered_has_a_path_for_each_value() -> None:
    """Whom one may vote for depends on all others, whether one votes for a certain candidate on that one alone."""
    program = compile_module(load("m.fizz", text=ELECTION))
    settings = Settings(keep_going=True)
    never, later = (
        explore(EmbeddedEngine(thresholds=Thresholds(apart=apart)), program, properties_of(program, None), settings)
        for apart in (1 << 60, 100)
    )
    assert (never.states, never.transitions) == (later.states, later.transitions)
    assert 2 * stat(later, "tree nodes") < stat(never, "tree nodes")


@pytest.mark.parametrize("apart", [60, 150])
def test_a_rule_that_had_paths_for_each_value_may_choose_among_elements(apart: int) -> None:
    """Steps are numbered by the values and elements that are chosen, as long as they are."""
    program = compile_module(load(str(ROOT / "models/shapes/CommitByMessages.fizz"), constants={"PARTICIPANTS": "5"}))
    properties, settings = properties_of(program, None), Settings(keep_going=True)
    usual = explore(EmbeddedEngine(), program, properties, settings)
    found = explore(EmbeddedEngine(thresholds=Thresholds(apart=apart)), program, properties, settings)
    assert (found.states, found.transitions) == (usual.states, usual.transitions)


JOURNAL = """\
---
options: {max_actions: 1000}
deadlock_detection: false
---
ACCOUNTS = ["a", "b", "c"]
action Init:
    balance = {a: 4 for a in ACCOUNTS}
    journal = []
atomic action Begin:
    require len(journal) < 4
    src = oneof ACCOUNTS
    dst = oneof [a for a in ACCOUNTS if a != src]
    amount = oneof range(1, 4) if amount <= balance[src]
    journal.append({"dst": dst, "amount": amount, "state": "begun"})
    balance[src] -= amount
atomic action Recover:
    entry = oneof journal if entry["state"] == "begun"
    entry["state"] = "done"
    balance[entry["dst"]] += entry["amount"]
"""


@pytest.mark.large
def test_a_rule_of_which_more_is_new_apart_goes_back() -> None:
    """What is read of a chosen entry comes together with all balances: each value of a choice has as many paths."""
    report = check(load("m.fizz", text=JOURNAL), settings=Settings(stats=True))
    assert report.states == 741_937
    assert stat(report, "interpreter calls") < 20_000
