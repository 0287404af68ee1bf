"""Runs whose tasks send each other what they found through Spark alone, on a real session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import EnvironmentProblem, ExitCode, UsageProblem
from checker.search.spark import parcels
from checker.search.spark.assignment import Assignment, Inbound, TaskItem, outbound_file, unpacked
from checker.search.spark.parcels import Parcel, TaskParcels, addressed
from tests.spark.comparison import common_part
from tests.spark.conftest import settings_for
from tests.spark.models import MODELS
from tests.spark.stage import Stage


@pytest.mark.spark
@pytest.mark.parametrize(("name", "core"), [("lasso", 0), ("crashes", None)])
def test_report_is_the_same(name: str, core: int | None, spark: Any, tmp_path: Path) -> None:
    """Counts, counterexamples and lassos are those of the embedded engine, and nothing was written to any folder."""
    path = tmp_path / "m.fizz"
    path.write_text(MODELS[name])
    report = check(path, engine="spark", settings=settings_for(3, core, "spark"))
    assert common_part(report) == common_part(check(path, engine="embedded"))
    assert report.stats["spark_levels"]


@pytest.mark.parametrize(
    ("exchange", "more", "said"),
    [
        ("disk", {}, "spark.fizzpy.exchange is 'disk'"),
        ("spark", {"checkpoint": "c"}, "--checkpoint names one"),
        ("spark", {"resume": "c"}, "--checkpoint names one"),
    ],
)
def test_settings_that_will_not_do(
    exchange: str, more: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another word, and a folder where none is to be used, are refused before anything is explored."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.fizz"
    path.write_text(MODELS["lasso"])
    if "resume" in more:
        check(path, settings=Settings(checkpoint="c"))
    with pytest.raises(UsageProblem, match=said):
        check(path, engine="spark", settings=settings_for(2, None, exchange, **more))


def test_all_executors_are_lost_again_and_again(tmp_path: Path, stage: Stage) -> None:
    """Tasks are repeated from the first level on, by new workers, during levels and during liveness."""
    path = tmp_path / "m.fizz"
    path.write_text(MODELS["lasso"])
    calm = check(path, engine="spark", settings=settings_for(2, 0, "spark"))
    begun, stage.lost_every = stage.jobs, 12
    try:
        report = check(path, engine="spark", settings=settings_for(2, 0, "spark"))
    finally:
        stage.lost_every = 0
    assert stage.jobs - begun > 2 * 12
    assert common_part(report) == common_part(calm) == common_part(check(path, engine="embedded"))


def test_the_names_of_all_senders_are_small() -> None:
    """Of 400 senders, 400 tasks each have the names, and Spark keeps all tasks: so they are deflated."""
    names = tuple(outbound_file(7, 400, sender) for sender in range(400))
    given = Assignment(7, 3, Inbound(names, 1), (), False, False, ())
    item = TaskItem.of(3, given)
    assert unpacked(item.assignment) == given
    assert len(item.assignment) < sum(map(len, names)) / 5


@pytest.mark.parametrize("name", ["outbound-1-3-0-1", "seen-0-3-2"])
def test_what_is_damaged_on_a_disk(name: str) -> None:
    """Spark does not notice what a disk has changed of the blocks that it keeps; the task that reads them does."""
    (_, (_, parts, summed)), *_ = addressed(name, [b"ab", b"cd"])
    assert _with_parcel(name, (name, parts, summed)).read(name, 0) == b"ab"
    for changed in ([b"aB", *parts[1:]], [*parts[:-1], parts[-1][:-1]], [*parts, b""]):
        store = _with_parcel(name, (name, tuple(changed), summed))
        assert store.has(name)
        with pytest.raises(EnvironmentProblem, match=f"{name} in Spark's storage is damaged"):
            store.read(name, 0)


def _with_parcel(name: str, parcel: Parcel) -> TaskParcels:
    """The store of a task that needs a name, and was sent a parcel."""
    store = TaskParcels([name], {})
    store.take_in([parcel])
    return store


def test_a_damaged_block_ends_the_run(tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is refused, with code 74, where keys that were seen have changed between two levels."""
    path = tmp_path / "m.fizz"
    path.write_text(MODELS["lasso"])
    sent = parcels.addressed

    def damaged(name: str, parts: Sequence[bytes]) -> Iterator[tuple[int, Parcel]]:
        for partition, (_, there, summed) in sent(name, parts):
            changed = tuple(part[:-1] + bytes([part[-1] ^ 1]) if part else part for part in there)
            yield partition, (name, changed if name.startswith("seen-") else there, summed)

    monkeypatch.setattr(parcels, "addressed", damaged)
    with pytest.raises(EnvironmentProblem, match="is damaged") as refused:
        check(path, engine="spark", settings=settings_for(2, None, "spark"))
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
