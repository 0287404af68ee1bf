"""Results that one process shares with others: by value, for every kind of rule and result."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.level import Level, StateRef
from checker.core.property import watches_of
from checker.properties import properties_of
from checker.search.checkpoints.codec import StateCodec
from checker.search.contract.protocol import Task
from checker.search.memo.remembering import BeginAnew, CutPoint, MarkedFork, Restart
from checker.search.memo.run_choice import INTERPRETED, RECORDED
from checker.search.rows.expander import Expander
from checker.search.spark.result_recorder import ResultRecorder
from checker.search.spark.shared_results import SharedResult, merged, pack_results, unpack_results
from fizz import load
from interpreter import State, compile_module
from interpreter.state.step import StepKind
from tests.checkpoint.conftest import WIDE
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS, PARTS

KAFKA = Path(__file__).resolve().parents[2] / "models" / "kafka"

# A container is kept over a choice: where nothing comes of it, and where it is assigned.
KEPT = """\
action Init: boxes, kept, seen = [struct(inside = set([1])), struct(inside = set([2, 3]))], set(), 0
atomic action Look:
    box = oneof boxes
    seen = len(box.inside)
atomic action Take:
    box = oneof boxes
    require seen < 2
    kept = box.inside
"""

FRESH = """\
KEYS = symmetry.nominal(name="k", limit=2)
action Init: seen, draws = set(), 0
action Draw:
    require draws < 2
    draws += 1
    seen.add(KEYS.fresh())
"""

SHARED = {**MODELS, "parts": PARTS, "wide": WIDE, "kept": KEPT}


class Process:
    """One process of a run, whose ids differ from those of others."""

    def __init__(self, source: str, folder: Path, shift: int = 0) -> None:
        path = folder / "m.fizz"
        path.write_text(source)
        program = compile_module(load(path))
        watches = watches_of(properties_of(program, None), program.options)
        self.expander = Expander(Task(program, watches, Settings()))
        self.machine = self.expander.machine
        for number in range(shift):
            self.machine.values.intern(2, -1000 - number)
        self.codec = StateCodec(self.machine)
        self.recorder = ResultRecorder(self.expander)
        self.level = Level()

    def explore(self, most: int) -> list[State]:
        """Some states, all of which were judged and expanded."""
        pending = [path.state for path in self.machine.initial()[0]]
        met = dict.fromkeys(pending)
        while pending and len(met) < most:
            state = pending.pop(0)
            for target in self.visit(state):
                if target not in met:
                    met[target] = None
                    pending.append(target)
        expanded = [state for state in met if state not in set(pending)]
        assert len(expanded) > 2
        return expanded

    def visit(self, state: State) -> list[State]:
        """Judge a state and take its steps."""
        ref = StateRef(self.machine.key(state), 0)
        self.expander.judge(state, ref, self.level)
        return [arrival.state for arrival in self.expander.expand(state, ref, False, self.level)]

    def calls(self) -> int:
        return self.expander.memory.total().calls


@pytest.mark.parametrize("name", SHARED)
def test_a_process_with_shared_results_asks_nothing(name: str, tmp_path: Path) -> None:
    """All results arrive: the same states are expanded without the interpreter, with the same steps."""
    sender, receiver = Process(SHARED[name], tmp_path), Process(SHARED[name], tmp_path, shift=50)
    states = sender.explore(60)
    receiver.machine.initial()
    assert sender.calls() > 2
    data = sender.recorder.unsent(sender.codec)
    assert sender.recorder.unshared == 0
    receiver.recorder.add(unpack_results(receiver.codec, data), None)
    carried = receiver.codec.unpack_states(sender.codec.pack_states(states))
    for at, state in enumerate(states):
        before = [sender.machine.encoding(target) for target in sender.visit(state)]
        after = [receiver.machine.encoding(target) for target in receiver.visit(carried.state(at))]
        assert after == before
    assert receiver.calls() == 0
    assert receiver.machine.noted() == sender.machine.noted()
    assert sender.recorder.unsent(sender.codec) == receiver.recorder.unsent(receiver.codec) == b""


RECORDED_MODEL = """\
action Init: rows, best = [[1, 2, 3], [2, 3, 4], [4, 5, 6]], 0
atomic action Pick:
    row = oneof rows
    item = oneof [x for x in row if x > best]
    other = oneof [0, 1]
    best = item + other
always assertion Small: return all([len(row) == 3 for row in rows]) and best < 99
"""


def test_recorded_paths_are_shared(tmp_path: Path) -> None:
    """Paths that functions of Python record arrive with their cut points; each process records such rules from then on.

    A process that has given up the function, or has another one, does not take them in.
    """
    sender, receiver, other, third = (Process(RECORDED_MODEL, tmp_path, shift) for shift in (0, 11, 17, 23))
    sender.expander.memory.thresholds = RECORDED
    states = sender.explore(60)
    found = unpack_results(receiver.codec, data := sender.recorder.unsent(sender.codec))
    recorded = [shared for shared in found if shared.recorded]
    assert {shared.rule.kind for shared in recorded} == {StepKind.START, StepKind.ASSERT}
    assert any(isinstance(event, CutPoint) for shared in recorded for event in shared.path.events)
    assert any(isinstance(event, MarkedFork) for shared in recorded for event in shared.path.events)
    receiver.machine.initial()
    receiver.recorder.add(found, None)
    carried = receiver.codec.unpack_states(sender.codec.pack_states(states))
    for at, state in enumerate(states):
        before = [sender.machine.encoding(target) for target in sender.visit(state)]
        assert [receiver.machine.encoding(target) for target in receiver.visit(carried.state(at))] == before
    assert receiver.calls() == 0
    other.expander.memory.thresholds = INTERPRETED
    other.explore(60)
    other.expander.memory._recording.update(dict.fromkeys({shared.rule for shared in recorded}, False))
    nodes = other.expander.memory.total().nodes
    other.recorder.add(unpack_results(other.codec, data), None)
    assert other.expander.memory.total().nodes == nodes
    # Merged by the driver, they are what they were.
    assert len(unpack_results(third.codec, merged(third.codec, [data, data])[0])) == len(found)


def test_rules_that_began_anew(tmp_path: Path) -> None:
    """Paths with and without containers kept over restarts are not mixed: a process that gets the latter goes on so."""
    sender, receiver, other = (Process(KEPT, tmp_path, shift) for shift in (0, 7, 13))
    (rule,) = (c.rule for c in sender.machine.candidates(sender.explore(60)[0]) if c.name == "Take")
    shared_results = unpack_results(receiver.codec, sender.recorder.unsent(sender.codec))
    assert {shared.without_containers for shared in shared_results if shared.rule == rule} == {True}
    assert any(isinstance(event, Restart) for shared in shared_results for event in shared.path.events)
    # What the receiver remembered before is of no use any more.
    view = receiver.expander.memory.view(receiver.machine.initial()[0][0].state)
    with pytest.raises(BeginAnew):
        receiver.expander.memory.runner.run(rule, view)
    mistaken = [SharedResult(rule, False, False, shared.path) for shared in shared_results if shared.rule == rule]
    receiver.recorder.add(mistaken, None)
    assert receiver.expander.memory.tree(rule).root is None
    other.recorder.add(mistaken, None)
    assert other.expander.memory.tree(rule).root is not None
    assert rule not in other.expander.memory.runner.without_containers
    other.recorder.add([mistaken[0]._replace(without_containers=True)], None)
    assert rule in other.expander.memory.runner.without_containers


def test_questions_that_only_one_process_understands(tmp_path: Path) -> None:
    """What a thread asks about values in use has the thread's id in it: that is not shared, but counted."""
    process = Process(FRESH, tmp_path)
    process.explore(60)
    data = process.recorder.unsent(process.codec)
    asked = [shared.rule.kind for shared in unpack_results(process.codec, data)]
    assert process.recorder.unshared + len(asked) == process.calls()
    assert process.recorder.unshared > 0
    assert StepKind.START in asked


def test_each_result_once(tmp_path: Path) -> None:
    """A result of two processes is merged into one; a process that has it already stays as it is."""
    first, second, driver = (Process(WIDE, tmp_path, shift) for shift in (0, 5, 9))
    first.explore(40)
    second.explore(60)
    sent = [process.recorder.unsent(process.codec) for process in (first, second)]
    data, count = merged(driver.codec, sent)
    assert count == len(unpack_results(driver.codec, sent[1])) > len(unpack_results(driver.codec, sent[0]))
    nodes = second.expander.memory.total().nodes
    second.recorder.add(unpack_results(second.codec, data), None)
    assert second.expander.memory.total().nodes == nodes
    assert merged(driver.codec, []) == pack_results(driver.codec, []) == (b"", 0)


def test_rules_that_do_not_pay_are_not_shared(tmp_path: Path) -> None:
    process = Process(WIDE, tmp_path)
    process.explore(20)
    for shared in list(process.recorder._noted):
        process.expander.memory.forget(shared.rule)
    assert process.recorder.unsent(process.codec) == b""


def test_about_once_in_the_cluster(stage: Stage) -> None:
    """Several workers together interpret little more than one, and share all of it."""
    model = KAFKA / "KafkaTruncateToHighWatermark.fizz"
    alone = check(model, settings=Settings(keep_going=True, stats=True))
    chosen = settings_for(3, spark_from=300, keep_going=True)
    together = check(model, engine="spark", settings=chosen)
    calls, least = together.stats["interpreter calls"], alone.stats["interpreter calls"]
    shared_results = together.stats["lessons"]
    assert isinstance(calls, int) and isinstance(least, int) and isinstance(shared_results, int)
    assert together.states == alone.states
    assert calls <= 1.35 * least
    assert 0.7 * calls < shared_results <= calls
    assert together.stats["lessons not told"] == 0
