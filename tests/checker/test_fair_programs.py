"""Liveness of whole programs: the verdict is that of brute force over the states and steps that the machine has.

Nothing here uses `checker.liveness`: which actions are fair is read from the text, what is offered from the steps.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from textwrap import dedent

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from interpreter import Machine, State, Step, StepKind, compile_module
from interpreter.state.step import Outcome
from tests.sample import one_in

Name = tuple[str, ...]
MOST_STATES = 9


# --- brute force -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Edge:
    """A step that is no crash: the name that it takes, which alternatives it takes and which it offers."""

    source: int
    target: int
    takes: frozenset[Name]
    offers: frozenset[Name]


class Graph:
    """All states that the machine reaches, with what page 10.4 speaks of."""

    def __init__(self, machine: Machine, fairness: dict[str, str]) -> None:
        self.machine = machine
        self.states: dict[State, int] = {}
        self.edges: list[Edge] = []
        self.strong: list[set[Name]] = []
        self.weak: list[set[Name]] = []
        for begin in machine.initial()[0]:
            self.states.setdefault(begin.state, len(self.states))
        for state in self._growing():
            steps = machine.steps(state).steps
            for step in steps:
                self.states.setdefault(step.target, len(self.states))
            live = [step for step in steps if not step.crashes]
            names = [self._name(step, fairness) for step in live]
            self.strong.append({name for name in names if name is not None and name[0] != "weak"})
            self.weak.append({name for name in names if name is not None and name[0] == "weak"})
            for step, name in zip(live, names, strict=True):
                takes = {("alternative", *c[1:]) for c in step.outcome.fair} | ({name} if name is not None else set())
                offers = {("alternative", *c[1:]) for c in _offered(step, live)}
                source, target = self.states[state], self.states[step.target]
                self.edges.append(Edge(source, target, frozenset(takes), frozenset(offers)))

    def _growing(self) -> Iterator[State]:
        done = 0
        while done < len(self.states):
            yield list(self.states)[done]
            done += 1

    @staticmethod
    def _name(step: Step, fairness: dict[str, str]) -> Name | None:
        """Whose step it is, if fairness speaks of it: each instance has its own, and threads are always strong."""
        if step.rule.kind is StepKind.CONTINUE:
            return ("thread", str(step.actor))
        strength = fairness.get(str(step.actor).rpartition(".")[2])
        return None if strength is None or step.rule.kind is not StepKind.START else (strength, str(step.actor))

    def fair_walks(self, among: set[int]) -> Iterator[set[int]]:
        """The states of the fair closed walks within some states.

        A walk that takes all edges among its states, but for those that offer what it does not want to take, is as
        fair as any with these states.
        """
        alternatives = sorted({name for edge in self.edges for name in edge.offers})
        for size in range(1, len(among) + 1):
            for chosen in combinations(sorted(among), size):
                states = set(chosen)
                inside = [e for e in self.edges if e.source in states and e.target in states]
                for avoided in _subsets(alternatives):
                    edges = [e for e in inside if not e.offers & avoided]
                    if _connected(states, edges) and self._fair(states, edges):
                        yield states
                        break

    def _fair(self, states: set[int], edges: list[Edge]) -> bool:
        taken = {name for edge in edges for name in edge.takes}
        strong = set().union(*[self.strong[s] for s in states])
        weak = set.intersection(*[self.weak[s] for s in states])
        offered = {name for edge in edges for name in edge.offers}
        return strong | weak | offered <= taken


def _offered(step: Step, steps: list[Step]) -> Iterator[tuple[object, ...]]:
    """The fair choices that a step and its siblings take where their paths divide."""
    for choice in step.outcome.fair:
        for other in steps:
            alike = other.order.candidate == step.order.candidate
            if alike and other.order.forks[: choice.fork] == step.order.forks[: choice.fork]:
                yield from (c for c in other.outcome.fair if c.fork == choice.fork and c.location == choice.location)


def _subsets(names: list[Name]) -> Iterator[frozenset[Name]]:
    for size in range(len(names) + 1):
        yield from map(frozenset, combinations(names, size))


def _connected(states: set[int], edges: list[Edge]) -> bool:
    """Whether each state leads to each other one; a single state may stutter."""
    after = defaultdict(set)
    for edge in edges:
        after[edge.source].add(edge.target)
    for start in states:
        seen, work = {start}, [start]
        for state in work:
            work += after[state] - seen
            seen |= after[state]
        if seen != states:
            return False
    return True


def violated(text: str, fairness: dict[str, str]) -> dict[str, bool] | None:
    """Which liveness assertions of a model some fair walk violates; None if the model has too many states."""
    program = compile_module(fizz.load("m.fizz", text=text))
    machine = Machine(program)
    graph = Graph(machine, fairness)
    if len(graph.states) > MOST_STATES:
        return None
    found = {}
    for number, assertion in enumerate(program.assertions):
        wrong = {i for state, i in graph.states.items() if not holds(machine, number, state)}
        if assertion.kind == "always eventually":
            found[assertion.name] = any(True for _ in graph.fair_walks(wrong))
        else:
            found[assertion.name] = any(walk & wrong for walk in graph.fair_walks(set(graph.states.values())))
    return found


def holds(machine: Machine, assertion: int, state: State) -> bool:
    (rule,) = machine.assertion_rules(assertion, state)
    result = machine.run(rule, machine.view(state)).result
    assert isinstance(result, Outcome)
    return bool(result.value)


# --- random programs -------------------------------------------------------------------------------------------------

FAIRNESS = {"": None, "fair ": "weak", "fair<weak> ": "weak", "fair<strong> ": "strong"}


def random_program(seed: int) -> tuple[str, dict[str, str]]:
    """A small program, and how fair its actions are."""
    draw = random.Random(seed)
    fairness: dict[str, str] = {}
    crash = draw.choice(("true", "false"))
    lines = ["---", f"options: {{crash_on_yield: {crash}, max_concurrent_actions: {draw.choice((1, 1, 2))}}}"]
    lines += ["deadlock_detection: false", "---"]
    roles = draw.random() < 0.4
    if roles:
        word = draw.choice(list(FAIRNESS))
        fairness |= {"Turn": FAIRNESS[word]} if FAIRNESS[word] else {}  # type: ignore[dict-item]
        lines += ["role Node:", "    action Init: self.s = 0", f"    atomic {word}action Turn:"]
        lines += [draw.choice(("        require x == 1", "        require self.s == 0", "        require True"))]
        lines += ["        self.s = 1 - self.s"]
    lines += ["action Init:", "    x, y = 0, 0", *(["    one, two = Node(), Node()"] if roles else [])]
    for i in range(draw.randint(1, 3)):
        word = draw.choice(list(FAIRNESS))
        flow = draw.choice(("atomic ", "atomic ", ""))
        if FAIRNESS[word]:
            fairness[f"Act{i}"] = FAIRNESS[word]  # type: ignore[assignment]
        lines.append(f"{flow}{word}action Act{i}:")
        lines.append(f"    require {draw.choice(('x', 'y'))} {draw.choice(('==', '!='))} {draw.randint(0, 1)}")
        for _ in range(draw.randint(1, 2)):
            lines.append("    " + draw.choice(_STATEMENTS))
    target = "one.s + two.s" if roles and draw.random() < 0.5 else draw.choice(("x", "y", "x + y"))
    lines.append(f"always eventually assertion Again: return {target} == {draw.randint(0, 1)}")
    lines.append(f"eventually always assertion Settles: return {target} != {draw.randint(0, 1)}")
    return "\n".join(lines) + "\n", fairness


_STATEMENTS = (
    "x = 1 - x",
    "y = 1 - y",
    "x = 0",
    "y = 1",
    "x = oneof [0, 1]",
    "x = fair oneof [0, 1]",
    "y = fair oneof [0, 1] if x == 0",
    "require y == 0",
    "oneof:\n        x = 0\n        y = 0",
    "fair oneof v in [0, 1]:\n        y = v",
)


@pytest.mark.parametrize("block", one_in(3, range(6)))
def test_brute_force(block: int) -> None:
    """A lasso is found iff some closed walk is fair and bad."""
    compared = 0
    for seed in range(60 * block, 60 * block + 60):
        text, fairness = random_program(seed)
        expected = violated(text, fairness)
        if expected is None:
            continue
        compared += 1
        for engine in ("plain", "embedded"):
            report = check(fizz.load("m.fizz", text=text), engine=engine, settings=Settings(keep_going=True))
            verdicts = {p.name: p.verdict == "violated" for p in report.properties if p.kind != "deadlock"}
            assert verdicts == expected, f"{seed}\n{text}"
    assert compared > 20


# --- one model for each point ----------------------------------------------------------------------------------------

CASES = {
    "stutter": (
        "An unfair action is never forced: the run stays where it is.",
        """
        action Init: x = 0
        atomic action Go: x = 1
        always eventually assertion P: return x == 1
        """,
        {},
        True,
    ),
    "weak": (
        "A weakly fair one is, if it stays available.",
        """
        action Init: x = 0
        atomic fair action Go: x = 1
        always eventually assertion P: return x == 1
        """,
        {"Go": "weak"},
        False,
    ),
    "intermittent": (
        "A weakly fair action that is available now and then only may never start.",
        """
        action Init: turn, done = 0, False
        atomic fair action Swap: turn = 1 - turn
        atomic fair action Finish:
            require turn == 1 and not done
            done = True
        eventually always assertion P: return done
        """,
        {"Swap": "weak", "Finish": "weak"},
        True,
    ),
    "strong": (
        "A strongly fair one must.",
        """
        action Init: turn, done = 0, False
        atomic fair action Swap: turn = 1 - turn
        atomic fair<strong> action Finish:
            require turn == 1 and not done
            done = True
        eventually always assertion P: return done
        """,
        {"Swap": "weak", "Finish": "strong"},
        False,
    ),
    "inside": (
        "The fair cycle lies in a component that is not fair as a whole: in x == 2 `Leave` is available and not taken.",
        """
        action Init: x = 0
        atomic fair action Spin:
            require x < 2
            x = 1 - x
        atomic action Enter:
            require x == 1
            x = 2
        atomic action Back:
            require x == 2
            x = 0
        atomic fair<strong> action Leave:
            require x == 2
            x = 3
        eventually always assertion P: return x == 3
        """,
        {"Spin": "weak", "Leave": "strong"},
        True,
    ),
    "crash": (
        "No crash is on the cycle: a thread that may crash again and again goes on in the end.",
        """
        action Init: x = 0
        atomic fair action Reset:
            require x == 1
            x = 0
        fair action Work:
            require x == 0
            x = 1
            x = 2
        always eventually assertion P: return x == 2
        """,
        {"Work": "weak", "Reset": "weak"},
        False,
    ),
    "crash before": (
        "Any number of crashes may come before: the one that loses the thread leaves the state for good.",
        """
        action Init: x = 0
        fair action Work:
            require x == 0
            x = 1
            x = 2
        always eventually assertion P: return x == 2
        """,
        {"Work": "weak"},
        True,
    ),
    "no crash": (
        "Without a crash the thread goes on, though its action is not fair.",
        """
        ---
        options: {crash_on_yield: false}
        deadlock_detection: false
        ---
        action Init: x = 0
        atomic fair action Begin:
            require x == 0
            x = 1
        action Work:
            require x == 1
            x = 2
            x = 3
        eventually always assertion P: return x != 2
        """,
        {"Begin": "weak"},
        False,
    ),
    "instances": (
        "Fairness is per instance: the turns of one node do not count for the other.",
        """
        role Node:
            action Init: self.s = 0
            atomic fair action Turn: self.s = 1 - self.s
        action Init: one, two = Node(), Node()
        always eventually assertion P: return two.s == 1
        """,
        {"Turn": "weak"},
        False,
    ),
    "one instance": (
        "An instance that is available now and then only may rest, though the other one moves.",
        """
        role Node:
            action Init: self.s = 0
            atomic fair action Turn:
                require self == one or one.s == 1
                self.s = 1 - self.s
        action Init: one, two = Node(), Node()
        eventually always assertion P: return two.s == 1
        """,
        {"Turn": "weak"},
        True,
    ),
    "fair choice": (
        "A fair choice takes each alternative that it offers again and again.",
        """
        action Init: x = 0
        atomic fair action Flip: x = fair oneof [0, 1]
        always eventually assertion P: return x == 1
        """,
        {"Flip": "weak"},
        False,
    ),
    "unfair choice": (
        "Another one need not.",
        """
        action Init: x = 0
        atomic fair action Flip: x = oneof [0, 1]
        always eventually assertion P: return x == 1
        """,
        {"Flip": "weak"},
        True,
    ),
    "choice that is avoided": (
        "A fair choice forces nothing as long as nobody comes there.",
        """
        action Init: x = 0
        atomic fair action Rest: x = 0
        atomic action Flip: x = fair oneof [0, 1]
        always eventually assertion P: return x == 1
        """,
        {"Rest": "weak"},
        True,
    ),
}


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("case", CASES)
def test_cases(case: str, engine: str) -> None:
    """What the first line of the case says; brute force agrees."""
    _, text, fairness, expected = CASES[case]
    text = dedent(text).lstrip()
    if not text.startswith("---"):
        text = "---\ndeadlock_detection: false\n---\n" + text
    assert violated(text, fairness) == {"P": expected}
    report = check(fizz.load("m.fizz", text=text), engine=engine)
    found = {p.name: p.verdict for p in report.properties}
    assert found["P"] == ("violated" if expected else "holds")
    assert int(report.exit_code) == (13 if expected else 0)
    if report.trace is not None:
        assert report.trace.stutter or report.trace.cycle_start is not None
        cycle = report.trace.entries[report.trace.cycle_start or len(report.trace.entries) :]
        assert not any(entry.crash for entry in cycle)


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize(("limit", "exit_code", "verdict"), [(3, 3, "holds-within-bound"), (100, 0, "holds")])
def test_the_bound_is_no_stuttering(engine: str, limit: int, exit_code: int, verdict: str) -> None:
    """At the bound a fair action counts as available: nothing is found, and nothing is claimed beyond it."""
    text = f"""
---
options: {{max_actions: {limit}}}
---
action Init: x = 0
atomic fair action Go: x = (x + 1) % 6
always eventually assertion P: return x == 5
"""
    report = check(fizz.load("m.fizz", text=text), engine=engine)
    assert (int(report.exit_code), {p.name: p.verdict for p in report.properties}["P"]) == (exit_code, verdict)


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_a_lasso_within_the_bound_is_real(engine: str) -> None:
    """What is found in a search that was cut is a violation all the same."""
    text = """
---
options: {max_actions: 3}
---
action Init: x = 0
atomic action Go: x = x + 1
always eventually assertion P: return x == 1
"""
    report = check(fizz.load("m.fizz", text=text), engine=engine)
    assert report.cut and int(report.exit_code) == 13
