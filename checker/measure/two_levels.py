"""A preconditioner for large systems (I - Q) x = b: a sweep, and a correction on groups of neighbours.

Two-level aggregation (Vanek, Mandel, Brezina: Algebraic multigrid by smoothed aggregation, 1996; here not smoothed, as
the matrices are not symmetric). A sweep removes errors that differ from node to node, and leaves those that are much
alike among neighbours; these are found on the groups, a system that is small enough to be factorised.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

Floats = NDArray[np.float64]

_GROUPS: Final = 6_000
"""Groups are joined until there are no more than these."""


class TwoLevels:
    """Approximate solutions for one matrix and its transpose."""

    def __init__(self, system: Any) -> None:
        self._forward = sparse.csr_matrix(system)
        self._backward = sparse.csr_matrix(system.T)
        self._sweep = linalg.splu(sparse.triu(system, format="csc"), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        group = _groups(self._forward)
        size, count = len(group), int(group.max(initial=-1)) + 1
        self._spread = sparse.csr_matrix((np.ones(size), (np.arange(size), group)), shape=(size, count))
        self._gather = sparse.csr_matrix(self._spread.T)
        self._coarse = linalg.splu(sparse.csc_matrix(self._gather @ self._forward @ self._spread))

    def apply(self, wanted: Floats, trans: str) -> Floats:
        """About the solution for a right side; `trans` "T": of the transposed system."""
        matrix = self._forward if trans == "N" else self._backward
        found = self._sweep.solve(wanted, trans=trans)
        found = found + self._spread @ self._coarse.solve(self._gather @ (wanted - matrix @ found), trans=trans)
        return np.asarray(found + self._sweep.solve(wanted - matrix @ found, trans=trans), dtype=np.float64)


def _groups(system: Any) -> NDArray[np.int64]:
    """The number of the group of each node: neighbours are joined, then groups of neighbours, until few are left."""
    size = system.shape[0]
    graph = sparse.csr_matrix(abs(system) + abs(system).T)
    group = np.arange(size)
    random = np.random.default_rng(0)
    while graph.shape[0] > _GROUPS:
        count = graph.shape[0]
        rank = random.permutation(count)
        links = graph.tocoo()
        # Each joins the one of highest rank among its neighbours and itself.
        best = rank.copy()
        np.maximum.at(best, links.row, rank[links.col])
        _, joined = np.unique(best, return_inverse=True)
        fewer = int(joined.max()) + 1
        if fewer == count:
            break
        group = joined[group]
        onto = sparse.csr_matrix((np.ones(count), (np.arange(count), joined)), shape=(count, fewer))
        graph = sparse.csr_matrix(onto.T @ graph @ onto)
    return np.asarray(group, dtype=np.int64)
