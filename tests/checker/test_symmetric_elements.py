"""Sets by elements where states are reduced by symmetry: a renaming exchanges the bits of elements."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.search.columns.shares import share_of
from checker.search.columns.sizes import SIZES, Sizes
from checker.search.columns.takeover import take_over
from checker.search.contract.protocol import Task
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.rows.row_run import RowRun
from interpreter import compile_module
from tests.checker.comparing import answer, compared
from tests.interpreter.running import module_of
from tests.stats import runs, stat

LOCKS = """
---
deadlock_detection: false
---
Client = symmetry.nominal(name="c", limit=CLIENTS)
Lock = symmetry.nominal(name="l", limit=LOCKS)
always assertion GrantedOnce:
    return all([len([m for m in msgs if m.kind == "grant" and m.lock == l]) <= 1 for l in holder])
always assertion GrantedToHolder:
    return all([holder.get(m.lock) == m.client for m in msgs if m.kind == "grant"])
action Init:
    msgs = set()
    holder = {}
    has = set()
atomic action Ask:
    c = oneof Client.choices()
    l = oneof Lock.choices()
    m = struct(kind="ask", client=c, lock=l)
    require m not in msgs and (c, l) not in has
    msgs.add(m)
atomic action Grant:
    m = oneof [m for m in msgs if m.kind == "ask"]
    require m.lock not in holder
    holder[m.lock] = m.client
    msgs.remove(m)
    msgs.add(struct(kind="grant", client=m.client, lock=m.lock))
atomic action Receive:
    m = oneof [m for m in msgs if m.kind == "grant"]
    has.add((m.client, m.lock))
    msgs.remove(m)
atomic action Release:
    h = oneof has
    has.remove(h)
    msgs.add(struct(kind="free", client=h[0], lock=h[1]))
atomic action Free:
    m = oneof [m for m in msgs if m.kind == "free"]
    holder.pop(m.lock)
    msgs.remove(m)
"""

MODELS = {
    "what actions return": """
        ---
        deadlock_detection: false
        ---
        K = symmetry.nominal(name="k", limit=3)
        action Init:
            s = set()
        atomic action Add:
            k = oneof K.choices()
            j = oneof K.choices()
            s.add((k, j))
            return len(s)
        atomic action Del:
            x = oneof s
            s.discard(x)
        always assertion Few: return "Add" not in __returns__ or __returns__["Add"] < 9
    """,
    "sets in params": """
        ---
        deadlock_detection: false
        ---
        symmetric role Node:
            action Init:
                self.n = 0
            atomic action Tell:
                m = oneof nodes
                require (self, self.n) not in m.LOG
                m.LOG.add((self, self.n))
            atomic action Up:
                require self.n < 1
                self.n += 1
        action Init:
            nodes = set([Node(LOG=set()) for i in range(3)])
        always assertion Few: return all([len(m.LOG) < 6 for m in nodes])
    """,
    "a set, and later a dict of sets": """
        ---
        deadlock_detection: false
        ---
        K = symmetry.nominal(name="k", limit=3)
        action Init:
            x = set()
            n = 0
        atomic action Add:
            require type(x) == "set"
            k = oneof K.choices()
            x.add((k, n))
        atomic action Dict:
            k = oneof K.choices()
            x = {k: set([(k, n)])}
        atomic action More:
            require type(x) == "dict"
            k = oneof K.choices()
            j = oneof [j for j in x]
            x[j].add((k, n))
        atomic action Flip: n = 1 - n
    """,
    "messages between values that are drawn": LOCKS.replace("CLIENTS", "2").replace("LOCKS", "2"),
    "sets that are replaced": """
        ---
        deadlock_detection: false
        ---
        K = symmetric_values("k", 3)
        action Init:
            s = set()
            n = 0
        atomic action Put:
            k = oneof K
            s.add((k, n))
            n = 1 - n
        atomic action Replace:
            k = oneof K
            require n == 0
            s = set([(k, 1)])
        exists assertion Full: return len(s) == 6
        transition assertion Grows(before, after): return all([e in after.s for e in before.s]) or len(after.s) == 1
    """,
    "votes for instances, in a field and in a dict": """
        ---
        deadlock_detection: false
        options: {max_actions: 7}
        ---
        symmetric role Node:
            action Init:
                self.votes = set()
                self.done = False
            atomic action Vote:
                node = oneof nodes
                require self not in told[node]
                told[node].add(self)
                node.votes.add((self, len(told[node])))
            atomic action Win:
                require len([v for v in self.votes if v[0] != self]) > 1
                self.done = True
        action Init:
            nodes = set([Node(), Node(), Node()])
            told = {n: set() for n in nodes}
        always assertion Alone: return len([n for n in nodes if n.done]) < 2
    """,
    "times in order, in messages and sets of sets": """
        ---
        deadlock_detection: false
        options: {max_actions: 8}
        ---
        Time = symmetry.ordinal(name="t", limit=4)
        action Init:
            msgs = set()
            seen = set()
            last = None
        atomic action Send:
            t = Time.fresh()
            msgs.add((t, last))
            seen.add(frozenset([t]))
        atomic action Take:
            m = oneof msgs
            require m[1] == None or m[1] != m[0]
            last = m[0]
            msgs.discard(m)
            seen.discard(frozenset([m[1]]))
        always assertion Bounded: return len([m for m in msgs if m[1] == None]) < 4
    """,
    "copies in a bag, and values in a bag": """
        ---
        deadlock_detection: false
        options: {max_actions: 8}
        ---
        K = symmetric_values("k", 2)
        action Init:
            jobs = bag()
            work = bag()
            who = set()
        atomic action Add:
            k = oneof K
            require len(work) < 3
            work.add(len(who))
            jobs.add(k)
            who.add(k)
        atomic action Do:
            w = oneof work
            k = oneof who
            work.discard(w)
            who.discard(k)
        always assertion Few: return len([w for w in work if w == 2]) < 2
    """,
}


@pytest.mark.parametrize("name", MODELS)
def test_columns_answer_like_the_plain_engine(name: str) -> None:
    """By elements from the first state on, and from where columns pay; and where sets become too large for that."""
    plain = answer(MODELS[name], PlainEngine(), 500)
    assert plain.states > 20
    for wide, sizes in ((1, Sizes(many_values=0)), (12, SIZES), (1, Sizes(many_values=0, few_elements=4, rare=1000))):
        assert compared(answer(MODELS[name], EmbeddedEngine(wide, sizes), 500)) == compared(plain), (wide, sizes)


def test_sets_of_messages_are_asked_by_elements() -> None:
    """What is new is counted by elements, not by sets: each state has another one, and each of these has 12 images."""
    module = module_of(LOCKS.replace("CLIENTS", "3").replace("LOCKS", "2"))
    report = check(module, settings=Settings(keep_going=True, workers=1, stats=True))
    larger = module_of(LOCKS.replace("CLIENTS", "3").replace("LOCKS", "3"))
    larger_report = check(larger, settings=Settings(keep_going=True, workers=1, stats=True))
    assert (report.states, larger_report.states) == (625, 15_434)
    # Twenty-five times as many states, and evaluations, take one and a half times as many runs of rules.
    assert runs(larger_report) < 2 * runs(report)
    assert stat(larger_report, "rule evaluations") > 20 * stat(report, "rule evaluations")


def test_cuts_are_the_same_where_sets_are_stored_whole() -> None:
    """On a level on which one process begins to store sets whole, and another does not yet, no row is lost."""
    runs = []
    for _ in range(2):
        rows = RowRun(
            Task(compile_module(module_of(LOCKS.replace("CLIENTS", "2").replace("LOCKS", "2"))), (), Settings())
        )
        rows.first()
        run = take_over(rows, Sizes(many_values=0))
        for _ in range(6):
            run.next()
        runs.append(run)
    (part,) = runs[0].frontier
    slots = frozenset(slot for slot in part.packing.fields if slot[:2] == ("heap", "msgs"))
    assert len(slots) > 8 and len(part.rows) > 20
    runs[1].store_whole([("heap", "msgs")])
    (other,) = runs[1].frontier
    assert ("heap", "msgs") in other.packing.fields and len(other.packing.fields) < len(part.packing.fields)
    for few in (slots, frozenset(list(slots)[:3])):
        for number in range(2):
            assert share_of(part, [few], number, 2).tolist() == share_of(other, [few], number, 2).tolist()
