"""Names that the language itself defines, and near names for hints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

BUILTIN_FUNCTIONS = frozenset(
    "abs all any bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list max min ord print"
    " range repr reversed set sorted str sum tuple type zip struct record enum genericset genericmap bag"
    " symmetric_values".split()
)
RESERVED_FUNCTIONS = frozenset({"deepcopy", "resolve_role", "Channel"})
BUILTIN_MODULES: Mapping[str, frozenset[str]] = {
    "math": frozenset(
        "ceil copysign mod pow remainder round exp sqrt acos asin atan atan2 cos hypot sin tan degrees radians acosh"
        " asinh atanh cosh sinh tanh log gamma floor fabs e pi".split()
    ),
    "itertools": frozenset("combinations permutations combinations_with_replacement product chain".split()),
    "symmetry": frozenset("nominal ordinal interval rotational".split()),
}
ASSERTION_NAMES = frozenset({"next_states", "__returns__"})

# Methods of the standard types (language page, sections 5.3, 5.4, 8.4 and 11.2): a call of one of these names is not
# taken for the call of a role's func unless the receiver is known.
METHODS = frozenset(
    "capitalize count elems endswith find format index isalnum isalpha isdigit islower isspace istitle isupper join"
    " lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip split splitlines"
    " startswith strip title upper append clear extend insert pop remove reverse sort get items keys popitem"
    " setdefault update values add difference discard intersection issubset issuperset symmetric_difference union"
    " add_all stub fresh choices choose min max segments".split()
)


_LONGEST, _MOST = 100, 2000  # names that are looked at: edit distance takes the square of the length


def near_hint(name: str, candidates: Iterable[str]) -> str | None:
    """`did you mean 'counter'?` for the nearest candidate within two edits, if any."""
    if len(name) > _LONGEST:
        return None
    allowed = 2 if len(name) > 3 else min(1, len(name) - 1)
    best: tuple[int, str] | None = None
    for candidate in islice(candidates, _MOST):
        if abs(len(candidate) - len(name)) <= allowed and candidate != name:
            found = (_distance(name, candidate), candidate)
            if found[0] <= allowed and (best is None or found < best):
                best = found
    return f"did you mean '{best[1]}'?" if best is not None else None


def _distance(left: str, right: str) -> int:
    """Edit distance: insertions, deletions, replacements, and swaps of neighbours count one each."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
