"""Constants of roles: found after locals and before state variables, read-only, computed after those at top level."""

from __future__ import annotations

import pytest

import fizz
from fizz.base.errors import FizzError
from tests.interpreter.running import error_of, module_of, report_of, states_of

EVERYWHERE = """
BASE = 2
LIMIT = 100
role R:
    LIMIT = BASE + 1
    TWICE = 2 * LIMIT
    NAMES = ["a", "b"]
    def over(self, n):
        return n > LIMIT or n > self.TWICE
    action Init:
        self.x = 0
    atomic action Grow:
        require self.x < LIMIT
        self.x += 1
    atomic action Hide:
        n = oneof [LIMIT for LIMIT in range(2)]
        for LIMIT in NAMES:
            self.x = len(LIMIT) + self.LIMIT - self.LIMIT
        f = lambda LIMIT: LIMIT + n
        self.x = f(0)
    always assertion Ok:
        return not self.over(self.x) and f"{LIMIT}" == "3" and self.x <= self.TWICE
role S:
    LIMIT = 1
    action Init:
        self.r, self.seen = None, 0
    atomic action Look:
        require self.seen == 0 and hasattr(self.r, "TWICE") and "TWICE" not in dir(self.r)
        self.seen = self.r.LIMIT
action Init:
    r, s, y = R(), S(), LIMIT
    s.r = r
transition assertion Other(before, after):
    return before.r.LIMIT == after.r.LIMIT and LIMIT == 100 and before.s.LIMIT == 1 and after.s.seen in [0, 3]
"""


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_where_they_are_read(engine: str) -> None:
    """In actions, `def`s and assertions of the role, by other instances, and in the states around a step."""
    report = report_of(EVERYWHERE, engine)
    assert (report.verdict, report.states) == ("passed", 8)


def test_before_state_variables() -> None:
    """A constant of the role hides a state variable there, and only there."""
    found = states_of("""
        role R:
            LIMIT = 1
            atomic action Go: seen = LIMIT
        action Init: LIMIT, seen, r = 5, 0, R()
        atomic action Here:
            require seen == 1
            seen = LIMIT
    """)
    assert {state["seen"] for state in found} == {"0", "1", "5"}


def test_set_from_outside() -> None:
    """`--set R.LIMIT=…`, and what is computed from it."""
    module = fizz.load("m.fizz", text=EVERYWHERE, constants={"R.LIMIT": "BASE * 2"})
    assert module.constants == ("BASE", "LIMIT", "R.LIMIT", "R.TWICE", "R.NAMES", "S.LIMIT")
    with pytest.raises(FizzError) as caught:
        fizz.load("m.fizz", text=EVERYWHERE, constants={"R.LIMITS": "1"})
    (unknown,) = caught.value.diagnostics
    assert (unknown.code, unknown.hint) == ("O5", "did you mean 'R.LIMIT'?")


@pytest.mark.parametrize(
    ("role", "code", "text"),
    [
        ("LIMIT = 1\n    action Init: LIMIT = 2", "L22", "'LIMIT' is a constant and cannot be assigned"),
        ("LIMIT = 1\n    action Init: self.LIMIT = 2", "L22", "'LIMIT' is a constant of role R"),
        ("LIMIT = 1\n    action Init: self.LIMIT += 2", "L22", "'LIMIT' is a constant of role R"),
        ("LIMIT = 1\n    func LIMIT(): pass", "L21", "'LIMIT' is defined twice"),
        ("LIMIT = 1\n    LIMIT = 2", "L21", "'LIMIT' is defined twice"),
        (
            "LIMIT = 1\n    action Init: self.n = PARAM\n    PARAM = 2",
            "L21",
            "'PARAM' is a constant and a param of role R",
        ),
        ("LIMIT = MORE\n    MORE = 1", "L20", "constant 'MORE' is used before it has a value"),
        ("LIMIT = x", "L20", "constant statement uses the state variable 'x'"),
        ("LIMIT = self.n", "L20", "there is no 'self' here"),
        ("LIMIT += 1", "L1", "unexpected"),
        ("LIMIT = oneof [1, 2]", "L1", "unexpected 'oneof'"),
        ("math = 1", "L35", "'math' is reserved for a module"),
    ],
)
def test_mistakes(role: str, code: str, text: str) -> None:
    """They have one value, and no other name of the role is theirs."""
    with pytest.raises(FizzError) as caught:
        module_of(
            f"role R:\n    {role}\naction Init: x, r = 1, R(PARAM=2)\n".replace(
                "PARAM=2", "PARAM=2" if "PARAM" in role else ""
            )
        )
    found = caught.value.diagnostics
    assert [one.code for one in found] == [code] and text in found[0].text


def test_assigned_from_outside() -> None:
    """No other code changes them either."""
    error = error_of("""
        role R:
            LIMIT = 1
        action Init: r = R()
        atomic action Change: r.LIMIT = 2
    """)
    assert error.code == "R10" and "'LIMIT' is a constant of role R" in error.text


def test_frozen() -> None:
    """What they hold cannot be changed."""
    error = error_of("""
        role R:
            NAMES = ["a"]
            atomic action Change: NAMES.append("b")
        action Init: r = R()
    """)
    assert error.code == "R7"
