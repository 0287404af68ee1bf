"""The subcommands and their options, as the command line spells them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from checker.cli.output import Output
from fizz.version import VERSION

ENGINES = ("embedded", "plain", "spark")

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


class _Pair(click.ParamType[tuple[str, str]]):
    """`NAME=VALUE` on the command line."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        key, joint, text = str(value).partition("=")
        if not joint or not key.strip():
            self.fail(f"'{value}' is not of the form {param.metavar if param else self.name}", param, ctx)
        return key.strip(), text.strip()


def _pairs(option: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(option, multiple=True, type=_Pair(), metavar=metavar, help=f"{text} Repeatable.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="fizzpy", message="fizzpy %(version)s")
def fizzpy() -> None:
    """Check models of distributed systems: every interleaving, with a crash at every yield point."""


@fizzpy.command(epilog=_EXIT_CODES)
@click.argument("model")
@click.option(
    "--engine", type=click.Choice(ENGINES), default="embedded", show_default=True, help="What explores the states."
)
@_pairs("--set", "NAME=EXPR", "Give a constant of the model another value.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Check only this assertion. Repeatable.")
@click.option("--keep-going", is_flag=True, help="Explore everything, and show each violated property.")
@_pairs("--option", "NAME=VALUE", "Override an option of the front matter.")
@click.option(
    "--max-states", type=click.IntRange(min=1), metavar="N", help="Stop after the level at which N states are known."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after the level at which this time is over.",
)
@click.option("--json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--stats", is_flag=True, help="Print what the engine did.")
@click.option("--quiet", is_flag=True, help="Print the verdict only.")
@click.option("--no-color", is_flag=True, help="Print without colours.")
@click.option(
    "--no-symmetry", is_flag=True, help="Tell apart states that differ only by a permutation of symmetric values."
)
@click.option("--master", metavar="URL", help="Spark: the master to run on, instead of all cores of this machine.")
@_pairs("--conf", "KEY=VALUE", "Spark: a configuration value.")
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
    from fizz.errors import FizzError

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
    return int(report.exit_code)


@fizzpy.command()
@click.argument("model")
@click.option("--no-color", is_flag=True, help="Print without colours.")
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
