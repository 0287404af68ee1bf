"""What is known of the order of events of several processes, and what is said where they do not fit."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from checker.conformance.event_map import ByTime, EventMap, EventOrder, Silent
from checker.conformance.event_sources import EventCounts, by_process
from checker.conformance.log_files import Place
from checker.conformance.observed_event import NO_VALUE, Observed
from checker.conformance.validate_log import validate_logs
from tests.bridge.conftest import Ended, Write

Run = Callable[..., Ended]
RELAY = """\
action Init:
    given = 0
    taken = 0
    lost = 0

atomic action Give:
    given += 1

atomic action Take:
    n = oneof [1, 2]
    require taken + n <= given
    taken += n

atomic action Lose:
    require taken < given
    lost += 1
"""
RELAY_MAP = """\
process: who
ORDER
instances: {a: null, b: null, c: null}
events:
  give: {action: Give, after: {given: total}}
  take: {action: Take, choices: {n: n}, after: {taken: total}}
  lose: {action: Lose}
"""


def _map(order: str = "") -> str:
    return RELAY_MAP.replace("ORDER\n", f"order: {order}\n" if order else "")


def _give(total: int, **more: object) -> dict[str, Any]:
    return {"event": "give", "who": "a", "total": total, **more}


def _take(n: int, total: int, **more: object) -> dict[str, Any]:
    return {"event": "take", "who": "b", "n": n, "total": total, **more}


def _verdict(write: Write, order: str, log: list[dict[str, Any]]) -> str:
    return validate_logs(write("relay.fizz", RELAY), [write("a.ndjson", log)], write("m.yaml", _map(order))).verdict


@pytest.mark.parametrize("seed", range(20))
def test_clocks_that_go_back(seed: int) -> None:
    """An event is after all of another process that are earlier by more than the skew, and after those before them."""
    draw = random.Random(seed)
    lists = {who: [draw.uniform(0, 3) for _ in range(5)] for who in "ab"}
    event_map = EventMap("m", None, "e", None, {}, EventOrder(time=ByTime("t", 0.5)), Silent(), frozenset(), {})
    events = [
        Observed(Place(who, n), "e", who, None, None, None, None, (), (), (), NO_VALUE, {"t": time})
        for who, times in lists.items()
        for n, time in enumerate(times)
    ]
    names, ordered = by_process(iter(events), event_map, EventCounts())
    for (mine, own), (other, theirs) in itertools.permutations(enumerate(lists.values()), 2):
        assert names == ["a", "b"]
        for one, time in zip(ordered[mine], own, strict=True):
            before = [n for n, their in enumerate(theirs, 1) if their < time - 0.5]
            assert dict(one.needs).get(other, 0) == max(before, default=0)


def test_a_message_that_is_sent_again(write: Write) -> None:
    """It may be received after it was sent first."""
    order = "{messages: {send: out, receive: in}}"
    log = [_take(1, 1, **{"in": "m"}), _give(1, out="m"), _give(2, out="m"), {"event": "lose", "who": "a"}]
    assert _verdict(write, order, log) == "accepted"


def test_a_message_of_two_senders(write: Write, fizzpy: Run) -> None:
    """Then it is not known after which one it was received."""
    log = [_give(1, out="m", **{"in": "x"}), _give(2, out="m") | {"who": "c"}]
    model, order = write("relay.fizz", RELAY), "{messages: {send: out, receive: in}}"
    ended = fizzpy("validate", model, write("a.ndjson", log), "--map", write("m.yaml", _map(order)))
    assert ended.code == 2 and 'a.ndjson:2: the message "m" is sent by two processes' in ended.err


def test_receives_whose_send_is_in_no_log(write: Write, fizzpy: Run) -> None:
    """They are counted in the report: nothing is known to be before them. A field that is null is no message."""
    order = "{messages: {send: out, receive: in}}"
    log = [
        _give(1, out="m", **{"in": None}),
        _give(2, out=None, **{"in": "gone"}),
        _take(1, 1, out=None, **{"in": "m"}),
        _take(1, 2, **{"in": "lost"}),
    ]
    given = ("validate", write("r.fizz", RELAY), write("a.ndjson", log), "--map", write("m.yaml", _map(order)))
    ended = fizzpy(*given)
    assert ended.code == 0 and "2 receives whose send is in no log: their order is free" in ended.out
    assert json.loads(fizzpy(*given, "--json").out)["runs"][0]["unsent"] == 2
    for name, known in (("b.ndjson", [log[0], log[2]]), ("c.ndjson", log[:2])):
        ended = fizzpy(*given[:2], write(name, known), *given[3:])
        assert ended.code == 0 and "send is in no log" not in ended.out


def test_an_order_that_orders_nothing(write: Write, fizzpy: Run) -> None:
    """A field of the order that no event has is a mistake in the map; so is a clock of another type."""
    model, log = write("relay.fizz", RELAY), write("a.ndjson", [_give(1, out="m", clock={"a": "x"})])
    ended = fizzpy("validate", model, log, "--map", write("m.yaml", _map("{messages: {send: out, receive: inn}}")))
    assert ended.code == 2 and "no event has the field 'inn'" in ended.err
    ended = fizzpy("validate", model, log, "--map", write("m.yaml", _map("{clock: clock}")))
    assert ended.code == 2 and "a.ndjson:1: the clock of 'a' is" in ended.err


def test_vector_clocks_order_long_logs(write: Write) -> None:
    """What a clock has seen is looked up, not counted anew for each event; a circle of clocks has no order."""

    def log(number: int) -> list[dict[str, Any]]:
        turns = range(1, number + 1)
        return [event for n in turns for event in (_give(n, vc={"a": n}), _take(1, n, vc={"a": n, "b": n}))]

    assert _verdict(write, "{clock: vc}", log(3_000)) == "accepted"
    circle = log(3)
    circle[-2]["vc"] = {"a": 3, "b": 3}
    assert _verdict(write, "{clock: vc}", circle) == "rejected"


def test_the_event_that_is_wrong_is_shown_first(write: Write, fizzpy: Run) -> None:
    """Others wait for it: in one log it is the first, in several the one whose step is possible but for its values."""
    model, mapped = write("relay.fizz", RELAY), write("m.yaml", _map())
    waits, wrong = [{"event": "lose", "who": "c"}], [_give(7)]
    log = write("a.ndjson", [_give(1) | {"who": "c"}, _take(1, 1), *wrong, *waits])
    ended = fizzpy("validate", model, log, "--map", mapped, "--quiet")
    assert ended.code == 14 and "a.ndjson:3, give{given: 7}" in ended.out.replace("\n  ", " ")
    ended = fizzpy("validate", model, write("c.ndjson", waits), write("b.ndjson", wrong), "--map", mapped, "--quiet")
    assert ended.code == 14 and "b.ndjson:1, give{given: 7}" in ended.out.replace("\n  ", " ")


def test_a_choice_that_is_there_is_not_why(write: Write, fizzpy: Run) -> None:
    """If what an event chooses can be chosen, the guard that is false then is told, not the other alternatives."""
    log, mapped = write("a.ndjson", [_take(2, 2)]), write("m.yaml", _map())
    ended = fizzpy("validate", write("relay.fizz", RELAY), log, "--map", mapped)
    assert "Take has no step: taken + n <= given" in ended.out and "n may be" not in ended.out
    ended = fizzpy("validate", write("relay.fizz", RELAY), write("b.ndjson", [_take(3, 3)]), "--map", mapped)
    assert "Take: n may be 2, not 3" in ended.out


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("choices: {m: n}", "m.yaml:5: no action of the model chooses 'm' (event 'take')"),
        ("choices: {yes: n}", "m.yaml:5: a name in 'choices' of the event 'take' is True, which is no text"),
        ("before: {on: n}", "m.yaml:5: a name in 'before' of the event 'take' is True, which is no text"),
    ],
)
def test_maps_of_choices_that_are_none(write: Write, fizzpy: Run, wrong: str, said: str) -> None:
    """A choice that no action makes would reject every log; `yes` in YAML is no word."""
    text = _map().replace("choices: {n: n}", wrong)
    ended = fizzpy(
        "validate", write("relay.fizz", RELAY), write("a.ndjson", [_give(1)]), "--map", write("m.yaml", text)
    )
    assert ended.code == 2 and said in ended.err, ended.err
