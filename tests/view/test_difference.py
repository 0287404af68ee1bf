"""What is shown of a value that changed: the smallest parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.core.trace import Change
from checker.report.difference import differences

CASES = [
    ("1", "2", [("x", "1", "2")]),
    ("[1, 2]", "[1, 5]", [("x[1]", "2", "5")]),
    ("[1]", "[1, 2]", [("x[1]", None, "2")]),
    ("[1, 2, 3]", "[2, 3]", [("x[0]", "1", None)]),
    ("(1,)", "(1, 2)", [("x[1]", None, "2")]),
    ('{"a": 1}', '{"a": 1, "b": 2}', [('x["b"]', None, "2")]),
    ('{"a": 1, "b": 2}', '{"b": 2}', [('x["a"]', "1", None)]),
    ('{"a": {"b": [1, {"c": 2}]}}', '{"a": {"b": [1, {"c": 3}]}}', [('x["a"]["b"][1]["c"]', "2", "3")]),
    ("set([1, 2])", "set([2, 3])", [("x", "1", None), ("x", None, "3")]),
    ("set([])", "set([(1, 2)])", [("x", None, "(1, 2)")]),
    ("bag([1, 1])", "bag([1])", [("x", "1", None)]),
    ("record(a = 1, b = [])", "record(a = 1, b = [2])", [("x.b[0]", None, "2")]),
    ('"a, b: [c"', '"a, b: [d"', [("x", '"a, b: [c"', '"a, b: [d"')]),
    ('["a, ]\\"", 1]', '["a, ]\\"", 2]', [("x[1]", "1", "2")]),
    ("[1]", '{"a": 1}', [("x", "[1]", '{"a": 1}')]),
    ("[]", "[1]", [("x[0]", None, "1")]),
    ("{}", '{"a": 1}', [('x["a"]', None, "1")]),
    ("1", "1", []),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_differences(old: str, new: str, expected: list[tuple[str, str | None, str | None]]) -> None:
    """Only the innermost parts that changed are named, by the path that leads to them."""
    assert differences(Change("x", old, new)) == [Change(*parts) for parts in expected]


def test_what_came_or_went_is_whole() -> None:
    """A place that appears or disappears has nothing to be compared with."""
    assert differences(Change("x", None, "[1]")) == [Change("x", None, "[1]")]
    assert differences(Change("x", "[1]", None)) == [Change("x", "[1]", None)]


@given(st.text(alphabet='[](){}=:, "\\a1'), st.text(alphabet='[](){}=:, "\\a1'))
def test_any_text_is_survived(old: str, new: str) -> None:
    """Whatever the texts are, equal ones have no difference and unequal ones have an answer."""
    parts = differences(Change("x", old, new))
    assert isinstance(parts, list)
    assert not differences(Change("x", old, old))


def display(value: object) -> str:
    """The display text of lists, dicts and ints, where Python's is the same but for the quotes."""
    if isinstance(value, list):
        return "[" + ", ".join(map(display, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {display(member)}' for key, member in sorted(value.items())) + "}"
    return str(value)


VALUES = st.recursive(
    st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_values_that_differ_have_differences(old: object, new: object) -> None:
    """Two values have no difference exactly if their texts are equal."""
    assert bool(differences(Change("x", display(old), display(new)))) == (display(old) != display(new))
