"""Where a run leaves the abstract model that it is compared with, as text: what changed, and the nearest steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from rich.text import Text

from checker.core.trace import Change, NearStep, Unmatched
from checker.core.visible import printable
from checker.report.difference import differences
from checker.report.page import Page

_INDENT = 6
_DETAIL = 8
_NOTHING = "nothing"
_LONG = 60
"""Of longer values only the parts that differ are shown, if that is shorter."""


def print_unmatched(page: Page, unmatched: Unmatched) -> None:
    """Print the viewed values around the step that nothing explains, and the nearest steps of the abstract model."""
    for line, detail in unmatched_lines(unmatched):
        page.line(line, _DETAIL if detail else _INDENT, 4)


def unmatched_lines(unmatched: Unmatched) -> Iterator[tuple[Text, bool]]:
    """The lines of what is printed; those that are details of the one above are marked."""
    model = printable(PurePath(unmatched.model).name)
    sentence = printable(unmatched.sentence)
    yield Text(f"{sentence[:1].upper()}{sentence[1:]}. Seen through the view:", "bold"), False
    changed = [one for one in unmatched.viewed if unmatched.step == 0 or one[1] != one[2]]
    for name, before, after in changed:
        if unmatched.step == 0:
            yield Text().append(printable(name), "cyan").append(f" = {_shown(after)}"), True
            continue
        for part in _parts(name, before, after):
            line = Text().append(printable(part.place), "cyan").append(": ")
            yield line.append(_shown(part.old), "red").append(" -> ").append(_shown(part.new), "green"), True
    if not unmatched.near:
        yield Text(f"{model} has no step there", "bold"), False
        return
    yield Text(f"The nearest {'steps' if unmatched.step else 'initial states'} of {model}:", "bold"), False
    for near in unmatched.near:
        yield _near_line(near), True


def _near_line(near: NearStep) -> Text:
    line = Text().append(printable(near.label), "cyan").append(" gives ")
    parts = [printable(difference(part)) for part in near.differences]
    return line.append(", ".join(parts) or "these values")


def difference(values: tuple[str, str | None, str | None]) -> str:
    """How a value of a near step differs."""
    name, wanted, given = values
    parts = _parts(name, given, wanted)
    return ", ".join(f"{part.place} = {part.old or _NOTHING} instead of {part.new or _NOTHING}" for part in parts)


def _parts(name: str, old: str | None, new: str | None) -> list[Change]:
    """The parts of a value in which two texts of it differ, if that is shorter than both texts."""
    whole = Change(name, old, new)
    if old is None or new is None or len(old) + len(new) <= _LONG:
        return [whole]
    parts = list(differences(whole))
    length = sum(len(one.place) + len(one.old or "") + len(one.new or "") for one in parts)
    return parts if length < len(old) else [whole]


def _shown(text: str | None) -> str:
    return _NOTHING if text is None else printable(text)
