"""The four panes: steps with lanes, state, source, and what each property says of each step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from textual.geometry import Size
from textual.message import Message

from checker.core.report import title_of
from checker.tui import lanes
from checker.tui.lines import Lines
from checker.tui.opened.property_row import PropertyRow, TruthMark
from checker.tui.source_rows import Sheet
from checker.tui.state_tree import TreeRow
from checker.tui.styles import (
    CRASH,
    CYCLE,
    FAINT,
    HERE,
    MARKS,
    NAME,
    NEW,
    OLD,
    PLAIN,
    STRONG,
    WARNING,
    WRONG,
    Piece,
)
from checker.tui.viewer_session import ViewerSession

_SIGNS = {lanes.CRASHES: CRASH, lanes.IDLE: FAINT, lanes.RUNS: NAME, lanes.RUNS_TWICE: NAME}
_NARROWEST_HEADLINE = 14
_MOST_PROPERTIES = 6


class Pane(Lines):
    """A pane that shows a part of a session."""

    def __init__(self, session: ViewerSession, id: str) -> None:
        super().__init__(id)
        self.session = session
        self._has_room = False

    def on_resize(self) -> None:
        if self._has_room:
            super().on_resize()
        else:
            # Before the first size is known nothing can be centred.
            self._has_room = True
            self.follow()

    def follow(self) -> None:
        """Update from the session."""
        raise NotImplementedError


class StepsPane(Pane):
    """The steps, a line each. Its cursor is the selected step."""

    class Chosen(Message):
        """The cursor went to another step."""

    @property
    def count(self) -> int:
        return len(self.session.path_text) + len(self._end())

    def follow(self) -> None:
        session = self.session
        self.entitle(f"Steps  {session.selected} of {session.last}")
        super().move_to(session.selected)

    def marks(self) -> list[tuple[bool, bool]]:
        """For each visible step: is it known to violate a property, and to match the search?"""
        shown = range(self.top, min(self.top + self.room, len(self.session.path_text)))
        return [(self.session.broken(index), self.session.search.known(index)) for index in shown]

    def move_to(self, index: int) -> None:
        index = max(0, min(index, self.session.last))
        if self.is_attached and index != self.session.selected:
            self.session.select(index)
            self.post_message(self.Chosen())
        else:
            super().move_to(index)

    def heads(self) -> Sequence[Sequence[Piece]]:
        width = self._lane_width()
        if not width:
            return ()
        titles = [(lane.title(width).ljust(width) + " ", FAINT) for lane in self.session.lanes]
        return ([(" " * self._margin(), PLAIN), *titles],)

    def line(self, index: int) -> Sequence[Piece]:
        session = self.session
        if index > session.last:
            return [(self._end()[index - session.last - 1], CYCLE)]
        entry = session.path_text.entries[index]
        pieces: list[Piece] = [(">" if index == session.selected else " ", STRONG), self._cycle(index)]
        broken = session.broken(index)
        pieces.append((f"{index:{self._digits()}d}", WRONG if broken else STRONG))
        pieces += [("!", WRONG) if broken else (" ", PLAIN), self._mark(index)]
        headline, does = session.path_text.headline(index, bare=True), session.path_text.does(index)
        lost = CRASH if entry.crash or entry.fails else FAINT
        width = self._lane_width()
        if not width:
            return [*pieces, (f"{headline} ", PLAIN), (does, lost)]
        # The lane already shows the mover, and whether it starts, goes on or ends.
        for lane in session.lanes:
            sign = lane.signs[index]
            pieces += [(sign, _SIGNS.get(sign, STRONG)), (" " * width, PLAIN)]
        short = "fails" if entry.fails else "CRASH" if entry.crash else ""
        return [*pieces, (f"{self._without_lane(headline)} ", PLAIN), (short, lost)]

    def _without_lane(self, headline: str) -> str:
        """`Send` for `Node#0.Send`"""
        role, _, rest = headline.partition(".")
        return rest if rest and any(lane.name == role for lane in self.session.lanes) else headline

    def _mark(self, index: int) -> Piece:
        """`=` the step that is compared with, `*` a match, `+` a step that the reader took."""
        session = self.session
        if index == session.base:
            return "=", WARNING
        if session.search.known(index):
            return "*", WARNING
        return ("+", NEW) if session.own is not None and index >= session.own else (" ", PLAIN)

    def _cycle(self, index: int) -> Piece:
        start = self.session.cycle
        if start is None or index < start:
            return " ", PLAIN
        if start == self.session.last:
            return "(", CYCLE
        return ("╭" if index == start else "╰" if index == self.session.last else "│"), CYCLE

    def _end(self) -> list[str]:
        trace = self.session.path.trace
        waiting = [] if trace.waiting is None else [f"after {trace.waiting.step}: {trace.waiting.sentence}"]
        waiting += [] if trace.unmatched is None else [trace.unmatched.sentence]
        if trace.stutter:
            return [*waiting, "∞ the run stays here for ever"]
        if trace.cycle_start is not None:
            return [*waiting, f"↺ back to the state after {trace.cycle_start - 1}"]
        return waiting

    def _digits(self) -> int:
        return max(len(str(self.session.last)), 2)

    def _margin(self) -> int:
        return self._digits() + 4

    def _lane_width(self) -> int:
        """The width of a lane: that of its name if there is room, at least 2; 0 for no lanes: only one, or no room."""
        count = len(self.session.lanes)
        free = self.content_size.width - self._margin() - _NARROWEST_HEADLINE
        if count < 2 or count * 3 > free:
            return 0
        widest = max(len(lane.name) for lane in self.session.lanes)
        return min(widest, max(2, (free // 2) // count - 1))


class StatePane(Pane):
    """The state as a tree, changes marked."""

    def __init__(self, session: ViewerSession, id: str) -> None:
        super().__init__(session, id)
        self.rows: list[TreeRow] = []
        self._sought: tuple[str, str] | None = None

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def row(self) -> TreeRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def follow(self) -> None:
        session = self.session
        before = self.row
        self.rows = session.rows()
        if not self.rows and session.answers is None:
            self.rows = [TreeRow("", "", 0, " ", "known when the trace has been followed")]
        against = f", compared with {session.compared}" if session.base is not None else ""
        words = f", filter: {' '.join(session.folding.words)}" if session.folding.words else ""
        only = ", changes only" if session.folding.changed_only else ""
        headline = session.path_text.headline(session.selected)
        self.entitle(f"State after {session.selected}{against}{only}{words}: {headline}")
        places = [row.place for row in self.rows if not row.folds]
        if self.has_focus and before is not None and before.place in places:
            # The cursor stays on its place.
            self.move_to(next(i for i, row in enumerate(self.rows) if row.place == before.place and not row.folds))
        else:
            self.to_change()

    def move(self, by: int) -> None:
        self._sought = None
        super().move(by)

    @property
    def place(self) -> str | None:
        """The place under the cursor; or the part of it that was looked for, if that is folded."""
        if self.row is None:
            return None
        return self._sought[1] if self._sought is not None and self._sought[0] == self.row.place else self.row.place

    def look_for(self, place: str) -> None:
        """Put the cursor on a place, or on the smallest visible part of the state around it."""
        around = [i for i, row in enumerate(self.rows) if row.place and not row.folds and place.startswith(row.place)]
        if around:
            self.move_to(max(around, key=lambda i: len(self.rows[i].place)))
            self._sought = (self.rows[self.cursor].place, place)

    def to_change(self) -> None:
        """Show the first change, with the rows above it if they fit."""
        self.top = 0
        self.move_to(next((i for i, row in enumerate(self.rows) if row.mark != " " and not row.open), 0))

    def line(self, index: int) -> Sequence[Piece]:
        row = self.rows[index]
        indent = "  " * row.depth
        if row.folds:
            return [(f"  {indent}· {row.folds} unchanged", FAINT)]
        sign = "▾" if row.open else "▸" if row.openable else " "
        pieces: list[Piece] = [(row.mark, MARKS[row.mark]), (f"{indent}{sign}", PLAIN)]
        if row.name:
            pieces += [(row.name, NAME), (": " if row.text and not row.open else "", PLAIN)]
        if row.open:
            return pieces
        if row.old is not None:
            return [*pieces, (row.old, OLD), (" → ", PLAIN), (row.text, NEW)]
        return [*pieces, (row.text, {"+": NEW, "-": OLD}.get(row.mark, PLAIN))]


class SourcePane(Pane):
    """The source, with the executed lines and the location of each thread."""

    def __init__(self, session: ViewerSession, id: str) -> None:
        super().__init__(session, id)
        self.sheet: Sheet = session.sheet()

    @property
    def count(self) -> int:
        return len(self.sheet.rows)

    def follow(self) -> None:
        self.sheet = self.session.sheet()
        others = ", ".join(PurePath(file).name for file in self.sheet.others)
        self.entitle(f"Source  {PurePath(self.sheet.file).name}{f'  (also {others})' if others else ''}")
        last = max((i for i, row in enumerate(self.sheet.rows) if row.executed), default=self.sheet.first)
        self.top = max(self.sheet.first - 1, 0)
        self.move_to(min(last, self.sheet.first + self.room - 2))
        self.move_to(self.sheet.first)

    def line(self, index: int) -> Sequence[Piece]:
        row = self.sheet.rows[index]
        digits = len(str(len(self.sheet.rows)))
        style = STRONG if row.executed else PLAIN
        sign = "►" if row.executed else " "
        pieces: list[Piece] = [(sign, NEW), (f"{row.number:{digits}d} ", FAINT)]
        if not row.threads:
            return [*pieces, (row.text, style)]
        standing = f" ◄ {', '.join(row.threads)}"
        room = max(self.content_size.width - digits - 2 - len(standing), _NARROWEST_HEADLINE)
        return [*pieces, (row.text[:room].ljust(min(room, len(row.text) + 2)), style), (standing, WARNING)]


class TruthPane(Pane):
    """What each property says of each step, as a row of letters."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(self.count, _MOST_PROPERTIES) + 1

    @property
    def count(self) -> int:
        return len(self.session.properties)

    @property
    def prop(self) -> PropertyRow:
        """The property that the cursor is on."""
        return self.session.properties[self.cursor]

    def follow(self) -> None:
        self.entitle(f"Properties after {self.session.selected}:  T true  F false  - nothing to say")
        self.refresh()

    def heads(self) -> Sequence[Sequence[Piece]]:
        first, last = self._window()
        ruler = [" "] * (last - first)
        for index in range(first, last):
            text = str(index)
            if index % 5 == 0 and index - first + len(text) <= len(ruler):
                ruler[index - first : index - first + len(text)] = text
        return ([(" " * self._left(), PLAIN), ("".join(ruler), FAINT)],)

    def line(self, index: int) -> Sequence[Piece]:
        session = self.session
        prop = session.properties[index]
        width = self._left() - 1 - self._kind_width()
        kind = prop.kind if title_of(prop.kind) is None else ""
        pieces: list[Piece] = [
            (prop.name[:width].ljust(width) + " ", NAME),
            (kind[: self._kind_width()].ljust(self._kind_width()), FAINT),
        ]
        first, last = self._window()
        for step in range(first, last):
            truth = session.known(prop, step)
            style = WRONG if truth and prop.breaks(truth) else WARNING if truth is TruthMark.FALSE else PLAIN
            pieces.append(("?" if truth is None else truth.value, style + HERE if step == session.selected else style))
        return pieces

    def known(self) -> list[TruthMark | None]:
        """The truth values of the visible steps, as far as they are known by now."""
        window = range(*self._window())
        return [self.session.known(prop, index) for prop in self.session.properties for index in window]

    def _left(self) -> int:
        longest = max((len(prop.name) for prop in self.session.properties), default=0)
        return min(longest, max(self.content_size.width // 3, 10)) + 1 + self._kind_width()

    def _kind_width(self) -> int:
        """The width for the kinds of the properties; 0 where there is no room."""
        return 18 if self.content_size.width >= 100 else 0

    def _window(self) -> tuple[int, int]:
        """The visible steps: as many as fit, around the selected one."""
        room = max(self.content_size.width - self._left(), 1)
        first = max(0, min(self.session.selected - room // 2, len(self.session.path_text) - room))
        return first, min(first + room, len(self.session.path_text))
