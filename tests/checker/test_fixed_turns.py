"""Comprehensions and loops over what is the same in all states: where much is new each turn is remembered apart."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.search.memo.fixed_turns import FixedTurns
from interpreter import StepKind, compile_module
from interpreter.state.step import Rule
from tests.checker.test_elements import agreed
from tests.random.constants import program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import stat

MODEL = """\
---
options: {max_actions: 100}
deadlock_detection: false
---
KEYS = ["a", "b", "c"]
GROUPS = [KEYS, ["c"], []]
ODD = [1, 1.0, True, "x"]
SEEN = set(["b", "c"])
WEIGHTS = {"a": 1, "b": 2, "c": 4}
role Node:
    action Init:
        self.term = 0
        self.peer = None
    atomic action Tick:
        require self.term < 2
        self.term += 1
    always assertion Behind:
        return all([n.term <= self.term + 2 for n in nodes]) and sum([i for i in range(3) if nodes[i].term > 9]) == 0
action Init:
    owner = {k: None for k in KEYS}
    counts = [0, 0, 0]
    nodes = [Node() for i in range(3)]
    extra = []
atomic action Take:
    k = oneof KEYS
    owner[k] = 1 if owner[k] == None else 2 if owner[k] == 1 else None
atomic action Count:
    i = oneof range(3)
    require counts[i] < 1
    counts[i] += 1
    extra.append(i)
atomic action Point:
    i = oneof range(3)
    require nodes[i].peer == None
    nodes[i].peer = nodes[(i + 1) % 3]

def worth(keys, owner):
    total = 0
    for k in keys:
        total += WEIGHTS[k] if owner[k] == 1 else 0
    return total
"""


def stated(*lines: str, head: str = "always assertion P") -> str:
    """An assertion of several statements."""
    return "".join([f"{head}:\n", *[f"    {line}\n" for line in lines]])


PROPERTIES = [
    "always assertion P: return len([k for k in KEYS if owner[k] == 1]) < 3",
    "always assertion P: return sum([WEIGHTS[k] for k in KEYS if owner[k] == 2]) != 7",
    "always assertion P: return [k for k in KEYS if owner[k] != None] != ['b', 'c'] or counts[0] == 0",
    "always assertion P: return set([owner[k] for k in SEEN]) != set([1, 2])",
    "always assertion P: return len([g for g in GROUPS if len([k for k in g if owner[k] == 1]) > 2]) < 2",
    "always assertion P: return any([counts[i] == 0 for i in range(len(counts))]) or len(extra) < 3",
    "always assertion P: return max([counts[i] + nodes[i].term for i in range(3)]) < 3",
    "always assertion P: return len([e for e in ODD if owner['a'] == e]) < 2",
    "always assertion P: return len([n for n in nodes if n.peer == None or n.peer.term > n.term]) > 0",
    "always assertion P: return [n for n in nodes if n.term == 2] != [nodes[0], nodes[2]]",
    "always assertion P: return len([(a, b) for a in KEYS for b in KEYS if a != b and owner[a] == owner[b]]) < 4",
    "always assertion P: return [extra[i] for i in range(len(extra) - 1) if extra[i] > extra[i + 1]] != [2, 1]",
    "always assertion P: return worth(KEYS, owner) < 7",
    "exists assertion P: return len([k for k in owner if owner[k] == 2]) + len([n for n in nodes if n.term]) == 5",
    # A turn that fails, where another one decides, and where none does.
    "always assertion P: return all([6 // (counts[i] - 1) < 9 for i in range(3) if owner['c'] == 2])",
    "always assertion P: return len([k for k in KEYS if owner[k] != 2 or 1 // counts[0]]) >= 0",
    stated(
        "load = {}",
        "for k in KEYS:",
        "    load[owner[k]] = load.get(owner[k], 0) + 1",
        "return load.get(2, 0) < 3 and list(load) != [2, None, 1]",
    ),
    stated(
        "last = None",
        "for i in range(3):",
        "    if nodes[i].term > 1:",
        "        last = nodes[i]",
        "        break",
        "return last == None or last.peer == None or counts[1] == 0",
    ),
    stated(
        "for a in range(3):",
        "    for b in range(a):",
        "        if counts[a] < counts[b] and extra == [1, 2]:",
        "            return False",
        "return True",
    ),
    "transition assertion P(before, after): return len([k for k in KEYS if before.owner[k] != after.owner[k]]) <= 1",
    "transition assertion P(before, after): return [i for i in range(3) if before.counts[i] != after.counts[i]] != [2]",
    "transition assertion P(before, after): return all([after.owner[k] != 2 or before.owner[k] for k in KEYS]) and "
    "sum([after.counts[i] for i in range(3)]) >= sum([before.counts[i] for i in range(3)])",
    stated(
        "changed = 0",
        "for k in KEYS:",
        "    if before.owner[k] != after.owner[k]:",
        "        changed += 1",
        "return changed == 0 or after.counts != [1, 1, 1]",
        head="transition assertion P(before, after)",
    ),
]


@pytest.mark.parametrize("text", one_in(5, PROPERTIES))
def test_engines_agree(text: str) -> None:
    """Verdicts, counts, errors and traces are the same on all engines."""
    agreed(MODEL + text + "\n", states=1_500)


@pytest.mark.parametrize("seed", one_in(6, range(24)))
def test_programs_agree(seed: int) -> None:
    """Programs about what is the same in all states that are made up: `python -m tests.random.constants` makes more."""
    source = seeded(seed)
    text = program(source)
    assert broken(text, settings_of(source), ("early columns", "embedded")) is None, text


OWNERS = """\
---
options: {max_actions: 1000}
deadlock_detection: false
---
KEYS = [0, 1, 2, 3, 4, 5, 6]
action Init:
    owner = {k: 0 for k in KEYS}
atomic action Take:
    k = oneof KEYS
    owner[k] = (owner[k] + 1) % 4
"""


@pytest.mark.parametrize(
    "text",
    [
        "always assertion P: return len([k for k in KEYS if owner[k] == 3]) <= 7",
        "transition assertion P(before, after): return [k for k in KEYS if before.owner[k] > after.owner[k] + 3] == []",
        stated(
            "load = {n: 0 for n in range(4)}",
            "for k in KEYS:",
            "    load[owner[k]] += 1",
            "return max(load.values()) < 8",
        ),
    ],
)
def test_each_turn_is_remembered(text: str) -> None:
    """Each state is a new case, and no turn is."""
    report = check(fizz.load("m.fizz", text=OWNERS + text + "\n"), settings=Settings(stats=True, keep_going=True))
    assert report.states == 4**7
    assert (stat(report, "interpreter calls") + stat(report, "run directly")) * 10 < report.states


def test_what_has_nothing_to_ask_so_is_run_directly_at_once() -> None:
    """A loop over a list that is as new as the state is not gone through turn by turn."""
    text = OWNERS.replace("0 for k in KEYS}", "0 for k in KEYS}\n    log = []").replace(
        "% 4", "% 4\n    log = [owner[j] for j in KEYS]"
    )
    text += "always assertion P: return sum([x * i for i, x in enumerate(log)]) < 100\n"
    report = check(fizz.load("m.fizz", text=text), settings=Settings(stats=True))
    assert report.states == 4**7 + 1
    assert stat(report, "run directly") > report.states // 2
    assert stat(report, "interpreter calls") - stat(report, "recorded by functions") < 200


def test_what_was_new_long_ago_does_not_count() -> None:
    """Nearly all first evaluations of a rule are new, also of one that hardly meets anything new later."""
    rule = Rule(StepKind.START, 1)
    turns = FixedTurns(compile_module(fizz.load("m.fizz", text=OWNERS)))
    assert turns.is_often_new(rule, 1_000, 1_000)
    assert turns.is_often_new(rule, 1_400, 4_000)
    assert not turns.is_often_new(rule, 1_500, 9_000)
    assert not turns.is_often_new(rule, 2_000, 20_000)
    assert turns.is_often_new(rule, 4_500, 30_000)
