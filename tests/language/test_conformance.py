"""The script that compares reference models with a table says what agrees, what differs and what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import main

HEAD = "example,verdict,property,kind,states,depth,bounded,trace_steps\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models, one of which fails."""
    text = "action Init: n = 0\natomic action Up:\n    require n < 2\n    n += 1\natomic action Rest: pass\n"
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "good.fizz").write_text(text)
    (tmp_path / "models" / "bad.fizz").write_text(text + "always assertion Low: return n < 2\n")
    return tmp_path / "models"


def test_agreement(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything as promised: exit code 0. The table is found above the folder; empty cells are not compared."""
    table = folder.parent / "expected.csv"
    table.write_text(HEAD + "good,passed,,,3,2,false,\nbad,failed,Low,always,3,2,,2\nbad,failed,,,,,,\n")
    assert main([str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "3 models, 0 differ"


def test_difference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference is said, a missing model is one: exit code 1."""
    table = folder / "table.csv"
    table.write_text(HEAD + "good,passed,,,4,2,true,\nbad,failed,High,always,3,2,,3\ngone,passed,,,1,0,false,\n")
    assert main([str(folder), "--expected", str(table)]) == 1
    said = capsys.readouterr().out
    assert "states is 3, not 4" in said and "bounded is false, not true" in said
    assert "property is Low, not High" in said and "trace_steps is 2, not 3" in said
    assert "unreadable: No such file or directory" in said
    assert main([str(folder), "--expected", str(table), "--only", "nothing"]) == 2


def test_no_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a table there is nothing to compare: exit code 2, and a hint."""
    assert main([str(folder)]) == 2
    assert "--expected" in capsys.readouterr().err
