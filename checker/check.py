"""`check`: a model in, a report out."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from checker.conclude import conclude
from checker.course import ProgressSink
from checker.effort import own_effort, told_in
from checker.engines import engine_of
from checker.exploration import Exploration, Finding, Settings
from checker.explore import explore
from checker.properties import properties_of
from checker.report import Report
from fizz import Module, load
from interpreter import Machine, ModelError, compile_module


def check(
    model: str | os.PathLike[str] | Module,
    *,
    engine: str = "embedded",
    settings: Settings | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    progress: ProgressSink | None = None,
) -> Report:
    """Explore a model and judge its properties.

    `model` is a path or a module that is loaded already. `options` and `constants` are overrides, as texts, for a
    model given by path. A violated property, a model that fails while running and an interruption are results. Raises
    `FizzError` for a model, option or constant that is wrong, `OSError` for a file that can not be read, `Problem`
    for a request that can not be served.
    """
    begun, cpu_begun = time.monotonic(), time.process_time()
    settings = settings or Settings()
    chosen = engine_of(engine)
    module = model if isinstance(model, Module) else load(model, options=options, constants=constants)
    program = compile_module(module)
    properties = properties_of(program, settings.properties)
    machine: Machine | None = None
    try:
        # The constants are computed here, before any engine starts: they may fail like everything that runs.
        machine = Machine(program)
    except ModelError as error:
        failed = Finding(None, (), error=error)
        exploration = Exploration("violation", 0, 0, 0, 0, 0, 0, {}, error=failed)
    else:
        exploration = explore(chosen, program, properties, settings, progress)
    effort = own_effort(cpu_begun) + told_in(exploration.stats)
    return conclude(
        module,
        program,
        machine,
        properties,
        exploration,
        engine=chosen.name,
        stats=exploration.stats if settings.stats else {},
        elapsed_s=time.monotonic() - begun,
        cpu_s=effort.cpu_s,
        peak_memory_mb=effort.memory_mb,
    )
