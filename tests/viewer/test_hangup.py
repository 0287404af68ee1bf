"""Where the terminal goes away, the viewer ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.viewer.conftest import BANK
from tests.viewer.terminal import in_terminal


@pytest.mark.parametrize("deaf", [False, True], ids=["signal", "as under nohup"])
def test_a_terminal_that_goes_away_ends_the_viewer(deaf: bool, written: Callable[..., str], tmp_path: Path) -> None:
    """Like an interruption, and also if the signal for that is ignored; nothing is left that waits for keys."""
    code, sent = in_terminal(tmp_path, "show", written(BANK), press=(b"Withdraw", None), deaf=deaf)
    assert "Withdraw" in sent
    assert code == 130
