"""A search that was cut says what grows for ever; what toggles, turns or has come to its bound is not named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fizz
from checker.analysis.growth import growing
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.registry import engine_of
from interpreter import Machine, compile_module
from tests.spark.conftest import Stage, settings_for, stage

__all__ = ["stage"]

NO_CRASH = "---\noptions: {crash_on_yield: false}\ndeadlock_detection: false\n---\n"

GROWING = {
    "a counter": ("action Init: n = 0\natomic action Go: n += 1\n", ["n"]),
    "a counter downwards": ("action Init: n = 0\natomic action Go: n -= 2\n", ["n"]),
    "a float": ("action Init: n = 0.5\natomic action Go: n = n * 2\n", ["n"]),
    "a list": ("action Init: log = []\natomic action Go: log.append(1)\n", ["log"]),
    "a text": ("action Init: word = ''\natomic action Go: word += 'a'\n", ["word"]),
    "a set, and what counts its elements": (
        "action Init: seen, n = set(), 0\natomic action Go:\n    seen.add(n)\n    n += 1\n",
        ["n", "seen"],
    ),
    "inside a dict": ("action Init: d = {'a': {'b': [0]}}\natomic action Go: d['a']['b'][0] += 1\n", ["d"]),
    "shared": ("action Init:\n    a = []\n    b = a\natomic action Go: b.append(1)\n", ["a", "b"]),
    "several steps each": (
        "action Init: n, at = 0, 0\nfunc serve():\n    n += 1\n    at = 1\n    at = 2\natomic action Go:\n"
        "    require at != 1\n    serve()\n",
        ["n"],
    ),
    "one of two, the other saturates": (
        "action Init: n, few = 0, 0\natomic action Go: n += 1\natomic action Add:\n    require few < 9\n    few += 1\n",
        ["n"],
    ),
    "two, each by itself": (
        "action Init: a, b = 0, []\natomic action Go: a += 1\natomic action Add: b.append(0)\n",
        ["a", "b"],
    ),
    "a field of all instances": (
        "role Node:\n    action Init: self.log = []\n    atomic action Add: self.log.append(0)\n"
        "action Init: nodes = [Node(), Node()]\n",
        ["Node.log"],
    ),
    "instances": (
        "role Node:\n    action Init: self.on = True\naction Init: nodes = []\n"
        "atomic action Add: nodes.append(Node())\n",
        ["nodes", "Node"],
    ),
    "messages": (
        "Net = Channel()\nrole Sink:\n    action Init: self.x = 0\n"
        "    func put(v):\n        require False\n        self.x = v\n"
        "action Init:\n    sink = Sink()\n    out = Net.stub(sink)\natomic action Send: out.put(1)\n",
        [],
    ),
}

BOUNDED = """
action Init: board, on, at, few = [0, 1, 2, 3, 4, 5], False, 0, 0
atomic action Swap:
    i = oneof range(5)
    j = board[i]
    board[i] = board[i + 1]
    board[i + 1] = j
    on = not on
    at = (at + 1) % 5
    few = min(few + 1, 7)
"""


def settings_of(engine: str, **limits: int) -> Settings:
    more = {"limits": Limits(**limits)}
    return settings_for(2, **more) if engine == "partitions" else Settings(**more)  # type: ignore[arg-type]


def growth_warnings(text: str, engine: str, options: dict[str, str], **limits: int) -> list[str]:
    """What is said to grow, as it is said."""
    program = compile_module(fizz.load("m.fizz", text=text, options=options))
    made = {"rows": EmbeddedEngine(10**9), "columns": EmbeddedEngine(1)}.get(engine)
    name = "spark" if engine == "partitions" else engine
    found = explore(made or engine_of(name), program, properties_of(program, None), settings_of(engine, **limits))
    assert found.bounded
    return [warning.text for warning in growing(Machine(program, found.reduced), found)]


def test_the_hint_is_true_of_what_has_a_bound() -> None:
    """A number that the model bounds further on than the search went: a greater bound is one of the ways out."""
    text = "action Init: x = 0\natomic action A: x = (x + 1) % 400\n"
    small, large = (check(fizz.load("m.fizz", text=text, options={"max_actions": most})) for most in ("100", "1000"))
    hints = [warning.hint or "" for warning in small.warnings if warning.code == "W20"]
    assert len(hints) == 1 and "raise the bound of the search until it is met" in hints[0]
    assert large.exit_code == 0 and not [warning for warning in large.warnings if warning.code == "W20"]


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("bound", ["max_actions", "depth", "states"])
def test_what_grows_is_named(name: str, bound: str) -> None:
    """Whatever cuts the search, the names are those of the variables and fields; threads and messages have words."""
    text, names = GROWING[name]
    options = {} if bound == "max_actions" else {"max_actions": "1000"}
    limits = {} if bound == "max_actions" else {"depth": 80} if bound == "depth" else {"states": 2000}
    if bound == "states" and (name == "instances" or "Add" not in text):
        limits = {"states": 60}
    (said,) = growth_warnings(NO_CRASH + text, "embedded", options, **limits)
    assert re.findall("`(.*?)`", said) == names
    assert said.endswith((" grow on every level", " grows on every level"))
    assert name != "messages" or said == "the messages grow on every level"


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("engine", ["plain", "rows", "columns", "partitions"])
def test_engines_agree(name: str, engine: str, stage: Stage) -> None:
    """The path on which it is seen is the same for all, so the sentence is."""
    text = NO_CRASH + GROWING[name][0]
    assert (
        growth_warnings(text, engine, {"max_actions": "14"})
        == growth_warnings(text, "plain", {"max_actions": "14"})
        != []
    )


def test_what_is_bounded_is_not_named() -> None:
    """New values are no growth: a permutation, a flag, a ring and what has come to its bound are not named."""
    assert growth_warnings(NO_CRASH + BOUNDED, "embedded", {"max_actions": "14"}) == []


def test_what_is_excluded_is_not_named() -> None:
    """A variable that is left out of the identity makes no states, however it grows."""
    text = NO_CRASH.replace("---\n", "---\nidentity: {exclude: [log]}\n", 1)
    text += "action Init: n, log = 0, 0\natomic action Go:\n    n += 1\n    log -= 1\n"
    assert growth_warnings(text, "embedded", {}) == ["`n` grows on every level"]


def test_short_searches_say_nothing() -> None:
    """Seven levels are no evidence; eight are."""
    text = NO_CRASH + GROWING["a counter"][0]
    assert growth_warnings(text, "embedded", {}, depth=7) == []
    assert growth_warnings(text, "embedded", {}, depth=8) == ["`n` grows on every level"]


def test_a_search_that_ends_says_nothing() -> None:
    """Nothing was cut, so everything is bounded."""
    text = NO_CRASH + "action Init: n = 0\natomic action Go:\n    require n < 60\n    n += 1\n"
    assert [w.code for w in check(fizz.load("m.fizz", text=text)).warnings] == []


def test_resumed_runs_say_the_same(tmp_path: Path) -> None:
    """What was found before counts, also where there is only to judge."""
    path = tmp_path / "m.fizz"
    path.write_text(NO_CRASH + GROWING["two, each by itself"][0])
    first = check(path, settings=Settings(limits=Limits(states=300)))
    kept = str(tmp_path / "c")
    check(path, settings=Settings(limits=Limits(states=100), checkpoint=kept, checkpoint_every_s=0))
    resumed = check(path, settings=Settings(limits=Limits(states=300), resume=kept))
    again = check(path, settings=Settings(limits=Limits(states=300), resume=kept))
    said = [[w.text for w in report.warnings if w.code == "W20"] for report in (first, resumed, again)]
    assert said[0] == said[1] == said[2] == [["`a`, `b` grow on every level"]][0]
