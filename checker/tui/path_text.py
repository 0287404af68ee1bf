"""A path as the viewer shows it: threads by their names, changes and movers of the steps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from rich.text import Text

from checker.core.trace import Change
from checker.core.visible import printable
from checker.report.compact_trace import BriefStep, brief_step, choice_in_brief
from checker.report.difference import differences
from checker.report.model_rows import file_names
from checker.report.step_text import change_texts, mover_text
from checker.report.thread_names import NamedThread, thread_names_of
from checker.report.thread_text import is_thread, read_thread, thread_changes
from checker.traces.changes import changes
from checker.tui.opened.opened_paths import Path


class StateLine(NamedTuple):
    """A line of a state. `owner` is the role instance of a field, else the place; a thread's place is its name."""

    owner: str
    place: str
    text: str


StateLines = tuple[StateLine, ...]


class PathText:
    """The texts of one path, computed when they are needed and cached."""

    def __init__(self, path: Path, sources: Mapping[str, str]) -> None:
        self.path = path
        self.entries = path.trace.entries
        self.thread_names = thread_names_of(path.trace)
        self.names = file_names(sources)
        self._sources = sources
        self._brief: dict[int, BriefStep] = {}
        self._moves: dict[int, Text] = {}
        self._moves_widths: list[int] | None = None
        self._called: dict[NamedThread, str] = {}
        self._lines: dict[int, StateLines] = {}
        self._parts: dict[tuple[int, str], tuple[Change, ...]] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def name(self, member: NamedThread) -> str:
        """A thread's name."""
        if member not in self._called:
            self._called[member] = self.thread_names.name(member)
        return self._called[member]

    def threads(self, index: int) -> list[str]:
        """The names of the threads after a step, by their numbers."""
        return [self.name(member) for member, _ in self.thread_names.steps[index].after]

    def mover(self, index: int) -> str:
        """What moves in a step: `Increment/2`, `Node#0.Send`, `Node#0`."""
        entry, step = self.entries[index], self.thread_names.steps[index]
        if step.mover is not None:
            return self.name(step.mover)
        return entry.actor or entry.label.partition("[")[0]

    def brief(self, index: int) -> BriefStep:
        """A step other than Init in brief, with what it changed."""
        if index not in self._brief:
            self._brief[index] = brief_step(self.path.trace, index, self.thread_names, self._sources)
        return self._brief[index]

    def moves(self, index: int) -> Text:
        """Who moves in a step, as reports in brief say it; no value is looked into."""
        if index not in self._moves:
            self._moves[index] = self._moves_text(index)
        return self._moves[index]

    def _moves_text(self, index: int) -> Text:
        if not index:
            chosen = "".join(f" {choice_in_brief(choice)}" for choice in self.entries[0].choices)
            return Text("Init").append(printable(chosen), "yellow")
        step = brief_step(self.path.trace, index, self.thread_names, self._sources, changes=False)
        return mover_text(step, self.names, str)

    def moves_width(self, most: int) -> int:
        """The columns that the longest of these takes, of those that take at most so many."""
        if self._moves_widths is None:
            self._moves_widths = sorted({self.moves(index).cell_len for index in range(len(self))})
        return self._moves_widths[max(bisect_right(self._moves_widths, most) - 1, 0)]

    def effects(self, index: int) -> Text:
        """What a step changed, on one line; nothing where the states are not known yet."""
        if not index or not self.entries[index].state:
            return Text()
        return Text(", ").join(change_texts(self.brief(index), str))

    def headline(self, index: int) -> str:
        """Who moves in a step, with its name also below a step of the same thread."""
        if not index:
            return self.moves(0).plain
        step = brief_step(self.path.trace, index, self.thread_names, self._sources, changes=False)
        return mover_text(replace(step, joined=False), self.names, str).plain

    def lines(self, index: int) -> StateLines:
        """The state after a step."""
        if index not in self._lines:
            self._lines[index] = tuple(self._state_lines(index))
        return self._lines[index]

    def _state_lines(self, index: int) -> Iterator[StateLine]:
        called = {f"thread-{number}": name for number, name in enumerate(self.threads(index))}
        for place, text in self.entries[index].state:
            if is_thread(place):
                position = read_thread(text, self.names)
                yield StateLine(called[place], called[place], position.text(whole=False) if position else text)
            else:
                yield StateLine(place.partition(".")[0] if "#" in place else place, place, text)

    def changed(self, index: int) -> list[Change]:
        """The places that a step changed, with whole values; threads by their names. Not for Init."""
        return [*changes(self._but_threads(index - 1), self._but_threads(index)), *self.thread_names.changes(index)]

    def parts(self, index: int, concerns: Callable[[Change], bool] = lambda change: True) -> Iterator[Change]:
        """The smallest parts that a step changed, of the changes that satisfy `concerns`."""
        threads = self.thread_names.changes(index)
        for change in self.changed(index):
            if concerns(change):
                yield from self._smallest(index, change, change in threads)

    def _smallest(self, index: int, change: Change, is_thread: bool) -> tuple[Change, ...]:
        known = self._parts.get((index, change.place))
        if known is None:
            found = thread_changes(change, self.names) if is_thread else differences(change)
            known = self._parts[index, change.place] = tuple(found)
        return known

    def _but_threads(self, index: int) -> list[tuple[str, str]]:
        return [line for line in self.entries[index].state if not is_thread(line[0])]

    def thread_positions(self, index: int) -> dict[tuple[str, int], list[str]]:
        """The names of the threads at each location, file and line, after a step."""
        found: dict[tuple[str, int], list[str]] = {}
        for member, text in self.thread_names.steps[index].after:
            position = read_thread(text, {})
            if position is not None:
                file, _, line = position.where.rpartition(":")
                found.setdefault((file, int(line)), []).append(self.name(member))
        return found
