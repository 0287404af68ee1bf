"""The subcommand `test`: checks the promises in `expect.yaml`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checker.cli import command_options
from checker.cli.output import Output

if TYPE_CHECKING:
    from checker.core.problems import ExitCode
    from checker.expectations.promise_runs import PromiseResult
    from checker.expectations.promises import Promise
    from checker.tasks.task_runner import TaskPlace

_CODES = """\b
Exit codes:
    0  every promise is kept
    1  a promise is broken
    2  usage: a missing file or folder, a folder without expect.yaml
  151  an expect.yaml is not what it should be
   74  the environment: a run was not possible on this machine
   70  internal error, 130 interrupted
"""
_MARKS = {"quick": ("quick",), "large": ("large",), "all": ("quick", "large")}


@click.command(epilog=_CODES)
@click.argument("paths", nargs=-1, metavar="[FOLDER | expect.yaml]...")
@click.option(
    "--mark", type=click.Choice(list(_MARKS)), default="quick", show_default=True, help="Which runs, by their mark."
)
@command_options.engine
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs at a time on this machine. [default: one per core]",
)
@command_options.master
@command_options.conf
@click.option(
    "--one-by-one",
    is_flag=True,
    help="With --engine spark: each run by the Spark engine itself, and not as a task on Spark by the embedded one.",
)
@click.option("--junit", metavar="FILE", help="Write the results to FILE as JUnit XML.")
@click.option("--markdown", metavar="FILE", help="Append the results to FILE as Markdown, for a pull request.")
@click.option(
    "--before", metavar="FILE", help="With --markdown: compare with FILE, the results of `fizzpy test --json`."
)
@command_options.github
@click.option("--json", is_flag=True, help="Print the results as one JSON object.")
@click.option("--quiet", is_flag=True, help="Print only how many promises are kept.")
@command_options.no_color
def test(paths: tuple[str, ...], mark: str, engine: str, jobs: int | None, junit: str | None, **given: Any) -> int:
    """Check what models promise in expect.yaml: verdicts, states, transitions, depth.

    Takes files, and folders with all their subfolders. Without any: the models that come with the tool. With --engine
    spark each run is a task on Spark.
    """
    output = Output(color=not given["no_color"], json=given["json"], quiet=given["quiet"])
    from checker.core.limits import Limits
    from checker.core.patience import Stop
    from checker.core.problems import UsageProblem
    from checker.core.trials import EarlyEnd
    from checker.expectations.earlier_results import read_earlier
    from checker.expectations.promise_runs import run_promises
    from checker.tasks.task_runner import running_tasks

    markdown, before = given["markdown"], given["before"]
    if before is not None and markdown is None:
        raise UsageProblem("--before: only with --markdown")
    place = _place(engine, jobs, given)
    promises = promises_of(paths, mark)
    _refuse({"--junit": junit, "--markdown": markdown}, promises)
    earlier = None if before is None else read_earlier(before)
    results: dict[int, PromiseResult] = {}
    # An interruption ends the runs under way, and nothing after them: the results are printed completely.
    patience = command_options.patience_of(Limits())
    ending = EarlyEnd(patience)
    by = "embedded" if place.spark else engine
    with (
        output.counting(len(promises)) as show_counts,
        suppress(KeyboardInterrupt, Stop),
        running_tasks(place, patience, output.notice) as runner,
    ):
        for index, kept in run_promises(
            promises, by, runner, show_counts, output.notice, loaded=place.spark, ending=ending
        ):
            results[index] = kept
    not_run = [promise for index, promise in enumerate(promises) if index not in results]
    done = [results[index] for index in sorted(results)]
    code = _exit_code(done, patience.interrupted)
    output.promises(done, not_run, engine, code)
    if given["github"]:
        from checker.report.annotations import annotations_of_promises

        output.annotations(annotations_of_promises(done))
    if markdown is not None:
        from checker.cli.save_files import add
        from checker.report.markdown_promises import markdown_promises

        add(markdown, markdown_promises(done, not_run, earlier))
    if junit is not None:
        from checker.cli.save_files import save
        from checker.report.json_promises import junit_promises

        save(junit, junit_promises(done, not_run, engine))
    return int(code)


def promises_of(paths: Sequence[str], mark: str) -> list[Promise]:
    """The promises to check. Raises `Problem` if there are none, or if a model is missing."""
    from checker.core.locate import bundled_folder
    from checker.core.problems import UsageProblem
    from checker.expectations.promises import promises_in

    folders = [Path(path) for path in paths] or [bundled_folder()]
    promises = [promise for folder in folders for promise in promises_in(folder)]
    for promise in promises:
        if not os.path.isfile(promise.model):  # noqa: PTH113 - pathlib raises where a name is too long
            where = f"{promise.file}:{promise.line}"
            raise UsageProblem(
                f"{where}: there is no file '{promise.model}'", "the path starts at the folder of the file"
            )
    chosen = [promise for promise in promises if promise.mark in _MARKS[mark]]
    if not chosen:
        hint = "--mark all runs all of them" if promises else "a run begins with `- model: NAME.fizz`"
        raise UsageProblem(f"there is no run marked {mark}" if promises else "there are no runs", hint)
    return chosen


def _refuse(outputs: Mapping[str, str | None], promises: Sequence[Promise]) -> None:
    """Refuse a file that can not be written, and the files of promises and models. Raises `UsageProblem`."""
    from checker.cli.destinations import may_be_inputs, refuse_files, refuse_inputs
    from checker.cli.output_files import files_of
    from fizz import FizzError, load

    refuse_files(outputs)
    if not may_be_inputs(outputs):
        return
    refuse_inputs(outputs, [str(promise.file) for promise in promises])
    for model in dict.fromkeys(promise.model for promise in promises):
        try:
            read = list(files_of(load(model)))
        except FizzError as error:
            read = list(error.sources)
        refuse_inputs(outputs, [str(model), *read])


def _place(engine: str, jobs: int | None, given: Mapping[str, Any]) -> TaskPlace:
    """Where the runs are made. Raises `UsageProblem` for options that do not go together."""
    from checker.core.problems import UsageProblem
    from checker.tasks.task_runner import TaskPlace

    if not given["one_by_one"]:
        if engine == "spark" and jobs is not None:
            raise UsageProblem("--jobs: not with --engine spark", "the cluster decides; locally --master 'local[N]'")
        return TaskPlace.asked_for(engine, jobs, given["master"], given["conf"])
    if engine != "spark":
        raise UsageProblem("--one-by-one: only with --engine spark")
    if given["master"] is not None or given["conf"]:
        raise UsageProblem("--master and --conf: not with --one-by-one")
    # Spark takes all cores for one run.
    return TaskPlace(workers=jobs or 1)


def _exit_code(results: Sequence[PromiseResult], interrupted: bool) -> ExitCode:
    from checker.core.problems import ExitCode

    if interrupted:
        return ExitCode.INTERRUPTED
    troubles = {kept.exit_code for kept in results if kept.trouble is not None}
    if troubles:
        return ExitCode.INTERNAL if ExitCode.INTERNAL in troubles else max(troubles)
    return ExitCode.PASSED if all(kept.holds for kept in results) else ExitCode.BROKEN
