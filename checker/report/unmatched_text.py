"""Where a run leaves the abstract model that it is compared with, as text: what changed, and the nearest steps."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from checker.core.trace import Unmatched
from checker.core.visible import printable
from checker.report.compact_unmatched import BriefNear, brief_unmatched
from checker.report.page import Page

_INDENT = 6
_DETAIL = 8


def print_unmatched(page: Page, unmatched: Unmatched) -> None:
    """Print the viewed values around the step that nothing explains, and the nearest steps of the abstract model."""
    for line, detail in unmatched_lines(unmatched):
        page.line(line, _DETAIL if detail else _INDENT, 4)


def unmatched_lines(unmatched: Unmatched) -> Iterator[tuple[Text, bool]]:
    """The lines of what is printed; those that are details of the one above are marked."""
    short = brief_unmatched(unmatched)
    yield Text(f"{printable(short.sentence)} Seen through the view:", "bold"), False
    for place, before, after in short.viewed:
        line = Text().append(printable(place), "cyan")
        if short.initial:
            yield line.append(f" = {printable(after)}"), True
        else:
            yield (
                line.append(": ").append(printable(before), "red").append(" -> ").append(printable(after), "green"),
                True,
            )
    yield Text(printable(short.heading), "bold"), False
    for near in short.near:
        yield _near_line(near), True


def _near_line(near: BriefNear) -> Text:
    line = Text().append(printable(near.label), "cyan").append(" gives ")
    parts = [printable(f"{place} = {given} instead of {wanted}") for place, given, wanted in near.gives]
    return line.append(", ".join(parts) or "these values")
