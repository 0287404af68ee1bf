"""Remembered rules: what is looked up is what the interpreter would say, and it is asked far less often."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.search.memo.memo import PROBATION, Memory
from checker.search.memo.remembering import Restart, RestartMark
from checker.search.memo.trie import Counters, ReadTree
from fizz import Span, load
from interpreter import Machine, State, StepKind, compile_module
from interpreter.execute.view import RememberedView
from interpreter.state.state import Slot
from interpreter.state.step import Aborted, Candidate, Event, ExecutionPath, Fork, Outcome, Read
from interpreter.values.intern import Tag

MODELS = Path(__file__).resolve().parents[2] / "models"
NOWHERE = Span("toy", 1, 1, 1, 1)
SAMPLED = (
    "classics/LostUpdate.fizz",
    "classics/TwoPhase.fizz",
    "classics/TwoPhaseRoles.fizz",
    "venice/VeniceLeaderFollower.fizz",
    "venice/VenicePromoted.fizz",
)

# --- the tree --------------------------------------------------------------------------------------------------------


def run_from(table: dict[Slot, int], fork: int) -> Callable[[tuple[int, ...]], ExecutionPath]:
    """A rule that reads x; if it is 0 it chooses among `fork` alternatives and reads y after the last of them."""

    def run(choices: tuple[int, ...]) -> ExecutionPath:
        events: list[Event] = [Read(("x",), table["x",])]
        if table["x",] == 0:
            taken = choices[0] if choices else 0
            events.append(Fork(fork, taken, str(taken)))
            if taken == fork - 1:
                events.append(Read(("y",), table["y",]))
        forks = tuple(event.taken for event in events if isinstance(event, Fork))
        return ExecutionPath(tuple(events), Aborted(f"{table['x',]} {forks} {table.get(('y',), '')}", NOWHERE))

    return run


def reasons(tree: ReadTree, table: dict[Slot, int]) -> list[str]:
    results = tree.results(table.__getitem__, run_from(table, 3), 100)
    return [result.reason for result in results if isinstance(result, Aborted)]


def test_all_ways_in_the_order_of_their_choices() -> None:
    """Each path is run once; equal answers are looked up; only what was read is asked for."""
    counters = Counters()
    tree = ReadTree(counters)
    assert reasons(tree, {("x",): 0, ("y",): 5}) == ["0 (0,) 5", "0 (1,) 5", "0 (2,) 5"]
    assert (counters.calls, counters.hits) == (3, 0)
    assert reasons(tree, {("x",): 0, ("y",): 5}) == ["0 (0,) 5", "0 (1,) 5", "0 (2,) 5"]
    assert (counters.calls, counters.hits) == (3, 1)
    # Only the last alternative looks at y.
    assert reasons(tree, {("x",): 0, ("y",): 6}) == ["0 (0,) 5", "0 (1,) 5", "0 (2,) 6"]
    assert counters.calls == 4
    assert reasons(tree, {("x",): 1}) == ["1 () "]
    assert (counters.evaluations, counters.calls, counters.hits) == (4, 5, 1)


def test_a_rule_that_reads_something_new_each_time_is_run_anew() -> None:
    """Remembering ends where it does not pay; the results are the same."""
    # A float is left to the interpreter: a rule without one would be run directly.
    text = "action Init: n = 0\natomic action Up:\n    x = 1.5\n    n += 1\n"
    machine = Machine(compile_module(load("m.fizz", text=text)))
    memory = Memory(machine)
    state = machine.initial()[0][0].state
    for _ in range(PROBATION + 10):
        rule = machine.candidates(state)[0].rule
        (outcome,) = memory.results(rule, machine.view(state))
        assert isinstance(outcome, Outcome)
        target = machine.apply(state, rule, outcome)
        assert target is not None
        state = target
    assert memory.choice(rule).forgotten
    assert memory.total().calls == memory.total().evaluations == PROBATION + 10
    assert memory.total().nodes == 0


# --- models ----------------------------------------------------------------------------------------------------------


def test_far_fewer_calls_than_evaluations() -> None:
    """The interpreter is asked for a small part of the rules that are evaluated."""
    stats = check(MODELS / "classics/TwoPhase.fizz", settings=Settings(stats=True)).stats
    calls, evaluations = stats["interpreter calls"], stats["rule evaluations"]
    assert isinstance(calls, int) and isinstance(evaluations, int)
    assert calls * 10 < evaluations


@pytest.mark.parametrize("model", SAMPLED)
def test_outcomes_depend_on_nothing_but_what_was_read(model: str) -> None:
    """Sampled steps are run again with every unread slot poisoned; they do not notice."""
    machine = Machine(compile_module(load(MODELS / model)))
    for state, candidate in sampled_steps(machine, 300):
        for path in machine.paths(candidate.rule, machine.view(state)):
            answers = {event.slot: event.answer for event in path.events if isinstance(event, Read)}
            forks = tuple(event.taken for event in path.events if isinstance(event, Fork))
            assert machine.run(candidate.rule, RememberedView(answers), forks) == path


@pytest.mark.parametrize("model", SAMPLED)
def test_unread_slots_stay_as_they_are(model: str) -> None:
    """An outcome applied to a state that differs in an unread slot leaves that slot alone."""
    machine = Machine(compile_module(load(MODELS / model)))
    poison = machine.values.intern(Tag.STRING, "poison")
    for state, candidate in sampled_steps(machine, 100):
        for path in machine.paths(candidate.rule, machine.view(state)):
            if isinstance(path.result, Outcome) and path.result.thread is None:
                touched = {e.slot for e in path.events if isinstance(e, Read)} | {
                    slot for slot, _ in path.result.writes
                }
                kinds = ("heap", "field")
                others = [i for i, slot in enumerate(state.layout.slots) if slot not in touched and slot[0] in kinds]
                if not others or candidate.rule.kind is not StepKind.START or state.layout.owned:
                    continue
                values = [poison if i in others else value for i, value in enumerate(state.values)]
                poisoned = State(state.layout, tuple(values), state.threads, state.messages)
                target = machine.apply(poisoned, candidate.rule, path.result)
                clean = machine.apply(state, candidate.rule, path.result)
                assert target is not None and clean is not None
                for i, slot in enumerate(clean.layout.slots):
                    assert target.values[i] == (poison if slot not in touched and slot[0] in kinds else clean.values[i])


def sampled_steps(machine: Machine, most: int) -> Iterator[tuple[State, Candidate]]:
    """States met on random walks, each with one of its rules."""
    source = random.Random(1)
    for _ in range(most // 20):
        state = source.choice(machine.initial()[0]).state
        for _ in range(20):
            rules = [c for c in machine.candidates(state) if c.rule.kind is not StepKind.CRASH_ROLE]
            if rules:
                yield state, source.choice(rules)
            steps = machine.steps(state).steps
            if not steps:
                break
            state = source.choice(steps).target


IN_TWO_STATEMENTS = """
---
deadlock_detection: false
---
action Init:
    a = 0
    b = 0
    topic = []

atomic action Turn:
    a = (a + 1) % 8
atomic action Swing:
    b = (b + 1) % 8
atomic action Write:
    require len(topic) < 3
    number = oneof [1, 2]
    topic.append(number)

def total(numbers):
    found = {"sum": 0}
    for number in numbers:
        found["sum"] += number
    return found

always assertion Bounded:
    if a == 9:
        return False
    wanted = total(topic)
    return wanted["sum"] + b < 20
"""


def test_assertions_begin_anew_after_each_statement(tmp_path: Path) -> None:
    """What a statement has read is forgotten but for what came of it: it is asked about few states, not their product.

    There are 8 values of `a`, 8 of `b`, 15 topics with 7 sums: 8 + 15 + 7 * 8 paths of the assertion.
    """
    model = tmp_path / "two.fizz"
    model.write_text(IN_TWO_STATEMENTS)
    report = check(model, settings=Settings(stats=True))
    assert report.verdict == "passed" and report.states == 8 * 8 * 15
    actions = 8 + 8 + 2 * 15
    calls = report.stats["interpreter calls"]
    assert isinstance(calls, int) and calls <= 1 + actions + 8 + 15 + 7 * 8


BEHIND_TWO_GUARDS = """
---
deadlock_detection: false
---
action Init:
    a = 0
    b = 0
    c = 0

atomic action Turn:
    a = (a + 1) % 8
atomic action Swing:
    b = (b + 1) % 8
atomic action Toggle:
    require a % 2 == 0
    require b % 2 == 0
    c = 1 - c
"""


@pytest.mark.parametrize("engine", ["columns", "early columns"])
def test_actions_begin_anew_after_their_guards(engine: str, tmp_path: Path) -> None:
    """What guards have read is forgotten: `Toggle` is asked about odd `a`, even ones with each `b`, and `c`."""
    model = tmp_path / "guards.fizz"
    model.write_text(BEHIND_TWO_GUARDS)
    report = check(model, engine=engine, settings=Settings(stats=True))
    assert report.verdict == "passed" and report.states == 8 * 8 * 2
    calls = report.stats["interpreter calls"]
    # Columns make a few of them twice. With all that the guards have read there would be 69.
    assert isinstance(calls, int) and calls <= 1 + 8 + 8 + (4 + 4 * 8) + 2 + 3


def mark(thread: int) -> Restart:
    """A restart of a path of which nothing else is known."""
    return Restart(RestartMark(thread, (), (), (), frozenset(), (), True, False))


def test_what_comes_after_a_known_restart_is_kept() -> None:
    """A path that comes to a known restart, and goes on as none before, is run once."""
    tree = ReadTree(Counters())
    for first, second in ((1, 1), (2, 2)):
        asked = {("x",): first, ("y",): second}
        runs: list[object] = []

        def run(choices: tuple[int, ...], asked: dict[Slot, int] = asked, runs: list[object] = runs) -> ExecutionPath:
            runs.append(choices)
            events = (Read(("x",), asked["x",]), mark(1), Read(("y",), asked["y",]))
            return ExecutionPath(events, Aborted(str(asked["y",]), NOWHERE))

        found = tree.results(asked.__getitem__, run, 10)
        assert [result.reason for result in found if isinstance(result, Aborted)] == [str(second)]
        assert len(runs) == 1


def test_many_paths_to_one_restart_are_walked_once() -> None:
    """Forty restarts with two branches before each are 2 ** 40 paths through a tree of two hundred nodes."""
    tree = ReadTree(Counters())
    for answer in (0, 1):
        events: list[Event] = []
        for number in range(40):
            events += [Read((f"x{number}",), answer), mark(number)]
        path = ExecutionPath(tuple(events), Aborted("end", NOWHERE))
        tree.results(lambda slot, answer=answer: answer, lambda choices, path=path: path, 10)  # type: ignore[misc]
    assert tree.asks(("x39",).__eq__) and not tree.asks(("y",).__eq__)


@pytest.mark.parametrize("values", ["range({})", "[i for i in range({})]", "[str(i) for i in range({})]"])
def test_a_long_choice_is_named_once(values: str, tmp_path: Path) -> None:
    """Each alternative is a path of its own: naming all of them on each path would take quadratic time."""

    def calls(count: int) -> int:
        model = tmp_path / "m.fizz"
        model.write_text(f"VALUES = {values.format(count)}\natomic action A: x = oneof VALUES\n")
        counted = 0

        def counting(frame: FrameType, event: str, argument: object) -> None:
            nonlocal counted
            counted += event == "call"

        sys.setprofile(counting)
        try:
            assert check(model).transitions == count
        finally:
            sys.setprofile(None)
        return counted

    calls(40)  # what is imported and made once
    assert calls(400) <= 2.4 * calls(200)
