"""The subcommand `show`: opens the interactive viewer."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.limits import OPTIONS, Limits
from checker.report.plain_lines import print_result

if TYPE_CHECKING:
    from checker.core.given import Given
    from checker.tui.opened.opened_paths import OpenedPaths

_MOST_NAMES = 4
_BY_HAND = "nothing was checked: a walk by hand"
_CODES = """\b
Exit codes:
    0  the viewer was shown
   75  the model fails before there is anything to show
  150  the model does not parse or resolve
  151  options or constants are wrong
    2  usage: a missing or damaged file, a report without a counterexample, a report of another model
   74  the environment: no terminal; 70 internal error, 130 interrupted
"""


@click.command(epilog=_CODES)
@click.argument("target", metavar="[MODEL|REPORT|TRACE]", required=False)
@click.option("--follow", metavar="FILE", help="A report or a guided trace of MODEL, to be shown instead of a check.")
@click.option("--walk", is_flag=True, help="Check nothing: begin at Init, and go step by step.")
@click.option("--reload", is_flag=True, help="Read again whenever a file has changed; without it the key `r` does.")
@command_options.constants
@command_options.properties
@click.option("--keep-going", is_flag=True, help="Check: explore everything, and show each violated property.")
@command_options.overrides
@command_options.limits
@command_options.no_symmetry
@command_options.no_color
def show(target: str | None, **given: Any) -> int:
    """Look at a counterexample, step by step, in the terminal.

    MODEL is checked first. REPORT is the file that `fizzpy check --json` printed, TRACE the one that `--save-trace`
    wrote. Without any of them the only model in the current folder is taken. `?` in the viewer lists its keys.
    """
    from checker.core.problems import UsageProblem
    from checker.tui.opened.opening_files import UnopenedError

    target = target or _only_model()
    if given["walk"] and given["follow"]:
        raise UsageProblem("--walk and --follow exclude each other", "--walk begins at Init, --follow shows a trace")
    output = Output(color=not given["no_color"])
    try:
        opened = _opened(target, output, given)
        if isinstance(opened, int):
            return opened
        from checker.tui.terminal import answer_soon

        answer_soon()
        from checker.tui.app import view

        view(opened, color=not given["no_color"])
    except UnopenedError as unopened:
        output.guided(unopened.report)
        return int(unopened.report.exit_code)
    except Exception as error:
        # Imported late: the language is not needed for the first screen.
        from fizz.base.errors import FizzError

        if not isinstance(error, FizzError):
            raise
        output.error(error, target)
        return error.exit_code
    return 0


def _opened(target: str, output: Output, given: dict[str, Any]) -> OpenedPaths | int:
    """The paths to show; or, if there are none, the exit code, after a message."""
    from checker.core.given import Given

    wanted = Given(dict(given["set"]), dict(given["option"]))
    is_model = target.endswith(".fizz") or not Path(target).is_file()
    if is_model and given["follow"] is None:
        return _of_model(target, output, given, wanted)
    file, model = (given["follow"], target) if is_model else (target, None)

    def read(again: bool) -> OpenedPaths:
        from checker.tui.opened.check_again import open_or_walk
        from checker.tui.opened.opening_files import open_guide, open_report
        from checker.tui.opened.saved_files import is_report

        if not is_report(file):
            return open_guide(file, wanted, model, given["properties"])
        # A report that comes later may have no counterexample any more.
        found = open_or_walk(file, wanted, model) if again else open_report(file, wanted, model)
        return found if found.by_hand else found.only(given["properties"])

    opened = read(given["reload"])
    need_terminal()
    return _with_source(opened, given["reload"], (file,), lambda: read(again=True))


def _with_source(
    opened: OpenedPaths,
    at_once: bool,
    files: tuple[str, ...],
    read: Callable[[], OpenedPaths],
    stop: Callable[[], None] = lambda: None,
) -> OpenedPaths:
    from checker.tui.opened.opened_paths import ReadAgain

    return replace(opened, source=ReadAgain(files, read, stop, at_once))


def _of_model(target: str, output: Output, given: dict[str, Any], wanted: Given) -> OpenedPaths | int:
    """Check a model, and open its counterexamples; or its initial state, if there are none."""
    from checker.check import check
    from checker.core.exploration import Settings
    from checker.core.patience import Patience
    from checker.tui.opened.check_again import CheckAgain
    from checker.tui.opened.opening import opened_by_hand, opened_report
    from checker.tui.opened.opening_files import load_given

    module = load_given(target, wanted)
    need_terminal()
    opened = opened_by_hand(module, _BY_HAND) if given["walk"] else None
    if opened is not None:
        return _with_source(replace(opened, given=wanted), given["reload"], (), lambda: _walk(target, wanted))
    limits = Limits.asked_for(given)
    settings = Settings(
        properties=given["properties"] or None,
        keep_going=given["keep_going"],
        symmetry=not given["no_symmetry"],
        limits=limits,
    )
    patience = Patience(limits)
    # Only during the check: the viewer handles interruptions itself.
    with patience.deferring_interrupts():
        with output.progress() as progress:
            report = check(module, settings=settings, progress=progress, patience=patience)
        if not patience.interrupted:
            from checker.report.terminal_report import verdict_sentence

            opened = opened_report(module, report, verdict_sentence(report))
        if opened is None:
            output.report(report)
            return int(report.exit_code)
    again = CheckAgain(target, wanted, _words(given))
    return _with_source(replace(opened, given=wanted), given["reload"], (), again.read, again.stop)


def _walk(target: str, wanted: Given) -> OpenedPaths:
    """The initial state of a model, to walk from. Raises `FizzError` and `Problem`."""
    from checker.core.problems import UsageProblem
    from checker.tui.opened.opening import opened_by_hand
    from checker.tui.opened.opening_files import load_given

    opened = opened_by_hand(load_given(target, wanted), _BY_HAND)
    if opened is None:
        raise UsageProblem("the model fails in Init", "`fizzpy check` tells why")
    return replace(opened, given=wanted)


def _only_model() -> str:
    """The model in the current folder, if there is one and no other. Raises `UsageProblem`."""
    from checker.core.problems import UsageProblem

    found = sorted(path.name for path in Path().glob("*.fizz"))
    if len(found) == 1:
        return found[0]
    hint = f"here are {', '.join(found[:_MOST_NAMES])}" if found else "name a model, as VeniceLeaderFollower.fizz"
    raise UsageProblem("which model, report or guided trace should be shown?", hint)


def print_viewer_command(model: str, output: Output, given: dict[str, Any]) -> None:
    """Print the command that shows the result of a check with these options, if there is a terminal."""
    if output.json or output.quiet or not _on_terminal():
        return
    words = ["fizzpy", "show", model, *_words(given)]
    print_result(f"Step by step, in the viewer: {shlex.join(words)}")


def _words(given: Mapping[str, Any]) -> list[str]:
    """The options of a check as words of a command."""
    words = []
    for option, name in (("--set", "set"), ("--option", "option")):
        words += [word for pair in given[name] for word in (option, "=".join(pair))]
    words += [word for name in given["properties"] for word in ("--property", name)]
    words += [option for option in ("--keep-going", "--no-symmetry") if given[option[2:].replace("-", "_")]]
    for limit in OPTIONS:
        if given[limit] is not None:
            words += ["--" + limit.replace("_", "-"), str(given[limit])]
    return words


def _on_terminal() -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return os.environ.get("TERM") != "dumb" and all(stream is not None and stream.isatty() for stream in streams)


def need_terminal() -> None:
    """Raises `EnvironmentProblem` if there is no terminal."""
    from checker.core.problems import EnvironmentProblem

    if not _on_terminal():
        hint = "run it in one, without redirecting anything; `fizzpy check` prints the counterexample"
        raise EnvironmentProblem("the viewer needs a terminal", hint)
