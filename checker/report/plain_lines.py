"""Plain lines for the terminal: the only `print` of the tool. What is laid out or coloured goes through a `Page`."""

from __future__ import annotations

import sys
from contextlib import suppress

from checker.core.visible import printable


def print_result(text: str) -> None:
    """Print a result to standard output. Raises `OSError` if it takes no more."""
    print(printable(text))  # noqa: T201 - this is where it is done


def print_remark(text: str, begin: str = "") -> None:
    """Print a remark to standard error, if anybody hears it: it may be closed or full, and there is no further place.

    `begin` is sent as it is: what takes away a line of progress.
    """
    with suppress(OSError):
        print(begin + printable(text), file=sys.stderr, flush=True)  # noqa: T201 - as above
