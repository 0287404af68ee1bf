"""Mutants are made on the tree, in one place each, and told with their place and the lines that differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.mutation.mutants import mutants_of
from fizz import load
from fizz.syntax.printer import print_module

ROOT = Path(__file__).parents[2]

MODEL = """\
LIMIT = 2

action Init:
    sold, left = 0, LIMIT

atomic fair action Sell:
    require left > 0 and sold < LIMIT
    sold += 1
    left -= 1
    if not sold:
        left = left if sold == 1 else 0
    else:
        pass

def only_asserted(n):
    return n + 1

always assertion Conserved:
    return only_asserted(sold + left) == LIMIT + 1
"""


def test_at_least_a_hundred_for_a_hundred_lines() -> None:
    """The model of Venice has some hundred lines, comments among them."""
    path = ROOT / "models" / "venice" / "VeniceAtomic.fizz"
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert len(mutants_of(load(path))) >= max(100, 0.9 * lines)


def test_every_kind_of_change() -> None:
    """What is changed, where, and how it looks."""
    module = load("m.fizz", text=MODEL)
    found = {(one.change, one.span.line, one.diff) for one in mutants_of(module)}
    for wanted in (
        ("guard dropped", 7, ("- require left > 0 and sold < LIMIT",)),
        ("comparison changed", 7, ("- require left > 0 and sold < LIMIT", "+ require left >= 0 and sold < LIMIT")),
        ("and and or exchanged", 7, ("- require left > 0 and sold < LIMIT", "+ require left > 0 or sold < LIMIT")),
        ("condition dropped", 7, ("- require left > 0 and sold < LIMIT", "+ require left > 0")),
        ("constant changed", 7, ("- require left > 0 and sold < LIMIT", "+ require left > 1 and sold < LIMIT")),
        ("statement dropped", 8, ("- sold += 1",)),
        ("operator changed", 9, ("- left -= 1", "+ left += 1")),
        ("statement moved down", 8, ()),
        ("not dropped", 10, ("- if not sold:", "+ if sold:")),
        ("condition always true", 10, ("- if not sold:", "+ if True:")),
        ("fairness weakened", 6, ("- atomic fair action Sell:", "+ atomic action Sell:")),
        ("fairness strengthened", 6, ("- atomic fair action Sell:", "+ atomic fair<strong> action Sell:")),
        ("no longer atomic", 6, ("- atomic fair action Sell:", "+ fair action Sell:")),
    ):
        change, line, diff = wanted
        assert any(one[:2] == (change, line) and one[2][: len(diff)] == diff for one in found), wanted
    assert any(change == "assignments exchanged" and line == 4 for change, line, _ in found)
    assert any(change == "alternatives exchanged" and line == 11 for change, line, _ in found)


def test_properties_stay_as_they_are() -> None:
    """Neither assertions nor what only they use are changed, nor the parameters of a model."""
    lines = {one.span.line for one in mutants_of(load("m.fizz", text=MODEL))}
    assert lines <= set(range(3, 14))


@pytest.mark.parametrize("name", ["venice/VeniceAtomic.fizz", "classics/TwoPhaseRoles.fizz", "classics/EWD840.fizz"])
def test_one_place_at_a_time(name: str) -> None:
    """Every mutant is another text than the model and than every other mutant, and parses again."""
    module = load(ROOT / "models" / name)
    before = print_module(module)
    texts = [print_module(one.items) for one in mutants_of(module)]
    assert before not in texts
    assert len(set(texts)) == len(texts)
