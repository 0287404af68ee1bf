"""Lists of containers that are filtered where they are, and containers that are read beside one that is changed."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.stats import stat

LOCKS = """\
---
options: {max_actions: 1000}
deadlock_detection: false
---
KEYS = ["a", "b"]
TXNS = [1, 2]
role Node:
    action Init:
        self.inbox = []
action Init:
    locks = {k: {"holder": None, "queue": []} for k in KEYS}
    node = Node()
    kept = [[], []]
atomic action Put:
    t = oneof TXNS
    k = oneof KEYS
    require len(locks[k]["queue"]) < 2
    locks[k]["queue"].append({"txn": t, "mode": 0})
atomic action Send:
    require len(node.inbox) < 2
    node.inbox.append({"txn": len(node.inbox), "mode": 1})
"""
ACTIONS = {
    "a filter through a name": """
atomic action Release:
    t = oneof TXNS
    for k in KEYS:
        lock = locks[k]
        lock["queue"] = [q for q in lock["queue"] if q["txn"] != t]
        if len(lock["queue"]) > 0:
            lock["queue"][0]["mode"] = 1
""",
    "a filter by its path": """
atomic action Release:
    t = oneof TXNS
    k = oneof KEYS
    locks[k]["queue"] = [q for q in locks[k]["queue"] if q["txn"] != t]
    node.inbox = [m for m in node.inbox if m["txn"] != t]
""",
    "a slice and a new one": """
atomic action Release:
    k = oneof KEYS
    require len(locks[k]["queue"]) > 0
    locks[k]["queue"] = locks[k]["queue"][1:] + [{"txn": 9, "mode": 9}]
    locks[k]["queue"][0]["mode"] += 1
    require locks[k]["queue"][0]["mode"] < 12
""",
    "from another place": """
atomic action Release:
    k = oneof KEYS
    require len(locks[k]["queue"]) < 2
    locks["a"]["queue"] = [q for q in locks[k]["queue"] if q["txn"] != 1]
    if len(locks[k]["queue"]) > 0:
        locks[k]["queue"][0]["mode"] = (locks[k]["queue"][0]["mode"] + 1) % 2
""",
    "a local that was taken from elsewhere": """
atomic action Release:
    k = oneof KEYS
    some = [q for q in locks[k]["queue"] if q["txn"] != 1]
    k = "a"
    locks[k]["queue"] = some
    if len(some) > 0:
        some[0]["mode"] = 1
""",
    "its own variable in the path": """
atomic action Release:
    k = oneof [0, 1]
    kept[k] = [k for k in kept[k] if k != 1] + [k]
    require len(kept[k]) < 3
""",
    "beside one that is changed": """
atomic action Release:
    k = oneof KEYS
    j = oneof KEYS
    require len(locks[j]["queue"]) > 0 and len(locks[k]["queue"]) > 0
    theirs = locks[j]["queue"][0]
    if theirs["txn"] != locks[k]["queue"][0]["txn"]:
        locks[k]["queue"][0]["mode"] = theirs["mode"] + 1
        locks[k]["holder"] = theirs["txn"]
    require theirs["mode"] < 3
""",
    "beside one that is taken out": """
atomic action Release:
    k = oneof KEYS
    require len(locks[k]["queue"]) > 1
    first = locks[k]["queue"][0]
    locks[k]["queue"].pop(0)
    locks[k]["queue"][0]["mode"] = first["mode"] + 1
    locks[k]["holder"] = first["txn"]
    require first["mode"] < 2
""",
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_engines_agree(action: str) -> None:
    """What is shared, and what is not, is the same as by the interpreter."""
    agreed(LOCKS + action.removeprefix("\n"), states=700)


@pytest.mark.parametrize("name", ["a filter by its path", "beside one that is changed"])
def test_functions_run_them(name: str) -> None:
    """Nearly all paths are recorded by functions of Python."""
    found = check(fizz.load("m.fizz", text=LOCKS + ACTIONS[name].removeprefix("\n")), settings=Settings(stats=True))
    assert stat(found, "recorded by functions") * 2 > stat(found, "interpreter calls") > 100
