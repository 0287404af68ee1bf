"""Completion in shells, the groups of the help, and `fizzpy doctor`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import checker.cli.doctor_command
from checker.cli.commands import _GROUPS
from checker.cli.commands import fizzpy as group
from checker.cli.completing_words import VARIABLE
from checker.core.problems import EnvironmentProblem
from tests.cli.conftest import Ended

Command = Callable[..., Ended]
MODEL = """\
LIMIT = 3
action Init: x = 0
atomic action Up: x = (x + 1) % LIMIT
role Node:
    action Send: pass
always assertion Small: return x < LIMIT
"""


@pytest.fixture
def offered(fizzpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """The words that bash is given for the last word of a line."""
    (tmp_path / "m.fizz").write_text(MODEL)
    (tmp_path / "sub").mkdir()
    (tmp_path / "notes.txt").write_text("")

    def ask(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv(VARIABLE, "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        ended = fizzpy()
        assert ended.code == 0, ended.said
        return [row.partition(",")[2] for row in ended.out.split()]

    return ask


def test_words_of_the_command(offered: Callable[[str], list[str]]) -> None:
    """Subcommands, options and their values."""
    assert offered("fizzpy che") == ["check"]
    assert "--property" in offered("fizzpy check m.fizz --pro")
    assert offered("fizzpy check m.fizz --engine pl") == ["plain"]


def test_names_of_the_model(offered: Callable[[str], list[str]]) -> None:
    """Models, and what the model on the line has: properties, constants, actions."""
    assert offered("fizzpy check ") == ["m.fizz", "sub/"]
    assert offered("fizzpy check VeniceL") == ["VeniceLeaderFollower.fizz"]
    assert offered("fizzpy check m.fizz --property ") == ["Small"]
    assert offered("fizzpy check m.fizz --set ") == ["LIMIT="]
    assert offered("fizzpy explain m.fizz --action ") == ["Init", "Up", "Node.Send"]
    assert offered("fizzpy check nothing.fizz --property ") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str, fizzpy: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each shell gets its script, which it can read."""
    monkeypatch.setenv(VARIABLE, f"{shell}_source")
    ended = fizzpy()
    assert ended.code == 0 and VARIABLE in ended.out
    program = shutil.which(shell)
    if program is not None:  # the other shells are not on every machine
        (tmp_path / "script").write_text(ended.out)
        assert subprocess.run([program, "-n", "script"], cwd=tmp_path, check=False).returncode == 0


def test_unknown_shells(fizzpy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no shell is a mistake of usage."""
    monkeypatch.setenv(VARIABLE, "tcsh_source")
    ended = fizzpy()
    assert ended.code == 2 and "bash_source" in ended.err


def test_help_fits_a_terminal() -> None:
    """Of eighty columns: tables are not wrapped by click, and a terminal would break them within a word."""
    for name, command in group.commands.items():
        text = command.get_help(click.Context(command, info_name=name, terminal_width=80))
        assert [row for row in text.splitlines() if len(row) > 80] == [], name


def test_the_help_has_groups(fizzpy: Command) -> None:
    """Each subcommand stands once: in its group, or below them."""
    text = fizzpy("--help").out
    assert all(f"\n{title}:\n" in text for title in _GROUPS)
    members = [name for names in _GROUPS.values() for name in names]
    assert len(members) == len(set(members))
    context = group.make_context("fizzpy", ["check"], resilient_parsing=True)
    names = set(group.list_commands(context))
    assert names >= set(members)
    assert all(len(re.findall(rf"^  {name} ", text, re.MULTILINE)) == 1 for name in names)


def test_doctor(fizzpy: Command) -> None:
    """What works is said, and as JSON too."""
    ended = fizzpy("doctor")
    assert ended.code == 0 and "models can be checked on this machine" in ended.out
    answer = json.loads(fizzpy("doctor", "--json").out)
    assert answer["works"] and {"Python", "cores", "memory", "a small model", "Spark"} <= {
        finding["name"] for finding in answer["findings"]
    }


def test_doctor_says_what_to_do(fizzpy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Java only Spark is limited; a model that cannot be checked is a failure."""

    def none(*_: object) -> None:
        raise EnvironmentProblem("there is no Java", "install Java")

    monkeypatch.setattr("checker.search.spark.java.find_java", none)
    ended = fizzpy("doctor")
    assert ended.code == 0 and "-> install Java" in ended.out
    broken = checker.cli.doctor_command.Checkup("a small model", "broken", "cannot be checked", "install again")
    monkeypatch.setattr(checker.cli.doctor_command, "_model", lambda: broken)
    ended = fizzpy("doctor")
    assert ended.code == 74 and "models cannot be checked" in ended.out
