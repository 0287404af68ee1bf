"""Whether two models have the same states and the same transitions, by the keys of their states."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from checker.core.exploration import Settings
from checker.core.limits import UNTIMELY, Limits
from checker.core.patience import Patience, Stop
from checker.mutation.affected import affected
from checker.mutation.known_results import Case, SeenEffects, cases_of, statement_around
from checker.search.contract.protocol import Task
from checker.search.driver import Clock, SearchDriver
from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import REMEMBERED, THRESHOLDS, Thresholds
from checker.search.rows.expander import Expander
from checker.search.rows.row_run import RowRun
from fizz import Module, Span
from interpreter import Machine, ModelError, Program, compile_module
from interpreter.execute.view import View
from interpreter.state.state import State
from interpreter.state.step import Candidate, Failure, FairChoice, Outcome, Rule, StepKind, step_name

_WHOLE: Final = 1 << 128


class Likeness(NamedTuple):
    """Sums over the keys of all states, and over all transitions: equal for equal sets, and hardly for others.

    A transition is hashed by the keys of its states and its name; the sums are taken modulo 2^128.
    """

    states: int
    keys: int
    transitions: int
    sum: int
    complete: bool
    cut: int


def likeness(module: Module, symmetry: bool, patience: Patience, most: int | None = None) -> Likeness:
    """The likeness of a model, explored row by row, whatever its properties say. Raises `Stop`.

    `most`: it is not complete if there are so many states, and more.
    """
    return _explored(module, symmetry, patience, most)[1]


def _explored(
    module: Module, symmetry: bool, patience: Patience, most: int | None, thresholds: Thresholds = THRESHOLDS
) -> tuple[RowRun, Likeness]:
    program = compile_module(module)
    memory = Memory(Machine(program), thresholds=thresholds)
    run = RowRun(Task(program, (), Settings(symmetry=symmetry), memory=memory, patience=patience))
    transitions = total = 0
    met: set[tuple[int, str]] = set()

    def observe(source: int, target: int, candidate: Candidate, choices: tuple[str, ...], crash: bool) -> None:
        nonlocal transitions, total
        name = step_name(candidate.name, choices, crash)
        if (source, name) in met:
            return
        met.add((source, name))
        transitions += 1
        digest = blake2b(f"{source:032x}{target:032x}{name}".encode(errors="surrogatepass"), digest_size=16).digest()
        total = (total + int.from_bytes(digest, "little")) % _WHOLE

    run.expander.observe = observe
    driver = SearchDriver(run, program, (), Clock(), patience)
    driver.go(Limits(states=most), on=True)
    if driver.stopped in UNTIMELY:
        raise Stop(driver.stopped)
    keys = run.found.keys
    return run, Likeness(len(keys), sum(keys) % _WHOLE, transitions, total, not driver.stopped.bounds, driver.cut)


class KnownSteps:
    """All states of a model, and a machine that remembers its steps: to tell mutants early.

    A mutant differs in few rules. If these lead where those of the model lead, in each of the model's states, and the
    initial states are the same, then the mutant has the same states and the same transitions. If they lead elsewhere in
    one, it has not. So it need not be explored, and what it shares with the model need not be run. A mutant that begins
    in other states of the model may reach them all or not.
    """

    def __init__(self, module: Module, symmetry: bool, patience: Patience, most: int | None = None) -> None:
        """`most`: nothing is known of a model with so many states, and more. Raises `Stop`."""
        self._module = module
        self._symmetry = symmetry
        self._patience = patience
        self._most = most
        self._run: RowRun | None
        self._cases: dict[Rule, list[Case]] = {}
        self._explore()

    def _explore(self) -> None:
        # The interpreter alone says after which statements a path ended.
        self._run, self.likeness = _explored(self._module, self._symmetry, self._patience, self._most, REMEMBERED)
        states = self._run.found.states
        if states is not None and self.likeness.complete and not self.likeness.cut:
            self._cases = cases_of(self._run.expander.memory, states, self._patience)

    def __getstate__(self) -> dict[str, Any]:
        # A process that is not forked explores the model again: machines do not travel.
        return {
            **{name: value for name, value in vars(self).items() if name != "_patience"},
            "_run": None,
            "_cases": {},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _patience=Patience())

    def alike(self, mutant: Module, patience: Patience, place: Span | None = None) -> bool | None:
        """Whether a mutant has the same states and transitions. None: it is not known. Raises `Stop`.

        `place`: where the mutant differs.
        """
        if not self.likeness.complete or self.likeness.cut:
            return None
        if self._run is None:
            self._explore()
        assert self._run is not None
        run = self._run
        states = run.found.states
        program = compile_module(mutant)
        # Of states that differ in what is excluded only one is stored: which, is not known.
        if states is None or program.options.exclude:
            return None
        if any(state.threads for state in states) and not _parks_alike(run.machine.program, program):
            return None
        try:
            machine = Machine(program, values=run.machine.values)
        except ModelError:
            return False
        other = Expander(Task(program, (), run.task.settings, memory=Memory(machine), patience=patience))
        initial, failures = machine.initial()
        begun = {key for key, parent in zip(run.found.keys, run.found.parents, strict=True) if parent < 0}
        beginning = {other.image(one.state)[1] for one in initial}
        if failures or not beginning <= run.found.numbers.keys():
            return False
        if beginning != begun:
            return None
        names = affected(self._module, mutant)
        changed, changed_known = _Changed(machine, names), _Changed(run.machine, names)
        certain = True
        statement = None if place is None else statement_around(self._module, place)
        # Another constant may be about which rules there are.
        numbers = range(len(states)) if names is None else self._open(other.memory, changed, statement, patience)
        for number in numbers:
            patience.ask()
            state = states[number]
            steps, known = _steps(other, state, changed), _steps(run.expander, state, changed_known)
            if steps is None or known is None or steps.to != known.to:
                return False
            certain = certain and steps.seen == known.seen
        return True if certain else None

    def _open(self, memory: Memory, changed: _Changed, statement: Span | None, patience: Patience) -> Iterator[int]:
        """The states, by number, in which a changed rule has other effects than in the model. Raises `Stop`."""
        assert self._run is not None and self._run.found.states is not None
        states = self._run.found.states
        seen = SeenEffects()
        views: dict[int, View] = {}
        met: set[int] = set()
        for rule, cases in self._cases.items():
            for case in cases if changed[rule] else ():
                # A thread may wait inside of a statement: before the next turn of a loop, or for the end of a call.
                if rule.kind is not StepKind.CONTINUE and case.never_comes_to(statement):
                    continue
                for number in case.states:
                    patience.ask()
                    if number not in views:
                        views[number] = memory.view(states[number])
                    effects = seen.of(memory.results(rule, views[number]))
                    if (effects is None or effects != case.effects) and number not in met:
                        met.add(number)
                        yield number


_Step = tuple[str, tuple[str, ...], bool, int]
"""The name of a candidate, its choices, whether it is a crash, and the key of the target."""


class _Steps(NamedTuple):
    """Steps from one state: to which images they lead, and what else properties see of them.

    Assertions about transitions see the target before its image is taken, those about infinite runs fair choices.
    """

    to: set[_Step]
    seen: set[tuple[_Step, tuple[FairChoice, ...], tuple[str, ...]]]


class _Changed(dict[Rule, bool]):
    """Whether a rule of a machine runs an action or func of these names, remembered: each state has the same rules."""

    def __init__(self, machine: Machine, names: frozenset[str] | None) -> None:
        super().__init__()
        self._machine = machine
        self._names = names

    def __missing__(self, rule: Rule) -> bool:
        self[rule] = found = _is_of(self._machine, rule, self._names)
        return found


def _steps(expander: Expander, state: State, changed: _Changed) -> _Steps | None:
    """The steps of the rules that may have changed, in one state; None: one fails."""
    machine, memory = expander.machine, expander.memory
    found = _Steps(set(), set())
    view = memory.view(state)
    for candidate in machine.candidates(state):
        rule = candidate.rule
        if not changed[rule]:
            continue
        for result in memory.results(rule, view):
            if isinstance(result, Failure):
                return None
            if not isinstance(result, Outcome):
                continue
            whole = memory.joined(state, result)
            for crash in (False, True) if result.may_crash else (False,):
                target = machine.apply(state, rule, whole, twin=crash)
                if target is not None:
                    name = candidate.name, result.choices, crash
                    found.to.add((*name, expander.image(target)[1]))
                    found.seen.add(((*name, machine.key(target)), result.fair, result.labels))
    return found


def _is_of(machine: Machine, rule: Rule, names: frozenset[str] | None) -> bool:
    """Whether a rule runs an action or func of these names, or any if there are none; a message may run any."""
    if rule.kind is StepKind.CRASH_ROLE:
        return False
    if names is None or rule.kind is StepKind.DELIVER:
        return True
    number = machine.transitions.root(rule.subject)[0] if rule.kind is StepKind.CONTINUE else rule.subject
    return machine.program.routines[number].name.rpartition(".")[2] in names


def _parks_alike(program: Program, other: Program) -> bool:
    """Whether threads wait at the same places: the blocks of both programs have the same numbers."""
    return [[(scope.number, scope.path, type(scope)) for scope in routine.scopes] for routine in program.routines] == [
        [(scope.number, scope.path, type(scope)) for scope in routine.scopes] for routine in other.routines
    ]
