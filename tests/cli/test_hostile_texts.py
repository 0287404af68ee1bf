"""Whatever a model, a file name, an option or a report says: it can not steer the terminal, nor what is written."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Ended

Command = Callable[..., Ended]
EVIL = "\x1b[31m\x07\x9b2J\x7f\u202e\u200b\u2066\u3164\ufe0f</title></script>\"'<b>&amp;\\"
SOFT = "\u202e\u200b\u2066\u3164\ufe0f</script><b>&amp;"
"""What may stand in the text of a model; controls are refused there."""
NAME = f"m{EVIL.replace('/', '')}.fizz"
MODEL = f'''\
# {SOFT} comment
TEXT = "\\x1b[31m\\x07\\u202e\\u200b</script>\\"'<b>\\\\"
role Node:
    action Init:
        self.word = TEXT
    action Say:
        word = oneof [TEXT, "{SOFT}"]
        print(TEXT, word)
        self.word = word + TEXT
action Init:
    node = Node()
    seen = {{TEXT: TEXT}}
atomic action Look:  # {SOFT}
    require node.word == TEXT + TEXT
    seen[TEXT] = node.word
always assertion Quiet:
    return seen[TEXT] == TEXT  # {SOFT}
'''
BROKEN = f'action Init: n = "{EVIL[:-1].replace(chr(34), "")}" + undefined  # {EVIL}\n'
FAILING = MODEL.replace("seen[TEXT] = node.word", "seen[TEXT] = seen[node.word + TEXT]")
EXPECT = json.dumps([{"model": NAME, "set": {"TEXT": json.dumps(EVIL)}, "properties": {EVIL: {"steps": 3}}}])


def assert_harmless(text: str) -> None:
    """No control but line ends, nothing that turns the direction or has no width."""
    assert text
    for character in text:
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"), repr(text)
        assert character not in "\u3164\ufe0f", repr(text)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / NAME).write_text(MODEL)
    (tmp_path / f"broken{NAME}").write_text(BROKEN)
    (tmp_path / f"failing{NAME}").write_text(FAILING)
    (tmp_path / "expect.yaml").write_text(EXPECT)
    (tmp_path / f"g{EVIL.replace('/', '')}").write_text(f"Node#0.Say\n{EVIL}\n")


COMMANDS = {
    "check": ("check", NAME),
    "check, narrow": ("check", NAME, "--keep-going", "--stats"),
    "check as JSON": ("check", NAME, "--json"),
    "audit": ("check", NAME, "--audit"),
    "broken": ("check", f"broken{NAME}"),
    "broken as JSON": ("check", f"broken{NAME}", "--json"),
    "failing": ("check", f"failing{NAME}"),
    "failing as JSON": ("check", f"failing{NAME}", "--json"),
    "plain": ("check", NAME, "--engine", "plain"),
    "parse": ("parse", NAME),
    "coverage": ("coverage", NAME),
    "coverage as JSON": ("coverage", NAME, "--json"),
    "explain": ("explain", NAME, "--init"),
    "explain as JSON": ("explain", NAME, "--init", "--json"),
    "simulate": ("simulate", NAME, "--runs", "5"),
    "trace": ("trace", NAME, "--extend", "1"),
    "trace of a bad guide": ("trace", NAME, "--follow", f"g{EVIL.replace('/', '')}"),
    "test": ("test", ".", "-j", "1"),
    "test as JSON": ("test", ".", "-j", "1", "--json"),
    "missing model": ("check", EVIL),
    "unknown command": (EVIL,),
    "unknown option": ("check", f"--{EVIL}"),
    "unknown engine": ("check", NAME, "--engine", EVIL),
    "no number": ("check", NAME, "--max-states", EVIL),
    "no pair": ("check", NAME, "--set", EVIL),
    "unknown constant": ("check", NAME, "--set", f"{EVIL}=1"),
    "bad constant": ("check", NAME, "--set", f"TEXT={EVIL}"),
    "unknown property": ("check", NAME, "--property", EVIL),
    "unknown setting": ("check", NAME, "--option", f"{EVIL}=1"),
    "bad setting": ("check", NAME, "--option", f"max_actions={EVIL}"),
    "unknown action": ("explain", NAME, "--action", EVIL),
    "bad output": ("check", NAME, "--html", EVIL),
    "bad folder": ("check", NAME, "--checkpoint", EVIL),
    "show": ("show", EVIL),
    "test of nothing": ("test", EVIL),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", ["80", "24"])
def test_nothing_steers_the_terminal(
    command: str, columns: str, fizzpy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is printed, by the command and by the model itself, is made visible first."""
    monkeypatch.setenv("COLUMNS", columns)
    ended = fizzpy(*COMMANDS[command])
    assert ended.code in (2, 3, 12, 75, 150, 151, 0, 1), ended.said
    assert_harmless(ended.said)


def test_what_is_written(fizzpy: Command, tmp_path: Path) -> None:
    """Pages, traces, graphs and results of tests hold the texts escaped as their forms ask for."""
    outputs = ("--html", "t.html", "--itf", "t.itf", "--dot", "t.dot", "--save-trace", "t.txt")
    assert fizzpy("check", NAME, *outputs).code == 12
    assert fizzpy("coverage", NAME, "--html", "c.html").code in (0, 3)
    assert fizzpy("test", ".", "--junit", "t.xml").code == 1
    for page in ("t.html", "c.html"):
        text = (tmp_path / page).read_text()
        assert_harmless(text)
        seen = _Page()
        seen.feed(text)
        assert not seen.tags & {"script", "b", "img", "iframe"}
        assert seen.titles == 1
    dot = (tmp_path / "t.dot").read_text()
    assert_harmless(dot)
    assert dot.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0
    states = json.loads((tmp_path / "t.itf").read_text())["states"]
    assert states[0]["seen"]["#map"][0][0].startswith("\x1b[31m\x07\u202e")
    assert_harmless((tmp_path / "t.itf").read_text())
    assert ElementTree.parse(tmp_path / "t.xml").getroot().get("failures") == "1"
    assert "\x1b" not in (tmp_path / "t.xml").read_text()
    assert fizzpy("trace", NAME, "--follow", "t.txt").code == 12


class _Page(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.titles = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.titles += tag == "h1"


def test_columns_stand_below_each_other(fizzpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wide and spelled-out characters take the room that they are drawn with: nothing is wider than the page."""
    monkeypatch.setenv("COLUMNS", "80")
    names = ("漢字漢字漢字", "é" * 30, "P")
    text = "action Init: n = 0\natomic action Up: n = (n + 1) % 2\n"
    for name in names:
        text += f"always assertion {name}: return n < 2\n"
    (tmp_path / "m.fizz").write_text(text)
    ended = fizzpy("check", "m.fizz", "--no-color")
    rows = [row for row in ended.out.split("\n") if "always" in row]
    assert len({cell_len(row[: row.index("always")]) for row in rows}) == 1
    assert all(cell_len(row) <= 80 for row in ended.out.split("\n"))
    wide, thin = "漢\u202e" * 60, "\u200b" * 90
    (tmp_path / "w.fizz").write_text(
        f'action Init: n = ["{wide}"]\natomic action Up: n = ["{thin}"]\n'
        'always assertion P: return n[0] != "x" and len(n[0]) > 100\n'
    )
    ended = fizzpy("check", "w.fizz", "--no-color")
    assert_harmless(ended.out)
    assert all(cell_len(row) <= 80 for row in ended.out.split("\n")), ended.out
