"""Models, and functions to open and drive the viewer without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.strip import Strip

from checker.check import check
from checker.core.exploration import Settings
from checker.traces.guided import followed
from checker.tui.alternatives_screen import AlternativesScreen
from checker.tui.app import Viewer
from checker.tui.lines import Lines
from checker.tui.main_screen import MainScreen
from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.opened.opening import opened_report, opened_walk
from checker.tui.viewer_session import ViewerSession
from fizz import load
from tests.caching import own_cache
from tests.cli.conftest import fizzpy

__all__ = ["fizzpy", "own_cache"]


@pytest.fixture(autouse=True)
def kept_with_the_tests(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A copy of a state is kept for the user, in the folder of temporary files: of the tests, not of the machine."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.getbasetemp()))


# Two threads of one action, without roles: both withdraw from what only one of them may have.
BANK = """\
action Init:
    balance = 100

action Withdraw:
    require balance >= 60
    cash = 60
    balance = balance - cash

atomic action Deposit:
    require balance < 60
    amount = oneof [50, 100]
    balance = balance + amount

always assertion NeverNegative:
    return balance >= 0

exists assertion Rich:
    return balance > 200

transition assertion NoLeap(before, after):
    return after.balance - before.balance < 500
"""

RACE = ("Withdraw", "Withdraw", "thread-0", "thread-0")

# Roles, crashes, nested values: a node may crash between the two writes that belong together.
NODES = """\
---
options: {max_actions: 3}
---
action Init:
    nodes = [Node(), Node()]
    log = []

role Node:
    action Init:
        self.seen = {"a": 0, "b": [1, 2, 3]}
        self.done = False
    action Write:
        require not self.done
        log.append(struct(key="a", value=1))
        self.done = True
        self.seen["a"] = 1

always assertion Once:
    return len(log) < 3
"""

CRASH = ("Node#0.Write", "crash", "Node#1.Write", "thread-0", "thread-0", "Node#0.Write")

LASSO = """\
---
options: {max_actions: 20}
---
action Init:
    light = "red"
    cars = set([1, 2])

atomic fair action Switch:
    if light == "red":
        light = "green"
        cars = set([2, 3])
    else:
        light = "red"

eventually always assertion Green:
    return light == "green"
"""

FAILS = """\
action Init:
    n = oneof [2, 1]

atomic action Halve:
    n = 4 // (n - 1)

always assertion Fine:
    return n >= 0
"""

FINE = """\
action Init:
    n = oneof [0, 5]

atomic action Up:
    require n < 6
    n += 1

atomic action Rest:
    require n == 6
    pass

always assertion Small:
    return n <= 6
"""


@dataclass(frozen=True)
class Seen:
    """A screen: its text, and its lines with styles."""

    text: str
    strips: Sequence[Strip]
    session: ViewerSession
    drawn: int
    picture: str

    @property
    def title(self) -> str:
        return self.text.split("\n")[0]


def model(folder: Path, text: str, name: str = "m.fizz") -> str:
    """Write a model, and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def opened(path: str, **settings: object) -> OpenedPaths:
    """What `fizzpy show` opens for a model."""
    module = load(path)
    found = opened_report(module, check(module, settings=Settings(**settings)), "every property holds")  # type: ignore[arg-type]
    assert found is not None
    return found.whole()


def guided(path: str, *lines: str) -> OpenedPaths:
    """What is opened for a trace that is known step by step, whichever counterexample a check would choose."""
    module = load(path)
    report, walk = followed(module, ["[explicit]", *lines])
    assert walk is not None
    return opened_walk(module, report, walk)


def first(entries: Iterable[int | None]) -> int | None:
    """The first step that is found."""
    return next((index for index in entries if index is not None), None)


def driven(what: OpenedPaths, *keys: str, size: tuple[int, int] = (80, 24)) -> Seen:
    """Open the viewer, press keys, and look at the screen. Truth values are all known before the first key."""
    return asyncio.run(_driven(what, keys, size))


async def _driven(what: OpenedPaths, keys: Sequence[str], size: tuple[int, int]) -> Seen:
    viewer = Viewer(what)
    async with viewer.run_test(size=size) as pilot:
        await pilot.pause()
        await settled(viewer, pilot)
        before = Lines.drawn
        for key in keys:
            await pilot.press(key)
            main(viewer).background.work(60)
            if isinstance(viewer.screen, AlternativesScreen):
                viewer.screen.list.work(60)
        await pilot.pause()
        drawn = Lines.drawn - before
        if isinstance(viewer.screen, AlternativesScreen):
            viewer.screen.list.work(60)
        # What the reader's last key left to be found out.
        await settled(viewer, pilot)
        strips = viewer.screen._compositor.render_strips()
        picture = viewer.export_screenshot(title="fizzpy show")
    assert viewer.mistake is None
    return Seen("\n".join(strip.text.rstrip() for strip in strips), strips, viewer.session, drawn, picture)


def main(viewer: Viewer) -> MainScreen:
    """The screen with the panes."""
    screen = viewer.screen_stack[0]
    assert isinstance(screen, MainScreen)
    return screen


async def settled(viewer: Viewer, pilot: Pilot[None]) -> None:
    """Wait until all is known, and draw it."""
    background = main(viewer).background
    # Reading the model begins only after the first screen.
    while not (background.idle and (viewer.session.answers is not None or viewer.mistake is not None)):
        background.work(60)
        await pilot.pause(0.01)
    for pane in viewer.screen.query(Lines):
        pane.refresh()
    await pilot.pause()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a model into an empty folder, the current one, and return its name."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "m.fizz") -> str:
        model(tmp_path, text, name)
        return name

    return write
