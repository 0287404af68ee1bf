"""Lists of the state that begin alike (`a[:n] == b[:n]`), or are equal: one question each, however they are written."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.stats import stat

LOGS = """\
---
options: {max_actions: 1000}
deadlock_detection: false
---
N = 3
LENGTH = 2
action Init:
    log = {n: [] for n in range(N)}
    commit = {n: 0 for n in range(N)}
    odd = []
atomic action Append:
    require len(log[0]) < LENGTH
    v = oneof ["x", "y"]
    log[0].append(v)
atomic action Copy:
    n = oneof range(1, N)
    require len(log[n]) < len(log[0])
    log[n].append(log[0][len(log[n])])
atomic action Commit:
    n = oneof range(N)
    require commit[n] < len(log[n])
    commit[n] += 1
"""
ODD = """\
atomic action Odd:
    require len(odd) < 2
    which = oneof range(6)
    odd.append([1, 1.0, True, [1], set([1]), "x"][which])
atomic action Turn:
    n = oneof range(N)
    require len(log[n]) > 0
    log[n] = [log[n][-1]] + log[n][:-1]
"""
ALL_PAIRS = """\
always assertion P:
    for a in range(N):
        for b in range(N):
            m = min(commit[a], commit[b])
            if log[a][:m] != log[b][:m]:
                return False
    return True
"""
PROPERTIES = [
    ALL_PAIRS,
    "always assertion P: return all([log[0][:commit[n]] == log[n][:commit[n]] for n in range(N)])\n",
    "always assertion P: return log[1][:commit[1]] == log[2][:commit[2]] or commit[1] != commit[2]\n",
    "always assertion P: return len([n for n in range(N) if log[n] == log[0]]) + len(log[0]) != 3\n",
    "always assertion P: return log[1][:2] != log[2][:2] or log[1] == log[2]\n",
    "always assertion P: return odd[:1] != log[0][:1] and odd[:2] != [1, 1][:2]\n",
    "always assertion P: return odd[:-1] == log[0][:-1] or odd[:None] == log[2][:None] or len(odd) > 1\n",
    "always assertion P: return log[0][:commit[0]] == log[1][:1.5] or commit[0] == 0\n",
    "transition assertion P(before, after): return all([after.log[n][:before.commit[n]] == before.log[n]"
    "[:before.commit[n]] for n in range(N)])\n",
    "transition assertion P(before, after): return len([n for n in range(N) if before.log[n] != after.log[n]]) < 2 and "
    "before.odd[:1] == after.odd[:1]\n",
]


@pytest.mark.parametrize("text", PROPERTIES)
def test_engines_agree(text: str) -> None:
    """Verdicts, counts, errors and traces are the same on all engines."""
    agreed(LOGS + ODD + text, states=1_500)


@pytest.mark.parametrize(
    "text",
    [
        ALL_PAIRS,
        "always assertion P:\n    m, n = commit[1], commit[2]\n"
        "    return log[0][:m] == log[1][:m] and log[0][:n] == log[2][:n]\n",
    ],
    ids=["the interpreter", "functions"],
)
def test_what_the_lists_are_is_not_asked(text: str) -> None:
    """There are 21,669 states with thousands of pairs of logs, and few ways to be committed."""
    found = check(
        fizz.load("m.fizz", text=LOGS.replace("LENGTH = 2", "LENGTH = 4") + text), settings=Settings(stats=True)
    )
    assert found.verdict == "passed" and found.states == 21_669
    assert stat(found, "run directly") < 100
    assert stat(found, "interpreter calls") * 10 < found.states


SETS = """\
---
options: {max_actions: 1000}
deadlock_detection: false
---
NODES = ["a", "b", "c"]
OPS = 3
action Init:
    adds = {n: set() for n in NODES}
    bags = [bag(), bag()]
    loose = set()
    ops = 0
atomic action Add:
    require ops < OPS
    n = oneof NODES
    ops += 1
    adds[n].add(ops)
    bags[ops % 2].add(ops % 2)
atomic action Loose:
    require len(loose) < 2
    e = oneof [1, 2.0, "x"]
    loose.add(e)
atomic action Merge:
    n = oneof NODES
    m = oneof NODES
    require n != m and adds[m] != adds[n]
    adds[n] = adds[n] | adds[m]
"""
OF_SETS = [
    "always assertion P: return adds['a'] != adds['b'] or ops < 3\n",
    "always assertion P: return adds['a'] == loose or not loose <= adds['a'] or len(loose) == 0\n",
    "always assertion P: return bags[0] != bags[1] or ops == 0\n",
    "always assertion P: return all([adds[n] <= adds[m] or adds[m] <= adds[n] or ops < 3 for n in NODES for m in NODES]"
    ")\n",
    "transition assertion P(before, after): return all([before.adds[n] <= after.adds[n] for n in NODES]) and "
    "(after.adds['a'] != before.adds['b'] or after.ops < 3)\n",
]


@pytest.mark.parametrize("text", OF_SETS)
def test_sets_in_two_places(text: str) -> None:
    """Sets are compared by what they have, wherever they are."""
    agreed(SETS + text, states=900)


def test_what_the_sets_are_is_not_asked() -> None:
    """A guard that compares two sets has two cases."""
    lines = SETS.replace("OPS = 3", "OPS = 6").splitlines(keepends=True)
    text = "".join(line for line in lines if "bag" not in line).replace("(loose) < 2", "(loose) < 0")
    report = check(fizz.load("m.fizz", text=text), settings=Settings(stats=True))
    assert report.states == 66_397
    assert (stat(report, "interpreter calls") + stat(report, "run directly")) * 10 < report.states
