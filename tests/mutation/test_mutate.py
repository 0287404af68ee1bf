"""Which mutants are noticed, which survive, and which are the model itself in other words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import fizzpy
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience
from checker.core.problems import UsageProblem
from checker.mutation.mutation_report import MutantResult
from checker.mutation.trying import patient
from fizzpy import MutationReport
from tests.cli.conftest import Ended

TICKETS = """\
action Init:
    left = 2
    sold = 0
    log = 0

atomic action Sell:
    require left > 0
    left -= 1
    sold += 1

atomic action Note:
    require log < 1
    log += 1

atomic action Idle:
    pass

always assertion Conserved:
    return left + sold == 2

always assertion NeverNegative:
    return left >= 0
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tickets.fizz"
    path.write_text(TICKETS, encoding="utf-8")
    return path


def one(report: MutationReport, line: int, change: str, diff: str) -> MutantResult:
    """The mutant with this change in a line."""
    (found,) = (m for m in report.results if (m.span.line, m.change) == (line, change) and diff in "\n".join(m.diff))
    return found


def test_fates(model: Path) -> None:
    """A guard of a property is noticed; what no property speaks of survives; a guard of nothing is equivalent."""
    report = fizzpy.mutate(model, workers=2)
    guard = one(report, 7, "guard dropped", "require left > 0")
    assert guard.fate == "noticed" and guard.by == ("NeverNegative",) and guard.function == "action Sell"
    assert one(report, 9, "statement dropped", "sold += 1").by == ("Conserved",)
    assert one(report, 13, "statement dropped", "log += 1").fate == "survived"
    assert one(report, 12, "comparison changed", "require log <= 1").fate == "survived"
    assert one(report, 8, "statement moved down", "left -= 1").fate == "equivalent"
    assert report.exit_code == 1
    assert report.noticed_by["Conserved"][0] >= report.noticed_by["Conserved"][1] > 0
    assert all(mutant.fate != "not run" for mutant in report.results)
    assert f"{len(report.survivors)} survived" in repr(report)


def test_beyond_the_budget(model: Path) -> None:
    """A mutant with far more states is shown as such, and counts neither as noticed nor as a survivor."""
    report = fizzpy.mutate(model, workers=2, options={"max_actions": 2000, "crash_on_yield": False})
    endless = one(report, 12, "guard dropped", "require log < 1")
    assert endless.fate == "beyond the budget" and endless.why is not None
    assert "it has more than 1,000 states, the model 6" in endless.why


def test_time_decides_nothing(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that is given up for its time is not judged: it is none that survived, nor beyond the budget."""
    monkeypatch.setattr("checker.mutation.trying.NET_S", 0.0)
    monkeypatch.setattr("checker.mutation.trying._SLOWER", 0)
    report = fizzpy.mutate(model, workers=1, at_most=12)
    assert report.counts["not judged"] > 8 and report.exit_code == 3
    assert not report.counts["survived"] and not report.counts["noticed"] and not report.counts["beyond the budget"]
    assert {one.why for one in report.results if one.fate == "not judged"} == {"given up after 0 s of a processor"}


def test_a_mutant_that_is_interrupted(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not run: whether a property notices it is not known."""

    def interrupted(limits: Limits) -> Patience:
        patience = patient(limits)
        patience.interrupt()
        return patience

    monkeypatch.setattr("checker.mutation.trying.patient", interrupted)
    report = fizzpy.mutate(model, workers=1, at_most=6)
    assert report.counts["not run"] > 3 and not report.counts["not judged"] and not report.counts["survived"]


def test_what_does_not_load(tmp_path: Path) -> None:
    """A mutant that lacks a name says why it does not load."""
    path = tmp_path / "m.fizz"
    path.write_text("action Init:\n    x = 0\natomic action Go:\n    require x == 0\n    pass\n", encoding="utf-8")
    report = fizzpy.mutate(path, workers=1)
    lost = one(report, 2, "statement dropped", "x = 0")
    assert lost.fate == "does not load" and "undefined name 'x'" in str(lost.why)
    assert "a check refuses a model with this mistake" in str(lost.hint)
    assert all(other.hint is None for other in report.results if other.fate != "does not load")


def test_weaker_fairness_is_not_equivalent(tmp_path: Path) -> None:
    """States and transitions are the same without fairness: it is noticed by liveness, or survives."""
    path = tmp_path / "m.fizz"
    text = "action Init: x = 0\natomic fair action Go: x = 1\n"
    path.write_text(text + "eventually always assertion Done: return x == 1\n", encoding="utf-8")
    assert one(fizzpy.mutate(path, workers=1), 2, "fairness weakened", "").by == ("Done",)
    path.write_text(text, encoding="utf-8")
    report = fizzpy.mutate(path, workers=1)
    assert one(report, 2, "fairness weakened", "").fate == "survived"
    assert one(report, 2, "fairness strengthened", "").fate == "equivalent"


def test_a_model_that_is_wrong_already(model: Path) -> None:
    """Nothing can be noticed of a model whose property is violated as it is."""
    with pytest.raises(UsageProblem, match="the model itself is not right: NeverNegative"):
        fizzpy.mutate(_changed(model, "return left >= 0", "return left > 0"))


def _changed(model: Path, old: str, new: str) -> Path:
    model.write_text(TICKETS.replace(old, new), encoding="utf-8")
    return model


def test_few_of_them(model: Path) -> None:
    """`at_most` tries so many, evenly over the model."""
    assert len(fizzpy.mutate(model, at_most=5, workers=2).results) == 5


def test_the_command(model: Path, fizzpy: Callable[..., Ended]) -> None:
    """Survivors are printed with place and changed lines, and the code says that there are some; JSON has all."""
    ended = fizzpy("mutate", str(model), "--workers", "2", "--no-color")
    assert ended.code == 1
    assert "survived  tickets.fizz:13 in action Note: statement dropped\n    - log += 1" in ended.out
    assert "noticed  tickets.fizz" not in ended.out
    data = json.loads(fizzpy("mutate", str(model), "--workers", "2", "--json").out)
    assert data["counts"]["survived"] == sum(one["fate"] == "survived" for one in data["mutants"])
    assert {"file", "line", "diff", "why", "by"} <= data["mutants"][0].keys()
    assert "noticed  tickets.fizz:7" in fizzpy("mutate", str(model), "--every", "--no-color").out


def test_time_that_is_too_short(model: Path, fizzpy: Callable[..., Ended]) -> None:
    """When the time is over, what was tried is printed, and the rest is counted as not run."""
    ended = fizzpy("mutate", str(model), "--timeout", "0.9", "--workers", "1", "--no-color")
    assert ended.code in (1, 2, 3)
    assert "not run" in ended.out or "not explored" in ended.err or "MUTATED" in ended.out


def test_a_busy_machine() -> None:
    """What a mutant may take is counted in seconds of a processor: to wait for one takes none."""
    patience = patient(Limits(time_s=0.02))
    time.sleep(0.03)
    assert patience.over is None
    begun = time.process_time()
    while time.process_time() < begun + 0.03:
        pass
    assert patience.over is StopReason.TIMEOUT
