"""Faults, one function each: a check is begun, something is done to it, and it is resumed as long as it takes.

Each returns the answer that there was in the end, or None if the run refused to go on, with code 74.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.checkpoint.conftest import NOT_COMPARED
from tests.faults.processes import executors, kill, python_workers

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 480.0
MOST_RUNS = 6
MOST_LEVELS, MOST_PASSES = 14, 12
ENVIRONMENT = 74

Answer = dict[str, object]


@dataclass(frozen=True, slots=True)
class Case:
    """A check: the arguments of the command, the engine's among them, and a folder of its own.

    `judging`: the fault is to come while liveness is judged in the partitions, and not while levels are explored.
    """

    model: tuple[str, ...]
    engine: tuple[str, ...]
    folder: Path
    chance: random.Random
    judging: bool = False
    met: list[bool] = field(default_factory=list)
    """Was the run still there when it was waited for?"""

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    def arguments(self, *more: str) -> list[str]:
        return [sys.executable, "-m", "fizzpy", "check", *self.model, "--json", *self.engine, *more]

    def begin(self, *more: str, largest_file: int | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.arguments(*more),
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=None if largest_file is None else partial(_limit_files, largest_file),
        )

    def first(self, largest_file: int | None = None) -> subprocess.Popen[str]:
        where = ("--checkpoint", str(self.checkpoints), "--checkpoint-every", "0")
        return self.begin(*where, largest_file=largest_file)

    def resume(self) -> Answer:
        """The answer of a run that goes on from the checkpoint, or begins if nothing was written yet."""
        there = list(self.checkpoints.glob("checkpoint-*.json"))
        return answer(self.begin("--resume", str(self.checkpoints)) if there else self.first())

    def wait(self, process: subprocess.Popen[str]) -> None:
        """Until some level or pass that chance picks is complete, and a moment longer, or until the run is over."""
        wanted = self.chance.randrange(1, MOST_PASSES if self.judging else MOST_LEVELS)
        longer_s = self.chance.random() * (0.1 if self.judging else 0.3)
        reached = self._passes if self.judging else self._levels
        end = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < end:
            if max(reached(), default=0) >= wanted:
                time.sleep(longer_s)
                break
            time.sleep(0.005)
        self.met.append(process.poll() is None)

    def _levels(self) -> list[int]:
        return [int(path.stem.rpartition("-")[2]) for path in self.checkpoints.glob("checkpoint-*.json")]

    def _passes(self) -> list[int]:
        """The passes over the graph that have left something."""
        return [int(path.name.split("-")[1]) for path in self.checkpoints.glob("share-*-*") if path.suffix != ".part"]


class Refused(Exception):
    """The run ended with code 74 and a sentence."""


def answer(process: subprocess.Popen[str]) -> Answer:
    """What a run answers. Raises `Refused`, or `AssertionError` if it ended in any other way than it may."""
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"no answer within {PATIENCE_S:.0f} s") from None
    if process.returncode == ENVIRONMENT:
        raise Refused(err.strip())
    assert "Traceback" not in err, err
    found: Answer = json.loads(out)
    assert found["exit_code"] == process.returncode, err
    assert "verdict" in found and found["verdict"] != "interrupted", err
    return {name: value for name, value in found.items() if name not in NOT_COMPARED}


def _again(case: Case, process: subprocess.Popen[str]) -> Answer:
    """The answer of a run under fire; where it gives up, that of one that resumes."""
    for _ in range(MOST_RUNS):
        try:
            return answer(process)
        except Refused:
            process = case.begin("--resume", str(case.checkpoints))
    raise AssertionError("the run does not come to an end")


# --- the faults ----------------------------------------------------------------------------------------------------


def driver_killed(case: Case) -> Answer:
    """`kill -9` at some moment; perhaps again in the resumed run."""
    process = case.first()
    case.wait(process)
    process.kill()
    process.communicate()
    if case.chance.random() < 0.4 and list(case.checkpoints.glob("checkpoint-*.json")):
        process = case.begin("--resume", str(case.checkpoints))
        time.sleep(case.chance.random() * 3)
        process.kill()
        process.communicate()
    return case.resume()


def python_worker_killed(case: Case) -> Answer:
    """One Python worker of Spark dies in the middle of a level."""
    process = case.first()
    case.wait(process)
    for worker in python_workers(process.pid)[:1]:
        kill(worker)
    return _again(case, process)


def task_failed_twice(case: Case) -> Answer:
    """All workers die, and those that take their place."""
    process = case.first()
    case.wait(process)
    gone: set[int] = set()
    for _ in range(2):
        end = time.monotonic() + 5
        while time.monotonic() < end and process.poll() is None:
            found = [worker for worker in python_workers(process.pid) if worker not in gone]
            if found:
                gone.update(found)
                for worker in found:
                    kill(worker)
                break
            time.sleep(0.01)
    return _again(case, process)


def executor_killed(case: Case) -> Answer:
    """An executor dies in the middle of a level, with its Python workers."""
    process = case.first()
    case.wait(process)
    for executor in executors(process.pid)[:1]:
        kill(executor)
    return _again(case, process)


def disk_full(case: Case) -> Answer:
    """The folder has room for some levels only; later there is more."""
    size = case.chance.choice([32, 64, 128]) << 10
    case.checkpoints.mkdir(parents=True)
    mounted = _mount(case.checkpoints, f"size={size}")
    try:
        # Without the right to mount a small disk, no file may grow beyond a part of that.
        process = case.first(largest_file=None if mounted else size // 16)
        try:
            return answer(process)
        except Refused as refused:
            told = str(refused)
            assert any(sign in told for sign in ("No space left", " is full", "File too large")), told
        if mounted:
            assert _mount(case.checkpoints, "remount,size=1g")
        return case.resume()
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(case.checkpoints)], check=True)


def file_damaged(case: Case) -> Answer | None:
    """After a kill, some file of the checkpoints is cut or changed."""
    process = case.first()
    case.wait(process)
    process.kill()
    process.communicate()
    names = sorted(path for path in case.checkpoints.glob("*-*") if path.stat().st_size)
    if names:
        path = case.chance.choice(names)
        data = bytearray(path.read_bytes())
        place = case.chance.randrange(len(data))
        if case.chance.random() < 0.5:
            path.write_bytes(data[:place])
        else:
            data[place] ^= 1 << case.chance.randrange(8)
            path.write_bytes(data)
    try:
        return case.resume()
    except Refused as refused:
        assert "damaged" in str(refused), refused
        return None


def _mount(folder: Path, options: str) -> bool:
    """Whether a disk in memory could be put in place of a folder, or changed."""
    if shutil.which("mount") is None:
        return False
    command = ["mount", "-t", "tmpfs", "-o", options, "fizzpy-faults", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _limit_files(largest: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
