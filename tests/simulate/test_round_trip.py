"""A counterexample of a check, saved as a guided trace and followed, is the same story again."""

from __future__ import annotations

from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import UsageProblem
from checker.core.report import Report
from checker.core.trace import Trace
from checker.expectations.promises import Promise, promises_below
from checker.search.composition.load_whole import load_whole
from checker.traces.guided import follow
from checker.traces.save_trace import guide_text
from tests.sample import one_in
from tests.simulate.models import ALIKE, COUNTER, CRASHING, MESSAGES, SERIAL, module_of

ROOT = Path(__file__).parents[2]
PROMISES = promises_below(ROOT / "models") + promises_below(ROOT / "tests" / "language" / "worked")
BROKEN = [
    promise
    for promise in PROMISES
    if promise.mark == "quick"
    and "kafka" not in promise.model.parts
    and (promise.figures.get("exit", 0) in (11, 12, 13) or promise.figures.get("verdict") in ("failed", "deadlock"))
]

NO_CRASH = "---\noptions: {crash_on_yield: false}\ndeadlock_detection: false\n---\n"
SYMMETRIC = """\
symmetric role Node:
    action Init:
        self.s = 0
    atomic action Step:
        require self.s < 2
        self.s += 1
action Init:
    nodes = bag()
    nodes.add_all([Node(), Node(), Node()])
always assertion NotAll:
    return len([n for n in nodes if n.s > 0]) < 3 or len([n for n in nodes if n.s > 1]) < 2
"""
MANY_STARTS = """\
---
options: {max_actions: 2}
---
@state(ephemeral=["c"])
role Memo:
    action Init:
        self.c = 0
role Store:
    atomic action Jump:
        require x == 0
        x, memo.c = 2, 1
action Init:
    x, memo, store = 0, Memo(), Store()
atomic action One:
    require x == 0
    x = 1
atomic action Two:
    require x == 1
    x = 2
atomic action Three:
    require x == 2 and memo.c == 0
    x = 3
always assertion P:
    return x < 3
"""
"""The state before `Three` is not cut: a jump and a crash lead there too, with one start. The trace has two.

It has no more context switches than the other path, so it is the one reported."""

TEXTS = {
    "one action between the steps of another": SERIAL + "always assertion P:\n    return a > 0 or b != 5\n",
    "a twin": NO_CRASH.replace("false", "true", 1)
    + "action Init: a, b = 0, 0\nfair action Go:\n    require a == b\n    a += 1\n    b = a\n"
    + "always eventually assertion P:\n    return a == b\n",
    "a role crash": CRASHING + "always assertion P:\n    return store.c == store.d or store.d == 0\n",
    "messages out of order": MESSAGES + "always assertion P:\n    return sink.got != [2, 1]\n",
    "alternatives that read alike": ALIKE,
    "symmetric instances": SYMMETRIC,
    "an initial state that is not the least of its images": SYMMETRIC.replace(
        "    nodes.add_all([Node(), Node(), Node()])",
        "    a, b, c = Node(), Node(), Node()\n    a.s = 1\n    nodes.add_all([a, b, c])",
    ),
    "a step that fails": COUNTER.replace("n += 1", "n += 1 // (1 - n)"),
    "an assertion that fails": COUNTER.replace("n <= LIMIT", "1 // (2 - n) > -9"),
    "a deadlock": COUNTER.replace("n > 0", "n > 9"),
    "a transition": COUNTER + "transition assertion P(before, after):\n    return before.n <= after.n\n",
    "choices in Init": COUNTER.replace("n = 0", 'n = oneof [0, 1]\n    s = oneof ["a # b", "\\u2028"]').replace(
        "n <= LIMIT", 'n < 3 or s == "a # b"'
    ),
    "a violation while the thread stands": "action Init: x = 0\naction Go:\n    x = 1\n    x = 0\n"
    "always assertion P:\n    return x == 0\n",
    "more starts than the bound": MANY_STARTS,
}


def round_trip(module: fizz.Module, trace: Trace, folder: Path) -> None:
    """Save, follow, compare."""
    path = folder / "trace.txt"
    path.write_text(guide_text(module, trace, ("two\nlines",)), encoding="utf-8", newline="\n")
    again = follow(module, str(path))
    assert again.explicit
    assert again.trace is not None
    assert again.trace.entries == trace.entries


def traces(report: Report) -> list[Trace]:
    """All counterexamples of a report."""
    found = [p.trace for p in report.properties if p.trace is not None]
    return found + ([report.trace] if report.error is not None and report.trace is not None else [])


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_kinds_of_steps(name: str, engine: str, tmp_path: Path) -> None:
    """Whatever a step may be."""
    module = module_of(TEXTS[name])
    report = check(module, engine=engine)
    found = traces(report)
    assert found
    for trace in found:
        round_trip(module, trace, tmp_path)


@pytest.mark.parametrize("promise", one_in(5, BROKEN), ids=lambda promise: promise.title)
def test_models(promise: Promise, tmp_path: Path) -> None:
    """The wrong order of Venice, the classics, the worked models: each counterexample that they have."""
    module = load_whole(str(promise.model), options=promise.options, constants=promise.constants)
    report = check(module, settings=Settings(keep_going=promise.keep_going, limits=promise.limits))
    assert traces(report)
    for trace in traces(report):
        round_trip(module, trace, tmp_path)


def test_violations_are_met_again(tmp_path: Path) -> None:
    """What the check says of `always`, the guided trace says too, after as many steps."""
    path = tmp_path / "trace.txt"
    model = ROOT / "models" / "classics" / "LostUpdate.fizz"
    report = check(model)
    assert report.trace is not None
    path.write_text(guide_text(fizz.load(str(model)), report.trace), encoding="utf-8")
    again = follow(model, str(path))
    assert (again.exit_code, again.leading) == (12, report.leading)
    assert [p.steps for p in again.properties] == [report.trace.steps]


def test_lassos_are_walked_once() -> None:
    """Prefix and cycle, with a comment between."""
    flip = "action Init: x = 0\natomic fair action Flip:\n    x = 1 - x\n"
    module = module_of(NO_CRASH + flip + "eventually always assertion P:\n    return x == 0\n")
    report = check(module)
    assert report.trace is not None
    text = guide_text(module, report.trace)
    assert text == "[explicit]\nInit\nFlip\n# --- cycle ---\nFlip\nFlip\n"


def test_unbounded_where_the_path_has_more_starts() -> None:
    """Then the bound would refuse the trace."""
    module = module_of(MANY_STARTS)
    report = check(module)
    assert report.trace is not None
    assert guide_text(module, report.trace) == "[explicit]\n[unbounded]\nInit\nOne\nTwo\nThree\n"
    assert "[unbounded]" not in guide_text(module_of(MANY_STARTS, max_actions="3"), report.trace)


def test_trace_of_another_model() -> None:
    """A trace that is no run of the model is refused."""
    report = check(module_of(COUNTER.replace("n <= LIMIT", "n < 3")))
    assert report.trace is not None
    with pytest.raises(UsageProblem):
        guide_text(module_of(SERIAL), report.trace)


def test_remarks_are_comments() -> None:
    """Whatever is in a remark, as the path of a model: it is one line, spelled out where it could steer a terminal."""
    module = module_of(COUNTER.replace("n <= LIMIT", "n < 3"))
    report = check(module)
    assert report.trace is not None
    remark = "fizzpy trace 'a  b\x1b[2J\n[x]\u202e\x85.fizz'"
    first, second, *_ = guide_text(module, report.trace, (remark, "more")).splitlines()
    assert first == "# fizzpy trace 'a  b\\x1b[2J\\n[x]\\u202e\\x85.fizz'"
    assert second == "# more"
