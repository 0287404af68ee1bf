"""Runs the command: in this process, which is fast, and as a process of its own."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

# Imported here, so that none of it is imported while a test has put something else in the place of what it needs.
import checker.cli.output_files  # noqa: F401
from checker.cli import run

ROOT = Path(__file__).resolve().parents[2]

ENDLESS = """\
---
options: {max_actions: 1000000}
---
action Init: a, b = 0, 0
atomic action A: a += 1
atomic action B: b += 1
always assertion Fine: return a >= 0
"""
"""Two counters that never meet a bound within any patience."""


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


@pytest.fixture
def fizzpy(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ended]:
    """Run the command in this process, in an empty folder, and return how it ended."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def call(*arguments: str) -> Ended:
        code = run(arguments)
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command as a process, in an empty folder. What still runs when the test is over is killed."""
    with ExitStack() as stack:

        def start(*arguments: str, **streams: object) -> subprocess.Popen[str]:
            environment = os.environ | {"PYTHONPATH": str(ROOT)}
            command = [sys.executable, "-m", "fizzpy", *arguments]
            running: subprocess.Popen[str] = subprocess.Popen(  # type: ignore[call-overload]
                command, cwd=tmp_path, env=environment, text=True, preexec_fn=_told_of_hangups, **streams
            )
            stack.enter_context(running)
            stack.callback(running.kill)
            return running

        yield start


def _told_of_hangups() -> None:
    # The tests themselves may run under nohup, and who ignores a signal hands that on.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def in_terminal(folder: Path, *arguments: str, interrupt_at: str | None = None) -> tuple[int, str]:
    """Run the command in a terminal of its own: its exit code and what the terminal was sent.

    When `interrupt_at` appears in the terminal, Ctrl-C is pressed.
    """
    leader, follower = pty.openpty()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "fizzpy", *arguments]
    sent = b""
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=follower, stdout=follower, stderr=follower
    ) as running:
        os.close(follower)
        # Reading fails when no process has the other end open any more.
        with suppress(OSError):
            while chunk := os.read(leader, 65536):
                sent += chunk
                if interrupt_at and interrupt_at.encode() in sent:
                    interrupt_at = None
                    running.send_signal(signal.SIGINT)
    os.close(leader)
    return running.returncode, sent.decode()
