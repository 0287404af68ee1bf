"""However many workers there are, the report is the same, also of runs that are cut, interrupted and resumed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import ExitCode
from checker.search.columns.sizes import Sizes
from checker.search.columns.spill_file import SpillFiles
from checker.search.workers.part import OfferedStates, Part
from checker.search.workers.processes import Processes
from checker.search.workers.team import Team
from tests.checkpoint.conftest import WIDE, comparable, interrupted_after
from tests.workers.conftest import SAFE, checked, workers

ALL = Settings(keep_going=True, stats=True)
# Rows are expanded a few at a time, and what others keep is sent several times a level.
CUT = Limits(states=300)
NARROW = Sizes(many_values=0, steps=64, sent=20)

# Excluded variables are not known to columns.
BY_ROWS = """\
---
identity: {exclude: [seen]}
deadlock_detection: false
---
action Init: a, b, seen = 0, 0, 0
atomic action A: a = (a + 1) % 200
atomic action B:
    b = (b + 1) % 200
    seen += 1
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(SAFE)
    return path


@contextmanager
def noted_commands() -> Iterator[list[str]]:
    """The commands that workers are given in the block, in order."""
    names: list[str] = []
    ask = Processes.ask

    def noted(self: Processes, name: str, *given: Any) -> list[Any]:
        names.append(name)
        return ask(self, name, *given)

    with patch.object(Processes, "ask", noted):
        yield names


@pytest.mark.parametrize(
    "settings", [ALL, Settings(), replace(ALL, limits=Limits(states=500))], ids=["all", "first", "cut"]
)
@pytest.mark.parametrize("count", [2, 3])
def test_any_number_of_workers(model: Path, count: int, settings: Settings) -> None:
    """Counts, verdicts and counterexamples are those of one process."""
    alone = checked(model, 1, settings)
    assert comparable(checked(model, count, settings)) == comparable(alone)


@pytest.mark.parametrize("by_rules", ["always", "never", "in turns"])
def test_states_and_rules_are_divided(model: Path, by_rules: str) -> None:
    """It is the same whether each worker expands its own states, or all states by some rules, or now this, now that."""
    turns = cycle([True, True, False])

    def pays(self: Team, parts: object) -> bool:
        return by_rules == "always" if by_rules != "in turns" else next(turns)

    with patch.object(Team, "_much_learned", pays):
        together = [checked(model, count, ALL) for count in (2, 3)]
    alone = checked(model, 1, ALL)
    assert [comparable(one) for one in together] == [comparable(alone)] * 2


def test_what_workers_do_is_counted(model: Path) -> None:
    """The statistics name the workers, and all that was evaluated is in them."""
    alone, together = checked(model, 1, ALL).stats, checked(model, 2, ALL).stats
    assert (together["workers"], together["workers from level"]) == (2, 2)
    assert "workers" not in alone
    assert int(str(together["rule evaluations"])) >= int(str(alone["rule evaluations"])) // 2
    assert together["interpreter calls"]


def test_paths_are_asked_for_state_by_state(model: Path) -> None:
    """A witness on a late level does not bring all states found to the first process."""
    model.write_text(SAFE + "exists assertion Two: return len(sent) == 2\n")
    with noted_commands() as asked:
        together = checked(model, 2, ALL)
    assert comparable(together) == comparable(checked(model, 1, ALL))
    assert "reached_by" in asked
    assert "links" not in asked


def test_what_others_keep_is_sent_in_rounds(model: Path) -> None:
    """A level may be sent in several parts: no state is lost or found twice."""
    with noted_commands() as rounds:
        report = checked(model, 2, ALL, NARROW)
    assert rounds.count("ship") > 2 * rounds.count("finish")
    assert comparable(report) == comparable(checked(model, 1, ALL))


def test_sets_that_become_crowded(model: Path) -> None:
    """Sets that one worker stores whole from some moment on are stored so by all."""
    sizes = Sizes(many_values=0, few_elements=4, rare=1 << 20)
    assert comparable(checked(model, 2, ALL, sizes)) == comparable(checked(model, 1, ALL))


def test_states_on_the_disk(model: Path) -> None:
    """Each worker writes its share of the states to the disk."""
    sizes = Sizes(many_values=0, spilled=1)
    with patch("checker.search.columns.spill_file._MB", 1_000):
        report = checked(model, 2, replace(ALL, memory_mb=1), sizes)
    assert float(str(report.stats["MB on disk"])) > 0
    assert comparable(report) == comparable(checked(model, 1, ALL))


def test_what_workers_say(model: Path) -> None:
    """A sentence to the user that all workers have is said once."""
    first = os.getpid()
    said: list[str] = []

    def refused(self: SpillFiles, pieces: object, kind: object) -> None:
        if os.getpid() != first:
            self.budget = None
            self.say("the disk is full")

    sizes = Sizes(many_values=0, spilled=1)
    with (
        patch("checker.search.columns.spill_file._MB", 1_000),
        patch.object(SpillFiles, "write", refused),
        workers(2, sizes),
    ):
        check(model, settings=replace(ALL, memory_mb=1), say=said.append)
    assert said == ["the disk is full"]


@pytest.mark.parametrize("counts", [(2, 1), (1, 3), (3, 2)], ids=str)
def test_another_number_of_workers_goes_on(model: Path, tmp_path: Path, counts: tuple[int, int]) -> None:
    """A checkpoint says nothing of workers: as many as are asked for go on from it."""
    settings = replace(ALL, checkpoint_every_s=0)
    folder = str(tmp_path / "c")
    with interrupted_after(4):
        first = checked(model, counts[0], replace(settings, checkpoint=folder))
    assert first.exit_code is ExitCode.INTERRUPTED
    last = checked(model, counts[1], replace(settings, resume=folder))
    assert comparable(last) == comparable(checked(model, 1, ALL))


def test_a_level_that_is_given_up(model: Path) -> None:
    """An interruption within a level leaves the counts of the levels before it, and what the level has shown."""
    count = Part.count

    def interrupted(self: Part, base: int, by_rules: bool) -> OfferedStates | None:
        offer = count(self, base, by_rules)
        if self.number == 0 and base > 60:
            os.kill(os.getppid(), signal.SIGINT)
            while True:
                self.run.task.patience.ask()
        return offer

    with patch.object(Part, "count", interrupted):
        report = checked(model, 2, Settings(keep_going=True))
    assert report.exit_code is ExitCode.INTERRUPTED
    whole = [checked(model, 1, replace(ALL, limits=Limits(depth=depth))) for depth in range(1, 8)]
    assert (report.states, report.transitions) in [(one.states, one.transitions) for one in whole]
    assert report.given_up is not None


@pytest.mark.parametrize("count", [2, 3])
def test_liveness(tmp_path: Path, count: int) -> None:
    """The graph of steps is made of what the workers have found, also of states that were not expanded."""
    path = tmp_path / "m.fizz"
    path.write_text(WIDE)
    for settings in (ALL, replace(ALL, limits=Limits(depth=4))):
        found = checked(path, count, settings)
        assert found.stats["workers"] == count
        assert comparable(found) == comparable(checked(path, 1, settings))


def test_a_graph_that_is_resumed(tmp_path: Path) -> None:
    """The graph in a checkpoint goes on with any number of workers."""
    path = tmp_path / "m.fizz"
    path.write_text(WIDE)
    folder = str(tmp_path / "c")
    with interrupted_after(4):
        checked(path, 2, replace(ALL, checkpoint_every_s=0, checkpoint=folder))
    resumed = checked(path, 3, replace(ALL, resume=folder))
    assert comparable(resumed) == comparable(checked(path, 1, ALL))


def test_why_there_is_one_process(model: Path) -> None:
    """If workers are asked for and not used, the statistics say so."""
    path = model.parent / "channel.fizz"
    path.write_text(BY_ROWS)
    assert check(path, settings=replace(ALL, workers=2)).stats["workers"] == "1: it goes row by row"
    assert check(model, settings=replace(ALL, workers=2)).stats["workers"] == "1: no level was wide enough"
