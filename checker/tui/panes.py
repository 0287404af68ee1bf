"""The panes: steps with lanes and changes, state, source, what each property says of each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rich.text import Text
from textual.geometry import Size
from textual.message import Message

from checker.core.report import title_of
from checker.tui import lanes
from checker.tui.lines import Lines
from checker.tui.opened.property_row import PropertyRow, TruthMark
from checker.tui.source_rows import Sheet, SourceRow
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
    pieces_of,
)
from checker.tui.viewer_session import ViewerSession

_SIGNS = {lanes.CRASHES: CRASH, lanes.IDLE: FAINT, lanes.RUNS: NAME, lanes.RUNS_TWICE: NAME}
_NARROWEST_HEADLINE = 14
_EFFECTS = 26
"""The columns that are left to changes before lanes get any."""
_MOST_PROPERTIES = 6
_MOST_PROPERTIES_IN_FEW_ROWS = 2
_FEW_ROWS = 30
_MOST_CALLS = 2


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
        pieces: list[Piece] = [(">" if index == session.selected else " ", STRONG), self._cycle(index)]
        broken = session.broken(index)
        pieces.append((f"{index:{self._digits()}d}", WRONG if broken else STRONG))
        pieces += [("!", WRONG) if broken else (" ", PLAIN), self._mark(index)]
        width = self._lane_width()
        for lane in session.lanes if width else ():
            sign = lane.signs[index]
            pieces += [(sign, _SIGNS.get(sign, STRONG)), (" " * width, PLAIN)]
        return pieces + pieces_of(self._moves_and_effects(index))

    def _moves_and_effects(self, index: int) -> Text:
        """Who moves, and what changes beside it; of what is too long something of both is seen, more of the former."""
        path_text, room = self.session.path_text, max(self._text_room() - self._lanes_room(), _NARROWEST_HEADLINE)
        moves, effects = path_text.moves(index), path_text.effects(index)
        if not effects:
            return moves
        column = min(path_text.moves_width(room // 2), room // 2) + 2
        if moves.cell_len + 2 > column:
            column = min(moves.cell_len + 2, max(room - effects.cell_len, room * 3 // 4))
            moves = moves.copy()
            moves.truncate(column - 2, overflow="ellipsis")
        return moves + Text(" " * (column - moves.cell_len)) + effects

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

    def _text_room(self) -> int:
        return self.content_size.width - self._margin()

    def _lanes_room(self) -> int:
        width = self._lane_width()
        return len(self.session.lanes) * (width + 1) if width else 0

    def _lane_width(self) -> int:
        return self._lane_width_in(self.content_size.width)

    def _lane_width_in(self, width: int) -> int:
        """The width of a lane: that of the names, or of their short forms; 0 for no lanes: only one, or no room."""
        count = len(self.session.lanes)
        if count < 2:
            return 0
        room = width - self._margin()
        free = room - self.session.path_text.moves_width(room) - _EFFECTS
        widest = max(len(lane.name) for lane in self.session.lanes)
        return next((lane for lane in (widest, 2) if count * (lane + 1) <= free), 0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.count + (self._lane_width_in(width) > 0)


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
    """The source, with the executed lines, the location of each thread, and the lines that called the func."""

    def __init__(self, session: ViewerSession, id: str) -> None:
        super().__init__(session, id)
        self.sheet: Sheet = session.sheet()
        self.rows: list[SourceRow | str] = []
        """Rows of the source, and marks of threads that have no room beside theirs."""

    @property
    def count(self) -> int:
        return len(self.rows)

    def on_resize(self) -> None:
        self._has_room = True
        self.follow()

    def follow(self) -> None:
        self.sheet = self.session.sheet()
        others = ", ".join(PurePath(file).name for file in self.sheet.others)
        self.entitle(f"Source  {PurePath(self.sheet.file).name}{f'  (also {others})' if others else ''}")
        self.rows = list(self._marked())
        executed = [i for i, row in enumerate(self.rows) if isinstance(row, SourceRow) and row.executed]
        first = next((i for i, row in enumerate(self.rows) if row is self.sheet.rows[self.sheet.first]), 0)
        self.top = max(first - 1, 0)
        self.move_to(min(max(executed, default=first), first + self.room - 2))
        self.move_to(first)

    def _marked(self) -> Iterator[SourceRow | str]:
        for row in self.sheet.rows:
            yield row
            if row.threads and not self._fits(row):
                yield self._mark(row)

    def _mark(self, row: SourceRow) -> str:
        return f"◄ {', '.join(row.threads)}"

    def _fits(self, row: SourceRow) -> bool:
        return self._margin() + len(row.text) + 2 + len(self._mark(row)) <= self.content_size.width

    def _margin(self) -> int:
        return len(str(len(self.sheet.rows))) + 2

    def heads(self) -> Sequence[Sequence[Piece]]:
        called = []
        for file, number, text in self.sheet.calls[-_MOST_CALLS:]:
            name = self.session.path_text.names.get(file) or "line "
            where = f"{name}:{number}" if name != "line " else f"line {number}"
            called.append([("called at ", FAINT), (where, NAME), (" | ", FAINT), (text, PLAIN)])
        return called

    def line(self, index: int) -> Sequence[Piece]:
        row = self.rows[index]
        if isinstance(row, str):
            return [(" " * self._margin(), PLAIN), (row, WARNING)]
        style = STRONG if row.executed else PLAIN
        sign = "►" if row.executed else " "
        pieces: list[Piece] = [(sign, NEW), (f"{row.number:{self._margin() - 2}d} ", FAINT), (row.text, style)]
        return [*pieces, (f"  {self._mark(row)}", WARNING)] if row.threads and self._fits(row) else pieces


class TruthPane(Pane):
    """What each property says of each step, as a row of letters."""

    @property
    def _few_rows(self) -> bool:
        return self.screen.size.height < _FEW_ROWS

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        most = _MOST_PROPERTIES_IN_FEW_ROWS if self._few_rows else _MOST_PROPERTIES
        return min(self.count, most) + (not self._few_rows)

    @property
    def count(self) -> int:
        return len(self.session.properties)

    @property
    def prop(self) -> PropertyRow:
        """The property that the cursor is on."""
        return self.session.properties[self.cursor]

    def follow(self) -> None:
        hidden = f"; {self.count} rows" if self.count > self.room else ""
        self.entitle(f"Properties after {self.session.selected}:  T true  F false  - nothing to say{hidden}")
        self.refresh()

    def to_violated(self) -> None:
        """Put the cursor on the property that the path violates, so that its row is seen."""
        name = self.session.opened.paths[self.session.path_index].name
        self.move_to(next((i for i, prop in enumerate(self.session.properties) if prop.name == name), self.cursor))

    def heads(self) -> Sequence[Sequence[Piece]]:
        if self._few_rows:
            return ()
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
