"""The options that several subcommands have in common, as the command line spells them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click


class _Pair(click.ParamType[tuple[str, str]]):
    """`NAME=VALUE` on the command line."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        key, joint, text = str(value).partition("=")
        if not joint or not key.strip():
            self.fail(f"'{value}' is not of the form {param.metavar if param else self.name}", param, ctx)
        return key.strip(), text.strip()


def pairs(option: str, metavar: str, text: str) -> Callable[[Any], Any]:
    """An option of the form NAME=VALUE that may be given again and again."""
    return click.option(option, multiple=True, type=_Pair(), metavar=metavar, help=f"{text} Repeatable.")


def number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A number that can be compared: `nan` is in no range, but the ranges of click let it pass."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("'nan' is not a number", ctx, param)
    return value


ENGINES = ("embedded", "plain", "spark")

model = click.argument("model")
engine = click.option(
    "--engine", type=click.Choice(ENGINES), default="embedded", show_default=True, help="What explores the states."
)
constants = pairs("--set", "NAME=EXPR", "Give a constant of the model another value.")
overrides = pairs("--option", "NAME=VALUE", "Override an option of the front matter.")
properties = click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Check only this assertion. Repeatable."
)
json = click.option("--json", is_flag=True, help="Print the report as one JSON object.")
quiet = click.option("--quiet", is_flag=True, help="Print the verdict only.")
no_color = click.option("--no-color", is_flag=True, help="Print without colours.")
save_trace = click.option(
    "--save-trace", metavar="FILE", help="Write the leading counterexample to FILE; `fizzpy trace --follow` replays it."
)
