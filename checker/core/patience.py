"""`Patience`: whoever works long asks it whether to go on. Time, memory and interruptions end a run where it is safe.

Nothing is torn out of somebody's hands: who asks stands where what is complete can be told from what is not.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from checker.core.available_memory import Surveyor
from checker.core.limits import Limits, StopReason
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from checker.core.level import Unfinished

SHARE: Final = 0.85
"""The part of what the machine grants that a run may hold."""
GRACE_S: Final = 0.5
"""What is under way when a run ends, and would be lost, may take so much longer."""
INSIST_S: Final = 2.0
"""Who asks again after so many seconds is not answered: then the run is torn. Sooner than that nothing is lost."""
_LOOK_S: Final = 0.05
"""The memory is looked at once in so long."""
_REQUESTS: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_MB: Final = 2**20
_NEVER: Final = float("inf")


class Stop(BaseException):
    """The run is to end here. It is no mistake, and like an interruption nobody may take it for one.

    `unfinished`: what the level under way has brought, if it was one.
    """

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.sentence)
        self.reason = reason
        self.unfinished: Unfinished | None = None


class Patience:
    """How long a run may still go on. Its time begins when it is made.

    `asked`: whether somebody in another process has asked for the end. `now` and `surveyor` are those of this machine
    unless a test says otherwise.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        now: Callable[[], float] = time.monotonic,
        surveyor: Surveyor | None = None,
        asked: Callable[[], bool] | None = None,
    ) -> None:
        limits = limits or Limits()
        self._now = now
        self._deadline = _NEVER if limits.time_s is None else now() + limits.time_s
        self._most = None if limits.memory_mb is None else limits.memory_mb * _MB
        self._surveyor = surveyor or Surveyor()
        self._asked = asked
        self._full = False
        self._requested: float | None = None
        """When somebody first asked for the end."""
        self._spared_until = 0.0
        self._next = min(self._deadline, 0.0)
        """When to look closer: until then asking costs next to nothing."""

    def ask(self) -> None:
        """Raise `Stop` if the run is to end."""
        if self._now() >= self._next:
            self.look()

    def look(self) -> None:
        """The same, whenever somebody looked last."""
        reason = self.over
        if reason is not None:
            raise Stop(reason)

    @property
    def over(self) -> StopReason | None:
        """Why the run is to end, if it is."""
        now = self._now()
        if now < self._spared_until:
            self._next = self._spared_until
            return None
        if not self._full:
            self._full = self._measured()
        if self._asked is not None and self._asked():
            self.interrupt()
        reason = None
        if self._requested is not None:
            reason = StopReason.INTERRUPTED
        elif now >= self._deadline:
            reason = StopReason.TIMEOUT
        elif self._full:
            reason = StopReason.MEMORY
        self._next = min(now + _LOOK_S, self._deadline) if reason is None else 0.0
        return reason

    def _measured(self) -> bool:
        """Whether too much memory is held."""
        room = self._surveyor.room()
        if room is None:
            return False
        return room.held >= (SHARE * (room.held + room.left) if self._most is None else self._most)

    @contextmanager
    def spared(self, seconds: float = GRACE_S) -> Iterator[None]:
        """What is done in the block may take so long, whatever has happened."""
        before = self._spared_until
        self._spared_until = max(before, self._now() + seconds)
        try:
            yield
        finally:
            self._spared_until = before
            self._next = 0.0

    @contextmanager
    def attending(self) -> Iterator[None]:
        """While the block runs, the steps that this thread runs ask too."""
        here = threading.get_ident()
        before = _ATTENDING.get(here)
        _ATTENDING[here] = self.ask
        METER.hook = _ask_here
        try:
            yield
        finally:
            if before is None:
                del _ATTENDING[here]
            else:
                _ATTENDING[here] = before

    # --- interruptions ---------------------------------------------------------------------------------------------

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """While the block runs, an interruption waits for who asks next. One that comes much later does not wait."""
        before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for name in _REQUESTS:
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is signal.default_int_handler:
                    before[number] = signal.signal(number, self._request)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _request(self, number: int, frame: object) -> None:
        if self._requested is not None and self._now() - self._requested >= INSIST_S:
            raise KeyboardInterrupt
        self.interrupt()

    def interrupt(self) -> None:
        """The run is to end soon, for somebody asks for that."""
        if self._requested is None:
            self._requested = self._now()
        self._next = 0.0

    @property
    def interrupted(self) -> bool:
        """Whether somebody has asked for the end."""
        return self._requested is not None


_ATTENDING: dict[int, Callable[[], None]] = {}
"""Whom the steps of a thread ask, by the thread: a program may run several checks at once."""


def _ask_here() -> None:
    ask = _ATTENDING.get(threading.get_ident())
    if ask is not None:
        ask()
