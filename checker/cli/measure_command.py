"""The subcommand `measure`: probabilities, expected values and percentiles of a model."""

from __future__ import annotations

from typing import Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import Limits

_CODES = """\b
Exit codes:
    0  measured
    3  measured, and states at the bound max_actions, where runs end; or the search was cut: nothing is measured
   75  the model failed while running
  150  the model does not parse or resolve
  151  options, constants or the file of probabilities are wrong, or a step has no probability
    2  usage, 74 environment, 70 internal error, 130 interrupted
"""


@click.command(epilog=_CODES)
@command_options.model
@click.option("--with", "file", metavar="FILE", help="Probabilities and counters by label, as YAML.")
@click.option(
    "--nondeterminism",
    type=click.Choice(["uniform", "bounds"]),
    help="Where several steps have no probability: each equally probable, or least and greatest values.",
)
@click.option("--until", metavar="NAME", help="Runs end in the first state where this assertion is true.")
@click.option("--html", metavar="FILE", help="Write the quantities to FILE as a page of HTML.")
@command_options.constants
@command_options.properties
@command_options.overrides
@command_options.limits
@command_options.no_symmetry
@command_options.json
@command_options.quiet
@command_options.no_color
def measure(model: str, file: str | None, html: str | None, **given: Any) -> int:
    """Read the states of MODEL as a Markov chain, and say how probable, how much and how often.

    How probable it is that an assertion is ever true or false, what counters come to on average and at most in so many
    percent of all runs, and how often states and assertions are true in the long run.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"])
    from checker.cli.destinations import refuse_files, refuse_inputs
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from checker.measure.measuring import measure as measure_model
    from fizz.base.errors import FizzError

    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    refuse_files({"--html": html})
    refuse_inputs({"--html": html}, [one for one in (file, str(locate(model))) if one is not None])
    settings = Settings(limits=limits, properties=given["properties"] or None, symmetry=not given["no_symmetry"])
    try:
        with output.progress() as progress:
            found = measure_model(
                locate(model),
                file,
                nondeterminism=given["nondeterminism"],
                until=given["until"],
                settings=settings,
                options=dict(given["option"]),
                constants=dict(given["set"]),
                progress=progress,
                patience=patience,
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.measured(found)
    if html is not None:
        from checker.cli.save_files import save
        from checker.report.html_measure import html_measured

        save(html, html_measured(found))
    return int(found.exit_code)
