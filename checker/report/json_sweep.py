"""Sweeps as one JSON object."""

from __future__ import annotations

from checker.report.json_report import json_given, json_text
from checker.sweep.sweep_report import SweepReport


def json_sweep(report: SweepReport) -> str:
    """The object as text, indented: every point with its constants, verdict and counts, and the forecasts."""
    first = report.first_violation
    fields = {
        "exit_code": int(report.exit_code),
        "model": report.model,
        **json_given(report.given),
        "axes": {axis.name: list(axis.texts) for axis in report.axes},
        "points": [one.row for one in report.results],
        "smallest_wrong": None if first is None else dict(first.point.named),
        "forecasts": [
            {
                "axis": one.axis,
                "others": dict(one.others),
                "known": [list(pair) for pair in one.known],
                "next": one.next,
                "states": round(one.states),
                "cpu_s": None if one.cpu_s is None else round(one.cpu_s, 1),
                "checked": None if one.checked is None else round(one.checked, 3),
            }
            for one in report.forecasts
        ],
        "stopped": None if report.stopped is None else report.stopped.value,
        "elapsed_s": round(report.elapsed_s, 3),
    }
    return json_text(fields)
