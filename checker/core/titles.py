"""What reports say of properties that no assertion names. No kind is asked: reports are shown before there are any."""

from __future__ import annotations

from typing import Final

DEADLOCK: Final = "deadlock"

_TITLES: Final = {DEADLOCK: "a state has no step left"}


def title_of(kind: str) -> str | None:
    """What has happened where a property of this kind is violated; None: that the property is, by its name."""
    return _TITLES.get(kind)


def heading(name: str, kind: str) -> str:
    """What has happened, in two or three words: `Fine is violated`, `Deadlock`."""
    return f"{name} is violated" if title_of(kind) is None else kind.capitalize()
