"""What is seen without a key: why the property is false, what each step changed, whence a func was called."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.core.problems import UsageProblem
from checker.report.compact_text import reason_lines
from checker.report.page import Page
from checker.tui.opened.opening_files import open_report
from checker.tui.viewer_session import ViewerSession
from tests.viewer.conftest import BANK, CRASH, FAILS, LASSO, NODES, RACE, driven, guided, opened
from tests.viewer.test_opening import NOTHING, report_of

Write = Callable[..., str]

STUCK = """\
action Init:
    held = None

atomic action Take:
    require held == None
    held = "a"
"""

CALLS = """\
action Init:
    n = 0
    a = Adder()

role Adder:
    action Add:
        self.twice(1)

    func twice(by):
        self.once(by)
        self.once(by)

    func once(by):
        n = n + by
        n = n + 0

always assertion Small:
    return n < 2
"""


def test_why_is_there_from_the_first_screen_on(written: Write) -> None:
    """In the words of the report, above the steps; in zoom, and where nothing is violated, it is not."""
    what = opened(written(LASSO))
    seen = driven(what)
    trace = what.paths[0].path.trace
    for line in reason_lines(Page(width=80), trace, what.sources):
        assert line.text.plain in seen.text
    assert seen.text.index("why  line 16") < seen.text.index("Steps  4 of 4")
    assert "why  line" not in driven(what, "z").text


def test_what_a_trace_does_not_say_the_machine_finds(written: Write) -> None:
    """A guided trace has no reason of its own; on a path of one's own the reason is that of its end."""
    what = guided(written(BANK), *RACE)
    assert what.paths[0].path.trace.why is None
    seen = driven(what)
    assert "why  line 15 | return balance >= 0" in seen.text
    assert "balance = -20" in seen.text
    assert "why  line" not in driven(what, "left", "o", "down", "enter").text
    end = driven(what, "home", "o", "enter", "o", "enter", "o", "enter", "o", "enter")
    assert end.session.own is None and "why  line 15" in end.text


def test_a_deadlock_and_a_failure_say_why(written: Write) -> None:
    """The guards that are false; the line that failed."""
    assert 'why  line 5 | require held == None   Take: held = "a"' in driven(opened(written(STUCK))).text
    assert "why  line 5 | n = 4 // (n - 1)" in driven(opened(written(FAILS))).text


def test_a_report_says_why_before_its_model_is_read(written: Write, tmp_path: Path) -> None:
    """Its fields are read as they are, and refused where they are damaged."""
    report_of(written(STUCK), tmp_path)
    session = ViewerSession(open_report("report.json", NOTHING))
    assert session.answers is None
    assert session.reason is not None and session.reason.stuck is not None
    assert ("held", '"a"') in session.reason.stuck.held[0].facts
    fields = json.loads((tmp_path / "report.json").read_text())
    fields["stuck"]["held"][0]["line"] = "five"
    (tmp_path / "report.json").write_text(json.dumps(fields))
    with pytest.raises(UsageProblem, match=r"stuck.held\[0\].line must be a whole number"):
        open_report("report.json", NOTHING)


def test_changes_stand_beside_the_steps(written: Write) -> None:
    """In the names and signs of the report: a step of the same thread is indented below it."""
    seen = driven(guided(written(NODES), *CRASH))
    assert "Node#0.Write  ✗ crash after line 14  log[0] + (key=a, value=1)" in seen.text
    assert "Node#1.Write line 14  log[1] + (key=a, value=1)" in seen.text
    assert "  line 15             done False→True" in seen.text


def test_choices_are_shown_whole_where_there_is_room(written: Write) -> None:
    """At 120 columns nothing of this step is cut."""
    text = (
        "action Init:\n    log = []\natomic action ClientWrites:\n"
        '    key = oneof ["the first key", "the second key"]\n    value = oneof ["another long value"]\n'
        "    log.append(key + value)\nalways assertion Fine:\n    return len(log) < 1\n"
    )
    seen = driven(opened(written(text)), size=(120, 40))
    (line,) = [line for line in seen.text.split("\n") if line.startswith(">  1!")]
    assert 'key="the first key" value="another long value"  log[0] + "the first keyanother long value"' in line


def test_marks_of_threads_cover_no_code(written: Write) -> None:
    """Where the line is too long for them they stand below it."""
    rows = driven(guided(written(BANK), *RACE), "home", "right").text.split("\n")
    (code,) = [number for number, row in enumerate(rows) if "balance = balance - cash" in row]
    assert rows[code + 1].endswith("◄ Withdraw/1")
    wide = driven(guided(written(BANK), *RACE), "home", "right", size=(120, 40)).text
    assert "balance = balance - cash  ◄ Withdraw/1" in wide


def test_the_calling_lines_are_shown(written: Write) -> None:
    """Of each func in which the step stands, also where it was called in an earlier step."""
    what = guided(written(CALLS), "Adder#0.Add", "thread-0", "thread-0", "thread-0")
    session = ViewerSession(what)
    calls = []
    for index in range(1, session.last + 1):
        session.select(index)
        calls.append([number for _, number, _ in session.sheet().calls])
    assert calls == [[7, 10], [7, 10], [7, 11], [7, 11]]
    seen = driven(what)
    assert "called at line 7 | self.twice(1)" in seen.text
    assert "called at line 11 | self.once(by)" in seen.text
