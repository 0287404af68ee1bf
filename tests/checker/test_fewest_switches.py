"""Of the shortest counterexamples, reports have one with the fewest context switches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Finding, Settings
from checker.core.property import Property
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.explore import explore
from checker.search.memo.memo import Memory
from checker.search.registry import engine_of
from checker.traces.guided import follow
from checker.traces.replay import Story, story_of
from checker.traces.save_trace import guide_text
from checker.traces.switch_reducer import MOST_JOINED, MOST_STATES, SwitchReducer
from fizz import load
from interpreter import Machine, Step, StepKind, compile_module
from interpreter.state.step import InitialState

NO_CRASHES = "---\noptions: {crash_on_yield: false, max_concurrent_actions: 2}\ndeadlock_detection: false\n---\n"

RACE = f"""{NO_CRASHES}
role Client:
    action Add:
        mine = total
        total = mine + 1
        done += 1
action Init:
    clients = [Client(), Client()]
    total, done = 0, 0
always assertion NothingLost:
    return total >= done
"""
TWO = """\
action Init: a, b, c = 0, 0, 0
action A:
    require a == 0
    a = 1
    a = 2
action B:
    require b == 0
    b = 1
    b = 2
"""
STUCK = f"---\noptions: {{crash_on_yield: false, max_concurrent_actions: 2}}\n---\n{TWO}"
STEP = f"""{NO_CRASHES}{TWO}
atomic action C:
    require a == 2 and b == 2 and c == 0
    c = 1
transition assertion Never(before, after):
    return after.c == before.c
"""
FAILING = f"""{NO_CRASHES}{TWO}
atomic action C:
    require a == 2 and b == 2
    c = 1 // (a - b)
"""
LASSO = f"""{NO_CRASHES}
action Init: a, b, c = 0, 0, 0
atomic action A:
    require a < 2
    a += 1
atomic action B:
    require b < 2
    b += 1
atomic fair action C: c = 1 - c
eventually always assertion Quiet:
    return a < 2 or b < 2 or c == 0
"""
CRASHING = """
---
options: {max_actions: 6}
deadlock_detection: false
---
@state(ephemeral=["seen"])
role Node:
    action Init:
        self.seen = 0
        self.kept = 0
    action Write:
        self.seen += 1
        self.kept += 1
action Init:
    nodes = [Node(), Node()]
always assertion Fine:
    return not all([n.kept > n.seen for n in nodes])
"""
SENDING = f"""{NO_CRASHES}
role Server:
    action Init:
        self.got = 0
    func put():
        self.got += 1
role Client:
    action Send:
        server.put()
        sent.append(self.__id__)
action Init:
    server = Server()
    clients = [Client(), Client()]
    sent = []
always assertion NeverBoth:
    return len(set(sent)) < 2 or server.got < 2
"""
TEXTS = {
    "always": RACE,
    "deadlock": STUCK,
    "transition": STEP,
    "error": FAILING,
    "lasso": LASSO,
    "crashes": CRASHING,
    "calls": SENDING,
    "symmetric": RACE.replace("role Client", "symmetric role Client").replace(
        "[Client(), Client()]", "set([Client(), Client()])"
    ),
}


def switches(machine: Machine, steps: list[Step]) -> int:
    """Context switches, counted from the glossary's definition."""
    return sum(not goes_on(machine, one, other) for one, other in pairwise(steps))


def goes_on(machine: Machine, one: Step, other: Step) -> bool:
    alive = one.outcome.thread is not None and not one.crashes
    if other.rule.kind is StepKind.CONTINUE:
        return alive and other.rule.subject == one.outcome.thread
    return owner(machine, one) == owner(machine, other) and (not alive or other.rule.kind is StepKind.CRASH_ROLE)


def owner(machine: Machine, step: Step) -> str:
    if step.rule.kind is StepKind.CRASH_ROLE:
        return step.name.removeprefix("crash-role ")
    return str(step.actor).partition(".")[0]


def runs(machine: Machine, length: int) -> Iterator[tuple[InitialState, list[Step]]]:
    """All runs of a length."""

    def further(begin: InitialState, steps: list[Step]) -> Iterator[tuple[InitialState, list[Step]]]:
        if len(steps) == length:
            yield begin, steps
            return
        state = steps[-1].target if steps else begin.state
        for step in machine.steps(state).steps:
            yield from further(begin, [*steps, step])

    for begin in machine.initial()[0]:
        yield from further(begin, [])


def first_story(path: Path, symmetry: bool = True) -> tuple[Memory, Finding, Story, Property | None]:
    """The finding as engines bring it, with its story, and the property that it violates."""
    module = load(str(path))
    program = compile_module(module)
    properties = properties_of(program, None)
    explored = explore(engine_of("plain"), program, properties, Settings(symmetry=symmetry))
    violated, finding = (None, explored.error) if explored.error else next(iter(explored.findings.items()))
    assert finding is not None
    memory = Memory(Machine(program))
    story = story_of(memory.machine, finding)
    assert story is not None
    return memory, finding, story, None if violated is None else next(p for p in properties if p.key == violated)


def found_first(path: Path, symmetry: bool = True) -> tuple[Machine, list[Step]]:
    """The steps of the finding as engines bring it."""
    memory, _, story, _ = first_story(path, symmetry)
    return memory.machine, list(story.steps)


def reduced(path: Path, most_states: int = MOST_STATES, most_joined: int = MOST_JOINED) -> tuple[Machine, list[Step]]:
    """The steps of the finding with fewer context switches, as far as these limits allow."""
    memory, finding, story, violated = first_story(path)
    reducer = SwitchReducer(memory, most_states=most_states, most_joined=most_joined)
    return memory.machine, list(reducer.reduced(finding, story, violated)[1].steps)


def steps_shown_by(report: Report, machine: Machine) -> list[Step]:
    """The steps of a report's counterexample, taken again."""
    assert report.trace is not None
    state = next(begin.state for begin in machine.initial()[0])
    steps: list[Step] = []
    for entry in report.trace.entries[1:]:
        if not entry.fails:
            steps.append(next(step for step in machine.steps(state).steps if step.name == entry.label))
            state = steps[-1].target
            assert tuple(machine.describe(state)) == entry.state
    return steps


@pytest.fixture(params=TEXTS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Each model in turn."""
    path = tmp_path / "m.fizz"
    path.write_text(TEXTS[request.param].lstrip("\n"))
    return path


NEEDLESS = sorted(TEXTS.keys() - {"crashes"})


@pytest.mark.parametrize("name", NEEDLESS)
def test_needless_switches_go(name: str, tmp_path: Path) -> None:
    """The trace of the report has fewer context switches than the finding of the engine, and is as long."""
    path = tmp_path / "m.fizz"
    path.write_text(TEXTS[name].lstrip("\n"))
    machine, first = found_first(path)
    shown = steps_shown_by(check(path), machine)
    assert len(shown) == len(first)
    assert switches(machine, shown) < switches(machine, first)


@pytest.mark.parametrize("name", ["always", "deadlock", "transition", "crashes", "calls", "symmetric"])
def test_fewest_of_all(name: str, tmp_path: Path) -> None:
    """No run of that length with the same end has fewer."""
    path = tmp_path / "m.fizz"
    path.write_text(TEXTS[name].lstrip("\n"))
    report = check(path)
    machine = Machine(compile_module(load(str(path))))
    shown = steps_shown_by(report, machine)
    least = min(switches(machine, steps) for _, steps in runs(machine, len(shown)) if ends_badly(name, machine, steps))
    assert switches(machine, shown) == least


def ends_badly(name: str, machine: Machine, steps: list[Step]) -> bool:
    """Does a run end as the counterexamples of this model do? From what the state says, not from the assertion."""
    state = dict(machine.describe(steps[-1].target))
    match name:
        case "always" | "symmetric":
            return int(state["total"]) < int(state["done"])
        case "deadlock":
            return not machine.steps(steps[-1].target).steps
        case "transition":
            return state["c"] == "1"
        case "crashes":
            return all(state[f"Node#{n}.kept"] > state[f"Node#{n}.seen"] for n in (0, 1))
        case "calls":
            return len(set(state["sent"].strip("[]").split(", "))) == 2 and state["Server#0.got"] == "2"
    raise AssertionError(name)


def test_engines_tell_the_same(model: Path) -> None:
    """Which engine found it makes no difference."""
    plain, embedded = check(model, engine="plain"), check(model, engine="embedded")
    assert plain.trace is not None
    assert plain.trace == embedded.trace
    assert [p.trace for p in plain.properties] == [p.trace for p in embedded.properties]


def test_it_is_a_run_that_shows_the_same(model: Path) -> None:
    """Saved as a guided trace it can be followed to the same states, and safety is violated at its end."""
    report = check(model)
    assert report.trace is not None
    again = follow(model, guide_text(load(str(model)), report.trace).splitlines())
    assert again.trace is not None
    assert [entry.state for entry in again.trace.entries] == [entry.state for entry in report.trace.entries]
    assert report.trace.why is not None or report.trace.stuck is not None or report.error is not None
    kinds = {p.name: p.kind for p in report.properties}
    if report.error is None and kinds[str(report.leading)] in ("always", "transition"):
        assert (again.leading, again.exit_code) == (report.leading, report.exit_code)


def test_promises_stay(model: Path) -> None:
    """Steps and verdicts are those of the finding."""
    report = check(model)
    _, first = found_first(model)
    steps = report.error.steps if report.error else next(p.steps for p in report.properties if p.name == report.leading)
    assert steps == len(first) + (report.error is not None)
    assert report.trace is not None and report.trace.steps == steps


@pytest.mark.parametrize("name", NEEDLESS)
def test_joining_where_a_search_is_too_large(name: str, tmp_path: Path) -> None:
    """Pieces of the known run are put together, which needs no search."""
    path = tmp_path / "m.fizz"
    path.write_text(TEXTS[name].lstrip("\n"))
    machine, joined = reduced(path, most_states=1)
    _, first = found_first(path)
    assert len(joined) == len(first)
    assert switches(machine, joined) < switches(machine, first)


@pytest.mark.parametrize("name", NEEDLESS)
def test_searching_alone(name: str, tmp_path: Path) -> None:
    """The search needs no joining, and comes as far."""
    path = tmp_path / "m.fizz"
    path.write_text(TEXTS[name].lstrip("\n"))
    machine, searched = reduced(path, most_joined=0)
    assert switches(machine, searched) == switches(machine, steps_shown_by(check(path), machine))


def test_without_either_the_finding_is_told(model: Path) -> None:
    """Where neither may take a step the story is that of the engine."""
    _, first = found_first(model)
    _, left = reduced(model, most_states=1, most_joined=0)
    assert [step.name for step in left] == [step.name for step in first]


def test_patience(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the search for fewer switches is interrupted, the report has the trace of the engine."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SwitchReducer, "_found", interrupted)
    machine, first = found_first(model)
    report = check(model)
    assert report.verdict != "interrupted"
    assert [step.name for step in steps_shown_by(report, machine)] == [step.name for step in first]


def test_the_instance_that_decides(tmp_path: Path) -> None:
    """An assertion in a role is reported for the instance that the trace violates."""
    path = tmp_path / "m.fizz"
    path.write_text(
        NO_CRASHES
        + "role Node:\n    action Init:\n        self.n, self.done = 0, False\n"
        + "    action Up:\n        require not self.done\n        self.n += 1\n        self.n += 1\n"
        + "    atomic action Rest:\n        require not self.done\n        self.done = True\n"
        + "    always assertion Low:\n        return self.n < 2 or not all([n.done for n in nodes])\n"
        + "action Init:\n    nodes = [Node(), Node()]\n"
    )
    report = check(path)
    low = next(p for p in report.properties if p.name == "Low")
    assert low.trace is not None and low.instance is not None
    state = dict(low.trace.entries[-1].state)
    assert int(state[f"{low.instance}.n"]) >= 2


def test_states_that_stand_for_others(tmp_path: Path) -> None:
    """Under a symmetry that the model breaks there may be no run at all; then the trace has the stored states."""
    path = tmp_path / "m.fizz"
    path.write_text(
        "---\noptions: {crash_on_yield: false}\ndeadlock_detection: false\n---\n"
        "symmetric role Node:\n    action Init:\n        self.s = 0\n"
        "    atomic action Go:\n        require self.s == 0\n"
        '        self.s = 2 if str(self) == "Node#1" else 1\n'
        "    atomic action On:\n        require self.s == 2\n"
        '        self.s = 3 if str(self) != "Node#1" else 1\n'
        "action Init:\n    nodes = set([Node() for i in range(3)])\n"
        "always assertion P:\n    return not any([n.s == 3 for n in nodes])\n"
    )
    report = check(path)
    assert report.trace is not None and report.trace.steps == 2
    assert ("Node#0.s", "3") in [(change.place, change.new) for change in report.trace.entries[-1].changes]
    assert report.trace.why is not None


def test_a_run_where_variables_are_excluded(tmp_path: Path) -> None:
    """States that differ in them are one state to the search; the story is a run of the model all the same."""
    path = tmp_path / "m.fizz"
    path.write_text(
        "---\noptions: {crash_on_yield: false, max_concurrent_actions: 2}\nidentity: {exclude: [log]}\n"
        "deadlock_detection: false\n---\n"
        + TWO.replace("c = 0, 0, 0", "c, log = 0, 0, 0, []")
        + "atomic action C:\n    require a == 1 or b == 1\n    log.append(a)\n"
        + "always assertion P:\n    return a < 2 or b < 2\n"
    )
    report = check(path)
    assert report.trace is not None and report.trace.steps == 4
    machine = Machine(compile_module(load(str(path))))
    assert switches(machine, steps_shown_by(report, machine)) == 1


def test_a_failure_without_steps(tmp_path: Path) -> None:
    """A trace that fails in the initial state has no switches to reduce."""
    path = tmp_path / "m.fizz"
    path.write_text("action Init: n = 0\natomic action Go: n = 1 - n\nalways assertion P:\n    return 1 // n > 0\n")
    report = check(path)
    assert report.exit_code == 75
    assert report.trace is not None and report.trace.steps == 0


def test_a_thread_that_stands_in_for_another() -> None:
    """A piece that is moved before the beginning of its thread may be taken by an equal thread."""
    text = """\
---
deadlock_detection: false
---
IDS = symmetry.nominal(name="id", limit=3)
role Sink:
    pass
role Source:
    action Init: self.sent = []
    fair action Send:
        id = IDS.fresh()
        self.sent.append(id)
action Init:
    sink = Sink()
    source = Source()
    shared = []
always eventually assertion Sent: return False
"""
    report, plain = (check(load("m.fizz", text=text), engine=engine) for engine in ("embedded", "plain"))
    assert report.verdict == "failed"
    assert report.properties == plain.properties
