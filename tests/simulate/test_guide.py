"""The text of a guided trace, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.core.problems import UsageProblem
from checker.traces.guide import parse_guide, read_guide


def test_links_have_their_choices_and_crashes() -> None:
    """What stands below a name belongs to it; the first choices are Init's."""
    guide = parse_guide("Init\nAny:x=1\nAct\nAny:y=2\nStmt:0\ncrash\nthread-0\ncrash-role Node#0\n", "t")
    assert [line.text for line in guide.init.choices] == ["Any:x=1"]
    assert [link.head.text for link in guide.links] == ["Act", "thread-0", "crash-role Node#0"]
    assert [line.text for line in guide.links[0].choices] == ["Any:y=2", "Stmt:0"]
    assert [link.crash is not None for link in guide.links] == [True, False, False]
    assert guide.links[1].head.number == 7


def test_what_is_ignored() -> None:
    """Blank lines, comments, checkpoints, labels in brackets, Init lines; blanks around names, and line ends."""
    text = "\ufeff# one\r\n\r\n  Act  # two\r\ncheckpoint\n[label]\nInit\nNode#0.Init\n\tNode#0.Act\n"
    guide = parse_guide(text, "t")
    assert [link.head.text for link in guide.links] == ["Act", "Node#0.Act"]


@pytest.mark.parametrize("choice", ['Any:x="a # b"', 'Any:x="a \\" # b"', "Any:x=Node#0", "For:[Node#0, Node#1]"])
def test_what_is_no_comment(choice: str) -> None:
    """A `#` inside a string or inside a name."""
    guide = parse_guide(f"Act\n{choice} # but this is\n", "t")
    assert [line.text for line in guide.links[0].choices] == [choice]


@pytest.mark.parametrize(
    ("line", "explicit"),
    [
        ("Act", False),
        ("channel-0-message-0", False),
        ("thread-0", True),
        ("crash", True),
        ("Act crash", True),
        ("Act[Any:x=1] crash", True),
        ("crash-role Node#0", True),
        ("[explicit]", True),
        ("[unbounded]", False),
    ],
)
def test_forms(line: str, explicit: bool) -> None:
    """A line that shows a thread or a crash makes a trace explicit."""
    assert parse_guide(f"Act\n{line}\n", "t").explicit is explicit


@pytest.mark.parametrize(
    ("text", "where"), [("crash\n", "t:1:"), ("Init\ncrash\n", "t:2:"), ("A\ncrash\ncrash", "t:3:")]
)
def test_crash_without_a_step(text: str, where: str) -> None:
    """It needs a step above, and only once."""
    with pytest.raises(UsageProblem) as raised:
        parse_guide(text, "t")
    assert raised.value.text.startswith(where)


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    """Missing, a directory, no text, far too long."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "long").write_bytes(b"Act\n" * 3_000_000)
    for name in ("missing", ".", "binary", "long"):
        with pytest.raises(UsageProblem):
            read_guide(str(tmp_path / name))
