"""How long the viewer takes to open, and to answer keys, in a terminal of its own: `python -m tests.viewer.times`.

It makes a trace of two hundred steps of a state with a thousand leaves, opens it as a report and as a guided trace,
and prints the least of several runs: other work on the machine only makes it slower.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path

from checker.report.json_commands import json_guided
from checker.traces.guided import follow
from tests.viewer.test_work import LARGE, STEPS

ROOT = Path(__file__).resolve().parents[2]
SMALL = "action Init: n = 0\natomic action Up: n += 1\nalways assertion P: return n < 9\n"
RUNS = 7
QUIET = 0.6
KEYS = {
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "down": b"\x1b[B",
    "up": b"\x1b[A",
    "pagedown": b"\x1b[6~",
    "pageup": b"\x1b[5~",
    "tab": b"\t",
    "enter": b"\r",
    "escape": b"\x1b",
}
PRESSED = (
    "left left right home end up up tab down up pagedown pageup enter enter c C m home right end left m u u escape "
    "tab tab tab C c tab o down escape w escape ? escape / 1 9 enter n N escape z tab z g 7 enter f l o escape v b"
).split()


class Terminal:
    """A command in a terminal of eighty columns and twenty-four rows."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.begun = time.perf_counter()
        self.process, self.end = pty.fork()
        if not self.process:
            os.chdir(folder)
            os.environ |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
            os.execv(sys.executable, [sys.executable, "-m", "fizzpy", *arguments])
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def sent(self, quiet: float = QUIET) -> list[tuple[float, bytes]]:
        """What it sends until it is quiet for so long, with the times."""
        found = []
        # Reading fails when the command has ended.
        with suppress(OSError):
            while select.select([self.end], [], [], quiet)[0]:
                data = os.read(self.end, 1 << 16)
                found.append((time.perf_counter(), data))
        return found

    def until(self, text: bytes) -> float:
        """How many seconds after the start a text has come."""
        seen = b""
        while text not in seen:
            seen += os.read(self.end, 1 << 16)
        return time.perf_counter() - self.begun

    def press(self, key: str) -> list[float]:
        """When something was drawn after a key, in milliseconds."""
        begun = time.perf_counter()
        os.write(self.end, KEYS.get(key, key.encode()))
        return [(at - begun) * 1000 for at, _ in self.sent(0.12)]

    def close(self) -> None:
        """End it."""
        os.write(self.end, b"\x03")
        self.sent(0.2)
        os.waitpid(self.process, 0)
        os.close(self.end)


def prepare(folder: Path) -> None:
    """A model, a guided trace and a report."""
    (folder / "large.fizz").write_text(LARGE)
    lines = [f"Node#{number % 2}.Work" for number in range(STEPS)]
    (folder / "trace.txt").write_text("\n".join(["# fizzpy trace large.fizz --follow trace.txt", *lines, ""]))
    os.chdir(folder)
    (folder / "report.json").write_text(json_guided(follow("large.fizz", "trace.txt")))
    (folder / "small.fizz").write_text(SMALL)


def say(line: str) -> None:
    """A line for the reader."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def opening(folder: Path, arguments: list[str], sign: bytes) -> None:
    """Print how long it takes until a text is on the screen."""
    times = []
    for _ in range(RUNS):
        terminal = Terminal(folder, "show", *arguments)
        times.append(terminal.until(sign))
        terminal.sent()
        terminal.close()
    say(f"{' '.join(arguments):12} {min(times):.2f} s (longest {max(times):.2f} s) to '{sign.decode()}'")


def answers(folder: Path) -> None:
    """Print how long keys take: to the first thing drawn, and to the last."""
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(RUNS):
        terminal = Terminal(folder, "show", "report.json")
        terminal.until(b"TTTT")
        terminal.sent()
        for number, key in enumerate(PRESSED):
            if drawn := terminal.press(key):
                found.setdefault(f"{number:2d} {key}", []).append((drawn[0], drawn[-1]))
        terminal.close()
    for key, times in found.items():
        first, last = min(time for time, _ in times), min(time for _, time in times)
        say(f"{key:12} first {first:6.1f} ms  last {last:6.1f} ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        say(f"load {os.getloadavg()[0]:.1f}")
        for sign in (b"State after", b"TTTT"):
            for what in ("report.json", "trace.txt", "small.fizz"):
                opening(Path(name), [what], sign)
        answers(Path(name))
        say(f"load {os.getloadavg()[0]:.1f}")
