"""A concurrent history as intervals in SVG, a row for each process, and the page of a report on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from checker.conformance.history import Operation
from checker.conformance.history_report import HistoryReport, NoOrder
from checker.report.history_text import counted, history_sentence, history_word
from checker.report.html_page import html_page, html_table, text

_MOST_DRAWN: Final = 60
_UNIT: Final = 46
_ROW: Final = 34
_LEFT: Final = 90


def html_history(report: HistoryReport) -> str:
    """The page: the verdict, what was compared, the intervals of the shortest beginning without an order."""
    word, _ = history_word(report)
    color = {"accepted": "good", "rejected": "bad"}.get(report.verdict, "warn")
    sentence = f"<strong>{text(word)}</strong> {text(history_sentence(report))}"
    parts = [
        f"<h1>{text(', '.join(report.files))}</h1>",
        f'<p class="{color}">{sentence}</p>',
        *(f'<p class="dim">{text(line)}</p>' for line in counted(report)),
    ]
    part = report.leading
    if part is not None and part.why is not None:
        parts += _why(part.why)
    rows: list[tuple[object, ...]] = [
        ("all" if p.key is None else p.key, p.operations, p.verdict, p.configurations) for p in report.parts
    ]
    parts.append(html_table(("key", "operations", "verdict", "configurations"), rows, "Parts"))
    return html_page(f"{', '.join(report.files)}: {word.lower()}", "\n".join(parts))


def _why(why: NoOrder) -> list[str]:
    effective = {position: number for number, position in enumerate(why.effective, 1)}
    blocked = {id(one.operation): one.reasons for one in why.blocked}
    shown = list(enumerate(why.operations))[-_MOST_DRAWN:]
    left_out = len(why.operations) - len(shown)
    parts = ["<h2>The shortest beginning that no order explains</h2>"]
    if left_out:
        parts.append(f'<p class="dim">{left_out:,} earlier operations are not drawn.</p>')
    parts.append(
        f'<div class="wide">{_svg([one for _, one in shown], [effective.get(i) for i, _ in shown], blocked)}</div>'
    )
    for one in why.blocked:
        reasons = "; ".join(dict.fromkeys(one.reasons))
        parts.append(f'<p class="bad">{text(one.operation.text)}: {text(reasons)}</p>')
    for number, state in enumerate(why.states):
        head = "The state may be then" if not number else "or"
        lines = "\n".join(f"{text(path)} = {text(value)}" for path, value in state)
        parts.append(f"<p>{head}:</p><pre>{lines}</pre>")
    return parts


def _svg(operations: Sequence[Operation], numbers: Sequence[int | None], blocked: Mapping[int, Sequence[str]]) -> str:
    times = sorted({time for one in operations for time in (one.called, one.ended) if time is not None})
    at = {time: _LEFT + _UNIT * i for i, time in enumerate(times)}
    processes = list(dict.fromkeys(one.process for one in operations))
    width, height = _LEFT + _UNIT * (len(times) + 1), _ROW * len(processes) + 20
    parts = [
        f'<svg role="img" aria-label="intervals of operations" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width:none" xmlns="http://www.w3.org/2000/svg">'
    ]
    for row, process in enumerate(processes):
        parts.append(f'<text x="4" y="{_ROW * row + 25}">{text(process[:10])}</text>')
    for one, number in zip(operations, numbers, strict=True):
        x, y = at[one.called], _ROW * processes.index(one.process) + 8
        end = width - 6 if one.ended is None else at[one.ended]
        ink = "var(--bad)" if id(one) in blocked else "var(--good)" if number is not None else "var(--dim)"
        dash = ";stroke-dasharray:4 3" if one.ended is None else ""
        order = "" if number is None else f"{number}: "
        room = max(int((end - x) / 7.3) - 1, 1)
        label = f"{order}{one.text}"
        inside = label if len(label) <= room else f"{label[: room - 1]}…"
        parts.append(
            f"<g><title>{text(label)} ({text(one.place)})</title>"
            f'<rect x="{x}" y="{y}" width="{end - x}" height="24" rx="4" '
            f'style="fill:var(--lane);stroke:{ink};stroke-width:2{dash}"/>'
            f'<text x="{x + 4}" y="{y + 16}">{text(inside)}</text></g>'
        )
    return "\n".join([*parts, "</svg>"])
