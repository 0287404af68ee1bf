"""The subcommand `coverage`: how often each line of a model runs."""

from __future__ import annotations

from typing import Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import Limits

_CODES = """\b
Exit codes:
    0  counted over all states
    3  counted over the states that were found; the search was cut
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, 74 environment, 70 internal error, 130 interrupted
"""


@click.command(epilog=_CODES)
@command_options.model
@click.option("--html", metavar="FILE", help="Write the annotated model to FILE as a page of HTML.")
@command_options.constants
@command_options.properties
@click.option("--keep-going", is_flag=True, help="Go on after violations.")
@command_options.overrides
@command_options.limits
@command_options.no_symmetry
@command_options.json
@command_options.quiet
@command_options.no_color
def coverage(model: str, html: str | None, **given: Any) -> int:
    """Count over all states of MODEL how often each line runs.

    Shows lines that never run, guards that are never true or never false, branches never taken, and parts of
    properties that were never evaluated. States are visited row by row, in one process, as far as a check would go.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"])
    from checker.analysis.covering import cover
    from checker.cli.output_files import OutputFiles
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from fizz.base.errors import FizzError

    overrides: dict[str, Any] = {"options": dict(given["option"]), "constants": dict(given["set"])}
    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    outputs = OutputFiles(model, **overrides, html=html, patience=patience)
    settings = Settings(
        keep_going=given["keep_going"],
        limits=limits,
        properties=given["properties"] or None,
        symmetry=not given["no_symmetry"],
    )
    try:
        outputs.refuse()
        with output.progress() as progress:
            found = cover(locate(model), settings=settings, progress=progress, patience=patience, **overrides)
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.coverage(found)
    outputs.write_coverage(found)
    return int(found.exit_code)
