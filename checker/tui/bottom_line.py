"""The line at the bottom: it answers, shows the most needed keys, and asks for a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static

from checker.core.visible import printable

HINT = "? help  ← → step  o what else  w why  / search  f filter  c change  m compare"


class BottomLine(Horizontal):
    """The line. Who asks is told of each letter, and gets the focus back."""

    DEFAULT_CSS = """
    BottomLine { height: 1; }
    BottomLine #says { width: 1fr; }
    BottomLine.asking #says { width: auto; }
    BottomLine Input { display: none; border: none; height: 1; padding: 0; width: 1fr; }
    BottomLine Input, BottomLine Input:focus { background: ansi_default; color: ansi_default; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "give_up", "")]

    def __init__(self) -> None:
        super().__init__()
        self._says = Static(HINT, id="says", markup=False)
        self._field = Input(compact=True)
        self._on_change: Callable[[str], None] = lambda text: None
        self._on_end: Callable[[str], None] = lambda text: None
        self._before = ""
        self._asker: Widget | None = None

    def compose(self) -> ComposeResult:
        yield self._says
        yield self._field

    def say(self, text: str = HINT) -> None:
        """Answer; without a text show the keys."""
        # The line has its place already: only a question is as wide as its text.
        self._says.update(printable(text, lines=False), layout=self.has_class("asking"))

    def ask(
        self, what: str, text: str, on_change: Callable[[str], None], on_end: Callable[[str], None] = lambda text: None
    ) -> None:
        """Ask for a text: `told` of every letter, `done` at the end. Escape brings back the text before."""
        self._asker = self.screen.focused
        self._on_change, self._on_end, self._before = on_change, on_end, text
        self.add_class("asking")
        self.say(what)
        self._field.value = text
        self._field.display = True
        self._field.focus()

    def _leave(self) -> None:
        self._close()
        if self._asker is not None:
            self._asker.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        if self._field.display:
            self._on_change(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._leave()
        self._on_change(event.value)
        self._on_end(event.value)

    def on_input_blurred(self) -> None:
        """The reader has gone to another pane, with Tab or the mouse: the question is over."""
        if self._field.display:
            self._close()

    def _close(self) -> None:
        self._field.display = False
        self.remove_class("asking")
        self.say()

    def action_give_up(self) -> None:
        """Leave, as if nothing had been written."""
        self._leave()
        self._on_change(self._before)
