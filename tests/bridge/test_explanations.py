"""`--explanations`: assertions judged on all explanations of a log, compared with all of them one by one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest

import fizz
from checker.conformance import validate_log as module
from checker.conformance.event_map import read_map
from checker.conformance.event_sources import EventCounts, log_events
from checker.conformance.log_groups import LogGroup
from checker.conformance.log_model import LogModel
from checker.conformance.validate_log import validate_logs
from interpreter import State, compile_module
from tests.bridge.conftest import Ended, Write

Run = Callable[..., Ended]
MODEL = """\
action Init:
    x, y = 0, 0

atomic action Up:
    n = oneof [1, 2]
    require x + n < 6
    x += n

atomic action Tick:
    require y < 3
    y += 1

atomic action Back:
    require y > 0
    y -= 1

always assertion Small: return x < 4
always assertion Even: return x != 3
always assertion Still: return y < 2
transition assertion Slow: return after.x - before.x < 2
"""
MAP = """\
order: file
silent: {steps: [Tick, Back], most: 2}
events: {up: {action: Up, after: {x: "x?"}}, seen: {observe: "", before: {y: "y?", x: "x?"}}}
"""
SILENT = 2


@pytest.fixture
def model(write: Write) -> str:
    return write("m.fizz", MODEL)


def explanations(
    at: LogModel, events: list[object], state: State, said: frozenset[str], silent: int
) -> Iterator[frozenset[str]]:
    """What each explanation violates, one by one."""
    judged, fit = at.judged, at.fit
    if not events:
        yield said
        return
    for step in fit.moves(state, events[0]):
        target = state if step is None else step.target
        yield from explanations(at, events[1:], target, said | set(judged.violated(state, step, target)), 0)
    if silent < SILENT:
        for step in fit.silent_steps(state):
            names = set(judged.violated(state, step, step.target))
            yield from explanations(at, events, step.target, said | names, silent + 1)


@pytest.mark.parametrize("seed", range(10))
def test_all_explanations(model: str, write: Write, seed: int) -> None:
    """What every one violates, and what some do, is what it is one by one."""
    draw = random.Random(seed)
    events: list[dict[str, object]] = []
    for _ in range(draw.randrange(1, 4)):
        events.append({"event": "up"} | ({"x": draw.randrange(1, 6)} if draw.random() < 0.5 else {}))
        if draw.random() < 0.4:
            events.append({"event": "seen", "y": draw.randrange(3)})
    log, path = write("a.ndjson", events), write("map.yaml", MAP)
    found = validate_logs(model, [log], path, explanations="every").runs[0]
    event_map = read_map(path)
    at = LogModel(compile_module(fizz.load(model)), event_map.silent)
    observed = list(log_events(LogGroup((log,)), event_map, EventCounts()))
    each = [one for state in at.beginnings for one in explanations(at, observed, state, frozenset(), 0)]
    assert (found.verdict == "accepted") == bool(each)
    if each:
        every, some = frozenset.intersection(*each), frozenset[str]().union(*each)
        found_on = {one.name: one.on for one in found.judged}
        assert found_on.keys() == some
        assert {name for name, on in found_on.items() if on in ("every", "found")} == every


def test_both_readings(model: str, write: Write, fizzpy: Run) -> None:
    """Code 12 if every explanation violates an assertion, or if some does."""
    path = write("map.yaml", MAP.replace("silent: {steps: [Tick, Back], most: 2}\n", ""))
    log = write("a.ndjson", [{"event": "up"}, {"event": "up", "x": 3}])
    arguments = ["validate", model, log, "--map", path]
    every = fizzpy(*arguments, "--explanations", "every")
    assert every.code == 12 and "Even is violated on every explanation" in every.out
    assert "Slow is violated on every explanation" in every.out and "on all explanations" in every.out
    loose = write("b.ndjson", [{"event": "up"}, {"event": "up"}])
    arguments[2] = loose
    some = fizzpy(*arguments, "--explanations", "some")
    assert some.code == 12 and "Even is violated on some explanation, but not on every one" in some.out
    assert fizzpy(*arguments, "--explanations", "every").code == 0
    assert fizzpy(*arguments).code == 0


def test_a_bound_leaves_it_open(model: str, write: Write, fizzpy: Run) -> None:
    """Code 3 where a bound ends the look at all explanations, unless one that is known decides."""
    path = write("map.yaml", MAP.replace("most: 2", "most: 1"))
    log = write("a.ndjson", [{"event": "up", "x": 1}] + [{"event": "up"}] * 2)
    open_ = fizzpy("validate", model, log, "--map", path, "--explanations", "every")
    assert open_.code == 3 and "a bound ended" in open_.out, open_.out
    assert fizzpy("validate", model, log, "--map", path, "--explanations", "some").code == 12
    few = fizzpy("validate", model, log, "--map", path, "--explanations", "every", "--most", "9")
    assert few.code == 3


def test_a_long_log_in_new_machines(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one state is left it goes on in a new machine."""
    text = "action Init: x, up = 0, 0\natomic action Up:\n    up = oneof [0, 1]\n    x += 1\n"
    model = write("m.fizz", text + "always assertion Low: return up == 0\nalways assertion Short: return x < 1500\n")
    path = write("map.yaml", "order: file\nevents: {up: {action: Up, after: {up: 'up?'}}}\n")
    log = write("a.ndjson", [{"event": "up"} | ({"up": 0} if n % 2 else {}) for n in range(1600)])
    monkeypatch.setattr(module, "LogModel", partial(LogModel, most_parts=1))
    (run,) = validate_logs(model, [log], path, explanations="every").runs
    assert {(one.name, one.on) for one in run.judged} == {("Low", "some"), ("Short", "every")}
    assert run.looked_at == "all"
