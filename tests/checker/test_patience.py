"""A run that is stopped anywhere reports the levels that it completed, and can be resumed.

Time is counted in calls here: a clock that advances with each call of `ask` stops a run at each point where it can be
stopped, always at the same one.
"""

from __future__ import annotations

import json
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from checker.analysis.covering import cover
from checker.analysis.explanation import explain_actions
from checker.check import check
from checker.cli import run
from checker.core.available_memory import Room, Surveyor
from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits, StopReason
from checker.core.patience import INSIST_S, SHARE, Patience, Stop
from checker.core.problems import ExitCode
from checker.liveness.graph import Graph
from checker.properties import properties_of
from checker.report.html_report import html_report
from checker.report.json_report import json_report
from checker.report.terminal_report import verdict_sentence
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.column_run import ColumnRun
from checker.search.contract.protocol import Engine
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.registry import engine_of
from checker.swarm.simulate import simulate
from fizz import load
from interpreter import compile_module
from tests.checker.conftest import IN_PROCESS
from tests.checkpoint.conftest import WIDE, comparable

ENGINES: dict[str, Engine] = {
    **{name: engine_of(name) for name in IN_PROCESS},
    "rows, then columns": EmbeddedEngine(4),
}

MET_BEFORE_THE_END = """\
---
deadlock_detection: false
---
action Init: n, m = 0, 0
atomic action Break:
    require n < 5
    n += 2 if n == 3 and m == 0 else 1
atomic action Other:
    require m < 40
    m += 1
transition assertion ByOne(before, after): return after.n <= before.n + 1
"""


class Asked:
    """A clock: its time is how often it was looked at."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> float:
        self.count += 1
        return float(self.count)


class Interrupted(Patience):
    """An interruption arrives after so many calls of `ask`."""

    def __init__(self, asks: int) -> None:
        super().__init__(Limits(), Asked(), Roomy())
        self.left = asks

    def ask(self) -> None:
        self.left -= 1
        if not self.left:
            self.interrupt()
        super().ask()


class Roomy(Surveyor):
    """There is room for ever, or for so many looks."""

    def __init__(self, looks: int | None = None) -> None:
        self.looks = looks
        self.done = 0

    def room(self) -> Room | None:
        self.done += 1
        return Room(90, 10) if self.looks is not None and self.done > self.looks else Room(80, 20)


def patience(asks: int | None = None, looks: int | None = None) -> Patience:
    """Over after so many questions, or so many looks at the memory."""
    return Patience(Limits(time_s=asks), Asked(), Roomy(looks))


def explored(engine: Engine, text: str, settings: Settings, given: Patience | None = None) -> Exploration:
    program = compile_module(load("m.fizz", text=text))
    given = given or patience()
    return explore(engine, program, properties_of(program, None), settings, patience=given)


def counts(found: Exploration) -> tuple[int, ...]:
    return found.states, found.transitions, found.crash_steps, found.initial, found.depth, found.cut


@pytest.mark.parametrize("name", ENGINES)
def test_a_level_that_was_given_up_is_not_counted(name: str) -> None:
    """Wherever a run is stopped, its counts are those of a run that was to go as far as the last complete level."""
    engine, settings = ENGINES[name], Settings(keep_going=True)
    by_level: dict[int, tuple[int, ...]] = {}
    levels, stops = set(), 0
    for asks in (*range(10, 100, 17), *range(100, 1_000, 183), *range(1_000, 8_000, 1_997)):
        found = explored(engine, WIDE, settings, patience(asks))
        if found.stopped is not StopReason.TIMEOUT:
            continue
        stops += 1
        if found.given_up is None or found.given_up.level == 0:
            assert found.given_up is not None or found.states in (0, found.states)
            continue
        level = found.given_up.level - 1
        levels.add(level)
        if level not in by_level:
            by_level[level] = counts(explored(engine, WIDE, Settings(keep_going=True, limits=Limits(depth=level))))
        assert counts(found) == by_level[level]
        assert 0 <= found.given_up.expanded <= found.given_up.waiting
    assert stops > 6 and len(levels) > 2


@pytest.mark.parametrize("name", ENGINES)
def test_memory_stops_a_run_as_time_does(name: str) -> None:
    """The run ends with the levels that are complete when too much is held."""
    found = explored(ENGINES[name], WIDE, Settings(keep_going=True), patience(looks=12))
    assert (found.stopped, found.bounded) == (StopReason.MEMORY, True)
    assert not found.judged - found.met or found.cut


@pytest.mark.parametrize("name", ENGINES)
def test_what_an_unfinished_level_has_met_counts(name: str) -> None:
    """A violation met on a level that is then given up is reported, and that it need not be the shortest."""
    for asks in range(20, 1_500, 7):
        found = explored(ENGINES[name], MET_BEFORE_THE_END, Settings(), patience(asks))
        if found.findings:
            (finding,) = found.findings.values()
            assert len(finding.path) == 5
            assert (finding.unfinished, found.answered) == (True, True)
            assert (found.stopped, found.depth) == (StopReason.TIMEOUT, 3)
            return
    pytest.fail("it was never met")


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_violation_of_an_unfinished_level_decides_the_exit_code(tmp_path: Path, interrupted: bool) -> None:
    """Code 12 after the time and after Ctrl-C, marked in the report; before it is met the code is 3 and 130."""
    model = tmp_path / "m.fizz"
    model.write_text(MET_BEFORE_THE_END)
    codes = []
    for asks in range(2, 1_500, 3):
        report = check(model, patience=Interrupted(asks) if interrupted else patience(asks))
        assert (report.exit_code is ExitCode.SAFETY) == (not report.properties[0].shortest)
        codes.append(report.exit_code)
        if report.exit_code is ExitCode.SAFETY:
            break
    assert codes[-1] is ExitCode.SAFETY
    assert set(codes[:-1]) == {ExitCode.INTERRUPTED if interrupted else ExitCode.BOUNDED}
    assert "perhaps not the shortest" in verdict_sentence(report)
    assert "perhaps not the shortest" in html_report(report)
    assert json.loads(json_report(report))["properties"][0]["perhaps_not_shortest"] is True


def test_time_that_runs_out_while_liveness_is_judged(tmp_path: Path) -> None:
    """The sentence does not say that the search was cut, for all states were found."""
    model = tmp_path / "m.fizz"
    model.write_text(SETTLES)
    late = "all states were found, but judging them was ended by --timeout; not judged: "
    met = set()
    for asks in range(2, 6_000, 3):
        report = check(model, patience=patience(asks))
        if report.exit_code is not ExitCode.BOUNDED:
            break
        sentence = verdict_sentence(report)
        assert sentence.startswith(
            "nothing found, but the search was cut by --timeout" if report.cut or not report.states else late
        )
        met.add(sentence.startswith(late))
    assert met == {True, False}


@pytest.mark.parametrize("saved", [False, True])
def test_a_run_is_stopped_while_the_graph_of_a_level_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: bool
) -> None:
    """There is a report of the levels before; nothing is saved that has only a part of the graph."""
    model = tmp_path / "m.fizz"
    model.write_text(SETTLES)
    whole = comparable(check(model, engine="columns"))
    draw = ColumnRun._draw
    drawn, over = 0, patience()

    def drawing(run: ColumnRun, graph: Graph, parts: list[Frontier], expanded: bool = True) -> None:
        nonlocal drawn
        drawn += 1
        if drawn == 4:
            over.interrupt()
        draw(run, graph, parts, expanded)

    monkeypatch.setattr(ColumnRun, "_draw", drawing)
    folder = tmp_path / "saved"
    settings = Settings(checkpoint=str(folder) if saved else None, checkpoint_every_s=0)
    report = check(model, engine="columns", settings=settings, patience=over)
    assert (drawn, report.exit_code, report.given_up is not None) == (4, ExitCode.INTERRUPTED, True)
    monkeypatch.undo()
    assert report.states == explored_to(model, report.depth)
    if saved:
        assert comparable(check(model, engine="columns", settings=Settings(resume=str(folder)))) == whole


@pytest.mark.parametrize("engine", ["rows", "early columns", "columns"])
def test_going_on_from_where_it_was_stopped(tmp_path: Path, engine: str) -> None:
    """Stopped anywhere and resumed, again and again, a run comes to what one that was left alone does."""
    model = tmp_path / "m.fizz"
    model.write_text(WIDE)
    whole = comparable(check(model, engine=engine, settings=Settings(keep_going=True)))
    for asks in (700, 2_900):
        folder, runs = tmp_path / f"after-{asks}", 0
        chosen = {"checkpoint": str(folder)}
        while True:
            settings = Settings(keep_going=True, checkpoint_every_s=0, **chosen)  # type: ignore[arg-type]
            report = check(model, engine=engine, settings=settings, patience=patience(asks + 900 * runs))
            runs += 1
            if report.cut_by is not StopReason.TIMEOUT:
                break
            chosen = {"resume": str(folder)} if any(folder.glob("checkpoint-*")) else chosen
        assert runs > 1
        assert comparable(report) == whole


def test_the_judgement_of_liveness_ends_with_the_time(tmp_path: Path) -> None:
    """What was explored completely holds; liveness is undecided, and the run is cut."""
    model = tmp_path / "m.fizz"
    model.write_text(SETTLES)
    clock = Asked()
    assert check(model, patience=Patience(Limits(time_s=1e9), clock, Roomy())).exit_code is ExitCode.PASSED
    for asks in range(clock.count, 0, -1):
        report = check(model, patience=patience(asks))
        if report.exit_code is not ExitCode.PASSED:
            break
    assert (report.exit_code, report.cut_by, report.cut) == (ExitCode.BOUNDED, StopReason.TIMEOUT, 0)
    assert [p.verdict for p in report.properties if p.name != "NoDeadlock"] == ["holds", "undecided"]
    assert report.given_up is None


SETTLES = """\
---
deadlock_detection: false
---
action Init: n = 0
atomic fair action Count:
    require n < 9
    n += 1
always assertion Few: return n < 10
eventually always assertion Full: return n == 9
"""

LONG_STEP = """\
action Init: n = 0
atomic action Count:
    require n < 3
    n += len([i for i in range(900000)]) - 899999
"""


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_a_step_is_stopped_too(tmp_path: Path, engine: str) -> None:
    """The time ends within a step that takes long; what is known until then is reported."""
    model = tmp_path / "m.fizz"
    model.write_text(LONG_STEP)
    report = check(model, engine=engine, patience=patience(60))
    assert (report.exit_code, report.states, report.cut_by) == (ExitCode.BOUNDED, 1, "timeout")
    assert report.given_up is not None and (report.given_up.level, report.given_up.expanded) == (1, 0)


def test_coverage_ends_where_a_check_does(tmp_path: Path) -> None:
    """At the level with the first violation, unless it is to go on."""
    model = tmp_path / "m.fizz"
    model.write_text(MET_BEFORE_THE_END)
    ended = check(model)
    found = cover(model)
    assert (found.states, found.transitions, found.depth) == (ended.states, ended.transitions, ended.depth)
    assert (found.stopped, found.exit_code) == (StopReason.VIOLATION, ExitCode.BOUNDED)
    assert cover(model, settings=Settings(keep_going=True)).states > found.states


def test_steps_that_are_remembered_ask_too(tmp_path: Path) -> None:
    """A state may have thousands of steps: a visit, which knows them when they are taken, asks for each."""
    model = tmp_path / "m.fizz"
    asked = []
    for instances in (100, 200):
        model.write_text(f"role R:\n    action A: pass\naction Init: x = [R() for i in range({instances})]\n")
        given = Interrupted(1_000_000)
        assert cover(model, patience=given).states == 1
        asked.append(1_000_000 - given.left)
    # Once by the interpreter, when the step is learned, and once when it is taken.
    assert asked[1] - asked[0] >= 200


def test_a_level_that_a_visit_gives_up_is_not_counted(tmp_path: Path) -> None:
    """Stopped anywhere, coverage counts what it counts of the levels that are complete; explanations do so too."""
    model = tmp_path / "m.fizz"
    model.write_text(WIDE)
    levels = set()
    for asks in (3, 40, 300, 900, 1_500, 2_400, 5_000):
        found = cover(model, settings=Settings(keep_going=True), patience=patience(asks))
        settings = Settings(keep_going=True, limits=Limits(depth=found.depth))
        assert found.stopped is StopReason.TIMEOUT
        if found.states:
            levels.add(found.depth)
            assert replace(found, stopped=StopReason.MAX_DEPTH) == cover(model, settings=settings)
        comparable = explain_actions(model, "Up", settings=Settings(), patience=patience(asks))
        if comparable.states:
            depth = next(d for d in range(40) if explored_to(model, d) == comparable.states)
            limited = Settings(limits=Limits(depth=depth))
            assert replace(comparable, stopped=StopReason.MAX_DEPTH) == explain_actions(model, "Up", settings=limited)
    assert len(levels) > 2


def explored_to(model: Path, depth: int) -> int:
    return check(model, settings=Settings(keep_going=True, limits=Limits(depth=depth))).states


def test_what_has_no_time_left_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit and the graph are no second run: they have what time the check has left, and say that it is none."""
    model, graph = tmp_path / "m.fizz", tmp_path / "m.dot"
    model.write_text(SETTLES)
    monkeypatch.setattr("checker.core.patience.Patience", lambda limits: patience(30))
    assert run(["check", str(model), "--audit", "--dot", str(graph)]) == ExitCode.BOUNDED
    said = capsys.readouterr().err
    assert "there is no audit: the search was cut by --timeout" in said
    assert f"'{graph}' was not written: the search was cut by --timeout" in said
    assert not graph.exists()


def test_simulation_ends_with_the_time(tmp_path: Path) -> None:
    """The walks that were made until then are reported, with code 3."""
    model = tmp_path / "m.fizz"
    model.write_text(WIDE)
    report = simulate(model, runs=10_000, seed=1, selected=("Few",), patience=patience(3_000))
    assert (report.exit_code, report.cut_by) == (ExitCode.BOUNDED, StopReason.TIMEOUT)
    assert 0 < report.walks < 10_000


# --- the object itself
# ----------------------------------------------------------------------------------------------------


def test_asking_is_cheap() -> None:
    """The memory is measured only at intervals, however often `ask` is called."""
    surveyor = Roomy()
    given = Patience(Limits(), lambda: 1.0, surveyor)
    for _ in range(1_000):
        given.ask()
    assert surveyor.done == 1


def test_a_reason_is_told_to_everybody_who_asks() -> None:
    """Reading why the run is to end does not prevent the next `ask` from raising `Stop`."""
    given = Patience(Limits(), lambda: 1.0, Roomy())
    given.interrupt()
    assert given.over is StopReason.INTERRUPTED
    with pytest.raises(Stop):
        given.ask()


def test_what_is_spared_may_finish() -> None:
    """Within the block nothing stops for so long; after it the reason counts again."""
    now = [0.0]
    given = Patience(Limits(time_s=1), lambda: now[0], Roomy())
    now[0] = 2.0
    with given.grace(0.5):
        given.ask()
        now[0] = 2.6
        with pytest.raises(Stop):
            given.ask()
        now[0] = 2.1
    with pytest.raises(Stop) as stop:
        given.ask()
    assert stop.value.reason is StopReason.TIMEOUT


def test_interruptions_that_come_soon_after_another_one_change_nothing() -> None:
    """The first one is what the next question is answered with; one that comes much later is raised at once."""
    now = [0.0]
    given = Patience(Limits(), lambda: now[0], Roomy())
    with given.deferring_interrupts():
        for now[0] in (0.0, 0.1, INSIST_S - 0.1):
            signal.raise_signal(signal.SIGINT)
            with pytest.raises(Stop) as stop:
                given.ask()
            assert stop.value.reason is StopReason.INTERRUPTED
        now[0] = INSIST_S
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_each_thread_has_its_own_patience(tmp_path: Path) -> None:
    """Two checks at once, one of which is stopped: the other one goes on."""
    model = tmp_path / "m.fizz"
    model.write_text(WIDE)
    whole = check(model, settings=Settings(keep_going=True))
    stopped: list[object] = []

    def other() -> None:
        for _ in range(5):
            stopped.append(check(model, settings=Settings(keep_going=True), patience=patience(300)).cut_by)

    thread = threading.Thread(target=other)
    thread.start()
    found = [check(model, settings=Settings(keep_going=True)).states for _ in range(3)]
    thread.join()
    assert found == [whole.states] * 3
    assert stopped == [StopReason.TIMEOUT] * 5


@pytest.mark.parametrize(
    ("held", "left", "limit_mb", "stops"),
    [(84, 16, None, False), (85, 15, None, True), (2 << 20, 1 << 40, 1, True), (1 << 19, 0, 1, False)],
)
def test_how_much_may_be_held(held: int, left: int, limit_mb: float | None, stops: bool) -> None:
    """85 % of what is held and still to be had, or what the limit says."""
    assert SHARE == 0.85

    class Fixed(Surveyor):
        def room(self) -> Room | None:
            return Room(held, left)

    given = Patience(Limits(memory_mb=limit_mb), lambda: 1.0, Fixed())
    assert (given.over is StopReason.MEMORY) == stops


MANY_IMAGES = """\
---
deadlock_detection: false
---
D = symmetry.nominal(name="d", limit=40, materialize=True)
action Init: x = D.values()
"""


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("asks", [1_200, 2_500])
def test_the_search_for_the_least_image_ends_when_asked(name: str, asks: int) -> None:
    """A state with 40! images does not hold up the end of a run: the clock is looked at with each image."""
    given = patience(asks)
    found = explored(ENGINES[name], MANY_IMAGES, Settings(), given)
    assert (found.stopped, found.states) == (StopReason.TIMEOUT, 0)
