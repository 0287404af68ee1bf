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

from checker.measure.aggregation import Aggregation

Floats = NDArray[np.float64]

_DIRECT: Final = 8_000
"""Up to so many nodes in one component the system is factorised whatever its shape."""
_FILL: Final = 10_000_000
"""The most entries of a factorised band."""
_PRECISION: Final = 1e-10
_ROUGHLY: Final = 1e-3
"""The precision of what is only corrected by, or only bounds errors."""
_WANTED: Final = 1e-10
"""Solutions are corrected until the bound is this small in comparison, while that helps."""
_REFINEMENTS: Final = 6
_BETTER: Final = 0.9
"""What does not lessen a defect to this share of it is given up."""
_SURELY: Final = 0.2
"""With a defect above this the bound on the number of steps is at most five times what it could be."""
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
        self._nearly: Aggregation | None = None
        try:
            self._factorise()
        except RuntimeError:
            # The numbers of this machine do not tell the nodes from some that are never left: nothing is known then.
            self._factor = self._nearly = None
        # Each entry of a product is a sum of so many terms at most.
        self._terms = int(np.diff(self._system.indptr).max(initial=1)) + 2
        self._stay = 0.0
        self._known_steps: Floats | None = None

    @property
    def steps(self) -> Floats:
        """No less than the expected number of steps until the nodes are left, from each."""
        if self._known_steps is None:
            self._known_steps = self._bounded_steps()
        return self._known_steps

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
        self._nearly = Aggregation(system)

    def _bounded_steps(self) -> Floats:
        """Steps that are enough, by their defect; infinitely many where that does not show it.

        Where a run stays long it does so about as long from each node on: the search begins there.
        """
        ones = np.ones(self.size)
        computed = self._stay * ones
        for further in reversed(range(_REFINEMENTS)):
            defect = self._system @ computed
            least = float(defect.min(initial=1.0)) - self._rounding(computed)
            if least > (_SURELY if further else 0.0):
                return np.asarray(computed / least, dtype=np.float64)
            computed = computed + self._computed(ones - defect, "N", _ROUGHLY)
        return np.full(self.size, np.inf)

    def _rounding(self, values: Floats) -> float:
        return float(_ROUNDING * self._terms * np.abs(values).max(initial=0.0))

    def columns(self, b: Floats) -> Solved:
        """The solution of x = b + Q x: what is to be gained from each node on."""
        values = self._computed(b, "N")
        wanted = _WANTED * float(np.abs(values).max(initial=0.0))
        found = self._bounded(b, values)
        for _ in range(_REFINEMENTS):
            if float(found.errors.max(initial=0.0)) <= wanted:
                break
            values = found.values + self._computed(b - self._system @ found.values, "N", _ROUGHLY)
            better = self._bounded(b, values)
            if not better.errors.max() < _BETTER * found.errors.max():
                break
            found = better
        return found

    def _bounded(self, b: Floats, values: Floats) -> Solved:
        left = float(np.abs(b - self._system @ values).max(initial=0.0)) + self._rounding(values)
        return Solved(values, left * self.steps if left else np.zeros(self.size))

    def rows(self, c: Floats) -> tuple[Floats, float]:
        """The solution of y = c + y Q, the expected visits of each node, and how much all may be off together."""
        values = self._computed(c, "T")
        self._stay = self._length_of_stay(values)
        error = self._rows_error(c, values)
        for _ in range(_REFINEMENTS):
            if error <= _WANTED * float(np.abs(values).sum()):
                break
            better = values + self._computed(c - self._system.T @ values, "T", _ROUGHLY)
            its_error = self._rows_error(c, better)
            if not its_error < _BETTER * error:
                break
            values, error = better, its_error
        return values, error

    def _rows_error(self, c: Floats, values: Floats) -> float:
        left = np.abs(c - self._system.T @ values) + _ROUNDING * self._terms * np.abs(values)
        return float(left @ self.steps)

    def _length_of_stay(self, visits: Floats) -> float:
        """The visits before the nodes are left, on average over where they are."""
        leaving = float(visits @ (self._system @ np.ones(self.size)))
        return float(visits.sum()) / leaving if leaving > 0 else 0.0

    def visits(self, c: Floats, roughly: bool = False) -> Floats:
        """The solution of y = c + y Q, computed once: off by what rounding does, or by more."""
        return self._computed(c, "T", _ROUGHLY if roughly else _PRECISION)

    def _computed(self, b: Floats, trans: str, precision: float = _PRECISION) -> Floats:
        """About the solution; where it is iterated, with a defect of no more than `precision` in comparison."""
        if not self.size:
            return np.zeros(0)
        order = self._order.nodes
        found = np.empty(self.size)
        wanted = np.ascontiguousarray(b[order], dtype=np.float64)
        if self._factor is not None:
            found[order] = self._factor.solve(wanted, trans=trans)
        elif self._nearly is not None:
            found[order] = self._iterated(wanted, trans, precision, self._nearly)
        else:
            found[:] = 0.0
        return found

    def _iterated(self, b: Floats, trans: str, precision: float, aggregation: Aggregation) -> Floats:
        order = self._order.nodes
        matrix = self._system[order][:, order]
        matrix = matrix if trans == "N" else matrix.T.tocsr()
        scale = float(np.abs(b).max(initial=0.0))
        if scale == 0.0:
            return np.zeros(len(b))

        def about(wanted: Floats) -> Floats:
            self._ask()
            return aggregation.apply(wanted, trans)

        nearly = linalg.LinearOperator(matrix.shape, matvec=about)
        values, left, enough = np.zeros(len(b)), scale, precision * scale
        # The methods look at the length of a defect, of which the entries are mostly much smaller.
        length = enough * max(1.0, 0.05 * np.sqrt(len(b)))
        while left > enough:
            before = left
            # The first method costs two products for each of its steps, the second one also a basis; it never fails.
            for method, options in ((linalg.bicgstab, {"maxiter": 30}), (linalg.gmres, {"restart": 30, "maxiter": 1})):
                found, _ = method(matrix, b, x0=values, rtol=0.0, atol=length, M=nearly, **options)
                defect = float(np.abs(b - matrix @ found).max())
                if defect < left:
                    values, left = found, defect
                    break
            if left > _BETTER * before:
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
