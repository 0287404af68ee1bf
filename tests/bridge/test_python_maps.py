"""Maps in Python: what a function of the user's returns or raises is told at the event, with the line of the map."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.bridge.conftest import Ended, Write
from tests.bridge.test_validate import ELECTION, campaign, vote

Run = Callable[..., Ended]

NAMES = '{"n1": "Node#0", "n2": "Node#1"}'
VOTE = '{"action": "Node.Vote", "instance": "Node#1", "choices": {"candidate": "Node#0"}, '
WRONG = {
    "raises": ("raise KeyError('x')", "a.ndjson:1: map_event() of m.py fails: KeyError: 'x' (line 3)"),
    "exits at once": ("raise X('end')", "a.ndjson:1: map_event() of m.py fails: X: end (line 3)"),
    "has no text": ("raise Mute()", "map_event() of m.py fails: Mute: (its text can not be made: ValueError) (line 3)"),
    "endless": ("return map_event(event)", "m.py fails: RecursionError"),
    "generator": ("yield {}", "a.ndjson:1: map_event() of m.py returned generator"),
    "text": ("return 'Node.Vote'", "a.ndjson:1: map_event() of m.py returned str"),
    "no rule": ("return []", "a.ndjson:1: map_event() of m.py returned an empty list"),
    "no action": ("return {}", "a.ndjson:1: what map_event() of m.py returned names no action"),
    "no name": ("return {'action': 5}", "what map_event() of m.py returned names no action"),
    "no key": ("return {1: 2}", "a.ndjson:1: no key '1' in what map_event() of m.py returned"),
    "unknown action": (
        "return {'action': 'Node.Vot'}",
        "the model has no action 'Node.Vot' (from map_event() of m.py)",
    ),
    "unknown role": ("return {'crash': 'Nod'}", "the model has no role 'Nod' (from map_event() of m.py)"),
    "unknown field": (f"return {VOTE}'after': {{'trem': 1}}}}", "the model has no field or state variable 'trem'"),
    "unknown choice": ("return {'action': 'Node.Vote', 'choices': {'x': 1}}", "no action of the model chooses 'x'"),
    "unknown label": (f"return {VOTE}'label': 'here'}}", "the model has no label 'here' (from map_event() of m.py)"),
    "no instance": ("return {'action': 'Node.Vote', 'instance': 0}", "a.ndjson:1: '0' is no role instance"),
    "absent": ("return {'action': 'Node.Vote', 'instance': 'Node#9'}", "a.ndjson:1: no state of the model has an inst"),
    "object": (f"return {VOTE}'after': {{'term': object()}}}}", "map_event() of m.py returned in 'after' a object"),
    "iterator": (f"return {VOTE}'before': {{'term': iter(int, 1)}}}}", "in 'before' a callable_iterator"),
    "function": (f"return {VOTE}'returns': print}}", "returned in 'returns' a builtin_function_or_method"),
    "circle": (f"return {VOTE}'after': {{'term': CIRCLE}}}}", "in 'after' a value that is nested too deep"),
}
BEFORE = """\
{}def map_event(event):
    {}

class X(BaseException): pass
class Mute(Exception):
    def __str__(self): raise ValueError
CIRCLE = []
CIRCLE.append(CIRCLE)
"""


@pytest.fixture
def validate(write: Write, fizzpy: Run) -> Run:
    """Validate two events of an election by a map in Python, in its folder."""
    write("e.fizz", ELECTION)
    write("a.ndjson", [campaign("n1", 1), vote("n2", "n1", 1)])

    def run(text: str, *options: str) -> Ended:
        write("m.py", text)
        return fizzpy("validate", "e.fizz", "a.ndjson", "--map", "m.py", *options)

    return run


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_at_the_event(validate: Run, name: str) -> None:
    """With code 2: nothing of it is taken for something else, and nothing is an error of the tool."""
    body, said = WRONG[name]
    ended = validate(BEFORE.format("\n", body))
    assert ended.code == 2 and said in " ".join(ended.err.split()), ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def map_event(e)\n", "m.py fails: SyntaxError: expected ':' (m.py, line 1)"),
        ("\nimport nothere\n", "m.py fails: ModuleNotFoundError: No module named 'nothere' (line 2)"),
        ("map_event = 5\n", "m.py has no function map_event"),
        ("MAP = []\ndef map_event(event): pass\n", "MAP in m.py is no dict"),
        ("def map_event(): pass\n", "a.ndjson:1: map_event() of m.py fails: TypeError: map_event() takes 0"),
        ("async def map_event(event): pass\n", "a.ndjson:1: map_event() of m.py returned coroutine"),
    ],
)
def test_modules_that_are_no_maps(validate: Run, text: str, said: str) -> None:
    """A sentence, and code 2."""
    ended = validate(text)
    assert ended.code == 2 and said in " ".join(ended.err.split()), ended.err


def test_what_a_map_prints_is_no_report(validate: Run) -> None:
    """It goes to the other stream; tuples and sets are lists."""
    body = f"""\
print("seen")
    who = {NAMES}[event["node"]]
    if event["event"] == "campaign":
        return {{"action": "Node.Campaign", "instance": who, "after": {{"nodes": ("Node#0", "Node#1", "Node#2")}}}}
    return {{"action": "Node.Vote", "instance": who, "choices": {{"candidate": {NAMES}[event["for"]]}}}}
"""
    ended = validate(BEFORE.format("print('read')\n", body), "--json")
    assert ended.code == 0 and json.loads(ended.out)["verdict"] == "accepted"
    assert ended.err.split() == ["read", "seen", "seen"]
