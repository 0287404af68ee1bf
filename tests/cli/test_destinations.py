"""Outputs never eat inputs, and where they go is looked at before the first state."""

from __future__ import annotations

import errno
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.cli.destinations import refuse_files
from checker.core.problems import UsageProblem
from tests.cli.conftest import ROOT, Ended

Command = Callable[..., Ended]
MODEL = """\
include "part.inc"
action Init: n = 0
atomic action Up: n = more(n)
always assertion Small: return n < 3 and helper.ONE == 1
"""
INPUTS = {
    "m.fizz": MODEL,
    "part.inc": "func more(n): return n + 1\n",
    "fizz.yaml": "options: {max_actions: 3}\n",
    "helper.star": "ONE = 1\n",
    "expect.yaml": "- {model: m.fizz, exit: 12}\n",
}
WRITERS = (
    ("check", "m.fizz", "--html"),
    ("check", "m.fizz", "--itf"),
    ("check", "m.fizz", "--dot"),
    ("check", "m.fizz", "--save-trace"),
    ("check", "m.fizz", "--sarif"),
    ("coverage", "m.fizz", "--html"),
    ("simulate", "m.fizz", "--save-trace"),
    ("test", "expect.yaml", "--junit"),
    ("test", "expect.yaml", "--markdown"),
)


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a model; a search that begins is a failure."""
    for name, text in INPUTS.items():
        (tmp_path / name).write_text(text)

    def begun(*_: object, **__: object) -> None:
        raise AssertionError("the search has begun")

    monkeypatch.setattr("interpreter.machine.Machine.__init__", begun)
    monkeypatch.setattr("checker.expectations.promise_runs.run_promises", begun)


def refused(ended: Ended, reason: str) -> None:
    assert (ended.code, ended.out) == (2, ""), ended.said
    assert reason in ended.err
    assert "hint: " in ended.err


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("how", ["itself", "another path", "symbolic link", "hard link"])
def test_inputs_are_not_eaten(writer: tuple[str, ...], name: str, how: str, fizzpy: Command, tmp_path: Path) -> None:
    """The model, what it includes, its options, modules and promises: refused by whatever name, and left alone."""
    if name == "expect.yaml" and writer[0] != "test" and how == "hard link":
        return  # no input of these, and nothing in its name says what it is
    (tmp_path / "x").mkdir()
    target = {"itself": name, "another path": f"./x/../{name}"}.get(how, "out")
    if how == "symbolic link":
        (tmp_path / "out").symlink_to(name)
    elif how == "hard link":
        (tmp_path / "out").hardlink_to(tmp_path / name)
    ended = fizzpy(*writer, target)
    refused(ended, f"{writer[2]}: '{target}' ")
    assert (tmp_path / name).read_text() == INPUTS[name]


def make_unwritable(kind: str, folder: Path) -> str:
    """The name of an output that can not be written."""
    match kind:
        case "empty":
            return ""
        case "line end":
            return "a\nb"
        case "NUL":
            return "a\0b"
        case "long name":
            return "a" * 300
        case "long path":
            return "/".join(["a" * 200] * 30)
        case "missing folder":
            return "none/t"
        case "dangling link":
            (folder / "t").symlink_to("none/there")
        case "link to itself":
            (folder / "t").symlink_to("t")
        case "file as a folder":
            return "m.fizz/t"
        case "folder":
            (folder / "t").mkdir()
        case "read-only":
            (folder / "t").touch(0o444)
        case "pipe":
            os.mkfifo(folder / "t")
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(str(folder / "t"))
        case "no folder for files":
            return "/proc/t"
    return "t"


KINDS = (
    "empty", "line end", "NUL", "long name", "long path", "missing folder", "dangling link", "link to itself",
    "file as a folder", "folder", "read-only", "pipe", "socket", "no folder for files",
)  # fmt: skip


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
@pytest.mark.parametrize("kind", KINDS)
def test_places_where_no_file_can_be(writer: tuple[str, ...], kind: str, fizzpy: Command, tmp_path: Path) -> None:
    """Refused before the first state, and nothing is left behind; a pipe without a reader is not waited for."""
    if kind == "no folder for files" and not Path("/proc/self").exists():
        return
    name = make_unwritable(kind, tmp_path)
    before = sorted(tmp_path.iterdir())
    refused(fizzpy(*writer, name), f"{writer[2]}: ")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("option", ["--checkpoint", "--export", "--resume"])
@pytest.mark.parametrize("kind", ["empty", "line end", "NUL", "long name", "long path", "file as a folder"])
def test_folders_that_can_not_be(option: str, kind: str, fizzpy: Command, tmp_path: Path) -> None:
    """A folder for checkpoints or tables is looked at before the first state too."""
    name = make_unwritable(kind, tmp_path)
    before = sorted(tmp_path.iterdir())
    refused(fizzpy("check", "m.fizz", option, name), f"{option}: ")
    assert sorted(tmp_path.iterdir()) == before


def test_outputs_in_folders_of_the_run(fizzpy: Command, tmp_path: Path) -> None:
    """A page in the folder of the checkpoints could be taken for one of them."""
    (tmp_path / "saved").mkdir()
    ended = fizzpy("check", "m.fizz", "--checkpoint", "saved", "--html", "./saved/t.html")
    refused(ended, "--html: './saved/t.html' is in the folder of --checkpoint")


@pytest.mark.parametrize(("one", "other"), [("t", "./t"), ("t", "x/../t"), ("t", "link"), ("link", "hard")])
@pytest.mark.parametrize("there", [True, False])
def test_two_outputs_that_are_one_file(one: str, other: str, there: bool, fizzpy: Command, tmp_path: Path) -> None:
    """By whatever names, and whether it is there already or not."""
    (tmp_path / "x").mkdir()
    (tmp_path / "link").symlink_to("t")
    if there or other == "hard":
        (tmp_path / "t").write_text("before")
        (tmp_path / "hard").hardlink_to(tmp_path / "t")
    refused(fizzpy("check", "m.fizz", "--html", one, "--itf", other), "two outputs would go to one file")
    assert not (tmp_path / "t").exists() or (tmp_path / "t").read_text() == "before"


def test_the_answer_itself_is_an_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that standard output goes to would be replaced, and the report with it."""
    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        with pytest.raises(UsageProblem, match="standard output"):
            refuse_files({"--html": str(tmp_path / "out")})


def test_looking_changes_nothing(tmp_path: Path) -> None:
    """A file that is there keeps its content and its times, and none is made."""
    (tmp_path / "t").write_text("before")
    os.utime(tmp_path / "t", (1, 1))
    refuse_files({"--html": str(tmp_path / "t"), "--itf": str(tmp_path / "new")})
    assert ((tmp_path / "t").read_text(), (tmp_path / "t").stat().st_mtime) == ("before", 1)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
def test_the_name_of_a_folder(writer: tuple[str, ...], fizzpy: Command, tmp_path: Path) -> None:
    """A slash at its end says that no file is meant."""
    refused(fizzpy(*writer, "new/"), "'new/' is the name of a directory")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("option", ["--checkpoint", "--export", "--resume"])
def test_a_file_where_a_folder_is_to_be(option: str, fizzpy: Command, tmp_path: Path) -> None:
    """Neither is there yet, and only one of them can be."""
    refused(fizzpy("check", "m.fizz", option, "x/y", "--html", "./x"), f"--html: './x' is to be a folder, for {option}")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(("export", "saved"), [("x", "x"), ("./x", "x/y"), ("x", "link"), ("link", "x/y")])
def test_tables_among_checkpoints(export: str, saved: str, fizzpy: Command, tmp_path: Path) -> None:
    """An export begins with an empty folder, which checkpoints would fill."""
    (tmp_path / "link").symlink_to("x")
    ended = fizzpy("check", "m.fizz", "--export", export, "--checkpoint", saved)
    refused(ended, f"--export: '{export}' has the folder of --checkpoint in it")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("writer", (*WRITERS, ("check", "m.fizz", "--export"), ("check", "m.fizz", "--checkpoint")))
def test_a_disk_without_room(writer: tuple[str, ...], tmp_path: Path) -> None:
    """Where not a byte can be written, that is said before the first state; a file that is there stays as it is."""
    (tmp_path / "out").write_text("before")
    name = "out/x" if writer[2] in ("--export", "--checkpoint") else "out"
    if name == "out/x":
        (tmp_path / "out").unlink()
        (tmp_path / "out").mkdir()
    command = [sys.executable, "-m", "fizzpy", *writer, name]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, preexec_fn=no_room, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (74, ""), ended.stderr
    assert f"{writer[2]}: '{name}' cannot be written: {os.strerror(errno.EFBIG)}" in ended.stderr
    assert "hint: raise the limit of the size of files" in ended.stderr
    assert (tmp_path / "out").is_dir() or (tmp_path / "out").read_text() == "before"


def test_a_dash_is_no_file() -> None:
    """It is not standard output either."""
    with pytest.raises(UsageProblem, match="--html: '-' is not the name of a file"):
        refuse_files({"--html": "-"})
    with pytest.raises(UsageProblem, match="--export: '-' is not the name of a folder"):
        refuse_files({}, {"--export": "-"})
