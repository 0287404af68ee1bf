"""The screen that lists what else could happen, and lets the reader take a step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from checker.report.compact_trace import choice_in_brief
from checker.traces.guards import Disabled
from checker.tui import answer_texts
from checker.tui.lines import Lines
from checker.tui.opened.alternatives import Alternatives, Enabled
from checker.tui.screens import HELP, MOVES, TextLines, TextScreen, help_lines, plain
from checker.tui.styles import CRASH, FAINT, NAME, PLAIN, STRONG, WARNING, Piece
from checker.tui.viewer_session import ViewerSession

_CRASH_ROLE = "crash-role "
_SLICE = 0.01
_PAUSE = 0.02

Item = Enabled | Disabled | str
"""A row: a step, something that is blocked, or a heading."""


class AlternativeLines(Lines):
    """Every step that is possible; then what is blocked, as far as it is known by now."""

    def __init__(self, session: ViewerSession, alternatives: Alternatives) -> None:
        super().__init__("alternatives")
        self.session = session
        self.alternatives = alternatives
        by_hand = session.opened.by_hand and not session.selected
        self.items: list[Item] = [session.opened.paths[session.path_index].sentence] if by_hand else []
        count = len(alternatives.enabled)
        bound = f"; the check ends here: max_actions is {alternatives.bound}" if alternatives.bound is not None else ""
        self.items.append(f"Can happen here ({count}){bound}" if count else f"Nothing can happen here{bound}")
        self.items += alternatives.enabled
        if alternatives.beginnings:
            self.items += [f"Other beginnings ({len(alternatives.beginnings)})", *alternatives.beginnings]
        ahead: list[Item] = [one for one in alternatives.enabled if one.taken]
        ahead += [one for one in self.items if not isinstance(one, str)]
        self.cursor = self.items.index(ahead[0]) if ahead else 0
        self._heading = len(self.items)
        self._waiting = session.held_back(alternatives)
        self.complete = False

    def work(self, seconds: float) -> bool:
        """Look for what is blocked, for this time. True if there was something new."""
        deadline = time.perf_counter() + seconds
        before = self.count
        while time.perf_counter() < deadline and not self.complete:
            try:
                one = next(self._waiting)
            except StopIteration:
                self.complete = True
            else:
                self._add(one)
        if self.count > before:
            self.refresh()
        return self.count > before

    def _add(self, one: Disabled | None) -> None:
        if one is None:
            return
        if self.count == self._heading:
            self.items.append("")
        self.items.append(one)
        self.items[self._heading] = f"Can not happen here ({self.count - self._heading - 1})"

    @property
    def count(self) -> int:
        return len(self.items)

    @property
    def item(self) -> Item:
        """What the cursor is on."""
        return self.items[self.cursor]

    def move(self, by: int) -> None:
        """Move the cursor; headings are passed over."""
        step = 1 if by > 0 else -1
        index = max(0, min(self.cursor + by, self.count - 1))
        while 0 <= index < self.count and isinstance(self.items[index], str):
            index += step
        if 0 <= index < self.count:
            self.move_to(index)

    def line(self, index: int) -> Sequence[Piece]:
        item = self.items[index]
        match item:
            case str():
                return [(item, STRONG)]
            case Enabled(possible=possible, choices=choices):
                name = self._mover(possible.name)
                crash = possible.crashes or possible.name.startswith(_CRASH_ROLE)
                return [
                    ("→ " if item.taken else "  ", STRONG),
                    (name, NAME),
                    ("".join(f" {choice_in_brief(choice)}" for choice in choices), WARNING),
                    ("  ", PLAIN),
                    ("✗ crash" if crash else "", CRASH),
                    ("  taken by the trace" if item.taken and not possible.begins else "", FAINT),
                ]
            case Disabled(name=name):
                reason = f": {answer_texts.in_short(self.session, item)}"
                return [("  ", PLAIN), (self._mover(name), NAME), (reason, FAINT)]

    def _mover(self, name: str) -> str:
        """What moves, as in the list of steps: a thread by its name and not by its number."""
        number = name.removeprefix("thread-")
        if name.startswith("thread-") and number.isdigit():
            return self.session.path_text.threads(self.session.selected)[int(number)]
        return name.removeprefix(_CRASH_ROLE)


class AlternativesScreen(Screen[Enabled | None]):
    """What else could happen; Enter takes a step. Below: what it changes, or what blocks it."""

    DEFAULT_CSS = """
    AlternativesScreen #alternatives { height: 2fr; }
    AlternativesScreen #detail { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        ("enter", "choose", ""),
        ("escape,q,o", "leave", ""),
        ("question_mark", "help", ""),
    ]

    def __init__(self, session: ViewerSession, alternatives: Alternatives) -> None:
        super().__init__()
        self.session = session
        self.list = AlternativeLines(session, alternatives)
        self.list.entitle(f"After step {session.selected}   (Enter goes on from there, Esc goes back)")
        self.detail = TextLines(self._detail_lines, "detail")
        self.detail.can_focus = False

    def compose(self) -> ComposeResult:
        yield self.list
        yield self.detail

    def on_mount(self) -> None:
        self.set_interval(_PAUSE, self._work)

    def _work(self) -> None:
        if not self.list.complete and self.list.work(_SLICE) and isinstance(self.list.item, str):
            self.action_move(1)

    def _detail_lines(self, width: int) -> list[Sequence[Piece]]:
        item = self.list.item
        self.detail.entitle("What blocks it" if isinstance(item, Disabled) else "What it changes")
        match item:
            case Enabled():
                return plain(answer_texts.would_change(self.session, item, width))
            case Disabled():
                return plain(answer_texts.held_back(self.session, item, width))
        return []

    def action_move(self, by: int) -> None:
        self.list.move(by)
        self.detail.renew()

    def action_page(self, direction: int) -> None:
        self.action_move(direction * self.list.room)

    def action_choose(self) -> None:
        if isinstance(self.list.item, Enabled):
            self.dismiss(self.list.item)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        self.app.push_screen(TextScreen(HELP, help_lines))
