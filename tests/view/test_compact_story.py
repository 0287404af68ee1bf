"""A counterexample in brief: one line a step, all of it on a screen, and nothing that a reader does not need."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import PropertyReport, Report
from checker.core.trace import Change, Trace
from checker.report.compact_text import SCREEN
from checker.report.compact_trace import brief_trace, names_together
from checker.report.compact_value import brief
from checker.report.page import Page
from checker.report.terminal_report import print_report
from tests.checker.test_fewest_crashes import random_text

MODELS = Path(__file__).parents[2] / "models"
LONG = 8


def lines_of(report: Report, width: int = 80, encoding: str = "utf-8", every: bool = False) -> list[str]:
    """What is printed of a report, up to its verdict."""
    raw = io.BytesIO()
    page = Page(io.TextIOWrapper(raw, encoding=encoding, write_through=True), color=False, width=width)
    print_report(page, replace(report, warnings=()), every=every)
    return raw.getvalue().decode(encoding).splitlines()


def checked(text: str) -> Report:
    return check(fizz.load("m.fizz", text=text), settings=Settings(keep_going=True))


QUIET = "---\ndeadlock_detection: false\n---\n"
CALLS = """\
---
options: {max_actions: 3, crash_on_yield: false}
deadlock_detection: false
---

role Store:
    action Init:
        self.data = {"key": "old"}
        self.tries = 0
    func put(value):
        self.tries += 1
        self.data["key"] = value
role Client:
    action Init:
        self.done = False
    action Write:
        require not self.done
        value = oneof ["new", "two words"]
        store.put(value)
        self.done = True
action Init:
    limit = 7
    store = Store()
    clients = [Client(), Client(), Client()]
always assertion Kept:
    return store.data["key"] != "new"
"""


def test_one_line_a_step() -> None:
    """Who moves, its choices, the line where it is; what changed; a func below its caller; the end, and why."""
    rows = lines_of(checked(CALLS))
    assert rows[:8] == [
        "Kept is violated: 2 steps",
        " 1 Client#0.Write value=new line 11  Store#0.tries 0→1",
        ' 2     Store#0.put line 12           Store#0.data["key"] old→new',
        "end  Store#0: data = {key: new}, tries = 1",
        "     Client#0.Write: before line 20 {value=new}",
        'why  line 26 | return store.data["key"] != "new"',
        '     store.data["key"] = "new"',
        "",
    ]


def test_names_of_several() -> None:
    """Instances of one role share its name; anything else is listed."""
    assert names_together(["Node#0", "Node#2"]) == "Node#0,2"
    assert names_together(["Node#0", "Store#0"]) == "Node#0, Store#0"
    assert names_together(["Node#0.Go/1", "Node#0.Go/2"]) == "Node#0.Go/1, Node#0.Go/2"
    assert names_together(["n"]) == "n"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ('struct(key = "key2", offset = 0)', "(key=key2, offset=0)"),
        ('{"a": "b c", "d": "None"}', '{a: "b c", d: "None"}'),
        ('"struct(x = 1)"', '"struct(x = 1)"'),
        ('["1", 1]', '["1", 1]'),
        ('"unfinished', '"unfinished'),
    ],
)
def test_values_in_brief(text: str, short: str) -> None:
    """Words lose their quotation marks; what could be taken for another value keeps them, and strings are not read."""
    assert brief(text) == short


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_page(width: int, samples: Any) -> None:
    """Long names and values are wrapped or cut."""
    for trace in (samples.path, samples.lasso, samples.stutter):
        finding = PropertyReport("Acknowledged", "always", "violated", 3, trace)
        assert max(map(len, lines_of(samples.report(properties=(finding,), trace=trace), width))) <= width


@pytest.mark.parametrize("block", range(2))
def test_a_screen_is_enough(block: int) -> None:
    """Counterexamples of random models with up to eight steps fit a screen, with the verdict and a line to spare."""
    compared = 0
    for seed in range(60 * block, 60 * block + 60):
        report = checked(random_text(seed))
        for p in report.properties:
            if p.trace is None or p.trace.steps > LONG:
                continue
            alone = replace(report, properties=(p,), leading=p.name, trace=p.trace)
            rows = lines_of(alone)
            assert len(rows) < SCREEN, "\n".join(rows)
            for number in range(1, p.trace.steps + 1):
                assert any(row.lstrip("∞").lstrip().startswith(f"{number} ") for row in rows), rows
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("name", ["venice/VeniceOffsetFirst", "kafka/KafkaTruncateToHighWatermark", "classics/DieHard"])
def test_models_fit_a_screen(name: str) -> None:
    """So do the counterexamples of the models that come with the tool, with what else is violated."""
    report = check(MODELS / f"{name}.fizz")
    assert report.trace is not None and report.trace.steps <= LONG
    rows = lines_of(report)
    assert len(rows) < SCREEN, "\n".join(rows)
    assert max(map(len, rows)) <= 80


def test_enormous_changes_fit_a_screen(samples: Any) -> None:
    """Eight steps, each with a hundred long changes: each has a line, and a mark at its end."""
    first, start, *_ = samples.path.entries
    changes = tuple(Change(f"Node#0.field{number}", '"' + "x y" * 90 + '"', '"z"') for number in range(100))
    entry = replace(start, changes=changes, origins=(), state=())
    finding = PropertyReport("P", "always", "violated", LONG, Trace((first, *[entry] * LONG)))
    rows = lines_of(samples.report(properties=(finding,), trace=finding.trace))
    assert len(rows) < SCREEN
    assert sum(row.endswith(" …") for row in rows) == LONG


def test_a_crash_names_the_line_that_it_struck(samples: Any) -> None:
    """The mark stands on the line of the step; a crashed instance has one too, and loses what is listed."""
    rows = lines_of(samples.report())
    assert any(row.startswith(" 2     ✗ crash after line 12") for row in rows)
    assert any(row.startswith(" 3 Node#0  ✗ crash") for row in rows)


def test_a_cycle_is_marked_and_a_stutter_too(samples: Any) -> None:
    """The steps that happen again and again have a sign before their number."""
    finding = PropertyReport("Eventually", "always eventually", "violated", 3, samples.lasso)
    rows = lines_of(samples.report(properties=(finding,), trace=samples.lasso))
    assert [row[:2] for row in rows if row[1:3].strip().isdigit() and row[2] == " "] == [" 1", "∞2", "∞3"]
    assert "∞ steps 2-3 for ever" in rows
    finding = replace(finding, trace=samples.stutter)
    rows = lines_of(samples.report(properties=(finding,), trace=samples.stutter))
    assert "∞ for ever: No fair action is available in this state." in rows


def test_where_there_are_no_such_signs(samples: Any) -> None:
    """With an encoding that has no arrows they are spelled in ASCII, and the columns stay."""
    rows = lines_of(samples.report(), encoding="ascii")
    assert all(row.isascii() for row in rows)
    assert any("X crash after line 12     offset 0->1" in row for row in rows)


def test_what_is_equal_is_one_change() -> None:
    """What happens alike to several instances is one change, and constants are not in the state at the end."""
    report = checked(
        f"""{QUIET}
role Node:
    action Init:
        self.on = False
action Init:
    limit = 7
    nodes = [Node(), Node(), Node()]
atomic action All:
    for node in nodes:
        node.on = True
always assertion Off:
    return not any([node.on for node in nodes])
"""
    )
    assert report.trace is not None
    short = brief_trace(report.trace, report.sources)
    assert [(change.place, change.text) for change in short.steps[0].changes] == [("Node#0,1,2.on", "False→True")]
    assert short.end == (("Node#0,1,2", "on = True"),)


def test_others_have_a_line_each(samples: Any) -> None:
    """Besides the counterexample: each other violated property with its length, and one line for those that hold."""
    findings = (
        PropertyReport("Acknowledged", "always", "violated", 3, samples.path),
        PropertyReport("Other", "always", "violated", 5, samples.path),
        PropertyReport("Fine", "always", "holds"),
        PropertyReport("deadlock", "deadlock", "holds"),
        PropertyReport("Reached", "exists", "undecided"),
    )
    rows = lines_of(samples.report(properties=findings))
    assert "also Other is violated (5 steps): --property Other" in rows
    assert "holds: Fine, deadlock" in rows
    assert "undecided: Reached" in rows
    assert rows.index("holds: Fine, deadlock") < rows.index("undecided: Reached") < len(rows) - 3


def test_why_with_the_parts_that_differ() -> None:
    """Of two values that should be equal only the parts that differ are shown, and instances by their names."""
    report = checked(
        f"""{QUIET}
role Node:
    action Init:
        self.data = {{"a": 1, "b": 2, "c": 3}}
    atomic action Change:
        self.data["b"] = 5
action Init:
    nodes = [Node(), Node()]
always assertion Same:
    return all([node.data == nodes[0].data for node in nodes])
"""
    )
    assert report.trace is not None and report.trace.why is not None
    why = brief_trace(report.trace, report.sources).reason.why
    assert why is not None
    assert why.facts == ('Node#1.data["b"] is 2, nodes[0].data["b"] is 5',) or why.facts == (
        'Node#1.data["b"] is 5, nodes[0].data["b"] is 2',
    )


TWO = """\
---
options: {crash_on_yield: false, max_actions: 3}
deadlock_detection: false
---
role Node:
    action Init:
        self.votes = 0
        self.leads = False
    action Ask:
        self.votes += 1
        self.votes += 1
    action Lead:
        require self.votes == 1
        self.leads = True
action Init:
    nodes = [Node(), Node()]
always assertion None_:
    return not nodes[0].leads
"""


def test_two_actions_of_an_instance_at_once() -> None:
    """Where they interleave a hint names the option that allows one at a time, and with it the run is gone."""
    rows = lines_of(checked(TWO))
    start = next(i for i, row in enumerate(rows) if row.startswith("hint: "))
    said = " ".join(map(str.strip, rows[start : start + 2]))
    assert said == (
        "hint: Node#0 runs Ask and Lead at once; one at a time: "
        'action_options: {"Node#.*": {max_concurrent_actions: 1}}'
    )
    option = 'action_options: {"Node#.*": {max_concurrent_actions: 1}}'
    assert check(fizz.load("m.fizz", text=TWO.replace("---\n", f"---\n{option}\n", 1))).exit_code == 3


def test_one_action_after_the_other_needs_no_hint() -> None:
    """Nor do two instances, or messages that are handled meanwhile."""
    apart = TWO.replace("self.votes == 1", "not nodes[1].leads and self.votes == 2")
    assert not any(row.startswith("hint: ") for row in lines_of(checked(apart)))


LEADERS = """\
action Init:
    servers = [Server(), Server()]

role Server:
    action Init: self.state = "follower"
    atomic action Lead:
        require self.state == "follower"
        self.state = "leader"

always assertion One:
    return len([s for s in servers if s.state == "leader"]) <= MOST
"""


def test_the_elements_are_told_and_not_how_many() -> None:
    """Also where the comprehension has a comparison of its own."""
    report = checked(LEADERS.replace("MOST", "1"))
    assert report.trace is not None
    why = brief_trace(report.trace, report.sources).reason.why
    assert why is not None
    assert why.facts == ('[s for s in servers if s.state == "leader"] = [Server#0, Server#1]',)


def test_an_end_that_may_be_meant_has_a_hint() -> None:
    """A deadlock says how it is allowed; what is allowed has no hint."""
    hint = "hint: if the model may end like that, its front matter says"
    assert hint in lines_of(checked(LEADERS.replace("MOST", "2")))
    assert hint not in lines_of(checked(QUIET + LEADERS.replace("MOST", "2")))
