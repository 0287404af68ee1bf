"""Paths saved from the viewer, copies of states, and what is read again after a file has changed."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.report.json_report import json_report
from checker.tui.app import Viewer
from checker.tui.kept_files import Copies, Stamps
from checker.tui.opened.check_again import CheckAgain, open_or_walk
from checker.tui.opened.opened_paths import OpenedPaths, ReadAgain
from checker.tui.opened.opening_files import open_guide
from fizz import load
from tests.viewer.conftest import BANK, FINE, RACE, Seen, driven, guided, main, opened, settled
from tests.viewer.terminal import in_terminal
from tests.viewer.test_opening import NOTHING, report_of

Write = Callable[..., str]


@pytest.fixture
def race(written: Write) -> OpenedPaths:
    """Both withdraw; it opens after the last step."""
    return guided(written(BANK), *RACE)


def test_a_path_of_ones_own_is_saved(race: OpenedPaths) -> None:
    """As a guided trace that opens with the same steps; a file that exists is not replaced."""
    keys = ["left", "o", "down", "enter", "s", "enter"]
    seen = driven(race, *keys)
    assert "saved: fizzpy show m.trace" in seen.text
    again = open_guide("m.trace", NOTHING).whole().paths[0].path.trace
    assert [entry.label for entry in again.entries] == [entry.label for entry in seen.session.path.trace.entries]
    assert again.entries[-1].state == seen.session.path.trace.entries[-1].state
    text = Path("m.trace").read_text()
    assert text.startswith("# a path of its own from step 4 on\n# fizzpy trace m.fizz --follow m.trace\n[explicit]\n")
    assert "'m.trace' exists already" in driven(race, "s", *["backspace"] * 8, *"m.trace", "enter").text
    assert "save as: m1.trace" in driven(race, "s").text
    assert Path("m.trace").read_text() == text


def test_constants_are_saved_with_a_path(written: Write) -> None:
    """The command at the head has them, and so has the viewer that opens it."""
    name = written(
        "START = 1\n\naction Init:\n    n = START\n\naction Up:\n    n += 1\n\nalways assertion A:\n    return n < 9\n"
    )
    found = replace(guided(name), given=Given({"START": "1"}, {"max_actions": "3"}))
    driven(found, "s", "enter")
    assert "fizzpy trace m.fizz --set START=1 --option max_actions=3" in Path("m.trace").read_text()


def test_what_can_not_be_saved_is_said(race: OpenedPaths) -> None:
    """A folder that does not exist."""
    keys = ["s", *["backspace"] * 8, *"no/x.trace", "enter"]
    assert "not saved:" in driven(race, *keys).text


def test_a_state_is_copied(race: OpenedPaths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """To the clipboard of the terminal, and to a file, for many terminals have none; the line says where."""
    copied: list[str] = []
    monkeypatch.setattr(Viewer, "copy_to_clipboard", lambda self, text: copied.append(text))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen = driven(race, "1", "enter", "y")
    assert copied == ["balance = 100\nWithdraw/1 = at line 7 {cash = 60}\n"]
    (path,) = tmp_path.glob("fizzpy-state-*.txt")
    assert path.read_text() == copied[0]
    assert "copied to " in seen.text
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    assert Copies().write("x") == "no file could be written (No such file or directory)"


def reading(what: OpenedPaths, read: Callable[[], OpenedPaths], at_once: bool = False) -> OpenedPaths:
    return replace(what, source=ReadAgain(("m.fizz",), read, at_once=at_once))


def test_r_reads_again(race: OpenedPaths, written: Write) -> None:
    """The reader stays near, and is told what is different; what was open above the panes is closed."""

    def read() -> OpenedPaths:
        return opened(written(BANK.replace("balance = 100", "balance = 130")))

    seen = after(reading(race, read), "left", "left", "r")
    assert "NeverNegative: another counterexample, of 6 steps, was 4" in seen.text
    assert seen.session.selected == 2
    assert seen.session.path_text.lines(0)[0].text == "130"


def test_a_model_that_holds_now_says_so(race: OpenedPaths, written: Write) -> None:
    """The initial state is left, to walk from."""
    seen = after(reading(race, lambda: opened(written(FINE))), "r")
    assert "every property holds" in seen.title
    assert "NeverNegative is not violated any more" in seen.text
    assert len(seen.session.path_text) == 1


def test_a_problem_leaves_what_is_shown(race: OpenedPaths) -> None:
    """It is said in the line at the bottom."""

    def read() -> OpenedPaths:
        raise UsageProblem("m.fizz:2:15: unexpected ')'", "a hint")

    seen = after(reading(race, read), "r")
    assert "not read again: m.fizz:2:15: unexpected ')'" in seen.text
    assert seen.session.last == 4
    assert "it came from no file" in driven(race, "r").text


@pytest.mark.parametrize("at_once", [False, True])
def test_a_file_that_changes_is_noticed(race: OpenedPaths, written: Write, at_once: bool) -> None:
    """With `--reload` it is read again; else the key is named that does."""

    def changed(viewer: Viewer) -> None:
        main(viewer)._look_for_changes()
        written(BANK.replace("balance = 100", "balance = 130"))
        main(viewer)._look_for_changes()

    seen = after(reading(race, lambda: opened("m.fizz"), at_once), then=changed)
    assert ("another counterexample, of 6 steps" in seen.text) == at_once
    assert ("m.fizz has changed: r reads it again" in seen.text) != at_once


def after(what: OpenedPaths, *keys: str, then: Callable[[Viewer], None] = lambda viewer: None) -> Seen:
    """What is shown when that which is read in a thread has arrived."""

    async def scenario() -> Seen:
        viewer = Viewer(what)
        async with viewer.run_test(size=(100, 40)) as pilot:
            await settled(viewer, pilot)
            for key in keys:
                await pilot.press(key)
            then(viewer)
            await settled(viewer, pilot)
            strips = viewer.screen._compositor.render_strips()
        assert viewer.mistake is None
        return Seen("\n".join(strip.text.rstrip() for strip in strips), strips, viewer.session, 0, "")

    return asyncio.run(scenario())


def test_a_model_is_checked_again_by_the_command(written: Write) -> None:
    """In a process of its own, with the options of the first check; errors keep their place."""
    name = written(BANK)
    again = CheckAgain(name, NOTHING, ("--property", "NeverNegative"))
    found = again.read()
    assert [one.name for one in found.paths] == ["NeverNegative"]
    assert found.machine is not None
    written(BANK.replace("balance = 100", "balance = )"))
    with pytest.raises(Exception, match=r"m\.fizz:2:15") as raised:
        again.read()
    assert "Traceback" not in str(raised.value)
    again.stop()


def test_reports_that_come_later_may_have_no_counterexample(written: Write, tmp_path: Path) -> None:
    """They open at the initial state; one of a model that is wrong is refused with its place."""
    name = written(BANK)
    report_of(name, tmp_path)
    assert not open_or_walk("report.json", NOTHING).by_hand
    Path("report.json").write_text(json_report(check(load(written(FINE)))))
    found = open_or_walk("report.json", NOTHING)
    assert found.by_hand
    assert found.paths[0].sentence == "every property holds; 7 states"
    wrong = {"code": "L1", "file": name, "line": 2, "column": 15, "text": "unexpected ')'", "hint": None}
    Path("report.json").write_text(json.dumps({"model": "", "trace": None, "properties": [], "error": wrong}))
    with pytest.raises(UsageProblem, match=r"m\.fizz:2: unexpected"):
        open_or_walk("report.json", NOTHING)


def test_stamps(tmp_path: Path) -> None:
    """The first look says nothing; a file that goes away has changed."""
    file = tmp_path / "a"
    file.write_text("x")
    stamps = Stamps()
    assert stamps.changed([str(file)]) is None
    os.utime(file, ns=(1, 1))
    assert stamps.changed([str(file)]) == str(file)
    assert stamps.changed([str(file)]) is None
    file.unlink()
    assert stamps.changed([str(file)]) == str(file)


def test_the_viewer_follows_reports(tmp_path: Path) -> None:
    """`fizzpy show REPORT --reload` opens also a report that has no counterexample yet."""
    model = tmp_path / "m.fizz"
    model.write_text(
        "action Init:\n    n = 0\n\natomic action A:\n    n = 1 - n\n\nalways assertion F:\n    return n < 2\n"
    )
    (tmp_path / "r.json").write_text(json_report(check(str(model))).replace(str(model), "m.fizz"))
    ended, sent = in_terminal(tmp_path, "show", "r.json", "--reload", press=(b"After step 0", b"\x03"))
    assert ended == 0, sent
    assert "every property holds" in sent
