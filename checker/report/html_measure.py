"""Quantities as a page of HTML, with a histogram of each counter."""

from __future__ import annotations

from pathlib import PurePath

from checker.measure.measured import CounterMeasure, Measured
from checker.report.html_page import html_page, html_table, text
from checker.report.measure_text import (
    counter_sentence,
    head_sentence,
    histogram,
    interval_text,
    quantity_text,
    remarks_of,
    value_text,
)

_ROW, _WIDTH, _NAMES = 20, 480, 190


def html_measured(measured: Measured) -> str:
    """The page."""
    name = PurePath(measured.model).name
    parts = [f"<h1>Quantities of {text(name)}</h1>", f"<p>{text(head_sentence(measured))}</p>"]
    parts += [f'<p class="warn">{text(remark)}</p>' for remark in remarks_of(measured)]
    assertions: list[tuple[object, ...]] = [
        (
            one.name,
            one.kind,
            quantity_text(one.true),
            quantity_text(one.false),
            "" if one.often is None else interval_text(one.often),
        )
        for one in measured.assertions
    ]
    parts.append(
        html_table(("assertion", "kind", "ever true", "ever false", "in the long run"), assertions, "Probabilities")
    )
    parts += [_counter(counter) for counter in measured.counters]
    states: list[tuple[object, ...]] = [
        (f"{one.often:.9f}", one.state, "ended" if one.ended else "") for one in measured.states_shown
    ]
    parts.append(html_table(("probability", "state", ""), states, "In the long run"))
    return html_page(f"Quantities of {name}", "\n".join(parts))


def _counter(counter: CounterMeasure) -> str:
    shares = [(f"{percent:g} %", value_text(value)) for percent, value in counter.percentiles.items()]
    return (
        f"<h2>{text(counter.name)}</h2>\n<p>{text(counter_sentence(counter))}</p>\n"
        + html_table(("share of runs", "at most"), list(shares))
        + _bars(histogram(counter.distribution))
    )


def _bars(bins: list[tuple[str, float]]) -> str:
    """The histogram as a picture."""
    if not bins:
        return ""
    most = max(share for _, share in bins)
    rows = []
    for number, (name, share) in enumerate(bins):
        top, width = number * _ROW, max(share / most * _WIDTH, 0.5)
        rows.append(
            f'<text x="{_NAMES - 8}" y="{top + 14}" text-anchor="end">{text(name)}</text>'
            f'<rect x="{_NAMES}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}" fill="currentColor"'
            f' opacity=".55"/><text x="{_NAMES + width + 6:.1f}" y="{top + 14}">{share:.3g}</text>'
        )
    size = f"0 0 {_NAMES + _WIDTH + 90} {len(bins) * _ROW}"
    return f'<svg viewBox="{size}" width="{_NAMES + _WIDTH + 90}" role="img">{"".join(rows)}</svg>\n'
