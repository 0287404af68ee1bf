"""What differs between two states, as they are told line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from checker.trace import Change

THREADS = "thread-"
SORTED_PLACES = (THREADS, "message-")
"""How the places of things begin that are named by their place in a sorted list."""


def changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[Change]:
    """The lines that differ, in the order of the state before, new places last."""
    old, new = dict(before), dict(after)
    found = [
        Change(place, old.get(place), new.get(place))
        for place in old | new
        if not place.startswith(SORTED_PLACES) and old.get(place) != new.get(place)
    ]
    for prefix in SORTED_PLACES:
        found += _moved(
            [line for line in before if line[0].startswith(prefix)],
            [line for line in after if line[0].startswith(prefix)],
        )
    return found


def _moved(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> list[Change]:
    """Changes among things that are named by their place in a sorted list.

    What only changed its place did not change.
    """
    old = _without(before, Counter(text for _, text in after))
    new = _without(after, Counter(text for _, text in before))
    if len(old) == len(new) == 1:
        return [Change(new[0][0], old[0][1], new[0][1])]
    gone = [Change(place, text, None) for place, text in old]
    return gone + [Change(place, None, text) for place, text in new]


def _without(lines: list[tuple[str, str]], texts: Counter[str]) -> list[tuple[str, str]]:
    """The lines that are left when each text is taken away as often as it occurs."""
    left = []
    for place, text in lines:
        if texts[text]:
            texts[text] -= 1
        else:
            left.append((place, text))
    return left
