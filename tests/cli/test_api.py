"""`fizzpy.check` from Python: the same answer as the command's, with Python values for constants."""

from __future__ import annotations

from pathlib import Path

import pytest

import fizzpy
from checker.core.given import literal, option_text
from checker.core.locate import bundled_models, locate

MODEL = """\
LIMIT = 3
PAIR = ("a", 1)
action Init:
    n = 0
atomic action Up:
    require n < LIMIT
    n += 1
atomic action Rest: pass
always assertion Small:
    return n <= LIMIT and len(PAIR) == 2
"""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-3, "-3"),
        (1.5, "1.5"),
        (float("inf"), 'float("inf")'),
        ('a"\n', '"a\\"\\n"'),
        (b"a\x00", 'b"\\x61\\x00"'),
        ([1, [2]], "[1, [2]]"),
        ((1,), "(1,)"),
        ((), "()"),
        ({"a": {1: ()}}, '{"a": {1: ()}}'),
        ({2, 1}, "set([1, 2])"),
        (range(0, 6, 2), "range(0, 6, 2)"),
    ],
)
def test_literals(value: object, text: str) -> None:
    """A Python value becomes an expression of the language."""
    assert literal(value) == text


def test_other_values_are_refused() -> None:
    """What the language has no literal for is a wrong request."""
    with pytest.raises(fizzpy.UsageProblem, match="object"):
        literal(object())


def test_option_text() -> None:
    """Strings stand for themselves; booleans, numbers and lists are spelled as in the front matter."""
    assert [option_text(value) for value in ("strict", True, 5, ["a"])] == ["strict", "true", "5", '["a"]']


def test_check_returns_a_report(tmp_path: Path) -> None:
    """Constants, options and engine are keywords; a violated property is a result."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    report = fizzpy.check(model, engine="plain", constants={"LIMIT": 5, "PAIR": (1, 2)}, options={"liveness": "off"})
    assert (report.verdict, report.states, report.exit_code) == ("passed", 6, fizzpy.ExitCode.PASSED)
    violated = fizzpy.check(model, constants={"PAIR": [1]})
    assert violated.exit_code == 12
    assert isinstance(violated.trace, fizzpy.Trace)


def test_simulate_returns_a_report(tmp_path: Path) -> None:
    """Walks are the same for the same seed; what they violate is a result."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    first, again = (fizzpy.simulate(model, runs=3, seed=7, steps=20, constants={"LIMIT": 2}) for _ in range(2))
    assert isinstance(first, fizzpy.SimulationReport)
    assert (first.verdict, first.walks, first.steps) == (again.verdict, again.walks, again.steps)
    assert (first.verdict, first.walks, first.exit_code) == ("nothing found", 3, fizzpy.ExitCode.PASSED)
    violated = fizzpy.simulate(model, constants={"PAIR": [1]}, options={"max_actions": 4}, properties=["Small"])
    assert (violated.exit_code, violated.leading, violated.walk) == (12, "Small", 0)


def test_simulate_tells_how_far_it_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`progress` is called with the walks and steps so far."""
    monkeypatch.setattr("checker.traces.walker._TICK_S", 0.0)
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    reported: list[tuple[int, int, int]] = []
    report = fizzpy.simulate(model, runs=2, steps=5, progress=lambda p: reported.append((p.walks, p.runs, p.steps)))
    assert reported == [(1 + i // 5, 2, i + 1) for i in range(report.steps)] and report.steps == 10


def test_trace_returns_a_report(tmp_path: Path) -> None:
    """A guided trace comes from a file or as lines, and may be extended."""
    model, guide = tmp_path / "m.fizz", tmp_path / "m.trace"
    model.write_text(MODEL)
    guide.write_text("Up\nUp\n")
    followed = fizzpy.trace(model, guide)
    assert isinstance(followed, fizzpy.GuidedReport)
    assert followed.trace == fizzpy.trace(model, ["Up", "Up"]).trace
    assert followed.trace is not None and followed.trace.steps == 2
    assert [next_step.entry.label for next_step in fizzpy.trace(model, extend=1).next] == ["Up", "Rest"]
    assert fizzpy.trace(model, ["Up"], constants={"PAIR": [1]}).exit_code == 12
    with pytest.raises(fizzpy.UsageProblem, match="trace:2: "):
        fizzpy.trace(model, ["Up", "Down"])


def test_explain_returns_a_report(tmp_path: Path) -> None:
    """Over the exploration, or in a state."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL + "atomic action Never:\n    require n > LIMIT\n    n = 0\n")
    report = fizzpy.explain(model)
    assert isinstance(report, fizzpy.ActionsReport)
    assert [(one.action, one.attempts, one.fired) for one in report.actions] == [("Never", 4, 0)]
    assert fizzpy.explain(model, constants={"LIMIT": -1}).actions[0].action == "Up"
    assert fizzpy.explain(model, "Never", max_states=1).stopped == "max_states"
    state = fizzpy.explain(model, "Up", follow=["Up", "Rest"], step=1, constants={"LIMIT": 1})
    assert isinstance(state, fizzpy.StateReport)
    assert [one.name for one in state.disabled] == ["Up"]
    assert fizzpy.explain(model, follow=[]).trace.steps == 0
    with pytest.raises(fizzpy.UsageProblem):
        fizzpy.explain(model, "Absent")


def test_coverage_returns_counts(tmp_path: Path) -> None:
    """By file and line."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    found = fizzpy.coverage(model, constants={"LIMIT": 2}, properties=["Small"])
    assert isinstance(found, fizzpy.Coverage)
    assert (found.states, found.ran, found.statements) == (3, found.statements, found.statements)
    assert found.runs[str(model), 7] == 2
    model.write_text("BROKEN = 1 // 0\n" + MODEL)
    with pytest.raises(fizzpy.UsageProblem, match="constants"):
        fizzpy.coverage(model)


def test_mistakes_are_raised(tmp_path: Path) -> None:
    """A model that does not load raises FizzError, a wrong request raises Problem."""
    (tmp_path / "m.fizz").write_text(MODEL + "oops")
    with pytest.raises(fizzpy.FizzError):
        fizzpy.check(tmp_path / "m.fizz")
    with pytest.raises(fizzpy.Problem, match="no file"):
        fizzpy.check(tmp_path / "absent.fizz")


def test_every_public_name_is_there() -> None:
    """What the module announces can be fetched, and nothing else can."""
    for name in fizzpy.__all__:
        assert getattr(fizzpy, name)
    with pytest.raises(AttributeError, match="absent"):
        _ = fizzpy.absent


def test_bundled_models_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By bare name, from any folder; a path with a folder in it means that path only."""
    monkeypatch.chdir(tmp_path)
    assert Path(locate("VeniceLeaderFollower.fizz")).is_file()
    assert {path.name for path in bundled_models()} >= {"VeniceOffsetFirst.fizz", "TwoPhase.fizz", "DieHard.fizz"}
    with pytest.raises(fizzpy.UsageProblem):
        locate("./VeniceLeaderFollower.fizz")
