"""A million states: the graph comes from columns, the systems are sparse."""

from __future__ import annotations

import time

import pytest

from tests.measure.conftest import Measures

JOBS = """\
---
options: {crash_on_yield: false, max_actions: 100000}
---
K = 100

action Init: a, b, c = 0, 0, 0

atomic action A:
    require a < K
    oneof:
        `done` a += 1
        `again` pass

atomic action B:
    require b < K
    oneof:
        `done` b += 1
        `again` pass

atomic action C:
    require c < K
    oneof:
        `done` c += 1
        `again` pass

exists assertion Done: return a == K and b == K and c == K
"""
TRIES = """\
nondeterminism: uniform
configs:
  A.done: {probability: 0.9}
  B.done: {probability: 0.8}
  C.done: {probability: 0.7}
  A: {counters: {tries: {numeric: 1}}}
  B: {counters: {tries: {numeric: 1}}}
  C: {counters: {tries: {numeric: 1}}}
"""


@pytest.mark.parametrize("size", [12, pytest.param(100, marks=pytest.mark.large)])
def test_three_queues_of_jobs(size: int, written: Measures) -> None:
    """Each job is tried until it is done: the expected number of tries is known, and a million states take a minute."""
    begun = time.process_time()
    found = written(JOBS, TRIES, constants={"K": size})
    assert found.states == (size + 1) ** 3
    tries = found.counter("tries")
    assert tries.expected.value == pytest.approx(size * (1 / 0.9 + 1 / 0.8 + 1 / 0.7), rel=1e-9)
    assert sum(share for _, share in tries.distribution) == pytest.approx(1, abs=1e-9)
    assert found.assertion("Done").true.value == 1
    assert time.process_time() - begun < 60


QUEUES = """\
---
options: {crash_on_yield: false, max_actions: 100000}
---
K = 99

action Init: a, b, c = 0, 0, 0

atomic action A:
    oneof:
        `up` a = min(a + 1, K)
        `down` a = max(a - 1, 0)

atomic action B:
    oneof:
        `up` b = min(b + 1, K)
        `down` b = max(b - 1, 0)

atomic action C:
    oneof:
        `up` c = min(c + 1, K)
        `down` c = max(c - 1, 0)

exists assertion Empty: return a == 0 and b == 0 and c == 0
"""
LENGTHS = """\
nondeterminism: uniform
configs:
  A.up: {probability: 0.3}
  B.up: {probability: 0.4}
  C.up: {probability: 0.45}
"""


@pytest.mark.parametrize("most", [9, pytest.param(99, marks=pytest.mark.large)])
def test_three_queues_for_ever(most: int, written: Measures) -> None:
    """A million states in one component take a minute; each length is geometric, whatever the others are."""
    begun = time.process_time()
    found = written(QUEUES, LENGTHS, constants={"K": most})
    assert found.states == (most + 1) ** 3
    exact = 1.0
    for up in (0.3, 0.4, 0.45):
        exact /= sum((up / (1 - up)) ** length for length in range(most + 1))
    often = found.assertion("Empty").often
    assert often is not None
    assert often.low <= exact <= often.high
    assert often.high - often.low < 1e-8
    assert time.process_time() - begun < 60


GRID = """\
---
options: {crash_on_yield: false, max_actions: 1000000}
---
K = 1000
action Init: x, y = 0, 0
atomic action Move:
    require x < K or y < K
    oneof:
        `r` x = min(x + 1, K)
        `l` x = max(x - 1, 0)
        `u` y = min(y + 1, K)
        `d` y = max(y - 1, 0)
exists assertion End: return x == K and y == K
"""
STEPS = """\
configs:
  Move.r: {probability: 0.35}
  Move.l: {probability: 0.15}
  Move.u: {probability: 0.35}
  Move.d: {probability: 0.15}
  Move: {counters: {steps: {numeric: 1}}}
"""


@pytest.mark.parametrize("size", [60, pytest.param(1000, marks=pytest.mark.large)])
def test_percentiles_of_a_wide_counter(size: int, written: Measures) -> None:
    """Also in a million states, with values of thousands of steps."""
    found = written(GRID, STEPS, constants={"K": size}).counter("steps")
    average = sum(value * share for value, share in found.distribution)
    assert average == pytest.approx(found.expected.value, rel=1e-8)
    assert list(found.percentiles) == [50, 90, 95, 99, 99.9, 99.99]
