"""The command `fizzpy`: reads arguments, runs, prints, exits. The only place that does the last two."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from checker.cli.outcome import run_safely


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments (without the program's name) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character of the model is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    return run_safely(arguments)
