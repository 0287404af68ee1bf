"""`[*a, b]`, `(*a, b)` and `f(*a, **k)` (language page, rule 11 of section 4)."""

from __future__ import annotations

import pytest

from fizz import FizzError
from tests.interpreter.running import error_of, module_of, report_of


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize(
    "claim",
    [
        "[*a, 3] == [1, 2, 3] and [0, *a, *b] == [0, 1, 2, 5] and [*[]] == []",
        "(*a, 3) == (1, 2, 3) and (*a,) == (1, 2) and [*(7, 8)] == [7, 8]",
        "[*range(2), *{'k': 1}] == [0, 1, 'k'] and [*set([2, 1])] == [1, 2] and [*bag([2, 1])] == [1, 2]",
        "total(*a, **k) == 13 and total(*[1], y=2) == 3 and total(*b, *b) == 10",
        "[*a] != a + [0] and [x for x in [*a, *a] if x == 1] == [1, 1]",
    ],
)
def test_what_is_unpacked(claim: str, engine: str) -> None:
    """The elements stand in place, in the order of a `for`; a new list shares nothing with the old one."""
    text = f"""
        def total(x, y=0, z=0): return x + y + z
        action Init: a, b, k = [1, 2], set([5]), {{"z": 10}}
        atomic action Rest: pass
        always assertion P: return {claim}
    """
    report = report_of(text, engine)
    assert report.properties[0].verdict == "holds", report.error


def test_without_brackets() -> None:
    """On a right side and in `return` there may be several elements without parentheses."""
    report = report_of("""
        def both(a): return *a, 3
        action Init: x = 0, *[1, 2]
        atomic action Go:
            require len(x) == 3
            x = *x, 3
        always assertion P: return both(x)[3] == 3 and x[:3] == (0, 1, 2)
    """)
    assert (report.verdict, report.states) == ("passed", 2)


@pytest.mark.parametrize(
    "place", ["x = *a", "x = [*a for b in a]", "x = (*a)", "x = {'k': *a}", "*a, b = a", "x = 1 + *a"]
)
def test_where_nothing_is_unpacked(place: str) -> None:
    """A star stands before one of several elements: elsewhere it is refused."""
    with pytest.raises(FizzError) as refused:
        module_of(f"action Init:\n    a = [1]\n    {place}\n")
    assert [one.code for one in refused.value.diagnostics] == ["L1"]


def test_what_can_not_be_unpacked() -> None:
    """What a `for` can not go through: the mistake is at the star."""
    error = error_of("action Init: x = [1, *'ab']")
    assert error.code == "R4" and error.span is not None and error.span.column == 22
    assert error_of("action Init: x = [*7]").code == "R4"
