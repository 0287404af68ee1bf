"""Threads are shown short: who, where, and what a step changed of that."""

from __future__ import annotations

from checker.core.trace import Change
from checker.report.thread_text import ThreadPosition, read_thread, thread_changes

ONE = {"/models/a b/m.fizz": ""}
TWO = {"/x/m.fizz": "m.fizz", "/x/core.fizz": "core.fizz"}


def test_read_thread() -> None:
    """The calls from the action inwards, the innermost place, its locals; paths become names."""
    assert read_thread("Act at /models/a b/m.fizz:4", ONE) == ThreadPosition(("Act",), "line 4", "")
    text = 'Act at /x/m.fizz:4 {s = " in x at y:1"} in Node#0.put at /x/core.fizz:9 {v = [1, 2]}'
    assert read_thread(text, TWO) == ThreadPosition(("Act", "Node#0.put"), "core.fizz:9", "{v = [1, 2]}")
    assert read_thread("something else", ONE) is None


def test_a_thread_that_comes_goes_or_moves() -> None:
    """A new thread is shown whole, a gone one by its place, a moved one by what is new."""
    before = "Act at /x/m.fizz:4 {k = 1, l = 2}"
    after = "Act at /x/m.fizz:5 {k = 1, l = 3}"
    assert thread_changes(Change("thread-0", None, before), TWO) == [
        Change("thread-0", None, "Act at m.fizz:4 {k = 1, l = 2}")
    ]
    assert thread_changes(Change("thread-0", before, None), TWO) == [Change("thread-0", "Act at m.fizz:4", None)]
    assert thread_changes(Change("thread-0", before, after), TWO) == [
        Change("thread-0", "m.fizz:4", "m.fizz:5"),
        Change("thread-0.l", "2", "3"),
    ]


def test_a_thread_that_enters_a_call() -> None:
    """Then the function, its place and its locals are what matters."""
    before = "Act at /x/m.fizz:4 {k = 1}"
    after = "Act at /x/m.fizz:4 {k = 1} in put at /x/core.fizz:9 {v = 1}"
    assert thread_changes(Change("thread-0", before, after), TWO) == [
        Change("thread-0", "Act at m.fizz:4", "Act > put at core.fizz:9 {v = 1}")
    ]


def test_first_locals_are_additions() -> None:
    """Where there were no locals before, each is new."""
    change = Change("thread-0", "Act at /x/m.fizz:4", "Act at /x/m.fizz:5 {k = 1}")
    assert thread_changes(change, TWO)[1:] == [Change("thread-0.k", None, "1")]


def test_an_unknown_form_is_left_alone() -> None:
    """What cannot be read as a thread is shown as it is."""
    change = Change("thread-0", "???", "!!!")
    assert thread_changes(change, TWO) == [change]
