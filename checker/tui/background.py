"""Work in the background: reading the model, looking for a step, evaluating properties."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.path_text import PathText

if TYPE_CHECKING:
    from checker.tui.main_screen import MainScreen
    from checker.tui.opened.answers import Answers

# A key should not wait long for the computing thread.
_TURN = 0.001
# The stack that the main thread has, for nested expressions; some systems give other threads less.
_STACK = 16 * 1024 * 1024


class BackgroundReader:
    """Reads in a thread, for imports can not be cut into slices. When `done`, `opened` and `answers` are set.

    `again`: it was read before, so that a problem leaves what is shown as it is.
    """

    def __init__(self, read: Callable[[], OpenedPaths], again: bool) -> None:
        self.opened: OpenedPaths | None = None
        self.again = again
        self._what = read
        self.answers: Answers | None = None
        self.problem: Exception | None = None
        self._thread = threading.Thread(target=self._read, name="fizzpy-reading", daemon=True)

    def start(self) -> None:
        """Begin."""
        before = threading.stack_size(_STACK)
        self._thread.start()
        threading.stack_size(before)

    @property
    def done(self) -> bool:
        """Is everything there, or is there a problem?"""
        return self.answers is not None or self.problem is not None

    def _read(self) -> None:
        turn = sys.getswitchinterval()
        sys.setswitchinterval(_TURN)
        try:
            from checker.tui.opened.answers import Answers

            self.opened = self._what()
            assert self.opened.machine is not None
            # Imported now, so that the first question does not wait for it.
            import checker.tui.alternatives_screen  # noqa: F401

            self.answers = Answers(self.opened.machine)
        except Exception as problem:  # noqa: BLE001 - the screen must be closed before any problem is reported
            self.problem = problem
        finally:
            sys.setswitchinterval(turn)


PAUSE = 0.03
_SLICE = 0.01


@dataclass(frozen=True, slots=True)
class _Lookup:
    """A search for a step, begun at `selected` of `path_text`. `entries` gives None where there is no match."""

    entries: Iterator[int | None]
    found: Callable[[int | None], None]
    selected: int
    path_text: PathText
    begun: float = field(default_factory=time.perf_counter)


class Background:
    """Work for one screen, in time slices, so that no key waits for it."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.session = screen.session
        self._all_known = False
        self._reading: BackgroundReader | None = None
        self._question: Callable[[], None] | None = None
        self._lookup: _Lookup | None = None

    def read(self) -> None:
        """Begin to read the model, if only the saved file has been read."""
        if self.session.answers is None:
            self._reading = BackgroundReader(self.session.opened.whole, again=False)
            self._reading.start()

    def read_again(self) -> bool:
        """Begin to read again; False if that can not be, or is being done."""
        source = self.session.opened.source
        if source is None or self._reading is not None:
            return False
        self._reading = BackgroundReader(lambda: source.read().whole(), again=True)
        self._reading.start()
        return True

    @property
    def idle(self) -> bool:
        """Is there nothing to do?"""
        return self._reading is None and self._lookup is None and self._all_known

    def changed(self) -> None:
        """The reader has selected another step or path: evaluate its neighbours first."""
        self._all_known = self.session.work(0)

    def work(self, seconds: float = _SLICE) -> None:
        """Work for this time."""
        if self._reading is not None and self._reading.done:
            self._take_in(self._reading)
        elif self._lookup is not None:
            # The message is to be drawn first.
            if time.perf_counter() > self._lookup.begun + PAUSE:
                self._look_on(self._lookup, seconds)
        elif not self._all_known:
            self._find_out(seconds)

    def _find_out(self, seconds: float) -> None:
        """Evaluate properties and matches; only the panes that show them are drawn again."""
        truth, steps = self.screen.truth, self.screen.steps
        known, marks = truth.known(), steps.marks()
        self._all_known = self.session.work(seconds)
        if truth.known() != known:
            truth.refresh()
        if steps.marks() != marks:
            steps.refresh()

    def must_wait(self, question: Callable[[], None]) -> bool:
        """Is the model still being read? Then the question is answered when that is done."""
        if self._reading is None or self.session.answers is not None:
            return False
        self._question = question
        self.screen.bottom.say("the model is being read; the answer comes when that is done")
        return True

    def _take_in(self, reading: BackgroundReader) -> None:
        """Use the model that was read, and answer the question that was asked meanwhile."""
        self._reading = None
        if reading.answers is None or reading.opened is None:
            assert reading.problem is not None
            if reading.again:
                self.screen.not_read_again(reading.problem)
            else:
                self.screen.give_up(reading.problem)
            return
        if reading.again:
            self.screen.show_again(reading.opened, reading.answers)
            return
        self.session.complete(reading.opened, reading.answers)
        # The model stays in memory; collecting garbage in it would delay a key.
        gc.freeze()
        self.screen.begin()
        question, self._question = self._question, None
        if question is not None and self.screen.is_current:
            self.screen.bottom.say()
            question()

    def look(self, entries: Iterator[int | None], found: Callable[[int | None], None]) -> None:
        """Look for a step, in slices if it is far. A move of the reader ends the search."""
        self._lookup = _Lookup(entries, found, self.session.selected, self.session.path_text)
        self._look_on(self._lookup, _SLICE)
        if self._lookup is not None:
            self.screen.bottom.say("looking ...")

    def _look_on(self, lookup: _Lookup, seconds: float) -> None:
        deadline = time.perf_counter() + seconds
        if (lookup.selected, lookup.path_text) != (self.session.selected, self.session.path_text):
            self._lookup = None
            return
        for index in lookup.entries:
            if index is not None:
                self._found(lookup, index)
                return
            if time.perf_counter() > deadline:
                return
        self._found(lookup, None)

    def _found(self, lookup: _Lookup, index: int | None) -> None:
        self._lookup = None
        lookup.found(index)
