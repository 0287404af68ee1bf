"""The application around the viewer's screens."""

from __future__ import annotations

import os
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from checker.tui.main_screen import MainScreen
from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.terminal import LOOK_S, Terminal, leave, leaving_with_the_terminal
from checker.tui.viewer_session import ViewerSession


def view(opened: OpenedPaths, *, color: bool = True) -> None:
    """Run the viewer until the reader quits. Raises what ended it, if it did not end normally."""
    if not color:
        os.environ["NO_COLOR"] = "1"
    viewer = Viewer(opened)
    try:
        with leaving_with_the_terminal():
            viewer.run()
    finally:
        if opened.source is not None:
            opened.source.stop()
    if viewer.mistake is not None:
        raise viewer.mistake


class Viewer(App[None]):
    """The viewer of one model, report or trace that was opened."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def __init__(self, opened: OpenedPaths) -> None:
        # The terminal's own sixteen colours can be read on its background.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.session = ViewerSession(opened)
        self.mistake: Exception | None = None
        self._terminal = Terminal()

    def on_mount(self) -> None:
        self.set_interval(LOOK_S, self._look_for_the_terminal)

    def _look_for_the_terminal(self) -> None:
        if self._terminal.gone:
            leave()

    def give_up(self, problem: Exception) -> None:
        """End; the command reports the problem."""
        self.mistake = self.mistake or problem
        self.exit()

    def get_default_screen(self) -> Screen[None]:
        return MainScreen(self.session)

    def _handle_exception(self, error: Exception) -> None:
        """An error in the viewer: end; the command reports it."""
        self.mistake = self.mistake or error
        super()._handle_exception(error)
        self._exit_renderables.clear()
