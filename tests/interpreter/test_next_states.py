"""`next_states()`: what could happen next, without regard to limits and without crashes."""

from __future__ import annotations

import pytest

from tests.interpreter.running import error_of, report_of

MODEL = """
---
options: {{max_concurrent_actions: 1, max_actions: 2}}
action_options: {{Up: {{max_actions: 1}}}}
deadlock_detection: false
---
Net = Channel()
role R:
    action Init: self.n = 0
    action Step:
        require self.n == 0
        self.n = 1
        self.n = 2
    func put(v): self.n = v
action Init:
    r, x = R(), 0
    net = Net.stub(r)
    seen = []
atomic action Up:
    way = oneof [1, 2, 2]
    x = min(3, x + way)
atomic action Same: x = x
atomic action Send:
    require x == 1
    x = 7
    net.put(9)
{assertion}
"""


@pytest.mark.parametrize(
    "assertion",
    [
        # One struct per name and resulting state, in the order of steps.
        "exists assertion P: return [s.name for s in next_states()] == ['Up', 'Up', 'Same', 'R#0.Step']",
        "exists assertion P: return [s.state.x for s in next_states()] == [1, 2, 0, 0]",
        "always assertion P: return all([s.kind in ['action', 'thread', 'channel'] for s in next_states()])",
        # Limits do not count: Up may start only once, and not beside a thread.
        "always assertion P: return 'Up' in [s.name for s in next_states()]",
        "exists assertion P: return [s.name for s in next_states()][0] == 'thread-0'",
        "exists assertion P: return [s.name for s in next_states()][0] == 'channel-0-message-0'",
        # Which actor moves.
        "exists assertion P: return [[s.role_ref, s.role_id, s.action_name] for s in next_states()][-1] == "
        "['R#0', r.__id__, 'Step']",
        "always assertion P: return [s.role_ref for s in next_states() if s.name == 'Up'] != ['R#0']",
        "exists assertion P: return [[s.kind, s.role_ref, s.action_name] for s in next_states()][0] == "
        "['thread', 'R#0', None]",
        "exists assertion P: return [[s.kind, s.role_ref] for s in next_states()][0] == ['channel', 'R#0']",
        # Roles reached through the state of a struct show their fields of that state.
        "exists assertion P: return [s.state.r.n for s in next_states() if s.name == 'R#0.Step'] == [1] and r.n == 0",
        # In the liveness kinds too.
        "eventually always assertion P: return len(next_states()) > 0",
    ],
)
@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_what_it_tells(assertion: str, engine: str) -> None:
    """Each assertion holds."""
    report = report_of(MODEL.format(assertion=assertion), engine, crashing=True)
    assert report.properties[0].verdict in ("holds", "holds-within-bound"), report.error


def test_not_in_transition_assertions() -> None:
    """There are two states then, so the question has no answer."""
    assert error_of(MODEL.format(assertion="transition assertion P(a, b): return len(next_states()) > 0")).code == "L30"


def test_states_after_mistakes() -> None:
    """A step that fails is no next state; the mistake itself is reported when the state is expanded."""
    error = error_of("""
        action Init: x = 0
        atomic action Bad: x = 1 // x
        atomic action Good: x = 0
        always assertion P: return [s.name for s in next_states()] == ["Good"]
    """)
    assert error.code == "R5"


def test_states_have_a_text() -> None:
    """A whole state, as transition assertions and `next_states()` see it, is shown like any struct."""
    for assertion in (
        "transition assertion P(a, b): return fail(str(a))",
        "always assertion P: return fail(str(next_states()[0].state)) if x == 0 else True",
    ):
        error = error_of(f"""
            action Init: x, log = 0, [[1]]
            atomic action Go:
                require x == 0
                x = 1
            {assertion}
        """)
        shown = "0" if "transition" in assertion else "1"
        assert (error.code, error.text) == ("R17", f"fail: struct(log = [[1]], x = {shown})")


@pytest.mark.parametrize("engine", ["plain", "direct rows", "columns"])
@pytest.mark.parametrize(
    "question",
    [
        "{0} == struct(x=x) and struct(x=x) == {0} and {0} != struct(x=x, y=1) and struct() != {0}",
        "{0} in [struct(x=x)] and struct(x=x) in [{0}] and [1, struct(x=x)].index({0}) == 1",
        "len(set([{0}, struct(x=x)])) == 1 and {{struct(x=x): 3}}[{0}] == 3",
        "{0} in genericset([struct(x=x)]) and bag([{0}]) == bag([struct(x=x)])",
        "{0} + struct(y=1) == struct(x=x, y=1) and (struct(x=7) + {0}).x == x and ({0} + {0}).x == x",
    ],
)
def test_states_are_structs(question: str, engine: str) -> None:
    """A whole state equals the struct of its variables, hashes and merges as that does."""
    model = f"""
        action Init: x = 0
        atomic action Go:
            require x < 2
            x += 1
        atomic action Rest: pass
        transition assertion P(before, after): return {question.format("after")}
        always assertion Q: return all([{question.format("s.state")} for s in next_states() if s.state.x == x])
    """
    report = report_of(model, engine)
    assert [p.verdict for p in report.properties] == ["holds", "holds"], report.error


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize(
    "assertion",
    [
        "transition assertion P(b, a): return a._hidden > b._hidden and a.node._x == b.node._x + 1",
        "transition assertion P(b, a): return getattr(a, '_hidden') > b._hidden and hasattr(b, '_hidden')",
        "transition assertion P(b, a): return '_hidden' in dir(a) and b != a and '_hidden = ' in str(b)",
        "transition assertion P(b, a): return deepcopy(a)._hidden == a._hidden",
        "always assertion P: return all([s.state._hidden == _hidden + 1 for s in next_states()])",
        "always assertion P: return all([deepcopy(s).state.node._x == node._x + 1 for s in next_states()])",
    ],
)
def test_names_with_an_underscore(assertion: str, engine: str) -> None:
    """State variables and fields may have names that begin with `_`: behind a dot they are like any other."""
    model = """
        role Node:
            action Init: self._x = 0
            atomic action Up:
                require self._x < 2
                self._x += 1
                _hidden += 1
            transition assertion Mine(b, a): return self._x == a._hidden and b._hidden + 1 == self._x
        action Init:
            _hidden = 0
            node = Node()
        """
    report = report_of(f"{model}{assertion}\n", engine)
    assert [p.verdict for p in report.properties] == ["holds", "holds"], report.error


def test_names_that_no_state_has() -> None:
    """What is reserved for the language stays out of reach."""
    for name in ("__class__", "_world", "_names", "__init__"):
        model = "action Init: x = 0\natomic action Go: x += 1\n"
        assert error_of(f"{model}transition assertion P(b, a): return a.{name} == 1").code == "R3"
