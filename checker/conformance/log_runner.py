"""`LogRunner`: a search for an explanation of the logs of one run, and what is said of what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from checker.conformance.event_map import EventMap
from checker.conformance.event_sources import EventCounts, by_process, log_events
from checker.conformance.event_streams import EventStream, InOrder, PerProcess
from checker.conformance.explanations import Explanations
from checker.conformance.log_groups import LogGroup
from checker.conformance.log_model import LogModel
from checker.conformance.log_nodes import LogNode, path_to
from checker.conformance.log_search import LogSearched, search_log
from checker.conformance.observed_event import Observed
from checker.conformance.step_fit import key_of
from checker.conformance.validation_report import (
    JudgedAssertion,
    JudgedOn,
    LogRun,
    LogVerdict,
    NextEvent,
    Reading,
    Rejection,
)
from checker.core.patience import Patience
from checker.core.trace import TraceEntry
from checker.traces.replay import init_entry, step_entry
from fizz import Span
from interpreter import State

_STATES_SHOWN: Final = 3
_EVENTS_SHOWN: Final = 5
_STEPS_SHOWN: Final = 8


class LogRunner:
    """Validates the logs of one run."""

    def __init__(
        self,
        model: LogModel,
        event_map: EventMap,
        group: LogGroup,
        patience: Patience,
        most: int | None,
        explanations: Reading = "one",
    ) -> None:
        self.model = model
        self.event_map = event_map
        self.group = group
        self.patience = patience
        self.most = most
        self.explanations = explanations
        self._clear()

    def _clear(self) -> None:
        self.counts = EventCounts()
        self.actions: Counter[str] = Counter()
        self.covered: set[tuple[str, int]] = set()
        self.explained = self.values = self.silent = self.moved = 0
        self.said: dict[str, Observed | None] = {}
        self._shown: list[TraceEntry] = []
        """The last steps that another machine took, which is no longer there."""
        self._counted: dict[int, tuple[Span, ...]] = {}

    def _stream(self) -> EventStream:
        events: Iterator[Observed] = log_events(self.group, self.event_map, self.counts)
        if self.event_map.order.by_file:
            return InOrder(events)
        processes, ordered = by_process(events, self.event_map, self.counts)
        # Of one process there is only one order.
        return InOrder(one.event for one in ordered[0]) if len(processes) == 1 else PerProcess(ordered)

    def validate(self) -> LogRun:
        """Search, and judge assertions on the run that was found."""
        found = self._search()
        run, said = self._concluded(found), dict(self.said)
        if found.accepted is None:
            return run
        if self.explanations != "one":
            return self._judged_on_all(run, said)
        if not said:
            return run
        return replace(run, judged=tuple([self._judged(name, event) for name, event in said.items()]))

    def _judged_on_all(self, run: LogRun, said: Mapping[str, Observed | None]) -> LogRun:
        """The run with the assertions that all explanations violate, or some. `said`: that one which was found."""
        self._clear()
        answer = Explanations(self.model, self._stream(), self.patience, self.most).follow()
        if answer.stopped:
            return replace(run, judged=_all_on("found", said), looked_at="bounded")
        judged = [
            JudgedAssertion(name, "some" if name not in answer.every else "found" if answer.bounded else "every", event)
            for name, event in answer.some.items()
        ]
        return replace(run, judged=tuple(judged), looked_at="bounded" if answer.bounded else "all")

    def _concluded(self, found: LogSearched) -> LogRun:
        """What was found, without assertions."""
        verdict = self._verdict(found)
        reason = ""
        if verdict == "accepted" and not self.values and not self.moved:
            verdict, reason = "nothing", self._why_nothing()
        elif verdict == "inconclusive":
            reason = self._why_inconclusive(found)
        return LogRun(
            self.group.files,
            self.group.key,
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
            unsent=self.counts.unsent,
            rejection=self._rejection(found) if verdict == "rejected" else None,
        )

    def _judged(self, name: str, event: Observed | None) -> JudgedAssertion:
        """Whether there is an explanation on which an assertion is not violated."""
        again = self._search(without=name)
        if again.accepted is not None:
            return JudgedAssertion(name, "some", event)
        return JudgedAssertion(name, "found" if again.stopped or again.bounded else "every", event)

    def _verdict(self, found: LogSearched) -> LogVerdict:
        if found.accepted is not None:
            return "accepted"
        return "inconclusive" if found.stopped or found.bounded else "rejected"

    def _why_nothing(self) -> str:
        if not self.counts.lines:
            return "the logs are empty"
        return "the map says nothing of any event" if self.explained else "the map ignores all events"

    def _why_inconclusive(self, found: LogSearched) -> str:
        if self.patience.over is not None:
            return self.patience.over.sentence
        if found.stopped:
            return f"more than {self.most:,} nodes" if self.most is not None else "it was stopped"
        most = self.event_map.silent.most
        return f"after event {found.most:,} nothing fits with {most} silent steps; `silent: {{most: N}}` allows more"

    def _search(self, without: str | None = None) -> LogSearched:
        """Search for an explanation; `without`: one on which this assertion is not violated."""
        self._clear()
        self._without = without
        return search_log(self.model, self._stream(), self.patience, self.most, self)

    @property
    def chooses(self) -> bool:
        """As `Follower.chooses`."""
        return self._without is not None

    def look(self, node: LogNode) -> bool:
        """As `Follower.look`."""
        return self._without is None or self._without not in self._violated(node)

    def leaving(self, node: LogNode) -> None:
        """As `Follower.leaving`."""
        self._shown = [*self._shown, *self._entries(node)][-_STEPS_SHOWN:]

    def _violated(self, node: LogNode) -> list[str]:
        before = None if node.parent is None else node.parent.state
        return self.model.judged.violated(before, node.step, node.state)

    def settled(self, nodes: list[LogNode]) -> None:
        """As `Follower.settled`."""
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
                self.moved += node.step is not None
                self.values += node.event.values

    def _rejection(self, found: LogSearched) -> Rejection:
        nodes = found.furthest
        states = list(dict.fromkeys(node.state for node in nodes))[:_STATES_SHOWN]
        stream = self._stream_after(nodes[0])
        blocked = self._likely_first(list({id(event): event for event in stream}.values()), states)
        return Rejection(
            tuple([*self._shown, *self._entries(nodes[0])][-_STEPS_SHOWN:]),
            tuple(tuple(self.model.machine.describe(state)) for state in states),
            tuple(
                NextEvent(event, tuple(tuple(self.model.fit.reasons(state, event)) for state in states))
                for event in blocked[:_EVENTS_SHOWN]
            ),
            len(blocked[_EVENTS_SHOWN:]),
            found.doubtful,
        )

    def _likely_first(self, events: list[Observed], states: list[State]) -> list[Observed]:
        """Events of several processes, those first that are likely what is wrong: the others may only wait for them."""
        if len({event.place.file for event in events}) == 1:
            # One log has most likely the lines in their order.
            return sorted(events, key=lambda event: event.place.line)
        return sorted(events, key=lambda event: not any(self.model.fit.is_near(state, event) for state in states))

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
                step = self.model.fit.interpreted(before.state, after.step, after.event)
                yield step_entry(self.model.machine, before.state, step, step.target)
        if len(path) == 1 and node.step is None and not node.consumed:
            initial, _ = self.model.machine.initial()
            begin = next(one for one in initial if one.state == node.state)
            yield init_entry(self.model.machine, begin.outcome, begin.state)


def _all_on(on: JudgedOn, said: Mapping[str, Observed | None]) -> tuple[JudgedAssertion, ...]:
    return tuple([JudgedAssertion(name, on, event) for name, event in said.items()])
