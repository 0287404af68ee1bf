"""Every bad input gives one clear message with location, reason and hint, and the right code."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

COUNTER = """\
action Init:
    n = 0
atomic action Up:
    require n < 3
    n += 1
atomic action Rest: pass
always assertion Small:
    return n <= 3
"""


def broken(old: str, new: str) -> str:
    assert old in COUNTER
    return COUNTER.replace(old, new)


# name: (contents of m.fizz or None, arguments after `check`, exit code, what must be said)
CASES: dict[str, tuple[str | bytes | None, list[str], int, list[str]]] = {
    "missing file": (None, ["absent.fizz"], 2, ["absent.fizz", "no file"]),
    "missing file, another suffix": (COUNTER, ["m.fiz"], 2, ["m.fiz", "did you mean 'm.fizz'"]),
    "missing file, a short name": (COUNTER, ["n.fizz"], 2, ["n.fizz", "hint: give the path of a model file"]),
    "missing file, letter case": (None, ["DIEHARD.fizz"], 2, ["did you mean 'DieHard.fizz'"]),
    "missing file, its beginning": (None, ["VeniceOff"], 2, ["did you mean 'VeniceOffsetFirst.fizz'"]),
    "misspelled bundled model": (None, ["VeniceLeaderFolower.fizz"], 2, ["did you mean 'VeniceLeaderFollower.fizz'"]),
    "empty name": (None, [""], 2, ["empty", "path of a model file"]),
    "name that is too long": (None, ["m" * 5000], 2, ["too long", "hint"]),
    "a name like none": (
        COUNTER,
        ["nofile"],
        2,
        ["there is no file 'nofile'", "the name of one that comes with the tool"],
    ),
    "time that is no number": (COUNTER, ["m.fizz", "--timeout", "nan"], 2, ["--timeout", "nan"]),
    "include of a name with NUL": (f'include "a\\0b.fizz"\n{COUNTER}', ["m.fizz"], 150, ["m.fizz:1:1", "NUL"]),
    "directory": (COUNTER, ["."], 2, ["directory", "m.fizz"]),
    "unknown flag": (COUNTER, ["m.fizz", "--engin", "plain"], 2, ["--engin", "--engine"]),
    "unknown engine": (COUNTER, ["m.fizz", "--engine", "quantum"], 2, ["quantum", "embedded"]),
    "bad number": (COUNTER, ["m.fizz", "--max-states", "many"], 2, ["many", "--max-states"]),
    "no model": (None, [], 2, ["MODEL"]),
    "set without value": (COUNTER, ["m.fizz", "--set", "N"], 2, ["--set", "NAME=EXPR"]),
    "set of unknown constant": (
        broken("action Init", "LIMIT = 3\naction Init"),
        ["m.fizz", "--set", "LIMT=3"],
        151,
        ["LIMT", "LIMIT"],
    ),
    "set to nonsense": (
        broken("action Init", "LIMIT = 3\naction Init"),
        ["m.fizz", "--set", "LIMIT=3 +"],
        151,
        ["LIMIT"],
    ),
    "unknown property": (COUNTER, ["m.fizz", "--property", "Smal"], 2, ["Smal", "did you mean", "Small"]),
    "unknown option given": (COUNTER, ["m.fizz", "--option", "max_action=3"], 151, ["max_action", "max_actions"]),
    "unknown option in file": (
        f"---\noptions: {{max_action: 3}}\n---\n{COUNTER}",
        ["m.fizz"],
        151,
        ["m.fizz:2", "max_action", "max_actions"],
    ),
    "option of wrong type": (
        f"---\ndeadlock_detection: 7\n---\n{COUNTER}",
        ["m.fizz"],
        151,
        ["m.fizz:2", "deadlock_detection"],
    ),
    "front matter is not YAML": (f"---\n{{a: [\n---\n{COUNTER}", ["m.fizz"], 151, ["m.fizz", "YAML"]),
    "binary file": (b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00\x00", ["m.fizz"], 150, ["m.fizz"]),
    "large file": (COUNTER + "# filler\n" * 240_000, ["m.fizz"], 150, ["m.fizz", "large"]),
    "large binary file": (b"\x00\xff" * 1_000_000, ["m.fizz"], 150, ["m.fizz"]),
    "empty file": ("", ["m.fizz"], 150, ["m.fizz", "nothing to check"]),
    "syntax error": (broken("n += 1", "n += )"), ["m.fizz"], 150, ["m.fizz:5:", "^"]),
    "unclosed bracket": (broken("n = 0", "n = (0"), ["m.fizz"], 150, ["m.fizz:"]),
    "unclosed string": (broken("n = 0", "n = 'a"), ["m.fizz"], 150, ["m.fizz:2"]),
    "three quotes and no more": ("''''", ["m.fizz"], 150, ["m.fizz:1:1: string is never closed", "close it with '''"]),
    "five quotes": ('"""""', ["m.fizz"], 150, ["m.fizz:1:1: string is never closed"]),
    "quotes in a field": (broken("n = 0", "n = f\"{''''}\""), ["m.fizz"], 150, ["m.fizz:2:", "expected an expression"]),
    "constant of quotes": (
        broken("action Init", "LIMIT = 3\naction Init"),
        ["m.fizz", "--set", "LIMIT=''''"],
        151,
        ["--set LIMIT:1:1: string is never closed"],
    ),
    "front matter, no bool": (
        f"---\ndeadlock_detection: !!bool abc\n---\n{COUNTER}",
        ["m.fizz"],
        151,
        ["m.fizz:2", "abc"],
    ),
    "front matter, no int": (
        f"---\noptions: {{max_actions: !!int ''}}\n---\n{COUNTER}",
        ["m.fizz"],
        151,
        ["m.fizz:2", "max_actions", "a whole number"],
    ),
    "front matter, a tag": (
        f"---\nliveness: !!python/object:os.system x\n---\n{COUNTER}",
        ["m.fizz"],
        151,
        ["m.fizz:2:11", "the tag '!!python/object:os.system' is not allowed"],
    ),
    "front matter, nested": (
        f"---\nliveness: {'[' * 300}\n---\n{COUNTER}",
        ["m.fizz"],
        151,
        ["m.fizz:2:60", "more than 50"],
    ),
    "a domain without end": (
        broken("action Init", "K = symmetric_values('k', 9999999999)\naction Init"),
        ["m.fizz"],
        75,
        ["m.fizz:1:", "R24"],
    ),
    "endless recursion in a constant": (
        broken("action Init", "K = (lambda f: f(f))(lambda f: f(f))\naction Init"),
        ["m.fizz"],
        75,
        ["m.fizz:1:32: call stack deeper than 200", "R16"],
    ),
    "nothing, repeated": (
        broken("n <= 3", "itertools.product(repeat=1 << 63) != [()]"),
        ["m.fizz"],
        12,
        ["itertools.product"],
    ),
    "tabs mixed with spaces": (broken("    n += 1", "\t  n += 1"), ["m.fizz"], 150, ["m.fizz:5:"]),
    "inconsistent dedent": (broken("    n += 1", "  n += 1"), ["m.fizz"], 150, ["m.fizz:5:"]),
    "unknown name": (
        broken("require n < 3", "require m < 3"),
        ["m.fizz"],
        150,
        ["m.fizz:4:13", "undefined name 'm'", "^"],
    ),
    "python's own words": (broken("n += 1", "import os"), ["m.fizz"], 150, ["m.fizz:5:", "import"]),
    "deep nesting": (broken("n = 0", "n = " + "(" * 3000 + "0" + ")" * 3000), ["m.fizz"], 150, ["m.fizz"]),
    "division by zero": (
        broken("n += 1", "n += 1 // (1 - n)"),
        ["m.fizz"],
        75,
        ["m.fizz:5:", "division by zero", "R5"],
    ),
    "endless while": (broken("n += 1", "while n < 9: n = 1"), ["m.fizz"], 75, ["m.fizz:5:", "R20", "while"]),
    "function in state": (broken("n += 1", "n = len"), ["m.fizz"], 75, ["m.fizz:5:", "R18"]),
    "huge number": (broken("n += 1", "n = 1 << 100000000000"), ["m.fizz"], 75, ["m.fizz:5:", "R24"]),
    "error in constant": (broken("action Init", "LIMIT = 1 // 0\naction Init"), ["m.fizz"], 75, ["m.fizz:1:", "R5"]),
    "no initial state": (broken("n = 0", "n = 0\n    require n == 1"), ["m.fizz"], 75, ["R19"]),
    "error in assertion": (broken("n <= 3", 'n <= "3"'), ["m.fizz"], 75, ["m.fizz:8:", "R4"]),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str, fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """The message names the place and the reason; the code is that of the table in `fizzpy check --help`."""
    contents, arguments, code, fragments = CASES[case]
    if contents is not None:
        (tmp_path / "m.fizz").write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    ended = fizzpy("check", *arguments)
    assert "Traceback" not in ended.said
    assert "internal error" not in ended.said
    assert ended.code == code, ended.said
    for fragment in fragments:
        assert fragment in ended.said, ended.said
    assert len(ended.said.splitlines()) < 60


def test_unreadable_file(fizzpy: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is a usage error. (The superuser may read all, so the refusal is staged.)"""
    (tmp_path / "m.fizz").write_text(COUNTER)

    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    ended = fizzpy("check", "m.fizz")
    assert ended.code == 2
    assert "Permission denied" in ended.err


def test_long_words_are_cut(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """What a message quotes of the input does not fill the terminal; with --json it is whole."""
    (tmp_path / "m.fizz").write_text(COUNTER)
    ended = fizzpy("check", "m.fizz", "--property", "A" * 50_000)
    assert (ended.code, "AAA …\nhint: its assertions are Small" in ended.err) == (2, True)
    assert len(ended.err) < 2_100
    assert (
        "A" * 50_000 in json.loads(fizzpy("check", "m.fizz", "--json", "--property", "A" * 50_000).out)["error"]["text"]
    )


def test_control_characters_do_not_reach_the_terminal(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """A model cannot move the cursor or recolour the screen through the line that a message quotes."""
    (tmp_path / "m.fizz").write_text(broken("n += 1", "n += cuonter # \x1b[2J\x1b]0;owned\x07"))
    ended = fizzpy("check", "m.fizz", "--no-color")
    assert ended.code == 150
    assert "\x1b" not in ended.said
    assert "\x07" not in ended.said


def test_parse_reports_as_check_does(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`fizzpy parse` prints the same messages with the same codes."""
    (tmp_path / "m.fizz").write_text(broken("n += 1", "n += )"))
    ended = fizzpy("parse", "m.fizz")
    assert ended.code == 150
    assert "m.fizz:5:" in ended.err
    assert fizzpy("parse", "absent.fizz").code == 2


def test_include_of_a_pipe(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """What is no ordinary file is not read: that might never end."""
    os.mkfifo(tmp_path / "pipe.fizz")
    (tmp_path / "m.fizz").write_text(f'include "pipe.fizz"\n{COUNTER}')
    ended = fizzpy("check", "m.fizz")
    assert ended.code == 150
    assert "m.fizz:1:1: cannot include 'pipe.fizz': it is not an ordinary file" in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["absent.fizz"], 2, "there is no file 'absent.fizz'"),
        (["m.fizz", "--property", "Smal"], 2, "the model has no assertion 'Smal'"),
        (["m.fizz", "--engine", "quantum"], 2, "quantum"),
    ],
)
def test_problems_as_json(
    arguments: list[str], code: int, text: str, fizzpy: Callable[..., object], tmp_path: Path
) -> None:
    """Whoever asks for JSON gets an object on standard output, whatever happens."""
    (tmp_path / "m.fizz").write_text(COUNTER)
    ended = fizzpy("check", *arguments, "--json")
    fields = json.loads(ended.out)
    assert (ended.code, fields["exit_code"], fields["verdict"]) == (code, code, "error")
    assert text in fields["error"]["text"]


@pytest.mark.parametrize("option", [("--spark-from", "0"), ("--master", "local[2]"), ("--conf", "a=b")])
def test_options_of_an_engine_that_was_not_asked_for(fizzpy: Callable[..., object], option: tuple[str, str]) -> None:
    """What would have no effect is refused."""
    ended = fizzpy("check", "DieHard.fizz", *option)
    assert ended.code == 2
    assert f"{option[0]}: only with --engine spark" in ended.err


def test_one_worker_of_the_plain_engine(fizzpy: Callable[..., object]) -> None:
    """It has one; several are refused."""
    assert fizzpy("check", "DieHard.fizz", "--engine", "plain", "--workers", "1").code == 12
    ended = fizzpy("check", "DieHard.fizz", "--engine", "plain", "--workers", "2")
    assert ended.code == 2 and "--workers: only with --engine embedded" in ended.err
