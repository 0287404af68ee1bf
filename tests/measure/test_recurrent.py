"""Chains that are never left, too large to be factorised: the long run with its bound."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from checker.measure.aggregation import Aggregation
from checker.measure.chain import Chain
from checker.measure.chain_answers import ChainAnswers
from checker.measure.linear import Transient

Ints = NDArray[np.int64]

UP = (0.3, 0.4, 0.5)
"""The probabilities that each of three queues grows, when it is its turn."""


def chain(edges: list[tuple[Ints, Ints, float]], size: int) -> Chain:
    """A chain of edges with the same probability; Init comes last, and leads to the first state."""
    source = np.concatenate([[size], *(sources for sources, _, _ in edges)])
    return Chain(
        states=size,
        nodes=size + 1,
        source=source,
        target=np.concatenate([[0], *(targets for _, targets, _ in edges)]),
        probability=np.concatenate([[1.0], *(np.full(len(sources), share) for sources, _, share in edges)]),
        gains=np.zeros((len(source), 1), dtype=np.int64),
        free=np.zeros(size + 1, dtype=np.bool_),
        met=frozenset(),
    )


def queues(places: int, up: tuple[float, ...] = UP) -> Chain:
    """Some queues with so many lengths each, of which one moves in each step."""
    size = places ** len(up)
    states = np.arange(size)
    edges: list[tuple[Ints, Ints, float]] = []
    for place, grows in enumerate(up):
        step = places**place
        length = states // step % places
        edges.append((states, np.where(length < places - 1, states + step, states), grows / len(up)))
        edges.append((states, np.where(length > 0, states - step, states), (1 - grows) / len(up)))
    return chain(edges, size)


def empty(places: int, up: tuple[float, ...] = UP) -> float:
    """How often all are empty: each is so with a geometric probability, by itself."""
    ratios = (grows / (1 - grows) for grows in up)
    return float(np.prod([1 / sum(ratio**length for length in range(places)) for ratio in ratios]))


@pytest.mark.parametrize(
    ("places", "up"),
    [
        (6, UP),
        (25, UP),
        pytest.param(100, UP, marks=pytest.mark.large),
        # Lengths that hardly matter, so that the first state is as rare as a state can be in numbers.
        (120, (0.6, 0.55)),
        # As probable up as down: runs wander about.
        (120, (0.5, 0.5)),
        pytest.param(1000, (0.45, 0.5), marks=pytest.mark.large),
    ],
)
def test_queues(places: int, up: tuple[float, ...]) -> None:
    """Up to a million states in one component: within the bound, and the bound is narrow."""
    found = ChainAnswers(queues(places, up), lambda: None).long_run()
    assert found.states.sum() == pytest.approx(1, abs=1e-9)
    assert abs(found.states[0] - empty(places, up)) <= found.error < 1e-6


def test_tandem() -> None:
    """A line of two queues that block one another, in 14,400 states: in balance to the bound, and as factorised."""
    places, arrives, first, second = 120, 0.3, 0.4, 0.3
    states = np.arange(places**2)
    waiting, next_waiting = states % places, states // places
    moves = (waiting > 0) & (next_waiting < places - 1)
    edges = [
        (states, np.where(waiting < places - 1, states + 1, states), arrives),
        (states, np.where(moves, states - 1 + places, states), first),
        (states, np.where(next_waiting > 0, states - places, states), second),
    ]
    line = chain(edges, places**2)
    found = ChainAnswers(line, lambda: None).long_run()
    matrix = line.matrix()[:-1, :-1]
    system = sparse.csc_matrix(sparse.identity(places**2, format="csc") - matrix.T)
    visits = linalg.spsolve(system[1:, 1:], -system[1:, [0]].toarray().ravel())
    exact = np.concatenate([[1.0], visits]) / (1 + visits.sum())
    assert np.abs(found.states - exact).sum() <= found.error < 1e-6


def test_a_period() -> None:
    """A ring of 9,000 states, which are all left in turn: each as often as any."""
    size = 9_000
    states = np.arange(size)
    found = ChainAnswers(chain([(states, (states + 1) % size, 1.0)], size), lambda: None).long_run()
    assert np.abs(found.states - 1 / size).sum() <= found.error < 1e-6


def test_nearly_in_parts() -> None:
    """A hundred rings of a hundred states, which are left once in ten thousand steps, each for the next ring."""
    size, inside = 10_000, 100
    states = np.arange(size)
    first = states // inside * inside
    links = [(step, share) for step, share in ((1, 0.4), (-1, 0.2), (7, 0.3), (31, 0.0999))]
    edges = [(states, first + (states - first + step) % inside, share) for step, share in links]
    edges.append((states, (states + inside) % size, 0.0001))
    found = ChainAnswers(chain(edges, size), lambda: None).long_run()
    assert np.abs(found.states - 1 / size).sum() <= found.error < 1e-5


@pytest.mark.parametrize("trans", ["N", "T"])
def test_aggregation(trans: str) -> None:
    """With the preconditioner a method that projects is done in a few rounds, for the system and its transpose."""
    matrix = queues(20).matrix()[1:8000, 1:8000]
    system = sparse.csr_matrix(sparse.identity(7999, format="csr") - matrix)
    around, groups = system if trans == "N" else system.T, Aggregation(system)
    assert groups.sizes[0] == 7999
    assert groups.sizes[-1] < 2500
    nearly = linalg.LinearOperator(system.shape, matvec=lambda v: groups.apply(v, trans))
    found, left = linalg.gmres(around, np.ones(7999), rtol=1e-8, restart=30, maxiter=2, M=nearly)
    assert not left
    assert np.abs(np.ones(7999) - around @ found).max() < 1e-5


def test_a_bound_that_is_not_proved() -> None:
    """Where nodes are not left at all in the numbers of this machine, the bound says that nothing is known."""
    with np.errstate(all="ignore"):
        system = Transient(sparse.csr_matrix(np.array([[0.5, 0.5], [0.5, 0.5 - 1e-17]])))
        assert not np.isfinite(system.columns(np.ones(2)).errors).any()
