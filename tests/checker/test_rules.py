"""The rules of the search: what is said of one state and what is said of columns agree, and both are those of the page.

The page is put as brute force here, which shares nothing with the rules: they are the same for all engines.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.level import Level
from checker.core.limits import Limits, StopReason
from checker.search.contract.bounds import fewest_starts, is_cut, not_all_explored, reason_to_end, starts_after
from checker.search.contract.gathering import Gathering
from checker.search.contract.level_counts import count_states, is_dead_end, lacks_steps
from checker.search.contract.parents import by_key_and_parent, crashes_after, least_parents
from checker.search.contract.ranks import least, least_of_level, order_of, order_of_all, order_of_level
from checker.search.explore import explore
from checker.search.registry import engine_of
from interpreter import Machine, State, compile_module
from interpreter.state.step import StepKind, StepOrder
from tests.checker.test_fewest_crashes import random_text
from tests.random.laws import IN_PROCESS

BIG = 1 << 40
"""So far apart are counts of crashes that a parent does not fit one word."""


def random_arrivals(draw: random.Random, apart: int) -> tuple[list[StepOrder], list[tuple[int, ...]]]:
    """Steps of a level: orders, and rows of (key, crashes, number of the order, source, starts)."""
    orders = [StepOrder((2, number), (draw.randrange(2),), draw.randrange(2)) for number in range(5)]
    orders = draw.sample(orders, 5)
    states, sources = draw.choice((1, 3, 60)), draw.choice((1, 4, 1 << 31))
    spans = ((1, states), (apart, 3), (1, 5), (1, sources), (1, 4))
    rows = [tuple(unit * draw.randrange(most) for unit, most in spans) for _ in range(draw.randint(1, 120))]
    return orders, rows


@pytest.mark.parametrize("apart", [1, BIG])
@pytest.mark.parametrize("seed", range(30))
def test_parents_agree(seed: int, apart: int) -> None:
    """One step at a time, by numbers of sources, by keys of sources: the parent and the fewest starts are the same."""
    orders, rows = random_arrivals(random.Random(seed), apart)
    gathering: Gathering[int, None] = Gathering(lambda handle: State.__new__(State), None)
    for key, crashes, order, source, starts in rows:
        gathering.add(key, source, orders[order], starts, crashes, None)
    one_by_one = {
        key: (found.crashes, found.order, found.source, found.starts) for key, found in gathering.newcomers.items()
    }
    by_page = {key: least_of((orders, row) for row in rows if row[0] == key) for key in {row[0] for row in rows}}
    assert one_by_one == by_page

    keys, crashes, numbers, sources, starts = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    ranks = np.argsort(sorted(range(5), key=orders.__getitem__))
    high, low = (keys // 7).astype(np.uint64), (keys % 7).astype(np.uint64)
    by_key = np.lexsort((low, high))
    begins = np.flatnonzero(np.r_[True, keys[by_key][1:] != keys[by_key][:-1]])
    columns = least_parents(by_key, begins, crashes, numbers, sources, ranks)
    fewest = fewest_starts(starts, by_key, begins)
    found = zip(*[column.tolist() for column in (keys[by_key][begins], *columns, fewest)], strict=True)
    assert {key: (c, orders[o], s, f) for key, c, o, s, f in found} == by_page

    halves = (sources // 3).astype(np.uint64), (sources % 3).astype(np.uint64)
    order, groups = by_key_and_parent((high, low), crashes, ranks[numbers], halves)
    chosen = order[groups]
    fewest = fewest_starts(starts, order, groups)
    found = zip(*[c[chosen].tolist() for c in (keys, crashes, numbers, sources)], fewest.tolist(), strict=True)
    assert {key: (c, orders[o], s, f) for key, c, o, s, f in found} == by_page
    assert keys[order].tolist() == sorted(keys.tolist())


def least_of(rows: Iterable[tuple[list[StepOrder], tuple[int, ...]]]) -> tuple[int, StepOrder, int, int]:
    """The parent by the page, and the fewest starts."""
    some = list(rows)
    crashes, order, source = min((row[1], orders[row[2]], row[3]) for orders, row in some)
    return crashes, order, source, min(row[4] for _, row in some)


@pytest.mark.parametrize("kind", StepKind)
def test_numbers_and_columns_agree(kind: StepKind) -> None:
    """A rule gives the same for a number as for each of a column, of any type."""
    draw = np.random.default_rng(int(kind))
    starts, crash = draw.integers(0, 9, 200), draw.integers(0, 2, 200).astype(np.bool_)
    for column in (starts.astype(np.uint8), starts.astype(np.int32), starts):
        after = starts_after(column, kind)
        assert after.tolist() == [starts_after(one, kind) for one in column.tolist()]
        assert [one + (kind is StepKind.START) for one in column.tolist()] == after.tolist()
        cut = is_cut(column, 4)
        assert (cut.dtype, cut.tolist()) == (np.bool_, [is_cut(one, 4) for one in column.tolist()])
        for crashes in (crash, True, False):
            both = np.broadcast_to(crashes, 200).tolist()
            expected = [crashes_after(one, crashes) for one, crashes in zip(column.tolist(), both, strict=True)]
            assert crashes_after(column, crashes).tolist() == expected
            assert crashes_after(column, crashes).dtype == column.dtype
    moves, failed, cut = draw.integers(0, 2, 200), draw.integers(0, 2, 200) == 1, draw.integers(0, 2, 200) == 1
    dead = is_dead_end(moves, failed, cut)
    rows = list(zip(moves.tolist(), failed.tolist(), cut.tolist(), strict=True))
    assert dead.tolist() == [is_dead_end(*row) for row in rows] == [row == (0, False, False) for row in rows]
    for expanded in (True, False):
        lacking = lacks_steps(cut, expanded)
        expected = [one or not expanded for one in cut.tolist()]
        assert lacking.tolist() == [lacks_steps(one, expanded) for one in cut.tolist()] == expected


@pytest.mark.parametrize("seed", range(20))
def test_ranks_agree(seed: int) -> None:
    """The least of some states, and the order of all, by numbers and by columns."""
    draw = random.Random(seed)
    costs = sorted(((draw.randrange(4), draw.randrange(3)) for _ in range(50)), key=lambda cost: cost[0])
    by_page = sorted(range(50), key=lambda number: (*costs[number], number))
    assert order_of(costs) == by_page
    some = sorted(draw.sample(range(50), 12))
    assert least(some, costs.__getitem__) == min(some, key=by_page.index)
    levels, crashes = (np.array(column) for column in zip(*costs, strict=True))
    numbers = np.arange(50, dtype=np.uint64)
    assert order_of_all(levels, crashes, (numbers // np.uint64(9), numbers % np.uint64(9))).tolist() == by_page
    for level in range(4):
        here = np.flatnonzero(levels == level)
        if len(here):
            expected = [number for number in by_page if levels[number] == level]
            assert here[order_of_level(crashes[here])].tolist() == expected
            assert here[least_of_level(crashes[here])] == expected[0]


def test_what_a_level_found_is_added_up() -> None:
    """Parts of a level may be counted one after the other; those that are pruned are found, and do not wait."""
    level = Level()
    for part in ((5, 30, 2, 1), (0, None, 0, 0), (4, 20, 1, 4)):
        count_states(level, *part)
    assert (level.states, level.least, level.cut, level.pruned, level.frontier) == (9, 20, 3, 5, 4)


def test_why_there_is_no_further_level() -> None:
    """A violation, then nothing left, then the limits; what was left out is counted where a limit ended it."""
    ends = partial(reason_to_end, Level(states=9, frontier=3, cut=2), 4)
    assert ends(Limits(), False) is None
    assert ends(Limits(states=9, depth=4), True) is StopReason.VIOLATION
    assert ends(Limits(states=9, depth=4), False) is StopReason.MAX_STATES
    assert ends(Limits(states=10, depth=4), False) is StopReason.MAX_DEPTH
    assert ends(Limits(states=10, depth=5), False) is None
    assert reason_to_end(Level(states=9), 4, Limits(states=1), False) is StopReason.COMPLETE
    assert reason_to_end(Level(states=9, pruned=1), 4, Limits(), False) is StopReason.VIOLATION
    total, last = Level(cut=5, frontier=3), Level(cut=2)
    assert not_all_explored(total, last, StopReason.COMPLETE) == 5
    assert not_all_explored(total, last, StopReason.MAX_DEPTH) == 6


# --- the bound and the counts, by brute force
# -------------------------------------------------------------------------


class Bounded:
    """A machine explored to a bound, by the page alone (9.2, 12.1, 12.3): no state is cheaper than its paths say."""

    def __init__(self, machine: Machine, bound: int, most: int) -> None:
        self.levels = [list(dict.fromkeys(path.state for path in machine.initial()[0]))]
        self.into: dict[State, list[tuple[State, bool]]] = {state: [] for state in self.levels[0]}
        self.names: list[tuple[State, str, bool]] = []
        self.cut: set[State] = set()
        while self.levels[-1] and len(self.into) < most:
            found: dict[State, list[tuple[State, bool]]] = {}
            for state in self.levels[-1]:
                cut = min(self.starts(state)) >= bound
                self.cut |= {state} if cut else set()
                for step in machine.steps(state).steps:
                    start = step.rule.kind is StepKind.START
                    if cut and start:
                        continue
                    self.names.append((state, step.name, step.crashes))
                    if step.target not in self.into:
                        found.setdefault(step.target, []).append((state, start))
            self.into |= found
            self.levels.append(list(found))

    def starts(self, state: State) -> Iterator[int]:
        """The starts on each path with the fewest steps."""
        if not self.into[state]:
            yield 0
        for source, start in self.into[state]:
            for starts in self.starts(source):
                yield starts + start

    def counts(self) -> tuple[int, ...]:
        """States, transitions, crash steps, depth, cut states."""
        moves = len({name for name in self.names if not name[2]})
        return len(self.into), moves, len(set(self.names)) - moves, len(self.levels) - 2, len(self.cut)


@pytest.mark.parametrize("block", range(4))
def test_bounds_of_programs(block: int) -> None:
    """Every engine cuts the states that the page says, and counts what it says."""
    compared = cut = 0
    for seed in range(7 * block, 7 * block + 7):
        bound = 1 + seed % 3
        text = random_text(seed).replace("options: {", f"options: {{max_actions: {bound}, ", 1)
        compiled = compile_module(fizz.load("m.fizz", text=text))
        space = Bounded(Machine(compiled), bound, 150)
        if space.levels[-1]:
            continue
        for engine in ("plain", *IN_PROCESS):
            found = explore(engine_of(engine), compiled, (), Settings(keep_going=True))
            counted = found.states, found.transitions, found.crash_steps, found.depth, found.cut
            assert counted == space.counts(), f"{seed} {engine}\n{text}"
        compared += 1
        cut += bool(space.cut)
    assert compared > 3 and cut > 1


TWIN_ALONE = """\
---
deadlock_detection: false
---
T = symmetry.interval(name="t", divergence=1)
action Init: kept, open = T.fresh(), False
atomic action Open: open = True
action Far:
    require open
    x = kept + 3
    kept = x
"""


@pytest.mark.parametrize("engine", ["plain", *IN_PROCESS])
def test_a_twin_is_a_step(engine: str) -> None:
    """What a domain forbids to the thread it may allow to its twin, which forgets: then the action had a step."""
    report = check(fizz.load("m.fizz", text=TWIN_ALONE), engine=engine)
    assert (report.states, report.transitions, report.crash_steps) == (2, 2, 1)
    assert "W3" not in [warning.code for warning in report.warnings]
