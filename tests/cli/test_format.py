"""`fizzpy fmt`: files, folders, standard input; writing, checking, showing."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended

UGLY = "action Init:\n  x=1 # one \u200b\n"
GOOD = "action Init:\n    x = 1  # one \u200b\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files of both kinds in it, one of them in a hidden folder."""
    for name, text in (("a.fizz", UGLY), ("b.fizz", GOOD), ("sub/c.star", "X=1\n"), (".hidden/d.fizz", UGLY)):
        path = tmp_path / "models" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "models"


def test_files_are_written(fizzpy: Callable[..., Ended], folder: Path) -> None:
    """Those with another layout; each is named. A second time there is nothing to do."""
    ended = fizzpy("fmt", str(folder))
    assert ended.code == 0
    assert (folder / "a.fizz").read_text() == GOOD
    assert (folder / "sub/c.star").read_text() == "X = 1\n"
    assert (folder / ".hidden/d.fizz").read_text() == UGLY
    assert "a.fizz" in ended.err and "b.fizz" not in ended.err and "2 of 3 files" in ended.err
    assert "0 of 3 files" in fizzpy("fmt", str(folder)).err


def test_check_writes_nothing(fizzpy: Callable[..., Ended], folder: Path) -> None:
    """`--check` names the files with another layout, and ends with 1 if there is one."""
    ended = fizzpy("fmt", "--check", str(folder / "a.fizz"), str(folder / "b.fizz"))
    assert ended.code == 1 and "would format" in ended.err and "1 of 2" in ended.err
    assert (folder / "a.fizz").read_text() == UGLY
    assert fizzpy("fmt", "--check", str(folder / "b.fizz")).code == 0


def test_diff_is_shown(fizzpy: Callable[..., Ended], folder: Path) -> None:
    """`--diff` prints what would change."""
    ended = fizzpy("fmt", "--diff", "--quiet", str(folder / "a.fizz"))
    assert ended.code == 1
    assert "-  x=1 # one \\u200b\n+    x = 1  # one \\u200b" in ended.out and not ended.err
    assert (folder / "a.fizz").read_text() == UGLY


def test_standard_input(fizzpy: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads standard input and prints the result."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    ended = fizzpy("fmt", "-")
    assert (ended.code, ended.out) == (0, GOOD)


def test_a_file_that_does_not_parse(fizzpy: Callable[..., Ended], folder: Path) -> None:
    """Its errors are shown and it stays as it is; the others are formatted."""
    bad = folder / "bad.fizz"
    bad.write_text("action :\n")
    ended = fizzpy("fmt", str(bad), str(folder / "a.fizz"))
    assert ended.code == 150 and "bad.fizz:1:8" in ended.err and "[L1]" in ended.err
    assert bad.read_text() == "action :\n" and (folder / "a.fizz").read_text() == GOOD


def test_what_is_missing(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """A missing file, a folder without models, and `-` beside a file are mistakes of usage."""
    (tmp_path / "empty").mkdir()
    for arguments in (("nothing.fizz",), ("empty",), ("-", "a.fizz"), ()):
        assert fizzpy("fmt", *arguments).code == 2, arguments


def test_a_missing_file(fizzpy: Callable[..., Ended], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as it was named; models that come with the tool are not formatted."""
    monkeypatch.chdir(folder)
    ended = fizzpy("fmt", "aa.fizz")
    assert (ended.code, ended.err) == (
        2,
        "fizzpy: there is no file 'aa.fizz'\nhint: give the path of a model file, NAME.fizz\n",
    )
    ended = fizzpy("fmt", "DieHard.fizz")
    assert (ended.code, "there is no file 'DieHard.fizz'" in ended.err, "comes with" in ended.err) == (2, True, False)


def test_a_file_that_is_no_text(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """A binary file, and one that may not be written, have messages of their own."""
    binary = tmp_path / "b.fizz"
    binary.write_bytes(b"\x00\x01")
    assert "binary" in fizzpy("fmt", "b.fizz").err
