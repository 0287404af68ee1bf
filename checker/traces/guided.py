"""`follow`: a guided trace through a model (language page, 13), and every possible step beyond its end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from checker.core.exit_code import ExitCode
from checker.core.given import Given
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.property import Phase, Property
from checker.core.report import ModelFailure, PropertyReport
from checker.core.trace import Trace, TraceEntry
from checker.properties import properties_of
from checker.search.contract.bounds import is_cut, starts_after
from checker.traces.guide import Guide, GuideLine, Link, parse_guide, read_guide
from checker.traces.model_walk import Questions, Said, Walk
from checker.traces.possible import Possible, choose, meant, possible_inits, possible_steps
from checker.traces.replay import failed_entry, step_entry
from checker.traces.walk_report import GuidedReport, NextStep, WalkVerdict
from fizz import Module, load
from fizz.base.light import dataclass
from interpreter import Machine, ModelError, State, Step, compile_module
from interpreter.state.step import Failure, InitialState, StepFailure

MOST_NEXT_STEPS = 10_000
"""Steps beyond the end that are listed: there may be more than anybody could read."""

_MOST_IN_A_THREAD = 10_000
"""Steps of one thread that the simple form takes by itself, before it calls the thread endless."""

_LINES = "trace"
"""What stands for the file in messages about a trace that was given as lines."""


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
    """Follow a guided trace, and list the steps up to `extend` steps beyond its end.

    `trace` is the path of a file, or its lines; None: Init alone.

    `always` and `transition` are checked on the way, which goes on after a violation. `limits` are those of time and
    memory; `patience`, if it is given, counts from somewhere before. Errors are raised as in `check`; `UsageProblem`
    with file and line for a line that fits nothing.
    """
    patience = patience or Patience(limits)
    guide = _guide(trace)
    module = model if isinstance(model, Module) else load(model, options=options, constants=constants)
    with patience.heeding(), patience.attending():
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
    properties = tuple(p for p in properties_of(program, selected) if p.phase is Phase.SAFETY)
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
        warnings=module.warnings,
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
    """The run that a guided trace tells of, which is given as in `follow`. Raises `ModelError` and `UsageProblem`."""
    follower = _Follower(machine, _guide(trace), ())
    follower.follow()
    assert follower.walk is not None
    return follower.walk


def _guide(trace: str | Sequence[str] | None) -> Guide:
    return read_guide(trace) if isinstance(trace, str) else parse_guide("\n".join(trace or ()), _LINES)


@dataclass(frozen=True, slots=True)
class _Violation:
    """After how many steps a property was violated first, and for which instance."""

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
    """Follows one guide. Raises `ModelError` where the model fails, `UsageProblem` where a line fits nothing."""

    def __init__(self, machine: Machine, guide: Guide, properties: Sequence[Property]) -> None:
        self.machine = machine
        self.guide = guide
        self.questions = Questions(machine, properties)
        self.violated: dict[str, _Violation] = {}
        self.bound = None if guide.unbounded or not guide.explicit else machine.program.options.max_actions
        self.walk: Walk | None = None
        self._failed: list[TraceEntry] = []

    def follow(self) -> None:
        """Go the whole way."""
        self.walk = walk = self._begun()
        self._see(walk, ())
        for link in self.guide.links:
            choices = list(link.choices)
            self._take(walk, choose(self._fitting(walk, link), link, choices, self._why_no_start(walk)))
            if not self.guide.explicit:
                self._finish_threads(walk, link, choices)
            _all_used(choices, link)

    def entries(self) -> list[TraceEntry]:
        """The story so far, with the step that failed."""
        return [] if self.walk is None else [*self.walk.entries(), *self._failed]

    def _fitting(self, walk: Walk, link: Link) -> list[Possible]:
        """The steps of the name that a link has; if it means none of them, all steps, to be told."""
        name = link.head.text.partition("[")[0].removesuffix(" crash")
        found = self.possible(walk.state, walk.starts, name)
        return found if meant(found, link) else self.possible(walk.state, walk.starts)

    def possible(self, state: State, starts: int, of: str | None = None) -> list[Possible]:
        """What may follow in a state, after so many starts; or those steps of it that have this name.

        In the explicit form all options of the model hold. In the simple form an action starts when no thread is
        unfinished, nothing crashes, and there is no bound.
        """
        if self.guide.explicit:
            begins = self.bound is None or not is_cut(starts, self.bound)
            return possible_steps(self.machine, state, begins, crashes=True, of=of)
        return possible_steps(self.machine, state, not state.threads, crashes=False, of=of)

    def _why_no_start(self, walk: Walk) -> str:
        """What keeps actions from starting here, besides the limits of the model."""
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
        """The simple form: threads go on until they end or wait; at further choices the next lines are used."""
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
    """The steps beyond the end, as a tree: as far as was asked for, or as far as all of them can be listed.

    `extended` says how far that is; `complete` unless more was asked for. `cut_by`: what ended it before.
    """

    def __init__(self, follower: _Follower, extend: int, patience: Patience) -> None:
        self.follower = follower
        self.patience = patience
        self.cut_by: StopReason | None = None
        self.next: tuple[NextStep, ...] = ()
        self.extended = extend
        self.complete = True
        self._room = 0
        walk, count = follower.walk, 0
        for depth in range(1, extend + 1) if walk is not None else ():
            assert walk is not None
            self._room = MOST_NEXT_STEPS
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
        for possible in self.follower.possible(state, starts) if depth else ():
            if not self._room:
                self.complete = False
                return
            self._room -= 1
            self.patience.ask()
            result = possible.result
            if isinstance(result, Step):
                entry = step_entry(machine, state, result, result.target)
                started = starts_after(starts, result.rule.kind)
                yield NextStep(entry, next=tuple(self._after(result.target, started, depth - 1)))
            elif isinstance(result, StepFailure):
                yield NextStep(failed_entry(machine, state, result), result.failure.error.diagnostic)
