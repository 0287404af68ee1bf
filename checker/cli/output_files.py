"""The files that are written besides the report: `--save-trace`, `--itf`, `--dot`, `--html`, `--sarif`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from checker.cli.destinations import may_be_inputs, refuse_files, refuse_inputs
from checker.cli.save_files import counterexample_text, report_unwritten, save
from checker.core.locate import locate
from checker.core.patience import Patience, Stop
from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.report.plain_lines import print_remark

if TYPE_CHECKING:
    from checker.analysis.covering import Coverage
    from checker.core.problems import ExitCode
    from checker.core.report import Report
    from checker.report.annotations import Annotation
    from checker.traces.walk_report import SimulationReport
    from fizz import FizzError, Module


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """The paths of the files, and the model with its constants and options. `folders`: folders of the run, by option.

    `patience`: limits the time to compute the contents of a file.
    """

    model: str
    options: Mapping[str, str]
    constants: Mapping[str, str]
    symmetry: bool = True
    save_trace: str | None = None
    itf: str | None = None
    dot: str | None = None
    mermaid: str | None = None
    html: str | None = None
    sarif: str | None = None
    folders: Mapping[str, str | None] = field(default_factory=dict)
    patience: Patience = field(default_factory=Patience)

    @property
    def files(self) -> dict[str, str | None]:
        """The files by option."""
        files = {"--save-trace": self.save_trace, "--itf": self.itf, "--dot": self.dot, "--html": self.html}
        return {**files, "--mermaid": self.mermaid, "--sarif": self.sarif}

    def refuse(self) -> None:
        """Refuse files that can not be written, and the files of the model, before the search.

        Raises `UsageProblem`, and `FizzError` for a model that is wrong.
        """
        refuse_files(self.files, self.folders)
        if may_be_inputs(self.files):
            refuse_inputs(self.files, files_of(self._module()))

    def write(self, report: Report, audit: Coverage | None) -> None:
        """Write the files of a check. Raises `EnvironmentProblem` if one can not be written."""
        self._write(
            {
                "--save-trace": lambda path: self._trace(path, report),
                "--itf": lambda path: self._itf(path, report),
                "--dot": lambda path: self._dot(report),
                "--mermaid": lambda path: self._mermaid(path, report),
                "--html": lambda path: self._page(report, audit),
                "--sarif": lambda path: self._sarif(self.annotations(report), report.exit_code),
            }
        )

    def write_error(self, error: FizzError) -> None:
        """Write the files that say why a model does not load. Raises `EnvironmentProblem` as `write` does."""
        if self.sarif is not None:
            from checker.core.problems import ExitCode
            from checker.report.annotations import annotations_of_error

            save(self.sarif, self._sarif(annotations_of_error(error), ExitCode(error.exit_code)))

    def annotations(self, report: Report) -> list[Annotation]:
        """What is wrong, each with its place."""
        from checker.report.annotations import annotations_of_report

        return annotations_of_report(report, self._module())

    def write_walk(self, report: SimulationReport) -> None:
        """Write the violating walk of a simulation. Raises `EnvironmentProblem` as `write` does."""
        self._write({"--save-trace": lambda path: self._trace(path, report)})

    def write_coverage(self, coverage: Coverage) -> None:
        """Write the annotated model. Raises `EnvironmentProblem` as `write` does."""
        from checker.report.html_coverage import html_coverage

        self._write({"--html": lambda path: html_coverage(coverage)})

    def _write(self, texts: Mapping[str, Callable[[str], str | bytes | None]]) -> None:
        """Write all files, also if one of them fails.

        If there is nothing to write, a message says so; the exit code does not change.
        """
        problems: list[EnvironmentProblem] = []
        for option, path in self.files.items():
            if path is None:
                continue
            try:
                with self.patience.limiting_steps(), self.patience.grace():
                    text = texts[option](path)
                if text is not None:
                    save(path, text)
            except Stop as stop:
                print_remark(f"fizzpy: '{path}' was not written: {stop.reason.sentence}")
            except UsageProblem as problem:
                print_remark(f"fizzpy: '{path}' was not written: {problem.text}")
                if problem.hint:
                    print_remark(f"hint: {problem.hint}")
            except EnvironmentProblem as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def _trace(self, path: str, report: Report | SimulationReport) -> bytes | None:
        pairs = (tuple(self.options.items()), tuple(self.constants.items()))
        text = counterexample_text(path, report, self.model, options=pairs[0], constants=pairs[1])
        return None if text is None else text.encode("utf-8", errors="surrogatepass")

    def _mermaid(self, path: str, report: Report) -> str | None:
        if report.trace is None:
            report_unwritten(path)
            return None
        from checker.report.mermaid import mermaid_text

        return mermaid_text(report.trace)

    def _page(self, report: Report, audit: Coverage | None) -> str:
        from checker.report.html_report import html_report

        return html_report(report, audit, datetime.now(UTC))

    def _sarif(self, annotations: Sequence[Annotation], code: ExitCode) -> str:
        from checker.report.sarif import sarif_text

        return sarif_text(annotations, code, repository())

    def _module(self) -> Module:
        from checker.search.composition.load_whole import load_whole

        return load_whole(locate(self.model), options=dict(self.options), constants=dict(self.constants))

    def _itf(self, path: str, report: Report) -> str | None:
        if report.trace is None:
            report_unwritten(path)
            return None
        from checker.report.itf import ItfTrace, itf_text
        from checker.traces.save_trace import why_no_run
        from checker.tui.opened.retrace import follow
        from interpreter import Machine, compile_module
        from interpreter.explain.contents import contents

        machine = Machine(compile_module(self._module()))
        shown = [entry for entry in report.trace.entries if not entry.fails]
        run = follow(machine, report.trace)
        if run.remark or len(run.states) < len(shown):
            raise UsageProblem("no step leads to a state of the counterexample", why_no_run(machine))
        what = report.error.diagnostic.text if report.error is not None else f"{report.leading} is violated"
        held = [contents(machine, state) for state in run.states]
        return itf_text(ItfTrace(report.model, what, report.trace, held))

    def _dot(self, report: Report) -> str:
        from checker.report.dot import dot_text
        from checker.state_graph import refuse_large, state_graph

        # The check may have stopped before it saw all states; `state_graph` refuses too.
        refuse_large(report.states)
        return dot_text(state_graph(self._module(), self.symmetry, self.patience))


def repository() -> Path:
    """The folder that files are named from: of the repository, where a workflow runs; else the current one."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())


def files_of(module: Module) -> Iterator[str]:
    """The files that a model was read from."""
    yield from module.sources
    yield from (helper.path for helper in module.helper_modules)
