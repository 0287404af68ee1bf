"""`simulate`: random walks through a model (language page, 13). What they find is real; they prove nothing.

Walks may be made here, on the cores of this machine or on Spark: in blocks, each of which has the same result wherever
it is made. The report is that of the blocks up to the first with a finding, so it does not depend on their number.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from checker.core.given import Given
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import EnvironmentProblem, ExitCode, Problem
from checker.core.report import PropertyReport
from checker.core.trials import EarlyEnd
from checker.properties import KINDS, Kinds
from checker.search.composition.load_whole import load_whole
from checker.tasks.task_runner import TaskPlace, TaskRunner, running_tasks
from checker.traces.state_sketch import StateSketch
from checker.traces.walk_report import SimulationReport, WalkProgress
from checker.traces.walker import WalkProgressSink, WalkSettings, walk_block
from fizz import Module
from fizz.base.room import with_room

_BLOCKS: Final = 4
"""Blocks for each process, so that all end at about the same time."""
_MOST_WALKS: Final = 200
"""Of one block: on a cluster without a shared folder, what is under way when a run is interrupted is lost."""
_GRACE_S: Final = 1.0
"""After the time is over, blocks may still say what they have found."""

_Block = tuple[int, int, float | None]
"""A task: the number of its first walk, how many it makes, and how many seconds it has."""


@with_room
def simulate(
    model: str | os.PathLike[str] | Module,
    *,
    runs: int,
    seed: int,
    steps: int | None = None,
    shorten: bool = True,
    rare: bool = False,
    selected: tuple[str, ...] | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    place: TaskPlace | None = None,
    progress: WalkProgressSink | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    limits: Limits | None = None,
    patience: Patience | None = None,
    kinds: Kinds = KINDS,
) -> SimulationReport:
    """Make `runs` random walks, number i (from 0) with the seed `seed` + i; stop at the first violation.

    `place`: where they are made; None: in this process. The report is the same, but for its time. The settings of walks
    are those of `WalkSettings`. `progress` is called from time to time, `say` takes messages. `limits` in time and
    memory are counted from now unless `patience` is given. The rest is as in `check`, and so are the errors.
    """
    begun = time.monotonic()
    patience = patience or Patience(limits)
    module = load_whole(model, options=options, constants=constants)
    settings = WalkSettings(seed, steps, shorten, rare, selected, kinds)
    given = Given(constants or {}, options or {})
    if place is None:
        return walk_block(module, settings, given, 0, runs, patience, progress)
    # What is wrong with the request is said before anything is started.
    nothing = replace(walk_block(module, settings, given, 0, 0, Patience()), runs=runs)
    deadline = None if limits is None or limits.time_s is None else begun + limits.time_s
    with running_tasks(place, patience, say) as runner, patience.deferring_interrupts():
        swarm = _Swarm(partial(_walked, module, settings, given), runs, patience, deadline, progress, say)
        blocks, stopped = swarm.make(runner)
    return replace(_merged(nothing, blocks, stopped), elapsed_s=time.monotonic() - begun)


def _walked(module: Module, settings: WalkSettings, given: Given, task: _Block) -> SimulationReport | Problem:
    """The work of a task. A problem is returned, not raised."""
    first, runs, time_s = task
    try:
        return walk_block(module, settings, given, first, runs, Patience(Limits(time_s=time_s)))
    except Problem as problem:
        return problem


def _died(task: _Block, how: str, elapsed_s: float) -> SimulationReport | Problem:
    return EnvironmentProblem(f"{_named(task)}: {how}", "take fewer --workers")


def _named(task: _Block) -> str:
    return f"walks {task[0]} to {task[0] + task[1] - 1}"


@dataclass(slots=True)
class _Swarm:
    """Blocks of walks on a task runner, until all are made, or all before the first with a finding."""

    work: Callable[[_Block], SimulationReport | Problem]
    runs: int
    patience: Patience
    deadline: float | None
    sink: WalkProgressSink | None
    say: Callable[[str], None]
    leader: int | None = None
    """The first block with a finding."""
    ending: EarlyEnd = field(init=False)

    def __post_init__(self) -> None:
        self.ending = EarlyEnd(self.patience)

    def make(self, runner: TaskRunner) -> tuple[list[SimulationReport], StopReason | None]:
        """The blocks in the order of their walks, and what ended the run early."""
        done: dict[int, SimulationReport] = {}
        begun = time.monotonic()
        size = max(1, min(_MOST_WALKS, -(-self.runs // (_BLOCKS * runner.at_a_time))))
        try:
            with closing(runner.run(self._tasks(size), self.work, _died, self._tick, self._again)) as answers:
                for index, answer in answers:
                    if isinstance(answer, Problem):
                        raise answer
                    done[index] = answer
                    self._report(done, time.monotonic() - begun)
                    if answer.walk is not None:
                        self.leader = index if self.leader is None else min(self.leader, index)
                    if self.leader is not None and all(number in done for number in range(self.leader)):
                        break
        except Stop as stop:
            return [done[index] for index in sorted(done)], stop.reason
        return [done[index] for index in sorted(done)], self.patience.over

    def _tasks(self, size: int) -> Iterator[_Block]:
        for first in range(0, self.runs, size):
            left = None if self.deadline is None else self.deadline - time.monotonic()
            if self.leader is not None or (left is not None and left <= 0):
                return
            yield first, min(size, self.runs - first), left

    def _tick(self) -> bool:
        """Whether the blocks under way are to end, with the walks that they have made. Raises `Stop` if they do not."""
        if self.patience.over is StopReason.TIMEOUT:
            # They have the same deadline.
            if self.deadline is None or time.monotonic() > self.deadline + _GRACE_S:
                raise Stop(StopReason.TIMEOUT)
            return False
        return self.ending.begun()

    def _again(self, task: _Block, how: str) -> None:
        self.say(f"{_named(task)}: {how}; they are made once more")

    def _report(self, done: Mapping[int, SimulationReport], elapsed_s: float) -> None:
        if self.sink is None:
            return
        sketch, acted = _seen(list(done.values()))
        walks, steps = (sum(getattr(one, name) for one in done.values()) for name in ("walks", "steps"))
        actions = next(iter(done.values())).actions
        self.sink(WalkProgress(walks, self.runs, steps, elapsed_s, sketch.estimate(), len(acted), actions))


def _seen(blocks: Sequence[SimulationReport]) -> tuple[StateSketch, frozenset[str]]:
    """The states and the actions of all blocks."""
    sketch = StateSketch()
    for block in blocks:
        sketch.union(block.sketch)
    return sketch, frozenset(name for block in blocks for name in block.acted)


def _merged(
    nothing: SimulationReport, blocks: Sequence[SimulationReport], stopped: StopReason | None
) -> SimulationReport:
    """The report of blocks in order, as if their walks had been made one after the other."""
    last = next((number for number, block in enumerate(blocks) if block.walk is not None), None)
    if last is not None:
        blocks, stopped = blocks[: last + 1], None
    head = nothing if last is None else blocks[-1]
    sketch, acted = _seen(blocks)
    ends: Counter[str] = Counter()
    for block in blocks:
        ends.update(block.ends)
    cut_by = stopped or next((block.cut_by for block in blocks if block.cut_by is not None), None)
    if last is None and cut_by is not None:
        interrupted = cut_by is StopReason.INTERRUPTED
        head = replace(
            head,
            verdict="interrupted" if interrupted else head.verdict,
            exit_code=ExitCode.INTERRUPTED if interrupted else ExitCode.BOUNDED,
        )
    return replace(
        head,
        properties=tuple(_property(one, blocks) for one in head.properties),
        runs=nothing.runs,
        walks=sum(block.walks for block in blocks),
        steps=sum(block.steps for block in blocks),
        ends=ends,
        acted=acted,
        sketch=sketch.registers(),
        cut_by=cut_by,
    )


def _property(one: PropertyReport, blocks: Sequence[SimulationReport]) -> PropertyReport:
    """A property that no walk violates holds if it was met in any block."""
    if one.verdict == "violated":
        return one
    met = any(other.name == one.name and other.verdict == "holds" for block in blocks for other in block.properties)
    return replace(one, verdict="holds") if met else one
