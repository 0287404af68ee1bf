"""`validate_logs`: are logs behaviours of a model?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from checker.conformance.event_map import EventMap, read_map
from checker.conformance.event_sources import EventCounts, by_process, log_events, refuse_no_files
from checker.conformance.failing import failing
from checker.conformance.judged_states import JudgedStates
from checker.conformance.log_files import Place
from checker.conformance.log_search import (
    EventStream,
    InOrder,
    LogNode,
    LogSearched,
    PerProcess,
    path_to,
    search_log,
)
from checker.conformance.observed_event import Observed
from checker.conformance.read_only import instructions
from checker.conformance.step_fit import StepFit, key_of
from checker.conformance.validation_report import (
    JudgedAssertion,
    LogRun,
    LogVerdict,
    NextEvent,
    Rejection,
    ValidationReport,
)
from checker.core.given import Given
from checker.core.limits import Limits
from checker.core.patience import Patience
from checker.core.problems import ExitCode, UsageProblem
from checker.core.trace import TraceEntry
from checker.properties import properties_of
from checker.traces.replay import init_entry, step_entry
from fizz import Span, load
from fizz.base.near_names import near_hint
from interpreter import Machine, State, compile_module

_STATES_SHOWN: Final = 3
_STEPS_SHOWN: Final = 8
_CODES: Final[Mapping[LogVerdict, ExitCode]] = {
    "accepted": ExitCode.PASSED,
    "rejected": ExitCode.REJECTED,
    "inconclusive": ExitCode.BOUNDED,
    "nothing": ExitCode.USAGE,
}


def validate_logs(
    model: str,
    logs: Sequence[str],
    map_file: str,
    *,
    each: bool = False,
    most: int | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    patience: Patience | None = None,
) -> ValidationReport:
    """Search for a run of the model that explains the events of all logs together, or of `each` by itself.

    `most`: the most nodes of a search. Raises `FizzError` and `UsageProblem`.
    """
    begun = time.perf_counter()
    patience = patience or Patience(limits)
    refuse_no_files(logs)
    module = load(model, options=options, constants=constants)
    event_map = read_map(map_file)
    if event_map.order.by_file and len(logs) > 1 and not each:
        raise UsageProblem(
            f"the map orders events as the lines of one file, and there are {len(logs)} logs",
            f"leave out `order: file` in {map_file} if they are of one run, or validate --each by itself",
        )
    with patience.deferring_interrupts(), failing(module):
        machine = Machine(compile_module(module))
        fit = StepFit(machine, event_map.silent)
        _refuse_unknown_actions(event_map, fit)
        initial, failures = machine.initial()
        if failures:
            raise failures[0].error
        beginnings = [one.state for one in initial]
        groups = [[log] for log in logs] if each else [list(logs)]
        runs: list[LogRun] = []
        for group in groups:
            runs.append(_Run(machine, fit, event_map, beginnings, group, patience, most).validate())
            if patience.over is not None:
                break
    verdict = _verdict(runs)
    code = _CODES[verdict]
    if code is ExitCode.PASSED and any(one.every for run in runs for one in run.judged):
        code = ExitCode.SAFETY
    return ValidationReport(
        verdict=verdict,
        exit_code=ExitCode.INTERRUPTED if patience.interrupted else code,
        model=model,
        map=map_file,
        runs=tuple(runs),
        all_actions=fit.actions,
        all_lines=_lines_of(machine),
        sources=module.sources,
        cut_by=patience.over if verdict == "inconclusive" else None,
        elapsed_s=time.perf_counter() - begun,
        given=Given(constants or {}, options or {}),
    )


def _verdict(runs: Sequence[LogRun]) -> LogVerdict:
    for verdict in ("rejected", "nothing", "inconclusive"):
        if any(run.verdict == verdict for run in runs):
            return verdict
    return "accepted"


def _refuse_unknown_actions(event_map: EventMap, fit: StepFit) -> None:
    """Refuse a map that names an action, or a silent step, that the model does not have."""
    functions = {f"{role.name}.{name}" for role in fit.machine.program.roles for name in role.functions}
    for kind, rule in [(kind, rule) for kind, rules in event_map.rules.items() for rule in rules]:
        if "action" in rule and key_of(str(rule["action"])) not in {*fit.actions, *functions}:
            hint = near_hint(str(rule["action"]), fit.actions) or f"its actions are {', '.join(fit.actions)}"
            place = Place(event_map.path, event_map.lines.get(kind, 1))
            place.refuse(f"the model has no action '{rule['action']}' (event '{kind}')", hint)
    for name in sorted(event_map.silent.steps - {"continue", "deliver", "crash", *fit.actions, *functions}):
        if "#" not in name:
            hint = near_hint(name, fit.actions) or "an action, or continue, deliver, crash"
            Place(event_map.path, event_map.lines.get("silent", 1)).refuse(f"no silent step '{name}'", hint)


def _lines_of(machine: Machine) -> frozenset[tuple[str, int]]:
    """The lines with statements of actions and funcs."""
    routines = [one for one in machine.program.routines if one.kind in ("action", "func")]
    spans = [one.span for routine in routines for one in instructions(routine)]
    return frozenset((span.file, span.line) for span in spans)


class _Run:
    """Validates the logs of one run."""

    def __init__(
        self,
        machine: Machine,
        fit: StepFit,
        event_map: EventMap,
        beginnings: Sequence[State],
        files: Sequence[str],
        patience: Patience,
        most: int | None,
    ) -> None:
        self.machine = machine
        self.fit = fit
        self.event_map = event_map
        self.beginnings = beginnings
        self.files = tuple(files)
        self.patience = patience
        self.most = most
        self.judged_states = JudgedStates(fit.steps, [p for p in properties_of(machine.program, None) if p.safety])
        self._clear()

    def _clear(self) -> None:
        self.counts = EventCounts()
        self.actions: Counter[str] = Counter()
        self.covered: set[tuple[str, int]] = set()
        self.explained = self.values = self.silent = self.steps = 0
        self.said: dict[str, Observed | None] = {}
        self._counted: dict[int, tuple[Span, ...]] = {}

    def _stream(self) -> EventStream:
        events: Iterator[Observed] = log_events(self.files, self.event_map, self.counts)
        if self.event_map.order.by_file:
            return InOrder(events)
        processes, ordered = by_process(events, self.event_map)
        # Of one process there is only one order.
        return InOrder(one.event for one in ordered[0]) if len(processes) == 1 else PerProcess(ordered)

    def validate(self) -> LogRun:
        """Search, and judge assertions on the run that was found."""
        found = self._search(lambda node: True)
        judged: tuple[JudgedAssertion, ...] = ()
        if found.accepted is not None and self.said:
            # Is there an explanation on which none is violated?
            said = dict(self.said)
            again = self._search(lambda node: not self._violated(node))
            every = again.accepted is None and not again.stopped
            judged = tuple(JudgedAssertion(name, every, event) for name, event in said.items())
            if again.accepted is None:
                self._clear()
                found = self._search(lambda node: True)
        verdict = self._verdict(found)
        reason = ""
        if self.explained == 0 and self.counts.lines == self.counts.ignored:
            verdict, reason = "nothing", self._why_nothing()
        elif verdict == "inconclusive":
            reason = self._why_inconclusive(found)
        return LogRun(
            self.files,
            verdict,
            self.counts.lines,
            self.counts.ignored,
            found.most,
            self.values,
            self.silent,
            found.nodes,
            dict(self.actions),
            frozenset(self.covered),
            reason,
            self._rejection(found) if verdict == "rejected" else None,
            judged,
        )

    def _verdict(self, found: LogSearched) -> LogVerdict:
        if found.accepted is not None:
            return "accepted"
        return "inconclusive" if found.stopped or found.bounded else "rejected"

    def _why_nothing(self) -> str:
        return "the logs are empty" if not self.counts.lines else "the map ignores all events"

    def _why_inconclusive(self, found: LogSearched) -> str:
        if self.patience.over is not None:
            return self.patience.over.sentence
        if found.stopped:
            return f"more than {self.most:,} nodes" if self.most is not None else "it was stopped"
        most = self.event_map.silent.most
        return f"after event {found.most:,} nothing fits with {most} silent steps; `silent: {{most: N}}` allows more"

    def _search(self, look: object) -> LogSearched:
        self._clear()
        assert callable(look)
        return search_log(self.fit, self._stream(), self.beginnings, self.patience, self.most, look, self._settled)

    def _violated(self, node: LogNode) -> list[str]:
        return self.judged_states.violated(None if node.parent is None else node.parent.state, node.step, node.state)

    def _settled(self, nodes: list[LogNode]) -> None:
        for node in nodes:
            for name in self._violated(node):
                self.said.setdefault(name, node.event)
            if node.step is not None:
                self.actions[key_of(node.step.actor)] += node.step.rule.kind.name == "START"
                lines = node.step.outcome.lines
                if self._counted.get(id(lines)) is not lines:
                    self._counted[id(lines)] = lines
                    self.covered.update((span.file, span.line) for span in lines)
                self.silent += node.event is None
            if node.event is not None:
                self.explained += 1
                self.values += node.event.values

    def _rejection(self, found: LogSearched) -> Rejection:
        nodes = found.furthest
        states = list(dict.fromkeys(node.state for node in nodes))[:_STATES_SHOWN]
        stream = self._stream_after(nodes[0])
        blocked = list(dict.fromkeys(id(event) for event in stream))
        events = {id(event): event for event in stream}
        return Rejection(
            tuple(self._entries(nodes[0])),
            tuple(tuple(self.machine.describe(state)) for state in states),
            tuple(
                NextEvent(events[one], tuple(tuple(self.fit.reasons(state, events[one])) for state in states))
                for one in blocked[:_STATES_SHOWN]
            ),
            None if found.doubtful is None else found.doubtful.event,
        )

    def _stream_after(self, node: LogNode) -> list[Observed]:
        """The events that may come next after a node: the logs are read again up to there."""
        stream = self._stream()
        if isinstance(stream, InOrder):
            position = stream.first()
            for _ in range(node.consumed):
                _, position = next(iter(stream.next(position)))
                stream.settle(position)
            return [event for event, _ in stream.next(position)]
        return [event for event, _ in stream.next(node.positions)]

    def _entries(self, node: LogNode) -> Iterator[TraceEntry]:
        path = path_to(node)[-_STEPS_SHOWN - 1 :]
        for before, after in pairwise(path):
            if after.step is not None:
                step = self.fit.interpreted(before.state, after.step, after.event)
                yield step_entry(self.machine, before.state, step, step.target)
        if len(path) == 1 and node.step is None:
            initial, _ = self.machine.initial()
            begin = next(one for one in initial if one.state == node.state)
            yield init_entry(self.machine, begin.outcome, begin.state)
