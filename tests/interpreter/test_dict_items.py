"""Comprehensions over `d.items()` and its kin go through the keys, where `d` is always a dict: nothing else differs."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import compiler
from interpreter.compile.dict_items import with_keys

MODEL = """
---
deadlock_detection: false
---
K = {{0: 1}}
def helped(value): return value == 1
role Node:
    action Init:
        self.votes = {{}}
        self.log = {{}}
action Init:
    owner = {{k: None for k in range(3)}}
    seen = dict()
    odd = {{}}
    rec = record(log=[1])
    nodes = [Node()]
    tables = {{0: nodes[0]}}
atomic action Take:
    c = oneof range(2)
    k = oneof [k for k in owner if owner[k] == None]
    owner[k] = c
    seen[k] = [c]
    nodes[0].votes[c] = k
atomic action Turn:
    odd = [1] if odd == {{}} else {{}}
always assertion P:
{asked}
"""
KEYS = [
    "len([k for k, o in owner.items() if o == 1]) < 2",
    "all(o != 1 or k < 2 for k, o in owner.items())",
    "not any([s[0] == 1 for s in seen.values()])",
    "max([k for k in seen.keys()] + [0]) < 2",
    "[(k, o) for k, o in owner.items() if o != None] != [(1, 1)]",
    "all([s != [1] or j == k for k, o in owner.items() for j, s in seen.items()])",
    "all([o in [p for p in owner.values()] and s[0] < 2 for o in owner.values() for s in seen.values()])",
    "len([1 for k, o in owner.items() for j, p in owner.items() if o == p and k < j]) < 3",
    "len([k for k, o in owner.items() if len([j for j, p in owner.items() if p == o]) == 1]) < 3",
    "len([k for k, v in nodes[0].votes.items() if v == 2]) < 2",
    "all([n.votes.get(0, 0) == 0 for n in nodes for k, v in n.votes.items() if v > 1])",
    "all([s[k] == 1 for k, s in seen.items() if k > 0])",
    "sum([o for o in owner.values() if o != None]) < 3",
    "not any([k > 1 and s[0] == 1 for k, s in seen.items()])",
    "set(owner.values()) != set([1])",
    "len(owner.values()) == 3 and not all(owner.values())",
    "len(seen.keys()) < 3 and max([0, len(set(owner.values()))]) < 4",
    "sorted(seen.values()) == sorted(seen.values(), reverse=True)",
    "any(nodes[0].votes.values()) or len(seen.keys()) < 3",
]
AS_WRITTEN = [
    "len([k for k, o in odd.items()]) == 0",  # not always a dict
    "len([x for x in rec.log]) + len([k for k, o in nodes[0].log.items()]) < 2",  # a field of another kind, too
    "len([k for k, o in K.items() if o == 1]) < 2",  # a constant may be given another value
    "{o: k for k, o in owner.items()}.get(1, 0) < 2",  # members may be moved into the new dict
    "not any([helped(o) for k, o in owner.items()])",  # a call could change the dict
    "all([all([o == 1 for o in [1]]) for k, o in owner.items() if k < 9])",  # the name means something else inside
    "len([p for p in owner.items() if p[1] == 1]) < 2",  # no names for keys
    "len(odd.values() or []) < 2",  # not always a dict
    "sum(K.values()) == 1",  # a constant
    "max(helped(1) and 1 or 0, len(owner)) == 3",  # no members
    "len([k for k, o in owner.items() if max([0, o or 0], key=helped) == 1]) < 2",  # a function that could
]


LOOPS = [
    "    for k, o in owner.items():\n        if o == 1 and k > 1:\n            return False\n    return True",
    "    count = 0\n    for k, o in owner.items():\n        if o == 1:\n            count += 1\n    return count < 2",
    "    found = []\n    for s in seen.values():\n        found.append(s[0])\n    for s in seen.values():\n"
    "        found.append(s)\n    return len(found) < 5",
    "    for k, o in owner.items():\n        for j, p in owner.items():\n"
    "            if o == p and k + 1 == j and o == 1:\n                return False\n    return True",
    "    for k in seen.keys():\n        if k > 1: return owner[k] == 0\n    return True",
]
LOOPS_AS_WRITTEN = [
    "    one = two = {0: 1}\n    for k, v in one.items():\n        two[k] = 2\n        if v == 2: return False\n"
    "    return len(seen) < 3",  # two names of one dict
    "    o = None\n    for k, o in owner.items():\n        if o == 1: break\n    return o != 1",  # seen after it
    "    mine = dict(owner)\n    for k, o in mine.items():\n        mine[k] = 1\n"
    "    return mine[0] == 1 or len(seen) < 3",
    "    for k, o in owner.items():\n        o = 1 if o == None else o\n        if o == 0: return False\n"
    "    return True",
]


def text_of(asked: str) -> str:
    return MODEL.format(asked=asked if asked.startswith(" ") else f"    return {asked}")


def views(items: object) -> int:
    """How many methods are called that give what is in a dict."""
    functions = [node.function for node in nodes_in(items) if isinstance(node, ast.Call)]
    return sum(isinstance(one, ast.Attribute) and one.name in ("items", "keys", "values") for one in functions)


def shown(report: Report) -> object:
    """All of a report but how long it took, and which parts of it were never evaluated."""
    return (
        report.verdict,
        report.states,
        report.transitions,
        report.properties,
        report.trace,
        report.error,
        report.warnings,
    )


@pytest.mark.parametrize("asked", [*KEYS, *LOOPS])
def test_through_the_keys(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same reports as without."""
    module = fizz.load("m.fizz", text=text_of(asked))
    assert views(module.items) > 0 == views(with_keys(module.items))
    settings = Settings(keep_going=True)
    found = [shown(check(module, engine=engine, settings=settings)) for engine in ("embedded", "columns", "plain")]
    monkeypatch.setattr(compiler, "with_keys", lambda items: items)
    written = shown(check(fizz.load("m.fizz", text=text_of(asked)), engine="plain", settings=settings))
    assert found == [written] * 3


def test_a_dict_in_what_is_at_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer one alone goes through the keys."""
    module = fizz.load("m.fizz", text=text_of("all([x < 2 for n in tables.values() for x in n.votes.values()])"))
    assert (views(module.items), views(with_keys(module.items))) == (2, 1)
    settings = Settings(keep_going=True)
    found = [shown(check(module, engine=engine, settings=settings)) for engine in ("embedded", "plain")]
    monkeypatch.setattr(compiler, "with_keys", lambda items: items)
    assert found == [shown(check(module, engine="plain", settings=settings))] * 2


@pytest.mark.parametrize("asked", [*AS_WRITTEN, *LOOPS_AS_WRITTEN])
def test_what_stays_as_it_is_written(asked: str) -> None:
    """What is not always a dict, or could change, or is called otherwise."""
    module = fizz.load("m.fizz", text=text_of(asked))
    assert with_keys(module.items) == module.items
    found = [
        shown(check(module, engine=engine, settings=Settings(keep_going=True))) for engine in ("embedded", "plain")
    ]
    assert found[0] == found[1]
