"""`def`s that go through lists of dicts, and through dicts and sets that the step has changed, are run as functions."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter import compile_module
from interpreter.direct.any_order import returns_in_any_order
from tests.checker.test_elements import agreed
from tests.stats import stat

MODEL = """\
---
options: {max_actions: 100}
deadlock_detection: false
---
KEYS = ["a", "b", "c"]
action Init:
    log = []
    held = {}
    seen = set()
    n = 0
atomic action Write:
    k = oneof KEYS
    require len(log) < 3
    log.append({"key": k, "n": n, "last": None})
atomic action Hold:
    k = oneof KEYS
    held[k] = n
    require is_free(held, n)
atomic action Leave:
    k = oneof KEYS
    require k in held
    held.pop(k)
    held["c"] = 0
    n = 1 if is_free(held, 1) else 0
atomic action See:
    k = oneof KEYS
    seen = seen | set([k, "b"])
    require few(seen)
atomic action Turn: n = (n + 1) % 3

def is_free(held, n):
    for k, v in held.items():
        if v > n:
            return False
        elif v == n and k == "b":
            return False
    return True

def few(seen):
    found = [k for k in seen if k != "c"]
    return len(found) < 2 or "a" not in found

def last_of(log, key):
    found = None
    for entry in log:
        if entry["key"] == key:
            found = entry["n"]
    return found

def spread(log):
    ends = []
    for i in range(len(log)):
        entry = log[i]
        later = [j for j in range(i + 1, len(log)) if log[j]["key"] == entry["key"]]
        ends.append((entry["n"], later[0] if later else -1))
    return ends

def changed(log):
    own = [entry for entry in log]
    first = own[0] if own else None
    return first != None and first["n"] == 2
"""
PROPERTIES: Mapping[str, str] = {
    "the last of a key": 'always assertion P: return last_of(log, "a") != 2 or len(log) < 3',
    "second names": "always assertion P: return (2, 2) not in spread(log)",
    "members of a new list": "always assertion P: return not (changed(log) and len(log) == 3)",
    "in any order": "always assertion P: return is_free(held, 1) or n > 0 or len(held) < 2",
}


@pytest.mark.parametrize("case", PROPERTIES)
def test_engines_agree(case: str) -> None:
    """Verdicts, counts and traces are the same on all engines."""
    agreed(MODEL + PROPERTIES[case] + "\n", states=400)


def test_none_is_left_to_the_interpreter() -> None:
    """New paths are recorded by functions, but for the first of each rule."""
    text = MODEL + "\n".join(line.replace("P:", f"P{at}:") for at, line in enumerate(PROPERTIES.values())) + "\n"
    report = check(fizz.load("m.fizz", text=text), settings=Settings(stats=True, keep_going=True))
    left = stat(report, "interpreter calls") - stat(report, "recorded by functions")
    assert left < 33 * len(compile_module(fizz.load("m.fizz", text=text)).routines)
    assert stat(report, "recorded by functions") > left


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if v > n: return False", True),
        ("if v > n: return False\n        else: return False", True),
        ("if v > n: return False\n        return True", False),
        ("if v > n: return v", False),
        ("x = v\n        if x > n: return False", False),
        ("if v > n: break", False),
        ("pass", False),
    ],
)
def test_which_loops_have_the_same_result_in_any_order(body: str, expected: bool) -> None:
    """Those whose turns do nothing but return one literal."""
    text = f"action Init: x = 0\ndef f(d, n):\n    for v in d:\n        {body}\n    return True\n"
    module = fizz.load("m.fizz", text=text)
    (loop,) = [node for node in nodes_in(module.items) if isinstance(node, ast.For)]
    assert returns_in_any_order(loop.body) is expected
