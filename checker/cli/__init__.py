"""The command `fizzpy`: reads arguments, runs, prints, exits. The only module that does the last two."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from checker.cli.outcome import run_safely
from checker.core.requests_to_end import REQUESTS


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments (without the program's name) and return its exit code."""
    with ExitStack() as stack:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                # A closed stream is no reason to fail.
                setattr(sys, name, stack.enter_context(open(os.devnull, "w", encoding="utf-8")))  # noqa: PTH123
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                # A terminal that cannot show a character of the model is no reason to fail.
                stream.reconfigure(errors="backslashreplace")
        stack.enter_context(_ends_as_interrupted())
        stack.callback(_flush)
        return run_safely(arguments)


def _flush() -> None:
    """Flush the streams. A stream that fails is redirected, or Python would fail again when it exits."""
    for stream in (sys.stdout, sys.stderr):
        if stream.closed:
            continue  # the language server has closed it
        try:
            stream.flush()
        except OSError:
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _ends_as_interrupted() -> Iterator[None]:
    """Requests to end are interruptions, as Ctrl-C is, while the block runs: what was found until then is printed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    try:
        for number in REQUESTS:
            # A signal that is ignored, as under `nohup`, stays so; Python itself makes Ctrl-C an interruption.
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, signal.default_int_handler)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
