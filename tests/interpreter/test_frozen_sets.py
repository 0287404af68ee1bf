"""Frozensets: immutable sets, which are elements and keys (language page, rule 11 of section 4)."""

from __future__ import annotations

import pytest

from tests.interpreter.running import error_of, report_of, states_of

ENGINES = ("plain", "embedded")

HELD_BY_ROLES = """
    symmetric role Node:
        action Init:
            self.seen = frozenset()
        atomic action See:
            oneof node in nodes:
                require node not in self.seen
                self.seen = self.seen | frozenset([node])
    action Init:
        nodes = bag([Node(), Node()])
        turn = 0
    atomic action Turn: turn = 1 - turn
    always assertion Seen: return all([len(node.seen) <= 2 for node in nodes])
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "claim",
    [
        "frozenset([1, 2]) == frozenset([2, 1]) and frozenset([1]) == frozenset([1.0])",
        "frozenset([1]) != set([1]) and set([1]) != frozenset([1]) and frozenset([1]) != frozenset([True])",
        "(a | b, a & b, a - b, a ^ b) == tuple([frozenset(x) for x in [[1, 2, 3], [2], [1], [1, 3]]])",
        "a <= (a | b) and a < (a | b) and not a < a and a >= frozenset() and not a <= b",
        "a.union([3], b) == a | b and a.intersection(b) == a & b and a.difference([1]) == frozenset([2])",
        "a.issubset([1, 2, 3]) and a.issuperset([2]) and a.symmetric_difference(b) == a ^ b",
        "{a: 1}[frozenset([2, 1])] == 1 and a in set([a]) and a not in {b: 1} and (a, 1) in set([(a, 1)])",
        "frozenset([a, b]) == frozenset([b, a]) and a in frozenset([a])",
        "not frozenset() and a and len(a) == 2 and 2 in a and 3 not in a and type(a) == 'frozenset'",
        "list(frozenset([3, 1, 2])) == [1, 2, 3] and sorted(b) == [2, 3] and set(a) == set([1, 2])",
        "str(frozenset([2, 1])) == 'frozenset([1, 2])' and str(frozenset()) == 'frozenset([])'",
        "deepcopy(a) == a and frozenset(a) == a and frozenset({'k': 1}) == frozenset(['k'])",
    ],
)
def test_what_holds_of_frozensets(claim: str, engine: str) -> None:
    """Equality by content among frozensets alone; the operators and methods of sets that change nothing."""
    text = f"""
        action Init: a, b = frozenset([2, 1, 2]), frozenset([3, 2])
        atomic action Rest: pass
        always assertion P: return {claim}
    """
    report = report_of(text, engine)
    assert report.properties[0].verdict == "holds", report.error


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("frozenset([1]) | set([1])", "R4"),
        ("set([1]) - frozenset([1])", "R4"),
        ("frozenset([1]) < set([1, 2])", "R4"),
        ("frozenset([1]).add(2)", "R3"),
        ("frozenset([1])[0]", "R4"),
        ("frozenset([[1]])", "R6"),
        ("frozenset(1)", "R4"),
    ],
)
def test_what_frozensets_do_not_do(expression: str, code: str) -> None:
    """They are not changed and not indexed; operators do not mix them with sets; elements are hashable."""
    assert error_of(f"action Init: x = {expression}").code == code


def test_identity() -> None:
    """A frozenset is no set in identity, the order of its elements is none, and it is one part of the key."""
    states = states_of("""
        action Init: x = frozenset([1])
        atomic action Other: x = set([1])
        atomic action More: x = oneof [frozenset([1, 2]), frozenset([2, 1])]
    """)
    assert [state["x"] for state in states] == ["frozenset([1])", "set([1])", "frozenset([1, 2])"]


@pytest.mark.parametrize("engine", ENGINES)
def test_instances_in_frozensets(engine: str) -> None:
    """Instances in frozensets are reachable, and renamed with their role."""
    report = report_of(HELD_BY_ROLES, engine)
    # Each node has seen none, itself, the other, or both; under renaming 4 + 3 + 2 + 1 pairs; two turns.
    assert (report.verdict, report.states) == ("passed", 20)


@pytest.mark.parametrize("engine", ENGINES)
def test_kept_alive_by_a_frozenset(engine: str) -> None:
    """An instance that only a frozenset refers to is live."""
    report = report_of(
        """
        role Node:
            action Init: self.on = False
            atomic action Flip: self.on = not self.on
        action Init:
            known = frozenset()
        atomic action Make:
            require not known
            node = Node()
            known = frozenset([node])
    """,
        engine,
    )
    assert report.states == 3
