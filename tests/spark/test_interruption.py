"""Interruptions while Spark starts: they are noted, unless there is another handler, and heeded afterwards."""

from __future__ import annotations

import signal
import threading

import pytest

from checker.search.spark.interruption import interruptions


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_noted(number: signal.Signals) -> None:
    """The block goes on and heeds the interruption when it can; afterwards the handlers are as before."""
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


def test_other_handlers_stay() -> None:
    """Another handler stays in use, and threads do not handle signals."""
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
