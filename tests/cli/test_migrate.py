"""`fizzpy migrate`: old spellings are shown, and changed with `--write`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Ended

OLD = "init:\n    x = any [1, 2]  # one\natomic action Rest: pass\n"
NEW = "action Init:\n    x = oneof [1, 2]  # one\natomic action Rest: pass\n"


def test_shown_and_written(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """Without `--write` the file stays; a second time there is nothing to do."""
    model = tmp_path / "old.fizz"
    model.write_text(OLD)
    shown = fizzpy("migrate", str(model))
    assert shown.code == 0 and "-init:" in shown.out and "+action Init:" in shown.out
    assert "2 old spellings" in shown.err and model.read_text() == OLD
    assert fizzpy("migrate", "--write", str(model)).code == 0
    assert model.read_text() == NEW
    again = fizzpy("migrate", "--write", str(model))
    assert again.code == 0 and not again.out and "nothing old" in again.err


def test_what_can_not_be_migrated(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """A file that does not parse stays; the others are done. A missing file is a mistake of usage."""
    bad, good = tmp_path / "bad.fizz", tmp_path / "good.fizz"
    bad.write_text("init:\n    x = \n")
    good.write_text(OLD)
    ended = fizzpy("migrate", "--write", str(bad), str(good))
    assert ended.code == 150 and "bad.fizz:2" in ended.err
    assert bad.read_text() == "init:\n    x = \n" and good.read_text() == NEW
    assert fizzpy("migrate", str(tmp_path / "none.fizz")).code == 2
