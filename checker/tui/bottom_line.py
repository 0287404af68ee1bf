"""The line at the bottom: shows messages and the most used keys, and asks for a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static

from checker.core.visible import printable

HINT = "? help  ← → step  o what else  w why  / search  f filter  s save  r reload"


class BottomLine(Horizontal):
    """The line. While it asks for a text it has the focus; then the widget that asked gets it back."""

    DEFAULT_CSS = """
    BottomLine { height: 1; }
    BottomLine #says { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    BottomLine.asking #says { width: auto; }
    BottomLine Input { display: none; border: none; height: 1; padding: 0; width: 1fr; }
    BottomLine Input, BottomLine Input:focus { background: ansi_default; color: ansi_default; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "give_up", "")]

    def __init__(self) -> None:
        super().__init__()
        self._says = Static(HINT, id="says", markup=False)
        self._field = Input(compact=True, select_on_focus=False)
        self._on_change: Callable[[str], None] = lambda text: None
        self._on_end: Callable[[str], None] = lambda text: None
        self._before = ""
        self._asker: Widget | None = None

    def compose(self) -> ComposeResult:
        yield self._says
        yield self._field

    def say(self, text: str = HINT) -> None:
        """Show a message; without a text the keys."""
        # Only a question changes the layout: it is as wide as its text.
        self._says.update(printable(text, lines=False), layout=self.has_class("asking"))

    def ask(
        self, what: str, text: str, on_change: Callable[[str], None], on_end: Callable[[str], None] = lambda text: None
    ) -> None:
        """Ask for a text. `on_change` gets it after every key, `on_end` at the end; Escape restores the text before."""
        self._asker = self.screen.focused
        self._on_change, self._on_end, self._before = on_change, on_end, text
        self.add_class("asking")
        self.say(what)
        self._field.value = text
        self._field.cursor_position = len(text)
        self._field.display = True
        # At once: the next key may be there already.
        self.screen.set_focus(self._field)

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
        """The focus has moved away, by Tab or the mouse: the question is over."""
        if self._field.display:
            self._close()

    def _close(self) -> None:
        self._field.display = False
        self.remove_class("asking")
        self.say()

    def action_give_up(self) -> None:
        """Leave, and restore the text before."""
        self._leave()
        self._on_change(self._before)
