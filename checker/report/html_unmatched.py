"""Where a run leaves the abstract model that it is compared with, as HTML: what changed, and the nearest steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from checker.core.trace import Unmatched
from checker.report.compact_unmatched import BriefNear, brief_unmatched
from checker.report.html_page import text


def html_unmatched(unmatched: Unmatched) -> list[str]:
    """The viewed values around the step that nothing explains, and the nearest steps of the abstract model."""
    short = brief_unmatched(unmatched)
    parts = [f'<p class="warn">{text(short.sentence)}</p>']
    if short.initial:
        values = ((text(place), text(after)) for place, _, after in short.viewed)
        parts.append(_table(("seen through the view", "value"), values))
    else:
        changes = ((text(place), _was(before), _is(after)) for place, before, after in short.viewed)
        parts.append(_table(("seen through the view", "before the step", "after it"), changes))
    parts.append(f"<p>{text(short.heading)}</p>")
    heads = ("state" if short.initial else "step", "of", "gives", "instead of")
    parts.append(_table(heads, (row for near in short.near for row in _near(near))))
    return [part for part in parts if part]


def _near(near: BriefNear) -> Iterator[tuple[str, ...]]:
    """The rows of one step: its name stands in the first."""
    if not near.gives:
        yield text(near.label), "", "these values", ""
    for number, (place, given, wanted) in enumerate(near.gives):
        yield "" if number else text(near.label), text(place), text(given), text(wanted)


def _was(value: str) -> str:
    return f'<span class="bad">{text(value)}</span>'


def _is(value: str) -> str:
    return f'<span class="good">{text(value)}</span>'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML. Empty if there are no rows."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    if not lines:
        return ""
    head = "".join(f"<th>{text(one)}</th>" for one in heads)
    body = "\n".join(lines)
    return f'<div class="wide"><table class="mono unmatched">\n<tr>{head}</tr>\n{body}\n</table></div>'
