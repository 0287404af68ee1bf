"""The sequence diagram of a trace in the language of Mermaid, which GitHub and many tools for documents draw."""

from __future__ import annotations

from checker.core.trace import Trace
from checker.core.visible import printable
from checker.report.html_sequence import SequenceRow, lanes_of, sequence_rows

_LONGEST = 80
# What would end a text or begin an entity of Mermaid or a tag of HTML.
_ESCAPES = str.maketrans({sign: f"#{ord(sign)};" for sign in '#;<>&"`'})


def mermaid_text(trace: Trace) -> str:
    """The diagram: a participant for each role instance, an arrow for each step; a crash ends in a cross."""
    rows = sequence_rows(trace)
    lanes = {lane: f"p{number}" for number, lane in enumerate(lanes_of(trace, rows))}
    lines = ["sequenceDiagram", *(f"    participant {name} as {_escaped(lane)}" for lane, name in lanes.items())]
    if trace.waiting is not None and trace.waiting.step == 0 and rows:
        lines.append(_note(lanes[rows[0].lane], trace.waiting.sentence))
    for number, row in enumerate(rows, 1):
        if number == trace.cycle_start:
            lines.append("    loop for ever")
        lines += [f"    {arrow}" for arrow in _arrows(number, row, lanes)]
        if trace.waiting is not None and trace.waiting.step == number:
            lines.append(_note(lanes[row.lane], trace.waiting.sentence))
    if trace.cycle_start is not None:
        lines.append("    end")
    elif trace.stutter and lanes:
        lines.append(_note(",".join(dict.fromkeys([*lanes.values()][:: max(len(lanes) - 1, 1)])), "for ever"))
    return "\n".join(lines) + "\n"


def _note(lanes: str, sentence: str) -> str:
    return f"    Note over {lanes}: {_escaped(sentence)}"


def _arrows(number: int, row: SequenceRow, lanes: dict[str, str]) -> list[str]:
    arrow = "-x" if row.crash else "->>"
    name = _escaped(f"{number} {row.label}{' ✗ crash' if row.crash else ''}")
    here = lanes[row.lane]
    return [f"{here}{arrow}{lanes[other]}: {name}" for other in row.reaches or (row.lane,)]


def _escaped(label: str) -> str:
    shown = " ".join(printable(label).split())
    return (shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…").translate(_ESCAPES)
