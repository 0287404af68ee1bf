"""The state of the viewer: the selected step, comparison, search, and the path that the reader follows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checker.core.trace import Change, Trace
from checker.tui.lanes import Lane, lanes_of
from checker.tui.opened.opened_paths import OpenedPaths, Path, path_differences
from checker.tui.opened.property_row import PropertyRow, TruthMark
from checker.tui.path_text import PathText
from checker.tui.source_rows import Sheet, sheet
from checker.tui.state_tree import Folding, TreeRow, tree
from checker.tui.text_search import TextSearch

if TYPE_CHECKING:
    from checker.traces.guards import Disabled
    from checker.tui.opened.alternatives import Alternatives, Enabled
    from checker.tui.opened.answers import Answers
    from checker.tui.opened.truths import Truths


@dataclass(frozen=True, slots=True)
class _Bookmark:
    """A position of the reader, to come back to."""

    path_index: int
    path_text: PathText
    lanes: tuple[Lane, ...]
    selected: int
    own: int | None


class ViewerSession:
    """The reader's view of what was opened. Knows nothing of screens.

    `selected` is the entry looked at. `base` is the entry it is compared with, None for the one before. `own` is the
    first entry that the reader chose instead of the trace's; from there on the path is no counterexample.
    """

    def __init__(self, opened: OpenedPaths) -> None:
        self.opened = opened
        self.answers = None if opened.machine is None else _answers(opened)
        self.folding = Folding()
        self.base: int | None = None
        self.own: int | None = None
        self.path_index = 0
        self.selected = 0
        self._before: list[_Bookmark] = []
        self._reason: tuple[PathText, Trace | None] | None = None
        path = opened.paths[0].path
        self.path_text = PathText(path, self.sources)
        self.lanes = lanes_of(self.path_text)
        self.search = TextSearch(self.path_text, "")

    def complete(self, opened: OpenedPaths, answers: Answers) -> None:
        """Replace what was read from a file by the paths of the machine, and keep the reader's position."""
        at_end = self.selected == self.last
        self.opened, self.answers = opened, answers
        self._look_at(opened.paths[self.path_index].path)
        self._select_on_path(self.last if at_end else self.selected)

    def renew(self, opened: OpenedPaths, answers: Answers) -> list[str]:
        """Replace everything by what was read again, and stay near; what is different, in sentences."""
        at_end, selected = self.selected == self.last, self.selected
        found = path_differences(self.opened.paths, opened.paths)
        name = self.opened.paths[self.path_index].name
        source = self.opened.source
        self.opened, self.answers = replace(opened, source=opened.source or source), answers
        self.path_index = next((i for i, one in enumerate(opened.paths) if one.name == name), 0)
        self._before.clear()
        self.own = self.base = None
        self._look_at(opened.paths[self.path_index].path)
        self.select(self.last if at_end else selected)
        return found

    def guide(self, path: str) -> str:
        """The path as a guided trace to be written to a file. Raises `UsageProblem` if it is no run of the model."""
        from checker.traces.save_trace import machine_guide_text, replay_command

        assert self.answers is not None
        opened = self.opened.paths[self.path_index]
        what = opened.sentence if self.own is None else f"a path of its own from step {self.own} on"
        replay = replay_command(self.opened.model, self.opened.given, path)
        return machine_guide_text(self.answers.machine, self.path.trace, (what, replay))

    def state_text(self) -> str:
        """The selected state as text: a line for each place."""
        return "".join(f"{line.place} = {line.text}\n" for line in self.path_text.lines(self.selected))

    def _look_at(self, path: Path) -> None:
        self.path_text = PathText(path, self.sources)
        self.lanes = lanes_of(self.path_text)
        self.look_for(self.search.text)

    @property
    def sources(self) -> Mapping[str, str]:
        """The files of the model."""
        return self.opened.sources

    @property
    def truths(self) -> Truths:
        """Truth values of properties. There must be a machine."""
        assert self.answers is not None
        return self.answers.truths

    # --- steps -----------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        return self.path_text.path

    @property
    def last(self) -> int:
        return len(self.path_text) - 1

    @property
    def cycle(self) -> int | None:
        """The first entry of the cycle, if the path is a lasso."""
        return self.path.trace.cycle_start

    def select(self, index: int) -> None:
        """Select an entry, or the nearest one that exists."""
        self.selected = max(0, min(index, self.last))

    def next_counterexample(self) -> bool:
        """Go to the end of the counterexample of the next violated property; False if there is no other."""
        if len(self.opened.paths) < 2:
            return False
        self.path_index = (self.path_index + 1) % len(self.opened.paths)
        self._before.clear()
        self.own = self.base = None
        self._look_at(self.opened.paths[self.path_index].path)
        self.select(self.last)
        return True

    # --- the state -------------------------------------------------------------------------------------------------

    @property
    def compared(self) -> int:
        """The entry whose state the selected one is compared with: the step before, unless one was marked."""
        if self.base is not None:
            return self.base
        return max(self.selected - 1, 0)

    def mark(self) -> None:
        """Compare with the selected entry from now on, or no longer."""
        self.base = None if self.base == self.selected else self.selected

    def rows(self) -> list[TreeRow]:
        """The tree of the selected state."""
        return tree(self.path_text.lines(self.compared), self.path_text.lines(self.selected), self.folding)

    def filter(self, text: str) -> None:
        """Show only places that contain one of these words, and none of those with a minus."""
        self.folding.words = tuple(text.lower().split())

    def sheet(self) -> Sheet:
        """The source of the selected step."""
        return sheet(self.path_text, self.selected, self.sources)

    @property
    def shown(self) -> PropertyRow | None:
        """The property that the lasso violates, if the selected state is on its cycle."""
        trace, name = self.path.trace, self.opened.paths[self.path_index].name
        begin = self.last if trace.stutter else trace.cycle_start
        if self.own is not None or begin is None or self.selected < begin:
            return None
        return next((prop for prop in self.properties if prop.name == name), None)

    @property
    def reason(self) -> Trace | None:
        """The trace with why it is a counterexample; on a path of the reader's why its end is, if that is known."""
        if self._reason is None or self._reason[0] is not self.path_text:
            opened = self.opened.paths[self.path_index]
            name = opened.name if self.own is None else None
            by_hand = self.opened.by_hand and self.own is None
            found = None if by_hand else _reason(self.path, name, self.answers)
            if found is None and self.answers is None:
                return None
            self._reason = (self.path_text, found)
        return self._reason[1]

    # --- finding steps ---------------------------------------------------------------------------------------------

    def touching(self, place: str, direction: int = 1) -> Iterator[int | None]:
        """The entries after the selected one (-1: before it) that change a place or a part of it; None for others."""

        def concerns(change: Change) -> bool:
            return _touches(change, place)

        for index in self._others(direction):
            touches = index > 0 and any(_touches(part, place) for part in self.path_text.parts(index, concerns))
            yield index if touches else None

    def truth_changes(self, prop: PropertyRow, direction: int = 1) -> Iterator[int | None]:
        """The entries after the selected one (-1: before it) with another truth value; None for others."""
        now = self.truths.truth(prop, self.path, self.selected)
        for index in self._others(direction):
            yield index if self.truths.truth(prop, self.path, index) is not now else None

    def look_for(self, text: str) -> None:
        """Search for a text in the movers and changes of entries."""
        self.search = TextSearch(self.path_text, text)

    def _others(self, direction: int) -> Iterator[int]:
        end = len(self.path_text) if direction > 0 else -1
        yield from range(self.selected + direction, end, direction)

    # --- what else could happen ------------------------------------------------------------------------------------

    def alternatives(self) -> Alternatives | None:
        """What could happen after the selected entry; None where the machine could not follow the trace."""
        return None if self.answers is None else self.answers.finder.look(self.path, self.selected)

    def held_back(self, alternatives: Alternatives) -> Iterator[Disabled | None]:
        """What can not happen there, one at a time; None for what can."""
        assert self.answers is not None
        return self.answers.finder.held_back(alternatives)

    def path_with(self, one: Enabled) -> PathText:
        """The path that ends with a step that could be taken."""
        return PathText(self._extended(one), self.sources)

    def _extended(self, one: Enabled) -> Path:
        assert self.answers is not None
        return self.answers.path(self.path, self.selected, one)

    def go(self, one: Enabled) -> None:
        """Take a step from the selected entry: the one of the path, or another one."""
        if one.possible.begins:
            self._leave(self._extended(one), 0, 0)
        elif one.taken:
            self.select(self.selected + 1)
        else:
            here = self.selected
            own = here + 1 if self.own is None else min(self.own, here + 1)
            self._leave(self._extended(one), here + 1, own)

    def _leave(self, path: Path, selected: int, own: int) -> None:
        self._before.append(_Bookmark(self.path_index, self.path_text, self.lanes, self.selected, self.own))
        self._look_at(path)
        self.own = own
        self._select_on_path(selected)

    def _select_on_path(self, selected: int) -> None:
        """Select an entry of another path; without a comparison if the path has no such entry."""
        self.select(selected)
        if self.base is not None and self.base > self.last:
            self.base = None

    def come_back(self) -> bool:
        """Go back to where the path was left; False if it was not."""
        if not self._before:
            return False
        bookmark = self._before.pop()
        self.path_index, self.path_text, self.lanes, self.own = (
            bookmark.path_index,
            bookmark.path_text,
            bookmark.lanes,
            bookmark.own,
        )
        self.look_for(self.search.text)
        self._select_on_path(bookmark.selected)
        return True

    # --- truth -----------------------------------------------------------------------------------------------------

    @property
    def properties(self) -> tuple[PropertyRow, ...]:
        """The properties."""
        return self.opened.properties

    def known(self, prop: PropertyRow, index: int) -> TruthMark | None:
        """The truth value of a property at an entry, if it is known by now."""
        return None if self.answers is None else self.answers.truths.known(prop, self.path, index)

    def broken(self, index: int) -> bool:
        """Is it known by now that an entry violates a property by itself?"""
        return any(prop.breaks(self.known(prop, index)) for prop in self.properties)

    def work(self, seconds: float) -> bool:
        """Evaluate matches of the search and properties for this time, the nearest entries first.

        Returns True when all is known.
        """
        deadline = time.perf_counter() + seconds
        near = sorted(range(len(self.path_text)), key=lambda index: abs(index - self.selected))
        if not self.search.complete:
            for index in near:
                if time.perf_counter() > deadline:
                    return False
                self.search.matches(index)
        return self.answers is None or self.truths.fill(self.path, near, deadline)


def _reason(path: Path, name: str | None, answers: Answers | None) -> Trace | None:
    """The trace with its reason: as it was found, or as a machine gives it."""
    trace = path.trace
    known = trace.why is not None or trace.stuck is not None or trace.unmatched is not None
    if known or trace.entries[-1].fails or answers is None:
        return trace if known or trace.entries[-1].fails or trace.fairness else None
    return answers.explained(path, name)


def _answers(opened: OpenedPaths) -> Answers:
    from checker.tui.opened.answers import Answers

    assert opened.machine is not None
    return Answers(opened.machine)


def _touches(change: Change, place: str) -> bool:
    """Does a change touch a place: the place itself, a part of it, or a part of the state around it?"""
    return _within(change.place, place) or _within(place, change.place)


def _within(inner: str, outer: str) -> bool:
    return inner == outer or (inner.startswith(outer) and inner[len(outer)] in ".[{")
