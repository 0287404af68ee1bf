"""The subcommand `sweep`: one check for each point of a grid of constants."""

from __future__ import annotations

from typing import Any

import click

from checker.cli import command_options, completing_words
from checker.cli.output import Output
from checker.core.limits import Limits

_CODES = """\b
Exit codes:
    0  every property holds at every point, on the whole state space
    3  nothing found, but at some points the search was cut, or they were not run
   11  deadlock at a point
   12  a safety property is violated at a point
   13  a liveness property is violated at a point
   75  the model failed at a point while running
       of several kinds the first of 75, 12, 11, 13
  150  the model does not parse or resolve
  151  options or constants are wrong, also at a point alone
    2  usage, 74 environment, also of a point whose process died, 70 internal error
  130  interrupted: the points that were done are printed
"""


@click.command(epilog=_CODES)
@command_options.model
@command_options.pairs(
    "--set",
    "NAME=VALUES",
    "Values of a constant: 2..5, or 0,1, or one.",
    shell_complete=completing_words.constants,
)
@command_options.pairs("--option", "NAME=VALUES", "Values of an option of the front matter.")
@click.option("--grid", metavar="FILE", help="A YAML file with values by the names of constants.")
@command_options.properties
@click.option("--keep-going", is_flag=True, help="Explore everything, also after a violation.")
@click.option(
    "--point-timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=command_options.number,
    metavar="SECONDS",
    help="Stop a point after this time.",
)
@command_options.points
@command_options.task_engine
@command_options.workers
@command_options.master
@command_options.conf
@click.option("--out", metavar="FILE", help="Write a row for each point to FILE, .csv or .parquet.")
@command_options.no_symmetry
@command_options.json
@command_options.quiet
@command_options.no_color
def sweep(model: str, **given: Any) -> int:
    """Check MODEL with each combination of values for its constants.

    Each point is a check of its own, on one core. --max-states and --max-depth bound each point, --timeout the whole
    sweep.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"])
    from checker.cli.destinations import refuse_files, refuse_inputs
    from checker.cli.output_files import files_of
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from checker.sweep.grid import axes_in_file, axis_of
    from checker.sweep.sweeping import sweep as sweep_model
    from checker.tasks.task_runner import TaskPlace
    from fizz import load
    from fizz.base.errors import FizzError

    limits = Limits.asked_for(given)
    patience = command_options.patience_of(Limits(time_s=limits.time_s, memory_mb=limits.memory_mb))
    place = TaskPlace.asked_for(given["engine"], given["workers"], given["master"], given["conf"])
    axes = [] if given["grid"] is None else axes_in_file(given["grid"])
    axes += [axis_of(name, text) for name, text in given["set"]]
    axes += [axis_of(name, text, option=True) for name, text in given["option"]]
    settings = Settings(
        keep_going=given["keep_going"],
        limits=limits,
        properties=given["properties"] or None,
        symmetry=not given["no_symmetry"],
    )
    out = given["out"]
    try:
        if out is not None:
            from checker.storage.export.row_files import refuse_ending

            refuse_files({"--out": out})
            refuse_ending("--out", out)
            refuse_inputs({"--out": out}, [*files_of(load(locate(model))), *([given["grid"]] if given["grid"] else [])])
        with output.sweeping() as (counted, say):
            report = sweep_model(
                locate(model),
                axes,
                place=place,
                settings=settings,
                point_timeout=given["point_timeout"],
                counted=counted,
                say=say,
                patience=patience,
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.sweep(report)
    if out is not None:
        from checker.cli.save_files import save
        from checker.storage.export.row_files import rows_as_file

        save(out, rows_as_file(out, [one.row for one in report.results]))
    return int(report.exit_code)
