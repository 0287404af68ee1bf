"""The signals that ask a process to end, and what holds them back while another process is started."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

REQUESTS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those that this operating system has."""


@contextmanager
def requests_wait() -> Iterator[None]:
    """Delay requests to end while the block starts processes.

    A new process inherits the handlers of this one, and must not be asked before it has set its own; when it has, it
    calls `requests_reach`.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, REQUESTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def requests_reach() -> None:
    """Let requests to end reach this process, those among them that came since it was started."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, REQUESTS)
