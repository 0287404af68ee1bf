"""What the functions of `fizzpy` return: one line as text, true or false, a page for notebooks, tables and graphs."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable

import pytest

import fizzpy
from checker.core.python_values import ModelName, python_value
from tests.view.test_html import Page

LOST = """\
---
options: {max_actions: 3, crash_on_yield: false}
deadlock_detection: false
---
action Init:
    counter, done = 0, {"n": set([])}
action Increment:
    seen = counter
    counter = seen + 1
    done["n"].add(seen)
always assertion Kept:
    return counter >= len(done["n"])
always assertion Small:
    return counter < 2
"""
FINE = "action Init: n = 0\natomic action Turn:\n    n = 1 - n\nalways assertion Small:\n    return n < 2\n"


def test_a_report_is_one_line_and_false_if_it_failed() -> None:
    """Its text says what is violated; it is true only if every property holds on all states."""
    report = fizzpy.check(source=LOST)
    assert repr(report) == f"<Report source.fizz: failed, Small violated in 4 steps, {report.states} states>"
    assert not report
    assert fizzpy.check(source=FINE)
    assert not fizzpy.check(source=LOST.replace("counter < 2", "True")), "it was bounded"
    assert repr(report.trace).startswith("<Trace of 4 steps: Increment, ")


@pytest.mark.parametrize(
    "ask", [fizzpy.check, fizzpy.simulate, fizzpy.trace, fizzpy.explain, fizzpy.coverage], ids=lambda ask: ask.__name__
)
def test_all_answers_are_alike(ask: Callable[..., object]) -> None:
    """One line, true or false, a part of a page without scripts, a graph."""
    for text in (LOST, FINE):
        answer = ask(source=text)
        assert isinstance(answer, fizzpy.ModelResult)
        assert len(repr(answer).splitlines()) == 1 and len(repr(answer)) < 120
        assert isinstance(bool(answer), bool)
        assert "source.fizz" in repr(answer)
        page = Page(answer._repr_html_())
        assert page.tags.count("div") > 0
        assert len(answer.graph()) > 1


def test_notebooks_show_the_counterexample() -> None:
    """Steps unfold, and the sequence diagram is there; two answers in a notebook do not disturb each other."""
    first = fizzpy.check(source=LOST, keep_going=True)._repr_html_()
    page = Page(first)
    assert "details" in page.tags and "svg" in page.tags
    assert "counter" in page.text and "Small is violated" in page.text
    assert ".fizzpy {" in first and "\nbody {" not in first


def test_values_are_those_of_python() -> None:
    """A state of a trace has numbers, sets and dicts; a change has the values before and after."""
    trace = fizzpy.check(source=LOST).trace
    assert trace is not None
    last = trace.entries[-1]
    assert last.values["counter"] == 2
    assert isinstance(trace.entries[0].values["done"], dict)
    changes = [change for entry in trace.entries[1:] for change in entry.changes if change.place == "counter"]
    assert (changes[-1].before, changes[-1].after) == (1, 2)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("None", None),
        ("-3", -3),
        ("1.5e3", 1500.0),
        ("-inf", float("-inf")),
        ('"a\\n\\u2028\\"x"', 'a\n\u2028"x'),
        ('b"a\\x00"', b"a\x00"),
        ("[1, (2,), ()]", [1, (2,), ()]),
        ('{"a": [1], 2: None}', {"a": [1], 2: None}),
        ('set([1, "a"])', frozenset({1, "a"})),
        ("set([[1]])", [[1]]),
        ('struct(a = 1, b = "x = (1")', {"a": 1, "b": "x = (1"}),
        ("record()", {}),
        ("bag([1, 1])", Counter({1: 2})),
        ("range(0, 6, 2)", range(0, 6, 2)),
        ("genericmap({[1]: 2})", [([1], 2)]),
        ("Node#0", ModelName("Node#0")),
        ("[k1, Node#0]", [ModelName("k1"), ModelName("Node#0")]),
        ("stub(Channel#0, Node#0)", ModelName("stub(Channel#0, Node#0)")),
        ("1 2", ModelName("1 2")),
        ('"open', ModelName('"open')),
        ("[" * 300 + "]" * 300, ModelName("[" * 300 + "]" * 300)),
    ],
)
def test_display_texts_are_read(text: str, value: object) -> None:
    """Every form of the language page; what has no counterpart keeps its name."""
    found = python_value(text)
    assert found == value
    assert type(found) is type(value)


def test_a_text_instead_of_a_file() -> None:
    """`source` is a model; one of both must be given; a mistake in it has a place and a hint."""
    assert fizzpy.check(source=LOST, properties="Kept", constants=None).properties[0].name == "Kept"
    for given in ({}, {"model": "m.fizz", "source": FINE}):
        with pytest.raises(fizzpy.UsageProblem) as refused:
            fizzpy.check(**given)  # type: ignore[arg-type]
        assert "hint: give its path, or its text as source=" in str(refused.value)
    with pytest.raises(fizzpy.FizzError) as wrong:
        fizzpy.check(source="action Init:\n    counter = 0\naction Go:\n    counter = cuonter\n")
    assert str(wrong.value).splitlines()[0] == "source.fizz:4:15: undefined name 'cuonter' [L20]"
    assert str(wrong.value).splitlines()[-1] == "hint: did you mean 'counter'?"


def test_one_name_is_a_list_of_one() -> None:
    """A text where a list of names is wanted is a name, not its letters."""
    assert [p.name for p in fizzpy.check(source=LOST, properties="Small").properties if p.kind == "always"] == ["Small"]
    assert fizzpy.simulate(source=LOST, properties="Small", runs=1).model == "source.fizz"


def test_the_states_as_a_table_and_a_graph() -> None:
    """As many as the report counts, with values of Python; and `states` is still a number."""
    report = fizzpy.check(source=FINE)
    table = report.states()  # type: ignore[operator]
    assert report.states == 2 == len(table)
    assert list(table["n"]) == [0, 1]
    graph = report.graph()
    assert {name for _, _, name in graph.edges(data="name")} == {"Turn"}
    assert graph.nodes[0]["values"] == {"n": 0}
    stopped = fizzpy.check(source=LOST)
    assert len(stopped.states()) == stopped.states  # type: ignore[operator]
    assert pickle.loads(pickle.dumps(report)) == report
    with pytest.raises(fizzpy.UsageProblem, match="more than 1 states"):
        report.graph(most=1)


@pytest.mark.parametrize("missing", ["networkx", "pandas"])
def test_what_is_not_installed_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library a sentence says which extra has it."""
    monkeypatch.setitem(__import__("sys").modules, missing, None)
    report = fizzpy.check(source=FINE)
    with pytest.raises(fizzpy.EnvironmentProblem) as refused:
        report.graph() if missing == "networkx" else report.states()  # type: ignore[operator]
    assert f"needs {missing}" in str(refused.value) and "fizzpy[notebook]" in str(refused.value)
