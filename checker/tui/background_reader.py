"""Reads the model and makes its machine in a thread, while the first screen is shown."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from checker.tui.opened.opened_paths import OpenedPaths

if TYPE_CHECKING:
    from checker.tui.opened.answers import Answers

# A key should not wait long for the computing thread.
_TURN = 0.001
# The stack that the main thread has, for nested expressions; some systems give other threads less.
_STACK = 16 * 1024 * 1024


class BackgroundReader:
    """Reads in a thread, for imports can not be cut into slices. When `done`, `opened` and `answers` are set."""

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
        except Exception as problem:  # noqa: BLE001 - the screen must be closed before any problem is reported
            self.problem = problem
        finally:
            sys.setswitchinterval(turn)
