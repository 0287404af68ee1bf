"""An exploration from first to last, whatever happens at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.search.engines.plain import PlainRun

COUNTER = "action Init: n = 0\natomic action Up:\n    require n < 3\n    n += 1\natomic action Rest: pass\n"


def test_an_interruption_while_the_engine_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is known by then, and is given."""

    def interrupted(self: PlainRun) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PlainRun, "close", interrupted)
    (tmp_path / "m.fizz").write_text(COUNTER)
    report = check(tmp_path / "m.fizz", engine="plain")
    assert (report.verdict, report.states) == ("passed", 4)
