"""The titles of violations in reports, by the name of the kind: reports are shown without loading property kinds."""

from __future__ import annotations

from typing import Final

DEADLOCK: Final = "deadlock"

_TITLES: Final = {DEADLOCK: "a state has no step left"}


def title_of(kind: str) -> str | None:
    """What a violation of this kind means; None: that the named property is violated."""
    return _TITLES.get(kind)


def heading(name: str, kind: str) -> str:
    """The heading of a violation: `Fine is violated`, `Deadlock`."""
    return f"{name} is violated" if title_of(kind) is None else kind.capitalize()
