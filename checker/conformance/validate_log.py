"""`validate_logs`: are logs behaviours of a model?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

from checker.conformance.event_map import EventMap, read_map
from checker.conformance.event_sources import refuse_no_files
from checker.conformance.failing import failing
from checker.conformance.log_files import Place
from checker.conformance.log_model import LogModel
from checker.conformance.log_runner import LogRunner
from checker.conformance.read_only import instructions
from checker.conformance.step_fit import key_of
from checker.conformance.validation_report import (
    LogRun,
    LogVerdict,
    ValidationReport,
)
from checker.core.given import Given
from checker.core.limits import Limits
from checker.core.patience import Patience
from checker.core.problems import ExitCode, UsageProblem
from fizz import load
from fizz.base.near_names import near_hint
from interpreter import Program, compile_module

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
        log_model = LogModel(compile_module(module), event_map.silent)
        actions, lines = log_model.fit.actions, _lines_of(log_model.program)
        _refuse_unknown_actions(event_map, log_model.program, actions)
        groups = [[log] for log in logs] if each else [list(logs)]
        runs: list[LogRun] = []
        for group in groups:
            runs.append(LogRunner(log_model, event_map, group, patience, most).validate())
            if patience.over is not None:
                break
    verdict = _verdict(runs)
    code = _CODES[verdict]
    if code is ExitCode.PASSED and any(one.on == "every" for run in runs for one in run.judged):
        code = ExitCode.SAFETY
    elif code is ExitCode.PASSED and any(one.on == "found" for run in runs for one in run.judged):
        code = ExitCode.BOUNDED
    return ValidationReport(
        verdict=verdict,
        exit_code=ExitCode.INTERRUPTED if patience.interrupted else code,
        model=model,
        map=map_file,
        runs=tuple(runs),
        all_actions=actions,
        all_lines=lines,
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


def _refuse_unknown_actions(event_map: EventMap, program: Program, actions: tuple[str, ...]) -> None:
    """Refuse a map that names an action, or a silent step, that the model does not have."""
    functions = {f"{role.name}.{name}" for role in program.roles for name in role.functions}
    for kind, rule in [(kind, rule) for kind, rules in event_map.rules.items() for rule in rules]:
        if "action" in rule and key_of(str(rule["action"])) not in {*actions, *functions}:
            hint = near_hint(str(rule["action"]), actions) or f"its actions are {', '.join(actions)}"
            place = Place(event_map.path, event_map.lines.get(kind, 1))
            place.refuse(f"the model has no action '{rule['action']}' (event '{kind}')", hint)
    for name in sorted(event_map.silent.steps - {"continue", "deliver", "crash", *actions, *functions}):
        if "#" not in name:
            hint = near_hint(name, actions) or "an action, or continue, deliver, crash"
            Place(event_map.path, event_map.lines.get("silent", 1)).refuse(f"no silent step '{name}'", hint)


def _lines_of(program: Program) -> frozenset[tuple[str, int]]:
    """The lines with statements of actions and funcs."""
    routines = [one for one in program.routines if one.kind in ("action", "func")]
    spans = [one.span for routine in routines for one in instructions(routine)]
    return frozenset((span.file, span.line) for span in spans)
