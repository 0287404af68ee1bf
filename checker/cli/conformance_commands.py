"""The subcommands that compare a program with its model: `history` and `validate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import Limits

if TYPE_CHECKING:
    from checker.tui.finding_screen import FindingList

_HISTORY_CODES = """\b
Exit codes:
    0  there is an order of the operations that the model explains
   14  there is none
    3  inconclusive: time, memory or the bound ended the search
   75  the model failed while running
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, a history that is wrong, or nothing to check,
       74 environment, 70 internal error, 130 interrupted
"""


@click.command(epilog=_HISTORY_CODES)
@command_options.model
@click.argument("files", metavar="HISTORY...", nargs=-1, required=True)
@click.option(
    "--consistency",
    type=click.Choice(("linearizable", "sequential")),
    default="linearizable",
    show_default=True,
    help="Whether real time counts.",
)
@click.option("--partition", metavar="PARAMETER", help="Operations with different values of it are independent.")
@click.option("--object", "receiver", metavar="ROLE#N", help="The role instance whose funcs are the operations.")
@click.option(
    "--failed",
    type=click.Choice(("never", "refused")),
    default="never",
    show_default=True,
    help="What the response `fail` means: it never happened, or the func refused it at some moment.",
)
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Stop after N configurations of a part.")
@click.option("--html", metavar="FILE", help="Write the report to FILE as a page of HTML, with intervals.")
@click.option("--show", is_flag=True, help="If there is no order, look at the intervals in the terminal.")
@command_options.timeout
@command_options.constants
@command_options.overrides
@command_options.json
@command_options.quiet
@command_options.no_color
def history(model: str, files: tuple[str, ...], html: str | None, **given: Any) -> int:
    """Is the concurrent HISTORY linearizable? The funcs of a role of MODEL are the operations.

    HISTORY is NDJSON with the fields process, type (invoke, ok, fail, info), f and value, or Jepsen's EDN.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"])
    from checker.cli.destinations import refuse_files, refuse_inputs
    from checker.cli.save_files import save
    from checker.conformance.check_history import check_history
    from checker.core.locate import locate
    from fizz.base.errors import FizzError

    patience = command_options.patience_of(Limits.asked_for(given))
    refuse_files({"--html": html})
    refuse_inputs({"--html": html}, [model, *files])
    _may_show(given)
    try:
        with patience.limiting_steps():
            report = check_history(
                locate(model),
                files,
                consistency=given["consistency"],
                partition=given["partition"],
                receiver=given["receiver"],
                failed=given["failed"],
                most=given["most"],
                options=dict(given["option"]),
                constants=dict(given["set"]),
                patience=patience,
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.history(report)
    if html is not None:
        from checker.report.html_intervals import html_history

        save(html, html_history(report))
    if given["show"] and report.leading is not None and report.leading.why is not None:
        from checker.tui.history_rows import history_rows

        _show(history_rows(report), given)
    return int(report.exit_code)


_VALIDATE_CODES = """\b
Exit codes:
    0  a run of the model explains all events
   14  there is none
   12  there is one, but an always or transition assertion is violated on
       every one (or see --explanations)
    3  inconclusive: time, memory or a bound ended the search
   75  the model failed while running
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, a log or map that is wrong, or nothing to validate,
       74 environment, 70 internal error, 130 interrupted
"""


@click.command(epilog=_VALIDATE_CODES)
@command_options.model
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("--map", "map_file", metavar="FILE", required=True, help="What the events mean: YAML, or Python.")
@click.option("--each", is_flag=True, help="Each LOG is a run of its own; without it all logs are one run.")
@click.option("--partition", metavar="FIELD", help="The events of each value of FIELD are a run of their own.")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Stop after N nodes of a search.")
@click.option(
    "--explanations",
    type=click.Choice(("one", "every", "some")),
    default="one",
    show_default=True,
    help="Judge assertions on the explanation that is found, or on all: code 12 if every one violates one, or some.",
)
@command_options.properties
@command_options.task_engine
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes, for a run each; 1 if not given.")
@command_options.master
@command_options.conf
@click.option("--out", metavar="FILE", help="Write a row for each run to FILE, .csv or .parquet.")
@click.option("--html", metavar="FILE", help="Write the report to FILE as a page of HTML.")
@click.option("--show", is_flag=True, help="If a LOG is rejected, look at the steps and events in the terminal.")
@command_options.timeout
@command_options.constants
@command_options.overrides
@command_options.json
@command_options.quiet
@command_options.no_color
def validate(model: str, logs: tuple[str, ...], map_file: str, html: str | None, **given: Any) -> int:
    """Is each LOG a behaviour of MODEL?

    LOG is NDJSON, an object for each event, or spans of OpenTelemetry as JSON, or a folder, of which each log is a run
    of its own. The map says which event is which
    action, and which of its values are which of the model.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"])
    from checker.cli.destinations import refuse_files, refuse_inputs
    from checker.cli.save_files import save
    from checker.conformance.validate_log import validate_logs
    from checker.core.locate import locate
    from checker.storage.export.row_files import refuse_ending
    from checker.tasks.task_runner import TaskPlace
    from fizz.base.errors import FizzError

    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    place = TaskPlace.asked_for(given["engine"], given["workers"], given["master"], given["conf"])
    written = {"--html": html, "--out": given["out"]}
    refuse_files(written)
    refuse_inputs(written, [model, map_file, *logs])
    if given["out"] is not None:
        refuse_ending("--out", given["out"])
    _may_show(given)
    try:
        with patience.limiting_steps():
            report = validate_logs(
                locate(model),
                logs,
                map_file,
                each=given["each"],
                partition=given["partition"],
                place=place if place.spark or place.workers is not None else None,
                most=given["most"],
                explanations=given["explanations"],
                selected=given["properties"] or None,
                limits=limits,
                say=output.notice,
                options=dict(given["option"]),
                constants=dict(given["set"]),
                patience=patience,
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.validation(report)
    if given["out"] is not None:
        from checker.storage.export.row_files import rows_as_file

        save(given["out"], rows_as_file(given["out"], [run.row(report.reading) for run in report.runs]))
    if html is not None:
        from checker.report.html_validation import html_validation

        save(html, html_validation(report))
    if given["show"] and any(run.rejection for run in report.runs):
        from checker.tui.log_rows import log_rows

        _show(log_rows(report), given)
    return int(report.exit_code)


def _may_show(given: dict[str, Any]) -> None:
    """Raises `Problem` if `--show` cannot be: there must be a terminal, which `--json` is not for."""
    from checker.cli.show_command import need_terminal
    from checker.core.problems import UsageProblem

    if given["show"] and given["json"]:
        raise UsageProblem("--show and --json exclude each other", "--json is for programs, --show for a terminal")
    if given["show"]:
        need_terminal()


def _show(found: FindingList | None, given: dict[str, Any]) -> None:
    """Open the viewer on what was found."""
    from checker.tui.terminal import answer_soon

    answer_soon()
    from checker.tui.finding_screen import view_findings

    if found is not None:
        view_findings(found, color=not given["no_color"])
