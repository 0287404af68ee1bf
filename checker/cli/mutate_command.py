"""The subcommand `mutate`: would the properties of a model notice, if the model were wrong?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import Limits

_CODES = """\b
Exit codes:
    0  every mutant is noticed, is equivalent or does not load; of a folder: every survivor is explained
    1  a mutant survived: it differs, and no property noticed; of a folder: one that is not explained
    3  none survived, but some were not decided: beyond the budget, not judged or not run in time; of a folder: not
       judged or not run
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage: a property is violated as it is, 74 environment, 70 internal error
  130  interrupted: the mutants that were tried are printed
"""


@click.command(epilog=_CODES)
@command_options.model
@command_options.constants
@command_options.properties
@command_options.overrides
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="A mutant may have N times the states of the model.",
)
@click.option("--at-most", type=click.IntRange(min=1), metavar="N", help="Try N mutants, evenly over the model.")
@click.option("--every", is_flag=True, help="Show all mutants, also those that were noticed.")
@command_options.timeout
@command_options.workers
@command_options.no_symmetry
@command_options.json
@command_options.quiet
@command_options.no_color
def mutate(model: str, every: bool, **given: Any) -> int:
    """Change MODEL in one place at a time, and list the changes that no property notices.

    Guards are dropped, comparisons and constants changed, assignments exchanged, statements dropped and moved, fairness
    and atomicity weakened or strengthened. A change that survives is a question: is the line not needed, or is a
    property missing?

    MODEL may be a folder with an expect.yaml, or that file: a mutant is then tried in the promised runs, and survives
    if none of them notices. Those that are explained in survivors.yaml, beside it, are not listed.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"], every=every)
    if Path(model).is_dir() or Path(model).name == "expect.yaml":
        return _folder(output, Path(model), given)
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from checker.mutation.mutating import mutate as mutate_model
    from fizz.base.errors import FizzError

    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    settings = Settings(limits=limits, properties=given["properties"] or None, symmetry=not given["no_symmetry"])
    try:
        with output.mutating() as counted:
            report = mutate_model(
                locate(model),
                budget=given["budget"],
                at_most=given["at_most"],
                workers=given["workers"],
                settings=settings,
                options=dict(given["option"]),
                constants=dict(given["set"]),
                counted=counted,
                patience=patience,
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.mutation(report)
    return int(report.exit_code)


def _folder(output: Output, path: Path, given: dict[str, Any]) -> int:
    """Mutants of all models of a folder, in their promised runs."""
    from checker.cli.promise_command import promises_of
    from checker.core.problems import UsageProblem
    from checker.mutation.promised import mutate_promised

    for name in ("set", "option", "properties", "at_most", "no_symmetry"):
        if given[name]:
            option = "--property" if name == "properties" else f"--{name.replace('_', '-')}"
            raise UsageProblem(f"{option}: not of a folder", "its runs are those that expect.yaml promises")
    patience = command_options.patience_of(Limits.asked_for(given))
    with output.mutating_promised() as counted:
        report = mutate_promised(
            path,
            promises_of([str(path)], "quick"),
            budget=given["budget"],
            workers=given["workers"],
            counted=counted,
            patience=patience,
        )
    output.promised_mutation(report)
    return int(report.exit_code)
