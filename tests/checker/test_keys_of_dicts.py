"""Keys that are added to dicts, and taken out: the other values are not asked for, and every engine agrees."""

from __future__ import annotations

from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.division import Divider
from checker.search.memo.heads import gone
from fizz import load
from interpreter import compile_module
from interpreter.values.intern import Interner
from interpreter.values.tags import Tag
from tests.random import laws
from tests.stats import runs

ENGINES = ("columns", "early columns", "rows", "embedded", "two workers")
HEAD = "---\ndeadlock_detection: false\n---\n"

SESSIONS = """\
action Init:
    sessions = {}
atomic action Login:
    name = oneof NAMES
    require name not in sessions
    sessions[name] = {"level": 0, "seen": []}
atomic action Raise:
    name = oneof NAMES if name in sessions
    require sessions[name]["level"] < LEVELS
    sessions[name]["level"] += 1
atomic action Logout:
    name = oneof NAMES if name in sessions
    sessions.pop(name)
"""


def agreed(text: str, states: int = 2_000) -> Report:
    """The report of the plain engine; all engines give the same."""
    settings = Settings(keep_going=True, limits=Limits(states=states))
    assert laws.differences(HEAD + text, settings, ENGINES) == []
    return laws.reports(HEAD + text, settings, ())["plain"]


def test_other_values_are_not_asked_for() -> None:
    """What is learned does not grow with what is at other keys, or in them."""

    def calls(levels: int) -> tuple[int, int]:
        text = f"{HEAD}LEVELS = {levels}\nNAMES = ['a', 'b', 'c', 'd']\n{SESSIONS}"
        program = compile_module(load("m.fizz", text=text))
        found = explore(EmbeddedEngine(2), program, properties_of(program, None), Settings(stats=True))
        return found.states, runs(found)

    agreed(f"LEVELS = 1\nNAMES = ['a', 'b', 'c']\n{SESSIONS}")
    small, large = calls(1), calls(6)
    assert (small[0], large[0]) == (3**4, 8**4)
    assert large[1] < 6 * small[1]


def test_keys_come_back_and_look_otherwise() -> None:
    """1 and 1.0 are one key, which keeps its form as long as it is there; a dict may become empty in a step."""
    agreed(
        """\
action Init:
    d = {1: "a", "k": [0]}
    x = None
    log = []
atomic action Swap:
    k = oneof [1, 1.0, "k"]
    if k in d:
        x = d.pop(k)
    else:
        d[k] = x
atomic action Again:
    require 1 in d
    old = d.pop(1)
    d[1.0] = old
    x = [k for k in d]
atomic action Empty:
    for k in d.keys():
        d.pop(k)
    d["k"] = [len(d)]
atomic action Default:
    x = d.pop("z", None)
    d.setdefault("y", []).append(len(d))
    require len(d["y"]) < 3
atomic action Move:
    require "k" in d and len(log) < 2
    log.append(d.pop("k"))
atomic action Order:
    d["b"] = 0
    d["a"] = 1
    x = [str(k) for k in d]
    require d.pop("b") == 0
always assertion Few: return len(d) < 6
"""
    )


def test_dicts_inside_dicts() -> None:
    """A dict that is a value gets keys and loses them as one of the state does; what is taken out may be kept."""
    report = agreed(
        """\
NODES = ["p", "q"]
action Init:
    pending = {n: {} for n in NODES}
    kept = None
    rec = record(table={"p": 0})
atomic action Ask:
    n = oneof NODES
    require len(pending[n]) < 2
    pending[n][len(pending[n])] = {"from": n, "tries": 0}
atomic action Retry:
    n = oneof NODES
    k = oneof pending[n].keys()
    require pending[n][k]["tries"] < 1
    pending[n][k]["tries"] += 1
atomic action Answer:
    n = oneof NODES
    k = oneof pending[n]
    kept = pending[n].pop(k)
atomic action Share:
    n = oneof NODES
    require kept != None and 0 not in pending[n]
    pending[n][0] = kept
atomic action Forget:
    kept = None
atomic action Field:
    n = oneof NODES
    if n in rec.table:
        rec.table.pop(n)
    else:
        rec.table[n] = len(rec.table)
transition assertion Slowly(before, after):
    return all([len(after.pending[n]) - len(before.pending[n]) <= 1 for n in NODES])
"""
    )
    assert report.states > 100


def test_what_is_written_of_keys() -> None:
    """A write at a key that a dict has not adds it, `gone` takes it out, from dicts within dicts too."""
    interner = Interner()
    divider = Divider(interner)
    keys = [interner.intern(Tag.STRING, name) for name in "abc"]
    one, two = interner.intern(Tag.INT, 1), interner.intern(Tag.INT, 2)

    def table(*pairs: tuple[int, int]) -> int:
        return interner.intern_pairs(Tag.DICT, list(pairs))

    first, steps = table((keys[0], one), (keys[2], two)), [divider.step(key) for key in keys]
    assert divider.replaced(first, (steps[1],), two) == table(*zip(keys, (one, two, two), strict=True))
    assert divider.replaced(first, (steps[0],), gone(interner)) == table((keys[2], two))
    assert divider.replaced(first, (steps[0],), two) == table((keys[0], two), (keys[2], two))
    outer = table((keys[0], first))
    assert divider.replaced(outer, (steps[0], steps[2]), gone(interner)) == table((keys[0], table((keys[0], one))))
    assert divider.replaced(table((keys[0], one)), (steps[0],), gone(interner)) == table()
    assert divider.replaced(table(), (steps[0],), one) == table((keys[0], one))
