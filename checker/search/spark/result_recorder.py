"""`ResultRecorder`: notes the execution paths that one process runs, and takes in those that others ran."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from checker.search.checkpoints.codec import StateCodec
from checker.search.memo.slots_inside import answers_apart
from checker.search.memo.trie import ReadTree
from checker.search.rows.expander import Expander
from checker.search.spark.shared_results import SharedResult, pack_results
from interpreter.state.step import ExecutionPath, Read, Rule, StepKind

if TYPE_CHECKING:
    from checker.search.columns.space import Space


class ResultRecorder:
    """The results that one process shares. It listens to the memory of an expander from the beginning."""

    def __init__(self, expander: Expander) -> None:
        self._machine = expander.machine
        self._memory = expander.memory
        self._noted: list[SharedResult] = []
        self.unshared = 0
        """How many results could not be shared, because they mean nothing in another process."""
        self._memory.listener = self._note

    def _note(self, rule: Rule, path: ExecutionPath) -> None:
        memory = self._memory
        without = rule in memory.runner.without_containers
        self._noted.append(SharedResult(rule, without, memory.is_recorded(rule), path))

    def unsent(self, codec: StateCodec) -> bytes:
        """The results noted since the last call, in bytes."""
        shared_results = [shared for shared in self._noted if self._usable(shared)]
        self._noted = []
        data, packed = pack_results(codec, shared_results)
        self.unshared += len(shared_results) - packed
        return data

    def _usable(self, shared: SharedResult) -> bool:
        """Whether a result is still of use: rules are given up, or begun anew, also with another function."""
        rule, memory = shared.rule, self._memory
        if memory.runs_anew(rule) or shared.recorded != memory.is_recorded(rule):
            return False
        if shared.recorded and not memory.can_share_recorded(rule):
            return False
        return shared.without_containers == (rule in memory.runner.without_containers) and not self._asks_apart(shared)

    def _asks_apart(self, shared: SharedResult) -> bool:
        """Whether a path asks what this process answers from elements or turns: another one may ask in another way."""
        divider = self._memory.divider
        if not divider.answers_folds:
            return False
        return any(isinstance(event, Read) and answers_apart(divider, event.slot) for event in shared.path.events)

    def add(self, shared_results: Iterable[SharedResult], space: Space | None) -> None:
        """Remember the results of other processes; `space`: for columns too."""
        for shared in shared_results:
            rule = shared.rule
            if rule.kind is not StepKind.ASSERT:
                # The process that ran this path may fail before it reports which statements were executed.
                for result in shared.path.results:
                    self._machine.note(result)
            if shared.without_containers and rule not in self._memory.runner.without_containers:
                self._memory.runner.without_containers.add(rule)
                self._memory.tree(rule).forget()
            if shared.recorded:
                self._memory.record_too(rule)
            if self._usable(shared):
                if space is None or rule.kind is not StepKind.CONTINUE:
                    self._memory.tree(rule).take(shared.path)
                else:
                    _take_parked(space, rule, shared.path)


def _take_parked(space: Space, rule: Rule, path: ExecutionPath) -> None:
    """Columns remember a thread's paths by the thread, in any slot."""
    tree = ReadTree(space.memory.counters, space.restarts)
    tree.root = space.parked.get(rule.subject)
    if tree.take(path):
        space.rules.update((id(result), rule) for result in path.results)
    if tree.root is not None:
        space.parked[rule.subject] = tree.root
