"""What the viewer does for a long trace of a large state: a screenful for a key. Work is counted, for seconds vary."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as Folder

import pytest

from checker.report.difference import read_group
from checker.tui.app import Viewer
from checker.tui.lines import Lines
from checker.tui.opened.opened_paths import OpenedPaths, Path
from checker.tui.viewer_session import ViewerSession
from tests.viewer.conftest import driven, first, guided, main, model, settled

STEPS = 200
# Of all panes together, two of which stand beside the steps.
LINES = 40
# A thousand leaves: four hundred records of a table, two of each, and two hundred in the lists of two nodes.
LARGE = """\
---
options: {max_actions: 1000}
---
action Init:
    nodes = [Node(), Node()]
    table = {"k%03d" % number: {"a": number, "b": 0} for number in range(400)}
    count = 0

role Node:
    action Init:
        self.log = [number for number in range(100)]

    atomic action Work:
        self.log[count % 100] = count
        table["k%03d" % count]["b"] = count
        count += 1

always assertion Fine:
    return count < 200

always assertion Sorted:
    return table["k000"]["a"] <= table["k001"]["a"]
"""
KEYS = (
    "left left right home end up down tab up down pagedown pageup enter enter c C m right left m u u f t a escape "
    "slash k 1 0 0 enter n N tab tab tab z z"
).split()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> OpenedPaths:
    """Two hundred steps."""
    folder: Folder = tmp_path_factory.mktemp("large")
    return guided(model(folder, LARGE), *[f"Node#{number % 2}.Work" for number in range(STEPS)])


def test_the_state_has_a_thousand_leaves(large: OpenedPaths) -> None:
    """Else the rest would prove little."""
    state = large.paths[0].path.trace.entries[-1].state
    assert len(large.paths[0].path.states) == STEPS + 1
    assert sum(text.count(",") + 1 for _, text in state) >= 1000


def test_opening_looks_into_no_value_that_is_not_shown(large: OpenedPaths) -> None:
    """Of all steps who moved is found out; of the selected one what changed."""
    read_group.cache_clear()
    session = ViewerSession(large)
    assert read_group.cache_info().misses == 0
    before = read_group.cache_info().misses
    session.select(session.last)
    rows = session.rows()
    assert len(rows) < 20
    assert read_group.cache_info().misses - before < 20


def test_a_step_looks_into_what_it_changed(large: OpenedPaths) -> None:
    """And into nothing else."""
    session = ViewerSession(large)
    read_group.cache_clear()
    for index in (100, 101, 50):
        before = read_group.cache_info().misses
        session.select(index)
        session.rows()
        assert read_group.cache_info().misses - before < 20


def test_the_next_change_looks_into_each_value_once(large: OpenedPaths) -> None:
    """The state after a step is that before the next one; the second time everything is known."""
    session = ViewerSession(large)
    session.select(0)
    read_group.cache_clear()
    assert first(session.touching('table["k399"]["b"]')) is None
    assert read_group.cache_info().misses < 6 * STEPS
    before = read_group.cache_info().misses
    assert first(session.touching('table["k399"]["a"]')) is None
    assert read_group.cache_info().misses == before


def test_a_key_draws_a_screenful(large: OpenedPaths) -> None:
    """Whatever is pressed: on average no more lines than the terminal has."""
    seen = driven(large, *KEYS)
    assert 0 < seen.drawn <= 24 * len(KEYS)


def test_truth_is_found_out_in_slices(large: OpenedPaths) -> None:
    """A slice of no time evaluates nothing; what is known is not evaluated again."""
    session = ViewerSession(large)
    assert not session.work(0)
    session.work(60)
    assert session.work(0)
    assert all(
        session.truths.known(prop, session.path, index) is not None
        for prop in session.truths.properties
        for index in range(len(session.path_text))
    )


def from_report(large: OpenedPaths) -> OpenedPaths:
    """The same as read from a report, before its model is read."""
    paths = tuple(replace(shown, path=Path(shown.path.trace)) for shown in large.paths)
    return replace(large, machine=None, paths=paths, rest=lambda: large)


def test_the_first_screen_is_drawn_once(large: OpenedPaths) -> None:
    """It is complete when it comes; what is read after it changes the properties, and nothing else."""

    async def scenario() -> tuple[int, int]:
        read_group.cache_clear()
        viewer = Viewer(from_report(large))
        before = Lines.drawn
        async with viewer.run_test(size=(80, 24)) as pilot:
            first, looked = Lines.drawn - before, read_group.cache_info().misses
            await settled(viewer, pilot)
        return first, looked

    first, looked = asyncio.run(scenario())
    assert 0 < first <= LINES
    assert looked < 20


def test_a_long_way_is_looked_along_in_slices(large: OpenedPaths) -> None:
    """A slice of no time looks into one step; a reader who moves meanwhile stays there."""

    async def scenario() -> None:
        viewer = Viewer(large)
        async with viewer.run_test(size=(80, 24)) as pilot:
            await settled(viewer, pilot)
            screen, session = main(viewer), viewer.session
            looked: list[int | None] = []
            found: list[int | None] = []

            def entries() -> Iterator[int | None]:
                for index in range(STEPS):
                    looked.append(index)
                    yield None
                yield 7

            screen.background.look(entries(), found.append)
            await pilot.pause(0)
            while not found:
                before = len(looked)
                screen.background.work(0)
                assert len(looked) <= before + 1
            assert (found, len(looked)) == ([7], STEPS)
            endless = (None for _ in iter(int, 1))
            screen.background.look(endless, found.append)
            assert not screen.background.idle
            assert "looking ..." in str(screen.bottom.query_one("#says").render())
            session.select(3)
            screen.background.work(60)
            assert found == [7]

    asyncio.run(scenario())


@pytest.mark.parametrize("key", ["left", "up", "home", "n", "tab", "down", "m", "v", "b"])
def test_a_key_draws_once(key: str, large: OpenedPaths) -> None:
    """No pane is drawn twice for one key."""
    nothing, seen = driven(large), driven(large, key)
    assert seen.drawn - nothing.drawn <= LINES
