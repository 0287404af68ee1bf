"""From a model to a report: verdicts and exit codes, the leading counterexample, its trace, warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Progress, Settings
from checker.core.limits import Limits
from checker.core.problems import ExitCode, UsageProblem
from checker.core.report import Report
from checker.core.trace import Change

Check = Callable[..., Report]

COUNTER = """\
action Init:
    n = 0
atomic action Up:
    require n < 3
    `step` n += 1
    return n
"""


@pytest.fixture
def report(engine: str, tmp_path: Path) -> Check:
    """Check a text with the engine under test."""

    def run(text: str, options: Mapping[str, str] | None = None, **settings: object) -> Report:
        path = tmp_path / "m.fizz"
        path.write_text(text)
        return check(path, engine=engine, settings=Settings(**settings), options=options)  # type: ignore[arg-type]

    return run


def verdicts(found: Report) -> dict[str, str]:
    return {p.name: p.verdict for p in found.properties}


# --- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "verdict", "code"),
    [
        ("", "deadlock", ExitCode.DEADLOCK),
        ("atomic action Rest: pass\n", "passed", ExitCode.PASSED),
        ("always assertion P: return n < 2\n", "failed", ExitCode.SAFETY),
        ("atomic action Rest: pass\nexists assertion P: return n == 4\n", "failed", ExitCode.SAFETY),
        ("atomic action Rest: pass\nalways eventually assertion P: return n == 3\n", "failed", ExitCode.LIVENESS),
        ("atomic action Bad:\n    require n == 2\n    n = 1 // 0\n", "error", ExitCode.MODEL_ERROR),
    ],
)
def test_verdict_and_exit_code(report: Check, more: str, verdict: str, code: ExitCode) -> None:
    """Each kind of answer has its verdict and its exit code."""
    found = report(COUNTER + more)
    assert (found.verdict, found.exit_code) == (verdict, code)
    assert (found.trace is None) == (verdict == "passed" or "exists" in more)


def test_bounded(report: Check) -> None:
    """A search that the bound cut says so, with the number of states, and warns."""
    found = report(COUNTER + "exists assertion Two: return n == 2\n", {"max_actions": "1"})
    assert (found.verdict, found.exit_code, found.cut, found.cut_by) == ("bounded", ExitCode.BOUNDED, 1, "max_actions")
    assert verdicts(found) == {"Two": "undecided", "deadlock": "holds-within-bound"}
    assert [w.code for w in found.warnings] == ["W12"]
    assert report(COUNTER, limits=Limits(states=2)).cut_by == "max_states"
    assert report(COUNTER, limits=Limits(time_s=1e-9)).cut_by == "timeout"


def test_the_lead_is_the_same_with_and_without_going_on(report: Check) -> None:
    """The report leads with the shortest violation of the earliest kind; with equal lengths, in file order."""
    text = COUNTER + "".join(
        f"always assertion {name}: return n < {limit}\n" for name, limit in (("Late", 3), ("B", 2), ("A", 2))
    )
    stopped, whole = report(text), report(text, keep_going=True)
    assert stopped.leading == whole.leading == "B"
    assert stopped.trace == whole.trace
    assert verdicts(stopped) == {"Late": "undecided", "B": "violated", "A": "violated", "deadlock": "undecided"}
    assert verdicts(whole) == {"Late": "violated", "B": "violated", "A": "violated", "deadlock": "violated"}
    assert [p.steps for p in whole.properties] == [3, 2, 2, 3]


def test_selected_properties(report: Check) -> None:
    """Only the selected assertions are checked; deadlock stays; an unknown name is refused with near names."""
    text = COUNTER + "always assertion Low: return n < 2\nalways assertion Wide: return n < 9\n"
    assert verdicts(report(text, properties=("Wide",))) == {"Wide": "holds", "deadlock": "violated"}
    with pytest.raises(UsageProblem, match="no assertion 'Wid'") as problem:
        report(text, properties=("Wid",))
    assert problem.value.hint == "did you mean 'Wide'?"


def test_unknown_engine() -> None:
    """The engines there are are named."""
    with pytest.raises(UsageProblem, match="no engine 'fast'") as problem:
        check("m.fizz", engine="fast")
    assert problem.value.hint is not None and "embedded" in problem.value.hint


def test_an_assertion_named_deadlock(report: Check) -> None:
    """It is not mistaken for the built-in check."""
    found = report(COUNTER + "always assertion deadlock: return n < 2\n", keep_going=True)
    assert [(p.kind, p.steps) for p in found.properties] == [("always", 2), ("deadlock", 3)]


def test_interrupted(report: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C gives the part that was explored: exit code 130."""
    from interpreter.state.encoding import Encoder

    def interrupt(encoder: Encoder, slot: tuple[object, ...], number: int) -> int:
        if slot == ("heap", "n") and encoder._interner.payload(number) == 2:
            raise KeyboardInterrupt
        return original(encoder, slot, number)

    original = Encoder.slot_sum
    monkeypatch.setattr(Encoder, "slot_sum", interrupt)
    found = report(COUNTER)
    assert (found.verdict, found.exit_code, found.states) == ("interrupted", ExitCode.INTERRUPTED, 2)
    assert verdicts(found) == {"deadlock": "undecided"}


def test_progress_is_told(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress reports the states found so far within a level, and the judgement of liveness."""
    monkeypatch.setattr("checker.search.driver._TICK_S", 0.0)
    (tmp_path / "m.fizz").write_text(COUNTER + "always eventually assertion P: return n == 0\natomic action R: pass\n")
    reports: list[Progress] = []
    found = check(tmp_path / "m.fizz", engine=engine, progress=reports.append)
    assert {p.phase for p in reports} == {"exploring", "judging liveness"}
    assert reports[-1].states == found.states


# --- traces -----------------------------------------------------------------------------------------------------------


def test_entries_of_a_trace(report: Check) -> None:
    """Entry 0 is Init; an entry has the step, the actor, the lines, the changes, labels and returns."""
    found = report(COUNTER + "always assertion P: return n < 1\n")
    assert found.trace is not None
    init, step = found.trace.entries
    assert (init.label, init.kind, init.state) == ("Init", "init", (("n", "0"),))
    assert (step.label, step.kind, step.actor, step.line) == ("Up", "start", "Up", 4)
    assert step.changes == (Change("n", "0", "1"),)
    assert (step.labels, step.returns) == (("Up.step",), (("Up", "1"),))
    assert [line for _, line in step.lines] == [4, 5, 6]
    assert found.trace.steps == 1


def test_choices_threads_and_crashes_in_a_trace(report: Check) -> None:
    """Choices stand in the label; the crashed step is marked and its thread is gone."""
    found = report(
        "action Init: a, b = 0, 0\n"
        "action Go:\n"
        "    require a == 0\n"
        "    a = oneof [1, 2]\n"
        "    b = 1\n"
        "    b = a\n"
        "atomic action Rest: pass\n"
        "atomic action Mend:\n    require a > b\n    b = a\n"
        "eventually always assertion Same: return a == b\n"
    )
    assert found.trace is not None and found.trace.stutter
    last = found.trace.entries[-1]
    assert last.crash and last.label.endswith(" crash")
    assert last.choices and last.choices[0].startswith("Any:a=")
    assert [c.place for c in last.changes] == ["a", "b"]
    assert found.trace.fairness[-1].startswith("Mend could start here")


def test_a_continued_thread_names_its_action(report: Check) -> None:
    """The label is the thread's, the actor its root action; the thread that is gone was one line of the state."""
    found = report(
        "role Node:\n"
        "    action Init: self.x = 0\n"
        "    action Go:\n"
        "        require self.x == 0\n"
        "        self.x = 1\n"
        "        self.x = 2\n"
        "action Init: node = Node()\n"
        "always assertion P: return node.x < 2\n"
    )
    assert found.trace is not None
    start, end = found.trace.entries[1:]
    assert (start.label, start.movers, start.origins) == ("Node#0.Go", (), (None,))
    assert (end.label, end.actor, end.kind) == ("thread-0", "Node#0.Go", "continue")
    assert (end.movers, end.origins) == ((0,), ())
    assert [c.place for c in end.changes] == ["Node#0.x", "thread-0"]
    assert end.changes[1].new is None


def test_a_role_crash_in_a_trace(report: Check) -> None:
    """A role crash names the instance and what it lost."""
    found = report(
        '@state(durable=["d"])\n'
        "role Store:\n"
        "    action Init: self.d, self.c = 0, 0\n"
        "    atomic action Write:\n"
        "        require self.d == 0\n"
        "        self.d, self.c = 1, 1\n"
        "action Init: store = Store()\n"
        "always assertion P: return store.c == store.d\n"
    )
    assert found.trace is not None
    crash = found.trace.entries[-1]
    assert (crash.label, crash.kind, crash.actor, crash.crash) == ("crash-role Store#0", "crash-role", "Store#0", True)
    assert crash.changes == (Change("Store#0.c", "1", "0"),)


def test_a_failed_step_ends_the_trace(report: Check) -> None:
    """Its entry names the step and the lines up to the mistake; nothing comes of it."""
    found = report(COUNTER + "atomic action Bad:\n    require n == 2\n    n = 1 // (n - 2)\n")
    assert found.error is not None and found.trace is not None
    assert (found.error.diagnostic.code, found.error.steps) == ("R5", 3)
    last = found.trace.entries[-1]
    assert (last.label, last.changes, [line for _, line in last.lines]) == ("Bad", (), [8, 9])


def test_a_cycle(report: Check) -> None:
    """A lasso says where its cycle starts and why it is fair."""
    found = report(
        "action Init: on = False\n"
        "atomic fair action Flip: on = not on\n"
        "atomic fair action Stop:\n    require on\n    on = False\n"
        "eventually always assertion Off: return not on\n"
    )
    assert found.trace is not None
    assert (found.trace.cycle_start, found.trace.steps) == (2, 3)
    assert any("Flip is weakly fair" in sentence for sentence in found.trace.fairness)


# --- symmetry ---------------------------------------------------------------------------------------------------------

RING = """\
symmetric role Node:
    action Init:
        self.s = 0
    atomic {fair}action Step:
        require self.s < 2
        self.s += 1
action Init:
    nodes = bag()
    nodes.add_all([Node(), Node(), Node()])
atomic action Rest: pass
"""
DONE = "always eventually assertion Done: return all([node.s == 2 for node in nodes])\n"


def test_symmetry_reduces_and_the_trace_is_concrete(report: Check) -> None:
    """States are counted up to renaming; the trace goes from concrete state to concrete state."""
    text = RING.format(fair="") + "always assertion P: return len([n for n in nodes if n.s == 2]) < 2\n"
    found, plain = report(text), report(text, symmetry=False)
    assert found.states < plain.states
    assert found.trace is not None and plain.trace is not None
    assert found.trace.steps == plain.trace.steps == 4
    assert all(len(entry.changes) == 1 for entry in found.trace.entries[1:])
    assert report(RING.format(fair="")).states == 10


@pytest.mark.parametrize(("fair", "verdict"), [("", "violated"), ("fair ", "holds"), ("fair<strong> ", "holds")])
def test_liveness_under_symmetry(report: Check, fair: str, verdict: str) -> None:
    """Where renaming loses the names of instances the whole space decides; the counts stay those of the reduced one."""
    found = report(RING.format(fair=fair) + DONE)
    assert (found.states, verdicts(found)["Done"]) == (10, verdict)


def test_broken_symmetry_is_noticed(report: Check) -> None:
    """A model that distinguishes symmetric instances gets a warning, and still an answer."""
    text = RING.format(fair="").replace("require self.s < 2", "require self.s < 2 and self.__id__.index != 1")
    found = report(text + "always assertion P: return len([n for n in nodes if n.s == 2]) < 2\n")
    assert "W13" in [w.code for w in found.warnings]
    assert found.verdict in ("failed", "passed")


def test_symmetry_is_looked_at_where_instances_come(report: Check) -> None:
    """The name that a renaming gives to an instance may be that of a new one."""
    text = """\
Net = Channel()
symmetric role A:
    action Go: na = A(), A()
action Init:
    na = [A()]
    out = Net.stub(na[0])
"""
    assert report(text).verdict == "passed"


# --- warnings ---------------------------------------------------------------------------------------------------------


def test_an_action_that_never_acts(report: Check) -> None:
    """The location is that at which it gave up most often; only a complete exploration reports it."""
    idle = (
        "atomic action Never:\n    require n >= 0\n    if n < 3:\n        require n < 0\n    require n > 3\n    pass\n"
    )
    found = report(COUNTER + idle)
    (warning,) = found.warnings
    assert warning.code == "W3" and "'Never'" in warning.text
    assert warning.span is not None and warning.span.line == 10
    assert report(COUNTER + idle + "always assertion P: return n < 1\n").warnings == ()


def test_many_actions_that_never_act(report: Check) -> None:
    """More than three share one warning: a constant may disable a part of a model."""
    idle = "".join(f"atomic action Never{i}:\n    require n < 0\n    pass\n" for i in range(4))
    (warning,) = report(COUNTER + idle).warnings
    assert (warning.code, warning.span) == ("W3", None)
    assert warning.text == "4 actions never had a step: Never0, Never1, Never2, Never3"
    assert "fizzpy explain" in str(warning.hint)


def test_warnings_concern_the_run(report: Check) -> None:
    """That nothing is fair matters where liveness was judged, and not where the run ended with something else."""
    live = "atomic action Rest: pass\nalways eventually assertion Late: return n == 3\n"
    safe = "always assertion P: return n < 1\n"
    assert [w.code for w in report(COUNTER + live).warnings] == ["W11"]
    assert [w.code for w in report(COUNTER + live + safe).warnings] == []
