"""Makes the viewer react to the Escape key quickly.

Other keys send sequences that begin with an escape, so textual waits ESCDELAY milliseconds for more, 100 by default.
A terminal sends a key in one piece, and ssh in one packet, so that 20 are enough. Textual reads the variable when it
is imported, and checks only ten times a second whether the time is over.
"""

from __future__ import annotations

import os
import selectors
import sys
from types import SimpleNamespace

ESCAPE_DELAY_MS = 20
_LOOK_S = 0.01


class _Often(selectors.SelectSelector):
    """Returns after a short time at the latest."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(_LOOK_S if timeout is None else min(timeout, _LOOK_S))


def answer_soon() -> None:
    """Make the wait short, unless the user has set it. To be called before textual is imported."""
    os.environ.setdefault("ESCDELAY", str(ESCAPE_DELAY_MS))
    if sys.platform != "win32":
        from textual.drivers import linux_driver

        # There is no setting for it. If the driver changes, an escape only takes longer again.
        often = SimpleNamespace(SelectSelector=_Often, EVENT_READ=selectors.EVENT_READ)
        vars(linux_driver)["selectors"] = often
