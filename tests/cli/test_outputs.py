"""`--itf`, `--dot`, `--html`, `--audit`: what is written where, as a whole or not at all, and what is refused."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import checker.storage.written_files
from checker.report.dot import dot_text
from checker.state_graph import state_graph
from fizz import load
from tests.cli.conftest import ROOT, Ended
from tests.view.outputs import CRASHED, CYCLE

Command = Callable[..., Ended]
FILES = ("--itf", "t.itf", "--dot", "t.dot", "--html", "t.html", "--save-trace", "t.txt")


@pytest.fixture(autouse=True)
def model(tmp_path: Path) -> None:
    (tmp_path / "m.fizz").write_text(CRASHED)


def test_all_of_them(fizzpy: Command, tmp_path: Path) -> None:
    """The exit code stays that of the answer; nothing half written is left."""
    ended = fizzpy("check", "m.fizz", *FILES)
    assert ended.code == 12
    assert json.loads((tmp_path / "t.itf").read_text())["states"][-1]["node"] == "Node#0"
    assert (tmp_path / "t.dot").read_text().startswith("digraph")
    assert (tmp_path / "t.html").read_text().startswith("<!doctype html>")
    assert "Node#0.Move" in (tmp_path / "t.txt").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"m.fizz", "t.itf", "t.dot", "t.html", "t.txt"}


def test_without_a_counterexample(fizzpy: Command, tmp_path: Path) -> None:
    """There is a page and a graph, but no trace, and that is said."""
    (tmp_path / "m.fizz").write_text(CYCLE.replace("return n == 2", "return n < 3"))
    ended = fizzpy("check", "m.fizz", *FILES)
    assert ended.code == 0
    assert "'t.itf' was not written" in ended.err
    assert {path.name for path in tmp_path.iterdir()} == {"m.fizz", "t.dot", "t.html"}


@pytest.mark.parametrize("option", ["--itf", "--dot", "--html", "--save-trace"])
def test_places_that_there_are_not(option: str, fizzpy: Command, tmp_path: Path) -> None:
    """They are refused before the search begins."""
    ended = fizzpy("check", "m.fizz", option, "none/t")
    assert (ended.code, "there is no directory 'none'" in ended.err, ended.out) == (2, True, "")
    assert "is a directory" in fizzpy("check", "m.fizz", option, str(tmp_path)).err


def test_no_graph_where_the_constants_fail(fizzpy: Command, tmp_path: Path) -> None:
    """The model's own mistake is the answer; that there is nothing to draw is a note beside it."""
    (tmp_path / "c.fizz").write_text("C = 1 // 0\naction Init: x = C\n")
    ended = fizzpy("check", "c.fizz", "--dot", "t.dot")
    assert (ended.code, "'t.dot' was not written: the constants of the model fail" in ended.err) == (75, True)
    assert not (tmp_path / "t.dot").exists()


def test_two_outputs_in_one_file(fizzpy: Command) -> None:
    """One would overwrite the other."""
    assert "name a file for each" in fizzpy("check", "m.fizz", "--itf", "t", "--html", "t").err


@pytest.mark.parametrize("option", ["--itf", "--dot", "--html"])
def test_full_disks(option: str, fizzpy: Command, tmp_path: Path) -> None:
    """A device without room is exit code 74; so is a file that may not grow, and the one before it stays as it was."""
    if Path("/dev/full").exists():
        ended = fizzpy("check", "m.fizz", option, "/dev/full")
        assert (ended.code, "make room" in ended.err) == (74, True)
    (tmp_path / "t").write_text("before")

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(
        [sys.executable, "-B", "-m", "fizzpy", "check", "m.fizz", option, "t"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        preexec_fn=little,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (74, False)
    assert "make room" in done.stderr
    assert (tmp_path / "t").read_text() == "before"
    assert not list(tmp_path.glob(".t*"))


def test_permissions_and_links_stay(fizzpy: Command, tmp_path: Path) -> None:
    """A file that is written anew keeps its mode, a link leads where it led."""
    (tmp_path / "real").write_text("before")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    fizzpy("check", "m.fizz", "--html", "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text().startswith("<!doctype")
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the writing: the file before it is still there, and nothing else."""
    (tmp_path / "t").write_text("before")

    def interrupted(number: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checker.storage.written_files.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        checker.storage.written_files.save(str(tmp_path / "t"), b"after")
    assert [(path.name, path.read_text()) for path in tmp_path.glob("*t*")] == [("t", "before")]


def test_graphs(tmp_path: Path) -> None:
    """All states and steps; initial states and crashes are marked; texts are quoted."""
    graph = state_graph(load(tmp_path / "m.fizz"))
    text = dot_text(graph)
    assert text.count(" -> ") == len({(e.source, e.target, e.crash) for e in graph.edges})
    assert text.count("peripheries=2") == 1
    assert text.count("color=red") == 2 * len({(e.source, e.target) for e in graph.edges if e.crash})
    assert len(graph.nodes) == text.count("[label=") - text.count(" -> ")
    (tmp_path / "q.fizz").write_text('action Init: word = "a\\"b\\\\"\naction A: word = "c"\n')
    assert 'word = \\"a\\\\\\"b\\\\\\\\\\"' in dot_text(state_graph(load(tmp_path / "q.fizz")))


def test_graphs_that_nobody_could_look_at(fizzpy: Command, tmp_path: Path) -> None:
    """A note with the limit and a hint; the report was printed before, and its exit code stays."""
    (tmp_path / "m.fizz").write_text("action Init: n = 0\natomic action Up: n = (n + 1) % 2000\n")
    ended = fizzpy("check", "m.fizz", "--dot", "t.dot", "--option", "max_actions=5000")
    assert (ended.code, "more than 1,000 states" in ended.err) == (0, True)
    assert "PASSED" in ended.out
    assert not (tmp_path / "t.dot").exists()


def test_one_file_that_can_not_be_written_does_not_keep_back_the_others(fizzpy: Command, tmp_path: Path) -> None:
    """The state graph is too large; the page and the trace are written, and the graph's problem is printed."""
    (tmp_path / "m.fizz").write_text(
        "action Init: n = 0\natomic action Up: n += 1\nalways assertion P: return n < 1500\n"
    )
    given = ("--option", "max_actions=2000", "--dot", "t.dot", "--html", "t.html", "--save-trace", "t.txt")
    ended = fizzpy("check", "m.fizz", *given)
    assert ended.code == 12
    assert "'t.dot' was not written: the state graph has more than 1,000 states" in ended.err
    assert (tmp_path / "t.html").exists() and (tmp_path / "t.txt").exists()
    assert not (tmp_path / "t.dot").exists()


def test_audits(fizzpy: Command, tmp_path: Path) -> None:
    """The tables come before the answer, which stays the same; as JSON they are a field of it."""
    ended = fizzpy("check", "m.fizz", "--audit", "--no-color", "--html", "t.html")
    assert ended.code == 12
    assert "every state visited once more" in ended.out
    assert "require node.a == 2 and node.b == 0" in ended.out
    assert "Guards and branches" in (tmp_path / "t.html").read_text()
    answer = json.loads(fizzpy("check", "m.fizz", "--audit", "--json").out)
    assert {one["action"] for one in answer["audit"]["actions"]} == {"Node.Move", "Look"}
    assert "audit" not in json.loads(fizzpy("check", "m.fizz", "--json").out)


def test_what_was_often_new(fizzpy: Command, tmp_path: Path) -> None:
    """An audit says which line reads all of a container that has about as many values as there are states."""
    text = """\
action Init:
    board = [0, 1, 2, 3, 4, 5]
atomic action Mix:
    i = oneof range(6)
    board = board[i:] + board[:i]
    board = [board[1], board[0]] + board[2:]
"""
    (tmp_path / "m.fizz").write_text(text)
    ended = fizzpy("check", "m.fizz", "--audit", "--no-color", "--option", "max_actions=1000", "--html", "t.html")
    assert ended.code == 0
    assert "m.fizz:5, all of board    720 of 720" in ended.out
    assert "What was often new" in (tmp_path / "t.html").read_text()
    assert "often new" not in fizzpy("check", "m.fizz", "--audit", "--option", "max_actions=2").out
    changed = text.replace("[0, 1, 2, 3, 4, 5]", "[[n] for n in range(6)]")
    changed += "    first = board[0]\n    first.append(0)\n    board = list(board)\n    first.pop()\n"
    (tmp_path / "m.fizz").write_text(changed)
    ended = fizzpy("check", "m.fizz", "--stats", "--no-color", "--option", "max_actions=1000")
    assert "new at m.fizz:5, all of board, interpreted: a change" in ended.out and "second name" in ended.out


def test_coverage_command(fizzpy: Command, tmp_path: Path) -> None:
    """The annotated model in the terminal, as a page and as JSON; the exit code says whether that was everything."""
    ended = fizzpy("coverage", "m.fizz", "--keep-going", "--no-color", "--html", "t.html")
    assert (ended.code, "at the bound max_actions" in ended.out) == (3, True)
    assert "self.a += 1" in ended.out
    assert (tmp_path / "t.html").read_text().startswith("<!doctype html>")
    answer = json.loads(fizzpy("coverage", "m.fizz", "--option", "max_actions=3", "--json").out)
    assert answer["states"] > 0 and answer["lines"]
    assert (answer["constants"], answer["options"]) == ({}, {"max_actions": "3"})
    (tmp_path / "m.fizz").write_text(CYCLE)
    assert fizzpy("coverage", "m.fizz").code == 0
    assert "statements ran" in fizzpy("coverage", "m.fizz", "--quiet").out
    # What was not expanded when the search ended: whether it leads to other states is not known.
    assert "there may be more states" in fizzpy("coverage", "m.fizz", "--max-depth", "0").out
    assert fizzpy("coverage", "m.fizz", "--html", "none/t").code == 2
    (tmp_path / "m.fizz").write_text("N = 1 // 0\naction Init: n = N\n")
    assert fizzpy("coverage", "m.fizz").code == 2


def test_labels_of_any_text_are_shown_as_they_are(fizzpy: Command, tmp_path: Path) -> None:
    """What looks like markup of a terminal or of HTML is text."""
    label = r"step: 1 [bold]<b>&`x`".replace("`", "'")
    rest = "action Init: x = 0\natomic action A:\n    `" + label + "` x = 1\nalways assertion Low: return x < 1\n"
    (tmp_path / "m.fizz").write_text(rest)
    assert f"label A.{label}" in fizzpy("check", "m.fizz", "--full", "--html", "t.html").out
    page = (tmp_path / "t.html").read_text()
    assert "[bold]&lt;b&gt;&amp;" in page and "<b>&" not in page
