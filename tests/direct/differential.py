"""Rules run directly, compared with the interpreter: results, executed lines, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import fizz
from checker.search.known_pairs import PairsOfModel
from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import RECORDED
from fizz import Span
from interpreter import Machine, ModelError, State, StepKind
from interpreter.direct.rules import DirectRules
from interpreter.execute.view import PairView
from interpreter.state.step import Aborted, Failure, Outcome, Result, Rule, verdict_of
from interpreter.values.budget import METER
from tests.random.laws import walk

SLACK = 5
"""A path of the interpreter may cost so many times what the same rule spent when it was run directly."""


@dataclass
class Tally:
    """What a comparison found. `compared`: evaluations that both did; `left`: those left to the interpreter.

    `recorded`: runs of functions that recorded paths.
    """

    compared: int = 0
    recorded: int = 0
    left: int = 0
    differences: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    dearest: float = 0.0


class _Lines(Machine):
    """A machine whose noted lines are those of rules run directly."""

    most_paths = 3_000

    def __init__(self, program: object) -> None:
        super().__init__(program)  # type: ignore[arg-type]
        self.direct_lines: set[Span] = set()

    def note_lines(self, lines: object) -> None:
        self.direct_lines.update(lines)  # type: ignore[arg-type]


def compare_file(path: Path | str, most: int = 120, **options: object) -> Tally:
    """The comparison of a model in a file."""
    return compare(_machine(fizz.load(str(path), **options)), most)  # type: ignore[arg-type]


def compare_text(text: str, most: int = 120) -> Tally:
    """The comparison of a model."""
    return compare(_machine(fizz.load("m.fizz", text=text)), most)


def _machine(module: fizz.Module) -> Machine:
    """A machine that is asked about each pair of `leadsto` assertions that its first initial state has."""
    known = PairsOfModel(module)
    with suppress(ModelError):
        known.seen_by(Machine(known.program()))
    return _Lines(known.program())


def compare(machine: Machine, most: int) -> Tally:
    """Every rule in up to `most` states, breadth first."""
    direct = DirectRules(machine)
    tally = Tally(reasons=direct.reasons)
    every: set[Span] = set()
    both: set[Span] = set()
    for before, state in walk(machine, most):
        for rule, pair in rules_of(machine, before, state):
            found = direct.results(rule, state, pair)
            spent = direct.spent
            wanted: list[Result] = []
            cost = 0
            view = machine.view(state) if pair is None else PairView(machine.view(pair), machine.view(state))
            for path in machine.paths(rule, view, noted=False):
                cost = max(cost, METER.count, METER.made)
                wanted.append(path.result)
            lines = {span for result in wanted for span in result.lines}
            every |= lines
            if found is None:
                tally.left += 1
                continue
            both |= lines
            tally.compared += 1
            tally.dearest = max(tally.dearest, cost / max(spent, 1))
            if rule.kind is StepKind.ASSERT:
                wanted = [verdict_of(wanted)]
            name = machine.span_of(rule)
            if [_shown(machine, state, rule, one) for one in found] != [
                _shown(machine, state, rule, one) for one in wanted
            ]:
                tally.differences.append(f"{name} {rule}: {found} instead of {wanted} in {machine.describe(state)}")
            if cost > SLACK * spent:
                tally.differences.append(f"{name} {rule}: {cost} charges, {spent} directly")
    compare_recorded(Machine(machine.program), min(most, 30), tally)
    assert isinstance(machine, _Lines)
    if not both <= machine.direct_lines:
        tally.differences.append(f"not noted: {both - machine.direct_lines}")
    if not machine.direct_lines <= every:
        tally.differences.append(f"noted, but never executed: {machine.direct_lines - every}")
    return tally


def compare_recorded(machine: Machine, most: int, tally: Tally) -> None:
    """What is remembered of rules, recorded by functions of Python, in as many states."""
    machine.most_paths = _Lines.most_paths
    memory = Memory(machine, thresholds=replace(RECORDED, learning=1 << 62, hopeless=1 << 62))
    for before, state in walk(machine, most):
        for rule, pair in rules_of(machine, before, state):
            if rule.kind not in (StepKind.START, StepKind.ASSERT):
                continue
            view = machine.view(state) if pair is None else PairView(machine.view(pair), machine.view(state))
            wanted: list[Result] = [path.result for path in machine.paths(rule, view, noted=False)]
            parts = memory.view(state) if pair is None else PairView(memory.view(pair), memory.view(state))
            found: list[Result] = list(memory.results(rule, parts))
            if rule.kind is StepKind.ASSERT:
                wanted, found = [verdict_of(wanted)], [verdict_of(found)]
            else:
                found = [memory.joined(state, one) if isinstance(one, Outcome) else one for one in found]
            if [_known(machine, state, rule, one) for one in found] != [
                _known(machine, state, rule, one) for one in wanted
            ]:
                tally.differences.append(f"{rule} recorded: {found[:9]} instead of {wanted[:9]}")
    tally.recorded = memory.tally().recorded


def _known(machine: Machine, state: State, rule: Rule, result: Result) -> object:
    """As `_shown`, of mistakes too."""
    return result.error.code if isinstance(result, Failure) else _shown(machine, state, rule, result)


def _shown(machine: Machine, state: State, rule: Rule, result: Result) -> object:
    """A result without its lines and without writes that change nothing; what it leads to."""
    if isinstance(result, Aborted):
        return Aborted(result.reason, result.span)
    assert isinstance(result, Outcome), result
    if rule.kind is StepKind.ASSERT:
        return result.value
    index, values = state.layout.index, state.values
    writes = {slot: number for slot, number in result.writes if slot not in index or values[index[slot]] != number}
    return replace(result, writes=tuple(sorted(writes.items(), key=repr)), lines=()), machine.apply(state, rule, result)


def rules_of(machine: Machine, before: State, state: State) -> Iterator[tuple[Rule, State | None]]:
    """The rules that may run in a state; with the state before it those about a step."""
    for candidate in machine.candidates(state, limits=False):
        if candidate.rule.kind is not StepKind.CRASH_ROLE:
            yield candidate.rule, None
    for assertion in machine.program.assertions:
        for rule in machine.assertion_rules(assertion.number, state):
            yield rule, before if assertion.kind == "transition" else None


__all__ = ["Failure", "Tally", "compare", "compare_file", "compare_text"]
