"""An escape that comes alone is answered soon.

Other keys send what begins with an escape, so that after one it is waited for more: ESCDELAY milliseconds. A terminal
sends a key in one piece, and ssh keeps it in one packet, so that a fifth of textual's hundred is enough. Textual reads
the variable, which curses knows too, when it is imported; and it looks ten times a second whether that time is over.
"""

from __future__ import annotations

import os
import selectors
import sys
from types import SimpleNamespace

ESCAPE_DELAY_MS = 20
_LOOK_S = 0.01


class _Often(selectors.SelectSelector):
    """Returns with nothing after a short time."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(_LOOK_S if timeout is None else min(timeout, _LOOK_S))


def answer_soon() -> None:
    """Make the wait short, unless the reader has set it. To be called before textual is imported."""
    os.environ.setdefault("ESCDELAY", str(ESCAPE_DELAY_MS))
    if sys.platform != "win32":
        from textual.drivers import linux_driver

        # There is no setting for it. Were the driver to read in another way, an escape would only take longer again.
        often = SimpleNamespace(SelectSelector=_Often, EVENT_READ=selectors.EVENT_READ)
        vars(linux_driver)["selectors"] = often
