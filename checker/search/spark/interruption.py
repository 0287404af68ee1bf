"""Interruptions while Spark starts: they are noted, so that none is lost and none leaves a process or files behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from checker.core.requests_to_end import REQUESTS


class Interruption:
    """Notes requests to end. Python itself would raise `KeyboardInterrupt` at once, also where nothing can clean up."""

    def __init__(self) -> None:
        self.asked = False

    def note(self, number: int, frame: object) -> None:
        """The signal handler."""
        self.asked = True

    def heed(self) -> None:
        """Raise `KeyboardInterrupt` if one was noted."""
        if self.asked:
            raise KeyboardInterrupt


@contextmanager
def interruptions() -> Iterator[Interruption]:
    """While the block runs, interruptions of this process are noted; signals with other handlers are left alone."""
    found = Interruption()
    noted: list[int] = []
    if threading.current_thread() is threading.main_thread():
        for number in REQUESTS:
            if signal.getsignal(number) is signal.default_int_handler:
                signal.signal(number, found.note)
                noted.append(number)
    try:
        yield found
    finally:
        for number in noted:
            signal.signal(number, signal.default_int_handler)
