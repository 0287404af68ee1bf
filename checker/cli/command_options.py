"""The options that several subcommands have in common, as the command line spells them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from checker.cli import completing_words
from checker.core.limits import Limits
from checker.search.registry import PUBLIC

if TYPE_CHECKING:
    from checker.core.patience import Patience


class _Pair(click.ParamType[tuple[str, str]]):
    """`NAME=VALUE` on the command line."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        key, joint, text = str(value).partition("=")
        if not joint or not key.strip():
            self.fail(f"'{value}' is not of the form {param.metavar if param else self.name}", param, ctx)
        return key.strip(), text.strip()


def pairs(option: str, metavar: str, text: str, **more: Any) -> Callable[[Any], Any]:
    """An option of the form NAME=VALUE that may be repeated."""
    return click.option(option, multiple=True, type=_Pair(), metavar=metavar, help=f"{text} Repeatable.", **more)


def number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse `nan`, which the ranges of click let pass."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("'nan' is not a number", ctx, param)
    return value


model = click.argument("model", shell_complete=completing_words.models)
engine = click.option(
    "--engine", type=click.Choice(PUBLIC), default="embedded", show_default=True, help="What explores the states."
)
task_engine = click.option(
    "--engine",
    type=click.Choice(("embedded", "spark")),
    default="embedded",
    show_default=True,
    help="Where tasks run: on the cores of this machine, or on Spark.",
)
master = click.option(
    "--master", metavar="URL", help="Spark: the master to run on, instead of all cores of this machine."
)
conf = pairs("--conf", "KEY=VALUE", "Spark: a configuration value.")
constants = pairs(
    "--set", "NAME=EXPR", "Give a constant of the model another value.", shell_complete=completing_words.constants
)
overrides = pairs("--option", "NAME=VALUE", "Override an option of the front matter.")
properties = click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Check only this assertion. Repeatable.",
    shell_complete=completing_words.properties,
)
json = click.option("--json", is_flag=True, help="Print the report as one JSON object.")
quiet = click.option("--quiet", is_flag=True, help="Print the verdict only.")
full = click.option(
    "--full", is_flag=True, help="Print counterexamples at length: executed lines, threads, whole states."
)
no_color = click.option("--no-color", is_flag=True, help="Print without colours.")
save_trace = click.option(
    "--save-trace", metavar="FILE", help="Write the leading counterexample to FILE; `fizzpy trace --follow` replays it."
)
checkpoint = click.option(
    "--checkpoint",
    metavar="DIR",
    help="Write what was found to DIR (or s3://BUCKET/DIR) now and then; --resume goes on from there.",
)
checkpoint_every = click.option(
    "--checkpoint-every",
    type=click.FloatRange(min=0),
    callback=number,
    metavar="SECONDS",
    help="Time between two checkpoints, which are written between levels; 60 if not given.",
)
export = click.option(
    "--export",
    metavar="DIR",
    help="Write the state space to DIR, or s3://BUCKET/FOLDER, as Parquet: states, transitions, properties.",
)
resume = click.option(
    "--resume", metavar="DIR", help="Go on from the checkpoint in DIR, and write the next ones there."
)
max_states = click.option(
    "--max-states", type=click.IntRange(min=1), metavar="N", help="Stop after the level at which N states are known."
)
max_depth = click.option(
    "--max-depth",
    type=click.IntRange(min=0),
    metavar="N",
    help="Stop after level N; the initial states are level 0.",
)


def _timeout(then: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        callback=number,
        metavar="SECONDS",
        help=f"Stop after this time; {then}.",
    )


timeout = _timeout("what is known then is printed")


def limits(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `Limits`."""
    return max_states(max_depth(_timeout("the levels that are complete then count")(command)))


def points(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same for many searches: the time is that of all."""
    return max_states(max_depth(timeout(command)))


def patience_of(limits: Limits) -> Patience:
    """The patience of this run of the command: time, memory, interruptions.

    Until the end of the command an interruption only sets a flag, so that results are printed and written completely.
    """
    from checker.core.patience import Patience

    patience = Patience(limits)
    click.get_current_context().with_resource(patience.deferring_interrupts())
    return patience


workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that share the work once it is wide enough; if not given, as many as cores.",
)
memory = click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Memory for stored states; beyond it they go to the disk (TMPDIR).",
)
no_symmetry = click.option(
    "--no-symmetry", is_flag=True, help="Tell apart states that differ only by a permutation of symmetric values."
)
itf = click.option("--itf", metavar="FILE", help="Write the leading counterexample to FILE as an ITF trace.")
dot = click.option("--dot", metavar="FILE", help="Write the state graph of a small model to FILE for Graphviz.")
mermaid = click.option(
    "--mermaid", metavar="FILE", help="Write the sequence diagram of the counterexample to FILE, for Mermaid."
)
html = click.option("--html", metavar="FILE", help="Write the report to FILE as a page of HTML.")
audit = click.option(
    "--audit",
    is_flag=True,
    help="Visit all states once more, and print what ran, what each guard decided, and what was never tested.",
)
sarif = click.option("--sarif", metavar="FILE", help="Write what is wrong to FILE as SARIF, for code scanning.")
github = click.option("--github", is_flag=True, help="Print what is wrong as annotations of GitHub Actions too.")
