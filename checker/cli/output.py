"""What the command prints: results to standard output, messages and progress to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.core.problems import output_fails
from checker.report.plain_lines import print_remark, print_result, send_text

if TYPE_CHECKING:
    from checker.analysis.covering import Coverage
    from checker.analysis.explanation import ActionsReport, StateReport
    from checker.conformance.history_report import HistoryReport
    from checker.conformance.validation_report import ValidationReport
    from checker.core.exploration import Progress
    from checker.core.problems import ExitCode
    from checker.core.report import Report
    from checker.expectations.promise_runs import PromiseResult
    from checker.expectations.promises import Promise
    from checker.measure.measured import Measured
    from checker.mutation.mutation_report import MutationReport, PromisedMutation
    from checker.report.annotations import Annotation
    from checker.report.page import Page
    from checker.sweep.sweep_report import PointResult, SweepReport
    from checker.traces.walk_report import GuidedReport, SimulationReport, WalkProgress
    from fizz.base.errors import FizzError


@dataclass(frozen=True, slots=True)
class Output:
    """Prints for one run of the command. Imports its printers late: they are heavy.

    `every`: all counterexamples, not only the leading one. `full`: at length.
    """

    color: bool = True
    json: bool = False
    quiet: bool = False
    every: bool = False
    full: bool = False

    def report(self, report: Report, audit: Coverage | None = None) -> None:
        """Print the report of a check, with its audit if there is one."""
        with _readers_may_leave():
            if self.json:
                self._json_report(report, audit)
                return
            from checker.report.terminal_report import print_report, print_stats, print_verdict

            if self.quiet:
                if report.stats:
                    print_stats(self._page(), report.stats)
                print_verdict(self._page(), report)
            else:
                if audit is not None:
                    from checker.report.coverage_text import print_audit

                    print_audit(self._page(), audit, report.often_new)
                print_report(self._page(), report, every=self.every, full=self.full)

    def _json_report(self, report: Report, audit: Coverage | None) -> None:
        from checker.report.json_commands import coverage_fields
        from checker.report.json_report import json_report

        print_result(json_report(report, {} if audit is None else {"audit": coverage_fields(audit)}))

    def simulation(self, report: SimulationReport) -> None:
        """Print the report of a simulation."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_commands import json_simulation

                print_result(json_simulation(report))
                return
            from checker.report.walk_text import print_simulation, print_simulation_verdict

            if self.quiet:
                print_simulation_verdict(self._page(), report)
            else:
                print_simulation(self._page(), report, full=self.full)

    def guided(self, report: GuidedReport) -> None:
        """Print the report of a guided trace."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_commands import json_guided

                print_result(json_guided(report))
                return
            from checker.report.walk_text import print_guided, print_guided_verdict

            if self.quiet:
                print_guided_verdict(self._page(), report)
            else:
                print_guided(self._page(), report, full=self.full)

    def history(self, report: HistoryReport) -> None:
        """Print the report on a concurrent history."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_history import json_history

                print_result(json_history(report))
                return
            from checker.report.history_text import print_history, print_history_verdict

            (print_history_verdict if self.quiet else print_history)(self._page(), report)

    def validation(self, report: ValidationReport) -> None:
        """Print the report on logs."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_validation import json_validation

                print_result(json_validation(report))
                return
            from checker.report.validation_text import print_validation, print_validation_verdict

            (print_validation_verdict if self.quiet else print_validation)(self._page(), report)

    def actions_explanation(self, report: ActionsReport) -> None:
        """Print the attempts of actions over an exploration."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_commands import json_actions

                print_result(json_actions(report))
                return
            from checker.report.explain_text import print_actions

            print_actions(self._page(), report)

    def state_explanation(self, report: StateReport) -> None:
        """Print the actions without a step in a state."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_commands import json_state

                print_result(json_state(report))
                return
            from checker.report.explain_text import print_state

            print_state(self._page(), report)

    def coverage(self, coverage: Coverage) -> None:
        """Print a coverage."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_commands import json_coverage

                print_result(json_coverage(coverage))
                return
            from checker.report.coverage_text import print_coverage, sums

            if self.quiet:
                print_result(sums(coverage))
            else:
                print_coverage(self._page(), coverage)

    def measured(self, measured: Measured) -> None:
        """Print quantities."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_measure import json_measured

                print_result(json_measured(measured))
                return
            from checker.report.measure_text import print_measured, print_measured_head

            (print_measured_head if self.quiet else print_measured)(self._page(), measured)

    def mutation(self, report: MutationReport) -> None:
        """Print what became of mutants."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_mutation import json_mutation

                print_result(json_mutation(report))
                return
            from checker.report.mutation_text import print_mutation, print_mutation_verdict

            if self.quiet:
                print_mutation_verdict(self._page(), report)
            else:
                print_mutation(self._page(), report, self.every)

    def promised_mutation(self, report: PromisedMutation) -> None:
        """Print what became of the mutants of a folder."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_mutation import json_promised_mutation

                print_result(json_promised_mutation(report))
                return
            from checker.report.mutation_text import print_promised_mutation, print_promised_verdict

            if self.quiet:
                print_promised_verdict(self._page(), report)
            else:
                print_promised_mutation(self._page(), report, self.every)

    def sweep(self, report: SweepReport) -> None:
        """Print the points of a sweep."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_sweep import json_sweep

                print_result(json_sweep(report))
                return
            from checker.report.sweep_text import print_sweep, print_sweep_verdict

            (print_sweep_verdict if self.quiet else print_sweep)(self._page(), report)

    def promises(
        self, results: Sequence[PromiseResult], not_run: Sequence[Promise], engine: str, code: ExitCode
    ) -> None:
        """Print the results of promises."""
        with _readers_may_leave():
            if self.json:
                from checker.report.json_promises import json_promises

                print_result(json_promises(results, not_run, engine, code))
                return
            from checker.report.promise_table import print_promises, print_promises_verdict

            (print_promises_verdict if self.quiet else print_promises)(self._page(), results, len(not_run))

    def error(self, error: FizzError, model: str, engine: str = "") -> None:
        """Print why a model could not be loaded; as JSON too, if JSON was asked for."""
        from checker.report.diagnostic_text import print_diagnostic
        from checker.report.page import Page

        page = Page(sys.stderr, color=self.color)
        with _readers_may_leave():
            for number, diagnostic in enumerate(error.diagnostics):
                if number:
                    page.line()
                print_diagnostic(page, diagnostic, error.sources, "bold red")
            if self.json:
                from checker.report.json_report import json_error

                print_result(json_error(error, model, engine))

    def annotations(self, annotations: Sequence[Annotation]) -> None:
        """Print annotations for GitHub: below the report, or to standard error if standard output has JSON."""
        from checker.cli.output_files import repository
        from checker.report.github_text import github_line

        root = repository()
        with _readers_may_leave():
            for annotation in annotations:
                (print_remark if self.json else print_result)(github_line(annotation, root))

    def annotations_of_error(self, error: FizzError) -> None:
        """Print the messages about a model that does not load as annotations."""
        from checker.report.annotations import annotations_of_error

        self.annotations(annotations_of_error(error))

    def text(self, text: str) -> None:
        """Print a plain text that may contain parts of a model."""
        with _readers_may_leave():
            print_result(text.rstrip("\n"))

    def file_text(self, text: str) -> None:
        """Print the text of a file; a pipe gets it unchanged."""
        with _readers_may_leave():
            send_text(text)

    def notice(self, sentence: str) -> None:
        """Print a message that is no part of the report."""
        # Clears a line of progress, which is drawn again below.
        print_remark(f"fizzpy: {sentence}", "\r\x1b[K" if self._watched else "")

    @contextmanager
    def progress(self) -> Iterator[Callable[[Progress], None] | None]:
        """A progress line while the block runs; None without a terminal."""
        if not self._watched:
            yield None
            return
        from checker.report.progress import ProgressLine, progress_text

        line = ProgressLine(sys.stderr)
        try:
            yield lambda progress: line.show(progress_text(progress), progress.phase)
        finally:
            line.clear()

    @contextmanager
    def walking(self) -> Iterator[Callable[[WalkProgress], None] | None]:
        """A progress line of a simulation while the block runs; None without a terminal."""
        if not self._watched:
            yield None
            return
        from checker.report.progress import ProgressLine, walking_text

        line = ProgressLine(sys.stderr)
        try:
            yield lambda progress: line.show(walking_text(progress), "walking")
        finally:
            line.clear()

    @contextmanager
    def mutating_promised(self) -> Iterator[Callable[[int, int, int], None]]:
        """A line with the numbers of mutants that were noticed and were not, and of runs to come, on a terminal."""
        if not self._watched:
            yield lambda noticed, left, runs: None
            return
        from checker.report.progress import ProgressLine, mutating_promised_text

        line = ProgressLine(sys.stderr)
        try:
            yield lambda noticed, left, runs: line.show(mutating_promised_text(noticed, left, runs), f"{noticed}")
        finally:
            line.clear()

    @contextmanager
    def mutating(self) -> Iterator[Callable[[int, int, int], None]]:
        """A line with the number of mutants that were tried while the block runs, if there is a terminal."""
        if not self._watched:
            yield lambda done, survived, total: None
            return
        from checker.report.progress import ProgressLine, mutating_text

        line = ProgressLine(sys.stderr)
        try:
            yield lambda done, survived, total: line.show(mutating_text(done, survived, total), f"{done}")
        finally:
            line.clear()

    @contextmanager
    def sweeping(self) -> Iterator[tuple[Callable[[Sequence[PointResult], int], None], Callable[[str], None]]]:
        """The table of a sweep, which fills while the block runs, if there is a terminal; and what takes messages."""
        if not self._watched:
            yield (lambda results, total: None), self.notice
            return
        from checker.report.progress import LiveLines
        from checker.report.sweep_text import SweepTable

        lines = LiveLines(sys.stderr, self.color)
        try:
            yield SweepTable(lines).show, lambda sentence: lines.say(f"fizzpy: {sentence}")
        finally:
            lines.clear()

    @contextmanager
    def counting(self, total: int) -> Iterator[Callable[[int, int], None]]:
        """A line with the number of finished runs while the block runs, if there is a terminal."""
        if not self._watched:
            yield lambda done, broken: None
            return
        from checker.report.progress import ProgressLine, counting_text

        line = ProgressLine(sys.stderr)
        try:
            yield lambda done, broken: line.show(counting_text(done, broken, total), f"{done}")
        finally:
            line.clear()

    @property
    def _watched(self) -> bool:
        terminals = sys.stderr.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        return terminals and not self.quiet

    def _page(self) -> Page:
        from checker.report.page import Page

        return Page(sys.stdout, color=self.color)


@contextmanager
def _readers_may_leave() -> Iterator[None]:
    """A reader of the output may stop early, as `head` does; the exit code still gives the verdict."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it exits, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as refusal:
        if refusal.filename is not None:
            raise
        raise output_fails(refusal) from None
