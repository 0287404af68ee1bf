"""`measure`: a model and a file of probabilities in, quantities out."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from checker.core.exploration import Settings
from checker.core.failing import FailingModel
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode, Problem, UsageProblem, constants_fail
from checker.core.property import Looks, Predicate, Watch
from checker.liveness.graph import FairnessMark, Graph
from checker.measure.chain import CannotWeighState, Chain, InitMarks, Mask, chain_of, steps_of
from checker.measure.chain_answers import ChainAnswers, LongRun
from checker.measure.distribution import distribution_of, percentiles
from checker.measure.labels import refuse_unknown
from checker.measure.measure_file import MeasureFile, MeasureProblem, Nondeterminism, read_measure_file
from checker.measure.measured import (
    AssertionMeasure,
    CounterMeasure,
    Measured,
    Quantity,
    StateMeasure,
)
from checker.measure.schedulers import SchedulerAnswers
from checker.measure.step_weights import CannotWeigh, Weighing
from checker.search.composition.load_whole import load_whole
from checker.search.contract.protocol import WIDE, Task
from checker.search.driver import Clock, ProgressSink, SearchDriver
from checker.search.engines.embedded import EmbeddedEngine, EmbeddedRun
from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import REMEMBERED
from fizz import Module
from fizz.base.near_names import near_hint
from fizz.base.room import with_room
from interpreter import Machine, ModelError, Program, State, compile_module
from interpreter.compile.program import AssertionProgram
from interpreter.state.step import StepKind, StepOrder

_OF_STATES: Final = ("always", "exists", "eventually always", "always eventually")
"""The kinds of assertions that are true or false in a state."""
_SHOWN: Final = 24
"""So many of the most probable states are shown."""
_LEAST: Final = 1e-12


class SearchCut(Problem):
    """The search ended before all states were found: there are no figures then."""

    exit_code = ExitCode.BOUNDED


class SearchInterrupted(Problem):
    """The search was interrupted: there are no figures then."""

    exit_code = ExitCode.INTERRUPTED


@with_room
def measure(
    model: str | os.PathLike[str],
    file: str | os.PathLike[str] | None = None,
    *,
    nondeterminism: Nondeterminism | None = None,
    until: str | None = None,
    settings: Settings | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    progress: ProgressSink | None = None,
    patience: Patience | None = None,
    wide: int | None = WIDE,
) -> Measured:
    """Read the reachable graph of a model as a Markov chain, and compute its quantities (language page, 15).

    `file` has probabilities and counters; without one every choice is free. `nondeterminism` comes before that of the
    file. `until` names an assertion: runs end in the first state where it is true. `wide` as for the engine. Raises
    `FizzError` for a wrong model, option or constant, `Problem` for what cannot be measured.
    """
    begun, cpu_begun = time.monotonic(), time.process_time()
    settings = replace(settings or Settings(), workers=1)
    patience = patience or Patience(settings.limits)
    module = load_whole(model, options=options, constants=constants)
    read = MeasureFile() if file is None else read_measure_file(Path(file))
    refuse_unknown(read, module)
    if not read.crashes:
        # What only a crash leads to is no part of the chain.
        module = replace(module, options=replace(module.options, crash_on_yield=False))
    if any("#" in label or "=" in label for label in read.weights):
        # What has a name of its own is not like its images.
        settings = replace(settings, symmetry=False)
    asked = _asked(module, settings.properties)
    if until is not None and until not in asked:
        raise UsageProblem(
            f"--until: there is no assertion '{until}' that is true or false in a state",
            near_hint(until, asked) or (f"there are {', '.join(asked)}" if asked else "write one: `exists assertion`"),
        )
    mode = nondeterminism or read.nondeterminism
    try:
        with patience.deferring_interrupts(), patience.limiting_steps():
            explored = _Explored(module, read, settings, progress, patience, wide)
            with closing(explored.run):
                found = _Measuring(explored, Weighing(read, mode), asked, until, patience.ask).measured()
    except Stop as stop:
        raise _cut(stop.reason) from None
    given = Given(constants or {}, options or {})
    elapsed_s, cpu_s = time.monotonic() - begun, time.process_time() - cpu_begun
    return replace(found, given=given, elapsed_s=elapsed_s, cpu_s=cpu_s)


def _asked(module: Module, properties: tuple[str, ...] | None) -> tuple[str, ...]:
    """The names of the assertions about states, or of some of them. Raises `UsageProblem` for one that is not there."""
    assertions = (*module.assertions(), *(one for role in module.roles() for one in role.assertions))
    names = tuple(one.name for one in assertions if one.kind in _OF_STATES)
    for name in properties or ():
        if name not in names:
            raise UsageProblem(
                f"there is no assertion '{name}' that is true or false in a state",
                near_hint(name, names) or f"there are {', '.join(names)}",
            )
    return names if properties is None else properties


def _cut(reason: StopReason) -> Problem:
    if reason is StopReason.INTERRUPTED:
        return SearchInterrupted("interrupted before there were figures")
    return SearchCut(
        f"{reason.sentence} before all was known, and figures of a part of the states mean nothing",
        "give it more, or a smaller model: --set smaller constants, or --option max_actions=N, where runs end",
    )


class _Explored:
    """The explored graph of a model, with the labels of its steps."""

    def __init__(
        self,
        module: Module,
        file: MeasureFile,
        settings: Settings,
        progress: ProgressSink | None,
        patience: Patience,
        wide: int | None,
    ) -> None:
        self.module = module
        self.program: Program = compile_module(module)
        try:
            self.machine = Machine(self.program)
        except ModelError as error:
            raise constants_fail(error.text) from None
        self.machine.code.marks_choices = True
        # Messages by columns are distinguished by where they stand, and images by more than their steps.
        plain = not self.machine.symmetric and not _has_channels(self.program)
        watches = tuple(
            Watch(one.name, Looks.STATES, Predicate(one.number, one.kind == "exists"), records=True)
            for one in self.assertions.values()
        )
        clock = Clock(progress)

        def tick(states: int, transitions: int) -> None:
            clock.tick(states, transitions)
            patience.ask()

        task = Task(
            self.program,
            watches,
            settings,
            graph=True,
            tick=tick,
            memory=Memory(self.machine, thresholds=REMEMBERED),
            patience=patience,
            crash_edges=file.crashes,
            labels=True,
        )
        self.run: EmbeddedRun = EmbeddedEngine(wide=wide if plain else None).begin(task)
        self.driver = SearchDriver(self.run, self.program, (), clock, patience)
        self.driver.go(settings.limits, on=False)
        if self.driver.error is not None and self.driver.error.error is not None:
            raise FailingModel((self.driver.error.error.diagnostic,), module.sources)
        if self.driver.stopped is not StopReason.COMPLETE:
            raise _cut(self.driver.stopped)
        self.graph: Graph = self.run.graph()

    @property
    def assertions(self) -> dict[str, AssertionProgram]:
        """The assertions about states, by name."""
        return {one.name: one for one in self.program.assertions if one.kind in _OF_STATES and one.of is None}

    def beginning(self) -> InitMarks:
        """Init as a state whose steps lead to the initial states."""
        numbers = {self.graph.key(number): number for number in range(self.driver.initial)}
        marks: list[FairnessMark] = []
        targets: list[int] = []
        for begin in self.machine.initial()[0]:
            image = self._image(begin.state)
            marks.append(
                FairnessMark(StepOrder((StepKind.INIT.value,), begin.forks, 0), labels=("Init", *begin.outcome.labels))
            )
            targets.append(numbers[self.machine.key(image)])
        return InitMarks(tuple(marks), np.array(targets, dtype=np.int64))

    def _image(self, state: State) -> State:
        return self.machine.canonical(state) if self.run.symmetric else state

    def text(self, number: int) -> str:
        """A state in one line, as far as it is found again along its path."""
        first, *links = self.run.path(self.graph.key(number))
        begin = next(one for one in self.machine.initial()[0] if one.forks == first.order.forks)
        state, last = self._image(begin.state), begin.outcome
        for link in links:
            step = self.machine.step(state, link.order)
            if step is None:
                break
            state, last = self._image(step.target), step.outcome
        parts = [f"{place} = {text}" if "#" not in place else f"{place}: {text}" for place, text in self._lines(state)]
        if self.program.reads_returns:
            parts += [f"{label} returned {self.machine.values.text(value)}" for label, value in last.returns]
        return ", ".join(parts) or "(no variables)"

    def _lines(self, state: State) -> list[tuple[str, str]]:
        return [(place, text) for place, text in self.machine.describe(state) if place != "__returns__"]

    def answers(self, name: str) -> Mask:
        """The states in which an assertion is true, by number."""
        recorded: bytearray | array[int] = self.run.answers(name)
        return np.frombuffer(bytes(recorded), dtype=np.uint8).astype(np.bool_)


def _has_channels(program: Program) -> bool:
    return any("Channel(" in text for text in program.sources.values())


class _Measuring:
    """Quantities of one explored graph."""

    def __init__(
        self,
        explored: _Explored,
        weighing: Weighing,
        asked: tuple[str, ...],
        until: str | None,
        ask: Callable[[], None],
    ) -> None:
        self.explored = explored
        self.weighing = weighing
        self.asked = asked
        self.until = until
        self.ask = ask
        self.states = explored.graph.states
        try:
            self.whole = chain_of(explored.graph, explored.beginning(), weighing, ask)
        except CannotWeighState as problem:
            raise self._refused(problem) from None
        self.chain = self.whole if until is None else self.whole.stopped_at(self._true(until))

    def _refused(self, problem: CannotWeighState) -> MeasureProblem:
        """Why the steps of a state have no weights, with the place: the label's, or else the model's."""
        file = self.weighing.file
        label = next((label for label in problem.why.labels if label in file.weights), None)
        place = self.explored.module.path if label is None else f"{file.path}:{file.weights[label].line}"
        where = "in Init" if problem.state >= self.states else f"in the state {self.explored.text(problem.state)}"
        return MeasureProblem(f"{place}: {where}: {problem.why.text}", problem.why.hint)

    def _true(self, name: str) -> Mask:
        """The nodes of states in which an assertion is true."""
        found = np.zeros(self.whole.nodes, dtype=np.bool_)
        found[: self.states] = self.explored.answers(name)
        return found

    def _states(self) -> Mask:
        return np.arange(self.whole.nodes) < self.states

    def measured(self) -> Measured:
        """All quantities."""
        free = bool(self.chain.free.any())
        long_run: LongRun | None = None
        if free:
            schedulers = SchedulerAnswers(self.chain, self.ask)
            assertions = tuple(self._under_schedulers(schedulers, name) for name in self.asked)
            counters = tuple(
                CounterMeasure(name, self._scaled(schedulers.expected(number), number))
                for number, name in enumerate(self.weighing.units.names)
            )
        else:
            answers = ChainAnswers(self.chain, self.ask)
            self._refuse_endless_steps(answers)
            long_run = answers.long_run()
            assertions = tuple(self._of_assertion(answers, long_run, name) for name in self.asked)
            counters = tuple(self._of_counter(answers, long_run, n) for n in range(len(self.weighing.units.names)))
        shown, lasting = ((), 0) if long_run is None else self._shown(long_run)
        file = self.weighing.file
        return Measured(
            model=self.explored.module.path,
            file=None if file.path is None else str(file.path),
            given=Given({}, {}),
            nondeterminism=self.weighing.nondeterminism,
            states=self.states,
            transitions=self.explored.driver.total.transitions,
            cut=self.explored.driver.cut,
            until=self.until,
            assertions=assertions,
            counters=counters,
            states_shown=shown,
            lasting=lasting,
            often_error=0.0 if long_run is None else long_run.error,
            unmet=tuple(label for label in file.weights if label not in self.whole.met),
        )

    def _refuse_endless_steps(self, answers: ChainAnswers) -> None:
        """Refuse a step that never ends: a loop in it is left with probability 0."""
        ends = answers.ends
        with_state = np.zeros(ends.count, dtype=np.bool_)
        with_state[ends.component[: self.states][ends.component[: self.states] >= 0]] = True
        if not with_state.all():
            stays = ~ends.transient
            stays[stays] = ~with_state[ends.component[stays]]
            raise self._never_left(self.chain.state_before(stays))

    def _never_left(self, state: int) -> MeasureProblem:
        """What is said of a loop in a step of a state: where it is, and which probabilities keep a run in it."""
        explored, file = self.explored, self.weighing.file
        steps = explored.beginning().marks if state >= self.states else steps_of(explored.graph, state)
        labels = self.weighing.never_left(steps)
        given = ", ".join(f"{label} has {float(file.weights[label].probability or 0):g}" for label in labels)
        text = f"with these probabilities a loop inside of a step is never left{f': {given}' if given else ''}"
        why = CannotWeigh(text, labels, "an alternative that leaves it needs a probability above 0")
        return self._refused(CannotWeighState(state, why))

    def _of_assertion(self, answers: ChainAnswers, long_run: LongRun, name: str) -> AssertionMeasure:
        true = self._true(name)
        reached = answers.reaches(true)
        broken = answers.reaches(self._states() & ~true)
        often = None if self.until == name else answers.often(true, long_run)
        kind = self.explored.assertions[name].kind
        return AssertionMeasure(name, kind, Quantity(reached, reached), Quantity(broken, broken), often)

    def _under_schedulers(self, schedulers: SchedulerAnswers, name: str) -> AssertionMeasure:
        true = self._true(name)
        kind = self.explored.assertions[name].kind
        return AssertionMeasure(name, kind, schedulers.reaches(true), schedulers.reaches(self._states() & ~true), None)

    def _of_counter(self, answers: ChainAnswers, long_run: LongRun, number: int) -> CounterMeasure:
        units = self.weighing.units
        unit = float(units.units[number])
        expected = answers.expected(number)
        if expected is None:
            endless = int(np.flatnonzero(answers.endless(number)[: self.states])[0])
            rate = float(long_run.rates[number]) * unit
            return CounterMeasure(
                units.names[number], Quantity(None, None), rate=rate, endless=self.explored.text(endless)
            )
        distribution = [
            (float(value * units.units[number]), share)
            for value, share in distribution_of(self.chain, answers.ends, number, expected.value, self.ask)
        ]
        scaled = expected.times(unit)
        return CounterMeasure(
            units.names[number], Quantity(scaled, scaled), tuple(distribution), percentiles(distribution)
        )

    def _scaled(self, quantity: Quantity, number: int) -> Quantity:
        unit = float(self.weighing.units.units[number])
        least, greatest = (None if one is None else one.times(unit) for one in (quantity.least, quantity.greatest))
        return Quantity(least, greatest)

    def _shown(self, long_run: LongRun) -> tuple[tuple[StateMeasure, ...], int]:
        """The most probable states in the long run, and how many have a probability."""
        lasting = np.flatnonzero(long_run.states > _LEAST)
        best = lasting[np.argsort(-long_run.states[lasting], kind="stable")][:_SHOWN]
        ended = np.ones(self.chain.nodes, dtype=np.bool_)
        ended[self.chain.source] = False
        shown = tuple(
            StateMeasure(self.explored.text(number), float(long_run.states[number]), bool(ended[number]))
            for number in best.tolist()
        )
        return shown, len(lasting)


__all__ = ["Chain", "measure"]
