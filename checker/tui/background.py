"""What is done while the reader reads: a model is read, a step is looked for, truth values are found out."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.tui.reading import BackgroundReader
from checker.tui.telling import PathText

if TYPE_CHECKING:
    from checker.tui.main import MainScreen

PAUSE = 0.03
_SLICE = 0.01


@dataclass(frozen=True, slots=True)
class _Looking:
    """A step that is looked for: None for each that was passed by. `selected` and `telling`: from where it began."""

    way: Iterator[int | None]
    found: Callable[[int | None], None]
    selected: int
    telling: PathText
    begun: float = field(default_factory=time.perf_counter)


class Background:
    """Work for one screen, in slices, so that no key waits for it."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.session = screen.session
        self._all_known = False
        self._reading: BackgroundReader | None = None
        self._asked: Callable[[], None] | None = None
        self._looking: _Looking | None = None

    def read(self) -> None:
        """Begin to read the model, if only what was written down is known."""
        if self.session.answers is None:
            self._reading = BackgroundReader(self.session.opened)
            self._reading.start()

    @property
    def idle(self) -> bool:
        """Is there nothing to do?"""
        return self._reading is None and self._looking is None and self._all_known

    def changed(self) -> None:
        """The reader looks at another step or path: others are the nearest now."""
        self._all_known = self.session.work(0)

    def work(self, seconds: float = _SLICE) -> None:
        """Go on for so long."""
        if self._reading is not None and self._reading.done:
            self._take_in(self._reading)
        elif self._looking is not None:
            # That it looks is to be read first.
            if time.perf_counter() > self._looking.begun + PAUSE:
                self._look_on(self._looking, seconds)
        elif not self._all_known:
            self._find_out(seconds)

    def _find_out(self, seconds: float) -> None:
        """Find out truth values and matches; what does not show them is not drawn again."""
        truth, steps = self.screen.truth, self.screen.steps
        known, marks = truth.known(), steps.marks()
        self._all_known = self.session.work(seconds)
        if truth.known() != known:
            truth.refresh()
        if steps.marks() != marks:
            steps.refresh()

    def must_wait(self, question: Callable[[], None]) -> bool:
        """Is the model still being read, which a question needs? Then it is answered when that is done."""
        if self._reading is None:
            return False
        self._asked = question
        self.screen.bottom.say("the model is being read; the answer comes when that is done")
        return True

    def _take_in(self, reading: BackgroundReader) -> None:
        """Go on with what was read, and answer what was asked meanwhile."""
        self._reading = None
        if reading.answers is None:
            assert reading.problem is not None
            self.screen.give_up(reading.problem)
            return
        self.session.complete(reading.opened, reading.answers)
        # The model stays for good; to look through it for garbage takes as long as a key may.
        gc.freeze()
        self.screen.begin()
        asked, self._asked = self._asked, None
        if asked is not None and self.screen.is_current:
            self.screen.bottom.say()
            asked()

    def look(self, way: Iterator[int | None], found: Callable[[int | None], None]) -> None:
        """Look for a step; a long way in slices, unless the reader goes elsewhere meanwhile."""
        self._looking = _Looking(way, found, self.session.selected, self.session.telling)
        self._look_on(self._looking, _SLICE)
        if self._looking is not None:
            self.screen.bottom.say("looking ...")

    def _look_on(self, looking: _Looking, seconds: float) -> None:
        deadline = time.perf_counter() + seconds
        if (looking.selected, looking.telling) != (self.session.selected, self.session.telling):
            self._looking = None
            return
        for index in looking.way:
            if index is not None:
                self._found(looking, index)
                return
            if time.perf_counter() > deadline:
                return
        self._found(looking, None)

    def _found(self, looking: _Looking, index: int | None) -> None:
        self._looking = None
        looking.found(index)
