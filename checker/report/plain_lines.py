"""Plain lines for the terminal: the only `print` of the tool. Laid out or coloured texts go through a `Page`."""

from __future__ import annotations

import sys
from contextlib import suppress

from checker.core.visible import printable


def print_result(text: str) -> None:
    """Print a result to standard output. Raises `OSError` if it can not be written."""
    print(printable(text))  # noqa: T201 - this is where it is done


def print_remark(text: str, begin: str = "") -> None:
    """Print a remark to standard error. It is dropped if the stream is closed or full.

    `begin` is sent as it is: it clears a line of progress.
    """
    with suppress(OSError):
        print(begin + printable(text), file=sys.stderr, flush=True)  # noqa: T201 - as above


def send_text(text: str) -> None:
    """Send the text of a file to standard output: as it is to a pipe or a file, made visible to a terminal."""
    if sys.stdout.isatty():
        print(printable(text), end="")  # noqa: T201 - as above
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()
