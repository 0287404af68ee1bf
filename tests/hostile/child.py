"""Cases in children of this process: forked when everything is imported, watched, and ended at their limits."""

from __future__ import annotations

import gc
import os
import platform
import resource
import shutil
import signal
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

import fizzpy
from tests.hostile import canary
from tests.hostile.case import Case

MEGABYTE: Final = 1 << 20
_LOOK_S: Final = 0.5


@dataclass(frozen=True)
class Limits:
    """What a case may take: CPU seconds, megabytes beyond those of the empty child, and seconds of doing nothing.

    A machine that is busy with other things gives a child little time for its CPU seconds: that is not its fault.
    """

    cpu_s: int = 10
    memory_mb: int = 1024
    idle_s: float = 20.0


@dataclass(frozen=True)
class Ended:
    """How a case ended. `signal`: of what it died; `limit`: which limit it met; `caught`: what the canary saw."""

    code: int
    signal: int
    limit: str
    caught: str
    output: bytes
    details: str
    changed: tuple[str, ...]
    cpu_s: float


class Child:
    """One case under way."""

    def __init__(self, case: Case, room: Path, limits: Limits) -> None:
        self.case = case
        self.room = room
        self.limits = limits
        self.folder = room / "case"
        case.lay_out(self.folder)
        for name in ("state", "cache", "tmp"):
            (room / name).mkdir()
        self._active = time.monotonic()
        self._looked = 0.0
        self._spent = 0
        self._limit = ""
        self._shared = _resident(os.getpid())
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            self._live()

    def poll(self) -> Ended | None:
        """How it ended; None while it runs."""
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            self._check_limits()
            return None
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        if died == signal.SIGXCPU:
            self._limit = "time"
        return Ended(
            code,
            died,
            self._limit,
            _text(self.room / "caught"),
            (self.room / "output").read_bytes() if (self.room / "output").exists() else b"",
            "\n".join(_text(path) for path in sorted((self.room / "state").rglob("*.txt"))),
            tuple(self.case.changed(self.folder)),
            usage.ru_utime + usage.ru_stime,
        )

    def _check_limits(self) -> None:
        if _resident(self.pid) - self._shared > self.limits.memory_mb * MEGABYTE:
            self._limit = "memory"
        elif self._is_idle():
            self._limit = "time"
        if self._limit:
            os.kill(self.pid, signal.SIGKILL)

    def _is_idle(self) -> bool:
        """Whether it waits for something that does not come."""
        now = time.monotonic()
        if now - self._looked < _LOOK_S:
            return False
        self._looked = now
        spent = _spent(self.pid)
        if spent != self._spent:
            self._spent, self._active = spent, now
        return now - self._active > self.limits.idle_s

    def _live(self) -> NoReturn:
        """The child: what it prints goes to a file."""
        try:
            os.setpgid(0, 0)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            out = os.open(self.room / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            telling = os.open(self.room / "caught", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for source, target in ((nothing, 0), (out, 1), (out, 2)):
                os.dup2(source, target)
            os.chdir(self.folder)
            os.environ.update(
                XDG_STATE_HOME=str(self.room / "state"),
                XDG_CACHE_HOME=str(self.room / "cache"),
                TMPDIR=str(self.room / "tmp"),
                HOME=str(self.room / "state"),
            )
            for name, text in self.case.environment.items():
                os.environ.pop(name, None)
                if text is not None:
                    os.environ[name] = text.replace("{case}", str(self.folder))
            import tempfile

            tempfile.tempdir = None
            for stream, descriptor in (("stdout", 1), ("stderr", 2)):
                setattr(sys, stream, open(descriptor, "w", encoding=self.case.encoding, errors="strict"))  # noqa: SIM115, PTH123
            self._limit_itself()
            # A module that is imported here for the first time would be kept compiled, beside its source.
            sys.dont_write_bytecode = True
            allowed = (self.folder, self.room / "state", self.room / "cache", self.room / "tmp")
            canary.watch(allowed, telling, self.case.arguments)
            code = run_command(self.case.arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:  # noqa: BLE001 - whatever comes out of the command is what is looked for
            with suppress(BaseException):
                traceback.print_exc()
                sys.stdout.flush()
                sys.stderr.flush()
            code = 1
        os._exit(code & 0xFF)

    def _limit_itself(self) -> None:
        cpu = self.limits.cpu_s
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 * MEGABYTE, 256 * MEGABYTE))
        # The parent looks at the memory now and then; what is asked for at once is refused here.
        space = _space() + 3 * self.limits.memory_mb * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (space, space))

    def tidy(self) -> None:
        """Remove the files of the case."""
        shutil.rmtree(self.room, ignore_errors=True)


def run_command(arguments: tuple[str, ...]) -> int:
    """Run the command in this process, as its entry point does, and return its exit code."""
    sys.argv = ["fizzpy", *arguments]
    return fizzpy.main()


def warm(room: Path) -> None:
    """Import all that the commands need, by running some in this process."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from checker.cli import run

    # A wide level needs it, which none of the runs below has; it opens the C library.
    import_module("checker.search.columns.space")
    room.mkdir()
    model, saved = str(room / "w.fizz"), str(room / "w.json")
    text = "action Init: n = 0\naction Up:\n    require n < 300\n    n += 1\n"
    Path(model).write_text(text + "always eventually assertion Back: return n < 9\n")
    Path(saved).write_text("{}")
    (room / "expect.yaml").write_text("- {model: w.fizz, exit: 13}\n")
    shown = sys.stdout, sys.stderr
    here = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(room / "cache")
    with (room / "printed").open("w") as printed:
        sys.stdout = sys.stderr = printed
        try:
            for words in (
                ["check", model, "--checkpoint", str(room / "c"), "--html", str(room / "h"), "--audit"],
                ["check", model, "--json", "--engine", "plain", "--max-states", "9", "--itf", str(room / "i")],
                ["check", model, "--dot", str(room / "d"), "--save-trace", str(room / "t"), "--stats", "--keep-going"],
                ["check", model, "--resume", str(room / "c")],
                ["check", model, "--export", str(room / "x")],
                ["simulate", model, "--runs", "1"],
                ["trace", model, "--follow", str(room / "t")],
                ["explain", model, "--max-states", "9"],
                ["coverage", model, "--max-states", "9"],
                ["test", str(room), "--jobs", "1"],
                ["parse", model],
                ["show", saved],
                ["show", model],
                ["check", str(room / "absent.fizz")],
                ["check", "--help"],
                ["--help"],
            ):
                run(words)
        finally:
            sys.stdout, sys.stderr = shown
            if here is None:
                del os.environ["XDG_CACHE_HOME"]
            else:
                os.environ["XDG_CACHE_HOME"] = here
    # A report of a mistake of ours names the machine, which is asked for by a process, once.
    platform.platform()
    # What is there now stays: children shall not copy its pages only because somebody looked for circles.
    gc.collect()
    gc.freeze()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _resident(pid: int) -> int:
    """The bytes of memory that a process holds; 0 if it is over, or the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _spent(pid: int) -> int:
    """Page faults and ticks of CPU time of a process and its children: something that grows while they do anything."""
    try:
        numbers = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        fields = [Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split() for number in numbers]
    except (OSError, ValueError):
        return 0
    # Places as in proc(5), from the third on: page faults, user and system time.
    return sum(int(values[i]) for values in fields for i in (7, 11, 12))


def _space() -> int:
    """The bytes of address space of this process."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
