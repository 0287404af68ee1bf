"""Spans of OpenTelemetry as the events of a log: many of them are on one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.bridge.conftest import Ended, Write
from tests.bridge.test_validate import ELECTION, MAP

Run = Callable[..., Ended]


def _span(name: str, end: int, **term: object) -> dict[str, Any]:
    return {"name": name, "endTimeUnixNano": str(end), "attributes": [{"key": "term", "value": term}]}


def _export(*spans: dict[str, Any]) -> str:
    own = {"attributes": [{"key": "node", "value": {"stringValue": "n1"}}, {"key": "none", "value": {}}]}
    return json.dumps({"resourceSpans": [{"resource": own, "scopeSpans": [{"spans": spans}]}]})


FIRST = _span("campaign", 10, intValue="1")


@pytest.fixture
def validate(write: Write, fizzpy: Run) -> Run:
    """Validate an export against the model of an election."""
    model, mapped = write("election.fizz", ELECTION), write("m.yaml", MAP)
    return lambda text, *options: fizzpy("validate", model, write("a.json", text), "--map", mapped, *options)


def test_a_rejection_names_the_span(validate: Run) -> None:
    """By its number in the export, whatever its end is, and its name; also as JSON."""
    text = _export(_span("campaign", 20, intValue="2"), FIRST, _span("lead", 30, intValue="2"))
    ended = validate(text)
    assert ended.code == 14 and "a.json:1, span 3 (lead)" in " ".join(ended.out.split())
    (event,) = json.loads(validate(text, "--json").out)["runs"][0]["rejection"]["events"]
    assert (event["line"], event["part"]) == (1, "span 3 (lead)")


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (_span("voted", 30, intValue="1"), "a.json:1, span 2 (voted): the map does not know the event 'voted'"),
        (_span("lead", 30, intValue="many"), "a.json:1: span 2: no spans as OpenTelemetry exports them: ValueError"),
        (
            {"name": "lead", "endTimeUnixNano": "30"},
            "a.json:1, span 2 (lead): the field 'term' of the event 'lead' is missing",
        ),
    ],
    ids=["unknown", "no number", "no term"],
)
def test_a_span_that_is_refused_is_named(validate: Run, span: dict[str, Any], said: str) -> None:
    """Else one would have to look for it among hundreds."""
    ended = validate(_export(FIRST, span))
    assert ended.code == 2 and said in ended.err, ended.err
