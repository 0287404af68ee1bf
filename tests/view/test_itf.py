"""ITF traces: every kind of value, lassos without their repeated end, names that do not collide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.report.itf import ItfTrace, itf_text
from checker.tui.opened.retrace import follow
from fizz import load
from interpreter import Machine, compile_module
from interpreter.explain.contents import contents
from tests.view.outputs import CRASHES, CYCLE, VALUES


def itf(text: str, folder: Path) -> dict[str, Any]:
    (folder / "m.fizz").write_text(text)
    report = check(folder / "m.fizz")
    assert report.trace is not None
    machine = Machine(compile_module(load(folder / "m.fizz")))
    states = follow(machine, report.trace).states
    found_itf = ItfTrace(report.model, "why", report.trace, [contents(machine, state) for state in states])
    found: dict[str, Any] = json.loads(itf_text(found_itf))
    return found


def test_values(tmp_path: Path) -> None:
    """What JSON has not is written in the forms of the format."""
    first, second = itf(VALUES, tmp_path)["states"]
    assert first.pop("#meta") == {"index": 0}
    assert (first["_action"], second["_action"], second["small"]) == ("Init", "Go", 8)
    assert {name: value for name, value in first.items() if not name.startswith("_")} == {
        "small": 7,
        "big": {"#bigint": "1180591620717411303424"},
        "negative": -3,
        "yes": True,
        "nothing": {"tag": "None", "value": {"#tup": []}},
        "word": 'a"b\u2028',
        "pair": {"#tup": [1, "x"]},
        "items": [1, {"#tup": [2]}],
        "unique": {"#set": [3, 4]},
        "table": {"#map": [[2, {"tag": "None", "value": {"#tup": []}}], ["k", [1]]]},
        "rec": {"x": 1, "y": [True]},
        "many": {"#map": [[1, 2], [2, 1]]},
        "half": {"#unserializable": "0.5"},
        "raw": {"#unserializable": 'b"\\x00"'},
        "span": [1, 2, 3],
    }


def test_every_state_has_every_variable(tmp_path: Path) -> None:
    """`vars` are the keys of each state; roles are maps of their instances, threads and messages lists of texts."""
    found_itf = itf(CRASHES, tmp_path)
    assert found_itf["#meta"]["format"] == "ITF"
    assert "loop" not in found_itf
    for index, state in enumerate(found_itf["states"]):
        assert set(state) == {"#meta", *found_itf["vars"]}
        assert state["#meta"] == {"index": index}
    assert found_itf["states"][0]["nodes"] == ["Node#0", "Node#1"]
    assert found_itf["states"][0]["Node"] == {
        "#map": [["Node#0", {"got": 0, "log": []}], ["Node#1", {"got": 0, "log": []}]]
    }
    assert any(state["_threads"] for state in found_itf["states"])


def test_lassos(tmp_path: Path) -> None:
    """`loop` is the state that comes after the last one; it is not repeated."""
    found_itf = itf(CYCLE, tmp_path)
    assert [state["n"] for state in found_itf["states"]] == [0, 1, 2]
    assert (found_itf["loop"], found_itf["#meta"]["loop-action"]) == (0, "Up")
    stays = itf(CYCLE.replace("fair ", ""), tmp_path)
    assert (len(stays["states"]), stays["loop"]) == (1, 0)


@pytest.mark.parametrize("name", ["_action", "_threads"])
def test_names_of_the_model_come_first(name: str, tmp_path: Path) -> None:
    """A state variable keeps its name; ours then has another."""
    found_itf = itf(
        f"action Init: {name} = 5\natomic action A: {name} = 6\nalways assertion P:\n    return {name} == 5\n", tmp_path
    )
    assert [state[name] for state in found_itf["states"]] == [5, 6]
    assert f"_{name}" in found_itf["vars"]
