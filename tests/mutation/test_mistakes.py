"""Mistakes that one may make in a protocol, by name, and the promised quick runs that notice them.

docs/systems/kraft.md has the same as a table. What `fizzpy mutate` changes is smaller than these: a term, or a line.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from checker.expectations.promises import Promise, read_promises

MODELS = Path(__file__).parents[2] / "models"


@dataclass(frozen=True)
class Mistake:
    """A text of a file, and what stands there instead."""

    file: str
    right: str
    wrong: str

    def make(self, folder: Path) -> None:
        """Make the mistake in the file of this folder."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        assert text.count(self.right) == 1, f"not in {self.file}, or not only once: {self.right!r}"
        path.write_text(text.replace(self.right, self.wrong), encoding="utf-8")


KRAFT = {
    "followers do not truncate": Mistake(
        "server.fizz",
        "self.log = self.log[:end_of_agreement(self.log, response.diverging.epoch, response.diverging.end)]",
        "pass",
    ),
    "followers truncate to their high watermark": Mistake(
        "server.fizz",
        "self.log = self.log[:end_of_agreement(self.log, response.diverging.epoch, response.diverging.end)]",
        "self.log = self.log[:self.high_watermark]",
    ),
    "records of earlier epochs are committed by counting": Mistake(
        "server.fizz",
        "        if offsets and me.log[offsets[-1] - 1].epoch == me.epoch:\n            return offsets[-1]\n",
        "        if offsets:\n            return max(me.high_watermark, offsets[-1])\n",
    ),
    "responses of earlier epochs count": Mistake(
        "server.fizz",
        "        if response.epoch < self.epoch:\n            return True\n",
        "",
    ),
    "members change while a change is pending": Mistake(
        "server.fizz",
        "        return me.config.committed and (me.has_committed_in_epoch() or not WAIT_FOR_OWN_EPOCH)\n",
        "        return me.has_committed_in_epoch() or not WAIT_FOR_OWN_EPOCH\n",
    ),
}
TRUNCATE, TOO_MUCH, COUNT, LATE, PENDING = KRAFT

# For each mistake: the run, as `fizzpy test` names it, and the property that is violated then.
NOTICED = [
    (TRUNCATE, "StepsOfKRaft.fizz SERVERS=3 CANDIDATES=[1] FETCHERS=[0]", "FollowersDoAsTold"),
    (
        TRUNCATE,
        "KRaftKip853.fizz REMOVES=0 CANDIDATES=[1] FETCHERS=[0, 1] CUT_AT_START=[[0, 1], [0, 2]] NETWORK_CHANGES=1 "
        "CUT_LINKS=0",
        "DivergingLogsAreCut",
    ),
    (
        TOO_MUCH,
        "StepsOfKRaft.fizz PATIENT=True SERVERS=3 VALUES=2 MAX_VALUES_PER_EPOCH=2 CANDIDATES=[1] FETCHERS=[0, 1] "
        "CUT_AT_START=[[0, 2]] NETWORK_CHANGES=2",
        "LogsForAReason",
    ),
    (COUNT, "StepsOfKRaft.fizz", "CommittedForAReason"),
    (LATE, "StepsOfKRaft.fizz VALUES=0 MAX_EPOCH=3 FETCHERS=[]", "LateAnswersChangeNothing"),
    (
        LATE,
        "KRaftKip853.fizz PATIENT=False REMOVES=0 VALUES=0 MAX_EPOCH=3 CANDIDATES=[0, 1] FETCHERS=[] "
        "CUT_AT_START=[[0, 1]] liveness=false",
        "NoIllegalState",
    ),
    (
        PENDING,
        "StepsOfKRaft.fizz SERVERS=3 REMOVES=2 MIN_MEMBERS=1 REMOVABLE=[1, 2] CANDIDATES=[1] FETCHERS=[]",
        "ChangedForAReason",
    ),
    (
        PENDING,
        "KRaftKip853.fizz PATIENT=False REMOVES=2 MIN_MEMBERS=1 REMOVABLE=[1, 2] CANDIDATES=[1] FETCHERS=[] "
        "liveness=false",
        "LeaderHasAllAckedValues",
    ),
]


def quick_run(folder: Path, title: str) -> Promise:
    """The promised quick run of that title."""
    (found,) = [one for one in read_promises(folder / "expect.yaml") if one.title == title]
    assert found.mark == "quick"
    return found


@pytest.mark.parametrize(("name", "title", "violated"), NOTICED, ids=[f"{one[0]}-{one[2]}" for one in NOTICED])
def test_a_quick_run_notices_the_mistake(tmp_path: Path, name: str, title: str, violated: str) -> None:
    """A property that holds in the promised run is violated."""
    folder = tmp_path / "kraft"
    shutil.copytree(MODELS / "kraft", folder)
    promise = quick_run(folder, title)
    KRAFT[name].make(folder)
    report = promise.run("embedded")
    assert violated in {one.name for one in report.properties if one.verdict == "violated"}
    assert any("verdict is" in line or "exit is" in line for line in promise.broken_by(report))


@pytest.mark.parametrize("name", KRAFT)
def test_every_mistake_is_noticed(name: str) -> None:
    """No mistake without a run."""
    assert name in {mistake for mistake, _, _ in NOTICED}
