"""Rejected logs, and histories without an order, in the viewer: what a row shows, and what its details say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from checker.conformance.check_history import check_history
from checker.conformance.validate_log import validate_logs
from checker.tui.finding_screen import FindingList, FindingViewer
from checker.tui.history_rows import history_rows
from checker.tui.log_rows import log_rows
from tests.bridge.conftest import REGISTER
from tests.bridge.test_history import STALE, answer, call
from tests.viewer.terminal import in_terminal

COUNTER = """\
action Init:
    n = 0
    m = 0

atomic action Up:
    by = oneof [1, 2]
    n = n + by

atomic action Tick:
    m = m + 1

always assertion Fine:
    return n >= 0
"""
MAP = "events:\n  up: {action: Up, choices: {by: by}, after: {n: n}}\n  tick: {action: Tick}\n"
LOG = [
    {"event": "up", "by": 1, "n": 1},
    {"event": "tick"},
    {"event": "up", "by": 2, "n": 3},
    {"event": "up", "by": 2, "n": 7},
]


def shown(found: FindingList, *keys: str, size: tuple[int, int] = (80, 24)) -> str:
    """The screen after some keys."""

    async def scenario() -> str:
        viewer = FindingViewer(found)
        async with viewer.run_test(size=size) as pilot:
            await pilot.pause()
            for key in keys:
                await pilot.press(key)
            await pilot.pause()
            strips = viewer.screen._compositor.render_strips()
        assert viewer.mistake is None
        return "\n".join(strip.text.rstrip() for strip in strips)

    return asyncio.run(scenario())


def write(folder: Path, name: str, records: list[dict[str, object]]) -> str:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


@pytest.fixture
def stale(tmp_path: Path) -> FindingList:
    """A read returns what another read found overwritten before."""
    model = tmp_path / "register.fizz"
    model.write_text(REGISTER)
    found = history_rows(check_history(str(model), [write(tmp_path, "h.ndjson", STALE)]))
    assert found is not None
    return found


def test_operations_are_drawn_as_intervals(stale: FindingList) -> None:
    """A row each, in the order of their invocations, with the number in the longest order."""
    text = shown(stale)
    lines = text.split("\n")
    assert lines[0].startswith("━NOT LINEARIZABLE: no order explains the first 7 events")
    assert [line[:18].rstrip() for line in lines[1:5]] == [
        " 1 0 write(1)",
        " 2 1 write(2)",
        " 3 2 read() -> 2",
        "✗  3 read() -> 1",
    ]
    bars = [line[18:].strip() for line in lines[1:5]]
    assert all(bar.startswith("├") and bar[-1] in "┤…" for bar in bars)
    assert lines[1].index("┤") < lines[2].index("├") < lines[3].index("├") < lines[3].index("┤") < lines[4].index("├")
    assert lines[4].index("┤") < lines[2].index("┤")


def test_the_operation_that_nothing_fits_is_explained(stale: FindingList) -> None:
    """It is selected first; the others say their place in the order."""
    assert "the model returns 2, not 1" in shown(stale)
    assert "Register#0.value = 2" in shown(stale)
    assert "number 1 of the longest order" in shown(stale, "home")
    assert "the model returns 2, not 1" in shown(stale, "home", "n")
    assert "a page" in shown(stale, "question_mark")


def test_a_long_history_is_drawn_around_the_selected_operation(tmp_path: Path) -> None:
    """The end is not pushed off the screen by a thousand operations before."""
    model = tmp_path / "register.fizz"
    model.write_text(REGISTER)
    before = [kind(0, "write", 1) for _ in range(500) for kind in (call, answer)]
    found = history_rows(check_history(str(model), [write(tmp_path, "h.ndjson", [*before, *STALE])]))
    assert found is not None
    last = next(line for line in shown(found).split("\n") if line.startswith("✗"))
    assert "├" in last and "┤" in last
    assert "├" in shown(found, "home").split("\n")[1]


def test_a_history_with_an_order_has_nothing_to_show(tmp_path: Path) -> None:
    """Nor has a log that is accepted."""
    model = tmp_path / "register.fizz"
    model.write_text(REGISTER)
    assert history_rows(check_history(str(model), [write(tmp_path, "h.ndjson", STALE[:5])])) is None
    counter, places = tmp_path / "c.fizz", tmp_path / "map.yaml"
    counter.write_text(COUNTER)
    places.write_text(MAP)
    log = write(tmp_path, "ok.ndjson", LOG[:3])
    assert log_rows(validate_logs(str(counter), [log], str(places))) is None


@pytest.fixture
def rejected(tmp_path: Path) -> FindingList:
    """The last event has a value that no step gives."""
    counter, places = tmp_path / "c.fizz", tmp_path / "map.yaml"
    counter.write_text(COUNTER)
    places.write_text(MAP)
    found = log_rows(validate_logs(str(counter), [write(tmp_path, "l.ndjson", LOG)], str(places)))
    assert found is not None
    return found


def test_a_rejected_log_shows_the_steps_and_the_event(rejected: FindingList) -> None:
    """The furthest position, the state then, and why the next event does not fit."""
    text = shown(rejected, size=(120, 40))
    assert "explains 3 events" in text
    assert "✗" in text and "does not fit:" in text
    assert "the state is then:" in text
    assert "n = 3" in text
    up = shown(rejected, "up", "up", size=(120, 40))
    assert "line 10 | m = m + 1" in up or "line 7 | n = n + by" in up


def test_it_is_opened_by_the_commands(tmp_path: Path) -> None:
    """After the report; the exit code stays that of the verdict."""
    (tmp_path / "register.fizz").write_text(REGISTER)
    write(tmp_path, "h.ndjson", STALE)
    ended, sent = in_terminal(
        tmp_path, "history", "register.fizz", "h.ndjson", "--show", press=(b"lists the keys", b"q")
    )
    assert ended == 14, sent
    assert "├" in sent


def test_rows_have_the_names_of_logs_and_details_their_paths(tmp_path: Path) -> None:
    """A path from the root would push off what the event says; parts of one log have their keys."""
    folder = tmp_path / ("deep" * 10) / "logs"
    folder.mkdir(parents=True)
    (tmp_path / "m.fizz").write_text(COUNTER)
    (tmp_path / "map.yaml").write_text("process: host\n" + MAP)
    log = write(folder, "a.ndjson", [{"host": "h", "shard": 4, **LOG[0]}, {"host": "h", "shard": 4, **LOG[3]}])
    files = [str(tmp_path / "m.fizz"), [log], str(tmp_path / "map.yaml")]
    found = log_rows(validate_logs(*files, partition="shard"))  # type: ignore[arg-type]
    assert found is not None
    lines = shown(found, size=(200, 24)).split("\n")
    assert lines[0].startswith("━REJECTED: a.ndjson [4]: no run of the model explains event 2 at a.ndjson:2, up{by: 2")
    assert lines[1].startswith("a.ndjson [4]: the longest run that fits explains 1 event;")
    assert any(line.startswith("✗ a.ndjson:2  up{by: 2") for line in lines)
    assert any(line.startswith(f"{log}:2  up{{by: 2") for line in lines)
