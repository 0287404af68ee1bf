"""A list of findings above the details of the selected one: for rejected logs, and histories without an order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from checker.tui.lines import Lines
from checker.tui.screens import MOVES, TextLines, TextScreen
from checker.tui.styles import HERE, NAME, PLAIN, STRONG, Piece
from checker.tui.terminal_app import TerminalApp

_KEYS = (
    ("↓ j  ↑ k", "the next row, the previous row"),
    ("PgDn PgUp", "a page"),
    ("Home End", "the first row, the last row"),
    ("n N", "the next row that does not fit, the previous one"),
    ("+ -", "scroll the details"),
    ("?", "this help"),
    ("q", "quit"),
)


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A row: what it shows, at a width, while the row of a number is selected; `detail`: lines, None for a heading.

    `wrong`: it is one of those that do not fit.
    """

    draw: Callable[[int, int], Sequence[Piece]]
    detail: Sequence[Sequence[Piece]] | None = None
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class FindingList:
    """What is shown: a title, rows, and the number of the row that is selected first."""

    title: str
    rows: Sequence[FindingRow]
    selected: int
    details: str


def fixed(*pieces: Piece) -> Callable[[int, int], Sequence[Piece]]:
    """A row that looks the same at any width."""
    return lambda width, selected: pieces


def heading(text: str) -> FindingRow:
    """A row that is passed over."""
    return FindingRow(fixed((text, STRONG)))


class _Rows(Lines):
    def __init__(self, found: FindingList) -> None:
        super().__init__("findings")
        self.found = found
        self.cursor = found.selected
        self.entitle(found.title)

    @property
    def count(self) -> int:
        return len(self.found.rows)

    def line(self, index: int) -> Sequence[Piece]:
        return self.found.rows[index].draw(self.content_size.width, self.cursor)

    @property
    def cursor_style(self) -> Style:
        return HERE

    def move(self, by: int) -> None:
        """Move the cursor; headings are passed over."""
        self.step(max(0, min(self.cursor + by, self.count - 1)), 1 if by > 0 else -1)

    def step(self, index: int, by: int, wrong: bool = False) -> None:
        """Go to the first row from an index on that has details; `wrong`: that does not fit."""
        rows = self.found.rows
        while 0 <= index < self.count and (rows[index].detail is None or (wrong and not rows[index].wrong)):
            index += by
        if 0 <= index < self.count:
            self.move_to(index)


class FindingScreen(Screen[None]):
    """The screen; `q` quits."""

    DEFAULT_CSS = """
    FindingScreen #findings { height: 3fr; }
    FindingScreen #detail { height: 2fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        ("home", "move(-1000000)", ""),
        ("end", "move(1000000)", ""),
        ("n", "wrong(1)", ""),
        ("N", "wrong(-1)", ""),
        ("plus", "scroll_detail(1)", ""),
        ("minus", "scroll_detail(-1)", ""),
        ("question_mark", "help", ""),
        ("q,escape", "app.quit", ""),
    ]

    def __init__(self, found: FindingList) -> None:
        super().__init__()
        self.rows = _Rows(found)
        self.detail = TextLines(self._detail, "detail")
        self.detail.can_focus = False
        self.detail.entitle(f"{found.details}   (? lists the keys)")

    def compose(self) -> ComposeResult:
        yield self.rows
        yield self.detail

    def _detail(self, width: int) -> list[Sequence[Piece]]:
        detail = self.rows.found.rows[self.rows.cursor].detail if self.rows.count else None
        return [part for line in detail or () for part in _wrapped(line, width)]

    def action_move(self, by: int) -> None:
        self.rows.move(by)
        self.detail.renew()

    def action_page(self, direction: int) -> None:
        self.action_move(direction * self.rows.room)

    def action_wrong(self, direction: int) -> None:
        self.rows.step(self.rows.cursor + direction, direction, wrong=True)
        self.detail.renew()

    def action_scroll_detail(self, by: int) -> None:
        self.detail.move(by)

    def action_help(self) -> None:
        lines: list[Sequence[Piece]] = [[(f"  {keys:<11s}", NAME), (text, PLAIN)] for keys, text in _KEYS]
        self.app.push_screen(TextScreen("Keys", lambda width: lines))


def _wrapped(line: Sequence[Piece], width: int) -> list[Sequence[Piece]]:
    """A line of details in rows of a width; what goes on is indented."""
    rows: list[list[Piece]] = [[]]
    room = width
    for text, style in line:
        rest = text
        while len(rest) > room > 0:
            rows[-1].append((rest[:room], style))
            rest = rest[room:]
            rows.append([("    ", PLAIN)])
            room = max(width - 4, 1)
        rows[-1].append((rest, style))
        room -= len(rest)
    return [tuple(row) for row in rows]


class FindingViewer(TerminalApp):
    """The viewer of one list."""

    def __init__(self, found: FindingList, *, color: bool = True) -> None:
        super().__init__(color=color)
        self._found = found

    def get_default_screen(self) -> Screen[None]:
        return FindingScreen(self._found)


def view_findings(found: FindingList, *, color: bool = True) -> None:
    """Run the viewer until the reader quits. Raises what ended it, if it did not end normally."""
    FindingViewer(found, color=color).show()
