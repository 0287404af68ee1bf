"""Inits of roles: nested, several at once, across yields; an Init that is one block."""

from __future__ import annotations

from tests.interpreter.running import states_of


def test_several_constructors_in_a_statement() -> None:
    """The statement is executed first; then the Inits run in creation order, before the statement's yield."""
    states = states_of("""
        role A:
            action Init:
                log.append([self.N, pair])
                self.rank = len(log)
        action Init: log, pair = [], 0
        action Go:
            require pair == 0
            pair = (A(N=1), A(N=2))
    """)
    assert len(states) == 2
    assert states[1]["log"] == "[[1, (A#0, A#1)], [2, (A#0, A#1)]]"
    assert (states[1]["A#0.rank"], states[1]["A#1.rank"], states[1]["A#1.N"]) == ("1", "2", "2")


def test_constructors_in_init_of_a_role() -> None:
    """A role's Init constructs others, which are ready before the statement after it."""
    (state,) = states_of("""
        role Part:
            action Init: self.order = len(log)
        role Whole:
            action Init:
                self.parts = [Part(), Part()]
                log.append([part.order for part in self.parts])
        action Init:
            log = [0]
            whole = Whole()
    """)
    assert state["log"] == "[0, [1, 1]]"


def test_first_statement_of_an_init_constructs() -> None:
    """An Init whose first statement constructs has begun: it does not run again when the inner Init is done."""
    (state,) = states_of("""
        role Leaf:
            action Init: self.n = 1
        role Tree:
            action Init:
                self.leaf = Leaf()
                self.count = len(log)
        action Init:
            log = [0]
            trees = [Tree(), Tree()]
    """)
    assert (state["Tree#0.leaf"], state["Tree#1.leaf"], state["Tree#1.count"]) == ("Leaf#0", "Leaf#1", "1")


def test_a_serial_func_in_a_role_init_yields_later() -> None:
    """In a step a role's Init that calls a serial func yields by the usual rule; in the top-level Init it does not."""
    text = """
        role A:
            action Init:
                self.x = 0
                self.fill()
            func fill():
                self.x = 1
                self.x = 2
        action Init: a = {start}
        atomic action Make:
            require a == None
            a = A()
    """
    assert [s.get("A#0.x") for s in states_of(text.format(start="A()"))] == ["2"]
    assert [s.get("A#0.x") for s in states_of(text.format(start="None"))] == [None, "1", "2"]


def test_inits_that_wait_to_begin() -> None:
    """Across yields too, an Init that waits to begin is distinguished from one whose first statement is running."""
    found = states_of("""
        role Leaf:
            action Init: self.fill()
            func fill():
                self.n = 1
                self.n = 2
        role Tree:
            action Init: self.leaf = Leaf()
        action Init: trees = []
        atomic action Go:
            require len(trees) == 0
            trees = [Tree(), Tree()]
    """)
    numbers = [(state.get("Leaf#0.n"), state.get("Leaf#1.n")) for state in found]
    assert numbers == [(None, None), ("1", None), ("2", None), ("2", "1"), ("2", "2")]


def test_a_choice_is_the_whole_init() -> None:
    """An Init that is one `oneof` or `parallel` block stays a choice."""
    states = states_of("""
        action Init:
            oneof:
                x = 1
                x = 2
    """)
    assert [state["x"] for state in states] == ["1", "2"]


def test_a_parallel_init_of_a_role() -> None:
    """Of a role's Init too; between the statements it yields, as a `parallel` block in atomic code does."""
    states = states_of("""
        role R:
            parallel action Init:
                log.append("a")
                log.append("b")
        action Init: r, log = None, []
        atomic action Go:
            require r == None
            r = R()
    """)
    assert {state["log"] for state in states} == {"[]", '["a"]', '["b"]', '["a", "b"]', '["b", "a"]'}
