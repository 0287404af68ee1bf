"""Checks a model again while the viewer runs: by the command, in a process that can be ended."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.tui.opened.opened_paths import OpenedPaths

_HOME = Path(__file__).resolve().parents[3]
_RUN = "import runpy, sys; sys.path.insert(0, {home!r}); runpy.run_module('fizzpy_command', run_name='__main__')"
_PATIENCE_S = 5.0


class CheckAgain:
    """One check at a time. `words`: the arguments of `fizzpy check`, without `--json`."""

    def __init__(self, model: str, given: Given, words: Sequence[str]) -> None:
        self.model, self.given, self.words = model, given, tuple(words)
        self._process: subprocess.Popen[bytes] | None = None

    def read(self) -> OpenedPaths:
        """The counterexamples of the model as it is now, or the initial state. Raises `Problem`, `FizzError`."""
        run = _RUN.format(home=str(_HOME))
        command = [sys.executable, "-c", run, "check", self.model, *self.words, "--json"]
        # The terminal is the viewer's.
        nothing = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing) as self._process:
            text, _ = self._process.communicate()
        with tempfile.TemporaryDirectory(prefix="fizzpy-show-") as folder:
            path = Path(folder) / "report.json"
            path.write_bytes(text)
            return open_or_walk(str(path), self.given, self.model).whole()

    def stop(self) -> None:
        """End a check that runs."""
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


def open_or_walk(path: str, given: Given, model: str | None = None) -> OpenedPaths:
    """A report as `open_report` opens it; one without a counterexample becomes the initial state.

    Raises `Problem` and `FizzError`, also for a report that says that the model is wrong.
    """
    from checker.tui.opened.opening_files import load_given, open_report
    from checker.tui.opened.saved_files import report_fields

    fields = report_fields(path)
    if any(one.get("trace") for one in [fields, *fields["properties"]]):
        return open_report(path, given, model)
    model = model or fields["model"]
    error = fields.get("error")
    if not model:
        raise UsageProblem(_error(error) if error else "there was no check", None)
    from checker.tui.opened.opening import opened_by_hand

    own = Given(fields.get("constants") or {}, fields.get("options") or {})
    # What does not load raises the error with its place.
    module = load_given(model, given.over(own))
    if error is not None:
        raise UsageProblem(_error(error), error.get("hint"))
    sentence = "every property holds" if fields["verdict"] == "passed" else f"nothing found, {fields['verdict']}"
    opened = opened_by_hand(module, f"{sentence}; {fields['states']:,} states")
    if opened is None:
        raise UsageProblem("the model has no initial state", "`fizzpy check` tells why")
    return replace(opened, given=given.over(own))


def _error(error: Mapping[str, Any]) -> str:
    place = [str(part) for part in (error.get("file"), error.get("line")) if part is not None]
    return ": ".join([":".join(place), error["text"]] if place else [error["text"]])
