"""Where a run leaves the abstract model that it is compared with, as plain data: printers only lay it out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from checker.core.trace import Change, Unmatched
from checker.report.difference import differences

NOTHING: Final = "nothing"
"""What stands for the value of a variable that is not bound."""

_LONG = 60
"""Of longer values only the parts that differ are shown, if that is shorter."""


@dataclass(frozen=True, slots=True)
class BriefNear:
    """One of the nearest steps of the abstract model: `gives` are (place, what it gives, what the view shows)."""

    label: str
    gives: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class BriefUnmatched:
    """What leaves the abstract model, and the nearest steps, or `initial` states, that it has.

    `viewed` are (place, before, after) of what the step changed; of an initial state all that is viewed, with no
    `before`.
    """

    sentence: str
    initial: bool
    viewed: tuple[tuple[str, str, str], ...]
    model: str
    near: tuple[BriefNear, ...]

    @property
    def heading(self) -> str:
        """What stands above the nearest steps, or in their place."""
        if not self.near:
            return f"{self.model} has no step there"
        return f"The nearest {'initial states' if self.initial else 'steps'} of {self.model}:"


def brief_unmatched(unmatched: Unmatched) -> BriefUnmatched:
    """The parts that differ of what is seen around the step that nothing explains, and of the nearest steps."""
    sentence, initial = unmatched.sentence, unmatched.step == 0
    if initial:
        viewed = [(name, "", after or NOTHING) for name, _, after in unmatched.viewed]
    else:
        changed = [one for one in unmatched.viewed if one[1] != one[2]]
        viewed = [part for one in changed for part in _parts(*one)]
    near = [
        BriefNear(
            one.label, tuple(part for name, wanted, given in one.differences for part in _parts(name, given, wanted))
        )
        for one in unmatched.near
    ]
    return BriefUnmatched(
        f"{sentence[:1].upper()}{sentence[1:]}.", initial, tuple(viewed), PurePath(unmatched.model).name, tuple(near)
    )


def _parts(name: str, old: str | None, new: str | None) -> list[tuple[str, str, str]]:
    """The parts of a value in which two texts of it differ, if that is shorter than both texts."""
    parts = _differing(Change(name, old, new))
    return [(part.place, part.old or NOTHING, part.new or NOTHING) for part in parts]


def _differing(whole: Change) -> list[Change]:
    old, new = whole.old, whole.new
    if old is None or new is None or len(old) + len(new) <= _LONG:
        return [whole]
    parts = list(differences(whole))
    length = sum(len(one.place) + len(one.old or "") + len(one.new or "") for one in parts)
    return parts if length < len(old) else [whole]
