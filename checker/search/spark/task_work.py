"""An independent task in a worker of Spark: when a sign appears it is interrupted, as one on a core is by a signal."""

from __future__ import annotations

import _thread
import pickle
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from pyspark import TaskContext

_LOOKS_EACH_S: Final = 0.2


def perform_independent(item: bytes, sign: Path | None) -> bytes:
    """Do a task, which is pickled with its work; pickled: how often it was begun before, whether it answers, and what.

    `sign`: the file that is there once tasks are to end; None: they cannot be asked to.
    """
    function, task = pickle.loads(item)
    context = TaskContext.get()
    attempt = 0 if context is None else context.attemptNumber()
    answers: list[Any] = []
    # An interruption where nothing minds it leaves no answer.
    with suppress(KeyboardInterrupt), _interrupted_by(sign):
        answers.append(function(task))
    return pickle.dumps((attempt, bool(answers), answers[0] if answers else None), pickle.HIGHEST_PROTOCOL)


@contextmanager
def _interrupted_by(sign: Path | None) -> Iterator[None]:
    """While the block runs, its thread is interrupted once there is such a file."""
    if sign is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    lock, over = threading.Lock(), threading.Event()

    def watch() -> None:
        while not over.wait(_LOOKS_EACH_S):
            if sign.exists():
                with lock:
                    if not over.is_set():
                        _interrupt(threading.main_thread())
                return

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        # From here on nothing is interrupted but by what was on its way.
        with lock:
            over.set()
        signal.signal(signal.SIGINT, before)


def _interrupt(thread: threading.Thread) -> None:
    """As by Ctrl-C, also if the thread waits for something where the system can wake it."""
    if hasattr(signal, "pthread_kill") and thread.ident is not None:
        signal.pthread_kill(thread.ident, signal.SIGINT)
    else:
        _thread.interrupt_main()
