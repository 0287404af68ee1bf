"""Loops over sets that pass something on: all engines find what the plain one finds, from the results of turns."""

from __future__ import annotations

import pytest

from checker.search.memo import path_folds
from tests.checker.test_elements import agreed
from tests.checker.test_folds_that_read import MESSAGES, calls_for_messages
from tests.checker.test_loops_over_sets import BOX
from tests.sample import one_in

PROPERTIES = [
    # Counts, what is greatest, what is last, whether there is one.
    """\
always assertion P:
    count = 0
    for m in messages:
        if m[1] == 1 and m in seen:
            count += 1
    return count < 3
""",
    """\
always assertion P:
    greatest = None
    for m in messages:
        if greatest == None or terms[m[0]] > terms[greatest[0]]:
            greatest = m
    return greatest == None or greatest[1] < 2 or greatest in seen
""",
    """\
always assertion P:
    found = False
    for m in messages:
        if m[0] == 2 and m[1] == 1:
            found = True
            break
    return not found or len(seen) < 2
""",
    """\
always assertion P:
    for m in messages:
        if m[1] == 2:
            break
    return len(messages) < 2 or m in messages and m != (1, 2)
""",
    # What is collected, also in the order of this step.
    """\
always assertion P:
    kinds = set()
    for m in messages:
        kinds.add(2 - m[1])
    for k in kinds:
        return k != 0 or len(kinds) < 3
    return True
""",
    """\
always assertion P:
    by_node = {}
    for m in messages:
        by_node[2 - m[0]] = by_node.get(2 - m[0], 0) + m[1]
        by_node[2 - m[0]] += 1
    return list(by_node) != [2, 0] and all([by_node[k] < 6 for k in by_node])
""",
    """\
always assertion P:
    found = [0]
    for m in messages:
        if m in seen:
            found = found + [m]
        else:
            found += [m[1]]
    return len(found) < 5 and found[1:2] != [(1, 2)]
""",
    """\
always assertion P:
    kinds = set()
    twice = 0
    for m in messages:
        if m[1] in kinds:
            twice += 1
            kinds.discard(m[1])
        else:
            kinds.add(m[1])
    return twice < 2 or len(kinds) > 0
""",
    # One after the other, and in one another.
    """\
always assertion P:
    count = 0
    for m in messages:
        count += 1
    for m in seen:
        count -= m[1]
    return count > -3
""",
    """\
always assertion P:
    pairs = 0
    for m in messages:
        for n in seen:
            if n[0] == m[0] and n != m:
                pairs += 1
                if pairs > 3:
                    return False
    return True
""",
    """\
always assertion P:
    for i in range(N):
        votes = set()
        for m in messages:
            if m[0] == i:
                votes.add(m[1])
        if len(votes) == 3 and terms[i] == 0:
            return False
    return True
""",
    # In a `def`, and of a step.
    """\
def tally(ms, k):
    count = 0
    for m in ms:
        if m[1] != k:
            continue
        count += 1
        if m[0] == 2:
            return -1
    return count
always assertion P: return all([tally(messages, k) < 2 for k in range(3)])
""",
    """\
transition assertion P(before, after):
    new = 0
    for m in after.seen:
        if m not in before.seen:
            new += 1
    lost = []
    for m in before.messages:
        if m not in after.messages:
            lost.append(m)
    return new + len(lost) < 2 and (2, 2) not in lost
""",
    # An error is one only if its turn is reached with what is passed on.
    """\
always assertion P:
    rest = 2
    for m in messages:
        rest -= m[1]
        if 4 // (rest + 3) == 4:
            break
    return rest > -3
""",
    """\
always assertion P:
    order = []
    for m in messages:
        order.append(m)
    return order[2][1] < 3
""",
    # What nobody can tell: another name for what is passed on, a function that sees it, what is not bound.
    """\
always assertion P:
    found = []
    also = found
    for m in messages:
        found.append(m)
    return len(also) < 3
""",
    """\
def put(into, m): into.append(m)
always assertion P:
    found = []
    for m in messages:
        put(found, m)
    return len(found) < 3
""",
    """\
always assertion P:
    count = 0
    more = lambda: count + 1
    for m in messages:
        count = more()
    return count < 4
""",
    """\
always assertion P:
    rows = {0: [], 1: [], 2: []}
    for m in messages:
        rows[m[0]].append(m[1])
    return rows[1] != [0, 2]
""",
    """\
always assertion P:
    if len(seen) > 2:
        total = 0
    for m in messages:
        total += m[1]
    return total < 3
""",
    """\
def collect(ms, into):
    for m in ms:
        into.append(m)
    return len(into)
always assertion P:
    found = []
    return collect(messages, found) + len(found) < 7
""",
    """\
def outer(ms):
    count = 0
    def inner(ns):
        for n in ns:
            count = count + n[1]
        return count
    return inner(ms)
always assertion P: return len(messages) == 0 or outer(messages) < 4
""",
    """\
always assertion P:
    counts = {0: 0}
    for k in counts:
        for m in messages:
            counts[m[0]] = 1
    return len(counts) < 3
""",
]


@pytest.mark.parametrize("text", one_in(2, PROPERTIES))
def test_properties(text: str) -> None:
    """Verdicts, counts and traces are the same."""
    agreed(MESSAGES + text, states=150)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 8, 9, 11, 12])
def test_what_repeats_is_not_run_again(number: int) -> None:
    """The sets have 64 values each, and six elements."""
    text = PROPERTIES[number].split("return")
    assert calls_for_messages("return".join([*text[:-1], " True or" + text[-1]])) < 320


ACTIONS = [
    # A count before a step, and a flag; a loop that does nothing does not enable its step.
    """\
atomic action Elect:
    votes = 0
    for m in messages:
        if m[1] == 1:
            votes += 1
    require votes > 1
    terms[0] = 2
""",
    """\
atomic action Look:
    for m in messages:
        if m in seen:
            x = m
            break
""",
    """\
atomic action Look:
    for m in messages:
        if m[0] == 1 and m not in seen:
            return m[1]
    terms[1] = 1
""",
    """\
atomic action Look:
    for m in messages:
        if m[0] == 1:
            return
    terms[1] = 1
""",
    # After something has been changed, in a step of several parts, with a label, and with what changes the state.
    """\
atomic action Count:
    terms[2] = 0
    for m in messages:
        terms[2] = terms[2] + m[1]
    count = 0
    for m in seen:
        count += m[1]
    require count == 3
    seen.clear()
""",
    """\
action Slow:
    count = 0
    for m in messages:
        count += 1
    last = oneof [count, 0]
    terms[0] = last % 3
""",
    """\
atomic action Named:
    count = 0
    for m in messages:
        if m[1] == 1:
            `one` count += 1
    require count > 0
    terms[0] = 1
""",
    # Where the names that a loop leaves bound stay in the thread.
    """\
atomic action Mixed:
    count = 0
    for m in messages:
        k = m[1]
        count += k
    serial:
        terms[0] = count % 3
        terms[1] = 1
""",
    """\
func slow(k):
    terms[0] = k
    terms[1] = k
atomic action Calls:
    count = 0
    for m in messages:
        k = m[0]
        count = max(count, k)
    slow(count)
""",
    """\
role Node:
    action Init: self.v = 0
    func set_to(k):
        self.v = k
        terms[0] = k
    atomic action Calls:
        count = 0
        for m in messages:
            count = m[0]
        self.set_to(count)
atomic action Begin:
    require len(seen) == 1 and len(messages) == 2
    node = Node()
    node.set_to(1)
    terms[1] = 0
""",
    # In funcs, of roles too.
    """\
atomic func greatest(ms, i):
    found = -1
    for m in ms:
        if m[0] == i and m[1] > found:
            found = m[1]
            if found == 2:
                return 2
    return found
atomic action Ask:
    i = oneof range(N)
    k = greatest(messages, i)
    require k > terms[i]
    terms[i] = k
""",
    """\
role Node:
    action Init: self.v = 0
    atomic func votes():
        count = 0
        for m in messages:
            if m[1] > self.v:
                count += 1
        return count
    atomic action Grow:
        require self.v < 2
        kinds = set()
        for m in messages:
            if m[1] == self.v:
                kinds.add(m[0])
        many = self.votes()
        require many > 1 and len(kinds) > 0
        self.v += 1
NODES = 2
atomic action Begin:
    require len(seen) == 1 and len(messages) == 2
    nodes = [Node() for i in range(NODES)]
    seen.clear()
""",
]


@pytest.mark.parametrize("text", ACTIONS)
def test_actions(text: str) -> None:
    """In atomic actions and funcs, too: nothing but the state is left of the names that they bind."""
    agreed(MESSAGES + text, states=200)


def test_a_count_in_an_action_is_asked() -> None:
    """The sets have 64 values each, and six elements."""
    assert calls_for_messages(ACTIONS[0].replace("votes > 1", "votes > 9")) < 100


def test_an_element_that_matters_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is passed on may be new long after an element was met that made no difference before."""
    monkeypatch.setattr(path_folds, "TURNS_AHEAD", 0)
    agreed("""\
---
deadlock_detection: false
---
action Init:
    messages = set()
    steps = set()
atomic action Send:
    m = oneof [("a", i) for i in range(4)] + [("z", 0)]
    require m[0] == "z" or len(messages) < 2 or len(steps) == 4
    messages.add(m)
atomic action Go:
    require len(steps) < 5
    steps.add(len(steps))
always assertion P:
    count = 0
    for m in messages:
        if m[0] == "a":
            count += 1
        elif count == 3:
            return False
    return True
""")


def test_too_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop whose sets do not repeat enough is run as it is written, from some turn on."""
    monkeypatch.setattr(path_folds, "MOST_PASSED", 50)
    agreed(MESSAGES + PROPERTIES[6], states=150)


def test_bags_and_instances() -> None:
    """Copies count, and instances may be passed on."""
    agreed(
        BOX
        + """\
always assertion Copies:
    counts = {}
    for v in box:
        counts[v] = counts.get(v, 0) + 1
    return counts.get(1, 0) < 2 or counts.get(2, 0) < 2
always assertion Last:
    last = None
    for node in late:
        if last == None or node.v >= last.v:
            last = node
    return last == None or last.v < 2 or last == nodes[1]
transition assertion Sum(before, after):
    total = 0
    for node in after.late:
        total += node.v
    for node in before.late:
        total -= node.v
    return total < 2
"""
    )
