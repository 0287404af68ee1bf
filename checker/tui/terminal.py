"""The terminal that the viewer runs in: how long to wait after an Escape, and the end when it goes away."""

from __future__ import annotations

import os
import select
import selectors
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import NoReturn

ESCAPE_DELAY_MS = 20
_LOOK_S = 0.01


class _Often(selectors.SelectSelector):
    """Returns after a short time at the latest."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(_LOOK_S if timeout is None else min(timeout, _LOOK_S))


def answer_soon() -> None:
    """Make the wait after an Escape short, unless the user has set it. To be called before textual is imported.

    Other keys send sequences that begin with an escape, so textual waits ESCDELAY milliseconds for more, 100 by
    default. A terminal sends a key in one piece, and ssh in one packet, so that 20 are enough. Textual reads the
    variable when it is imported, and checks only ten times a second whether the time is over.
    """
    os.environ.setdefault("ESCDELAY", str(ESCAPE_DELAY_MS))
    if sys.platform != "win32":
        from textual.drivers import linux_driver

        # There is no setting for it. If the driver changes, an escape only takes longer again.
        often = SimpleNamespace(SelectSelector=_Often, EVENT_READ=selectors.EVENT_READ)
        vars(linux_driver)["selectors"] = often


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
