"""What is shown before the model is read, and how the rest arrives while the reader reads."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import UsageProblem
from checker.core.trace import TraceEntry
from checker.report.json_report import json_report
from checker.tui.app import Viewer
from checker.tui.lanes import lanes_of
from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.opened.opening_files import open_guide, open_report
from checker.tui.path_text import PathText
from tests.cli.conftest import Ended
from tests.viewer.conftest import BANK, CRASH, NODES, driven, settled
from tests.viewer.terminal import ROOT, in_terminal
from tests.viewer.test_opening import IMAGES, MODELS, NOTHING, report_of

Write = Callable[..., str]

TALKING = """\
---
options: {max_actions: 4}
---
action Init:
    a, b = Talker(), Talker()
    heard = []
role Talker:
    action Init: self.said = 0
    func hear(text):
        heard.append(text)
        self.said += 1
    action Say:
        require self.said < 2
        a.hear("x")
        b.hear("y")
atomic action Forget:
    heard = []
always assertion Quiet:
    return len(heard) < 4
"""


@pytest.mark.parametrize("text", [*MODELS.values(), TALKING, IMAGES], ids=[*MODELS, "talking", "images"])
def test_what_was_written_down_is_shown_at_once(text: str, written: Write, tmp_path: Path) -> None:
    """States, threads and lanes are there before the model is read, and are the same afterwards."""
    report_of(written(text), tmp_path)
    opened_file = open_report("report.json", NOTHING)
    assert opened_file.machine is None
    whole = opened_file.whole()
    assert whole.machine is not None
    assert [prop.name for prop in opened_file.properties] == [prop.name for prop in whole.properties]
    for before, after in zip(opened_file.paths, whole.paths, strict=True):
        assert (before.sentence, before.name) == (after.sentence, after.name)
        trace = after.path.trace
        assert before.path.trace == replace(trace, entries=tuple(map(written_down, trace.entries)))
        assert lanes_of(PathText(before.path, opened_file.sources)) == lanes_of(PathText(after.path, whole.sources))


def written_down(entry: TraceEntry) -> TraceEntry:
    """Without what a report does not hold."""
    return replace(entry, lines=(), labels=(), returns=())


def test_a_guided_trace_is_shown_by_its_names(written: Write, tmp_path: Path) -> None:
    """Before its model is read there are its steps, and nothing else."""
    model = written(NODES)
    (tmp_path / "t.txt").write_text("\n".join(("# fizzpy trace m.fizz --follow t.txt", "[explicit]", *CRASH)))
    opened_file = open_guide("t.txt", NOTHING, model)
    whole = opened_file.whole()
    before, after = opened_file.paths[0].path.trace.entries, whole.paths[0].path.trace.entries
    assert [entry.label for entry in before] == [entry.label for entry in after]
    assert [(entry.kind, entry.crash) for entry in before] == [(entry.kind, entry.crash) for entry in after]
    text = asyncio.run(first_screen(opened_file))
    assert "known when the trace has been followed" in text
    assert "Node#0" in text and "nodes = [Node(), Node()]" in text


def held_back(opened_file: OpenedPaths) -> tuple[OpenedPaths, threading.Event]:
    """The same, but its model is read when the event is set."""
    read = threading.Event()

    def rest() -> OpenedPaths:
        assert read.wait(60)
        return opened_file.whole()

    return replace(opened_file, rest=rest), read


async def first_screen(opened_file: OpenedPaths) -> str:
    """What is shown before the model is read."""
    opened_file, read = held_back(opened_file)
    viewer = Viewer(opened_file)
    async with viewer.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        text = screen(viewer)
        read.set()
        await settled(viewer, pilot)
    return text


def test_a_trace_is_found_beside_its_model(written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a report is: the name in the command at its head need not lead there from here."""
    written(NODES)
    (tmp_path / "t.txt").write_text("# fizzpy trace m.fizz --follow t.txt\n[explicit]\nNode#0.Write\n")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert open_guide("../t.txt", NOTHING).whole().machine is not None


@pytest.fixture
def slow(written: Write, tmp_path: Path) -> tuple[OpenedPaths, threading.Event]:
    """A report whose model is read when the event is set."""
    report_of(written(BANK), tmp_path)
    return held_back(open_report("report.json", NOTHING))


def screen(viewer: Viewer) -> str:
    """What is on the screen."""
    return "\n".join(strip.text for strip in viewer.screen._compositor.render_strips())


def test_a_question_is_answered_when_the_model_is_read(slow: tuple[OpenedPaths, threading.Event]) -> None:
    """Steps and states can be gone through before that; the reader stays where he is."""
    opened_file, read = slow

    async def scenario() -> None:
        viewer = Viewer(opened_file)
        async with viewer.run_test(size=(80, 24)) as pilot:
            await pilot.press("left")
            assert "State after 3: Withdraw" in screen(viewer)
            await pilot.press("o")
            assert "the model is being read" in screen(viewer)
            assert "Can happen here" not in screen(viewer)
            read.set()
            await settled(viewer, pilot)
            assert "Can happen here" in screen(viewer)
            await pilot.press("escape")
            assert "State after 3: Withdraw" in screen(viewer)

    asyncio.run(scenario())


def test_the_rest_changes_only_what_was_not_known(slow: tuple[OpenedPaths, threading.Event]) -> None:
    """Truth values, and all of the lines that were executed."""
    opened_file, read = slow
    read.set()
    seen, whole = driven(opened_file), driven(opened_file.whole())
    assert seen.text == whole.text


def test_properties_that_only_the_model_has_get_rows(written: Write, tmp_path: Path) -> None:
    """A report of one property has one row, until the model is read; then all of its properties have one."""
    written_report = check(written(BANK), settings=Settings(properties=("NeverNegative",)))
    (tmp_path / "report.json").write_text(json_report(written_report))
    opened_file, read = held_back(open_report("report.json", NOTHING))

    async def scenario() -> None:
        viewer = Viewer(opened_file)
        async with viewer.run_test(size=(80, 40)) as pilot:
            await pilot.pause()
            assert [row.split()[0] for row in screen(viewer).splitlines()[-3:-1]] == ["NeverNegative", "deadlock"]
            read.set()
            await settled(viewer, pilot)
            rows = screen(viewer).splitlines()[-6:-1]
            assert [row.split()[0] for row in rows] == ["0", "NeverNegative", "Rich", "NoLeap", "deadlock"]

    asyncio.run(scenario())


def test_what_stands_against_a_report_ends_the_viewer(written: Write, tmp_path: Path) -> None:
    """The model has changed: that turns out when it is read."""
    report_of(written(BANK), tmp_path)
    opened_file = open_report("report.json", NOTHING)
    written(BANK.replace("cash = 60", "cash = 50"))

    async def scenario() -> Exception | None:
        viewer = Viewer(opened_file)
        async with viewer.run_test(size=(80, 24)) as pilot:
            await settled(viewer, pilot)
        return viewer.mistake

    problem = asyncio.run(scenario())
    assert isinstance(problem, UsageProblem)
    assert "does not fit" in problem.text


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [(BANK.replace("cash = 60", "cash = 50"), 2, "does not fit"), (BANK.replace("= 100", "= )"), 150, "m.fizz:2:")],
    ids=["changed", "damaged"],
)
def test_it_is_told_in_the_terminal(
    text: str, code: int, said: str, fizzpy: Callable[..., Ended], tmp_path: Path
) -> None:
    """After the screen has gone, with the exit code of the problem."""
    (tmp_path / "m.fizz").write_text(BANK)
    (tmp_path / "report.json").write_text(fizzpy("check", "m.fizz", "--json").out)
    (tmp_path / "m.fizz").write_text(text)
    ended, sent = in_terminal(tmp_path, "show", "report.json")
    assert ended == code, sent
    assert said in sent.rpartition("\x1b[?1049l")[2]
    assert "Traceback" not in sent


PROBE = """
import json, sys
from checker.cli import commands, show_command
from checker.tui.opened.opening_files import open_report
from checker.core.given import Given
from checker.tui import terminal
terminal.answer_soon()
from checker.tui import app
from checker.tui.viewer_session import ViewerSession
session = ViewerSession(open_report("report.json", Given()))
session.select(session.last)
assert session.rows() and session.sheet().rows
from textual import constants
from textual.drivers import linux_driver
print(json.dumps([sorted(sys.modules), constants.ESCAPE_DELAY, linux_driver.selectors.SelectSelector.__name__]))
"""


@pytest.mark.parametrize(("own", "delay"), [(None, 0.02), ("300", 0.3)])
def test_the_first_screen_needs_no_model(own: str | None, delay: float, written: Write, tmp_path: Path) -> None:
    """Neither the language nor the interpreter nor arrays are imported for it; and an escape is answered soon."""
    report_of(written(BANK), tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("ESCDELAY", None)
    if own is not None:
        environment["ESCDELAY"] = own
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    modules, waits, selector = json.loads(done.stdout)
    assert not {module.split(".")[0] for module in modules} & {"fizz", "interpreter", "numpy", "scipy", "yaml"}
    assert waits == delay
    assert selector == "_Often"
