"""Quantities as one JSON object."""

from __future__ import annotations

from checker.measure.measured import Interval, Measured, Quantity
from checker.report.json_report import json_given, json_text


def json_measured(measured: Measured) -> str:
    """The object as text, indented. Of each quantity: its bounds, `null` where there is no end to it."""
    fields = {
        "exit_code": int(measured.exit_code),
        "model": measured.model,
        "file": measured.file,
        **json_given(measured.given),
        "nondeterminism": measured.nondeterminism,
        "until": measured.until,
        "states": measured.states,
        "transitions": measured.transitions,
        "cut": measured.cut,
        "assertions": [
            {
                "name": one.name,
                "kind": one.kind,
                "ever_true": _quantity(one.true),
                "ever_false": _quantity(one.false),
                "long_run": _interval(one.often),
            }
            for one in measured.assertions
        ],
        "counters": [
            {
                "name": one.name,
                "expected": _quantity(one.expected),
                "percentiles": {f"{percent:g}": value for percent, value in one.percentiles.items()},
                "distribution": [list(pair) for pair in one.distribution],
                "rate": one.rate,
                "endless": one.endless,
            }
            for one in measured.counters
        ],
        "long_run": [
            {"state": one.state, "probability": one.often, "ended": one.ended} for one in measured.states_shown
        ],
        "lasting": measured.lasting,
        "long_run_error": measured.often_error,
        "unmet": list(measured.unmet),
        "elapsed_s": round(measured.elapsed_s, 3),
        "cpu_s": round(measured.cpu_s, 3),
    }
    return json_text(fields)


def _quantity(quantity: Quantity) -> dict[str, object] | None:
    """One value with its bounds, or the least and the greatest one."""
    if quantity.single:
        return _interval(quantity.greatest)
    return {"least": _interval(quantity.least), "greatest": _interval(quantity.greatest)}


def _interval(interval: Interval | None) -> dict[str, object] | None:
    if interval is None:
        return None
    high = None if interval.high == float("inf") else interval.high
    return {"value": interval.value if high is not None else None, "low": interval.low, "high": high}
