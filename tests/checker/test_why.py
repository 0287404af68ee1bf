"""A counterexample says why the assertion is false: the line, and the values that decided."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from checker.core.trace import Why
from checker.report.json_report import json_report
from checker.report.page import Page
from checker.report.terminal_report import print_report
from checker.swarm.simulate import simulate

BEGINNING = """\
---
options: {max_actions: 3, crash_on_yield: false}
deadlock_detection: false
---
LIMIT = 2
def small(x, bound):
    near = x < bound
    return near and x >= 0
role Node:
    action Init:
        self.x = 0
        self.log = []
    atomic action Up:
        self.x += 1
        self.log.append(self.x)
action Init:
    nodes = [Node(), Node()]
    total = 0
atomic action Add: total += 2
"""
FIRST = len(BEGINNING.splitlines()) + 2


def why(body: str, folder: Path, kind: str = "always", engine: str = "embedded") -> Why:
    """Why an assertion with this body is false; its lines count from 1."""
    text = BEGINNING + f"{kind} assertion A:\n" + "".join(f"    {row}\n" for row in body.splitlines())
    (folder / "m.fizz").write_text(text)
    report = check(folder / "m.fizz", engine=engine, settings=Settings(keep_going=True))
    trace = next(p.trace for p in report.properties if p.name == "A")
    assert trace is not None
    assert trace.why is not None
    return Why(trace.why.step, Path(trace.why.file).name, trace.why.line - FIRST + 1, trace.why.facts)


@pytest.mark.parametrize(
    ("body", "line", "facts"),
    [
        ("return total < LIMIT", 1, [("total < LIMIT", "False"), ("total", "2"), ("LIMIT", "2")]),
        # What a star spreads has no value of its own.
        (
            "return total not in [*[0], 9]",
            1,
            [("total not in [*[0], 9]", "False"), ("total", "0"), ("[*[0], 9]", "[0, 9]"), ("[0]", "[0]")],
        ),
        # Of `and` the part that was false, of `or` all, of `not` what was true.
        ("return total >= 0 and total < 2", 1, [("total < 2", "False"), ("total", "2")]),
        ("return total > 5 or total < 2", 1, [("total > 5", "False"), ("total", "2"), ("total < 2", "False")]),
        ("return not (total == 2 and LIMIT == 2)", 1, [
            ("total == 2", "True"), ("total", "2"), ("LIMIT == 2", "True"), ("LIMIT", "2")]),
        ("return total < 2 if LIMIT == 2 else True", 1, [
            ("LIMIT == 2", "True"), ("LIMIT", "2"), ("total < 2", "False"), ("total", "2")]),
        # Of a container only what was taken from it.
        ("return nodes[1].x < 1", 1, [("nodes[1].x < 1", "False"), ("nodes[1].x", "1")]),
        ("i = 1\nreturn nodes[i].x < 1", 2, [("nodes[i].x < 1", "False"), ("nodes[i].x", "1"), ("i", "1")]),
        ("return len(nodes[0].log) == 0", 1, [
            ("len(nodes[0].log) == 0", "False"), ("len(nodes[0].log)", "1"), ("nodes[0].log", "[1]")]),
        # The element that decided, also in a list that was made completely, and that of `any` behind a `not`.
        ("return all(n.x < 1 for n in nodes)", 1, [("n.x < 1", "False"), ("n.x", "1"), ("n", "Node#0")]),
        ("return all([n.x < 1 for n in nodes])", 1, [("n.x < 1", "False"), ("n.x", "1"), ("n", "Node#0")]),
        ("return not any(n.x >= 1 for n in nodes)", 1, [("n.x >= 1", "True"), ("n.x", "1"), ("n", "Node#0")]),
        ("return all([LIMIT == 2, total < 2])", 1, [("total < 2", "False"), ("total", "2")]),
        # Where none decided, the whole says it.
        ("return any(n.x > 5 for n in nodes)", 1, [("any(n.x > 5 for n in nodes)", "False")]),
        # `return False`: the conditions around it.
        ("for n in nodes:\n    if n.x > 0:\n        return False\nreturn True", 3, [
            ("n.x > 0", "True"), ("n.x", "1"), ("n", "Node#0")]),
        ("if LIMIT > 1:\n    if total > 0:\n        return False\n    else:\n        return True\nreturn True", 3, [
            ("total > 0", "True"), ("total", "2"), ("LIMIT > 1", "True"), ("LIMIT", "2")]),
        ("if total < 2:\n    return True\nelse:\n    return False", 4, [("total < 2", "False"), ("total", "2")]),
        # A local name is what it was assigned, a helper what it returned.
        ("fine = total < 2\nreturn fine", 2, [("total < 2", "False"), ("total", "2")]),
        ("fine = True\nfor n in nodes:\n    fine = fine and n.x < 1\nreturn fine", 4, [
            ("n.x < 1", "False"), ("n.x", "1"), ("n", "Node#0")]),
        ("return small(total, LIMIT)", 1, [
            ("small(total, LIMIT)", "False"), ("total", "2"), ("LIMIT", "2"), ("near", "False")]),
    ],
)  # fmt: skip
def test_facts(body: str, line: int, facts: list[tuple[str, str]], tmp_path: Path) -> None:
    """What decided comes first, what that was computed from after it."""
    found = why(body, tmp_path)
    assert (found.line, list(found.facts)) == (line, facts)


def test_every_engine_says_the_same(tmp_path: Path) -> None:
    """As it says the rest of the story."""
    body = "return all(n.x < 2 for n in nodes)"
    assert why(body, tmp_path, engine="plain") == why(body, tmp_path, engine="embedded")


def test_a_transition(tmp_path: Path) -> None:
    """Values of both states of the step."""
    found = why("return after.total < before.total + 2", tmp_path, "transition")
    assert found.facts == (
        ("after.total < before.total + 2", "False"),
        ("after.total", "2"),
        ("before.total + 2", "2"),
        ("before.total", "0"),
    )
    assert found.step == 1


def test_a_lasso(tmp_path: Path) -> None:
    """The last state of the cycle in which the assertion is false, which need not be the last one."""
    (tmp_path / "m.fizz").write_text(
        "action Init: n = 0\n"
        "atomic fair action Turn: n = (n + 1) % 3\n"
        "eventually always assertion Never: return n != 1\n"
    )
    trace = check(tmp_path / "m.fizz").trace
    assert trace is not None and trace.why is not None
    assert dict(trace.entries[trace.why.step].state)["n"] == "1"
    assert trace.why.facts == (("n != 1", "False"), ("n", "1"))


def test_roles_and_symmetry(tmp_path: Path) -> None:
    """The instance that breaks its assertion, in the state that the story ends with."""
    (tmp_path / "m.fizz").write_text(
        "symmetric role Node:\n    action Init: self.x = 0\n    atomic action Up: self.x += 1\n"
        "    always assertion Small: return self.x < 2\n"
        "action Init:\n    nodes = bag()\n    nodes.add_all([Node(), Node()])\n"
    )
    report = check(tmp_path / "m.fizz")
    trace = report.trace
    assert trace is not None and trace.why is not None
    facts = dict(trace.why.facts)
    assert (facts["self.x < 2"], facts["self.x"]) == ("False", "2")
    assert dict(trace.entries[-1].state)[f"{facts['self']}.x"] == "2"


def test_a_random_walk(tmp_path: Path) -> None:
    """A simulation explains what it finds as a check does."""
    (tmp_path / "m.fizz").write_text("action Init: n = 0\natomic action Up: n += 1\nalways assertion A: return n < 3\n")
    trace = simulate(tmp_path / "m.fizz", runs=1, seed=0).trace
    assert trace is not None and trace.why is not None
    assert trace.why.facts == (("n < 3", "False"), ("n", "3"))
    assert trace.why.step == trace.steps


LIMITED = """\
---
action_options: {Hit: {max_actions: 2}}
---
action Init: n = 0
atomic action Hit:
    n = 1
atomic action Reset:
    require n == 1
    n = 0
"""


def test_a_deadlock(tmp_path: Path) -> None:
    """The lines at which execution paths are given up, and the actions that only a limit prevents."""
    (tmp_path / "m.fizz").write_text(LIMITED)
    report = check(tmp_path / "m.fizz")
    walked = simulate(tmp_path / "m.fizz", runs=1, seed=0)
    for trace in (report.trace, walked.trace):
        assert trace is not None and trace.why is None
        assert trace.stuck is not None
        assert [(Path(file).name, line) for file, line in trace.stuck.blocked] == [("m.fizz", 8)]
        assert trace.stuck.limited == ("Hit",)
        assert [(one.name, one.line, one.text, one.facts) for one in trace.stuck.held] == [
            ("Reset", 8, "n == 1", (("n == 1", "False"), ("n", "0")))
        ]
    rows = printed(report)
    start = rows.index("      Why no step is possible:")
    assert rows[start + 1] == "         8 | require n == 1"
    assert rows[start + 2] == "        Reset: n = 0"
    assert rows[start + 3] == "        Hit could start, but for a limit of the options"
    brief = printed(report, full=False)
    start = brief.index("why  line 8 | require n == 1   Reset: n = 0")
    assert brief[start + 1] == "     Hit could start, but for a limit of the options"
    file = str(tmp_path / "m.fizz")
    held = {"name": "Reset", "file": file, "line": 8, "text": "n == 1", "facts": [["n == 1", "False"], ["n", "0"]]}
    assert json.loads(json_report(report))["stuck"] == {"blocked": [[file, 8]], "limited": ["Hit"], "held": [held]}


def printed(report: Report, full: bool = True) -> list[str]:
    """What a terminal shows, line by line: in full, or in brief as it does by default."""
    file = io.StringIO()
    print_report(Page(file, color=False, width=80), report, full=full)
    return file.getvalue().splitlines()


MANY = """\
---
options: {crash_on_yield: false, max_concurrent_actions: 2}
---
role Phil:
    action Init:
        self.state = "thinking"
    action Eat:
        require self.state == "thinking"
        self.state = "waiting"
        require held == None
        held = self
action Init:
    held = "nobody"
    phils = [Phil() for i in range(12)]
"""


def test_a_deadlock_of_many(tmp_path: Path) -> None:
    """Threads by their names, each line once, and no more than fits on a screen.

    What has no step without a limit either is not held back by the limit.
    """
    (tmp_path / "m.fizz").write_text(MANY.replace("range(12)", "range(4)"))
    report = check(tmp_path / "m.fizz")
    assert report.trace is not None and report.trace.stuck is not None
    assert [one.name for one in report.trace.stuck.held] == ["thread-0", "thread-1", "Phil#1.Eat", "Phil#2.Eat"]
    assert report.trace.stuck.limited == ("Phil#0.Eat", "Phil#3.Eat")
    rows = printed(report)
    start = rows.index("      Why no step is possible:")
    assert rows[start + 1] == '         8 | require self.state == "thinking"'
    assert rows[start + 2] == '        Phil#1.Eat: self.state = "waiting"'
    assert rows[start + 4] == "        10 | require held == None"
    assert rows[start + 5] == '        Phil#1.Eat: held = "nobody"'
    assert "     Phil#0.Eat, Phil#3.Eat could start, but for a limit of the options" in printed(report, full=False)
    (tmp_path / "m.fizz").write_text(MANY.replace("actions: 2}", "actions: 12}").replace("range(12)", "range(5)"))
    report = check(tmp_path / "m.fizz")
    assert report.trace is not None and report.trace.stuck is not None
    assert (len(report.trace.stuck.held), report.trace.stuck.limited) == (10, ())
    assert "        and 2 more" in printed(report)


def test_what_is_not_false_is_not_explained(tmp_path: Path) -> None:
    """A deadlock has no assertion, and an `exists` that was never met no state."""
    (tmp_path / "m.fizz").write_text(
        "action Init: n = 0\natomic action Up:\n    require n < 1\n    n += 1\nexists assertion E: return n == 2\n"
    )
    report = check(tmp_path / "m.fizz", settings=Settings(keep_going=True))
    assert report.trace is not None
    assert report.trace.why is None
    assert {p.name: p.trace for p in report.properties}["E"] is None


def test_a_location_of_the_stats_is_a_path(tmp_path: Path) -> None:
    """Other names are words, in which a line is a blank."""
    (tmp_path / "m.fizz").write_text("action Init: x = 0\natomic action Up: x = (x + 1) % 3\n")
    report = check(tmp_path / "m.fizz", settings=Settings())
    file = io.StringIO()
    print_report(
        Page(file, color=False, width=80), replace(report, stats={"new at a_b.fizz:3": "9 of 9", "re_packs": 2})
    )
    assert "new at a_b.fizz:3" in file.getvalue() and "re packs" in file.getvalue()
