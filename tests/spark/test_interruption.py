"""Interruptions while Spark starts: they are noted where nobody else looks after them, and heeded afterwards."""

from __future__ import annotations

import signal
import threading

import pytest

from checker.search.spark.interruption import interruptions


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_noted(number: signal.Signals) -> None:
    """What is under way goes on, and then is time to heed it; handlers are as before afterwards."""
    before = signal.signal(number, signal.default_int_handler)
    try:
        with interruptions() as interruption:
            interruption.heed()
            signal.raise_signal(number)
            assert interruption.asked
            with pytest.raises(KeyboardInterrupt):
                interruption.heed()
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


def test_looked_after_by_others() -> None:
    """A handler of somebody else stays in charge, and threads have nothing to do with signals."""
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        with interruptions() as interruption:
            signal.raise_signal(signal.SIGINT)
        assert (asked, interruption.asked) == ([signal.SIGINT], False)
    finally:
        signal.signal(signal.SIGINT, before)

    def start() -> None:
        with interruptions():
            asked.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert asked == [signal.SIGINT, True]
