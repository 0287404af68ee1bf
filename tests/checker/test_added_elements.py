"""Sets and bags that are asked after something was added to them in the same step."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from tests.interpreter.running import module_of
from tests.random.laws import differences
from tests.stats import runs

VOTES = """
---
deadlock_detection: false
---
N = 4
action Init:
    votes = VOTES()
    sent = set()
    told = 0
atomic action Send:
    v = oneof range(N)
    require v not in sent
    sent.add(v)
atomic action Receive:
    v = oneof sent
    require told < 7
    votes.add(v)
    told = ASKED
always assertion Counted: return told in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, True, False]
"""

OF_SETS = {
    "how many": "len(votes)",
    "how many there are without one": "len(votes) + len(sent) - 1",
    "one that was there": "len(votes.union(votes))",
    "whether it is another one": "1 if votes == sent else 2 if set([v]) == votes else 3 if votes == set([0, 1]) else 4",
    "how many are such": "len([x for x in votes if x % 2 == 0])",
    "all": "all([x < 4 for x in votes])",
    "any, with a turn that fails": "any(x == 0 or 1 // (x - 4) == 7 for x in votes if x != 4)",
    "the sum": "sum(votes)",
    "the greatest": "max([x + 1 for x in votes])",
    "the least": "min(votes)",
    "a list": "[x for x in votes if x != 1][-1:] == [v] and 5 or 6",
    "a set": "len(set([x // 2 for x in votes]))",
    "in the order of the step": "int([x for x in votes] == sorted(votes))",
    "in a loop": "len([1 for x in votes for y in votes if x < y])",
    "of what was taken away": "len([x for x in sent if x in votes])",
}


@pytest.mark.parametrize("asked", OF_SETS)
def test_sets_answer_with_what_was_added(asked: str) -> None:
    text = VOTES.replace("VOTES", "set").replace("ASKED", OF_SETS[asked])
    assert not differences(text, Settings(keep_going=True)), asked


@pytest.mark.parametrize("asked", ["how many", "how many are such", "all", "the sum", "the greatest", "a set"])
def test_bags_answer_with_what_was_added(asked: str) -> None:
    text = VOTES.replace("VOTES", "bag").replace("ASKED", OF_SETS[asked]).replace("told < 7", "len(votes) < 4")
    assert not differences(text, Settings(keep_going=True)), asked


@pytest.mark.parametrize("change", ["sent.discard(v)", "sent.discard(v)\n    sent.add(v)", "votes.discard(0)"])
def test_sets_answer_with_what_was_taken_away(change: str) -> None:
    text = VOTES.replace("VOTES", "set").replace("    told = ASKED", f"    {change}\n    told = len(votes) + len(sent)")
    assert not differences(text.replace("told < 7", "told < 12"), Settings(keep_going=True)), change


@pytest.mark.parametrize(("asked", "most"), [("how many", 2), ("all", 2)])
def test_a_set_that_grew_is_not_read(asked: str, most: int) -> None:
    """Eight times as many sets take no eight times as many runs of rules."""
    text = VOTES.replace("VOTES", "set").replace("ASKED", OF_SETS[asked]).replace("require told < 7", "require v < 9")
    settings = Settings(keep_going=True, workers=1, stats=True)
    few, many = (check(module_of(text.replace("N = 4", f"N = {n}")), settings=settings) for n in (6, 8))
    assert many.states > 8 * few.states
    assert runs(many) < most * runs(few)
