"""Where a run leaves the abstract model that it is compared with, as text: what changed, and the nearest steps."""

from __future__ import annotations

from pathlib import PurePath

from rich.text import Text

from checker.core.trace import NearStep, Unmatched
from checker.core.visible import printable
from checker.report.page import Page

_INDENT = 6
_DETAIL = 8
_NOTHING = "not bound"


def print_unmatched(page: Page, unmatched: Unmatched) -> None:
    """Print the viewed values around the step that nothing explains, and the nearest steps of the abstract model."""
    model = printable(PurePath(unmatched.model).name)
    sentence = printable(unmatched.sentence)
    page.line(Text(f"{sentence[:1].upper()}{sentence[1:]}. Seen through the view:", "bold"), _INDENT)
    for name, before, after in unmatched.viewed:
        line = Text().append(printable(name), "cyan")
        if before is not None and before != after:
            line.append(": ").append(printable(before), "red").append(" -> ").append(_shown(after), "green")
        else:
            line.append(f" = {_shown(after)}")
        page.line(line, _DETAIL, 4)
    kind = "steps" if unmatched.step else "initial states"
    if not unmatched.near:
        page.line(Text(f"{model} has no step there", "bold"), _INDENT)
        return
    page.line(Text(f"The nearest {kind} of {model}:", "bold"), _INDENT)
    for near in unmatched.near:
        page.line(_near_line(near), _DETAIL, 4)


def _near_line(near: NearStep) -> Text:
    line = Text().append(printable(near.label), "cyan").append(" gives ")
    parts = [printable(difference(part)) for part in near.differences]
    return line.append(", ".join(parts) or "these values")


def difference(part: tuple[str, str | None, str | None]) -> str:
    """How a value of a near step differs."""
    name, wanted, given = (_NOTHING if text is None else text for text in part)
    return f"{name} = {given} instead of {wanted}"


def _shown(text: str | None) -> str:
    return _NOTHING if text is None else printable(text)
