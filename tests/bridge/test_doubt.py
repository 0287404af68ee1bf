"""The first doubtful event of a rejected log: what was explained in several ways, whatever the order of the events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checker.conformance.observed_event import Doubt
from checker.conformance.validate_log import validate_logs
from checker.report.validation_text import DOUBT
from checker.tui.log_rows import log_rows
from tests.bridge.conftest import Ended, Write

Run = Callable[..., Ended]
Event = dict[str, Any]

COUNTERS = """\
action Init:
    a, b, hidden = 0, 0, 0

atomic action StepA:
    a += 1

atomic action StepB:
    by = oneof [1, 2]
    b += by

atomic action Hide:
    require hidden == 0
    hidden += 1

atomic action Seen:
    require hidden > 0
    a += 10

action Slowly:
    a += 100
    a += 100
"""
COUNTERS_MAP = """\
process: who
instances: {p: null, q: null}
SILENT
events:
  a: {action: StepA, after: {a: a}}
  b: {action: StepB, choices: {by: 'by?'}, after: {b: 'b?'}}
  seen: {action: Seen}
  slowly: {action: Slowly}
"""


def _a(value: int) -> Event:
    return {"event": "a", "who": "p", "a": value}


def _b(**said: int) -> Event:
    return {"event": "b", "who": "q", **said}


def _doubt(write: Write, logs: list[list[Event]], silent: str = "", model: str = COUNTERS) -> Doubt | None:
    mapped = write("m.yaml", COUNTERS_MAP.replace("SILENT", f"silent: {silent}" if silent else ""))
    names = [write(f"{number}.ndjson", log) for number, log in enumerate(logs)]
    report = validate_logs(write("counters.fizz", model), names, mapped)
    assert report.verdict == "rejected" and report.runs[0].rejection is not None
    return report.runs[0].rejection.doubtful


def _line(doubt: Doubt | None) -> tuple[str, int]:
    assert doubt is not None
    return Path(doubt.event.place.file).name, doubt.event.place.line


def test_the_order_of_processes_is_no_doubt(write: Write) -> None:
    """Events of several processes that have one explanation each leave no doubt, in whatever order they came."""
    p, q = [_a(1), _a(2), _a(7)], [_b(by=1), _b(by=2), _b(by=1)]
    assert _doubt(write, [p, q]) is None


def test_a_choice_that_no_event_tells_is_doubt(write: Write) -> None:
    """The first event that may be steps to different states is named, with how many these are."""
    doubt = _doubt(write, [[_a(1), _a(2), _a(7)], [_b(by=1), _b(), _b(b=9)]])
    assert _line(doubt) == ("1.ndjson", 2)
    assert doubt is not None and doubt.why == "it may be steps to 2 different states"


def test_choices_that_make_no_difference_are_no_doubt(write: Write) -> None:
    """Several steps to the same state explain an event in one way."""
    model = COUNTERS.replace("b += by", "b += 1")
    assert _doubt(write, [[_b(), _b(), _a(7)]], model=model) is None


def test_silent_steps_that_may_come_in_any_order_are_no_doubt(write: Write) -> None:
    """A silent step that may as well come after an event is order alone; so is one that had to come, without others."""
    assert _doubt(write, [[_a(1), {"event": "seen", "who": "p"}, _a(12), _a(1)]], "{steps: [Hide], most: 2}") is None
    slowly = [{"event": "slowly", "who": "p"}, _a(201), _a(7)]
    assert _doubt(write, [slowly], "{steps: [continue], most: 2}") is None


def test_silent_steps_to_different_states_are_doubt(write: Write) -> None:
    """The event is named that may have followed one or another of them."""
    told = [_a(1), {"event": "seen", "who": "p"}, _a(7)]
    model = COUNTERS.replace("    hidden += 1\n", "    hidden = oneof [1, 2]\n")
    doubt = _doubt(write, [told], "{steps: [Hide], most: 2}", model)
    assert _line(doubt) == ("0.ndjson", 2)
    assert doubt is not None and doubt.why == "other silent steps may have come before it"


def test_a_silent_step_that_may_come_only_before_is_doubt(write: Write) -> None:
    """An event after which the silent step would lead elsewhere."""
    model = COUNTERS.replace("    hidden += 1\n", "    require a == 0\n    hidden = 1\n")
    doubt = _doubt(write, [[_a(1), _a(2), _a(7)]], "{steps: [Hide], most: 2}", model)
    assert _line(doubt) == ("0.ndjson", 1)
    assert doubt is not None and doubt.why == "a silent step may have come before it"


def test_initial_states_are_doubt(write: Write) -> None:
    """An event that fits in several of them."""
    model = COUNTERS.replace("    a, b, hidden = 0, 0, 0\n", "    a, b = 0, 0\n    hidden = oneof [1, 2]\n")
    doubt = _doubt(write, [[_a(1), _a(7)]], model=model)
    assert _line(doubt) == ("0.ndjson", 1)
    assert doubt is not None and doubt.why == "it fits in several initial states"


@pytest.mark.parametrize("number", [1_300, 700])
def test_doubt_that_was_settled_long_ago(write: Write, number: int) -> None:
    """Where nothing else is left to try, what came before is dropped, but not that there was doubt."""
    log = [_a(1), _b(), _b(b=2), *(_a(n) for n in range(2, number)), _a(0)]
    assert _line(_doubt(write, [[one | {"who": "p"} for one in log]])) == ("0.ndjson", 2)


def test_doubt_is_told_everywhere(write: Write, fizzpy: Run, tmp_path: Path) -> None:
    """In the terminal, in HTML, as JSON and in the viewer, with the reason."""
    model, mapped = write("counters.fizz", COUNTERS), write("m.yaml", COUNTERS_MAP.replace("SILENT", ""))
    log = write("a.ndjson", [_a(1), _b(), _a(7)])
    ended = fizzpy("validate", model, log, "--map", mapped, "--html", "page.html")
    sentence = f"The first event with several explanations is {log}:2, b{{}}: it may be steps to 2 different states."
    squeezed = " ".join(ended.out.split()).replace(" ", "")
    assert ended.code == 14 and f"{sentence} {DOUBT}".replace(" ", "") in squeezed
    assert f"{sentence} {DOUBT}" in (tmp_path / "page.html").read_text(encoding="utf-8")
    given = ("validate", model, log, "--map", mapped, "--json")
    told = json.loads(fizzpy(*given).out)["runs"][0]["rejection"]["doubtful"]
    assert (told["line"], told["why"]) == (2, "it may be steps to 2 different states")
    rows = log_rows(validate_logs(model, [log], mapped))
    assert rows is not None
    shown = "".join(piece for row in rows.rows for line in row.detail or () for piece, _ in line)
    assert "it may be steps to 2 different states." in shown
