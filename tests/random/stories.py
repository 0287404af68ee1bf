"""A campaign by hand: `python -m tests.random.stories 500`; counterexamples beside a search of all of a small graph.

Each counterexample of random programs, as `fizzpy check` tells it, is compared in three numbers: its steps (of a lasso
those to the cycle, and those of the cycle), its crashes, and its context switches. What is least is found along every
run of the length; only steps of the machine are shared with the search and with what rewrites stories.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import PropertyReport
from checker.properties import properties_of
from checker.search.contract.assertion_answers import Assertions
from interpreter import Machine, State, Step, StepKind, compile_module
from tests.checker.test_fair_programs import MOST_STATES as MOST_FAIR
from tests.checker.test_fair_programs import Graph
from tests.checker.test_fewest_crashes import Space, random_fair_text, random_text
from tests.checker.test_fewest_switches import owner, switches
from tests.checker.test_short_cycles import Cycles

Tail = tuple[object, str]
Ends = Callable[[State, Step], bool]


@dataclass(slots=True)
class Tally:
    """How many counterexamples were compared, by kind, and which were not the least, in words."""

    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def compared(self) -> int:
        """All of them."""
        return self.kinds.total()

    def add(self, kind: str, faults: Iterator[str], where: str) -> None:
        """Count a counterexample."""
        self.kinds[kind] += 1
        self.wrong += [f"{where}: {fault}" for fault in faults]


def campaign(most: int, first: int = 0) -> Tally:
    """Compare so many counterexamples, of programs with and without lassos in turn."""
    tally, seed = Tally(), first
    while tally.compared < most:
        _safety(tally, seed)
        _lassos(tally, seed)
        seed += 1
    return tally


# --- runs that end ---------------------------------------------------------------------------------------------------


def _safety(tally: Tally, seed: int) -> None:
    text = random_text(seed)
    module = fizz.load("m.fizz", text=text)
    machine = Machine(compile_module(module))
    space = Space(machine)
    if not space.whole:
        return
    ends = _endings(space)
    for p in check(module, settings=Settings(keep_going=True)).properties:
        if p.trace is None or not p.trace.steps or p.kind not in ("always", "transition", "deadlock"):
            continue
        tally.add(p.kind, _faults_of_run(machine, p, ends[p.kind, p.name]), f"program {seed}, {p.name}")


def _endings(space: Space) -> dict[tuple[str, str], Ends]:
    """For each property, which steps end a run that violates it: from the state before, and the step."""
    machine = space.machine
    assertions = Assertions(machine, machine.view, lambda rule, view: machine.run(rule, view).result)
    alive = {state for state, steps in space.steps.items() if not all(step.crashes for step in steps)}
    found: dict[tuple[str, str], Ends] = {}
    for p in properties_of(machine.program, None):
        predicate = p.watches[0].predicate
        if predicate is None:
            found[p.kind, p.name] = lambda before, step: step.target not in alive
        elif p.kind == "always":
            found[p.kind, p.name] = lambda before, step, of=predicate: not assertions.holds(of, step.target).value
        else:
            found[p.kind, p.name] = lambda before, step, of=predicate: (
                not step.crashes and not assertions.holds_between(of, before, step.target).value
            )
    return found


def _faults_of_run(machine: Machine, p: PropertyReport, ends: Ends) -> Iterator[str]:
    _, steps = _steps(machine, p)
    starts = sum(step.rule.kind is StepKind.START for step in steps)
    length, least = _least(machine, ends, len(steps))
    crashes = sum(step.crashes for step in steps)
    if length != len(steps):
        yield f"{len(steps)} steps, {length} are enough"
        return
    fewest = min(found for found, _ in least)
    if crashes != fewest:
        yield f"{crashes} crashes, {fewest} are enough"
    else:
        told = switches(machine, steps)
        if told != least[crashes, starts]:
            yield f"{told} context switches, {least[crashes, starts]} are enough"


def _steps(machine: Machine, p: PropertyReport) -> tuple[State, list[Step]]:
    """The initial state and the steps of a counterexample, taken again; names alone do not tell all of them apart."""
    assert p.trace is not None
    first, *entries = p.trace.entries
    begin = state = next(one.state for one in machine.initial()[0] if tuple(machine.describe(one.state)) == first.state)
    steps: list[Step] = []
    for entry in entries:
        named = (step for step in machine.steps(state).steps if step.name == entry.label)
        steps.append(next(step for step in named if tuple(machine.describe(step.target)) == entry.state))
        state = steps[-1].target
    return begin, steps


def _least(machine: Machine, ends: Ends, most: int) -> tuple[int, dict[tuple[int, int], int]]:
    """The length of the shortest runs that end so, and of these the fewest switches by (crashes, starts)."""
    level: dict[tuple[State, Tail, int, int], int] = {(one.state, (None, ""), 0, 0): 0 for one in machine.initial()[0]}
    for length in range(1, most + 1):
        ended: dict[tuple[int, int], int] = {}
        following: dict[tuple[State, Tail, int, int], int] = {}
        for (state, tail, crashes, starts), cost in level.items():
            for step in machine.steps(state).steps:
                after = cost + (length > 1 and not _goes_on(machine, tail, step))
                counts = (crashes + step.crashes, starts + (step.rule.kind is StepKind.START))
                if ends(state, step):
                    ended[counts] = min(after, ended.get(counts, after))
                key = (step.target, _tail(machine, step), *counts)
                following[key] = min(after, following.get(key, after))
        if ended:
            return length, ended
        level = following
    return most + 1, {}


def _tail(machine: Machine, step: Step) -> Tail:
    """What a step leaves that decides whether the next one is a switch: its thread while that lives, and its owner."""
    return (None if step.crashes else step.outcome.thread, owner(machine, step))


def _goes_on(machine: Machine, tail: Tail, step: Step) -> bool:
    thread, own = tail
    if step.rule.kind is StepKind.CONTINUE:
        return thread is not None and step.rule.subject == thread
    return own == owner(machine, step) and (thread is None or step.rule.kind is StepKind.CRASH_ROLE)


# --- lassos ----------------------------------------------------------------------------------------------------------


def _lassos(tally: Tally, seed: int) -> None:
    text, fairness = random_fair_text(seed)
    module = fizz.load("m.fizz", text=text)
    machine = Machine(compile_module(module))
    if len(Graph(machine, fairness).states) > MOST_FAIR:
        return
    cycles, space = Cycles(text, fairness), Space(machine)
    for p in check(module, settings=Settings(keep_going=True)).properties:
        if p.trace is not None and p.trace.cycle_start is not None:
            faults = _faults_of_lasso(cycles, space, p)
            tally.add(f"{p.kind}, with a cycle", faults, f"fair program {seed}, {p.name}")


def _faults_of_lasso(cycles: Cycles, space: Space, p: PropertyReport) -> Iterator[str]:
    assert p.trace is not None and p.trace.cycle_start is not None
    machine = cycles.machine
    first, steps = _steps(machine, p)
    begin = p.trace.cycle_start - 1
    head = steps[begin - 1].target if begin else first
    (known,) = [state for state in space.levels if tuple(machine.describe(state)) == tuple(machine.describe(head))]
    if begin != space.levels[known]:
        yield f"{begin} steps to the cycle, {space.levels[known]} are enough"
        return
    crashes = sum(step.crashes for step in steps[:begin])
    if crashes != space.crashes(known):
        yield f"{crashes} crashes before the cycle, {space.crashes(known)} are enough"
    shortest = cycles.shortest(head, len(steps) - begin, p)
    if shortest is not None and len(shortest) != len(steps) - begin:
        yield f"a cycle of {len(steps) - begin} steps, {len(shortest)} are enough"


def main(words: list[str]) -> int:
    """Print the count, and what was not the least."""
    tally = campaign(int(words[0]) if words else 500)
    for fault in tally.wrong:
        sys.stdout.write(f"{fault}\n")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.kinds.items()))
    sys.stdout.write(f"{tally.compared} counterexamples ({kinds}): {len(tally.wrong)} longer than need be\n")
    return min(len(tally.wrong), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
