"""The subcommands and their options, as the command line spells them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import Limits
from checker.report.plain_lines import print_result

if TYPE_CHECKING:
    from checker.analysis.covering import Coverage
    from checker.cli.output_files import OutputFiles
    from checker.core.exploration import Settings

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
_MODULES: Final = {
    "test": "promise_command",
    "show": "show_command",
    "simulate": "walk_commands",
    "trace": "walk_commands",
    "explain": "explain_command",
    "coverage": "coverage_command",
    "fmt": "format_command",
    "migrate": "migrate_command",
    "measure": "measure_command",
    "mutate": "mutate_command",
    "sweep": "sweep_command",
    "history": "conformance_commands",
    "validate": "conformance_commands",
    "lsp": "lsp_command",
    "watch": "watch_command",
    "doctor": "doctor_command",
}
"""The modules of the other subcommands."""
_GROUPS: Final = {
    "Check": ("check", "watch", "test", "simulate", "sweep", "measure", "mutate"),
    "Understand": ("show", "explain", "coverage", "trace"),
    "Compare with a real system": ("history", "validate"),
    "Write": ("fmt", "migrate", "parse", "lsp"),
    "Help": ("doctor",),
}
"""The subcommands as the help shows them; others stand below."""


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from fizz.base.version import VERSION

        print_result(f"fizzpy {VERSION}")
        context.exit()


class _Commands(click.Group):
    """The subcommands. Those with a module of their own are imported when they are asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [*super().list_commands(context), *_MODULES]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands in groups."""
        names = self.list_commands(context)
        grouped = {name for group in _GROUPS.values() for name in group}
        groups = {**_GROUPS, "Others": tuple(name for name in names if name not in grouped)}
        width = formatter.width - 6 - max(map(len, names))
        for title, members in groups.items():
            found = [(name, self.get_command(context, name)) for name in members if name in names]
            rows = [(name, command.get_short_help_str(width)) for name, command in found if command is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _MODULES:
            return super().get_command(context, name)
        command: click.Command = getattr(import_module(f"checker.cli.{_MODULES[name]}"), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version and exit."
)
def fizzpy() -> None:
    """Check models of distributed systems: every interleaving, with a crash at every yield point."""


@fizzpy.command(epilog=_EXIT_CODES)
@command_options.model
@command_options.engine
@command_options.constants
@command_options.properties
@click.option("--keep-going", is_flag=True, help="Explore everything, and show each violated property.")
@command_options.overrides
@command_options.limits
@command_options.checkpoint
@command_options.checkpoint_every
@command_options.resume
@command_options.export
@command_options.save_trace
@command_options.itf
@command_options.dot
@command_options.mermaid
@command_options.html
@command_options.sarif
@command_options.github
@command_options.audit
@command_options.json
@command_options.full
@click.option("--stats", is_flag=True, help="Print what the engine did.")
@command_options.quiet
@command_options.no_color
@command_options.no_symmetry
@command_options.memory
@command_options.workers
@command_options.master
@command_options.conf
@click.option(
    "--spark-from", type=click.IntRange(min=0), metavar="N", help="Spark: run levels as jobs once N states wait."
)
def check(model: str, engine: str, **given: Any) -> int:
    """Explore MODEL and say which of its properties hold.

    MODEL is the path of a .fizz file, or the name of a model that comes with the tool.
    """
    output = Output(
        color=not given["no_color"],
        json=given["json"],
        quiet=given["quiet"],
        every=given["keep_going"],
        full=given["full"],
    )
    from checker.check import check as check_model
    from checker.cli.output_files import OutputFiles
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from checker.core.problems import UsageProblem
    from checker.storage.user_paths import is_address
    from fizz.base.errors import FizzError

    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    files = {name: given[name] for name in ("save_trace", "itf", "dot", "mermaid", "html", "sarif")}
    folders = {f"--{name}": given[name] for name in ("checkpoint", "resume", "export") if not is_address(given[name])}
    overrides: dict[str, Any] = {"options": dict(given["option"]), "constants": dict(given["set"])}
    symmetry = not given["no_symmetry"]
    outputs = OutputFiles(model, **overrides, symmetry=symmetry, **files, folders=folders, patience=patience)
    unused = [name for name in ("master", "conf", "spark_from") if engine != "spark" and given[name] not in (None, ())]
    if unused:
        names = ", ".join("--" + name.replace("_", "-") for name in unused)
        raise UsageProblem(f"{names}: only with --engine spark")
    if given["memory"] is not None and engine != "embedded":
        raise UsageProblem("--memory: only with --engine embedded")
    plain_has_as_many = engine == "plain" and given["workers"] == 1
    if given["workers"] is not None and engine != "embedded" and not plain_has_as_many:
        raise UsageProblem("--workers: only with --engine embedded")
    if given["checkpoint_every"] is not None and given["checkpoint"] is None and given["resume"] is None:
        raise UsageProblem("--checkpoint-every: only with --checkpoint or --resume")
    chosen = {
        "checkpoint_every_s": given["checkpoint_every"],
        "spark_master": given["master"],
        "spark_from": given["spark_from"],
    }
    settings = Settings(
        workers=given["workers"],
        keep_going=given["keep_going"],
        limits=limits,
        properties=given["properties"] or None,
        symmetry=symmetry,
        stats=given["stats"],
        spark_conf=given["conf"],
        checkpoint=given["checkpoint"],
        resume=given["resume"],
        export=given["export"],
        memory_mb=given["memory"],
        **{name: value for name, value in chosen.items() if value is not None},
    )
    try:
        outputs.refuse()
        with output.progress() as progress:
            report = check_model(
                locate(model),
                engine=engine,
                settings=settings,
                progress=progress,
                say=output.notice,
                patience=patience,
                **overrides,
            )
    except FizzError as error:
        output.error(error, model, engine)
        if given["github"]:
            output.annotations_of_error(error)
        outputs.write_error(error)
        return error.exit_code
    audit = _audit(outputs, settings, output) if given["audit"] else None
    output.report(report, audit)
    if report.trace is not None:
        from checker.cli.show_command import print_viewer_command

        print_viewer_command(model, output, given)
    if given["github"]:
        output.annotations(outputs.annotations(report))
    outputs.write(report, audit)
    return int(report.exit_code)


def _audit(outputs: OutputFiles, settings: Settings, output: Output) -> Coverage | None:
    """The result of a second visit to all states; None if the constants of the model fail, or no time is left."""
    from checker.analysis.covering import cover
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from checker.core.problems import UsageProblem

    patience = outputs.patience
    over = patience.over
    if over is not None:
        output.notice(f"there is no audit: {over.sentence}")
        return None
    chosen = Settings(
        keep_going=settings.keep_going,
        limits=settings.limits,
        properties=settings.properties,
        symmetry=settings.symmetry,
    )
    try:
        with output.progress() as progress:
            return cover(
                locate(outputs.model),
                settings=chosen,
                options=outputs.options,
                constants=outputs.constants,
                progress=progress,
                patience=patience,
            )
    except UsageProblem:
        return None


@fizzpy.command()
@command_options.model
@command_options.no_color
def parse(model: str, no_color: bool) -> int:
    """Print the syntax tree of MODEL."""
    output = Output(color=not no_color)
    from checker.core.locate import locate
    from fizz import load
    from fizz.base.errors import FizzError
    from fizz.syntax.printer import print_tree

    try:
        tree = print_tree(load(locate(model)).items)
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.text(tree)
    return 0
