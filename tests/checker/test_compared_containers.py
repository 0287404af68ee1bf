"""Whether two containers of the state are equal, or one list begins with another, is one question."""

from __future__ import annotations

from typing import Any

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.search.columns import sources
from checker.search.columns.fold_answers import FoldAnswers
from interpreter.state.state import UNBOUND
from tests.random.laws import differences
from tests.sample import one_in
from tests.stats import runs, stat

MODEL = """
---
options: {max_actions: 100, crash_on_yield: false}
deadlock_detection: false
---
K = symmetric_values("k", 2)
role Node:
    action Init:
        self.log = []
        self.seen = {}
    atomic action Take:
        require len(self.log) < 2
        value = oneof [1, 2]
        self.log.append(value)
        self.seen[value] = len(self.log)
action Init:
    nodes = [Node() for i in range(2)]
    logs = [[0], [0]]
    odd, queue, table, rec = [0], [1, 2], {"a": [0], "b": 1}, record(s=set([1]), v=[0])
    names = [K[0]]
    bags = bag([1])
atomic action Append:
    i = oneof [0, 1]
    require len(logs[i]) < 3
    value = oneof [1, 2]
    logs[i].append(value)
atomic action Odd:
    require len(odd) < 3
    which = oneof range(7)
    odd.append([1, 1.0, True, "1", [1], nodes[0], float("2.5")][which])
atomic action Same:
    require logs[0] == logs[1] and odd != logs[0]
    logs[1] = []
atomic action Turn:
    queue.append(queue.pop(0))
atomic action Change:
    what = oneof range(6)
    if what == 0:
        table["a"].append(1)
        require len(table["a"]) < 3
    elif what == 1:
        table["c"] = 1
    elif what == 2:
        rec.s.add(2)
    elif what == 3:
        rec.v = [0] + rec.v[:1]
    elif what == 4:
        k = oneof K
        names = [K[0], k]
    else:
        bags.add(2)
        require len(bags) < 3
atomic action Other:
    odd = oneof [None, (), [0, 1], set([0])]
"""
STATES = {
    "lists": "logs[0] != logs[1] or logs[0][1:] == logs[1][1:]",
    "prefixes": "logs[0][:len(logs[1])] == logs[1] or logs[1][:len(logs[0])] == logs[0]",
    "of instances": "nodes[0].log != nodes[1].log or nodes[0].seen == nodes[1].seen",
    "prefixes of instances": "nodes[0].log[:len(nodes[1].log)] == nodes[1].log or len(nodes[1].log) > 0",
    "members of several types": "odd != logs[0] and odd != logs[1]",
    "a list and a queue": "queue != logs[0] and logs[1] != queue",
    "a list and a part": "table['a'] != logs[0] and rec.v == table['a']",
    "a list and itself": "logs[0] == logs[0]",
}
STEPS = {
    "lists": "before.logs == after.logs or before.odd == after.odd",
    "one list": "before.logs[0] == after.logs[0] or before.logs[1] == after.logs[1]",
    "a list that only grows": "after.logs[0][:len(before.logs[0])] == before.logs[0]",
    "a list that shrinks": "after.logs[1][:len(before.logs[1])] == before.logs[1]",
    "another list": "after.logs[0][:len(before.logs[1])] == before.logs[1] or len(after.logs[0]) < 3",
    "members of several types": "before.odd == after.odd or before.logs == after.logs",
    "begins with members of several types": "after.odd[:len(before.odd)] == before.odd if type(before.odd) == 'list' "
    "and type(after.odd) == 'list' else True",
    "a dict": "before.table == after.table or before.rec == after.rec",
    "a record": "before.rec == after.rec or before.logs == after.logs",
    "a set": "before.rec.s == after.rec.s or len(after.rec.s) == 2",
    "a bag": "before.bags == after.bags or before.rec == after.rec",
    "symmetric values": "before.names == after.names or before.logs == after.logs",
    "a queue": "before.queue == after.queue or before.logs == after.logs",
    "fields": "all([old.log == new.log or old.seen != new.seen for old, new in zip(before.nodes, after.nodes)])",
    "fields that only grow": "all([new.log[:len(old.log)] == old.log for old, new in zip(before.nodes, after.nodes)])",
    "instances": "before.nodes == after.nodes",
}
STEP = "transition assertion Holds(before, after)"
LOCAL = """
transition assertion Holds(before, after):
    old, new = before.logs, after.logs
    for i in range(2):
        if old[i] != new[i]:
            return old[1 - i] == new[1 - i] and len(new[i]) != 2
    return True
"""
CASES = {
    **{name: f"always assertion Holds:\n    return {text}\n" for name, text in STATES.items()},
    **{f"steps: {name}": f"{STEP}:\n    return {text}\n" for name, text in STEPS.items()},
    "steps: names of lists": LOCAL,
}
ENGINES = ("rows", "columns", "two workers", "early columns", "direct columns")


@pytest.mark.parametrize("name", one_in(5, CASES))
def test_engines_agree(name: str) -> None:
    """Verdicts, counts, stories, and what is warned of."""
    text = MODEL + CASES[name]
    for symmetry in (True, False):
        settings = Settings(keep_going=True, symmetry=symmetry, limits=Limits(states=400))
        assert not differences(text, settings, ENGINES)


GROWING = """
---
deadlock_detection: false
---
action Init:
    history, other = [], {{value: 0 for value in range(4)}}
atomic action Write:
    require len(history) < 7
    value = oneof [0, 1, 2, 3]
    history.append(value)
    other[value] = 1 - other[value]
transition assertion Holds(before, after):
    return {text}
"""


@pytest.mark.parametrize(
    "text",
    [
        "after.history[:len(before.history)] == before.history",
        "before.history != after.history and before.other != after.other",
    ],
)
def test_a_comparison_is_one_question(text: str) -> None:
    """And not as many as there are pairs of lists."""
    report = check(fizz.load("m.fizz", text=GROWING.format(text=text)), settings=Settings(stats=True))
    assert report.states > 20_000
    assert report.properties[0].verdict == "holds"
    assert stat(report, "interpreter calls") * 20 < report.states
    assert stat(report, "run directly") * 20 < report.states


MESSAGES = """
---
deadlock_detection: false
---
role Server:
    action Init: self.n = 0
action Init:
    servers = [Server() for i in range(2)]
    sent = set([{element} for i in range(9) for j in range(9)])
    kept, count = set(), 0
atomic action Take:
    i = oneof range({taken})
    j = oneof range(2)
    require {element} in sent
    sent.discard({element})
    count = 1 - count
atomic action PutBack:
    i = oneof range({taken})
    j = 1
    require {element} not in sent
    sent.add({element})
    count = 1 - count
atomic action Keep:
    kept = oneof [set(), set([0]), None]
transition assertion Holds(before, after):
    {text}
"""
ELEMENTS = {
    "structs": "struct(kind='m', of=i, to=j)",
    "equal numbers": "[i, float(str(i)), (i, j)][j % 3]",
    "instances": "(servers[i % 2], i, j)",
}
TEXTS = {
    "one question": "return before.sent == after.sent or before.count != after.count",
    "in turns": "for i in range(2):\n        if before.sent == after.sent and before.kept != after.kept:\n"
    "            return after.count == before.count\n    return True",
    "within": "return before.sent <= after.sent or after.sent.issubset(before.sent)",
    "within in turns": "return all([before.sent >= after.sent or before.sent < after.sent for i in range(2)])",
    "some within": "return before.sent <= after.sent",
    "changed before": "old = before.sent\n    return old | set([0]) == after.sent or before.kept != after.sent",
}


@pytest.mark.parametrize(("element", "text"), one_in(4, [(element, text) for element in ELEMENTS for text in TEXTS]))
def test_sets_that_are_stored_by_many_elements_are_compared(element: str, text: str) -> None:
    """Eighty elements and more, of which some are equal and look different, or are instances of two states."""
    model = MESSAGES.format(element=ELEMENTS[element], taken=2, text=TEXTS[text])
    settings = Settings(keep_going=True, limits=Limits(states=60))
    assert not differences(model, settings, ENGINES)


@pytest.mark.parametrize("text", ["one question", "in turns", "within"])
def test_whether_messages_have_changed_is_one_question_by_columns(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their bits are compared: no element is asked for, nor is any set read."""
    rows, folded = [], []
    compare, fold = sources.compared, FoldAnswers.codes

    def compared(*about: Any) -> Any:
        found = compare(*about)
        rows.extend(about[3].tolist() if UNBOUND not in {found[1][code] for code in found[0].tolist()} else [])
        return found

    def counted(self: FoldAnswers, which: Any) -> Any:
        folded.extend(which.tolist())
        return fold(self, which)

    monkeypatch.setattr(sources, "compared", compared)
    monkeypatch.setattr(FoldAnswers, "codes", counted)
    model = MESSAGES.format(element=ELEMENTS["structs"], taken=7, text=TEXTS[text])
    report = check(
        fizz.load("m.fizz", text=model.lstrip()),
        settings=Settings(stats=True, workers=1, limits=Limits(states=5_000)),
    )
    assert report.states > 5_000
    assert len(rows) > 5_000 and not folded
    assert runs(report) < 1_500
