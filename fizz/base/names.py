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


# Names that are looked at, and of these the ones that are compared: edit distance takes the square of the length.
_LONGEST, _LOOKED_AT, _COMPARED = 100, 100_000, 2000
_FARTHEST, _PER_EDIT, _LEAST_BEGINNING = 2, 3, 4


def near_hint(name: str, candidates: Iterable[str], most: int = 1) -> str | None:
    """`did you mean 'counter'?` for the nearest candidates, if there is any."""
    near = near_names(name, candidates)[:most]
    return "did you mean " + " or ".join(f"'{one}'" for one in near) + "?" if near else None


def near_names(name: str, candidates: Iterable[str]) -> list[str]:
    """The candidates that may have been meant, the nearest first.

    They differ in letter case, or by at most two edits and not more than one for every three letters, or they begin
    with the name. Of those as far away one with the same letters comes first. Of very many candidates the first 100,000
    are looked at, and the first 2,000 of these compared that have about its length.
    """
    if len(name) > _LONGEST:
        return []
    meant = name.casefold()
    likely = (other for other in islice(candidates, _LOOKED_AT) if other != name and _likely(meant, other.casefold()))
    far = {other: _far(meant, other.casefold()) for other in islice(likely, _COMPARED)}
    near = [(found, sorted(name) != sorted(other), other) for other, found in far.items() if found is not None]
    return [other for *_, other in sorted(near)]


def _likely(name: str, other: str) -> bool:
    """Whether it is worth while to compare two names: one is about as long as the other, or its beginning."""
    return abs(len(name) - len(other)) <= _FARTHEST or other.startswith(name)


def _far(name: str, other: str) -> int | None:
    """How far two names are from each other; None: too far."""
    allowed = min(_FARTHEST, max(len(name), len(other)) // _PER_EDIT)
    if abs(len(name) - len(other)) <= allowed and (found := _distance(name, other, allowed)) <= allowed:
        return found
    return _FARTHEST + 1 if len(name) >= _LEAST_BEGINNING and other.startswith(name) else None


def _distance(left: str, right: str, most: int) -> int:
    """Edit distance: insertions, deletions, replacements, and swaps of neighbours count one each.

    Whatever is more than `most` counts as one more: then only `most` places to either side of the diagonal matter, and
    nothing once a whole row is beyond it. Most names that are compared have little in common.
    """
    # One edit takes away one letter and adds one, at most.
    if abs(len(left) - len(right)) > most or len(set(left) ^ set(right)) > 2 * most:
        return most + 1
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    left, right = left[same:], right[same:]
    beyond = most + 1
    before: list[int] = []
    row = [min(j, beyond) for j in range(len(right) + 1)]
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [beyond] * (len(right) + 1)
        row[0] = min(i, beyond)
        for j in range(max(1, i - most), min(len(right), i + most) + 1):
            b = right[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row[j] = min(cost, beyond)
        # A swap may still come from the row before.
        if min(row) > most and min(before) > most:
            return beyond
    return row[-1]
