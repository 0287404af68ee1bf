"""The page of HTML on logs: what does not fit comes first, of each run, in each state that the system may be in."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.conformance.validate_log import validate_logs
from checker.report.html_validation import html_validation
from tests.bridge.conftest import Write
from tests.bridge.test_validate import ELECTED, ELECTION, MAP, campaign, lead, vote
from tests.view.test_html import Page, rendered

GUESS = """\
action Init:
    x, y = 0, 0
atomic action Guess:
    x = oneof [1, 2]
atomic action Say:
    require x > 0
    y = x + 5
always assertion Small:
    return y < 7
"""
GUESS_MAP = "order: file\nevents:\n  guess: {action: Guess}\n  say: {action: Say, after: {y: y}}\n"


@pytest.fixture
def election(write: Write) -> tuple[str, str]:
    """The model and a map without the order of a file."""
    return write("e.fizz", ELECTION), write("e.yaml", MAP.replace("order: file\n", ""))


def _of_guesses(write: Write, said: int) -> str:
    log = write("a.ndjson", [{"event": "guess"}, {"event": "say", "y": said}])
    return html_validation(validate_logs(write("g.fizz", GUESS), [log], write("g.yaml", GUESS_MAP)))


def test_reasons_are_told_for_each_state(write: Write, tmp_path: Path) -> None:
    """States have numbers, and reasons name them; they stand before the steps and the states, which may be long."""
    page = _of_guesses(write, 9)
    assert page.index("in state 1: Say: y is 6 after it, not 9") < page.index("in state 2: Say: y is 7 after it, not 9")
    assert (
        page.index("in state 2") < page.index("The last steps of the longest run") < page.index("State 1 that may be")
    )
    assert "The first event with several explanations" in Page(page).text
    rendered(page, tmp_path)


def test_assertions_that_are_violated_are_on_the_page(write: Write) -> None:
    """With where they are violated first, and the lines that did not run."""
    text = _of_guesses(write, 7)
    page = Page(text)
    assert '<p class="bad"><strong>ACCEPTED' in text
    assert "Small is violated on every explanation of" in page.text and "a.ndjson:2" in page.text
    assert "3 of 3 lines of actions and funcs ran" in page.text


def test_each_of_several_runs_is_named(write: Write, election: tuple[str, str], tmp_path: Path) -> None:
    """Rejected ones in their headings, others with the reason; parts of one log by their keys."""
    logs = {"ok": ELECTED, "late": [campaign("n1", 1), lead("n1", 1)], "wrong": [{"event": "voted", "node": "n1"}]}
    names = [write(f"{name}.ndjson", log) for name, log in logs.items()]
    page = Page(html_validation(validate_logs(election[0], names, election[1], each=True)))
    assert f"What does not fit in {names[1]}" in page.text and "does not know the event 'voted'" in page.text
    log = write("all.ndjson", [campaign("n1", 1) | {"shard": 1}, lead("n2", 0) | {"shard": 2}])
    page = Page(html_validation(validate_logs(election[0], [log], election[1], partition="shard")))
    assert f"{log} [1]" in page.text and f"What does not fit in {log} [2]" in page.text


def test_a_circle_is_told(write: Write, election: tuple[str, str]) -> None:
    """Where no event may come next, the order is what does not fit."""
    text = MAP.replace("order: file", "order: {messages: {send: out, receive: in}}")
    log = [campaign("n1", 1) | {"in": "a", "out": "b"}, vote("n2", "n1", 1) | {"in": "b", "out": "a"}]
    report = validate_logs(election[0], [write("a.ndjson", log)], write("m.yaml", text))
    assert "each process waits for an event of another one" in Page(html_validation(report)).text


def test_long_states_do_not_widen_the_page(write: Write) -> None:
    """They are wrapped, and one that would hide the rest is opened on demand."""
    model = GUESS.replace("x, y = 0, 0", "x, y = 0, 0\n    long = [n for n in range(5000)]")
    log = write("a.ndjson", [{"event": "say", "y": 1}])
    page = html_validation(validate_logs(write("g.fizz", model), [log], write("g.yaml", GUESS_MAP)))
    assert "<details><summary>The state may be then" in page and '<pre class="wrapped">' in page
    assert "<details open>" in _of_guesses(write, 9)
