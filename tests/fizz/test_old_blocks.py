"""Blocks `init:` and `invariants:` of older models mean what is written otherwise today (language page, 4, rule 10)."""

from __future__ import annotations

from pathlib import Path

from fizz import load
from fizz.syntax import ast
from fizz.syntax.printer import print_module
from fizzpy import check

OLD = """init:
    x = oneof [0, 1]

atomic fair action Flip:
    x = 1 - x

invariants:
    always x in [0, 1]
    always eventually x == 1
    eventually always x == 1
"""
NEW = """action Init:
    x = oneof [0, 1]

atomic fair action Flip:
    x = 1 - x

always assertion invariant_8:
    return x in [0, 1]
always eventually assertion invariant_9:
    return x == 1
eventually always assertion invariant_10:
    return x == 1
"""


def _load(tmp_path: Path, text: str) -> tuple[ast.Item, ...]:
    (tmp_path / "model.fizz").write_text(text)
    return load(tmp_path / "model.fizz").items


def test_they_are_actions_and_assertions(tmp_path: Path) -> None:
    """The trees are those of the new forms, and are printed as such."""
    assert _load(tmp_path, OLD) == _load(tmp_path, NEW)
    assert "init:" not in print_module(_load(tmp_path, OLD))


def test_their_verdicts(tmp_path: Path) -> None:
    """Each line is judged by itself, under the number of its line."""
    (tmp_path / "model.fizz").write_text(OLD)
    report = check(tmp_path / "model.fizz")
    assert (report.states, report.exit_code) == (2, 13)
    verdicts = {one.name: one.verdict for one in report.properties}
    assert verdicts == {"invariant_8": "holds", "invariant_9": "holds", "invariant_10": "violated", "deadlock": "holds"}


def test_the_new_form_is_told(tmp_path: Path) -> None:
    """Warning W19 has the line to paste."""
    (tmp_path / "model.fizz").write_text(OLD)
    hints = [warning.hint for warning in load(tmp_path / "model.fizz").warnings if warning.code == "W19"]
    assert hints[:2] == ["write `action Init:`", "write `always assertion invariant_8: return x in [0, 1]`"]


def test_lines_of_included_files_have_names_of_their_own(tmp_path: Path) -> None:
    """Two files may have an invariant in a line of the same number."""
    (tmp_path / "core.fizz").write_text("invariants:\n    always x < 2\n")
    (tmp_path / "model.fizz").write_text('invariants:\n    always x < 2\ninclude "core.fizz"\naction Init: x = 0\n')
    names = [item.name for item in load(tmp_path / "model.fizz").items if isinstance(item, ast.Assertion)]
    assert names == ["invariant_2", "invariant_core_2"]
    hints = [str(warning.hint) for warning in load(tmp_path / "model.fizz").warnings if warning.code == "W19"]
    assert ["invariant_core_2: " in hint for hint in hints] == [True, False], "the line to paste has the name too"


def test_returns_that_they_mention_are_kept(tmp_path: Path) -> None:
    """`__returns__` in a line makes what actions return part of the state."""
    (tmp_path / "model.fizz").write_text('init: x = 0\ninvariants:\n    always __returns__.get("A", 1) == 1\n')
    assert load(tmp_path / "model.fizz").reads_returns
