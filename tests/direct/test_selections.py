"""Permutations, combinations and products, whose rows functions of Python make without the library of the language."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from interpreter.direct.node_sequences import Sequences
from tests.random import laws

MODEL = """---
deadlock_detection: false
options: {max_actions: 3}
---
action Init:
    x = None
    n = 0
atomic action Take:
    BODY
atomic action Next:
    require x != None
    n = 1 - n
"""
BODIES = [
    "x = [list(p) for p in itertools.permutations([[1], [2]], 2)]",
    "x = list(itertools.permutations([[1], [2]]))",
    "x = oneof itertools.permutations([[1], [2]])",
    "x = oneof [list(p) for p in itertools.permutations(range(4))]",
    "x = oneof itertools.permutations(set([3, 1]))",
    "x = len(itertools.permutations([1, 2, 3]))",
    "x = [a + b for a, b in itertools.permutations(range(2))]",
    "x = oneof itertools.permutations(range(3), None)",
    "x = oneof itertools.combinations(range(3), None)",
    "x = list(itertools.product([[1], [2]], repeat=2))",
    "x = oneof itertools.product([[1], [2]], repeat=2)",
    "x = oneof itertools.product([1, 2], [3], repeat=2)",
    "x = oneof itertools.product([1, True], repeat=0)",
    "x = oneof itertools.product(repeat=2)",
    "x = oneof itertools.product()",
    "x = oneof itertools.product(range(2), repeat=-1)",
    "x = oneof itertools.product(range(2), repeat=True)",
    "x = oneof itertools.product(range(2), repeat=1.0)",
    "x = oneof itertools.product(range(1), repeat=70)",
    "x = oneof itertools.product(range(2), repeat=70)",
    "x = oneof itertools.product(5, repeat=2)",
    "x = [a + b for a, b in itertools.product(range(3), [n, 5])]",
    "x = [a + b for a, b in itertools.product(range(3), repeat=2)]",
    "x = [a + b for a, b in itertools.product(range(3), repeat=3)]",
    "y = [n]\n    x = list(itertools.product(y, [y]))",
    "x = oneof itertools.product(set([2, 1]), {3: 0, 1: 1})",
    "x = oneof itertools.product({n: 0, 'a': 1}, [n])",
    "x = oneof itertools.product(range(3), repeat=1 + n)",
    "x = oneof itertools.product('ab', repeat=2)",
    "x = oneof itertools.product(range(2), times=2)",
]


@pytest.mark.parametrize("body", BODIES)
def test_engines_agree(body: str) -> None:
    """Values, aliases, errors."""
    assert laws.differences(MODEL.replace("BODY", body), Settings(keep_going=True)) == []


@pytest.mark.parametrize(
    "expression", ["permutations(range(4))", "product(range(2), repeat=3)", "product([1, n], [2])"]
)
def test_the_rows_are_made_by_functions(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spend, spent = Sequences._spend_on_rows, []

    def counting(self: Sequences, *given: int) -> None:
        spent.append(given)
        spend(self, *given)

    monkeypatch.setattr(Sequences, "_spend_on_rows", counting)
    text = MODEL.replace("BODY", f"x = oneof itertools.{expression}")
    assert laws.differences(text, Settings(keep_going=True), ["direct columns"]) == []
    assert spent
