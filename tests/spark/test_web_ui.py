"""The address of Spark's web UI: printed once, for users who follow the progress, if this run started Spark."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from checker.check import check
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import IDLE

ADDRESS = "http://127.0.0.1:4040"


def test_printed_once(tmp_path: Path, stage: Stage) -> None:
    """Not without progress, nor of a session that was there before; `--stats` always has it."""
    (tmp_path / "m.fizz").write_text(IDLE)
    said: list[str] = []
    with patch.object(Stage, "web_ui", ADDRESS):
        check(tmp_path / "m.fizz", engine="spark", settings=settings_for(2), progress=print, say=said.append)
        assert said == []
        with patch.object(Stage, "started", object()):
            report = check(tmp_path / "m.fizz", engine="spark", settings=settings_for(2), say=said.append)
            assert said == []
            check(tmp_path / "m.fizz", engine="spark", settings=settings_for(2), progress=print, say=said.append)
    assert said == [f"Spark's web UI is at {ADDRESS}"]
    assert report.stats["spark web UI"] == ADDRESS
