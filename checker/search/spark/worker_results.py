"""`Learning`: what one process notes of the ways that it goes, and what it is told of those that others went."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from checker.search.checkpoints.codec import StateCodec
from checker.search.memo.trie import ReadTree
from checker.search.rows.expander import Expander
from checker.search.spark.shared_results import SharedResult, pack_results
from interpreter.state.step import ExecutionPath, Rule, StepKind

if TYPE_CHECKING:
    from checker.search.columns.space import Space


class Learning:
    """The lessons of one process. It listens to the memory of an expander from the beginning."""

    def __init__(self, expander: Expander) -> None:
        self._machine = expander.machine
        self._memory = expander.memory
        self._noted: list[SharedResult] = []
        self.unshared = 0
        """How many lessons could not be told, because others could make nothing of them."""
        self._memory.listener = self._note

    def _note(self, rule: Rule, way: ExecutionPath) -> None:
        self._noted.append(SharedResult(rule, rule in self._memory.runner.without_containers, way))

    def tell(self, codec: StateCodec) -> bytes:
        """What was learned since the last time, in bytes."""
        shared_results = [shared for shared in self._noted if self._counts(shared)]
        self._noted = []
        data, told = pack_results(codec, shared_results)
        self.unshared += len(shared_results) - told
        return data

    def _counts(self, shared: SharedResult) -> bool:
        """Whether a lesson is of use still: rules are given up, or begun anew with fewer restarts."""
        rule = shared.rule
        return rule not in self._memory.forgetful and shared.without_containers == (
            rule in self._memory.runner.without_containers
        )

    def take(self, shared_results: Iterable[SharedResult], space: Space | None) -> None:
        """Remember what others have learned; `space`: for columns too."""
        for shared in shared_results:
            rule = shared.rule
            if rule.kind is not StepKind.ASSERT:
                # Whoever went this way may never get to tell that its statements were executed.
                for result in shared.way.results:
                    self._machine.note(result)
            if shared.without_containers and rule not in self._memory.runner.without_containers:
                self._memory.runner.without_containers.add(rule)
                self._memory.tree(rule).forget()
            if self._counts(shared):
                if space is None or rule.kind is not StepKind.CONTINUE:
                    self._memory.tree(rule).take(shared.way)
                else:
                    _take_parked(space, rule, shared.way)


def _take_parked(space: Space, rule: Rule, way: ExecutionPath) -> None:
    """Columns know what a thread does by the thread, wherever it is parked."""
    tree = ReadTree(space.memory.counters, space.restarts)
    tree.root = space.parked.get(rule.subject)
    if tree.take(way):
        space.rules.update((id(result), rule) for result in way.results)
    if tree.root is not None:
        space.parked[rule.subject] = tree.root
