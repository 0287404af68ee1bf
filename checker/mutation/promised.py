"""`mutate` for a folder: would any promise of its `expect.yaml` notice, if one of its models were wrong?

A mutant of a file is tried in the promised runs of all models that include the file, compose it or refine it, until one
of them notices it: until other properties are violated than were promised. Runs that are promised to hold are first,
and of them those with the fewest states: a run that is promised to fail notices only what repairs it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import UNTIMELY, Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import Problem
from checker.core.report import Report
from checker.core.trials import EarlyEnd, run_trials
from checker.mutation.explained import Named, named, read_explained, unexplained
from checker.mutation.likeness import KnownSteps
from checker.mutation.mutants import Mutant, mutants_of
from checker.mutation.mutation_report import MutantResult, PromisedMutation, SkippedRun
from checker.mutation.trying import BUDGET, NET_S, Original, died, limits_beside, patient, tried, violated_in
from checker.search.composition.load_whole import load_whole
from checker.tasks.task_runner import cores_here
from fizz import FizzError, Module
from fizz.base.room import with_room

LARGEST: Final = 10_000
"""Promised runs with more states are left out."""
_OUTWEIGHS: Final = ("does not load", "equivalent", "beyond the budget", "survived", "not judged", "noticed")
"""Of the fates that a mutant has in several runs, the last of these counts."""

Counted = Callable[[int, int, int], None]
"""Called with the numbers of mutants that were noticed, of those that were not yet, and of runs to come."""
_Key = tuple[str, int, int, str, tuple[str, ...]]


class Promised(Protocol):
    """A promised run, as far as it matters here."""

    @property
    def model(self) -> Path: ...
    @property
    def title(self) -> str: ...
    @property
    def keep_going(self) -> bool: ...
    @property
    def figures(self) -> Mapping[str, int | str]: ...
    @property
    def limits(self) -> Limits: ...
    def read(self) -> Module: ...
    def broken_by(self, report: Report) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class _Run:
    """A promised run that serves to try mutants: the model as promised, and what was found.

    `parts`: the mutants are those of models that it composes or refines.
    """

    promise: Promised
    original: Original
    mutants: Sequence[tuple[_Key, Mutant]]
    parts: bool = False

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Runs of lower rank are first."""
        return self.parts, bool(self.original.violated), self.original.report.states


@dataclass(slots=True)
class _Found:
    """What is known of mutants until now, by their places and changes, and the runs that were left out."""

    fates: dict[_Key, MutantResult] = field(default_factory=dict)
    skipped: list[SkippedRun] = field(default_factory=list)

    def note(self, key: _Key, one: MutantResult) -> None:
        before = self.fates.get(key)
        if before is None or _OUTWEIGHS.index(one.fate) > _OUTWEIGHS.index(before.fate):
            self.fates[key] = one

    def open(self, key: _Key) -> bool:
        return key not in self.fates or self.fates[key].fate != "noticed"

    def equivalent(self, key: _Key) -> bool:
        return key in self.fates and self.fates[key].fate == "equivalent"

    @property
    def noticed(self) -> int:
        return sum(one.fate == "noticed" for one in self.fates.values())


@with_room
def mutate_promised(
    folder: Path,
    promises: Iterable[Promised],
    *,
    largest: int = LARGEST,
    budget: int = BUDGET,
    workers: int | None = None,
    counted: Counted = lambda noticed, left, runs: None,
    patience: Patience | None = None,
) -> PromisedMutation:
    """Change the models of a folder in one place at a time, and say which changes none of its promises notices.

    Survivors are compared with those that the `survivors.yaml` beside the models explains.
    `largest`: promised runs with more states are left out, or with more than that file speaks of, as are those that do
    not load. `budget`: how many times the states of the model a mutant may have. An interruption is a result: what was
    tried until then counts.
    """
    begun = time.monotonic()
    promises = list(promises)
    read = {folder: read_explained(folder) for folder in dict.fromkeys(one.model.parent for one in promises)}
    explained = sum((one.mutants for one in read.values()), Counter[Named]())
    sizes = {folder: min(largest, one.largest or largest) for folder, one in read.items()}
    patience = patience or Patience(Limits())
    found = _Found()
    runs = _runs(promises, sizes, budget, found, patience)
    ending = EarlyEnd(patience)
    for position, run in enumerate(runs):
        if patience.over is not None:
            break
        tasks = [(key, mutant) for key, mutant in run.mutants if found.open(key)]

        def tick(left: int = len(runs) - position) -> bool:
            counted(found.noticed, len(found.fates) - found.noticed, left)
            return ending.begun()

        work = [(mutant, found.equivalent(key)) for key, mutant in tasks]
        trials = run_trials(work, partial(_tried, run.original), _died, workers or cores_here(), tick)
        with suppress(Stop), closing(trials):
            for index, one in trials:
                # An interrupted run of a mutant says nothing of it.
                if one.fate != "not run":
                    found.note(tasks[index][0], replace(one, run=run.promise.title))
    results = tuple(found.fates[key] for key in sorted(found.fates))
    survivors = [one for one in results if one.fate == "survived"]
    stale = explained - Counter(named(one) for one in results if one.fate in ("survived", "beyond the budget"))
    met = {named(one)[0] for one in results}
    return PromisedMutation(
        folder=str(folder),
        runs=tuple(dict.fromkeys(run.promise.title for run in runs)),
        skipped=tuple(found.skipped),
        results=results,
        unexplained=unexplained(survivors, explained),
        stale=tuple(one for one in sorted(stale.elements()) if one[0] in met),
        stopped=patience.over,
        elapsed_s=time.monotonic() - begun,
    )


def _runs(
    promises: Iterable[Promised], sizes: Mapping[Path, int], budget: int, found: _Found, patience: Patience
) -> list[_Run]:
    """The promised runs that serve, those with the fewest states first. `sizes`: the most states, by folder."""
    runs: list[_Run] = []
    for promise in promises:
        if patience.over is not None:
            break
        try:
            runs += _run(promise, sizes[promise.model.parent], budget)
        except _Unfit as unfit:
            found.skipped.append(SkippedRun(promise.title, str(unfit), unfit.judged))
        except FizzError as error:
            found.skipped.append(SkippedRun(promise.title, f"it does not load: {error.diagnostics[0].text}"))
        except Problem as problem:
            found.skipped.append(SkippedRun(promise.title, problem.text))
    return sorted(runs, key=lambda run: run.rank)


class _Unfit(Exception):
    """A promised run does not serve, for the reason in the text. `judged`: it would not on any machine."""

    def __init__(self, why: str, judged: bool = True) -> None:
        super().__init__(why)
        self.judged = judged


def _run(promise: Promised, largest: int, budget: int) -> list[_Run]:
    """A promised run, for the mutants of its model and for those of its parts. Raises `_Unfit`."""
    too_large = f"it has more than {largest:,} states"
    states = promise.figures.get("states", 0)
    if isinstance(states, int) and states > largest:
        raise _Unfit(too_large)
    whole = promise.read()
    module = load_whole(whole)
    settings = Settings(keep_going=promise.keep_going, limits=promise.limits, workers=1)
    most = largest + 1  # the search ends with the level that has it
    net = patient(Limits(time_s=NET_S))
    within = replace(promise.limits, states=min(promise.limits.states or most, most))
    report = check(module, settings=replace(settings, limits=within), patience=net)
    known = None
    try:
        if report.cut_by in UNTIMELY:
            raise Stop(report.cut_by)
        if report.states > largest:
            raise _Unfit(too_large)
        if broken := promise.broken_by(report):
            raise _Unfit(f"it does not keep its promise: {broken[0]}")
        if not whole.components and report.error is None:
            with net.limiting_steps():
                known = KnownSteps(module, True, net, most)
    except Stop as stop:
        late = stop.reason is StopReason.TIMEOUT
        why = f"it takes more than {NET_S:g} s of a processor" if late else stop.reason.sentence
        raise _Unfit(why, judged=False) from None
    if known is not None and not known.likeness.complete:
        known = None
    limits = limits_beside(report, known, budget)
    within = replace(limits, states=promise.limits.states or limits.states, depth=promise.limits.depth)
    original = Original(module, settings, report, known, within, violated_in(report))
    own = [] if whole.components else [_Run(promise, original, _keyed(module))]
    parts = [one.model for one in whole.components] + [one.abstract for one in whole.refinements]
    of_parts = [
        _Run(promise, replace(original, module=part, known=None, whole=whole), _keyed(part), parts=True)
        for part in parts
    ]
    return [*own, *of_parts]


def _keyed(module: Module) -> list[tuple[_Key, Mutant]]:
    return [(_key(one), one) for one in mutants_of(module)]


def _tried(original: Original, task: tuple[Mutant, bool]) -> MutantResult:
    """What becomes of a mutant, which was equivalent in an earlier run or not."""
    return tried(original, *task)


def _died(task: tuple[Mutant, bool], how: str, elapsed_s: float) -> MutantResult:
    return died(task[0], how, elapsed_s)


def _key(mutant: Mutant) -> _Key:
    span = mutant.span
    return (str(Path(span.file).resolve()), span.line, span.column, mutant.change, mutant.diff)
