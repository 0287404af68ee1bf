"""The difference between two states, by lines (place, text)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import is_not

from checker.core.trace import Change

THREADS = "thread-"
SORTED_NAMES = (THREADS, "message-")
"""How the names of threads and messages begin, which are numbered by their position in a sorted list."""


def changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[Change]:
    """The lines that differ, in the order of the state before, new ones last."""
    found = _of_names(before[: _unsorted(before)], after[: _unsorted(after)])
    for prefix in SORTED_NAMES:
        found += _moved(
            [line for line in before[_unsorted(before) :] if line[0].startswith(prefix)],
            [line for line in after[_unsorted(after) :] if line[0].startswith(prefix)],
        )
    return found


def _unsorted(lines: Sequence[tuple[str, str]]) -> int:
    """The number of lines before those of threads and messages, which come last."""
    count = len(lines)
    while count and lines[count - 1][0].startswith(SORTED_NAMES):
        count -= 1
    return count


def _of_names(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[Change]:
    if len(before) == len(after):
        # A step changes a few of thousands of lines; most of the others are the same objects.
        others = list(compress(range(len(before)), map(is_not, before, after)))
        before, after = [before[i] for i in others], [after[i] for i in others]
    old, new = dict(before), dict(after)
    return [Change(place, old.get(place), new.get(place)) for place in old | new if old.get(place) != new.get(place)]


def _moved(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> list[Change]:
    """Changes among threads or messages. One that has only another number did not change."""
    old = _without(before, Counter(text for _, text in after))
    new = _without(after, Counter(text for _, text in before))
    if len(old) == len(new) == 1:
        return [Change(new[0][0], old[0][1], new[0][1])]
    gone = [Change(place, text, None) for place, text in old]
    return gone + [Change(place, None, text) for place, text in new]


def _without(lines: list[tuple[str, str]], texts: Counter[str]) -> list[tuple[str, str]]:
    """The lines that are left when each text is removed as often as it occurs in `texts`."""
    left = []
    for place, text in lines:
        if texts[text]:
            texts[text] -= 1
        else:
            left.append((place, text))
    return left
