"""The files that `fizzpy check` writes besides its answer: `--save-trace`, `--itf`, `--dot`, `--html`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.cli.saving import save, save_counterexample, writable
from checker.locate import locate
from checker.problems import Problem, UsageProblem

if TYPE_CHECKING:
    from checker.audit.covering import Coverage
    from checker.report import Report
    from fizz import Module


@dataclass(frozen=True, slots=True)
class Outputs:
    """The paths that were given, and what the model was given."""

    model: str
    options: Mapping[str, str]
    constants: Mapping[str, str]
    symmetry: bool
    save_trace: str | None = None
    itf: str | None = None
    dot: str | None = None
    html: str | None = None

    def refuse(self) -> None:
        """Refuse places where no file can be, before the search. Raises `UsageProblem`."""
        paths = [path for path in (self.save_trace, self.itf, self.dot, self.html) if path is not None]
        for path in paths:
            writable(path)
        if len(set(paths)) < len(paths):
            raise UsageProblem("two outputs would go to one file", "name a file for each")

    def write(self, report: Report, audit: Coverage | None) -> None:
        """Write all of them; one that can not be written does not keep back the others. Raises `Problem`."""
        writers: tuple[tuple[str | None, Callable[[str], None]], ...] = (
            (self.save_trace, lambda path: self._write_trace(path, report)),
            (self.itf, lambda path: self._write_itf(path, report)),
            (self.dot, lambda path: self._write_dot(path, report)),
            (self.html, lambda path: self._write_html(path, report, audit)),
        )
        problems: list[Problem] = []
        for path, write in writers:
            try:
                if path is not None:
                    write(path)
            except Problem as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def _write_trace(self, path: str, report: Report) -> None:
        pairs = (tuple(self.options.items()), tuple(self.constants.items()))
        save_counterexample(path, report, self.model, options=pairs[0], constants=pairs[1])

    def _write_html(self, path: str, report: Report, audit: Coverage | None) -> None:
        from checker.view.html_report import html_report

        _save_text(path, html_report(report, audit))

    def _module(self) -> Module:
        from fizz import load

        return load(locate(self.model), options=dict(self.options), constants=dict(self.constants))

    def _write_itf(self, path: str, report: Report) -> None:
        if report.trace is None:
            print(f"fizzpy: there is no counterexample with steps; '{path}' was not written", file=sys.stderr)
            return
        from checker.show.retrace import follow
        from checker.view.itf import ItfTrace, itf_text
        from checker.walks.save_trace import why_no_run
        from interpreter import Machine, compile_module
        from interpreter.contents import contents

        machine = Machine(compile_module(self._module()))
        told = [entry for entry in report.trace.entries if not entry.fails]
        run = follow(machine, report.trace)
        if run.remark or len(run.states) < len(told):
            raise UsageProblem(
                f"'{path}' was not written: no step leads to a state that the counterexample tells of",
                why_no_run(machine),
            )
        what = report.error.diagnostic.text if report.error is not None else f"{report.leading} is violated"
        held = [contents(machine, state) for state in run.states]
        _save_text(path, itf_text(ItfTrace(report.model, what, report.trace, held)))

    def _write_dot(self, path: str, report: Report) -> None:
        from checker.state_graph import refuse_large, state_graph
        from checker.view.dot import dot_text

        # The check may have seen enough to know; it may also have stopped before.
        refuse_large(report.states)
        _save_text(path, dot_text(state_graph(self._module(), self.symmetry)))


def _save_text(path: str, text: str) -> None:
    save(path, text.encode("utf-8", errors="backslashreplace"))
