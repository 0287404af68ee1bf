"""An exploration from first to last, the same for every engine: the course of levels, then the judgement."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace

from checker.course import Clock, Course, ProgressSink
from checker.engines.protocol import Engine, Task
from checker.exploration import Exploration, Settings
from checker.judge import Judge
from checker.properties.base import Property
from interpreter import Machine, Program


def explore(
    engine: Engine,
    program: Program,
    properties: tuple[Property, ...],
    settings: Settings,
    progress: ProgressSink | None = None,
    machine: Callable[[Program], Machine] = Machine,
) -> Exploration:
    """Explore as far as settings and options allow, and judge every property. `machine` makes the program runnable."""
    options = program.options
    everything = settings.keep_going or options.continue_path_on_invariant_failures
    clock = Clock(settings.timeout_s, progress)
    watches = tuple(watch for p in properties if (watch := p.watch(options)) is not None)
    graph = any(watch.records for watch in watches)
    task = Task(program, watches, settings, not everything, graph, clock.tick, machine)
    found: Exploration | None = None
    try:
        with ExitStack() as stack:
            course = Course(stack.enter_context(closing(engine.begin(task))), program, properties, clock)

            def unreduced() -> Course:
                """The same space again, without symmetry, for liveness alone (language page, 11.3)."""
                recorded = tuple(watch for watch in watches if watch.records)
                whole = replace(task, watches=recorded, settings=replace(settings, symmetry=False))
                again = Course(stack.enter_context(closing(engine.begin(whole))), program, (), Clock(None, None))
                again.go(settings.max_states, on=True)
                return again

            course.go(settings.max_states, on=everything or options.continue_on_invariant_failures)
            found = Judge(course, properties, unreduced).judge(everything)
    except KeyboardInterrupt:
        # Whoever loses patience while a cluster is being closed still gets the answer that it has given.
        if found is None:
            raise
    return found
