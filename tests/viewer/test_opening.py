"""Reports and guided traces as files: what is opened is what was saved; what can not be opened is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.report.json_commands import json_guided, json_simulation
from checker.report.json_report import json_report
from checker.swarm.simulate import simulate
from checker.traces.guided import follow
from checker.traces.save_trace import guide_text
from checker.tui.opened.alternatives import AlternativeFinder
from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.opened.opened_paths import Path as ViewedPath
from checker.tui.opened.opening_files import open_guide, open_report
from fizz import load
from tests.viewer.conftest import BANK, CRASH, FAILS, FINE, LASSO, NODES, opened

Write = Callable[..., str]
NOTHING = Given({}, {})
# Here an assertion fails, after a step that does not.
UNANSWERED = """\
action Init: x = 0
atomic action Go: x = 1
always assertion P:
    if x == 0: return True
"""
MODELS = {"unanswered": UNANSWERED, "bank": BANK, "nodes": NODES, "lasso": LASSO, "fails": FAILS}


def records(path: ViewedPath) -> object:
    """All that a reader sees of a path."""
    trace = path.trace
    return [(e.label, e.state, e.lines, e.fails) for e in trace.entries], trace.cycle_start, trace.stutter


def max_actions(found: OpenedPaths) -> int:
    """What the model was given for that option."""
    assert found.machine is not None
    return found.machine.program.options.max_actions


def report_of(model: str, folder: Path) -> dict[str, Any]:
    """The report of a check, as saved, and as an object."""
    text = json_report(check(model))
    (folder / "report.json").write_text(text)
    found: dict[str, Any] = json.loads(text)
    return found


def save(folder: Path, fields: object) -> str:
    (folder / "report.json").write_text(json.dumps(fields))
    return "report.json"


@pytest.mark.parametrize("name", MODELS)
def test_a_report_tells_as_much_as_the_check(name: str, written: Write, tmp_path: Path) -> None:
    """States, lines, cycles and failures come back, though the report has but labels and changes."""
    model = written(MODELS[name])
    report_of(model, tmp_path)
    found, direct = open_report("report.json", NOTHING).whole(), opened(model)
    assert [records(shown.path) for shown in found.paths] == [records(shown.path) for shown in direct.paths]
    assert [shown.name for shown in found.paths] == [shown.name for shown in direct.paths]
    assert [shown.sentence for shown in found.paths] == [shown.sentence for shown in direct.paths]


@pytest.mark.parametrize("name", MODELS)
def test_a_guided_trace_finds_its_model(name: str, written: Write, tmp_path: Path) -> None:
    """The command at its head names the model and its constants; comments say where the cycle is."""
    model = written(MODELS[name])
    direct = opened(model)
    trace = direct.paths[0].path.trace
    text = guide_text(load(model), trace, ("violated", f"fizzpy trace {model} --follow t.txt"))
    (tmp_path / "t.txt").write_text(text)
    found = open_guide("t.txt", NOTHING).whole()
    assert records(found.paths[0].path) == records(direct.paths[0].path)


def test_constants_of_a_guided_trace(written: Write, tmp_path: Path) -> None:
    """They are taken from the command at its head, unless others are given."""
    model = written("LIMIT = 9\n" + BANK.replace("balance = 100", "balance = LIMIT"))
    (tmp_path / "t.txt").write_text(
        f"# fizzpy trace {model} --set LIMIT=70 --option max_actions=5 --follow t.txt\nWithdraw\n"
    )
    found = open_guide("t.txt", NOTHING).whole()
    assert found.paths[0].path.trace.entries[-1].state == (("balance", "10"),)
    assert max_actions(found) == 5
    found = open_guide("t.txt", Given({"LIMIT": "80"}, {})).whole()
    assert found.paths[0].path.trace.entries[-1].state == (("balance", "20"),)


def test_constants_of_a_report(written: Write, tmp_path: Path) -> None:
    """A report names what the model was given; what is given on top of that counts more."""
    model = written("LIMIT = 9\n" + BANK.replace("balance = 100", "balance = LIMIT"))
    given = Given({"LIMIT": "100"}, {"max_actions": "5"})
    report = check(model, constants=given.constants, options=given.options)
    (tmp_path / "report.json").write_text(json_report(report))
    found = open_report("report.json", NOTHING).whole()
    assert dict(found.paths[0].path.trace.entries[0].state) == {"balance": "100"}
    assert max_actions(found) == 5
    found = open_report("report.json", Given({}, {"max_actions": "7"})).whole()
    assert max_actions(found) == 7
    with pytest.raises(UsageProblem, match="does not fit"):
        open_report("report.json", Given({"LIMIT": "80"}, {})).whole()


@pytest.mark.parametrize("save", [json_simulation, json_guided], ids=["simulate", "trace"])
def test_constants_of_walks(save: Callable[[Any], str], written: Write, tmp_path: Path) -> None:
    """The reports of walks name them too."""
    model = written("LIMIT = 9\n" + BANK.replace("balance = 100", "balance = LIMIT"))
    if save is json_simulation:
        text = json_simulation(simulate(model, runs=50, seed=3, constants={"LIMIT": "100"}))
    else:
        text = json_guided(follow(model, ["Withdraw"], constants={"LIMIT": "100"}))
    assert json.loads(text)["constants"] == {"LIMIT": "100"}
    (tmp_path / "walk.json").write_text(text)
    assert dict(open_report("walk.json", NOTHING).whole().paths[0].path.trace.entries[0].state) == {"balance": "100"}


IMAGES = """\
---
options: {crash_on_yield: false}
deadlock_detection: false
---
symmetric role Node:
    action Init:
        self.s = 0
    atomic action Go:
        require self.s == 0
        self.s = 2 if str(self) == "Node#1" else 1
    atomic action On:
        require self.s == 2
        self.s = 3 if str(self) != "Node#1" else 1
action Init:
    nodes = set([Node() for i in range(3)])
always assertion P:
    return not any([n.s == 3 for n in nodes])
"""
MERGED = """\
---
options: {crash_on_yield: false}
deadlock_detection: false
identity: {exclude: [log]}
---
action Init:
    x, log = 0, []
atomic fair action Flip:
    x = 1 - x
    log.append(x)
eventually always assertion Still:
    return x == 0
"""


@pytest.mark.parametrize(
    ("text", "entries", "remark"),
    [
        (IMAGES, 3, "from step 1 on the states are images: the model breaks its symmetry (--no-symmetry)"),
        (MERGED, 4, "from step 2 on this run has other values of log, which identity.exclude leaves out"),
    ],
    ids=["images", "merged"],
)
@pytest.mark.parametrize("saved", [False, True], ids=["checked", "saved"])
def test_states_that_stand_for_others(
    text: str, entries: int, remark: str, saved: bool, written: Write, tmp_path: Path
) -> None:
    """A counterexample that is not an exact run is shown too, with a remark, and with alternatives in each state."""
    model = written(text)
    if saved:
        report_of(model, tmp_path)
    found = open_report("report.json", NOTHING).whole() if saved else opened(model)
    path = found.paths[0].path
    assert path.remark == remark
    assert len(path.states) == len(path.trace.entries) == entries
    assert found.machine is not None
    finder = AlternativeFinder(found.machine)
    for index in range(entries):
        alternatives = finder.look(path, index)
        assert alternatives is not None and alternatives.enabled
    assert [entry.label for entry in path.trace.entries] == [e["label"] for e in report_of(model, tmp_path)["trace"]]


@pytest.mark.parametrize("constants", [[], {"LIMIT": 100}, None])
def test_damaged_constants(constants: object, written: Write, tmp_path: Path) -> None:
    """They are texts by name, or the report is refused."""
    fields = report_of(written(BANK), tmp_path) | {"constants": constants}
    with pytest.raises(UsageProblem, match="constants"):
        open_report(save(tmp_path, fields), NOTHING)


def test_reports_of_walks(written: Write, tmp_path: Path) -> None:
    """`simulate --json` and `trace --json` are reports like others."""
    model = written(BANK)
    walk = simulate(model, runs=50, seed=3)
    (tmp_path / "walk.json").write_text(json_simulation(walk))
    assert walk.trace is not None
    (shown,) = open_report("walk.json", NOTHING).whole().paths
    assert [entry.state for entry in shown.path.trace.entries] == [entry.state for entry in walk.trace.entries]
    report = follow(model, ["[explicit]", "Withdraw", "Withdraw", "thread-0", "thread-0"])
    (tmp_path / "trace.json").write_text(json_guided(report))
    (shown,) = open_report("trace.json", NOTHING).whole().paths
    assert shown.sentence == "NeverNegative is violated (always, 4 steps)"
    assert len(shown.path.states) == 5


def test_a_report_is_found_beside_its_model(written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its model's path is tried first; then the model's name in the folder of the report."""
    report_of(written(BANK), tmp_path)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert open_report("../report.json", NOTHING).whole().paths


REFUSED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no object": (lambda fields: [1, 2], "no report of fizzpy"),
    "no trace": (lambda fields: fields | {"trace": None, "properties": [], "verdict": "passed"}, "no counterexample"),
    "no fields": (lambda fields: {"verdict": "failed"}, "lacks 'model'"),
    "steps without labels": (lambda fields: fields | {"properties": [_without_labels(fields)]}, "damaged"),
    "properties of another form": (lambda fields: fields | {"properties": 7}, "damaged"),
    "another model": (lambda fields: fields | {"model": "absent.fizz"}, "absent.fizz"),
}


def _without_labels(fields: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = fields["properties"][0]
    return found | {"trace": [{"kind": "init"}]}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_report_is_refused(case: str, written: Write, tmp_path: Path) -> None:
    """One sentence says what is wrong, with a hint."""
    change, fragment = REFUSED[case]
    fields = report_of(written(BANK), tmp_path)
    with pytest.raises(UsageProblem) as problem:
        open_report(save(tmp_path, change(fields)), NOTHING)
    assert fragment in problem.value.text
    assert problem.value.hint


@pytest.mark.parametrize("text", ["", "{", "[[" * 100_000, '{"a": 1} x', "\x00\x01"], ids=range(5))
def test_what_is_no_json_is_refused(text: str, written: Write, tmp_path: Path) -> None:
    """Empty, cut off, too deep, binary."""
    written(BANK)
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(UsageProblem, match="damaged, or no report"):
        open_report("report.json", NOTHING).whole()


def test_a_model_that_has_changed_is_said(written: Write, tmp_path: Path) -> None:
    """The step that it does not take any more, and those that it has there."""
    model = written(BANK)
    report_of(model, tmp_path)
    written(BANK.replace("cash = 60", "cash = 50"))
    with pytest.raises(
        UsageProblem, match=r"does not fit m\.fizz: .* step 1, 'Withdraw'; the steps there are Withdraw"
    ) as p:
        open_report("report.json", NOTHING).whole()
    assert "--set" in str(p.value.hint)
    written(BANK.replace("balance = 100", "balance = 1 // 0"))
    with pytest.raises(UsageProblem, match="'Init'"):
        open_report("report.json", NOTHING).whole()
    written("LIMIT = 1 // 0\n" + BANK)
    with pytest.raises(UsageProblem, match="its constants fail now"):
        open_report("report.json", NOTHING).whole()


def test_a_counterexample_that_is_not_there(written: Write) -> None:
    """`--property` names those that there are."""
    with pytest.raises(UsageProblem, match="no counterexample of Rich") as problem:
        opened(written(BANK)).only(("Rich",))
    assert "NeverNegative" in str(problem.value.hint)
    assert opened(written(NODES)).only(("Once",)).paths[0].name == "Once"


def test_a_guide_without_a_model(written: Write, tmp_path: Path) -> None:
    """It can be given one."""
    model = written(NODES)
    (tmp_path / "t.txt").write_text("\n".join(("[explicit]", *CRASH)))
    with pytest.raises(UsageProblem, match="does not name its model") as problem:
        open_guide("t.txt", NOTHING)
    assert "--follow t.txt" in str(problem.value.hint)
    found = open_guide("t.txt", NOTHING, model).whole()
    assert len(found.paths[0].path.states) == 6


def test_nothing_found_opens_at_init(written: Write) -> None:
    """There is a sentence that says so."""
    found = opened(written(FINE))
    assert found.by_hand
    assert found.paths[0].sentence == "every property holds"
