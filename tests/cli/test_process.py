"""The command as a process: terminals, closed pipes, Ctrl-C, mistakes of ours, strangers on the path."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fizzpy
from checker.cli import run
from tests.cli.conftest import ENDLESS, in_terminal

ROOT = Path(__file__).resolve().parents[2]


def test_progress_only_in_a_terminal(tmp_path: Path, process: Callable[..., subprocess.Popen[str]]) -> None:
    """A terminal sees a line with states, rate, depth and frontier; a pipe sees none of it, nor an escape sequence."""
    (tmp_path / "m.fizz").write_text(ENDLESS)
    arguments = ["check", "m.fizz", "--max-states", "20000"]
    code, sent = in_terminal(tmp_path, *arguments)
    assert code == 3, sent
    for word in ("states", "depth", "frontier"):
        assert word in sent.partition("BOUNDED")[0]
    done = process(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = done.communicate()
    assert done.returncode == 3
    assert err == ""
    assert "\x1b" not in out
    assert "frontier" not in out


def test_ctrl_c_prints_what_was_found(tmp_path: Path) -> None:
    """An interrupted search reports the part it explored, with code 130."""
    (tmp_path / "m.fizz").write_text(ENDLESS)
    code, sent = in_terminal(tmp_path, "check", "m.fizz", interrupt_at="frontier")
    assert code == 130, sent
    assert "INTERRUPTED" in sent
    assert "transitions" in sent
    assert "Traceback" not in sent


def test_reader_may_leave(tmp_path: Path, process: Callable[..., subprocess.Popen[str]]) -> None:
    """When the pipe is closed the command says nothing about it, and its code is still that of the verdict."""
    (tmp_path / "m.fizz").write_text("action Init: n = 0\natomic action Up:\n    require n < 1\n    n += 1\n")
    reading, writing = os.pipe()
    os.close(reading)
    running = process("check", "m.fizz", stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 11, err
    assert err == ""


def test_a_mistake_of_ours_is_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An internal error has code 70, no traceback in the terminal, and a file that holds it."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("staged")

    monkeypatch.setattr("checker.core.locate.locate", fail)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(["check", "m.fizz"]) == 70
    said = capsys.readouterr().err
    assert "Traceback" not in said
    path = Path(said.split()[-1])
    assert "ZeroDivisionError: staged" in path.read_text()
    assert "Traceback" in path.read_text()


def test_strangers_are_named(tmp_path: Path) -> None:
    """A package of the same name from another folder is named, with code 74, before anything of it is run."""
    stranger = tmp_path / "checker"
    stranger.mkdir()
    (stranger / "__init__.py").write_text("raise SystemExit('the stranger ran')")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import fizzpy; sys.exit(fizzpy.main())"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 74, done.stderr
    assert str(stranger) in done.stderr
    assert "the stranger ran" not in done.stderr


def test_interrupted_before_it_has_begun(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the command is being imported: one line, code 130."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fizzpy._refuse_strangers", interrupted)
    before = signal.getsignal(signal.SIGINT)
    try:
        assert fizzpy.main() == 130
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "fizzpy: interrupted\n"


def test_interrupted_where_nothing_can_be_raised(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interruption that Python drops, as one that comes while an object ends, is not lost."""

    class Ending:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    def run(arguments: object) -> int:
        held = [Ending()]
        held.clear()
        time.sleep(30)
        raise AssertionError("it slept to the end")

    monkeypatch.setattr("checker.cli.run", run)
    before = signal.getsignal(signal.SIGINT)
    try:
        assert fizzpy.main() == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "fizzpy: interrupted\n"


def test_interrupted_before_anything_is_loaded(tmp_path: Path) -> None:
    """Ctrl-C while Python still loads what the command begins with: the same line and code, and no traceback."""
    (tmp_path / "fizzpy.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import fizzpy_command as f; sys.exit(f.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "fizzpy: interrupted\n")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EMFILE])
def test_refusals_of_the_system(
    number: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk and the like are a matter of the environment, code 74, with a hint."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "/cache/x")

    monkeypatch.setattr("checker.core.locate.locate", fail)
    assert run(["check", "m.fizz"]) == 74
    said = capsys.readouterr().err
    assert ("the disk of /cache is full" if number == errno.ENOSPC else f"{os.strerror(number)}: /cache/x") in said
    assert "hint: " in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_requests_to_end_are_interruptions(
    number: signal.Signals, tmp_path: Path, process: Callable[..., subprocess.Popen[str]]
) -> None:
    """Whoever ends the command from outside gets what was found until then, and temporary files are removed."""
    (tmp_path / "m.fizz").write_text(ENDLESS)
    running = process("check", "m.fizz", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(3)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "INTERRUPTED" in out
    assert err == ""


ENDLESS_STEP = """\
---
options:
    limits:
        charges: 1000000000
---
action Init: n = 0
atomic action Count:
    require n < 3
    while True:
        n += 1
"""


def test_the_time_ends_within_a_step(tmp_path: Path, process: Callable[..., subprocess.Popen[str]]) -> None:
    """`--timeout` does not wait for a step that never ends: the level before it counts."""
    (tmp_path / "m.fizz").write_text(ENDLESS_STEP)
    fields: dict[str, Any] = {"states": 0}
    # A busy machine may need more than that to come to the first state.
    for seconds in ("0.5", "2", "8", "32"):
        arguments = ("check", "m.fizz", "--json", "--timeout", seconds)
        running = process(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = running.communicate(timeout=120)
        fields = json.loads(out)
        assert (running.returncode, err, fields["cut_by"]) == (3, "", "timeout")
        if fields["states"]:
            break
    assert (fields["states"], fields["unfinished"]["level"]) == (1, 1)


def test_ctrl_c_within_a_step(tmp_path: Path, process: Callable[..., subprocess.Popen[str]]) -> None:
    """Neither does Ctrl-C; pressed again and again it changes nothing, and the report is whole."""
    (tmp_path / "m.fizz").write_text(ENDLESS_STEP)
    arguments = ("check", "m.fizz", "--json", "--checkpoint", "c", "--checkpoint-every", "0")
    running = process(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while running.poll() is None and not list(tmp_path.glob("c/checkpoint-0.json")):
        time.sleep(0.01)
    for _ in range(3):
        running.send_signal(signal.SIGINT)
        time.sleep(0.05)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, "Traceback" in err) == (130, False)
    fields = json.loads(out)
    assert (fields["states"], fields["verdict"], fields["unfinished"]["level"]) == (1, "interrupted", 1)
    assert "level 0 is saved" in err


@pytest.mark.parametrize(("closing", "code"), [(">&-", 11), ("2>&-", 11), (">&- 2>&-", 11), (">/dev/full", 74)])
def test_streams_that_take_nothing(closing: str, code: int, tmp_path: Path) -> None:
    """A closed stream is no reason to fail; a full one is, and neither is a mistake of ours."""
    (tmp_path / "m.fizz").write_text("action Init: n = 0\natomic action Up:\n    require n < 1\n    n += 1\n")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = f"'{sys.executable}' -m fizzpy check m.fizz {closing}"
    ended = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == code, ended.stderr
    assert b"internal error" not in ended.stderr
    if code == 74:
        assert b"the report cannot be printed: No space left on device" in ended.stderr


@pytest.mark.parametrize("asked", ["check --help", "--version"])
def test_help_that_a_full_disk_does_not_take(asked: str) -> None:
    """It is the output that is full, and not the folder of temporary files."""
    command = f"'{sys.executable}' -m fizzpy {asked} >/dev/full"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, shell=True, env=environment, capture_output=True, check=False)
    assert (ended.returncode, b"cannot be printed: No space left" in ended.stderr) == (74, True), ended.stderr


def test_without_pyspark(tmp_path: Path) -> None:
    """The light way to install has none: the Spark engine says so, and the others work."""
    (tmp_path / "pyspark.py").write_text("raise ModuleNotFoundError('gone', name='pyspark')\n")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import fizzpy; sys.exit(fizzpy.main())"
    command = [sys.executable, "-c", code, "check", "DieHard.fizz", "--quiet"]
    assert subprocess.run(command, capture_output=True).returncode == 12
    refused = subprocess.run([*command, "--engine", "spark"], capture_output=True, text=True)
    assert refused.returncode == 74
    assert "needs pyspark, which is not installed" in refused.stderr
