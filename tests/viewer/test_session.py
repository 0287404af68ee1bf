"""What a reader can do with a counterexample, without any screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checker.check import check
from checker.core.given import Given
from checker.report.json_report import json_report
from checker.tui.opened.alternatives import Alternatives, Enabled
from checker.tui.opened.opening_files import open_report
from checker.tui.opened.property_row import TruthMark
from checker.tui.viewer_session import ViewerSession
from interpreter.state.step import step_name
from tests.viewer.conftest import BANK, CRASH, FAILS, FINE, LASSO, NODES, RACE, first, guided, opened

Write = Callable[..., str]


def session(path: str, **settings: object) -> ViewerSession:
    """A session of what a check finds."""
    return ViewerSession(opened(path, **settings))


@pytest.fixture
def race(written: Write) -> ViewerSession:
    """Both withdraw."""
    return ViewerSession(guided(written(BANK), *RACE))


@pytest.fixture
def crash(written: Write) -> ViewerSession:
    """A node crashes half-way, another one writes."""
    return ViewerSession(guided(written(NODES), *CRASH))


def truths(one: ViewerSession) -> dict[str, str]:
    """The rows of letters, by property."""
    indices = range(len(one.path_text))
    return {c.name: "".join(one.truths.truth(c, one.path, i).value for i in indices) for c in one.truths.properties}


def enabled(one: ViewerSession) -> dict[str, Enabled]:
    alternatives = one.alternatives()
    assert alternatives is not None
    return {named(step): step for step in alternatives.enabled}


def named(step: Enabled) -> str:
    return step_name(step.possible.name, step.choices, step.possible.crashes)


def test_truth_at_every_step(race: ViewerSession) -> None:
    """Assertions of states have a value everywhere, of steps not before the first, deadlock not before crashes."""
    assert truths(race) == {
        "NeverNegative": "TTTTF",
        "Rich": "FFFFF",
        "NoLeap": "-TTTT",
        "deadlock": "TTTTT",
    }


def test_what_is_false_violates_or_not(race: ViewerSession) -> None:
    """That an `exists` is not met in a state violates nothing."""
    properties = {prop.name: prop for prop in race.truths.properties}
    assert properties["NeverNegative"].breaks(TruthMark.FALSE)
    assert not properties["Rich"].breaks(TruthMark.FALSE)
    assert not properties["NeverNegative"].breaks(TruthMark.TRUE)


def test_truth_where_an_assertion_fails(written: Write) -> None:
    """An assertion that can not be evaluated has a mark of its own, and the rest goes on."""
    text = BANK.replace("balance >= 0", "balance >= 0 and 1 // (balance - 40) > -9")
    one = session(written(text))
    assert truths(one)["NeverNegative"][-1] == TruthMark.FAILS.value


def test_why_a_property_is_false_at_a_step(race: ViewerSession) -> None:
    """The values that decided, at any step; nothing where it is true."""
    prop = race.truths.properties[0]
    why = race.truths.why(prop, race.path, 4)
    assert why is not None
    assert ("balance", "-20") in why.facts
    assert race.truths.why(prop, race.path, 3) is None


def test_lanes(race: ViewerSession, crash: ViewerSession) -> None:
    """A thread of the model has a lane of its own, a role instance one for all it does."""
    assert {lane.name: lane.signs for lane in race.lanes} == {"Withdraw/1": "·┌││└", "Withdraw/2": "··┌└·"}
    assert [lane.title(2) for lane in race.lanes] == ["W1", "W2"]
    assert {lane.name: lane.signs for lane in crash.lanes} == {"Node#0": "·✗···┌", "Node#1": "··┌├└·"}


def test_what_else_could_happen(race: ViewerSession) -> None:
    """Every step, the one that is taken marked; and for what is held back the guard with its values."""
    race.select(0)
    steps = enabled(race)
    assert list(steps) == ["Withdraw", "Withdraw crash"]
    assert [step.taken for step in steps.values()] == [True, False]
    alternatives = race.alternatives()
    assert alternatives is not None
    deposit, *rest = [held for held in race.held_back(alternatives) if held is not None]
    assert not rest
    assert (deposit.name, deposit.guards[0].text) == ("Deposit", "balance < 60")
    assert ("balance", "100") in deposit.guards[0].facts


def test_going_another_way_and_back(race: ViewerSession) -> None:
    """A step that the trace does not take begins a path of one's own; going back leads to where it was left."""
    race.select(3)
    race.go(enabled(race)["Deposit[Any:amount=50]"])
    assert (race.selected, race.last, race.own) == (4, 4, 4)
    assert race.path_text.lines(4)[0].text == "90"
    assert truths(race)["NeverNegative"] == "TTTTT"
    race.go(enabled(race)["thread-0"])
    assert (race.selected, race.own) == (5, 4)
    assert race.path_text.lines(5)[0].text == "30"
    assert race.come_back()
    assert race.come_back()
    assert (race.selected, race.last, race.own) == (3, 4, None)
    assert not race.come_back()


def test_going_the_way_of_the_trace_stays_on_it(race: ViewerSession) -> None:
    """The step that the trace takes leads to its next entry."""
    race.select(2)
    race.go(enabled(race)["thread-0"])
    assert (race.selected, race.last, race.own) == (3, 4, None)


def test_walk_by_hand(written: Write) -> None:
    """Without a counterexample there is Init, and all beginnings."""
    one = session(written(FINE))
    assert one.opened.by_hand
    assert len(one.path_text) == 1
    alternatives = one.alternatives()
    assert isinstance(alternatives, Alternatives)
    assert [(named(step), step.taken) for step in alternatives.beginnings] == [
        ("Init[Any:n=0]", True),
        ("Init[Any:n=5]", False),
    ]
    one.go(alternatives.beginnings[1])
    assert one.path_text.lines(0)[0].text == "5"
    one.go(enabled(one)["Up"])
    assert one.path_text.lines(1)[0].text == "6"
    assert set(enabled(one)) == {"Rest"}


def test_a_step_that_fails_can_be_taken(written: Write) -> None:
    """It is a step without a state: nothing follows from it."""
    one = session(written(FAILS))
    assert one.path_text.entries[-1].fails
    one.select(one.last)
    assert one.alternatives() is None
    assert truths(one)["Fine"][-1] == "-"
    one.select(0)
    (step,) = enabled(one).values()
    assert step.taken


def test_the_next_change_of_a_place(crash: ViewerSession) -> None:
    """Forwards and backwards; of a part only what concerns it; nothing beyond the ends."""
    crash.select(0)
    assert first(crash.touching("log")) == 1
    assert first(crash.touching("log[1]")) == 2
    assert first(crash.touching('Node#1.seen["a"]')) == 4
    assert first(crash.touching('Node#1.seen["b"]')) is None
    assert first(crash.touching("Node#1")) == 2
    crash.select(crash.last)
    assert first(crash.touching("log")) is None
    assert first(crash.touching("log", -1)) == 2
    assert first(crash.touching("nodes", -1)) is None


def test_search(race: ViewerSession) -> None:
    """Matches are steps whose headline or changes contain the text; after the last comes the first."""
    race.look_for("BALANCE 40")
    race.work(60)
    assert race.search.found == [3, 4]
    race.look_for("withdraw/2")
    race.work(60)
    assert race.search.found == [2, 3]
    race.select(3)
    assert first(race.search.matches_from(3)) == 2
    assert first(race.search.matches_from(3, -1)) == 2
    race.look_for("nowhere")
    assert first(race.search.matches_from(3)) is None


def test_a_search_looks_at_what_changed(written: Write) -> None:
    """Not at the whole of a long value of which a part changed."""
    table = 'action Init: t = {"a": 0, "b": 0}\natomic action Left: t["a"] += 1\natomic action Right: t["b"] += 1\n'
    one = ViewerSession(guided(written(table), "Left", "Right", "Right"))
    one.look_for('"b"')
    assert not one.search.complete
    assert first(one.search.matches_from(0)) == 2
    one.work(60)
    assert one.search.complete
    assert one.search.found == [0, 2, 3]


def test_the_next_turn_of_a_property(race: ViewerSession) -> None:
    """The nearest step where it says something else, forwards and backwards."""
    never = next(prop for prop in race.truths.properties if prop.name == "NeverNegative")
    race.select(0)
    assert first(race.truth_changes(never)) == 4
    race.select(4)
    assert first(race.truth_changes(never)) is None
    assert first(race.truth_changes(never, -1)) == 3


def test_what_a_lasso_shows(written: Write, tmp_path: Path) -> None:
    """Only in the states that go on for ever a liveness assertion is violated by being false; a saved report says so
    too, with what makes the run fair."""
    model = written(LASSO)
    (tmp_path / "report.json").write_text(json_report(check(model)))
    for what in (opened(model), open_report("report.json", Given()).whole()):
        one = ViewerSession(what)
        assert one.cycle is not None
        one.select(one.cycle - 1)
        assert one.shown is None
        one.select(one.last)
        assert one.shown is not None and one.shown.name == what.paths[0].name
        assert one.path.trace.fairness


def test_where_the_source_is(written: Write, tmp_path: Path) -> None:
    """Of a step in several files the one in which it ended, with the names of the others."""
    (tmp_path / "core.fizz").write_text("func up(by):\n    n += by\n")
    one = ViewerSession(
        opened(
            written(
                'include "core.fizz"\naction Init: n = 0\natomic action Go:\n    require n < 5\n    up(3)\n'
                "always assertion P: return n < 6\n"
            )
        )
    )
    one.select(1)
    sheet = one.sheet()
    assert sheet.file.endswith("core.fizz")
    assert [row.number for row in sheet.rows if row.executed] == [2]
    assert [Path(file).name for file in sheet.others] == ["m.fizz"]


def test_compare_any_two_steps(race: ViewerSession) -> None:
    """The state of each step beside that of the marked one; marking the same step again ends it."""
    race.select(1)
    race.mark()
    race.select(4)
    rows = {row.name: (row.old, row.text) for row in race.rows() if row.mark == "~"}
    assert rows == {"balance": ("100", "-20")}
    assert {row.name: row.mark for row in race.rows() if row.mark in "+-"} == {"Withdraw/1": "-"}
    race.select(1)
    race.mark()
    assert race.base is None
    race.select(4)
    assert {row.name: row.old for row in race.rows() if row.mark == "~"} == {"balance": "40"}


def test_the_source_of_a_step(race: ViewerSession) -> None:
    """Which lines it executed, and where each thread stands after it."""
    race.select(2)
    rows = {row.number: row for row in race.sheet().rows}
    assert [number for number, row in rows.items() if row.executed] == [5, 6]
    assert rows[7].threads == ("Withdraw/1", "Withdraw/2")


def test_the_cycle_of_a_lasso_is_known(written: Write) -> None:
    """It is that of the trace; a path of one's own has none."""
    one = session(written(LASSO))
    assert one.cycle == one.path.trace.cycle_start is not None
    one.select(0)
    one.go(next(step for step in enabled(one).values() if step.taken))
    assert one.cycle is not None


def test_one_counterexample_after_the_other(written: Write) -> None:
    """With several violated properties; the reader's own path is left with the counterexample."""
    text = BANK.replace("after.balance - before.balance < 500", "after.balance - before.balance < 100")
    one = session(written(text), keep_going=True)
    names = [shown.name for shown in one.opened.paths]
    assert sorted(map(str, names)) == ["NeverNegative", "NoLeap"]
    assert one.next_counterexample()
    assert one.opened.paths[one.path_index].name == names[1]
    assert one.next_counterexample()
    assert one.opened.paths[one.path_index].name == names[0]
    assert not session(written(BANK)).next_counterexample()


@pytest.mark.parametrize("text", [BANK, NODES, LASSO, FAILS], ids=["bank", "nodes", "lasso", "fails"])
def test_every_step_can_be_told(text: str, written: Write) -> None:
    """Rows, source, headline, lanes and what else could happen: of every step, whatever the model."""
    one = session(written(text))
    for index in range(len(one.path_text)):
        one.select(index)
        assert one.rows()
        assert one.sheet().rows
        assert one.path_text.headline(index)
        assert all(len(lane.signs) == len(one.path_text) for lane in one.lanes)
        alternatives = one.alternatives()
        taken = [step for step in alternatives.enabled if step.taken] if alternatives is not None else []
        assert len(taken) == (index < one.last)
