"""The subcommand `watch`: checks a model whenever one of its files is saved, and says what changed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checker.cli import command_options
from checker.cli.output import Output
from checker.core.requests_to_end import REQUESTS, requests_reach, requests_wait

if TYPE_CHECKING:
    from checker.core.exploration import Settings

_TICK_S = 0.2
_PATIENCE_S = 5.0
_Stamps = Mapping[str, tuple[int, int] | None]


@click.command()
@command_options.model
@command_options.engine
@command_options.constants
@command_options.properties
@click.option("--keep-going", is_flag=True, help="Explore everything, and show each violated property.")
@command_options.overrides
@command_options.limits
@command_options.no_symmetry
@click.option("--report", metavar="FILE", help="Write each report to FILE; `fizzpy show FILE --reload` follows it.")
@command_options.quiet
@command_options.no_color
def watch(model: str, engine: str, report: str | None, **given: Any) -> int:
    """Check MODEL now and whenever one of its files is saved, and say what changed; Ctrl-C ends it.

    A file that is saved during a check ends the check and begins the next one.
    """
    output = Output(color=not given["no_color"], quiet=given["quiet"], every=given["keep_going"])
    from checker.cli.destinations import refuse_files
    from checker.core.exploration import Settings
    from checker.core.limits import Limits
    from checker.core.locate import locate

    refuse_files({"--report": report})
    settings = Settings(
        keep_going=given["keep_going"],
        limits=Limits.asked_for(given),
        properties=given["properties"] or None,
        symmetry=not given["no_symmetry"],
    )
    overrides = {"options": dict(given["option"]), "constants": dict(given["set"])}
    with tempfile.TemporaryDirectory(prefix="fizzpy-watch-") as folder:
        watched = _Watched(locate(model), engine, settings, overrides, output, Path(folder) / "report.json", report)
        with suppress(KeyboardInterrupt):
            watched.follow()
        watched.end()
    return 0


@dataclass(slots=True)
class _Watched:
    """A model that is checked again and again, each time in a process of its own."""

    model: str
    engine: str
    settings: Settings
    overrides: dict[str, dict[str, str]]
    output: Output
    result: Path
    kept: str | None
    _process: BaseProcess | None = None
    _last: dict[str, Any] | None = None
    _files: dict[str, None] = field(default_factory=dict)

    def follow(self) -> None:
        """Check, wait for a change, check; until an interruption."""
        while True:
            stamps = self._stamps()
            self._begin()
            while self._process is not None and self._process.is_alive() and self._stamps() == stamps:
                self._process.join(_TICK_S)
            if self._process is not None and not self._process.is_alive():
                self._process.join()
                self._process = None
                self._tell()
                while self._stamps() == stamps:
                    time.sleep(_TICK_S)
            self.end()

    def _stamps(self) -> _Stamps:
        """When each file was written last; what a model is read from may change with it."""
        if not self._files:
            self._files = dict.fromkeys(_files_of(self.model))
        return {file: _stamp(file) for file in self._files}

    def _begin(self) -> None:
        with suppress(FileNotFoundError):
            self.result.unlink()
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        arguments = (self.model, self.engine, self.settings, self.overrides, self.output, str(self.result))
        process: BaseProcess = context.Process(target=_check, args=arguments)
        with requests_wait():
            process.start()
            self._process = process

    def _tell(self) -> None:
        """Say what is different, and keep the report."""
        self._files.clear()
        now = time.strftime("%H:%M:%S")
        if not self.result.is_file():
            self.output.text(f"{now}  there is no report; the next check begins when a file is saved")
            return
        text = self.result.read_text(encoding="utf-8")
        if self.kept is not None:
            from checker.cli.save_files import save

            save(self.kept, text)
        fields = json.loads(text)
        if self._last is not None:
            from checker.report.run_difference import differences

            found = differences(self._last, fields) or ["nothing changed"]
            self.output.text("\n".join(f"{now}  {sentence}" for sentence in found))
        self._last = fields
        self.output.text(f"{now}  watching {self.model}; Ctrl-C ends it\n")

    def end(self) -> None:
        """End a check that runs."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.is_alive() and process.pid is not None:
            os.kill(process.pid, signal.SIGTERM)
        process.join(_PATIENCE_S)
        if process.is_alive():
            process.kill()
            process.join()


def _files_of(model: str) -> Iterable[str]:
    """The files that a model is read from, as far as that is known, and the options of its folder."""
    from fizz.base.errors import FizzError
    from fizz.load import examine

    files = [model, str(Path(model).parent / "fizz.yaml")]
    with suppress(OSError, FizzError):
        files += examine(model, {}).sources
    return files


def _stamp(file: str) -> tuple[int, int] | None:
    with suppress(OSError):
        status = Path(file).stat()
        return status.st_mtime_ns, status.st_size
    return None


def _check(model: str, engine: str, settings: Settings, overrides: dict[str, Any], output: Output, result: str) -> None:
    """One check, in its process: prints the report, and writes it as JSON for the comparison."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_DFL)
    # Ctrl-C in a terminal reaches this process too; the one that watches ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests_reach()
    from checker.check import check as check_model
    from checker.core.problems import Problem
    from checker.report.json_report import json_error, json_problem, json_report
    from fizz.base.errors import FizzError

    try:
        report = check_model(model, engine=engine, settings=settings, say=output.notice, **overrides)
        output.report(report)
        text = json_report(report)
    except FizzError as error:
        output.error(error, model, engine)
        text = json_error(error, model, engine)
    except Problem as problem:
        output.notice(problem.text)
        text = json_problem(problem.exit_code, problem.text, problem.hint)
    part = Path(result).with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(result)
