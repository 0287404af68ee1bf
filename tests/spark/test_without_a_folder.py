"""Runs whose tasks send each other what they found through Spark alone, on a real session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import UsageProblem
from tests.spark.comparison import common_part
from tests.spark.conftest import settings_for
from tests.spark.models import MODELS


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
