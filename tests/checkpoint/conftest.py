"""What the tests of checkpoints share: runs that are interrupted after so many checkpoints, and reports to compare."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import ExitCode
from checker.core.report import Report
from checker.report.json_report import json_report
from checker.storage.checkpoint.folder import Folder
from tests.spark.conftest import stage

__all__ = ["stage"]

NOT_COMPARED = ("engine", "elapsed_s", "cpu_s", "peak_memory_mb", "found_before", "stats")
MOST_LEVELS = 200

# Wide enough for columns, with threads, crashes, execution paths that fail and a graph.
WIDE = """\
---
deadlock_detection: false
---
action Init: a, b, c, log = 0, 0, {"left": 0, "right": 0}, []
atomic action Up:
    require a < 3
    a += 1
atomic fair action Side:
    side = oneof ["left", "right"]
    require c[side] < 2
    c[side] += 1
action Late:
    require b < 1
    seen = a
    b = b + 1
    log.append(seen)
always assertion Few: return a + b < 50
eventually always assertion Full: return a == 3
always eventually assertion Even: return c["left"] == 2
"""


def comparable(report: Report) -> dict[str, object]:
    """The answer as `--json` has it, without what may differ between engines and runs."""
    answer: dict[str, object] = json.loads(json_report(report))
    return {name: value for name, value in answer.items() if name not in NOT_COMPARED}


@contextmanager
def interrupted_after(checkpoints: int) -> Iterator[None]:
    """Ctrl-C is pressed once so many checkpoints were written."""
    written = 0
    commit = Folder.commit

    def counted(self: Folder, *arguments: object) -> None:
        nonlocal written
        commit(self, *arguments)  # type: ignore[arg-type]
        written += 1
        if written == checkpoints:
            signal.raise_signal(signal.SIGINT)

    with patch.object(Folder, "commit", counted):
        yield


def level_by_level(model: Path, folder: Path, engine: Callable[[int], str], settings: Settings) -> tuple[Report, int]:
    """A check that is interrupted after each level and resumed in a new run; and how many runs that took."""
    settings = replace(settings, checkpoint_every_s=0)
    for run in range(MOST_LEVELS):
        target = {"checkpoint": str(folder)} if run == 0 else {"resume": str(folder)}
        with interrupted_after(1):
            report = check(model, engine=engine(run), settings=replace(settings, **target))
        # What a level shows that was given up decides about the code already.
        if report.exit_code != ExitCode.INTERRUPTED and report.given_up is None:
            return report, run + 1
    raise AssertionError("the run does not come to an end")
