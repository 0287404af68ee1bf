"""A preconditioner for large systems (I - Q) x = b and y (I - Q) = c: multigrid on groups of neighbours.

Pairwise aggregation (Notay: An aggregation-based algebraic multigrid method, 2010; for matrices that are not
symmetric: Aggregation-based algebraic multigrid for convection-diffusion equations, 2012): nodes are joined with the
neighbour that they are most strongly connected with, twice for each level, until few groups are left. A sweep removes
errors that differ from node to node; what is much alike among neighbours is corrected on the groups, twice (a W cycle).
All of it is linear, so that the transposed steps in reverse order serve the transposed system.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FACTORISED: Final = 2_500
"""Systems of so many groups are factorised."""
_LEAST_GAIN: Final = 0.8
"""A level is the last one if its groups are more than this share of its nodes."""
_MATCHINGS: Final = 2
_ROUNDS: Final = 4
"""Rounds of a matching. Nodes that are left alone join the pair of a neighbour."""
_UNEVEN: Final = 0.2
"""How much chance adds to the strength of links, so that pairs are found at once where all are equally strong."""

_TINY: Final = 1e-200
_DENSE: Final = 200
_SQUARINGS: Final = 20
"""Among how many groups, and how many steps as a power of two, it is asked where runs are likely to be."""
_CORRECTIONS: Final = 8
_STEPS: Final = 30


def likely(matrix: Any, ask: Callable[[], None]) -> Floats:
    """Roughly how probable the nodes of a chain are in the long run, in each of its components; no bound.

    In turns: how probable groups of nodes are, with what is known of the nodes; then some steps of the chain (Koury,
    McAllister, Stewart: Iterative methods for computing stationary distributions of nearly completely decomposable
    Markov chains, 1984). Every second step is none, so that it makes no difference if the chain has a period.
    """
    size = matrix.shape[0]
    system = sparse.csr_matrix(sparse.identity(size, format="csr") - matrix)
    backwards = sparse.csr_matrix(matrix.T)
    group, weights, random = np.arange(size), np.ones(size), np.random.default_rng(0)
    while (before := system.shape[0]) > _DENSE:
        ask()
        system, joined, weights = _joined(system, weights, random)
        group = joined[group]
        if system.shape[0] > _LEAST_GAIN * before:
            break
    count = len(weights)
    onto = sparse.csr_matrix((np.ones(size), (np.arange(size), group)), shape=(size, count))
    probable = np.ones(size)
    for _ in range(_CORRECTIONS):
        if count <= 2 * _DENSE:
            sums = np.bincount(group, weights=probable, minlength=count)
            among = onto.T @ (sparse.diags(probable) @ matrix @ onto)
            lazy = (among.toarray() / sums[:, None] + np.eye(count)) / 2
            for _ in range(_SQUARINGS):
                lazy = lazy @ lazy
                lazy /= lazy.sum(axis=1, keepdims=True)
            probable = probable * ((sums @ lazy) / sums)[group]
        for _ in range(_STEPS):
            ask()
            probable = (probable + backwards @ probable) / 2
        probable = np.maximum(probable, _TINY)
    return np.asarray(probable, dtype=np.float64)


class Aggregation:
    """Approximate solutions for one matrix and its transpose."""

    def __init__(self, system: Any) -> None:
        self._levels: list[_Level] = []
        system = sparse.csr_matrix(system)
        weights = np.ones(system.shape[0])
        random = np.random.default_rng(0)
        while True:
            size = system.shape[0]
            coarse, group, fewer = system, np.arange(size), weights
            if size > _FACTORISED:
                for _ in range(_MATCHINGS):
                    coarse, joined, fewer = _joined(coarse, fewer, random)
                    group = joined[group]
            if len(fewer) > _LEAST_GAIN * size:
                break
            self._levels.append(_Level(system, group, weights, fewer))
            system, weights = coarse, fewer
        self._last = linalg.splu(sparse.csc_matrix(system))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of nodes and of groups, from the finest level to the one that is factorised."""
        return (*(len(level.group) for level in self._levels), self._last.shape[0])

    def apply(self, wanted: Floats, trans: str) -> Floats:
        """About the solution for a right side; `trans` "T": of the transposed system."""
        return self._cycle(0, np.asarray(wanted, dtype=np.float64), trans)

    def _cycle(self, depth: int, wanted: Floats, trans: str) -> Floats:
        if depth == len(self._levels):
            return np.asarray(self._last.solve(wanted, trans=trans), dtype=np.float64)
        level = self._levels[depth]
        found = level.sweep(wanted, trans)
        left = level.gathered(wanted - level.times(found, trans), trans)
        correction = self._cycle(depth + 1, left, trans)
        if depth + 1 < len(self._levels):
            still = left - self._levels[depth + 1].times(correction, trans)
            correction = correction + self._cycle(depth + 1, still, trans)
        found = found + level.spread(correction, trans)
        return found + level.sweep_back(wanted - level.times(found, trans), trans)


class _Level:
    """A matrix, its sweeps, and the groups of its nodes. `weights`: of the nodes, `sums`: of the groups."""

    def __init__(self, system: Any, group: Ints, weights: Floats, sums: Floats) -> None:
        self.group = group
        self._forward = system
        self._backward = sparse.csr_matrix(system.T)
        # Factorising a triangular matrix changes nothing; its solutions are Gauss-Seidel sweeps.
        self._upper = _triangle(system)
        self._lower = _triangle(system.T)
        self._weights = weights
        self._sums = sums
        self._shares = weights / sums[group]

    def times(self, values: Floats, trans: str) -> Floats:
        return np.asarray((self._forward if trans == "N" else self._backward) @ values, dtype=np.float64)

    def sweep(self, wanted: Floats, trans: str) -> Floats:
        return np.asarray((self._upper if trans == "N" else self._lower).solve(wanted), dtype=np.float64)

    def sweep_back(self, wanted: Floats, trans: str) -> Floats:
        factor = self._lower if trans == "N" else self._upper
        return np.asarray(factor.solve(wanted, trans="T"), dtype=np.float64)

    def gathered(self, left: Floats, trans: str) -> Floats:
        """A defect of the nodes as one of the groups: averages; for the transposed system sums."""
        if trans == "T":
            return np.bincount(self.group, weights=left, minlength=len(self._sums)).astype(np.float64)
        sums = np.bincount(self.group, weights=self._weights * left, minlength=len(self._sums))
        return np.asarray(sums / self._sums, dtype=np.float64)

    def spread(self, correction: Floats, trans: str) -> Floats:
        """A correction of the groups as one of their nodes: the same for each; transposed, shared among them."""
        spread = correction[self.group]
        return spread if trans == "N" else self._shares * spread


def _triangle(system: Any) -> Any:
    upper = sparse.triu(system, format="csc")
    return linalg.splu(upper, permc_spec="NATURAL", diag_pivot_thresh=0.0)


def _joined(system: Any, weights: Floats, random: np.random.Generator) -> tuple[Any, Ints, Floats]:
    """Groups of about two nodes: their system, the group of each node, and the weights of the groups."""
    group = _matched(_strengths(system, weights), random)
    size, count = len(group), int(group.max(initial=-1)) + 1
    onto = sparse.csr_matrix((np.ones(size), (np.arange(size), group)), shape=(size, count))
    sums = np.asarray(onto.T @ weights, dtype=np.float64)
    among = onto.T @ (sparse.diags(weights) @ system @ onto)
    return sparse.csr_matrix(sparse.diags(1 / sums) @ among), group, sums


def _strengths(system: Any, weights: Floats) -> Any:
    """How strongly nodes are connected, compared with how fast each is left; symmetric, without the diagonal."""
    flow = sparse.diags(weights) @ system
    both = sparse.coo_matrix(-(flow + flow.T))
    scale = 1 / np.sqrt(np.maximum(np.abs(weights * system.diagonal()), np.finfo(np.float64).tiny))
    links = (both.row != both.col) & (both.data > 0)
    row, column = both.row[links], both.col[links]
    strength = both.data[links] * scale[row] * scale[column]
    return sparse.csr_matrix((strength, (row, column)), shape=both.shape)


def _matched(strengths: Any, random: np.random.Generator) -> Ints:
    """The group of each node: pairs in which each is the other's strongest neighbour, in a few rounds."""
    size = strengths.shape[0]
    mate = np.full(size, -1, dtype=np.int64)
    row = np.repeat(np.arange(size), np.diff(strengths.indptr))
    column, strength = strengths.indices.astype(np.int64), strengths.data
    whole = (row, column, strength)
    for _ in range(_ROUNDS):
        chance = random.random(size)
        single = (mate[row] < 0) & (mate[column] < 0)
        row, column, strength = row[single], column[single], strength[single]
        if not len(row):
            break
        # The same for both directions of a link.
        uneven = strength * (1 + _UNEVEN * ((chance[row] + chance[column]) % 1.0))
        chosen = np.full(size, -1, dtype=np.int64)
        best = _last_of_rows(row, uneven)
        chosen[row[best]] = column[best]
        choosing = np.flatnonzero(chosen >= 0)
        pairs = choosing[chosen[chosen[choosing]] == choosing]
        mate[pairs] = chosen[pairs]
    leader = np.where(mate >= 0, np.minimum(np.arange(size), mate), np.arange(size))
    row, column, strength = whole
    joining = (mate[row] < 0) & (mate[column] >= 0)
    row, column, strength = row[joining], column[joining], strength[joining]
    best = _last_of_rows(row, strength)
    leader[row[best]] = leader[column[best]]
    return np.asarray(np.unique(leader, return_inverse=True)[1], dtype=np.int64)


def _last_of_rows(row: Ints, strength: Floats) -> Ints:
    """The positions of the strongest entry of each row; of equal ones the last. The rows are in order."""
    if not len(row):
        return np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
    most = np.maximum.reduceat(strength, begins)
    found = np.flatnonzero(strength == np.repeat(most, np.diff(np.r_[begins, len(row)])))
    return found[np.r_[row[found][1:] != row[found][:-1], True]]
