"""The sequence diagram of a trace as SVG: a lane for each role instance, steps below each other, crash marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from checker.core.trace import Trace, TraceEntry
from checker.report.compact_trace import choice_in_brief
from checker.report.html_page import text

_MODEL = "model"
_INSTANCE = re.compile(r"[^\W\d]\w*#\d+")
_RECEIVER = re.compile(r"[^:]*: ([^\W\d]\w*#\d+)\.")
_WIDTH, _STEP, _HEAD, _LEFT = 190, 44, 46, 60
_LONGEST = 22


@dataclass(frozen=True, slots=True)
class SequenceRow:
    """A step in the diagram: in which lane it happens, what it is called, the other lanes that it reaches."""

    lane: str
    label: str
    reaches: tuple[str, ...]
    crash: bool


def sequence_rows(trace: Trace) -> list[SequenceRow]:
    """The steps after Init. A step reaches the lanes of the instances that it changes or sends a message to."""
    return [_row(entry) for entry in trace.entries[1:]]


def _row(entry: TraceEntry) -> SequenceRow:
    if entry.kind == "crash-role":
        return SequenceRow(entry.label.removeprefix("crash-role "), "crash", (), True)
    mover = entry.actor or entry.label
    lane = mover.partition(".")[0] if _INSTANCE.match(mover) else _MODEL
    name = mover.rpartition(".")[2]
    if entry.kind == "continue":
        name = f"{name} goes on"
    choices = "".join(f" {choice_in_brief(choice)}" for choice in entry.choices)
    touched = [found[0] for change in entry.changes if (found := _INSTANCE.match(change.place))]
    sent = [change.new for change in entry.changes if change.place.startswith("message-") and change.old is None]
    touched += [found[1] for new in sent if new is not None and (found := _RECEIVER.match(new))]
    reaches = tuple(one for one in dict.fromkeys(touched) if one != lane)
    return SequenceRow(lane, f"{name}{choices}", reaches, entry.crash)


def sequence_svg(trace: Trace) -> str:
    """The diagram; empty if there are no steps."""
    rows = sequence_rows(trace)
    if not rows:
        return ""
    lanes = lanes_of(trace, rows)
    width = _LEFT + _WIDTH * len(lanes)
    height = _HEAD + _STEP * len(rows) + 20
    middle = {lane: _LEFT + _WIDTH * i + _WIDTH // 2 for i, lane in enumerate(lanes)}
    parts = [
        f'<svg class="sequence" role="img" aria-label="sequence diagram" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">',
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" style="fill:var(--dim)"/></marker></defs>',
    ]
    for lane, x in middle.items():
        parts.append(f'<text x="{x}" y="20" text-anchor="middle" font-weight="bold">{text(_short(lane))}</text>')
        parts.append(f'<line x1="{x}" y1="30" x2="{x}" y2="{height}" style="stroke:var(--line);stroke-width:2"/>')
    for number, row in enumerate(rows, 1):
        if number == trace.cycle_start:
            y = _HEAD + _STEP * (number - 1) - 8
            parts.append(
                f'<line x1="0" y1="{y}" x2="{width}" y2="{y}" style="stroke:var(--warn);stroke-dasharray:6 4"/>'
            )
            parts.append(f'<text x="2" y="{y - 3}" style="fill:var(--warn)">cycle</text>')
        parts += _drawn(number, row, middle)
    parts.append("</svg>")
    return "\n".join(parts)


def lanes_of(trace: Trace, rows: Sequence[SequenceRow]) -> list[str]:
    """The lanes in the order of the states' lines; steps outside of roles have one at the left."""
    places = [place for entry in trace.entries for place, _ in entry.state]
    known = [found[0] for place in places if (found := _INSTANCE.match(place))]
    used = {lane for row in rows for lane in (row.lane, *row.reaches)}
    lanes = [lane for lane in dict.fromkeys([*known, *sorted(used - {_MODEL})]) if lane in used]
    return ([_MODEL] if _MODEL in used else []) + lanes


def _drawn(number: int, row: SequenceRow, middle: dict[str, int]) -> list[str]:
    x, y = middle[row.lane], _HEAD + _STEP * (number - 1) + _STEP // 2
    ink = "var(--bad)" if row.crash else "var(--line)"
    fill = "var(--badpaper)" if row.crash else "var(--lane)"
    half = _WIDTH // 2 - 8
    # The cross of a crash stands at the right, beside the name.
    beside = 8 if row.crash else 0
    shown = _short(row.label, _LONGEST - 3 if row.crash else _LONGEST)
    parts = [f'<text x="4" y="{y + 4}" style="fill:var(--dim)">{number}</text>']
    for other in row.reaches:
        to = middle[other]
        edge = x + (half if to > x else -half)
        parts.append(
            f'<line x1="{edge}" y1="{y}" x2="{to}" y2="{y}" style="stroke:var(--dim)" marker-end="url(#tip)"/>'
        )
    parts.append(
        f'<g><title>{text(row.label)}</title><rect x="{x - half}" y="{y - 13}" width="{2 * half}" height="26" rx="5" '
        f'style="fill:{fill};stroke:{ink}"/>'
        f'<text x="{x - beside}" y="{y + 4}" text-anchor="middle">{text(shown)}</text></g>'
    )
    if row.crash:
        parts.append(
            f'<path class="crash" d="M{x + half - 14},{y - 6} l12,12 m0,-12 l-12,12" '
            'style="stroke:var(--bad);stroke-width:3"/>'
        )
    return parts


def _short(label: str, longest: int = _LONGEST) -> str:
    return label if len(label) <= longest else f"{label[: longest - 1]}…"
