"""Brings the rest of what was opened while its reader reads already: the model, and its machine."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from checker.tui.opened.paths import OpenedPaths

if TYPE_CHECKING:
    from checker.tui.opened.answers import Answers

# While the thread computes, a key should not wait long for its turn.
_TURN = 0.001
# As much room for nested expressions as the main thread has; some systems give other threads little.
_STACK = 16 * 1024 * 1024


class BackgroundReader:
    """Reads in a thread: imports can not be cut into slices. `opened` and `answers` are there when it is `done`."""

    def __init__(self, opened: OpenedPaths) -> None:
        self.opened = opened
        self.answers: Answers | None = None
        self.problem: Exception | None = None
        self._thread = threading.Thread(target=self._read, name="fizzpy-reading", daemon=True)

    def start(self) -> None:
        """Begin."""
        before = threading.stack_size(_STACK)
        self._thread.start()
        threading.stack_size(before)

    @property
    def done(self) -> bool:
        """Is everything there, or is there a problem?"""
        return self.answers is not None or self.problem is not None

    def _read(self) -> None:
        turn = sys.getswitchinterval()
        sys.setswitchinterval(_TURN)
        try:
            from checker.tui.opened.answers import Answers

            self.opened = self.opened.whole()
            assert self.opened.machine is not None
            # Imported now, so that the first question does not wait for it.
            import checker.tui.alternatives_screen  # noqa: F401

            self.answers = Answers(self.opened.machine)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the screen has to go before it is told
            self.problem = problem
        finally:
            sys.setswitchinterval(turn)
