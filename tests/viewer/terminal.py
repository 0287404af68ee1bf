"""A terminal of eighty columns and twenty-four rows, in which the command runs and keys are pressed."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 60.0


def in_terminal(
    folder: Path,
    *arguments: str,
    press: tuple[bytes, bytes | None] | None = None,
    path: Path | None = None,
    deaf: bool = False,
) -> tuple[int, str]:
    """Run the command: its exit code and what the terminal was sent.

    `press`: when the first of these has appeared, the second is typed; None: the terminal goes away. `path`: a folder
    with modules of the test. `deaf`: the command gets no signal of hangups.
    """
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    places = os.pathsep.join(str(place) for place in (ROOT, path) if place is not None)
    environment = os.environ | {"PYTHONPATH": places, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "fizzpy", *arguments]
    sent = b""
    deadline = time.monotonic() + _PATIENCE

    def own_terminal() -> None:
        if deaf:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        preexec_fn=own_terminal,
    ) as running:
        os.close(follower)
        # Reading fails when no process has the other end open any more.
        with suppress(OSError):
            while time.monotonic() < deadline:
                if not select.select([leader], [], [], 1)[0]:
                    continue
                sent += os.read(leader, 65536)
                if press and press[0] in sent:
                    if press[1] is None:
                        break
                    os.write(leader, press[1])
                    press = None
        if press:
            os.close(leader)
        with suppress(subprocess.TimeoutExpired):
            running.wait(10)
        running.kill()
    if not press:
        os.close(leader)
    return running.returncode, sent.decode(errors="replace")
