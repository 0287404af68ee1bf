"""`cover`: how often each line of a model ran over all states, and what never ran or never decided anything.

States are always visited row by row, so the counts do not depend on the engine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from checker.analysis.counting import AssertionCounter, StepCounter
from checker.analysis.unused import idle_settings, unused
from checker.analysis.vacuity import never_tested, within
from checker.analysis.visit import Tour, VisitExtent, visit_all
from checker.core.exploration import Settings
from checker.core.given import Given
from checker.core.model_result import ModelResult
from checker.core.patience import Patience
from checker.core.problems import constants_fail
from checker.properties import properties_of
from checker.search.composition.load_whole import load_whole
from checker.search.driver import ProgressSink
from checker.search.judgement import all_actions
from checker.traces.why import source_text
from fizz import Diagnostic, Module, Span
from fizz.base.room import with_room
from interpreter import ModelError, Program, compile_module
from interpreter.compile.program import ActionProgram, Instruction, Routine
from interpreter.compile.statements import instructions
from interpreter.execute.decisions import NO, YES, Deciding, Decision, deciding_statements
from interpreter.execute.evaluated_parts import conditional_parts_of

RemarkKind = OneOf["never ran", "never true", "never false", "nothing there", "never evaluated"]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that never happened at a source location. `text` is a sentence about it."""

    kind: RemarkKind
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Branching:
    """A guard, branch or choice: how often it had each of its outcomes, by their names."""

    span: Span
    text: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ActionCount:
    """How many execution paths of an action were tried, and how many of them were steps."""

    action: str
    span: Span
    paths: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Coverage(ModelResult, VisitExtent):
    """What ran. `runs`: by file and line, how often the statement that begins there was executed; 0: never.

    `statements` and `ran` count statements. `untested`: the parts of assertions that were never evaluated (W16).
    `settings`: those of `action_options` without effect (W14).
    """

    model: str
    runs: Mapping[tuple[str, int], int]
    statements: int
    ran: int
    actions: tuple[ActionCount, ...]
    branchings: tuple[Branching, ...]
    remarks: tuple[Remark, ...]
    untested: tuple[Diagnostic, ...]
    settings: tuple[Diagnostic, ...]
    transitions: int
    depth: int
    sources: Mapping[str, str] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def summary(self) -> str:
        """How many statements ran."""
        return f"{self.ran:,} of {self.statements:,} statements ran, {self.states:,} states"


@with_room
def cover(
    model: str | os.PathLike[str] | Module,
    *,
    settings: Settings | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    progress: ProgressSink | None = None,
    patience: Patience | None = None,
) -> Coverage:
    """Visit every state of a model and count. Errors are raised as in `check`; constants that fail are a `Problem`.

    `patience` as in `check`.
    """
    settings = settings or Settings()
    module = load_whole(model, options=options, constants=constants)
    program = compile_module(module)
    properties = properties_of(program, settings.properties)
    watches = [watch for p in properties for watch in p.watches]
    steps, assertions = StepCounter(program), AssertionCounter(program, watches)
    try:
        tour = visit_all(program, settings, (steps, assertions), progress, properties, patience)
    except ModelError as error:
        raise constants_fail(error.text) from None
    found = _Summary(module, program, tour, steps, assertions).coverage()
    return replace(found, given=Given(constants or {}, options or {}))


class _Summary:
    """From counts to the coverage."""

    def __init__(
        self,
        module: Module,
        program: Program,
        tour: Tour,
        steps: StepCounter,
        assertions: AssertionCounter,
    ) -> None:
        self.module = module
        self.program = program
        self.tour = tour
        self.assertions = assertions
        self.steps = steps.sums
        self.lines = steps.sums.lines + assertions.sums.lines
        self.decided = steps.sums.decided + assertions.sums.decided
        self.deciding = deciding_statements(program)
        self.exercised = steps.exercised

    def coverage(self) -> Coverage:
        """The summary as data."""
        driver = self.tour.driver
        spans = [i.span for routine in self._routines() for i in instructions(routine.body)]
        return Coverage(
            model=self.module.path,
            runs=self._runs(spans),
            statements=len(spans),
            ran=sum(span in self.lines for span in spans),
            actions=tuple(self._action(action) for action in all_actions(self.program)),
            branchings=tuple(self._branching(span) for span in sorted(self.deciding)),
            remarks=tuple(sorted(self._remarks(), key=lambda remark: remark.span)),
            untested=tuple(never_tested(self.program, self._asked(), self.assertions.sums.lines.keys())),
            settings=tuple(idle_settings(self.program, driver.total.noted)),
            states=driver.total.states,
            transitions=driver.total.transitions,
            depth=driver.depth,
            stopped=driver.stopped,
            cut=driver.cut,
            sources=self.module.sources,
            warnings=self.module.warnings,
        )

    def _asked(self) -> list[int]:
        return [assertion.number for assertion in self.assertions.asked]

    def _routines(self) -> list[Routine]:
        """The routines without the assertions that were not evaluated."""
        asked = {assertion.routine for assertion in self.assertions.asked}
        return [r for r in self.program.routines if r.kind != "assertion" or r.number in asked]

    def _runs(self, spans: list[Span]) -> dict[tuple[str, int], int]:
        """The counts by line; of several statements in one line the first counts."""
        return {(span.file, span.line): self.lines[span] for span in sorted(spans, reverse=True)}

    def _action(self, action: ActionProgram) -> ActionCount:
        span = self.program.routines[action.routine].span
        return ActionCount(action.key, span, self.steps.paths[action.routine], self.steps.steps[action.routine])

    def _branching(self, span: Span) -> Branching:
        deciding = self.deciding[span]
        text = source_text(deciding.conditions[0].span, self.program.sources)
        counts = tuple((name, self.decided[Decision(span, branch)]) for branch, name in _outcomes(deciding))
        return Branching(span, f"{deciding.word} {text}", counts)

    # --- what never happened ---------------------------------------------------------------------------------------

    def _remarks(self) -> Iterator[Remark]:
        for warning in unused(self.program, self.lines.keys(), ()):
            assert warning.span is not None
            yield Remark("nothing there" if warning.code == "W7" else "never ran", warning.span, warning.text)
        for routine in self.program.routines:
            if routine.kind != "assertion":
                for instruction in instructions(routine.body):
                    if instruction.span in self.lines:
                        yield from self._of_decisions(instruction.span)
                        yield from self._of_parts(instruction)

    def _of_decisions(self, span: Span) -> Iterator[Remark]:
        """Guards and conditions that always had the same outcome."""
        deciding = self.deciding.get(span)
        if deciding is None or deciding.word not in ("require", "if"):
            return
        if deciding.word == "require":
            if not self.decided[Decision(span, YES)]:
                yield Remark("never true", deciding.conditions[0].span, "this guard was never true")
            elif not self.decided[Decision(span, NO)]:
                yield Remark("never false", deciding.conditions[0].span, "this guard was never false")
            return
        # For an `if`, the branch that never ran has a remark, unless there is none.
        beyond = len(deciding.bodies)
        if beyond == len(deciding.conditions) and not self.decided[Decision(span, beyond)]:
            yield Remark("never false", deciding.conditions[-1].span, "this condition was never false")

    def _of_parts(self, instruction: Instruction) -> Iterator[Remark]:
        """The outermost parts of expressions that were never evaluated."""
        found: list[Span] = []
        for part in conditional_parts_of(instruction):
            if part.span not in self.exercised and not any(within(part.span, outer) for outer in found):
                found.append(part.span)
                yield Remark("never evaluated", part.span, "this part was never evaluated")


def _outcomes(deciding: Deciding) -> list[tuple[int, str]]:
    """The decisions that a statement can make, and their names."""
    if deciding.word == "require":
        return [(YES, "true"), (NO, "false")]
    if deciding.word != "if":
        return [(YES, "entered"), (NO, "passed by")] if deciding.word == "while" else [(YES, "some"), (NO, "none")]
    names = ["if", *["elif"] * (len(deciding.conditions) - 1)]
    names += ["else" if len(deciding.bodies) > len(deciding.conditions) else "no branch"]
    return list(enumerate(names))
