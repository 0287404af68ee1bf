"""The subcommands that walk through a model instead of exploring it: `simulate` and `trace`."""

from __future__ import annotations

from typing import Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import Limits

_FURTHEST = 100

_SIMULATE_CODES = """\b
Exit codes:
    0  no walk found a violation, which proves nothing
    3  the same, but time or memory ended it before all walks were made
   11  deadlock
   12  an always or transition assertion is violated
   13  a liveness property is violated
   75  the model failed while running
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, 74 environment, 70 internal error, 130 interrupted
"""
_TRACE_CODES = """\b
Exit codes:
    0  the trace can be followed, and violates neither always nor transition
    3  the same as far as it went; time or memory ended it before all was followed and listed
   12  an always or transition assertion is violated on it
   75  the model failed while running
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, or a line of the trace that fits no step; 74 environment, 70 internal error, 130 interrupted
"""


@click.command(epilog=_SIMULATE_CODES)
@command_options.model
@click.option("--runs", type=click.IntRange(min=1), default=100, show_default=True, help="How many walks to make.")
@click.option(
    "--seed", type=int, metavar="S", default=0, show_default=True, help="Walk i has the seed S + i; i begins with 0."
)
@click.option(
    "--steps", type=click.IntRange(min=1), metavar="K", help="Steps of a walk at most. [default: 10 for each start]"
)
@click.option("--rare", is_flag=True, help="Draw those steps more often whose action a walk has taken rarely.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that make walks at a time; if not given, all are made in one. The report is the same.",
)
@command_options.task_engine
@command_options.master
@command_options.conf
@click.option("--as-walked", is_flag=True, help="Show a violating walk with all its steps, needed or not.")
@command_options.timeout
@command_options.constants
@command_options.properties
@command_options.overrides
@command_options.save_trace
@command_options.full
@command_options.json
@command_options.quiet
@command_options.no_color
def simulate(model: str, runs: int, seed: int, steps: int | None, save_trace: str | None, **given: Any) -> int:
    """Walk through MODEL at random, until something is violated.

    A violation that a walk finds is real; finding none proves nothing.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"], full=given["full"])
    from checker.cli.output_files import OutputFiles
    from checker.core.locate import locate
    from checker.swarm.simulate import simulate as simulate_model
    from checker.tasks.task_runner import TaskPlace
    from fizz.base.errors import FizzError

    overrides: dict[str, Any] = {"options": dict(given["option"]), "constants": dict(given["set"])}
    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    place = TaskPlace.asked_for(given["engine"], given["workers"], given["master"], given["conf"])
    outputs = OutputFiles(model, **overrides, save_trace=save_trace, patience=patience)
    try:
        outputs.refuse()
        with output.walking() as progress:
            report = simulate_model(
                locate(model),
                runs=runs,
                seed=seed,
                steps=steps,
                shorten=not given["as_walked"],
                rare=given["rare"],
                place=None if place == TaskPlace() else place,
                say=output.notice,
                limits=limits,
                selected=given["properties"] or None,
                progress=progress,
                patience=patience,
                **overrides,
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.simulation(report)
    outputs.write_walk(report)
    return int(report.exit_code)


@click.command(epilog=_TRACE_CODES)
@command_options.model
@click.option("--follow", metavar="FILE", help="A guided trace: one step or choice per line. Without it: Init alone.")
@click.option(
    "--extend",
    type=click.IntRange(0, _FURTHEST),
    default=0,
    metavar="K",
    help="List all steps up to K steps beyond the end.",
)
@command_options.timeout
@command_options.constants
@command_options.properties
@command_options.overrides
@command_options.full
@command_options.json
@command_options.quiet
@command_options.no_color
def trace(model: str, follow: str | None, extend: int, **given: Any) -> int:
    """Follow a guided trace through MODEL, and print what happens.

    `fizzpy check MODEL --save-trace FILE` writes such a trace.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"], full=given["full"])
    from checker.core.locate import locate
    from checker.traces.guided import follow as follow_trace
    from fizz.base.errors import FizzError

    patience = command_options.patience_of(Limits.asked_for(given))
    try:
        report = follow_trace(
            locate(model),
            follow,
            extend=extend,
            selected=given["properties"] or None,
            options=dict(given["option"]),
            constants=dict(given["set"]),
            patience=patience,
        )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.guided(report)
    return int(report.exit_code)
