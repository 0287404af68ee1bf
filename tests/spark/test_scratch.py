"""Temporary folders go with their process, or with the next one; what is not ours, or in use, stays."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from checker.search.spark.scratch import Scratch, sweep

ROOT = Path(__file__).resolve().parents[2]
_CHILD = """
import os, signal, sys
from checker.search.spark.scratch import Scratch
scratch = Scratch("run")
(scratch.path / "found-1-0").write_text("x")
sys.stdout.write(str(scratch.path))
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this process and its children."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_killed_process(temporary: Path) -> None:
    """What it has left is removed by the next one, with what is in it; a link in there leads nowhere."""
    precious = temporary / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    left = Path(done.stdout.decode())
    assert left.parent == temporary and (left / "found-1-0").exists()
    (left / "link").symlink_to(precious)
    sweep()
    assert not left.exists()
    assert (precious / "file").read_text() == "mine"


def test_what_is_in_use_stays(temporary: Path) -> None:
    """Also for the process that has it; it goes when it is closed, and is for this user's eyes only."""
    scratch = Scratch("spark")
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    sweep()
    assert scratch.path.is_dir()
    scratch.close()
    assert not scratch.path.exists()


def test_what_is_not_ours_stays(temporary: Path) -> None:
    """Folders of other names, without the mark of an owner, or of another user, and links."""
    plain = temporary / "fizzpy-run-abcdefgh"
    plain.mkdir()
    other = temporary / "fizzpy-abcdefgh"
    other.mkdir()
    (other / "in-use").write_text("")
    target = temporary / "target"
    target.mkdir()
    (target / "in-use").write_text("")
    link = temporary / "fizzpy-run-aaaaaaaa"
    link.symlink_to(target)
    odd = temporary / "fizzpy-run-bbbbbbbb"
    odd.mkdir()
    os.mkfifo(odd / "in-use")
    kept = [plain, other, target, link, odd]
    if os.getuid() == 0:
        foreign = temporary / "fizzpy-run-cccccccc"
        foreign.mkdir()
        (foreign / "in-use").write_text("")
        os.chown(foreign, 12345, 12345)
        kept.append(foreign)
    sweep()
    assert all(path.exists() for path in kept)
