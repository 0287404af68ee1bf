"""`fizzpy migrate`: old spellings are shown, and changed with `--write`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
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


def test_line_ends_and_byte_order_marks_stay(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """The file is the same byte for byte but for what is shown; nothing is written where nothing is old."""
    model = tmp_path / "old.fizz"
    for text in (OLD, NEW):
        model.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        shown = fizzpy("migrate", "--write", str(model))
        assert shown.code == 0 and "-atomic" not in shown.out
        assert model.read_bytes() == b"\xef\xbb\xbf" + NEW.replace("\n", "\r\n").encode()


CORE = "init:\n    x = 0\ninvariants:\n    always x < 3\natomic action Up: x = (x + 1) % 3\n"
MAIN = 'include "parts/my-core.fizz"\ninclude "parts/core.fizz"\ninvariants:\n    always x < 2\n'
NAMED = {"invariant_core_4": "holds", "invariant_4": "violated", "deadlock": "holds"}


@pytest.mark.parametrize("order", [("main.fizz", "parts/core.fizz"), ("parts/core.fizz", "main.fizz")])
@pytest.mark.parametrize("together", [True, False])
def test_files_that_include_each_other(
    fizzpy: Callable[..., Ended], tmp_path: Path, order: tuple[str, ...], together: bool
) -> None:
    """Properties keep the names that they had in the whole model, whichever file is migrated first, or alone."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "core.fizz").write_text(CORE)
    (tmp_path / "parts" / "my-core.fizz").write_text("# nothing in it\n")
    (tmp_path / "main.fizz").write_text(MAIN)

    def verdicts() -> dict[str, str]:
        report = check(tmp_path / "main.fizz", settings=Settings(keep_going=True))
        return {one.name: one.verdict for one in report.properties}

    assert verdicts() == NAMED
    paths = [str(tmp_path / name) for name in order]
    for files in [paths] if together else [[path] for path in paths]:
        ended = fizzpy("migrate", "--write", *files)
        assert ended.code == 0
        assert ("by itself it was invariant_4" in ended.err) == any("core" in file for file in files)
        assert verdicts() == NAMED
    assert "always assertion invariant_core_4:" in (tmp_path / "parts" / "core.fizz").read_text()
    assert "always assertion invariant_4:" in (tmp_path / "main.fizz").read_text()


def test_included_below_and_with_other_characters(fizzpy: Callable[..., Ended], tmp_path: Path) -> None:
    """The include may stand in a file that the model includes; names of properties are names of the language."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "parts" / "my-core.fizz").write_text(CORE)
    (tmp_path / "other" / "middle.fizz").write_text('include "../parts/my-core.fizz"\ninclude "middle.fizz"\n')
    (tmp_path / "other" / "link.fizz").symlink_to("../parts/linked.fizz")
    (tmp_path / "parts" / "linked.fizz").write_text(CORE)
    (tmp_path / "zoo.fizz").write_text('include "other/link.fizz"\n')
    (tmp_path / "main.fizz").write_text('include "none.fizz"\ninclude "a" +\ninclude "other/middle.fizz"\n')
    (tmp_path / "broken.fizz").write_bytes(b'include "parts/my-core.fizz" \xff\n')
    ended = fizzpy("migrate", "--write", str(tmp_path / "parts" / "my-core.fizz"))
    assert ended.code == 0 and "middle.fizz includes it" in ended.err
    assert "always assertion invariant_my_core_4:" in (tmp_path / "parts" / "my-core.fizz").read_text()
    assert fizzpy("migrate", "--write", str(tmp_path / "parts" / "linked.fizz")).code == 0
    assert "always assertion invariant_link_4:" in (tmp_path / "parts" / "linked.fizz").read_text(), (
        "as it is named there"
    )
