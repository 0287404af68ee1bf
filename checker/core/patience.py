"""`Patience`: long computations ask it whether to continue. Time, memory and interruptions end a run where it is safe.

A computation asks only at points where complete results can be separated from incomplete ones.
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
from checker.core.requests_to_end import REQUESTS
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from checker.core.level import Unfinished

SHARE: Final = 0.85
"""The part of the available memory that a run may hold."""
GRACE_S: Final = 0.5
"""How much longer work may take that would be lost when a run ends."""
INSIST_S: Final = 2.0
"""A second interruption after so many seconds ends the run at once, wherever it is; an earlier one is ignored."""
_LOOK_S: Final = 0.05
"""The interval between measurements of memory."""
_MB: Final = 2**20
_NEVER: Final = float("inf")


class Stop(BaseException):
    """The run is to end here. Like `KeyboardInterrupt` it is no `Exception`, so that no handler of errors catches it.

    `unfinished`: the result so far of the current level, if there is one. `torn`: the run cannot go on from there.
    """

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.sentence)
        self.reason = reason
        self.unfinished: Unfinished | None = None
        self.torn = False


class Patience:
    """The limits of a run in time and memory, and requests to end it. Its time begins when it is made.

    `asked`: whether another process has requested the end. `now` and `surveyor` are those of this machine, except in
    tests.
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
        self._leader: Callable[[], bool] | None = None
        self._full = False
        self._requested: float | None = None
        """When the end was first requested."""
        self._grace_until = 0.0
        self._next = min(self._deadline, 0.0)
        """When to check again: until then `ask` only reads the clock."""

    def ask(self) -> None:
        """Raise `Stop` if the run is to end."""
        if self._now() >= self._next:
            self.look()

    def look(self) -> None:
        """As `ask`, but always with a full check."""
        reason = self.over
        if reason is not None:
            raise Stop(reason)

    @property
    def over(self) -> StopReason | None:
        """Why the run is to end, if it is."""
        now = self._now()
        if self._leader is not None:
            self._next = now + _LOOK_S
            return StopReason.INTERRUPTED if self._leader() else None
        if now < self._grace_until:
            self._next = self._grace_until
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

    def follow(self, leader: Callable[[], bool]) -> None:
        """From now on this process ends its work whenever another one says so: that one minds the limits."""
        self._leader, self._next = leader, 0.0

    def _measured(self) -> bool:
        """Whether too much memory is held."""
        room = self._surveyor.room()
        if room is None:
            return False
        return room.held >= (SHARE * (room.held + room.left) if self._most is None else self._most)

    @contextmanager
    def grace(self, seconds: float = GRACE_S) -> Iterator[None]:
        """The block may take so many seconds, even if the run is to end."""
        before = self._grace_until
        self._grace_until = max(before, self._now() + seconds)
        try:
            yield
        finally:
            self._grace_until = before
            self._next = 0.0

    @contextmanager
    def limiting_steps(self) -> Iterator[None]:
        """While the block runs, the steps that this thread executes ask too."""
        here = threading.get_ident()
        before = _LIMITING.get(here)
        _LIMITING[here] = self.ask
        METER.hook = _ask_here
        try:
            yield
        finally:
            if before is None:
                del _LIMITING[here]
            else:
                _LIMITING[here] = before

    # --- interruptions ---------------------------------------------------------------------------------------------

    @contextmanager
    def deferring_interrupts(self) -> Iterator[None]:
        """While the block runs, an interruption waits for the next `ask`; a second one after `INSIST_S` does not."""
        before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in REQUESTS:
                if signal.getsignal(number) is signal.default_int_handler:
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
        """Request the end of the run."""
        if self._requested is None:
            self._requested = self._now()
        self._next = 0.0

    @property
    def interrupted(self) -> bool:
        """Whether the end was requested."""
        return self._requested is not None


_LIMITING: dict[int, Callable[[], None]] = {}
"""The patience that the steps of a thread ask, by thread: a program may run several checks at once."""


def _ask_here() -> None:
    ask = _LIMITING.get(threading.get_ident())
    if ask is not None:
        ask()
