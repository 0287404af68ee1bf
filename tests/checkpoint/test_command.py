"""Checkpoints on the command line: Ctrl-C, a kill, limits of the system, and what is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.checkpoint.conftest import NOT_COMPARED, WIDE

ROOT = Path(__file__).resolve().parents[2]
# Slow enough to be interrupted.
LARGER = WIDE.replace("a < 3", "a < 6").replace("a == 3", "a == 6").replace("c[side] < 2", "c[side] < 4")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "fizzpy", "check", "m.fizz", "--json", *arguments]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def fizzpy(folder: Path, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, check=False, **more
    )


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    return {name: value for name, value in json.loads(done.stdout).items() if name not in NOT_COMPARED}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C ends with code 130, a partial report and a checkpoint; after a kill there is the last one."""
    (tmp_path / "m.fizz").write_text(LARGER)
    process = subprocess.Popen(
        command("--checkpoint", "c", "--checkpoint-every", "0"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Levels follow each other quickly: on a busy machine only some of them are seen.
    while process.poll() is None and not list((tmp_path / "c").glob("checkpoint-*.json")):
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    if number is signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 130
        assert json.loads(out)["verdict"] == "interrupted"
        assert "go on from there with --resume" in err
    undisturbed = fizzpy(tmp_path)
    resumed = fizzpy(tmp_path, "--resume", "c")
    assert (resumed.returncode, resumed.stderr) == (undisturbed.returncode, "")
    assert answer(resumed) == answer(undisturbed)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """A limit of the system is like a full disk: code 74, a hint, and resuming later gives the answer."""
    resource = pytest.importorskip("resource")
    (tmp_path / "m.fizz").write_text(WIDE)
    done = fizzpy(
        tmp_path,
        *("--checkpoint", "c", "--checkpoint-every", "0"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)),
    )
    assert done.returncode == 74
    assert "cannot be written: File too large. The checkpoint of level" in done.stderr
    assert "hint: make room, then go on with --resume" in done.stderr
    assert answer(fizzpy(tmp_path, "--resume", "c")) == answer(fizzpy(tmp_path))


def test_damage_is_told(tmp_path: Path) -> None:
    """Resuming from an earlier level is reported on standard error, and only there."""
    (tmp_path / "m.fizz").write_text(WIDE)
    undisturbed = fizzpy(tmp_path, "--checkpoint", "c", "--checkpoint-every", "0")
    newest = max((tmp_path / "c").glob("level-*"), key=lambda path: int(path.name[6:]))
    newest.write_bytes(newest.read_bytes()[:-1])
    resumed = fizzpy(tmp_path, "--resume", "c")
    assert f"{newest.name} is damaged; going on from the checkpoint of level" in resumed.stderr
    assert answer(resumed) == answer(undisturbed)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--checkpoint-every", "3"), "--checkpoint-every: only with --checkpoint or --resume"),
        (("--resume", "nowhere"), "there is no checkpoint in"),
        (("--checkpoint", "c", "--engine", "plain"), "the plain engine writes no checkpoints"),
        (("--checkpoint", "c", "--checkpoint-every", "nan"), "'nan' is not a number"),
    ],
)
def test_usage(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """Requests that make no sense end with code 2 and a sentence."""
    (tmp_path / "m.fizz").write_text(WIDE)
    done = fizzpy(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
