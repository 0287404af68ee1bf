"""Trees that many rows go through together, a question at a time, give what they give to each row alone."""

from __future__ import annotations

import numpy as np
import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.columns.lockstep import KnownBranches, LockstepWalk
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.trie import Leaf, Leaves, Question
from checker.search.registry import engine_of
from fizz import load
from interpreter import compile_module
from interpreter.state.step import NO_OUTCOME
from tests.checker.comparing import compared

MODEL = """
---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
---
N = 3
action Init:
    held = {i: 0 for i in range(N)}
    mail = set()
    last = None
atomic action Send:
    i = oneof range(N)
    require held[i] < 2
    held[i] += 1
    mail.add((i, held[i]))
atomic action Take:
    m = oneof mail
    require held[m[0]] == m[1]
    to = oneof [0, 1] if held[to] < 2
    last = (m, to)
atomic action Fail:
    i = oneof [j for j in range(N) if held[j] == 2]
    x = oneof ["a", "b", "c"] if len(mail) > 3
    last = held[i] // (len(mail) - 4)
atomic action Loop:
    for i in range(N):
        oneof:
            held[i] = 0
            pass
    require sum(held.values()) == 1
always assertion Few:
    return len([m for m in mail if m[1] == 2]) < N
transition assertion Monotone(before, after):
    return all([after.held[i] >= before.held[i] or after.held[i] == 0 for i in range(N)])
"""


@pytest.mark.parametrize("by_elements", [0, 32])
def test_rows_together_and_alone(by_elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With choices of elements and of others, loops of choices, folds, errors and assertions about steps."""
    walked = 0
    go = LockstepWalk.go

    def counted(walk: LockstepWalk) -> None:
        nonlocal walked
        walked += 1
        go(walk)

    monkeypatch.setattr(LockstepWalk, "go", counted)
    program = compile_module(load("m.fizz", text=MODEL))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings(keep_going=True))
    for lockstep in (2, 1 << 40):
        walked = 0
        engine = EmbeddedEngine(0, Sizes(many_values=by_elements, lockstep=lockstep))
        found = explore(engine, program, properties, Settings(keep_going=True))
        assert compared(found) == compared(plain)
        assert (walked > 50) is (lockstep == 2)


def test_the_table_of_branches_grows() -> None:
    """What the table has no room for is found in the tree again; what the tree learns later is found then."""
    root = Question(("heap", "x"))
    leaves = [Leaf(NO_OUTCOME) for _ in range(100_000)]
    bundles: dict[int, int] = {}

    def bundle_of(leaf: Leaf | Leaves) -> int:
        return bundles.setdefault(id(leaf), len(bundles))

    known = KnownBranches(root)
    number = known.number(root, bundle_of)
    answers = np.arange(len(leaves))
    nodes = answers * 0 + number
    assert (known.targets(nodes, answers, bundle_of) == -1).all()
    root.branches.update(enumerate(leaves))
    for _ in range(2):
        targets = known.targets(nodes, answers, bundle_of)
        assert [known.nodes[target] for target in targets.tolist()] == leaves
