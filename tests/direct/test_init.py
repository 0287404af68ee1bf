"""Init as a function of Python, compared with the interpreter: it is run so where there are many initial states."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.search.rows.first_states import FEW
from interpreter import Machine, compile_module
from interpreter.direct.rules import DirectRules
from interpreter.initial_states import beginnings_of, init_rule
from interpreter.state.step import Failure, InitialState, Outcome
from tests.interpreter.test_branching import HEAD, INITS
from tests.stats import stat

DONE = {
    "choices": "a = oneof range(4)\nb = oneof [a, 7]\nc = [a, b]",
    "read after it was assigned": "a = oneof [1, 2]\nb = a + 1\na += b\nc = [a]\nc[0] = b\nc.append(a)",
    "in one branch": "a = oneof [0, 1]\nb = 5\nif a:\n    b = 6\nelse:\n    c = 1\nd = b",
    "in both branches": "a = oneof [0, 1]\nif a:\n    b = 6\nelse:\n    b = [1]\nd = b == 6",
    "a name of its own": "n = oneof [1, 2]\nboth = [n, n]\nxs = [list(both), list(both)]",
    "a condition": "a = oneof range(5)\nrequire a % 2 == 0\nb = {a: [a]}",
    "collected": "a = oneof range(3)\nxs = []\nfor i in range(4):\n    xs.append(i * a)\ns = set(xs)",
    "nothing done": "a = oneof [1, 2]\npass",
}
"""Bodies that a function does."""
LEFT = {
    "in one branch, read": "a = oneof [0, 1]\nif a:\n    b = 6\nc = b",
    "read in a loop before": "a = oneof [0, 1]\nfor i in range(2):\n    if i:\n        a = b\n    b = i",
    "read before": "a = oneof [0, 1]\nc = b if a else 1\nb = 2",
    "never assigned": "a = oneof [0, 1]\nif a > 1:\n    b = 1\nc = a if a < 2 else b",
    "two names of one list": "a = oneof [[1], [2]]\nb = a\nb.append(3)",
    "two variables with one list": "k = oneof [1, 2]\na = [k]\nb = a",
    "a list in two lists": "k = oneof [1, 2]\na = [k]\nb = [a, a]\nb[0].append(9)",
    "changed through another": "k = oneof [1, 2]\na = [[k]]\nb = a[0]\nb.append(9)",
    "the least of two lists": "w = oneof [1, 2]\na = [[w], [3]]\nb = min(a)",
    "the greatest of two arguments": "w = oneof [1, 2]\na = [[w], [3]]\nb = max(a[0], a[1])",
    "the greatest, changed": "w = oneof [1, 2]\nb = [[1], [w]]\nc = max(b)\nc.append(8)",
    "a failure in one": "a = oneof [1, 0]\nb = 1 // a",
}
"""Bodies of which some are the interpreter's."""


def machine_for(body: str) -> Machine:
    """A machine of a model with this Init."""
    indented = "\n".join("    " + line for line in body.split("\n"))
    return Machine(compile_module(fizz.load("m.fizz", text=f"{HEAD}{indented}\n")))


def shown(one: InitialState | Failure) -> object:
    """What is compared: the function gives no lines."""
    if isinstance(one, Failure):
        return one.error.code, str(one.error), one.forks
    outcome = one.outcome
    return one.state, one.forks, outcome.choices, outcome.labels, outcome.fair, outcome.returns


def compare(body: str) -> int | None:
    """The number of initial states; None if a function does not make them. Raises if they are others."""
    machine = machine_for(body)
    wanted = list(map(shown, machine.beginnings()))
    results = DirectRules(machine).results(init_rule(machine), machine.transitions.empty)
    if results is None:
        return None
    assert list(map(shown, beginnings_of(machine, results))) == wanted
    return len(wanted)


@pytest.mark.parametrize("body", DONE.values(), ids=DONE)
def test_done_by_a_function(body: str) -> None:
    """It gives what the interpreter gives."""
    assert (compare(body) or 0) > 1


@pytest.mark.parametrize("body", [*LEFT.values(), *INITS.values()], ids=[*LEFT, *INITS])
def test_given_up_or_the_same(body: str) -> None:
    """Whoever runs it."""
    compare(body)


@pytest.mark.parametrize("name", ["in one branch, read", "read before", "a failure in one"])
def test_no_value_is_the_interpreters(name: str) -> None:
    """A variable without a value is an error, with a place."""
    assert compare(LEFT[name]) is None


def test_each_path_has_a_budget_of_its_own() -> None:
    """Together they spend more than one step may."""
    body = "a = oneof range(60)\nb = oneof range(60)\nrequire a <= b\nd = {i: (0 if i < a else 1) for i in range(200)}"
    made_of = {"range(200)": 60 * 61 // 2, "range(60_000)": None}
    for elements, wanted in made_of.items():
        machine = machine_for(body.replace("range(200)", elements))
        results = DirectRules(machine).results(init_rule(machine), machine.transitions.empty)
        made = None if results is None else sum(isinstance(one, Outcome) for one in results)
        assert made == wanted


def test_many_initial_states_are_made_by_a_function() -> None:
    """They are those of the plain engine; so is a failure after many."""
    text = "action Init:\n    a = oneof range(12)\n    b = oneof range(12)\n    c = {}\natomic action Go:\n    a = 0\n"
    for model, done in ((text, 1), (text.replace("{}", "1 // (121 - a * b)"), 0)):
        module = fizz.load("m.fizz", text=model)
        found, plain = check(module, settings=Settings(stats=True)), check(module, engine="plain")
        assert (found.verdict, found.states, found.error) == (plain.verdict, plain.states, plain.error)
        assert found.initial == plain.initial > FEW and found.properties == plain.properties
        assert stat(found, "run directly") == done
