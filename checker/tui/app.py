"""The application around the viewer's screens."""

from __future__ import annotations

from textual.screen import Screen

from checker.tui.main_screen import MainScreen
from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.terminal_app import TerminalApp
from checker.tui.viewer_session import ViewerSession


def view(opened: OpenedPaths, *, color: bool = True) -> None:
    """Run the viewer until the reader quits. Raises what ended it, if it did not end normally."""
    try:
        Viewer(opened, color=color).show()
    finally:
        if opened.source is not None:
            opened.source.stop()


class Viewer(TerminalApp):
    """The viewer of one model, report or trace that was opened."""

    def __init__(self, opened: OpenedPaths, *, color: bool = True) -> None:
        super().__init__(color=color)
        self.session = ViewerSession(opened)

    def give_up(self, problem: Exception) -> None:
        """End; the command reports the problem."""
        self.mistake = self.mistake or problem
        self.exit()

    def get_default_screen(self) -> Screen[None]:
        return MainScreen(self.session)
