"""The JSON report has exactly the fields that programs may rely on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import ExitCode
from checker.core.report import PropertyReport
from checker.core.trace import Why
from checker.report.json_report import json_error, json_problem, json_report
from fizz.base.errors import Diagnostic, FizzError, Span

FIELDS = [
    "verdict", "exit_code", "model", "engine", "constants", "options", "asked", "states", "transitions", "crash_steps",
    "initial", "cut", "cut_by", "unfinished", "depth", "properties", "trace", "excluded", "error", "warnings",
    "elapsed_s", "cpu_s", "peak_memory_mb",
]  # fmt: skip


def test_fields(samples: Any) -> None:
    """One object; `stats` only if there are any."""
    fields = json.loads(json_report(samples.report()))
    assert list(fields) == FIELDS
    assert fields["exit_code"] == 12
    assert fields["error"] is None
    with_stats = json.loads(json_report(samples.report(stats={"interpreter_calls": 7})))
    assert with_stats["stats"] == {"interpreter_calls": 7}


def test_warnings(samples: Any) -> None:
    """All of them, with their locations."""
    warning = Diagnostic("W4", "never executed", Span("m.fizz", 3, 5, 3, 9), "a hint")
    (found,) = json.loads(json_report(samples.report(warnings=(warning,))))["warnings"]
    assert found == {
        "code": "W4", "file": "m.fizz", "line": 3, "column": 5, "text": "never executed", "hint": "a hint"
    }  # fmt: skip


def test_what_was_asked(tmp_path: Path) -> None:
    """Constants and options are there as they were given, and what else decides about the answer, where it is set."""
    (tmp_path / "m.fizz").write_text("N = 3\naction Init: n = 0\natomic action Up: n = (n + 1) % N\n")
    settings = Settings(keep_going=True, limits=Limits(states=7, depth=9, time_s=60.0), symmetry=False, stats=True)
    report = check(tmp_path / "m.fizz", settings=settings, constants={"N": "4"}, options={"max_actions": "9"})
    fields = json.loads(json_report(report))
    assert (fields["constants"], fields["options"]) == ({"N": "4"}, {"max_actions": "9"})
    limits = {"max_states": 7, "max_depth": 9, "timeout": 60.0}
    assert fields["asked"] == {"keep_going": True, **limits, "no_symmetry": True}
    plain = json.loads(json_report(check(tmp_path / "m.fizz")))
    assert (plain["constants"], plain["options"], plain["asked"]) == ({}, {}, {})


def test_properties_have_their_traces(samples: Any) -> None:
    """A violated property brings its counterexample; the others none."""
    violated, undecided, _ = json.loads(json_report(samples.report()))["properties"]
    assert (violated["name"], violated["kind"], violated["verdict"], violated["steps"]) == (
        "Acknowledged",
        "always",
        "violated",
        3,
    )
    assert len(violated["trace"]) == 4
    assert undecided == {"name": "Reached", "kind": "exists", "verdict": "undecided", "steps": None}


def test_entries(samples: Any) -> None:
    """Entry 0 is Init; a change is place, old and new, null where the place did not exist."""
    trace = json.loads(json_report(samples.report()))["trace"]
    assert trace[0]["label"] == "Init"
    assert trace[1] == {
        "label": 'Node#0.Consume[Any:key="a"]',
        "kind": "start",
        "actor": "Node#0.Consume",
        "file": "store.fizz",
        "line": 10,
        "choices": ['Any:key="a"'],
        "crash": False,
        "changes": [["thread-0", None, 'Node#0.Consume at store.fizz:12 {event = {"key": "a"}}']],
    }
    assert trace[2]["crash"] is True


def test_lasso_and_stutter(samples: Any) -> None:
    """`cycle_start` and `stutter` stand beside `trace`, of the report and of the property."""
    finding = PropertyReport("E", "always eventually", "violated", 3, samples.lasso)
    fields = json.loads(json_report(samples.report(properties=(finding,), trace=samples.lasso)))
    assert fields["cycle_start"] == fields["properties"][0]["cycle_start"] == 2
    assert "stutter" not in fields
    stutter = json.loads(json_report(samples.report(trace=samples.stutter)))
    assert stutter["stutter"] is True
    assert "cycle_start" not in stutter


def test_failure_of_the_model(samples: Any) -> None:
    """The error has code, place, text and hint."""
    fields = json.loads(json_report(samples.report(error=samples.failure)))
    assert fields["error"] == {
        "code": "R5",
        "file": "store.fizz",
        "line": 12,
        "column": 23,
        "text": "division by zero",
        "hint": "test the divisor first",
    }


def test_model_that_does_not_load() -> None:
    """The same fields, without counts, and the first diagnostic as the error."""
    error = FizzError((Diagnostic("L20", "undefined name 'x'", Span("m.fizz", 2, 3, 2, 4)), Diagnostic("O1", "other")))
    fields = json.loads(json_error(error, "m.fizz", "plain"))
    assert list(fields) == FIELDS
    assert (fields["verdict"], fields["exit_code"], fields["states"]) == ("error", ExitCode.SYNTAX, 0)
    assert (fields["error"]["code"], fields["error"]["line"]) == ("L20", 2)


def test_a_request_that_cannot_be_served() -> None:
    """The same fields again; the error has a text and a hint, and neither code nor place."""
    fields = json.loads(json_problem(ExitCode.USAGE, "there is no file 'n.fizz'", "did you mean 'm.fizz'?"))
    assert list(fields) == FIELDS
    assert (fields["verdict"], fields["exit_code"]) == ("error", 2)
    assert fields["error"]["text"] == "there is no file 'n.fizz'"
    assert fields["error"]["hint"] == "did you mean 'm.fizz'?"
    assert fields["error"]["code"] is None
    assert json.loads(json_problem(ExitCode.INTERRUPTED, "interrupted", None))["verdict"] == "interrupted"


def test_excluded_variables(samples: Any) -> None:
    """They stand beside the counts that they make smaller."""
    assert json.loads(json_report(samples.report(excluded=("log",))))["excluded"] == ["log"]


def test_why(samples: Any) -> None:
    """Beside the trace: the state, the line that said no, and expressions with their values."""
    why = Why(3, "store.fizz", 10, (("offset < 1", "False"), ("offset", "1")))
    finding = PropertyReport("Acknowledged", "always", "violated", 3, replace(samples.path, why=why))
    fields = json.loads(json_report(samples.report(properties=(finding,), trace=finding.trace)))
    wanted = {"step": 3, "file": "store.fizz", "line": 10, "facts": [["offset < 1", "False"], ["offset", "1"]]}
    assert fields["why"] == wanted
    assert fields["properties"][0]["why"] == wanted
    assert "why" not in json.loads(json_report(samples.report()))


def test_the_page_has_every_field() -> None:
    """Programs are written from the page."""
    page = (Path(__file__).parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")
    for field in (*FIELDS, "cycle_start", "stutter", "fairness", "why", "stuck", "stats"):
        assert f"`{field}`" in page[page.index("## JSON") :], field
    for code in ExitCode:
        assert code is ExitCode.BROKEN or str(int(code)) in page[page.index("## Exit codes") :], code
