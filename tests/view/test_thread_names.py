"""In a printed trace each thread keeps one name, whatever its number is."""

from __future__ import annotations

import io
from pathlib import Path

from checker.check import check
from checker.core.report import Report
from checker.report.page import Page
from checker.report.terminal_report import print_report

TWO_AT_A_TIME = """\
---
action_options: {Increment: {max_actions: 2}}
deadlock_detection: false
---
action Init: counter, done = 0, 0
action Increment:
    seen = counter
    atomic:
        counter = seen + 1
        done += 1
always assertion NoUpdateLost: return counter == done
"""
ONE_AFTER_THE_OTHER = """\
---
options: {max_concurrent_actions: 1, crash_on_yield: false}
---
action Init: n = 0
action Go:
    n += 1
    n += 1
always assertion Small: return n < 4
"""
SHARED = """\
---
action_options: {Look: {max_actions: 1}, Fill: {max_actions: 1}}
options: {crash_on_yield: false}
---
action Init: box, looked = [], False
action Look:
    mine = box
    looked = True
    box = mine
action Fill:
    require looked
    box.append(1)
    box.append(2)
always assertion Few: return len(box) < 2
"""
IN_TURN = """\
---
options: {crash_on_yield: false}
---
action Init: a, b = 0, 0
action First:
    a = 1
    a = 2
action Second:
    require a == 1
    b = 1
    require a == 2
    b = 2
always assertion Turn: return b < 2
"""
FAILING = "action Init: n = 0\naction Go:\n    n = 1\n    n = 1 // 0\n"


def checked(text: str, folder: Path) -> Report:
    (folder / "m.fizz").write_text(text)
    return check(folder / "m.fizz")


def printed_trace(report: Report) -> list[str]:
    file = io.StringIO()
    print_report(Page(file, color=False, width=80), report, full=True)
    return file.getvalue().splitlines()


def test_two_threads_of_an_action(tmp_path: Path) -> None:
    """Each has a number of its own. Of equal threads the one that moved last goes on."""
    report = checked(TWO_AT_A_TIME, tmp_path)
    rows = printed_trace(report)
    for row in (
        "   1  Increment/1  starts (thread-0)",
        "        Increment/1: + at line 8 {seen = 0}",
        "   2  Increment/2  starts (thread-1)",
        "        Increment/2: + at line 8 {seen = 0}",
        "   3  Increment/2  goes on (thread-0)",
        "        Increment/2 ends",
        "   4  Increment/1  goes on (thread-0)",
        "        Increment/1 ends",
    ):
        assert row in rows, "\n".join(rows)
    assert report.trace is not None
    assert [entry.label for entry in report.trace.entries[1:]] == ["Increment", "Increment", "thread-0", "thread-0"]


def test_another_number(tmp_path: Path) -> None:
    """That the place of a thread in the state has shifted is said."""
    rows = printed_trace(checked(IN_TURN, tmp_path))
    assert "   3  First  goes on (thread-0)" in rows, "\n".join(rows)
    assert rows[rows.index("        First ends") + 1] == "        Second is now thread-0"
    assert "   4  Second  goes on (thread-0)" in rows


def test_one_after_the_other(tmp_path: Path) -> None:
    """Where there is never more than one thread of an action, its name is that of the action."""
    rows = printed_trace(checked(ONE_AFTER_THE_OTHER, tmp_path))
    assert "   1  Go  starts (thread-0)" in rows
    assert "   3  Go  starts (thread-0)" in rows
    assert not any("Go/" in row for row in rows)


def test_a_thread_that_reads_differently_stays_itself(tmp_path: Path) -> None:
    """A step may change what another thread's local shows, if both hold the same list: that is no other thread."""
    rows = printed_trace(checked(SHARED, tmp_path))
    assert "        Look.mine[0]: + 1" in rows, "\n".join(rows)
    assert not any(row.startswith("        Look ends") for row in rows)


def test_a_step_that_fails_says_so(tmp_path: Path) -> None:
    """It has no effect, which is not to be read as a step that changes nothing."""
    rows = printed_trace(checked(FAILING, tmp_path))
    assert "        here the model fails" in rows
    assert "        nothing changes" not in rows
