"""Ten questions that an engineer asks of a counterexample: which keys answer each, and how many they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from checker.tui.app import Viewer
from checker.tui.opened.opened_paths import OpenedPaths
from tests.viewer.conftest import LASSO, driven, guided, model, opened
from tests.viewer.pictures import ROOT

MOST_KEYS = 3

LOCK = """\
action Init:
    holder = None
    x = 0
    nodes = [Node(), Node(), Node()]

role Node:
    action Init:
        self.inside = False
        self.seen = 0
    action Work:
        require holder == None
        holder = self
        self.inside = True
        self.seen = x
        x = x + 1
        self.inside = False
        holder = None

atomic action Expire:
    require holder != None
    holder = None

always assertion OneInside:
    return len([node for node in nodes if node.inside]) < 2
"""
PATH = ("Node#2.Work", "thread-0", "thread-0", "Expire", "thread-0", "Node#1.Work", "thread-0", "crash")


@dataclass(frozen=True)
class Question:
    """What is asked, the keys as the page shows them and as the tests press them, and texts of the answer."""

    text: str
    shown: str
    keys: str
    answers: tuple[str, ...]
    cycle: bool = False

    @property
    def count(self) -> int:
        return len(self.keys.split())


QUESTIONS = (
    Question("Why is it false?", "", "", ("why  line 24 | return len([node for node in nodes if node.inside]) < 2",)),
    Question("What changed at step 5?", "", "", ("Node#2.Work line 15        x 0→1",)),
    Question(
        "Who held the lock at step 3?", "`3 Enter`", "3 enter", ("State after 3: Node#2.Work", "  holder: Node#2")
    ),
    Question("Which line crashed?", "", "", ("✗ crash after line 13",)),
    Question("What could have happened instead?", "`← o`", "left o", ("→ Node#1.Work  ✗ crash", "  Node#2.Work")),
    Question("What does node 2 know?", "`f 2 Enter`", "f 2 enter", ("Node#2: {inside = True, seen = 0}",)),
    Question("When did x change last?", "`/ x Enter`", "slash x enter", (">  5 *",)),
    Question("Which thread runs here?", "`←`", "left", ("13         self.inside = True", "◄ Node#1.Work")),
    Question("Show me the state as text?", "`y`", "y", ("copied to ",)),
    Question("Where does the cycle begin?", "`→`", "right", ("the cycle begins again", ">╭ 3  Switch"), cycle=True),
)


@pytest.fixture
def paths(tmp_path: Path) -> dict[bool, OpenedPaths]:
    """A lease that expires under a node that works; and a lasso."""
    return {
        False: guided(model(tmp_path, LOCK), *PATH),
        True: opened(model(tmp_path, LASSO, "lasso.fizz")),
    }


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_a_question_takes_few_keys(
    question: Question, paths: dict[bool, OpenedPaths], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a terminal of 80x24, from what is shown on opening."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Viewer, "copy_to_clipboard", lambda self, text: None)
    seen = driven(paths[question.cycle], *question.keys.split())
    for answer in question.answers:
        assert answer in seen.text, seen.text
    assert question.count <= MOST_KEYS


def test_the_page_has_the_questions() -> None:
    """With the keys that were counted."""
    page = (ROOT / "docs" / "viewer.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?\?) \| (.*?) \| (\d) \|$", page, re.MULTILINE)
    assert rows == [(one.text, one.shown or "on opening", str(one.count)) for one in QUESTIONS]
