"""`check`: a model in, a report out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from checker.conclude import conclude
from checker.core.effort import READING, REPORTING, Phases, effort_in, often_new, own_effort
from checker.core.exploration import Finding, Settings
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.composition.load_whole import load_whole
from checker.search.driver import ProgressSink
from checker.search.explore import explore, nothing
from checker.search.known_pairs import NewPairs, PairsOfModel
from checker.search.memo.memo import Memory
from checker.search.registry import engine_of, lasting_instead_of
from checker.storage.user_paths import is_remote, refuse_addresses
from fizz import Module
from fizz.base.room import with_room
from interpreter import Machine, ModelError
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from checker.search.keeper import Keeper


@with_room
def check(
    model: str | os.PathLike[str] | Module,
    *,
    engine: str = "embedded",
    settings: Settings | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    progress: ProgressSink | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    patience: Patience | None = None,
) -> Report:
    """Explore a model and judge its properties.

    `model` is a path or a loaded module. `options` and `constants` are overrides, as texts, for a model given by path.
    `say` takes notes for the user that are no part of the report. `patience`: the limits in time and memory; by default
    those of the settings, counted from now. A violated property, a model that fails while running and an interruption
    are results. Raises `FizzError` for a wrong model, option or constant, `OSError` for a file that cannot be read,
    `Problem` for a request that cannot be served.
    """
    begun, cpu_begun = time.monotonic(), time.process_time()
    settings = settings or Settings()
    refuse_addresses(settings)
    if is_remote(settings.export):
        return _check_and_send(
            model,
            engine=engine,
            settings=settings,
            options=options,
            constants=constants,
            progress=progress,
            say=say,
            patience=patience,
        )
    patience = patience or Patience(settings.limits)
    phases = Phases(settings.stats)
    chosen = engine_of(engine)
    with phases.during(READING):
        module = load_whole(model, options=options, constants=constants)
        pairs = PairsOfModel(module)
        program = pairs.program()
    memory: Memory | None = None
    with patience.deferring_interrupts(), patience.limiting_steps():
        while True:
            properties = properties_of(program, settings.properties)
            try:
                # The constants are computed here, before an engine starts: their evaluation may fail.
                memory = Memory(Machine(program), phases)
                if pairs.seen_by(memory.machine):
                    program = pairs.program()
                    continue
            except ModelError as error:
                exploration = nothing(StopReason.VIOLATION, Finding(None, (), error=error))
                break
            except Stop as stop:
                exploration = nothing(stop.reason)
                break
            try:
                with _keeper(module, settings, chosen.name, say) as keeper, _exporting(settings, chosen.name):
                    exploration = explore(
                        chosen,
                        program,
                        properties,
                        settings,
                        progress,
                        keeper=keeper,
                        say=say,
                        phases=phases,
                        memory=memory,
                        patience=patience,
                    )
                    pairs.demand_known(exploration.error, lasting=keeper is not None)
                break
            except NewPairs:
                program = pairs.program()
        with phases.during(REPORTING):
            if exploration.torn and memory is not None:
                # The run is over, and its hook would say so.
                with METER.unasked():
                    memory = Memory(Machine(program))
            given = Given(constants or {}, options or {})
            report = conclude(
                module,
                program,
                memory,
                properties,
                exploration,
                engine=chosen.name,
                given=given,
                asked=settings.asked,
                patience=patience,
            )
        effort = own_effort(cpu_begun) + effort_in(exploration.stats)
        report = replace(
            report,
            stats={**exploration.stats, **phases.stats()} if settings.stats else {},
            often_new=often_new(exploration.stats),
            elapsed_s=time.monotonic() - begun,
            cpu_s=effort.cpu_s,
            peak_memory_mb=effort.memory_mb,
        )
        if settings.export is not None and exploration.exported and settings.is_over(exploration.stopped):
            from checker.storage.export.parquet_tables import write_verdicts

            write_verdicts(settings.export, report)
            report = replace(report, exported=settings.export)
    return report


def _check_and_send(model: str | os.PathLike[str] | Module, *, settings: Settings, **more: Any) -> Report:
    """Check with an export to an object store: made in a temporary folder, and sent when it is complete."""
    from checker.storage.export.remote_export import RemoteExport

    assert settings.export is not None
    remote = RemoteExport(settings.export)
    sent = False
    try:
        report: Report = check(model, settings=replace(settings, export=remote.folder), **more)
        if report.exported is not None:
            sent = True
            remote.send()
            report = replace(report, exported=settings.export)
    finally:
        # What could not be sent stays: it may have taken hours.
        if not sent:
            remote.discard()
    return report


def _keeper(
    module: Module, settings: Settings, engine: str, say: Callable[[str], None]
) -> AbstractContextManager[Keeper | None]:
    """The keeper of checkpoints, if the settings ask for them."""
    if settings.checkpoint is None and settings.resume is None:
        return nullcontext()
    from checker.search.keeper import keeper_of
    from checker.storage.checkpoint.identity import identity_of

    read = [*module.sources, *(helper.path for helper in module.helper_modules)]
    return keeper_of(settings, engine, identity_of(module, settings), say, read)


@contextmanager
def _exporting(settings: Settings, engine: str) -> Iterator[None]:
    """An empty folder for the export, if there is one; emptied again if the block fails, unless the run may resume.

    Raises `Problem` if there can be none.
    """
    if settings.export is None:
        yield
        return
    from checker.core.problems import UsageProblem
    from checker.storage.export.parquet_tables import discard, prepare

    if (instead := lasting_instead_of(engine)) is not None:
        raise UsageProblem(f"the {engine} engine exports nothing", instead)
    prepare(settings.export, settings.kept_in)
    try:
        yield
    except BaseException:
        discard(settings.export, settings.kept_in)
        raise
