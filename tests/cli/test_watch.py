"""`fizzpy watch`: each save is a check, and what changed is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from checker.report.run_difference import differences
from tests.cli.conftest import ENDLESS, ROOT, Ended
from tests.cli.test_ci_outputs import BANK

ATOMIC = BANK.replace("action W", "atomic action W") + "\natomic action Rest: pass\n"


class Watcher:
    """The command in a process, with what it has printed so far."""

    def __init__(self, folder: Path, temporary: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "fizzpy", "watch", *arguments]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.said = ""
        self._read = 0
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while text := self.process.stdout.read(1):
            self.said += text

    def after(self, text: str) -> str:
        """What was printed since the last call, up to this text."""
        for _ in range(1200):
            found = self.said.find(text, self._read)
            if found >= 0:
                part, self._read = self.said[self._read : found + len(text)], found + len(text)
                return part
            time.sleep(0.05)
        raise AssertionError(f"'{text}' was not printed: {self.said[self._read :]}")


@pytest.fixture
def watch(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Watcher]]:
    """Start the command; when the test is over it is asked to end, and leaves no temporary files."""
    started: list[Watcher] = []
    temporary = tmp_path_factory.mktemp("temporary")

    def start(*arguments: str) -> Watcher:
        started.append(Watcher(tmp_path, temporary, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.terminate()
        one.process.wait(20)
    assert not list(temporary.iterdir()), "something was left behind"


def test_saves_are_checked(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    """What changed since the check before is said: verdicts, counts, the same counterexample or another one."""
    model = tmp_path / "m.fizz"
    model.write_text(BANK)
    watcher = watch("m.fizz", "--report", "r.json", "--no-color")
    assert "NeverNegative is violated" in watcher.after("watching m.fizz")
    assert json.loads((tmp_path / "r.json").read_text())["states"] == 6
    model.write_text("# a comment\n" + BANK)
    assert "NeverNegative: the same counterexample" in watcher.after("watching m.fizz")
    model.write_text(ATOMIC)
    said = watcher.after("watching m.fizz")
    assert "the verdict is passed, was failed" in said
    assert "NeverNegative: holds, was violated" in said and "states 2, was 6" in said
    model.write_text(ATOMIC.replace("balance >= 60", "balanc >= 60"))
    assert "undefined name" in watcher.after("the verdict is error, was passed")
    model.write_text(ATOMIC)
    watcher.after("the verdict is passed, was error")
    watcher.after("watching m.fizz")
    watcher.process.send_signal(signal.SIGINT)
    assert watcher.process.wait(20) == 0
    assert "Traceback" not in watcher.said


def test_saves_one_after_another(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    """A check that a save ends, wherever it is, ends without a word."""
    model = tmp_path / "m.fizz"
    model.write_text(ATOMIC)
    watcher = watch("m.fizz", "--quiet", "--no-color")
    watcher.after("watching m.fizz")
    for number in range(500):
        time.sleep(0.002)
        model.write_text(ATOMIC + f"# {number}\n")
    watcher.after("watching m.fizz")
    watcher.process.send_signal(signal.SIGINT)
    assert watcher.process.wait(20) == 0
    assert "Traceback" not in watcher.said


def test_included_files_are_watched(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    """A file that the model includes is one of its files; one beside it is not."""
    (tmp_path / "core.fizz").write_text("N = 2\n")
    (tmp_path / "m.fizz").write_text('include "core.fizz"\naction Init: x = 0\natomic action A: x = (x + 1) % N\n')
    watcher = watch("m.fizz", "--quiet", "--no-color")
    watcher.after("watching m.fizz")
    (tmp_path / "other.fizz").write_text("X = 1\n")
    (tmp_path / "core.fizz").write_text("N = 30\n")
    assert "states 30, was 2" in watcher.after("watching m.fizz")


def test_a_save_ends_a_check(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    """A model that is never done is not waited for."""
    (tmp_path / "m.fizz").write_text(ENDLESS)
    watcher = watch("m.fizz", "--quiet", "--no-color")
    time.sleep(2)
    (tmp_path / "m.fizz").write_text(ATOMIC)
    assert "PASSED" in watcher.after("watching m.fizz")


def test_what_is_missing(fizzpy: Callable[..., Ended]) -> None:
    """A model that is not there is a mistake of usage."""
    assert fizzpy("watch", "nothing.fizz").code == 2


def test_differences() -> None:
    """Properties that are new or gone, other counterexamples, warnings; nothing for equal reports."""

    def report(steps: int, label: str, *warnings: str, **more: str) -> dict[str, object]:
        trace = [{"label": label, "crash": False, "changes": []}]
        violated = {"name": "P", "verdict": "violated", "steps": steps, "trace": trace}
        others = [{"name": name, "verdict": verdict, "steps": None} for name, verdict in more.items()]
        shown = [{"code": "W3", "text": text} for text in warnings]
        counts = {"states": 1, "transitions": 1, "depth": 1}
        return {"verdict": "failed", "properties": [violated, *others], "warnings": shown, "error": None, **counts}

    one = report(3, "A", "a never ran", Q="holds")
    assert differences(one, report(3, "A", Q="holds")) == [
        "P: the same counterexample",
        "no longer: warning W3: a never ran",
    ]
    assert differences(one, report(4, "A", "a never ran", R="holds")) == [
        "P: another counterexample, of 4 steps, was 3",
        "R is new: holds",
        "Q is gone",
    ]
    assert differences(report(3, "A"), report(3, "B", "b")) == [
        "P: another counterexample of 3 steps",
        "new warning W3: b",
    ]
