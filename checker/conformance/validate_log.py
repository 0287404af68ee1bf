"""`validate_logs`: are logs behaviours of a model?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from checker.conformance.event_map import read_map
from checker.conformance.event_sources import refuse_no_files
from checker.conformance.log_groups import LogGroup, logs_in, parts_of_each
from checker.conformance.log_model import LogModel
from checker.conformance.log_runner import LogRunner
from checker.conformance.log_tasks import LogWork, run_here, run_tasks
from checker.conformance.map_instances import with_instances
from checker.conformance.map_names import with_names
from checker.conformance.read_only import instructions
from checker.conformance.validation_report import CODES, WORST, Reading, ValidationReport
from checker.core.failing import failing
from checker.core.given import Given
from checker.core.limits import Limits
from checker.core.patience import Patience
from checker.core.problems import ExitCode, UsageProblem
from checker.search.composition.load_whole import load_one
from checker.tasks.task_runner import TaskPlace
from interpreter import Program, compile_module


def validate_logs(
    model: str,
    logs: Sequence[str],
    map_file: str,
    *,
    each: bool = False,
    partition: str | None = None,
    place: TaskPlace | None = None,
    most: int | None = None,
    explanations: Reading = "one",
    selected: tuple[str, ...] | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    patience: Patience | None = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> ValidationReport:
    """Search for a run of the model that explains the events of all logs together, or of `each` by itself.

    A folder is each of the logs in it. `partition`: a field; the events of each of its values are a run. `place`: where
    runs are tasks of their own; None: they are done here, one after the other. `most`: the most nodes of a search.
    `explanations`: which ones assertions are judged on; `selected`: those alone, by name. Of several runs, one that has
    no answer is a row of the result.
    Raises `FizzError` and `Problem`.
    """
    begun = time.perf_counter()
    limits = limits or Limits()
    patience = patience or Patience(limits)
    files, has_folder = logs_in(logs)
    each = each or has_folder
    refuse_no_files(files)
    module = load_one(model, "the events of a log are steps of one model", options=options, constants=constants)
    event_map = read_map(map_file)
    if event_map.order.by_file and len(files) > 1 and not each:
        raise UsageProblem(
            f"the map orders events as the lines of one file, and there are {len(files)} logs",
            f"leave out `order: file` in {map_file} if they are of one run, or validate --each by itself",
        )
    with patience.deferring_interrupts(), failing(module):
        program = compile_module(module)
        log_model = LogModel(program, event_map.silent, selected)
        actions = log_model.fit.actions
        event_map = with_names(event_map, program, actions)
        event_map = with_instances(event_map, program, log_model.beginnings)
        groups = [LogGroup((file,)) for file in files] if each else [LogGroup(tuple(files))]
        if partition is not None:
            groups = parts_of_each(groups, partition, event_map)
        work = LogWork(program, event_map, most, limits.time_s, explanations, selected)
        if place is not None:
            runs = run_tasks(work, groups, place, patience, say)
        elif each or len(groups) > 1:
            runs = run_here(work, log_model, groups, patience)
        else:
            runs = [LogRunner(log_model, event_map, groups[0], patience, most, explanations).validate()]
    worst = min((run.verdict for run in runs), key=WORST.index)
    codes = [run.exit_code(explanations) for run in runs if run.verdict == worst]
    code = next((one for one in (ExitCode.SAFETY, ExitCode.BOUNDED) if one in codes), CODES[worst])
    return ValidationReport(
        verdict=worst,
        exit_code=ExitCode.INTERRUPTED if patience.interrupted else code,
        model=model,
        map=map_file,
        runs=tuple(runs),
        all_actions=actions,
        all_lines=_lines_of(program),
        sources=module.sources,
        reading=explanations,
        cut_by=patience.over if worst == "inconclusive" else None,
        elapsed_s=time.perf_counter() - begun,
        given=Given(constants or {}, options or {}),
    )


def _lines_of(program: Program) -> frozenset[tuple[str, int]]:
    """The lines with statements of actions and funcs."""
    routines = [one for one in program.routines if one.kind in ("action", "func")]
    spans = [one.span for routine in routines for one in instructions(routine)]
    return frozenset((span.file, span.line) for span in spans)
