"""`sum`, `max` and `min` of comprehensions over sets: every engine finds what the plain one finds."""

from __future__ import annotations

import pytest

from tests.checker.test_elements import agreed
from tests.checker.test_folds_that_read import MESSAGES, calls_for_messages
from tests.sample import one_in

HALF = 1 << 4095
"""The sum of two has too many bits."""

PROPERTIES = [
    "always assertion P: return sum([m[0] * m[1] for m in messages]) < 7",
    "always assertion P: return sum(terms[m[0]] for m in messages if m in seen) < 5",
    "always assertion P: return sum([sum([m[1] for m in seen if m[0] == i]) for i in range(N)]) < 6",
    "always assertion P: return sum([sum(n[1] for n in seen if n[0] == m[0]) for m in messages]) < 6",
    "always assertion P: return max([0] + [m[1] for m in messages]) < 2 or len(messages) < 3",
    # Of an empty set they fail.
    "always assertion P: return len(seen) == 0 or max([m[0] + terms[m[0]] for m in seen]) < 4",
    "always assertion P: return len(seen) == 0 or min(m[1] - m[0] for m in seen) > -2",
    "always assertion P: return max([m[1] for m in messages]) < 3",
    "always assertion P: return min(m[1] for m in messages if m in seen) < 3",
    # All elements.
    "always assertion P: return len(seen) == 0 or max(seen) < (1, 2)",
    "always assertion P: return len(set(seen)) + len(set(messages)) < 7",
    "always assertion P: return sum(seen) == 0",
    "always assertion P: return min(messages) < (2, 2)",
    # Other values than ints, and what is no number.
    "always assertion P: return sum([m[1] / 2 for m in messages]) < 3",
    "always assertion P: return sum([m[1] if m[1] < 2 else 2.0 for m in messages]) < 5",
    "always assertion P: return sum([m[1] == 2 for m in messages]) < 5",
    "always assertion P: return len(seen) == 0 or max([m for m in seen]) != (1, 2)",
    "always assertion P: return len(seen) == 0 or min([m[1] * 1.0 if m[0] == 1 else m[1] for m in seen]) < 2",
    "always assertion P: return len(seen) == 0 or max([str(m[1]) for m in seen]) < '2'",
    # Too many bits, in the end or on the way only.
    f"always assertion P: return sum([{HALF} for m in messages]) > -1",
    f"always assertion P: return sum([{HALF} * (1 - 2 * (m[1] % 2)) for m in messages]) != 1",
    # Two states, and a function.
    "transition assertion P(before, after):\n"
    "    return sum([m[1] for m in before.seen]) <= sum([m[1] for m in after.seen])",
    "def greatest(ms, i): return max([0] + [m[1] for m in ms if m[0] == i])\n"
    "transition assertion P(before, after): return greatest(before.seen, 1) <= greatest(after.seen, 1)",
    "def greatest(ms): return max([m[1] for m in ms if m[0] == 1])\n"
    "always assertion P: return (1, 0) not in seen or greatest(seen) < 2",
]


@pytest.mark.parametrize("text", one_in(2, PROPERTIES))
def test_properties(text: str) -> None:
    """Verdicts, counts and traces are the same."""
    agreed(MESSAGES + text + "\n", states=150)


def test_steps() -> None:
    """What a step stores, after it has changed something and before."""
    agreed(
        """\
---
deadlock_detection: false
---
action Init:
    messages = set()
    votes = bag()
    most = 0
    total = 0
atomic action Send:
    k = oneof range(4)
    messages.add((k, total))
    total = sum([m[0] for m in messages]) % 3
atomic action Vote:
    require len(votes) < 3
    v = oneof range(2)
    votes.add(v)
    total = sum(votes.count(0) + v for v in votes) % 3
atomic action Look:
    require messages
    most = max([m[0] - m[1] for m in messages])
    total = min(m[1] for m in messages)
    messages.clear()
always assertion P: return most < 3
""",
        states=300,
    )


def test_names_that_mean_something_else() -> None:
    """A function of the model with the name of a builtin one is called."""
    agreed(
        MESSAGES
        + """\
def sum(numbers): return len(numbers) + 1
always assertion P: return sum([m[1] for m in messages]) < 5
""",
        states=300,
    )


@pytest.mark.parametrize("asked", ["sum([m[1] for m in messages]) > 99", "max(m[0] for m in messages if m) > 2"])
def test_what_repeats_is_not_run_again(asked: str) -> None:
    """The sets have 64 values each, and six elements."""
    assert calls_for_messages(f"always assertion P: return not {asked}") < 200
