"""`TerminalApp`: what all viewers have in common. They end with the terminal, and with an error."""

from __future__ import annotations

import os
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from checker.tui.terminal import LOOK_S, Terminal, leave, leaving_with_the_terminal


class TerminalApp(App[None]):
    """A viewer; a class of it says which screen it has. `mistake`: what ended it, if it did not end normally."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def __init__(self, *, color: bool) -> None:
        if not color:
            # The application asks for it when it is made.
            os.environ["NO_COLOR"] = "1"
        # The terminal's own sixteen colours can be read on its background.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.mistake: Exception | None = None
        self._terminal = Terminal()

    def on_mount(self) -> None:
        self.set_interval(LOOK_S, self._look_for_the_terminal)

    def _look_for_the_terminal(self) -> None:
        if self._terminal.gone:
            leave()

    def _handle_exception(self, error: Exception) -> None:
        """An error in the viewer: end; the command reports it."""
        self.mistake = self.mistake or error
        super()._handle_exception(error)
        self._exit_renderables.clear()

    def show(self) -> None:
        """Run until the reader quits. Raises what ended it, if it did not end normally."""
        with leaving_with_the_terminal():
            self.run()
        if self.mistake is not None:
            raise self.mistake
