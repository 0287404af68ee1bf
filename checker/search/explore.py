"""A whole exploration, the same for every engine: level after level, then the judgement."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING

from checker.core.effort import CONCLUDING, Phases
from checker.core.exploration import Exploration, Finding, Settings
from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.property import Property, needs_crash_edges, watches_of
from checker.properties.refines import Refines
from checker.search.contract.judge_watches import leaves_out
from checker.search.contract.protocol import Engine, Task
from checker.search.driver import Clock, ProgressSink, Saver, SearchDriver
from checker.search.judgement import Judge
from fizz.base.room import with_room
from interpreter import Machine, Program

if TYPE_CHECKING:
    from checker.search.memo.memo import Memory
    from checker.search.refinement.refining import Refining


@with_room
def explore(
    engine: Engine,
    program: Program,
    properties: tuple[Property, ...],
    settings: Settings,
    progress: ProgressSink | None = None,
    machine: Callable[[Program], Machine] = Machine,
    keeper: Saver | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    phases: Phases | None = None,
    memory: Memory | None = None,
    patience: Patience | None = None,
) -> Exploration:
    """Explore as far as settings and options allow, and judge every property.

    `machine` makes the program runnable. `keeper` writes checkpoints, and may have one to resume from. `say` takes
    messages to the user that are no part of the answer. `phases` measures what the time is spent on. `memory`: a
    machine that remembers, for an engine that can use it; `machine` is not called then. `patience`: how long it may
    take; else as the settings say, counted from now.
    """
    phases = phases or Phases()
    options = program.options
    everything = settings.keep_going or options.continue_path_on_invariant_failures
    clock = Clock(progress)
    patience = patience or Patience(settings.limits)
    watches = watches_of(properties, options)
    graph = any(watch.records for watch in watches)
    crash_edges = any(needs_crash_edges(p, options) for p in properties)

    def tick(states: int, transitions: int) -> None:
        clock.tick(states, transitions)
        patience.ask()

    watched = progress is not None
    prune = not everything
    task = Task(
        program, watches, settings, prune, graph, tick, machine, say, watched, phases, memory, patience, crash_edges
    )
    found: Exploration | None = None
    try:
        with ExitStack() as stack:
            stack.enter_context(patience.deferring_interrupts())
            stack.enter_context(patience.limiting_steps())
            run = stack.enter_context(closing(engine.begin(task)))
            refining = _refining(program, properties, settings, patience, everything)
            driver = SearchDriver(run, program, properties, clock, patience, refining)

            def unreduced() -> SearchDriver:
                """The same space again, without symmetry, for liveness alone (language page, 11.3)."""
                second = None if keeper is None else stack.enter_context(keeper.unreduced())
                recorded = tuple(watch for watch in watches if watch.records)
                alone = replace(settings if second is None else second.settings, symmetry=False, export=None)
                whole = replace(task, watches=recorded, settings=alone, memory=None)
                second_run = stack.enter_context(closing(engine.begin(whole)))
                again = SearchDriver(second_run, program, (), Clock(), patience)
                again.go(settings.limits, on=True, saver=second)
                return again

            driver.go(settings.limits, everything or options.continue_on_invariant_failures, keeper)
            exported = settings.is_over(driver.stopped) and _exported(driver, settings, say)
            with phases.during(CONCLUDING):
                found = replace(Judge(driver, properties, unreduced).judge(everything), exported=exported)
    except Stop as stop:
        # The engine had not begun.
        if settings.export is not None:
            from checker.storage.export.parquet_tables import discard

            discard(settings.export, settings.kept_in)
        return nothing(stop.reason)
    except KeyboardInterrupt:
        # A user who interrupts while a cluster is being closed still gets the answer that it has given.
        if found is None:
            raise
    return found


def _refining(
    program: Program, properties: tuple[Property, ...], settings: Settings, patience: Patience, everything: bool
) -> Refining | None:
    """The search of refinements beside the exploration, if there are any."""
    refinements = [p for p in properties if isinstance(p, Refines)]
    if not refinements:
        return None
    from checker.search.refinement.refining import Refining

    goes_on = program.options.continue_on_invariant_failures and not everything
    watches = watches_of(properties, program.options) if goes_on else ()
    return Refining(program, refinements, [one for one in watches if leaves_out(one, goes_on)], settings, patience)


def _exported(driver: SearchDriver, settings: Settings, say: Callable[[str], None]) -> bool:
    """Make the tables of what was found, also after the time; False if not asked for, or if it was interrupted."""
    if settings.export is None:
        return False
    from checker.storage.export.parquet_tables import finish

    patience = driver.patience

    def ask() -> None:
        if patience.over is StopReason.INTERRUPTED:
            raise Stop(StopReason.INTERRUPTED)

    try:
        with patience.grace():
            finish(settings.export, settings.kept_in, driver.reached, driver.program.state_variables, ask)
    except Stop as stop:
        driver.stopped = stop.reason
        say(f"the export was interrupted: there are no tables in {settings.export}")
        return False
    return True


def nothing(stopped: StopReason, error: Finding | None = None) -> Exploration:
    """An exploration that has not begun."""
    return Exploration(stopped, 0, 0, 0, 0, 0, 0, {}, error=error)
