"""The subcommand `explain`: why an action never happens."""

from __future__ import annotations

from typing import Any

import click

from checker.cli import command_options, completing_words
from checker.cli.output import Output
from checker.core.limits import Limits

_CODES = """\b
Exit codes:
    0  explained
    3  explained for the states that were found; the search was cut
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage, or a line of the trace that fits no step; 74 environment, 70 internal error, 130 interrupted
"""


@click.command(epilog=_CODES)
@command_options.model
@click.option(
    "--action",
    shell_complete=completing_words.actions,
    metavar="NAME",
    help="The action: Act, Node.Act or Node#0.Act. Without it: all that never have a step.",
)
@click.option("--init", is_flag=True, help="Look at the initial state only.")
@click.option("--follow", metavar="FILE", help="Look at the state at the end of a guided trace only.")
@click.option("--step", type=click.IntRange(min=0), metavar="N", help="With --follow: after N of its steps.")
@command_options.constants
@command_options.overrides
@command_options.limits
@command_options.no_symmetry
@command_options.json
@command_options.no_color
def explain(model: str, action: str | None, init: bool, follow: str | None, step: int | None, **given: Any) -> int:
    """Say why actions of MODEL have no step.

    Over the whole exploration: which guards their attempts met and passed, and which attempt came furthest. In
    one state, with --init or --follow: the guards that are false there, with the values that make them so.
    """
    output = Output(color=not given["no_color"], json=given["json"])
    from checker.analysis.explanation import explain_actions, explain_state
    from checker.core.exploration import Settings
    from checker.core.locate import locate
    from checker.core.problems import UsageProblem
    from fizz.base.errors import FizzError

    if init and follow is not None:
        raise UsageProblem("--init and --follow: only one of them", "a trace begins with Init")
    if step is not None and follow is None:
        raise UsageProblem("--step: only with --follow")
    overrides: dict[str, Any] = {"options": dict(given["option"]), "constants": dict(given["set"])}
    limits = Limits.asked_for(given)
    patience = command_options.patience_of(limits)
    try:
        if init or follow is not None:
            with patience.limiting_steps():
                state = explain_state(locate(model), action, trace=follow, step=step, **overrides)
            output.state_explanation(state)
            return int(state.exit_code)
        settings = Settings(limits=limits, symmetry=not given["no_symmetry"])
        with output.progress() as progress:
            report = explain_actions(
                locate(model), action, settings=settings, progress=progress, patience=patience, **overrides
            )
    except FizzError as error:
        output.error(error, model)
        return error.exit_code
    output.actions_explanation(report)
    return int(report.exit_code)
