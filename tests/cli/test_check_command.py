"""What `fizzpy check` prints and how it exits, one case for each verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

GOOD = """\
LIMIT = 3
action Init:
    n = 0
atomic action Up:
    require n < LIMIT
    n += 1
atomic action Rest: pass
always assertion Small:
    return n <= LIMIT
"""

TWO_PHASE = Path(__file__).resolve().parents[2] / "models/classics/TwoPhase.fizz"
MODELS: dict[str, tuple[str, int, str]] = {
    "passed": (GOOD, 0, "PASSED"),
    "bounded": (f"---\noptions: {{max_actions: 1}}\n---\n{GOOD}", 3, "BOUNDED"),
    "deadlock": (GOOD.replace("atomic action Rest: pass\n", ""), 11, "DEADLOCK"),
    "always": (GOOD.replace("n <= LIMIT", "n < LIMIT"), 12, "FAILED"),
    "exists": (GOOD.replace("always", "exists").replace("n <= LIMIT", "n > LIMIT"), 12, "FAILED"),
    "transition": (
        GOOD.replace(
            "always assertion Small:\n    return n <= LIMIT",
            "transition assertion Down(before, after):\n    return after.n < before.n",
        ),
        12,
        "FAILED",
    ),
    "liveness": (GOOD.replace("always", "always eventually").replace("n <= LIMIT", "n == LIMIT"), 13, "FAILED"),
    "error": (GOOD.replace("n += 1", "n += 1 // 0"), 75, "ERROR"),
}


@pytest.mark.parametrize("name", MODELS)
def test_verdicts(name: str, fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """Each verdict has its word and its exit code; `--quiet` prints one line; JSON says the same."""
    text, code, word = MODELS[name]
    (tmp_path / "m.fizz").write_text(text)
    ended = fizzpy("check", "m.fizz")
    assert ended.code == code, ended.said
    assert ended.err == ""
    assert any(row.startswith(word) for row in ended.out.splitlines())
    quiet = fizzpy("check", "m.fizz", "--quiet")
    assert quiet.code == code
    assert len(quiet.out.splitlines()) == 1
    *stats, verdict = fizzpy("check", "m.fizz", "--quiet", "--stats").out.splitlines()
    assert any(row.startswith("interpreter calls") for row in stats)
    assert verdict == quiet.out.rstrip("\n")
    as_json = json.loads(fizzpy("check", "m.fizz", "--json").out)
    assert as_json["exit_code"] == code
    assert as_json["verdict"] == word.lower()


def test_lasso_is_printed_as_one(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """A run that nothing forces on ends in `stutter`; a run in circles in `--- cycle ---`."""
    (tmp_path / "m.fizz").write_text(MODELS["liveness"][0])
    assert "stutter" in fizzpy("check", "m.fizz", "--full").out
    assert "∞ for ever" in fizzpy("check", "m.fizz").out
    circle = GOOD.replace("n += 1", "n = 1 - n").replace("always", "always eventually").replace("n <= LIMIT", "n == 2")
    (tmp_path / "m.fizz").write_text(circle.replace("atomic action", "atomic fair action"))
    assert "--- cycle ---" in fizzpy("check", "m.fizz", "--full").out
    assert "∞ steps 1-3 for ever" in fizzpy("check", "m.fizz").out


def test_crash_is_marked(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """The step after which a thread is lost says so, without any colour; at length in capitals."""
    (tmp_path / "m.fizz").write_text(
        "action Init: a, b = 0, 0\n"
        "action Move:\n    require a == 0\n    a = 1\n    b = 1\n"
        "atomic action Rest: pass\n"
        "eventually always assertion Both:\n    return a == b\n"
    )
    ended = fizzpy("check", "m.fizz", "--no-color")
    assert ended.code == 13
    assert "\x1b" not in ended.out
    assert " 1 Move  ✗ crash after line 4  a 0→1" in ended.out.splitlines()
    full = fizzpy("check", "m.fizz", "--no-color", "--full").out
    assert "CRASH" in full and "a: 0 -> 1" in full and "a = 1" in full


def test_set_and_option(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`--set` replaces a constant, `--option` an option; both may be repeated."""
    (tmp_path / "m.fizz").write_text(GOOD)
    assert json.loads(fizzpy("check", "m.fizz", "--json", "--set", "LIMIT=2 + 5").out)["states"] == 8
    bounded = fizzpy("check", "m.fizz", "--json", "--option", "max_actions=1", "--option", "liveness=off")
    assert json.loads(bounded.out)["cut"] > 0


def test_property_selects(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`--property` checks the named assertions only; deadlock stays as the options say."""
    (tmp_path / "m.fizz").write_text(GOOD + "always assertion Wrong:\n    return n < 2\n")
    assert fizzpy("check", "m.fizz").code == 12
    assert fizzpy("check", "m.fizz", "--property", "Small").code == 0


def test_keep_going_shows_every_violation(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`--keep-going` explores everything and shows each violated property with its shortest counterexample."""
    (tmp_path / "m.fizz").write_text(
        GOOD + "always assertion Two:\n    return n < 2\nalways assertion Three:\n    return n < 3\n"
    )
    ended = fizzpy("check", "m.fizz", "--json", "--keep-going")
    report = json.loads(ended.out)
    assert report["states"] == 4
    assert {p["name"]: p["steps"] for p in report["properties"] if p["verdict"] == "violated"} == {"Two": 2, "Three": 3}
    printed = fizzpy("check", "m.fizz", "--keep-going").out
    assert "Two is violated" in printed
    assert "Three is violated" in printed


def test_max_states_cuts(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`--max-states` ends the search after the level at which so many states are known: nothing found, code 3."""
    (tmp_path / "m.fizz").write_text(GOOD.replace("LIMIT = 3", "LIMIT = 90"))
    ended = fizzpy("check", "m.fizz", "--max-states", "5")
    assert ended.code == 3
    assert "--max-states" in ended.out


def test_max_depth_cuts(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`--max-depth` ends the search after the level of this number, on every engine: nothing found, code 3."""
    (tmp_path / "m.fizz").write_text(GOOD.replace("LIMIT = 3", "LIMIT = 90"))
    for engine in ("embedded", "plain"):
        ended = fizzpy("check", "m.fizz", "--max-depth", "5", "--json", "--engine", engine)
        report = json.loads(ended.out)
        assert (ended.code, report["depth"], report["states"], report["cut"]) == (3, 5, 6, 1)
        assert (report["cut_by"], report["asked"]) == ("max_depth", {"max_depth": 5})
    assert "cut by --max-depth (1 state cut)" in fizzpy("check", "m.fizz", "--max-depth", "5").out
    assert fizzpy("check", "m.fizz", "--max-depth", "-1").code == 2


def test_the_limit_of_the_environment(
    fizzpy: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`FIZZPY_MEMORY_LIMIT` cuts a run as a bound does, with what to do about it; what is no number is refused."""
    (tmp_path / "m.fizz").write_text("action Init: n = 0\natomic action Up:\n    require n < 9\n    n += 1\n")
    monkeypatch.setenv("FIZZPY_MEMORY_LIMIT", "1")
    ended = fizzpy("check", "m.fizz", "--json")
    report = json.loads(ended.out)
    assert (ended.code, report["cut_by"], report["asked"]) == (3, "memory", {"memory": 1})
    assert "--checkpoint DIR" in fizzpy("check", "m.fizz").out
    for text in ("much", "9" * 5000):
        monkeypatch.setenv("FIZZPY_MEMORY_LIMIT", text)
        assert fizzpy("check", "m.fizz").code == 2


def test_stats(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`--stats` prints how often the interpreter was asked, and what the time was spent on."""
    (tmp_path / "m.fizz").write_text(GOOD)
    assert "interpreter calls" in fizzpy("check", "m.fizz", "--stats").out
    assert "stats" not in json.loads(fizzpy("check", "m.fizz", "--json").out)
    report = json.loads(fizzpy("check", str(TWO_PHASE), "--json", "--stats").out)
    spent = [seconds for name, seconds in report["stats"].items() if name.startswith("CPU s ")]
    assert len(spent) >= 4 and 0 < sum(spent) <= report["cpu_s"] + 0.01 * len(spent)


def test_stats_of_columns(fizzpy: Callable[..., object]) -> None:
    """The rates of each level follow from the counts."""
    ended = fizzpy("check", str(TWO_PHASE), "--set", "RMS=5", "--json", "--stats")
    stats = json.loads(ended.out)["stats"]
    missed = (1 - stats["hit rate of tables"]) * stats["looked up in tables"]
    assert 0 < missed < stats["walked through trees"] < stats["rule evaluations"]
    calls = (1 - stats["hit rate of trees"]) * stats["walked through trees"]
    assert abs(calls - stats["interpreter calls"]) < 0.0001 * stats["walked through trees"]
    assert stats["bits of a packing"] > stats["slots of a packing"] > 15
    assert "CPU s looking up outcomes" in stats


def test_json_of_a_model_that_does_not_parse(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """Standard output is one JSON object even then, and the message is on standard error."""
    (tmp_path / "m.fizz").write_text(GOOD.replace("n += 1", "n += cuonter"))
    ended = fizzpy("check", "m.fizz", "--json")
    report = json.loads(ended.out)
    assert (report["verdict"], report["exit_code"]) == ("error", 150)
    assert report["error"] == {
        "code": "L20",
        "file": "m.fizz",
        "line": 6,
        "column": 10,
        "text": "undefined name 'cuonter'",
        "hint": report["error"]["hint"],
    }
    assert "m.fizz:6:10" in ended.err


def test_a_file_here_wins_over_a_bundled_model(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """A bare name means the file in the current folder, else the model that comes with the tool."""
    assert fizzpy("check", "LostUpdate.fizz", "--quiet").code == 12
    (tmp_path / "LostUpdate.fizz").write_text(GOOD)
    assert fizzpy("check", "LostUpdate.fizz", "--quiet").code == 0


def test_parse_prints_the_tree(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """`fizzpy parse` names what it found, item by item."""
    (tmp_path / "m.fizz").write_text(GOOD)
    ended = fizzpy("parse", "m.fizz")
    assert ended.code == 0
    assert "Up" in ended.out
    assert "Small" in ended.out
