"""Linear systems over the nodes that a run leaves, with bounds on the errors of their solutions.

For a matrix Q of probabilities whose powers vanish, (I - Q)⁻¹ has no negative entries. So if x is computed with the
residual r = b - (I - Q) x, the error (I - Q)⁻¹ r is at most max|r| times t = (I - Q)⁻¹ 1, the expected number of steps
until the nodes are left; and t itself is at most t' / min((I - Q) t') for each computed t' for which that is positive.
The bounds hold up to the rounding of one multiplication by the matrix, which is added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from checker.measure.two_levels import TwoLevels

Floats = NDArray[np.float64]

_DIRECT: Final = 20_000
"""Up to so many nodes in one component the system is factorised whatever its shape."""
_FILL: Final = 150_000_000
"""The most entries of a factorised band."""
_PRECISION: Final = 1e-12
_ROUGHLY: Final = 1e-3
"""The precision of what is only corrected by, or only bounds errors."""
_ROUNDS: Final = 400
_ROUNDING: Final = 8 * np.finfo(np.float64).eps


class Solved(NamedTuple):
    """A solution, and for each entry the most that it may be off."""

    values: Floats
    errors: Floats


class Transient:
    """Solves x = b + Q x and y = c + y Q, for a square matrix of the probabilities among nodes that are left."""

    def __init__(self, matrix: Any, ask: Callable[[], None] = lambda: None) -> None:
        self.size = matrix.shape[0]
        self._ask = ask
        self._q = sparse.csr_matrix(matrix)
        self._system = sparse.csr_matrix(sparse.identity(self.size, format="csr") - self._q)
        self._order = _topological(self._q)
        self._factor: Any = None
        self._nearly: TwoLevels | None = None
        self._factorise()
        # Each entry of a product is a sum of so many terms at most.
        self._terms = int(np.diff(self._system.indptr).max(initial=1)) + 2
        self.steps = self._steps()
        """No less than the expected number of steps until the nodes are left, from each."""

    def _factorise(self) -> None:
        if not self.size:
            return
        order = self._order.nodes
        system = self._system[order][:, order].tocsc()
        if self._order.largest <= _DIRECT:
            # Blocks in the order of the graph: nothing is filled in outside of them.
            permc = "NATURAL" if self._order.largest == 1 else "COLAMD"
            self._factor = linalg.splu(system, permc_spec=permc, diag_pivot_thresh=0.0)
            return
        band = reverse_cuthill_mckee(sparse.csr_matrix(self._q), symmetric_mode=False).astype(np.int64)
        width = _bandwidth(self._q, band)
        if width * self.size <= _FILL:
            self._order = self._order._replace(nodes=band)
            system = self._system[band][:, band].tocsc()
            self._factor = linalg.splu(system, permc_spec="NATURAL", diag_pivot_thresh=0.0)
            return
        # Too large to be factorised.
        self._nearly = TwoLevels(system)

    def _steps(self) -> Floats:
        computed = self._computed(np.ones(self.size), "N", _ROUGHLY)
        for _ in range(3):
            defect = self._system @ computed
            least = float(defect.min(initial=1.0)) - self._rounding(computed)
            if least > 0:
                return np.asarray(computed / least, dtype=np.float64)
            computed = computed + self._computed(1.0 - defect, "N", _ROUGHLY)
        return np.full(self.size, np.inf)

    def _rounding(self, values: Floats) -> float:
        return float(_ROUNDING * self._terms * np.abs(values).max(initial=0.0))

    def columns(self, b: Floats) -> Solved:
        """The solution of x = b + Q x: what is to be gained from each node on."""
        values = self._computed(b, "N")
        residual = b - self._system @ values
        correction = self._computed(residual, "N", _ROUGHLY)
        values = values + correction
        left = float(np.abs(b - self._system @ values).max(initial=0.0)) + self._rounding(values)
        return Solved(values, left * self.steps)

    def rows(self, c: Floats) -> tuple[Floats, float]:
        """The solution of y = c + y Q, the expected visits of each node, and how much all may be off together."""
        values = self._computed(c, "T")
        residual = c - self._system.T @ values
        values = values + self._computed(residual, "T", _ROUGHLY)
        left = np.abs(c - self._system.T @ values) + _ROUNDING * self._terms * np.abs(values)
        return values, float(left @ self.steps)

    def visits(self, c: Floats) -> Floats:
        """The solution of y = c + y Q, computed once: off by what rounding does."""
        return self._computed(c, "T")

    def _computed(self, b: Floats, trans: str, precision: float = _PRECISION) -> Floats:
        """About the solution; where it is iterated, with a defect of no more than `precision` in comparison."""
        if not self.size:
            return np.zeros(0)
        order = self._order.nodes
        found = np.empty(self.size)
        wanted = np.ascontiguousarray(b[order], dtype=np.float64)
        if self._factor is not None:
            found[order] = self._factor.solve(wanted, trans=trans)
        else:
            found[order] = self._iterated(wanted, trans, precision)
        return found

    def _iterated(self, b: Floats, trans: str, precision: float) -> Floats:
        order = self._order.nodes
        matrix = self._system[order][:, order]
        matrix = matrix if trans == "N" else matrix.T.tocsr()
        assert self._nearly is not None
        two_levels = self._nearly
        nearly = linalg.LinearOperator(matrix.shape, matvec=lambda v: two_levels.apply(v, trans))
        scale = float(np.abs(b).max(initial=0.0))
        if scale == 0.0:
            return np.zeros(len(b))
        values, left = np.zeros(len(b)), scale
        for _ in range(_ROUNDS):
            self._ask()
            # The first method costs two products for each of its steps, the second one also a basis; it never fails.
            for method, options in ((linalg.bicgstab, {"maxiter": 30}), (linalg.gmres, {"restart": 30, "maxiter": 1})):
                found, _ = method(matrix, b, x0=values, rtol=0.0, atol=0.1 * precision * scale, M=nearly, **options)
                defect = float(np.abs(b - matrix @ found).max())
                if defect < left:
                    values, left = found, defect
                    break
            if left <= precision * scale * max(1.0, np.abs(values).max()):
                break
        return values


class _Order(NamedTuple):
    """Nodes in an order in which edges lead forward, but for those inside of a component; the largest one's size."""

    nodes: NDArray[np.int64]
    largest: int


def _topological(matrix: Any) -> _Order:
    """The order of Tarjan's components: they are numbered against the edges."""
    size = matrix.shape[0]
    if not size:
        return _Order(np.zeros(0, dtype=np.int64), 1)
    _, labels = connected_components(matrix, directed=True, connection="strong")
    sizes = np.bincount(labels)
    return _Order(np.argsort(-labels.astype(np.int64), kind="stable"), int(sizes.max()))


def _bandwidth(matrix: Any, order: NDArray[np.int64]) -> int:
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    entries = matrix.tocoo()
    return int(np.abs(places[entries.row] - places[entries.col]).max(initial=0)) * 2 + 1
