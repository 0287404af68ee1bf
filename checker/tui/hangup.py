"""Ends the viewer when its terminal goes away; there is nothing to save."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

LOOK_S = 1.0
"""Time between checks whether the terminal is still there: under `nohup` there is no signal."""

_INTERRUPTED = 130


def leave(*_: object) -> NoReturn:
    """End at once: textual would try to restore the terminal, and fail."""
    os._exit(_INTERRUPTED)


@contextmanager
def leaving_with_the_terminal() -> Iterator[None]:
    """A hangup ends the process while the block runs, unless it is ignored."""
    number = getattr(signal, "SIGHUP", None)
    if number is None or signal.getsignal(number) is signal.SIG_IGN:
        yield
        return
    before = signal.signal(number, leave)
    try:
        yield
    finally:
        signal.signal(number, before)


class Terminal:
    """The terminal that keys come from, if there is one."""

    def __init__(self) -> None:
        stdin = sys.__stdin__
        self._descriptor = stdin.fileno() if stdin is not None and stdin.isatty() else None

    @property
    def gone(self) -> bool:
        """Whether there was one that is gone."""
        if self._descriptor is None or not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return bool(poll.poll(0))
