"""The subcommands and their options, as the command line spells them."""

from __future__ import annotations

from typing import Any

import click

from checker.cli import options
from checker.cli.output import Output
from checker.cli.promises import test
from checker.cli.walks import simulate, trace
from fizz.version import VERSION

_EXIT_CODES = """\b
Exit codes:
    0  every property holds on the whole state space
    3  nothing found, but the search was cut
   11  deadlock
   12  a safety property is violated
   13  a liveness property is violated
   75  the model failed while running
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, 74 environment, 70 internal error, 130 interrupted
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="fizzpy", message="fizzpy %(version)s")
def fizzpy() -> None:
    """Check models of distributed systems: every interleaving, with a crash at every yield point."""


@fizzpy.command(epilog=_EXIT_CODES)
@options.model
@options.engine
@options.constants
@options.properties
@click.option("--keep-going", is_flag=True, help="Explore everything, and show each violated property.")
@options.overrides
@click.option(
    "--max-states", type=click.IntRange(min=1), metavar="N", help="Stop after the level at which N states are known."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=options.number,
    metavar="SECONDS",
    help="Stop after the level at which this time is over.",
)
@options.save_trace
@options.json
@click.option("--stats", is_flag=True, help="Print what the engine did.")
@options.quiet
@options.no_color
@click.option(
    "--no-symmetry", is_flag=True, help="Tell apart states that differ only by a permutation of symmetric values."
)
@click.option("--master", metavar="URL", help="Spark: the master to run on, instead of all cores of this machine.")
@options.pairs("--conf", "KEY=VALUE", "Spark: a configuration value.")
@click.option(
    "--spark-from", type=click.IntRange(min=0), metavar="N", help="Spark: run levels as jobs once N states wait."
)
def check(model: str, engine: str, **given: Any) -> int:
    """Explore MODEL and say which of its properties hold.

    MODEL is the path of a .fizz file, or the name of a model that comes with the tool.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"], every=given["keep_going"])
    from checker.check import check as check_model
    from checker.exploration import Settings
    from checker.locate import locate
    from checker.problems import UsageProblem
    from fizz.errors import FizzError

    save_to = given["save_trace"]
    if save_to is not None:
        from checker.cli.saving import writable

        writable(save_to)
    unused = [name for name in ("master", "conf", "spark_from") if engine != "spark" and given[name] not in (None, ())]
    if unused:
        names = ", ".join("--" + name.replace("_", "-") for name in unused)
        raise UsageProblem(f"{names}: only with --engine spark")
    spark = {"spark_master": given["master"], "spark_from": given["spark_from"]}
    settings = Settings(
        keep_going=given["keep_going"],
        max_states=given["max_states"],
        timeout_s=given["timeout"],
        properties=given["properties"] or None,
        symmetry=not given["no_symmetry"],
        stats=given["stats"],
        spark_conf=given["conf"],
        **{name: value for name, value in spark.items() if value is not None},
    )
    try:
        with output.progress() as progress:
            report = check_model(
                locate(model),
                engine=engine,
                settings=settings,
                options=dict(given["option"]),
                constants=dict(given["set"]),
                progress=progress,
            )
    except FizzError as error:
        output.error(error, model, engine)
        return error.exit_code
    output.report(report)
    if save_to is not None:
        from checker.cli.saving import save_counterexample

        save_counterexample(save_to, report, model, options=given["option"], constants=given["set"])
    return int(report.exit_code)


@fizzpy.command()
@options.model
@options.no_color
def parse(model: str, no_color: bool) -> int:
    """Print the syntax tree of MODEL."""
    output = Output(color=not no_color)
    from checker.locate import locate
    from fizz import load
    from fizz.errors import FizzError
    from fizz.printer import print_tree

    try:
        tree = print_tree(load(locate(model)).items)
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.text(tree)
    return 0


fizzpy.add_command(test)
fizzpy.add_command(simulate)
fizzpy.add_command(trace)
