"""The cycle of a lasso is calm too: of the fair cycles of its length none has fewer context switches.

Brute force goes through all of them; what is fair is read off the text of the model, as for the verdicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.engines import engine_of
from checker.engines.assertions import Assertions
from checker.engines.memory import Memory
from checker.exploration import Settings
from checker.explore import explore
from checker.properties import properties_of
from checker.properties.liveness import Liveness
from checker.replay import story
from checker.report import PropertyReport
from checker.walks import calm_cycle
from checker.walks.fair_cycle import FairCycles
from checker.walks.moves import Moves, move_of
from interpreter import Machine, State, Step, StepKind, compile_module
from tests.checker.test_calm import switches, told_by
from tests.checker.test_fair_programs import MOST_STATES, Edge, Graph, random_program

LONGEST = 6
MOST_WALKS = 60_000

TURNS = """\
---
options: {crash_on_yield: false, max_concurrent_actions: 2}
deadlock_detection: false
---
action Init: a, b = 0, 0
fair action A:
    require a == 0
    a = 1
    a = 0
fair action B:
    require b == 0
    b = 1
    b = 0
eventually always assertion Alone: return a == 0 or b == 0
"""


class Cycles:
    """All cycles of a model, and which of them are those of a counterexample."""

    def __init__(self, text: str, fairness: dict[str, str]) -> None:
        self.program = compile_module(fizz.load("m.fizz", text=text))
        self.machine = Machine(self.program)
        self.graph = Graph(self.machine, fairness)
        edges: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.graph.edges:
            edges[edge.source].append(edge)
        self.live: dict[State, list[tuple[Step, Edge]]] = {}
        for state, number in self.graph.states.items():
            steps = [step for step in self.machine.steps(state).steps if not step.crashes]
            self.live[state] = list(zip(steps, edges[number], strict=True))

    def walks(self, state: State, length: int) -> Iterator[list[tuple[Step, Edge]]]:
        """All walks of a length."""
        if not length:
            yield []
            return
        for step, edge in self.live[state]:
            for rest in self.walks(step.target, length - 1):
                yield [(step, edge), *rest]

    def shows(self, walk: Sequence[tuple[Step, Edge]], report: PropertyReport, wrong: set[int]) -> bool:
        """Is a closed walk fair, and false as its property must not be?"""
        edges = [edge for _, edge in walk]
        states = {edge.source for edge in edges}
        taken = {name for edge in edges for name in edge.takes}
        owed = {name for edge in edges for name in edge.offers}
        owed |= set().union(*[self.graph.strong[s] for s in states])
        owed |= set.intersection(*[self.graph.weak[s] for s in states])
        bad = states <= wrong if report.kind == "always eventually" else edges[0].source in wrong
        return bad and owed <= taken

    def wrong(self, name: str) -> set[int]:
        """The states in which an assertion is false."""
        (number,) = [a.number for a in self.program.assertions if a.name == name]
        found = set()
        for state, index in self.graph.states.items():
            (rule,) = self.machine.assertion_rules(number, state)
            if not getattr(self.machine.run(rule, self.machine.view(state)).result, "value", True):
                found.add(index)
        return found

    def least(self, head: State, told: Sequence[Step], report: PropertyReport) -> int | None:
        """The fewest context switches of any cycle that is as long, starts as many actions, and shows the same.

        None if there are too many to look at.
        """
        wrong, best = self.wrong(report.name), []
        for count, walk in enumerate(self.walks(head, len(told))):
            if count > MOST_WALKS:
                return None
            steps = [step for step, _ in walk]
            if steps[-1].target == head and starts(steps) == starts(told) and self.shows(walk, report, wrong):
                best.append(switches(self.machine, steps))
        return min(best)


def starts(steps: Sequence[Step]) -> int:
    """How many actions begin."""
    return sum(step.rule.kind is StepKind.START for step in steps)


def lassos(model: Path | fizz.Module) -> Iterator[PropertyReport]:
    """The violations of a model that are lassos with a cycle."""
    report = check(model, settings=Settings(keep_going=True))
    for p in report.properties:
        if p.trace is not None and p.trace.cycle_start is not None:
            yield p


def cycle_of(p: PropertyReport, machine: Machine) -> tuple[State, list[Step]]:
    """Where the cycle of a counterexample begins, and its steps."""
    assert p.trace is not None and p.trace.cycle_start is not None
    steps = told_by(p, machine)  # type: ignore[arg-type]
    begin = p.trace.cycle_start - 1
    head = steps[begin - 1].target if begin else machine.initial()[0][0].state
    return head, steps[begin:]


@pytest.mark.parametrize("block", range(3))
def test_fewest_of_all(block: int) -> None:
    """Each cycle that is told shows what it should, and none that does has fewer switches."""
    compared = 0
    for seed in range(80 * block, 80 * block + 80):
        text, fairness = random_program(seed)
        cycles = Cycles(text, fairness) if _is_small(text, fairness) else None
        if cycles is None:
            continue
        for p in lassos(fizz.load("m.fizz", text=text)):
            head, steps = cycle_of(p, cycles.machine)
            if len(steps) > LONGEST or (least := cycles.least(head, steps, p)) is None:
                continue
            compared += 1
            assert steps[-1].target == head
            assert switches(cycles.machine, steps) == least, f"{seed} {p.name}\n{text}"
            edges = _edges(cycles, head, steps)
            assert cycles.shows(edges, p, cycles.wrong(p.name)), f"{seed} {p.name}\n{text}"
    assert compared > 10


def _is_small(text: str, fairness: dict[str, str]) -> bool:
    return len(Graph(Machine(compile_module(fizz.load("m.fizz", text=text))), fairness).states) <= MOST_STATES


def _edges(cycles: Cycles, head: State, steps: Sequence[Step]) -> list[tuple[Step, Edge]]:
    found, state = [], head
    for step in steps:
        found.append(next((s, e) for s, e in cycles.live[state] if s.order == step.order))
        state = step.target
    return found


def found_first(path: Path) -> tuple[Machine, list[Step]]:
    """The cycle as engines bring it."""
    program = compile_module(fizz.load(str(path)))
    explored = explore(engine_of("plain"), program, properties_of(program, None), Settings())
    finding = next(iter(explored.findings.values()))
    machine = Machine(program)
    told = story(machine, finding)
    assert told is not None
    return machine, list(told.steps[-len(finding.cycle) :])


@pytest.mark.parametrize("most_places", [0, calm_cycle.MOST_PLACES], ids=["joined", "searched"])
def test_needless_switches_go(most_places: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that go on by turns do so one after the other, and it is said why that is fair."""
    monkeypatch.setattr(calm_cycle, "MOST_PLACES", most_places)
    (tmp_path / "m.fizz").write_text(TURNS)
    machine, first = found_first(tmp_path / "m.fizz")
    (p,) = lassos(tmp_path / "m.fizz")
    _, steps = cycle_of(p, machine)
    assert len(steps) == len(first)
    assert (switches(machine, first), switches(machine, steps)) == (3, 1)
    assert p.trace is not None
    assert p.trace.fairness == (
        "every unfinished thread that can go on does: A goes on in the cycle",
        "every unfinished thread that can go on does: B goes on in the cycle",
        "A is weakly fair, and the cycle takes it",
        "B is weakly fair, and the cycle takes it",
    )


def test_cycles_of_engines_are_judged_as_the_engines_do() -> None:
    """As the cycle of a counterexample, and fair for the same reasons."""
    compared = 0
    for seed in range(60):
        text, _ = random_program(seed)
        program = compile_module(fizz.load("m.fizz", text=text))
        properties = properties_of(program, None)
        explored = explore(engine_of("plain"), program, properties, Settings(keep_going=True))
        machine = Machine(program)
        moves = Moves(Memory(machine))
        assertions = Assertions(machine, machine.parts_view, moves.memory.result)
        for p in properties:
            finding = explored.findings.get(p.key)
            if finding is None or not finding.cycle:
                continue
            told = story(machine, finding)
            assert told is not None and isinstance(p, Liveness)
            compared += 1
            begin = len(told.steps) - len(finding.cycle)
            cycle = [move_of(step) for step in told.steps[begin:]]
            fair = FairCycles(machine, moves, assertions, p)
            assert fair.judged(told.states[begin], cycle), f"{seed}\n{text}"
            assert fair.sentences(told.states[begin], cycle) == finding.fairness, f"{seed}\n{text}"
            assert not fair.judged(told.states[begin], [*cycle, cycle[0]]) or cycle[0].target == told.states[begin]
    assert compared > 20


def test_engines_tell_the_same(tmp_path: Path) -> None:
    """Which engine found it makes no difference."""
    (tmp_path / "m.fizz").write_text(TURNS)
    plain, embedded = (check(tmp_path / "m.fizz", engine=engine) for engine in ("plain", "embedded"))
    assert plain.trace is not None and plain.trace == embedded.trace
