"""Assertions with `next_states()` over many states at a time: the answers are those of the plain engine."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.follow_judge import FollowedRows, FollowJudge
from checker.search.columns.sizes import Sizes
from checker.search.columns.verdicts import OPEN
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.run_choice import RECORDED
from checker.search.registry import ENGINES, engine_of
from fizz import load
from interpreter import Rule, compile_module
from tests.checker.comparing import compared
from tests.sample import one_in

VARIANTS = [name for name, entry in ENGINES.items() if entry.variant_of == "embedded"]
HEAD = "---\ndeadlock_detection: false\noptions: {max_actions: 1000, crash_on_yield: false}\n---\n"
COUNTERS = """
action Init:
    counts = [0, 0, 0]
atomic action Up:
    i = oneof range(3)
    require counts[i] < 3
    counts[i] += 1
atomic action Reset:
    i = oneof range(3)
    require counts[i] == 3
    counts[i] = 0
always assertion Small:
    return all([abs(sum(s.state.counts) - sum(counts)) <= 3 for s in next_states()])
always assertion Reset:
    for s in next_states():
        for i in range(3):
            if s.state.counts[i] < counts[i] and counts[i] != LEAST:
                return False
    return True
exists assertion AllReset: return all([s.name == "Reset" for s in next_states()])
exists assertion Few: return len(next_states()) < 3
exists assertion Whole:
    return any([s.state == t.state for s in next_states() for t in next_states() if s.name < t.name])
always eventually assertion Again: return any([s.state.counts[0] == 0 for s in next_states()])
eventually always assertion Later:
    later = next_states()
    return len([s for s in later if s.action_name == "Reset"]) > 0
transition assertion Steps(before, after): return abs(sum(before.counts) - sum(after.counts)) <= 3
"""
MESSAGES = """
action Init:
    messages = set()
    votes = {}
    decided = None
atomic action Ask:
    require len(messages) == 0
    messages.add(("ask", 0))
atomic action Vote:
    i = oneof range(4)
    require ("ask", 0) in messages and i not in votes
    votes[i] = oneof ["yes", "no"]
    messages.add((votes[i], i))
atomic action Lose:
    m = oneof messages
    require m[0] == "no"
    messages.remove(m)
atomic action Decide:
    require len(votes) == 4
    decided = len([v for v in votes.values() if v == "yes"]) // (4 - DIVISOR)
always assertion Grow: return all([len(s.state.votes) >= len(votes) for s in next_states()])
always assertion Stays:
    for s in next_states():
        if decided != None and s.state.decided != decided and s.name != "Decide":
            return False
    return True
always assertion Divided: return any([4 // (4 - len(votes)) > 0 for s in next_states()]) or len(votes) == 4
exists assertion Lost: return len([s for s in next_states() if s.name == "Lose"]) == 4
"""
WORKERS = """
role Worker:
    action Init:
        self.job = None
        self.done = 0
    atomic fair action Take:
        require self.job == None and len(queue) > 0
        self.job = queue[0]
        queue.pop(0)
    atomic action Finish:
        require self.job != None
        self.job = None
        self.done += 1
    exists assertion Mine:
        return any([s.role_id == self.__id__ and s.state.workers[0].job != self.job for s in next_states()])
action Init:
    queue = []
    added = 0
    workers = [Worker(), Worker()]
    spare = workers[1]
atomic action Add:
    require added < 4
    queue.append(added)
    added += 1
atomic action Swap:
    spare = oneof workers
atomic action Drop:
    workers = [workers[0]]
    spare = None
always assertion NoneIsLost:
    return all([len([w for w in s.state.workers if w.job != None]) + len(s.state.queue) + 1
        >= len([w for w in workers if w.job != None]) + len(queue) or s.name == "Drop" for s in next_states()])
always assertion Done:
    return all([w.done <= s.state.workers[0].done + 1 for s in next_states() for w in workers[:1]])
exists assertion Same: return any([s.state.spare == spare and s.name == "Swap" for s in next_states()])
exists assertion Idle: return [s.name for s in next_states()] == ["Add", "Swap", "Swap", "Drop"]
"""
THREADS = """
action Init:
    x = 0
    turns = [0, 0]
action Serial:
    i = oneof range(2)
    require turns[i] < 2
    turns[i] += 1
    x = (x + 1) % 4
atomic action Rare:
    x = 0
always assertion Step:
    for s in next_states():
        if s.kind == "thread" and s.state.x not in [x, (x + 1) % 4]:
            return False
    return True
exists assertion Both: return len([s for s in next_states() if s.kind == "thread"]) == 2
exists assertion Started: return all([s.kind == "thread" or s.action_name == "Rare" for s in next_states()])
"""
CHANNELS = """
Net = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
role Node:
    action Init:
        self.seen = []
        self.sent = 0
    action Send:
        require self.sent < 2
        self.sent += 1
        wires[1 - self.ID].hear(self.sent)
    func hear(n):
        self.seen = self.seen + [n]
        if n == 2 and len(self.seen) == 1:
            self.seen = ["early"]
action Init:
    nodes = [Node(ID=0), Node(ID=1)]
    wires = [Net.stub(node) for node in nodes]
always assertion Grows:
    return all([len(s.state.nodes[1].seen) >= len(nodes[1].seen) for s in next_states()])
always assertion Named:
    return all([s.kind != "channel" or s.name.startswith("channel-0-message-") for s in next_states()])
exists assertion Arrives: return len([s for s in next_states() if s.kind == "channel"]) == 2
exists assertion Actors: return any([s.role_id == nodes[0].__id__ and s.kind == "channel" for s in next_states()])
exists assertion End: return len(next_states()) == 0
always assertion Late: return nodes[0].seen != ["early"]
"""
SYMMETRIC = """
KEYS = symmetry.nominal(name="k", limit=3)
TIMES = symmetry.interval(name="t", limit=4)
action Init:
    held = {}
    now = TIMES.fresh()
    asked = set()
atomic action Ask:
    k = KEYS.fresh()
    asked.add(k)
atomic action Take:
    k = oneof asked
    asked.remove(k)
    held[k] = now
action Renew:
    k = oneof held.keys()
    pass
    now = held[k]
atomic action Tick:
    now = TIMES.fresh()
always assertion Few: return all([len(s.state.held) <= len(held) + 1 for s in next_states()])
exists assertion Taken: return any([s.state.asked < asked for s in next_states()])
exists assertion Renewed: return any([s.kind == "thread" and s.state.now < now for s in next_states()])
exists assertion Ends: return len([s for s in next_states() if s.name == "Tick"]) == 0
"""
ROLES = """
symmetric role Replica:
    action Init:
        self.copies = 0
        self.by = None
    action Copy:
        require self.copies < 2
        self.copies += 1
        other = oneof replicas if other != self
        self.by = other.tell(self.copies)
    atomic func tell(n):
        return max(n, self.copies)
action Init:
    replicas = set([Replica(), Replica(), Replica()])
always assertion One:
    return all([sum([r.copies for r in s.state.replicas]) <= 1 + sum([r.copies for r in replicas])
        for s in next_states()])
exists assertion Waits: return len([s for s in next_states() if s.kind == "thread"]) == 2
exists assertion Told: return any([r.by == 2 and r.copies == 1 for s in next_states() for r in s.state.replicas])
"""
CRASHING = """
@state(durable=["log"])
role Server:
    action Init:
        self.log = 0
        self.busy = False
    action Work:
        require not self.busy and self.log < 3
        self.busy = True
        n = self.log + 1
        self.log = n
        if n == 3:
            done = True
        self.busy = False
action Init:
    done = False
    peers = [Server(), Server()]
always assertion Less: return not done or all([p.log > 0 for p in peers])
always assertion Moves: return len(next_states()) > 0 or all([p.log == 3 for p in peers])
always assertion Small: return all([s.state.peers[0].log <= peers[0].log + 1 for s in next_states()])
exists assertion Last: return any([s.state.done and not done for s in next_states()])
"""
MODELS = {
    "counters": HEAD + COUNTERS.replace("LEAST", "3"),
    "a violation": HEAD + COUNTERS.replace("LEAST", "2"),
    "an error": HEAD + COUNTERS.replace("LEAST", "(3 // (3 - max(counts)))"),
    "messages": HEAD + MESSAGES.replace("DIVISOR", "0"),
    "failing steps": HEAD + MESSAGES.replace("DIVISOR", "len(messages)"),
    "workers": HEAD + WORKERS,
    "threads": HEAD + THREADS,
    "crashes": HEAD.replace("false}", "true}") + THREADS,
    "limits": HEAD.replace(
        "---\ndead", "---\naction_options: {Rare: {max_actions: 1}, Serial: {max_concurrent_actions: 1}}\ndead"
    )
    + THREADS,
    "no thread more": HEAD.replace("max_actions: 1000,", "max_actions: 1000, max_concurrent_actions: 1,") + THREADS,
    "a bound": HEAD.replace("1000", "3") + COUNTERS.replace("LEAST", "3"),
    "channels": HEAD + CHANNELS,
    "a bound on messages": HEAD.replace("1000", "3") + CHANNELS,
    "symmetric values": HEAD + SYMMETRIC,
    "symmetric roles": HEAD + ROLES,
    "crashing roles": HEAD.replace("false}", "true}") + CRASHING,
}
BY_COLUMNS = (
    *("counters", "messages", "workers", "threads", "no thread more", "a bound", "channels", "symmetric values"),
    *("symmetric roles", "crashing roles"),
)
"""Models of which columns know the successors of most states."""


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many verdicts were known by columns."""
    found: Counter[str] = Counter()
    decide = FollowJudge.decide

    def counting(self: FollowJudge, rule: Rule, rows: FollowedRows, which: NDArray[np.int64]) -> NDArray[np.int8]:
        verdicts = decide(self, rule, rows, which)
        found["known"] += int((verdicts != OPEN).sum())
        return verdicts

    monkeypatch.setattr(FollowJudge, "decide", counting)
    return found


@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("name", one_in(2, MODELS))
@pytest.mark.parametrize("variant", one_in(2, VARIANTS))
def test_the_same(variant: str, name: str, keep_going: bool, decided: Counter[str]) -> None:
    """Verdicts, counts, witnesses, errors, and what was executed."""
    program = compile_module(load("m.fizz", text=MODELS[name]))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings(keep_going=keep_going))
    found = explore(engine_of(variant), program, properties, Settings(keep_going=keep_going))
    assert compared(found) == compared(plain)
    assert found.noted == plain.noted
    if variant.endswith("columns") and name in BY_COLUMNS and keep_going:
        assert decided["known"] > plain.states


@pytest.mark.parametrize("name", MODELS)
def test_little_is_kept(name: str) -> None:
    """What is known of verdicts is bounded, and so is how many rows are looked at together."""
    engine = EmbeddedEngine(0, Sizes(followed=3, verdicts=2), RECORDED)
    program = compile_module(load("m.fizz", text=MODELS[name]))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings(keep_going=True))
    found = explore(engine, program, properties, Settings(keep_going=True))
    assert compared(found) == compared(plain)


def test_where_no_thread_more_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Successors are told regardless of limits, so there is room for one thread more than there may be."""
    known = rows = 0
    found_of = FollowJudge.rows

    def counting(self: FollowJudge, part: Frontier, begin: int, end: int) -> FollowedRows | None:
        nonlocal known, rows
        found = found_of(self, part, begin, end)
        rows += end - begin
        known += 0 if found is None else int(found.followed.known.sum())
        return found

    monkeypatch.setattr(FollowJudge, "rows", counting)
    program = compile_module(load("m.fizz", text=MODELS["no thread more"]))
    explore(EmbeddedEngine(0, Sizes(), RECORDED), program, properties_of(program, None), Settings(keep_going=True))
    assert known > 0.6 * rows
