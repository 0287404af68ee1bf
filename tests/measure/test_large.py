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
