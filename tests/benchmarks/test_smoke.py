"""The benchmarks run, and what they rest on holds: counts, and how few rule evaluations are interpreted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.measure import TooLong, Wrong, measure
from benchmarks.rows import MODELS, SMOKE, Row
from benchmarks.shapes import shapes


@pytest.mark.parametrize("row", SMOKE, ids=lambda row: row.title)
def test_small_rows(row: Row) -> None:
    """States and transitions are exact; a rule is interpreted for a small part of the states it is evaluated on."""
    found = measure(row, "embedded")
    if row.states > 2_000:
        assert found.calls * 20 < found.evaluations


def test_calls_grow_slower_than_transitions() -> None:
    """The larger a model gets, the rarer its transitions need the interpreter."""
    three = next(row for row in SMOKE if row.title.startswith("TwoPhase"))
    five = Row("TwoPhase, 5 managers", three.model, {"RMS": "5"}, 8_832, 58_145)
    rates = [measure(row, "embedded").calls / row.transitions for row in (three, five)]
    assert rates[1] < rates[0] / 2


def test_a_wrong_answer_is_no_measurement() -> None:
    """A row whose counts are not found is an error that names both."""
    row = SMOKE[0]
    with pytest.raises(Wrong, match=r"\(16, 96\) states and transitions, not \(17, 96\)"):
        measure(Row(row.title, row.model, row.constants, 17, 96), "embedded")


def test_the_properties_that_are_measured_exist() -> None:
    """A shape is measured with properties by name, each of them one of its model."""
    for row in shapes():
        text = (MODELS / row.model).read_text()
        assert row.options
        assert all(f"assertion {name.removeprefix('--property=')}" in text for name in row.options)


def test_each_shape_is_measured() -> None:
    """A row for each model, with its largest promise; a run beyond its time limit is no measurement."""
    rows = shapes()
    assert {MODELS / row.model for row in rows} == set((MODELS / "shapes").glob("*.fizz"))
    assert all(row.states > 0 and row.limit_s for row in rows)
    with pytest.raises(TooLong):
        measure(replace(rows[0], limit_s=1), "embedded")
