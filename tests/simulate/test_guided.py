"""Guided traces: both forms, choices, crashes, messages, wrong lines, and the steps beyond the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience
from checker.core.problems import UsageProblem
from checker.core.report import ExitCode
from checker.traces.guided import MOST_LINES, follow
from checker.traces.walk_report import NextStep
from tests.simulate.models import (
    ALIKE,
    COUNTER,
    CRASHING,
    MESSAGES,
    SERIAL,
    end,
    followed,
    labels,
    module_of,
)

INIT = "action Init:\n    x = oneof [1, 2]\n    y = oneof [x, x + 1]\natomic action Rest: pass\n"


def refused(text: str, folder: Path, *lines: str, **options: str) -> UsageProblem:
    """The error of a guided trace, which names the file."""
    with pytest.raises(UsageProblem) as raised:
        followed(text, folder, *lines, **options)
    assert raised.value.exit_code == 2
    assert raised.value.text.startswith(f"{folder / 't.txt'}:")
    return raised.value


def line_of(problem: UsageProblem) -> int:
    """The line that an error names."""
    return int(problem.text.split("t.txt:")[1].split(":")[0])


# --- the two forms ---------------------------------------------------------------------------------------------------


def test_explicit_form_lists_every_step(tmp_path: Path) -> None:
    """Each line is one step; threads may alternate."""
    report = followed(
        SERIAL, tmp_path, "Move", "Any:a=1", "Move", "Any:a=2", "thread-0", "Any:b=7", "thread-0", "Any:b=2"
    )
    assert report.explicit
    assert labels(report.trace) == ["Move[Any:a=1]", "Move[Any:a=2]", "thread-0[Any:b=7]", "thread-0[Any:b=2]"]
    assert end(report.trace)["b"] == "2"
    assert (report.verdict, report.exit_code) == ("followed", 0)


def test_simple_form_finishes_threads(tmp_path: Path) -> None:
    """The thread goes on by itself until it ends, and takes its later choices from the next lines."""
    report = followed(SERIAL, tmp_path, "Move", "Any:a=1", "Any:b=6", "Rest", "Move", "Any:a=2", "Any:b=2")
    assert not report.explicit
    assert labels(report.trace) == [
        "Move[Any:a=1]",
        "thread-0[Any:b=6]",
        "Rest",
        "Move[Any:a=2]",
        "thread-0[Any:b=2]",
    ]


def test_explicit_on_demand(tmp_path: Path) -> None:
    """`[explicit]` says so where no line shows it: the thread is left where it stands."""
    report = followed(SERIAL, tmp_path, "[explicit]", "Move", "Any:a=1", "Move", "Any:a=2")
    assert labels(report.trace) == ["Move[Any:a=1]", "Move[Any:a=2]"]


def test_bound(tmp_path: Path) -> None:
    """The explicit form keeps to max_actions unless it says otherwise, the simple form does not."""
    up = ["Up", "Up"]
    assert len(labels(followed(COUNTER, tmp_path, *up, max_actions="1").trace)) == 2
    problem = refused(COUNTER, tmp_path, "[explicit]", *up, max_actions="1")
    assert line_of(problem) == 3
    assert "max_actions" in str(problem.hint)
    assert len(labels(followed(COUNTER, tmp_path, "[explicit]", "[unbounded]", *up, max_actions="1").trace)) == 2


def test_concurrency(tmp_path: Path) -> None:
    """In the explicit form as the options say, in the simple form one."""
    lines = ("[explicit]", "Move", "Any:a=1", "Move", "Any:a=1", "Move", "Any:a=1")
    assert line_of(refused(SERIAL, tmp_path, *lines)) == 6
    assert len(labels(followed(SERIAL, tmp_path, *lines, max_concurrent_actions="3").trace)) == 3
    waiting = "action Init: x = 0\naction Wait:\n    x = 1\n    require x == 2\n    x = 3\natomic action Set: x = 2\n"
    assert labels(followed(waiting, tmp_path, "Wait").trace) == ["Wait"]
    problem = refused(waiting, tmp_path, "Wait", "Set")
    assert line_of(problem) == 2
    assert "while a thread waits" in str(problem.hint)
    assert labels(followed(waiting, tmp_path, "Wait", "Set", "thread-0").trace) == ["Wait", "Set", "thread-0"]


def test_limits_of_the_model_hold_in_both_forms(tmp_path: Path) -> None:
    """`action_options` are part of the model."""
    limited = "---\naction_options: {Up: {max_actions: 1}}\n---\n" + COUNTER
    assert line_of(refused(limited, tmp_path, "Up", "Up")) == 2


def test_thread_without_end(tmp_path: Path) -> None:
    """The simple form gives up on it and says what to do."""
    endless = "action Init: x = 0\naction Loop:\n    while True:\n        x = 1 - x\n"
    problem = refused(endless, tmp_path, "Loop")
    assert "[explicit]" in str(problem.hint)
    assert labels(followed(endless, tmp_path, "Loop", "thread-0", "thread-0").trace) == ["Loop", "thread-0", "thread-0"]


# --- names -----------------------------------------------------------------------------------------------------------


def test_choices_of_init_come_first(tmp_path: Path) -> None:
    """With or without an Init line; a choice may be left out where only one step remains."""
    assert end(followed(INIT, tmp_path, "Any:x=2", "Any:y=3").trace) == {"x": "2", "y": "3"}
    assert end(followed(INIT, tmp_path, "Init", "Any:x=2", "Any:y=2", "Rest").trace) == {"x": "2", "y": "2"}
    assert end(followed(INIT, tmp_path, "Init[Any:x=2, Any:y=3]").trace) == {"x": "2", "y": "3"}
    assert line_of(refused(INIT, tmp_path, "Rest")) == 1
    assert line_of(refused(INIT, tmp_path, "Any:x=1", "Any:y=9")) == 2
    filtered = INIT.replace("[x, x + 1]", "[x]")
    assert end(followed(filtered, tmp_path, "Any:x=2").trace) == {"x": "2", "y": "2"}


def test_whole_names(tmp_path: Path) -> None:
    """A name with its choices in brackets, as traces print it and errors list it."""
    report = followed(SERIAL, tmp_path, "Move[Any:a=1]", "thread-0[Any:b=6]")
    assert labels(report.trace) == ["Move[Any:a=1]", "thread-0[Any:b=6]"]
    assert labels(followed(SERIAL, tmp_path, "Move[Any:a=1] crash").trace) == ["Move[Any:a=1] crash"]
    assert labels(followed(SERIAL, tmp_path, "Move[Any:a=1]", "crash").trace) == ["Move[Any:a=1] crash"]


def test_twins_and_role_crashes(tmp_path: Path) -> None:
    """`crash` makes the step above its twin, `crash-role` is a step."""
    report = followed(CRASHING, tmp_path, "Store#0.Write", "crash", "crash-role Store#0")
    assert labels(report.trace) == ["Store#0.Write crash", "crash-role Store#0"]
    assert report.trace is not None
    assert [entry.crash for entry in report.trace.entries] == [False, True, True]
    assert end(report.trace)["Store#0.c"] == "0"
    problem = refused(CRASHING, tmp_path, "Store#0.Write", "thread-0", "crash")
    assert line_of(problem) == 3
    assert "no crash twin" in problem.text


def test_no_crashes_where_options_forbid_them(tmp_path: Path) -> None:
    """All options of the model hold."""
    assert line_of(refused(CRASHING, tmp_path, "Store#0.Write", "crash", crash_on_yield="false")) == 2


def test_messages(tmp_path: Path) -> None:
    """Deliveries by channel and message; in the simple form the receiver finishes."""
    explicit = followed(MESSAGES, tmp_path, "Send", "Send", "channel-0-message-1", "thread-0")
    assert labels(explicit.trace) == ["Send", "Send", "channel-0-message-1", "thread-0"]
    assert end(explicit.trace)["Sink#0.got"] == "[2]"
    simple = followed(MESSAGES, tmp_path, "Send", "channel-0-message-0", "Send")
    assert labels(simple.trace) == ["Send", "channel-0-message-0", "thread-0", "Send"]


def test_choices_that_read_alike(tmp_path: Path) -> None:
    """Alternatives of one name that lead to different states are distinguished by their number."""
    problem = refused(ALIKE, tmp_path, "Mark", 'Any:node={"v": 0}')
    assert line_of(problem) == 1
    assert "ambiguous" in problem.text
    assert 'Any:node={"v": 0} @2' in str(problem.hint)
    assert end(followed(ALIKE, tmp_path, "Mark", 'Any:node={"v": 0} @1').trace)["nodes"] == '[{"v": 1}, {"v": 0}]'
    second = followed(ALIKE, tmp_path, "Mark", 'Any:node={"v": 0} @2')
    assert end(second.trace)["nodes"] == '[{"v": 0}, {"v": 1}]'
    assert second.exit_code == 12


# --- wrong lines -----------------------------------------------------------------------------------------------------


def test_line_that_fits_no_step(tmp_path: Path) -> None:
    """The steps that exist are listed."""
    problem = refused(SERIAL, tmp_path, "# first", "Move", "Any:a=2", "Any:b=7", "Jump")
    assert line_of(problem) == 5
    assert "'Jump' fits no existing step" in problem.text
    problem = refused(SERIAL, tmp_path, "[explicit]", "Move", "Any:a=2", "thread-1")
    for name in ("thread-0[Any:b=2]", "thread-0[Any:b=7]", "Move[Any:a=1]", "Move[Any:a=2] crash", "Rest"):
        assert name in str(problem.hint)
    assert line_of(refused(SERIAL, tmp_path, "Rest")) == 1


def test_wrong_and_missing_choices(tmp_path: Path) -> None:
    """The alternatives are listed."""
    wrong = refused(SERIAL, tmp_path, "Move", "Any:a=3")
    assert (line_of(wrong), "Any:a=1, Any:a=2" in str(wrong.hint)) == (2, True)
    missing = refused(SERIAL, tmp_path, "Move")
    assert (line_of(missing), "needs a choice" in missing.text) == (1, True)
    later = refused(SERIAL, tmp_path, "Move", "Any:a=1")
    assert (line_of(later), "Any:b=1, Any:b=6" in str(later.hint)) == (1, True)
    spare = refused(SERIAL, tmp_path, "Move", "Any:a=1", "Any:b=6", "Any:c=1")
    assert line_of(spare) == 4
    spare = refused(SERIAL, tmp_path, "[explicit]", "Move", "Any:a=1", "Any:b=6")
    assert line_of(spare) == 4


# --- what is judged --------------------------------------------------------------------------------------------------


def test_always_is_checked_and_the_trace_goes_on(tmp_path: Path) -> None:
    """The first violation counts; the rest is followed all the same."""
    report = followed(COUNTER.replace("n <= LIMIT", "n < 2"), tmp_path, "Up", "Up", "Up", "Down")
    assert (report.exit_code, report.verdict, report.leading) == (12, "failed", "Small")
    assert [(p.name, p.verdict, p.steps) for p in report.properties] == [("Small", "violated", 2)]
    assert len(labels(report.trace)) == 4


def test_transition_is_checked(tmp_path: Path) -> None:
    """After the step that breaks it."""
    text = COUNTER + "transition assertion Grows(before, after):\n    return before.n <= after.n\n"
    report = followed(text, tmp_path, "Up", "Up", "Down")
    assert (report.exit_code, report.leading) == (12, "Grows")
    assert [p.steps for p in report.properties] == [None, 3]


def test_liveness_deadlock_and_exists_are_not(tmp_path: Path) -> None:
    """They are no questions to a finite path."""
    text = COUNTER.replace("always assertion", "always eventually assertion").replace("n > 0", "n > 9")
    text += "exists assertion Never:\n    return False\n"
    report = followed(text, tmp_path, "Up", "Up", "Up")
    assert (report.exit_code, report.properties) == (0, ())


def test_model_that_fails(tmp_path: Path) -> None:
    """A step that fails is a step that a line may mean; so with Init and assertions."""
    text = COUNTER.replace("n += 1", "n += 1 // (1 - n)")
    report = followed(text, tmp_path, "Up", "Up", "Down", extend=1)
    assert report.error is not None
    assert (report.exit_code, report.error.diagnostic.code, report.error.steps) == (75, "R5", 2)
    assert labels(report.trace) == ["Up", "Up"]
    init = followed(COUNTER.replace("n = 0", "n = 1 // oneof_zero\noneof_zero = 0"), tmp_path)
    assert (init.exit_code, init.trace) == (75, None)
    broken = followed(COUNTER.replace("return n <=", "return 1 // (1 - n) <="), tmp_path, "Up", "Down")
    assert (broken.exit_code, labels(broken.trace)) == (75, ["Up"])
    empty = followed(COUNTER.replace("n = 0", "n = 0\n    require n > 0"), tmp_path)
    assert empty.error is not None and empty.error.diagnostic.code == "R19"
    constant = followed(COUNTER.replace("LIMIT = 3", "LIMIT = 3 // 0"), tmp_path)
    assert (constant.exit_code, constant.trace) == (75, None)


# --- beyond the end --------------------------------------------------------------------------------------------------


def tree(steps: tuple[NextStep, ...]) -> dict[str, object]:
    """The names of the next steps, each with those after it."""
    return {step.entry.label: tree(step.next) for step in steps}


def depth(steps: tuple[NextStep, ...]) -> int:
    """How far the next steps go."""
    return max((1 + depth(step.next) for step in steps), default=0)


def test_extend(tmp_path: Path) -> None:
    """All steps up to so many beyond the end, in step order."""
    report = followed(COUNTER, tmp_path, "Up", extend=2)
    assert tree(report.next) == {"Up": {"Up": {}, "Down": {}}, "Down": {"Up": {}}}
    assert report.all_listed
    assert followed(COUNTER, tmp_path, "Up").next == ()
    explicit = followed(SERIAL, tmp_path, "[explicit]", "Move", "Any:a=1", extend=1)
    moves = ["Move[Any:a=1]", "Move[Any:a=1] crash", "Move[Any:a=2]", "Move[Any:a=2] crash"]
    assert list(tree(explicit.next)) == ["thread-0[Any:b=1]", "thread-0[Any:b=6]", *moves, "Rest"]
    simple = followed(SERIAL, tmp_path, extend=1)
    assert list(tree(simple.next)) == ["Move[Any:a=1]", "Move[Any:a=2]"]


def test_extend_without_a_file() -> None:
    """From Init alone."""
    assert tree(follow(module_of(COUNTER), None, extend=1).next) == {"Up": {}}


def test_extend_keeps_to_the_bound(tmp_path: Path) -> None:
    """Starts beyond the end count like those before."""
    report = followed(COUNTER, tmp_path, "[explicit]", "Up", extend=3, max_actions="2")
    assert tree(report.next) == {"Up": {}, "Down": {}}


def test_extend_lists_steps_that_fail(tmp_path: Path) -> None:
    """With what goes wrong in them."""
    report = followed(COUNTER.replace("n += 1", "n += 1 // (1 - n)"), tmp_path, "Up", extend=1)
    assert [(step.entry.label, step.fails and step.fails.code) for step in report.next] == [
        ("Up", "R5"),
        ("Down", None),
    ]


def test_extend_has_an_end(tmp_path: Path) -> None:
    """Where there are too many steps to list, all those are listed that are nearer, and that is said."""
    report = followed(COUNTER, tmp_path, "Up", extend=60)
    assert not report.all_listed
    assert 5 < report.extended < 60
    assert depth(report.next) == report.extended
    once = COUNTER.replace("require n > 0", "require n > 9")
    assert followed(once, tmp_path, "Up", extend=60).all_listed


# --- time and memory -------------------------------------------------------------------------------------------------


class Ticking:
    """A clock on which a second goes by each time that it is read."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        self.time += 1
        return self.time


@pytest.mark.parametrize("seconds", [1, 12])
def test_time_ends_it(seconds: int) -> None:
    """Before the end of the trace, and among the steps after it; complete lists are reported."""
    module = module_of(COUNTER)
    patience = Patience(Limits(time_s=seconds), now=Ticking())
    report = follow(module, None, extend=50, patience=patience)
    assert report.cut_by is StopReason.TIMEOUT
    assert (report.verdict, report.exit_code) == ("nothing found", ExitCode.BOUNDED)
    assert not report.all_listed or seconds == 1
    assert report.extended < 50
    assert bool(report.next) == bool(report.extended)


def test_a_long_step_is_left() -> None:
    """Time also ends what is within one step."""
    text = "action Init:\n    x = len([0 for a in range(1000) for b in range(1000)])\n"
    report = follow(module_of(text), None, patience=Patience(Limits(time_s=20), now=Ticking()))
    assert report.cut_by is StopReason.TIMEOUT
    assert report.trace is None


def test_an_interruption_is_told() -> None:
    """It ends what is going on, and the verdict says so."""
    patience = Patience(asked=lambda: True)
    report = follow(module_of(COUNTER), None, extend=3, patience=patience)
    assert (report.verdict, report.exit_code) == ("interrupted", ExitCode.INTERRUPTED)


def test_states_of_many_lines_fill_the_list(tmp_path: Path) -> None:
    """3,000 instances: each of the 3,000 steps would show a state of as many lines."""
    text = "role R:\n    action A: pass\n\naction Init:\n    x = [R() for i in range(3000)]\n"
    report = followed(text, tmp_path, extend=2)
    assert not report.all_listed and report.extended == 1
    assert sum(len(step.entry.state) for step in report.next) <= MOST_LINES + 6_000
    assert len(report.next) > 50


def test_one_of_many_alternatives_is_found_soon(tmp_path: Path) -> None:
    """The spelling of each choice does not look at all the others again."""
    text = "action Init:\n    x = 0\n\naction Go:\n    x = oneof range(20000)\n"
    report = followed(text, tmp_path, "Go", "Any:x=19999")
    assert report.trace is not None and labels(report.trace)[-1] == "Go[Any:x=19999]"
