"""Columns divide values in another way once sets, lists or dicts have many values that had few where they took over."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.sizes import SIZES, Sizes
from checker.search.columns.takeover import DividesAnew
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from tests.checker.comparing import answer, compared
from tests.checker.test_symmetric_elements import LOCKS
from tests.interpreter.running import module_of
from tests.stats import runs

AT_ONCE = Sizes(many_values=6, few_values=3, new_paths=4)

ACCEPTORS = """
---
deadlock_detection: false
---
SEEDS = 1
ACCEPTORS = range(3)
BALLOTS = range(2)
action Init:
    seed = oneof range(SEEDS)
    msgs = set()
    promised = {a: -1 for a in ACCEPTORS}
atomic action Prepare:
    b = oneof BALLOTS
    require ("prepare", b) not in msgs
    msgs.add(("prepare", b))
atomic action Promise:
    m = oneof [m for m in msgs if m[0] == "prepare"]
    a = oneof ACCEPTORS
    require m[1] > promised[a]
    promised[a] = m[1]
    msgs.add(("promise", m[1], a))
atomic action Propose:
    b = oneof BALLOTS
    v = oneof ["x", "y"]
    require len([m for m in msgs if m[0] == "promise" and m[1] == b]) > 1
    require all([m[1] != b for m in msgs if m[0] == "propose"])
    msgs.add(("propose", b, v))
atomic action Accept:
    m = oneof [m for m in msgs if m[0] == "propose"]
    a = oneof ACCEPTORS
    require m[1] >= promised[a]
    promised[a] = m[1]
    msgs.add(("accept", m[1], m[2], a))
always assertion OneValueByBallot:
    return all([m[2] == n[2] for m in msgs if m[0] == "accept" for n in msgs if n[0] == "accept" and n[1] == m[1]])
"""

MODELS = {
    "messages of many beginnings": ACCEPTORS.replace("SEEDS = 1", "SEEDS = 9"),
    "messages of values that are drawn, after a while": LOCKS.replace("CLIENTS", "2")
    .replace("LOCKS", "2")
    .replace("    has = set()\n", "    has = set()\n    wait = 0\n", 1)
    .replace("atomic action Ask:\n", "atomic action Wait:\n    wait = (wait + 1) % 9\natomic action Ask:\n", 1),
    "a history, in threads, with what must happen": """
        ---
        deadlock_detection: false
        options: {max_actions: 4, max_concurrent_actions: 2}
        ---
        action Init:
            seed = oneof range(7)
            history = []
            seen = {0: set(), 1: set()}
        action Write:
            v = oneof range(2)
            history.append(("begin", v))
            history.append(("end", v))
        atomic fair action Read:
            i = oneof [0, 1]
            require len(history) > i
            seen[i].add(history[-1])
        always assertion Ends: return all([e[0] in ["begin", "end"] for e in history])
        always assertion Before:
            begun = 0
            for e in history:
                begun += 1 if e[0] == "begin" else -1
                if begun < 0:
                    return False
            return True
        leadsto assertion IsRead: return (len(history) > 2, len(seen[0]) > 0)
    """,
    "copies in bags, and a dict of lists": """
        ---
        deadlock_detection: false
        options: {max_actions: 5}
        ---
        action Init:
            seed = oneof range(8)
            jobs = bag()
            logs = {"a": [], "b": []}
        atomic action Send:
            k = oneof range(3)
            jobs.add((k, seed % 2))
        atomic action Take:
            j = oneof jobs
            to = oneof ["a", "b"]
            jobs.discard(j)
            logs[to].append(j)
        always assertion Kept: return all([all([e[1] == seed % 2 for e in logs[n]]) for n in logs])
        always assertion Few: return len([j for j in jobs if j[0] == 2]) < 4
    """,
}


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> list[ColumnRun]:
    """The runs that continued another one, divided in another way."""
    found: list[ColumnRun] = []
    instead = DividesAnew.instead

    def noted(self: DividesAnew, columns: ColumnRun) -> ColumnRun | None:
        new = instead(self, columns)
        if new is not None:
            found.append(new)
        return new

    monkeypatch.setattr(DividesAnew, "instead", noted)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_answers_stay_the_same(name: str, divided: list[ColumnRun]) -> None:
    plain = answer(MODELS[name], PlainEngine(), 900)
    assert plain.states > 300
    for sizes in (AT_ONCE, Sizes(many_values=6, few_values=3, new_paths=60)):
        assert compared(answer(MODELS[name], EmbeddedEngine(2, sizes), 900)) == compared(plain), sizes
        assert divided


def test_sets_of_messages_are_asked_by_elements_however_many_states_a_run_begins_with(
    divided: list[ColumnRun],
) -> None:
    """Where columns take over there is no message yet. Then sets bring no more new paths than elements do."""
    settings = Settings(keep_going=True, workers=1, stats=True)
    one = check(module_of(ACCEPTORS), settings=settings)
    assert not divided
    many = check(module_of(ACCEPTORS.replace("SEEDS = 1", "SEEDS = 30")), settings=settings)
    assert many.states == 30 * one.states
    assert len(divided) == 1
    assert runs(many) < 4 * SIZES.new_paths + runs(one)


JOINING = """
    ---
    options: {max_actions: 30}
    ---
    symmetric role Node:
        action Init: self.n = 0
        atomic action Say:
            require (self, self.n) not in sent
            sent.add((self, self.n))
            self.n = 1 - self.n
    action Init:
        nodes, sent = set([Node(), Node()]), set()
    atomic action Join:
        require len(nodes) < 4
        nodes.add(Node())
    atomic action Hear:
        m = oneof sent
        sent.remove(m)
    always assertion Few: return len([m for m in sent if m[1] == 1]) < 4
"""


def test_all_sets_are_stored_by_elements_once_states_have_many_renamings(divided: list[ColumnRun]) -> None:
    """Two nodes have two renamings, and four, which join later, have 24; of values there are never enough."""
    sizes = Sizes(many_values=10_000, few_values=10_000, new_paths=4, many_renamings=24)
    found = answer(JOINING, EmbeddedEngine(2, sizes), 300)
    assert compared(found) == compared(answer(JOINING, PlainEngine(), 300))
    assert found.states > 100 and len(divided) == 1


def test_sets_that_are_too_many_stay_whole(divided: list[ColumnRun]) -> None:
    """What has become too crowded to be stored by elements is not tried again, over and over."""
    crowded = Sizes(many_values=6, few_values=3, new_paths=4, few_elements=4, most_elements=4, rare=1000)
    answer(MODELS["messages of many beginnings"], EmbeddedEngine(2, crowded), 900)
    assert 0 < len(divided) < 3
