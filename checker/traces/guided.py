"""`follow`: a guided trace through a model (language page, 13), and the possible steps after its end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from checker.core.given import Given
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode
from checker.core.property import Property
from checker.core.report import ModelFailure, PropertyReport
from checker.core.trace import Trace, TraceEntry
from checker.properties import concerning, properties_of
from checker.search.composition.load_whole import load_whole
from checker.search.contract.bounds import is_cut, starts_after
from checker.traces.guide import Guide, GuideLine, Link, parse_guide, read_guide
from checker.traces.model_walk import Questions, Said, Walk
from checker.traces.possible import Possible, choose, meant, possible_inits, possible_steps
from checker.traces.replay import failed_entry, step_entry
from checker.traces.walk_report import GuidedReport, NextStep, WalkVerdict
from fizz import Module
from fizz.base.light import dataclass
from interpreter import Machine, ModelError, State, Step, compile_module
from interpreter.state.step import Failure, InitialState, StepFailure

MOST_NEXT_STEPS = 10_000
"""The most steps after the end that are listed."""

MOST_LINES = 500_000
"""The most lines that the states after them have together: each step shows its state."""

_MOST_IN_A_THREAD = 10_000
"""The most steps of one thread that the simple form takes by itself; then the thread is taken to be endless."""

_LINES = "trace"
"""The name of the file in messages about a trace that was given as lines."""


def follow(
    model: str | os.PathLike[str] | Module,
    trace: str | Sequence[str] | None,
    *,
    extend: int = 0,
    selected: tuple[str, ...] | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    patience: Patience | None = None,
) -> GuidedReport:
    """Follow a guided trace, and list the possible steps up to `extend` steps after its end.

    `trace` is the path of a file, or its lines; None: Init alone. `always` and `transition` are checked along the
    trace, which continues after a violation. `limits` are those of time and memory, counted from now unless `patience`
    is given. Errors are raised as in `check`; `UsageProblem` with file and line for a line that fits no step.
    """
    patience = patience or Patience(limits)
    guide = _guide(trace)
    module = load_whole(model, options=options, constants=constants)
    with patience.deferring_interrupts(), patience.limiting_steps():
        report, _ = _followed(module, guide, trace if isinstance(trace, str) else None, extend, selected, patience)
    return replace(report, given=Given(constants or {}, options or {}))


def followed(module: Module, trace: str | Sequence[str]) -> tuple[GuidedReport, Walk | None]:
    """Follow a guided trace, as in `follow`: the report, and the run; None if the model fails in Init."""
    return _followed(module, _guide(trace), trace if isinstance(trace, str) else None)


def _followed(
    module: Module,
    guide: Guide,
    path: str | None,
    extend: int = 0,
    selected: tuple[str, ...] | None = None,
    patience: Patience | None = None,
) -> tuple[GuidedReport, Walk | None]:
    program = compile_module(module)
    properties = tuple(p for p in properties_of(program, selected) if p.safety)
    follower: _Follower | None = None
    failed: ModelError | None = None
    cut_by: StopReason | None = None
    try:
        follower = _Follower(Machine(program), guide, properties)
        follower.follow()
    except ModelError as error:
        failed = error
    except Stop as stop:
        if patience is None:
            raise
        cut_by = stop.reason
    entries = () if follower is None else tuple(follower.entries())
    violated = {} if follower is None else follower.violated
    reports = tuple(_report(p, violated.get(p.key)) for p in properties)
    leading = min((p for p in reports if p.steps is not None), key=lambda p: p.steps or 0, default=None)
    goes_on = follower is not None and failed is None and cut_by is None
    listing = _Listing(follower, extend, patience or Patience()) if goes_on and follower is not None else None
    cut_by = cut_by if listing is None else listing.cut_by
    verdict, exit_code = _verdict(leading, failed, cut_by)
    report = GuidedReport(
        verdict=verdict,
        exit_code=exit_code,
        model=module.path,
        properties=reports,
        trace=Trace(entries) if entries else None,
        leading=None if leading is None else leading.name,
        error=None if failed is None else ModelFailure(failed.diagnostic, failed.calls, max(len(entries) - 1, 0)),
        warnings=concerning(module.warnings, reports),
        sources=module.sources,
        follow=path,
        explicit=guide.explicit,
        next=() if listing is None else listing.next,
        extended=0 if listing is None else listing.extended,
        all_listed=listing is None or listing.complete,
        cut_by=cut_by,
    )
    return report, None if follower is None else follower.walk


def walk_along(machine: Machine, trace: str | Sequence[str] | None) -> Walk:
    """The run of a guided trace, which is given as in `follow`. Raises `ModelError` and `UsageProblem`."""
    follower = _Follower(machine, _guide(trace), ())
    follower.follow()
    assert follower.walk is not None
    return follower.walk


def _guide(trace: str | Sequence[str] | None) -> Guide:
    return read_guide(trace) if isinstance(trace, str) else parse_guide("\n".join(trace or ()), _LINES)


@dataclass(frozen=True, slots=True)
class _Violation:
    """The first violation of a property: after how many steps, and for which instance."""

    steps: int
    instance: str | None


def _report(p: Property, violation: _Violation | None) -> PropertyReport:
    if violation is None:
        return PropertyReport(p.name, p.kind, "undecided")
    return PropertyReport(p.name, p.kind, "violated", violation.steps, instance=violation.instance)


def _verdict(
    leading: PropertyReport | None, failed: ModelError | None, cut_by: StopReason | None
) -> tuple[WalkVerdict, ExitCode]:
    if failed is not None:
        return "error", ExitCode.MODEL_ERROR
    if leading is not None:
        return "failed", ExitCode.SAFETY
    if cut_by is StopReason.INTERRUPTED:
        return "interrupted", ExitCode.INTERRUPTED
    return ("followed", ExitCode.PASSED) if cut_by is None else ("nothing found", ExitCode.BOUNDED)


class _Follower:
    """Follows one guide. Raises `ModelError` where the model fails, `UsageProblem` where a line fits no step."""

    def __init__(self, machine: Machine, guide: Guide, properties: Sequence[Property]) -> None:
        self.machine = machine
        self.guide = guide
        self.questions = Questions(machine, properties)
        self.violated: dict[str, _Violation] = {}
        self.bound = None if guide.unbounded or not guide.explicit else machine.program.options.max_actions
        self.walk: Walk | None = None
        self._failed: list[TraceEntry] = []

    def follow(self) -> None:
        """Take all steps of the guide."""
        self.walk = walk = self._begun()
        self._see(walk, ())
        for link in self.guide.links:
            choices = list(link.choices)
            self._take(walk, choose(self._fitting(walk, link), link, choices, self._why_no_start(walk)))
            if not self.guide.explicit:
                self._finish_threads(walk, link, choices)
            _all_used(choices, link)

    def entries(self) -> list[TraceEntry]:
        """The trace so far, with the step that failed."""
        return [] if self.walk is None else [*self.walk.entries(), *self._failed]

    def _fitting(self, walk: Walk, link: Link) -> list[Possible]:
        """The steps with the name of a link; if it means none of them, all steps, for the message."""
        name = link.head.text.partition("[")[0].removesuffix(" crash")
        found = self.possible(walk.state, walk.starts, name)
        return found if meant(found, link) else self.possible(walk.state, walk.starts)

    def possible(self, state: State, starts: int, of: str | None = None) -> list[Possible]:
        """The possible steps of a state after so many starts; `of`: only those with this name."""
        return list(self.each(state, starts, of))

    def each(self, state: State, starts: int, of: str | None = None) -> Iterator[Possible]:
        """As `possible`, one by one.

        In the explicit form all options of the model apply. In the simple form an action starts only if no thread is
        unfinished, nothing crashes, and there is no bound.
        """
        if self.guide.explicit:
            begins = self.bound is None or not is_cut(starts, self.bound)
            return possible_steps(self.machine, state, begins, crashes=True, of=of)
        return possible_steps(self.machine, state, not state.threads, crashes=False, of=of)

    def _why_no_start(self, walk: Walk) -> str:
        """Why no action starts here, apart from the limits of the model."""
        if self.bound is not None and is_cut(walk.starts, self.bound):
            return f"no action starts after {self.bound:,} starts: raise max_actions, or add a line [unbounded]"
        if not self.guide.explicit and walk.state.threads:
            return "no action starts while a thread waits, unless every step is listed: add a line [explicit]"
        return ""

    def _begun(self) -> Walk:
        inits = possible_inits(self.machine)
        if not inits:
            init = self.machine.program.init
            span = None if init is None else self.machine.program.routines[init].span
            raise ModelError("R19", "no initial state: every way through Init is aborted", span)
        link = self.guide.init
        choices = list(link.choices)
        result = choose(inits, link, choices).result
        _all_used(choices, link)
        if isinstance(result, Failure):
            raise result.error
        assert isinstance(result, InitialState)
        return Walk(self.machine, result)

    def _finish_threads(self, walk: Walk, link: Link, choices: list[GuideLine]) -> None:
        """The simple form: threads continue until they end or wait; further choices take the next lines."""
        for _ in range(_MOST_IN_A_THREAD):
            if not walk.state.threads:
                return
            going = [p for p in self.possible(walk.state, walk.starts) if p.name.startswith("thread-")]
            if not going:
                return
            head = GuideLine(link.head.file, link.head.number, going[0].name)
            self._take(walk, choose(going, Link(head), choices))
        raise link.head.problem(
            f"the thread of '{link.head.text}' does not end within {_MOST_IN_A_THREAD:,} steps",
            "list every step: with a line [explicit] nothing goes on by itself",
        )

    def _take(self, walk: Walk, chosen: Possible) -> None:
        result, before = chosen.result, walk.state
        if isinstance(result, StepFailure):
            self._failed.append(failed_entry(self.machine, before, result))
            raise result.failure.error
        assert isinstance(result, Step)
        walk.take(result)
        self._see(walk, self.questions.of_step(before, result))

    def _see(self, walk: Walk, said: Sequence[Said]) -> None:
        for one in (*said, *self.questions.of_state(walk.state)):
            self.violated.setdefault(one.property.key, _Violation(len(walk.steps), one.instance))


def _all_used(choices: Sequence[GuideLine], link: Link) -> None:
    if choices:
        raise choices[0].problem(
            f"'{choices[0].text}' is no choice of '{link.head.text}' here", "there is no choice left to make"
        )


class _Listing:
    """The steps after the end, as a tree: as deep as requested, or as deep as all of them can be listed.

    `extended` is that depth; `complete` unless more was requested. `cut_by`: why it ended early.
    """

    def __init__(self, follower: _Follower, extend: int, patience: Patience) -> None:
        self.follower = follower
        self.patience = patience
        self.cut_by: StopReason | None = None
        self.next: tuple[NextStep, ...] = ()
        self.extended = extend
        self.complete = True
        self._room = self._lines = 0
        walk, count = follower.walk, 0
        for depth in range(1, extend + 1) if walk is not None else ():
            assert walk is not None
            self._room, self._lines = MOST_NEXT_STEPS, MOST_LINES
            try:
                found = tuple(self._after(walk.state, walk.starts, depth))
            except Stop as stop:
                self.cut_by, self.complete, self.extended = stop.reason, False, depth - 1
                return
            if not self.complete:
                self.next = self.next or found
                self.extended = max(depth - 1, 1)
                return
            self.next = found
            if MOST_NEXT_STEPS - self._room == count:
                return
            count = MOST_NEXT_STEPS - self._room

    def _after(self, state: State, starts: int, depth: int) -> Iterator[NextStep]:
        machine = self.follower.machine
        for possible in self.follower.each(state, starts) if depth else ():
            if not self._room or self._lines <= 0:
                self.complete = False
                return
            self._room -= 1
            self.patience.ask()
            result = possible.result
            if isinstance(result, Step):
                entry = step_entry(machine, state, result, result.target)
                self._lines -= len(entry.state)
                started = starts_after(starts, result.rule.kind)
                yield NextStep(entry, next=tuple(self._after(result.target, started, depth - 1)))
            elif isinstance(result, StepFailure):
                yield NextStep(failed_entry(machine, state, result), result.failure.error.diagnostic)
