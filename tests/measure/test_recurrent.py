"""Chains that are never left, too large to be factorised: the long run with its bound."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

from checker.measure.chain import Chain
from checker.measure.chain_answers import ChainAnswers
from checker.measure.two_levels import TwoLevels

UP = (0.3, 0.4, 0.5)
"""The probabilities that each of three queues grows, when it is its turn."""


def queues(places: int) -> Chain:
    """Three queues with so many lengths each, of which one moves in each step; Init comes last."""
    size = places**3
    states = np.arange(size)
    sources, targets, probabilities = [np.array([size])], [np.array([0])], [np.array([1.0])]
    for up, step in zip(UP, (1, places, places**2), strict=True):
        length = states // step % places
        sources += [states, states]
        targets += [np.where(length < places - 1, states + step, states), np.where(length > 0, states - step, states)]
        probabilities += [np.full(size, up / 3), np.full(size, (1 - up) / 3)]
    source = np.concatenate(sources)
    return Chain(
        states=size,
        nodes=size + 1,
        source=source,
        target=np.concatenate(targets),
        probability=np.concatenate(probabilities),
        gains=np.zeros((len(source), 1), dtype=np.int64),
        free=np.zeros(size + 1, dtype=np.bool_),
        met=frozenset(),
    )


def empty(places: int) -> float:
    """How often all are empty: each is so with a geometric probability, by itself."""
    ratios = (up / (1 - up) for up in UP)
    return float(np.prod([1 / sum(ratio**length for length in range(places)) for ratio in ratios]))


@pytest.mark.parametrize("places", [6, pytest.param(40, marks=pytest.mark.large)])
def test_three_queues(places: int) -> None:
    """64,000 states in one component, each with seven neighbours: within the bound, and the bound is narrow."""
    found = ChainAnswers(queues(places), lambda: None).long_run()
    assert found.states.sum() == pytest.approx(1, abs=1e-9)
    assert abs(found.states[0] - empty(places)) <= found.error < 1e-8


@pytest.mark.parametrize("trans", ["N", "T"])
def test_two_levels(trans: str) -> None:
    """With the preconditioner a method that projects is done in a few rounds, for the system and its transpose."""
    matrix = queues(20).matrix()[1:8000, 1:8000]
    system = sparse.csr_matrix(sparse.identity(7999, format="csr") - matrix)
    around, two_levels = system if trans == "N" else system.T, TwoLevels(system)
    nearly = linalg.LinearOperator(system.shape, matvec=lambda v: two_levels.apply(v, trans))
    found, left = linalg.gmres(around, np.ones(7999), rtol=1e-8, restart=30, maxiter=8, M=nearly)
    assert not left
    assert np.abs(np.ones(7999) - around @ found).max() < 1e-5
