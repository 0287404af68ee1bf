"""What workers share is done once: each step is taken, and each state judged, by exactly one, and learned by few."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.search.columns.packing import Rows
from checker.search.columns.shares import RuleCost, RuleShares, Stretch, line_of, most_varied, share_of
from checker.search.columns.sizes import SIZES
from checker.search.workers.team import Team
from tests.workers.conftest import workers

MODELS = Path(__file__).resolve().parents[2] / "models"
LAYOUT = ("a", "b")
ROWS = 10_000


class Packed:
    """A packing of one word: slot a takes 256 values, slot b two."""

    def __init__(self) -> None:
        self.fields = {"a": SimpleNamespace(table=range(256)), "b": SimpleNamespace(table=range(2))}
        self.layout = SimpleNamespace(slots=LAYOUT)

    def lows(self, rows: Rows, slots: list[str]) -> Any:
        shifts = {"a": (0, 255), "b": (8, 1)}
        total = np.zeros(len(rows), dtype=np.uint64)
        for slot in slots:
            shift, mask = shifts[slot]
            codes = (rows.words[0] >> np.uint64(shift)) & np.uint64(mask)
            total += (codes + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15 + shift)
        return total


def part() -> Any:
    words = np.random.default_rng(1).integers(0, 512, ROWS).astype(np.uint64)
    return SimpleNamespace(packing=Packed(), rows=Rows([words]))


def rule(packing: Any, position: int) -> Any:
    return SimpleNamespace(packing=packing, candidate=SimpleNamespace(order=(2, position)))


def costs(slots: frozenset[Any]) -> Any:
    return {LAYOUT: {(2, at): RuleCost(seconds, slots) for at, seconds in enumerate((0.1, 0.7, 0.0, 0.2))}}


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("slots", ["", "a", "b", "ab"])
def test_each_row_of_each_rule_is_taken_once(count: int, slots: str) -> None:
    """Also from rules that are not on the line, and whatever the chunks are."""
    one = part()
    line = line_of([costs(frozenset(slots))])
    shares = [RuleShares(line, number, count, [one]) for number in range(count)]
    for position in range(6):
        taken = np.zeros(ROWS, dtype=np.int64)
        for share in shares:
            for begin, end in pairwise([0, 1, 4_096, 4_096, ROWS]):
                chunk = cast(Any, SimpleNamespace(part=one, begin=begin, end=end))
                taken[begin + share.own(rule(one.packing, position), chunk)] += 1
        assert (taken == 1).all()


@pytest.mark.parametrize("count", [2, 3])
def test_rows_that_look_alike_stay_together(count: int) -> None:
    """A rule that is cut is cut by what it reads, into pieces of the lengths asked for, more or less."""
    one = part()
    line = {LAYOUT: {(2, 0): Stretch(0.0, 1.0, frozenset("a"))}}
    whole = cast(Any, SimpleNamespace(part=one, begin=0, end=ROWS))
    looks = one.rows.words[0] & np.uint64(255)
    pieces = [RuleShares(line, number, count, [one]).own(rule(one.packing, 0), whole) for number in range(count)]
    met = [set(looks[piece].tolist()) for piece in pieces]
    assert sum(map(len, met)) == len(set.union(*met)) == 256
    assert all(abs(len(piece) - ROWS / count) < 0.1 * ROWS for piece in pieces)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("preferred", [[], ["a"], ["", "b"]], ids=["none", "a", "nothing or b"])
def test_each_state_is_judged_once(count: int, preferred: list[str]) -> None:
    """Whatever assertions read; slots in which all are alike do not decide."""
    one = part()
    wanted = [cast(Any, frozenset(slots)) for slots in preferred]
    rows = np.concatenate([share_of(one, wanted, number, count) for number in range(count)])
    assert sorted(rows.tolist()) == list(range(ROWS))


def test_the_line_is_as_long_as_what_rules_cost() -> None:
    """The costs of all processes count, and rules that cost nothing have no length."""
    line = line_of([costs(frozenset("a")), costs(frozenset("ab"))])[LAYOUT]
    lengths = [round(line[2, at].end - line[2, at].begin, 6) for at in range(4)]
    assert lengths == [0.1, 0.7, 0.0, 0.2]
    assert line[2, 1].slots == frozenset("a")
    assert line_of([{}]) == {}


def test_few_slots_are_enough() -> None:
    packing = SimpleNamespace(fields={name: SimpleNamespace(table=range(size)) for size, name in enumerate("abcdef")})
    assert most_varied(cast(Any, packing), cast(Any, frozenset("abcdef"))) == frozenset("cdef")


def test_what_is_learned_is_learned_by_few() -> None:
    """Workers that divide levels by rules learn less than two thirds of what is learned twice if they divide states."""
    path = MODELS / "kafka/KafkaTruncateToHighWatermark.fizz"
    constants = {"REPLICAS": "3", "LOG_SIZE": "2", "MAX_RECORDS": "2", "MAX_LEADER_EPOCH": "1"}
    counts = []
    for count, by_rules in ((1, True), (2, True), (2, False)):
        # Whether that pays on a level depends on the time that it takes, and so on the machine. What else runs on it
        # must not decide where the rules are divided.
        with (
            workers(count, SIZES, wide=512),
            patch.object(Team, "_much_learned", return_value=by_rules),
            patch("checker.search.columns.shares.perf_counter", process_time),
        ):
            stats = check(path, constants=constants, settings=Settings(keep_going=True, stats=True)).stats
        counts.append([int(str(stats[name])) for name in ("interpreter calls", "walked through trees")])
    for alone, by_rules_together, by_states in zip(*counts, strict=True):
        assert 3 * (by_rules_together - alone) < 2 * (by_states - alone)
