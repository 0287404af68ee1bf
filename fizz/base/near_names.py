"""Near names, for hints on misspelled ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

# Candidates considered, and of these the ones compared: edit distance takes quadratic time.
_LONGEST, _LOOKED_AT, _COMPARED = 100, 100_000, 2000
_FARTHEST, _PER_EDIT, _LEAST_BEGINNING = 2, 3, 4


def near_hint(name: str, candidates: Iterable[str], most: int = 1) -> str | None:
    """`did you mean 'counter'?` for the nearest candidates, if there is any."""
    near = near_names(name, candidates)[:most]
    return "did you mean " + " or ".join(f"'{one}'" for one in near) + "?" if near else None


def near_names(name: str, candidates: Iterable[str]) -> list[str]:
    """The candidates that may have been meant, the nearest first.

    They differ in letter case, or by at most two edits and at most one for every three letters, or they begin with the
    name. Among equally near names, those with the same letters come first. At most 100,000 candidates are considered,
    and of these the first 2,000 of similar length are compared.
    """
    if len(name) > _LONGEST:
        return []
    meant = name.casefold()
    likely = (other for other in islice(candidates, _LOOKED_AT) if other != name and _likely(meant, other.casefold()))
    distances = {other: _near_distance(meant, other.casefold()) for other in islice(likely, _COMPARED)}
    near = [(found, sorted(name) != sorted(other), other) for other, found in distances.items() if found is not None]
    return [other for *_, other in sorted(near)]


def _likely(name: str, other: str) -> bool:
    """Whether two names are worth comparing: of similar length, or the first is a prefix of the second."""
    return abs(len(name) - len(other)) <= _FARTHEST or other.startswith(name)


def _near_distance(name: str, other: str) -> int | None:
    """The distance of two names; None if it is too large."""
    allowed = min(_FARTHEST, max(len(name), len(other)) // _PER_EDIT)
    if abs(len(name) - len(other)) <= allowed and (found := _distance(name, other, allowed)) <= allowed:
        return found
    return _FARTHEST + 1 if len(name) >= _LEAST_BEGINNING and other.startswith(name) else None


def _distance(left: str, right: str, most: int) -> int:
    """Edit distance: insertions, deletions, replacements, and swaps of neighbours count one each.

    A larger distance than `most` is returned as `most + 1`, so that only a band of `most` cells on either side of the
    diagonal is computed, and the search stops once a row exceeds `most` (Ukkonen, "Algorithms for approximate string
    matching", 1985).
    """
    # One edit removes at most one letter and adds at most one.
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
