"""Streams that are closed, full or read no further, and a folder that is gone: no traceback, and the right code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT

MODEL = "action Init: n = 0\natomic action Up: n = (n + 1) % 5\nalways assertion P: return n < 3\n"
COMMANDS = {("check", "m.fizz"): 12, ("check", "absent", "--json"): 2, ("--help",): 0, ("check", "--nope"): 2}


def in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the shell in a folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", COMMANDS)
@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&- >&- 2>&-", "| true", "2>/dev/full"])
def test_streams_that_nobody_reads(arguments: tuple[str, ...], streams: str, tmp_path: Path) -> None:
    """The exit code is that of the answer, and Python itself does not complain at the end either."""
    (tmp_path / "m.fizz").write_text(MODEL)
    command = f'set -o pipefail; "{sys.executable}" -B -m fizzpy {" ".join(arguments)} {streams}'
    done = in_shell(command, tmp_path)
    assert done.returncode == COMMANDS[arguments], done.stderr
    for word in ("Traceback", "internal error", "Exception ignored"):
        assert word not in done.stderr


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """The environment lacks something, which is said."""
    command = f'mkdir x; cd x; rmdir ../x; "{sys.executable}" -B -m fizzpy check DieHard.fizz --checkpoint c'
    done = in_shell(command, tmp_path)
    assert done.returncode in (2, 74), done.stderr
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
