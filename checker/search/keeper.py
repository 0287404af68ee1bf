"""`Keeper`: writes checkpoints while a search goes on, and lets a search go on from one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never, cast

from checker.core.exploration import Settings
from checker.core.level import Level
from checker.core.limits import UNTIMELY, StopReason
from checker.core.patience import Stop
from checker.core.problems import FULL_DISK, EnvironmentProblem, UsageProblem, full_disk
from checker.search.checkpoints.moved_files import moved
from checker.search.contract.bounds import reason_to_end
from checker.search.driver import DriverState
from checker.search.registry import lasting_instead_of
from checker.storage.checkpoint.folder import Folder, demand_checkpoint, level_file, refuse_inputs
from checker.storage.checkpoint.identity import Identity
from checker.storage.user_paths import is_address
from fizz.base.data import deflate, demand, inflate, pack, unpack
from interpreter import Program

if TYPE_CHECKING:
    from checker.search.checkpoints.lasting_run import LastingRun
    from checker.search.driver import SearchDriver

Say = Callable[[str], None]
"""Takes a sentence for the user that is no part of the answer."""

_REST: Final = 10
"""The least time until the next checkpoint, as a multiple of the time that one took."""


class Keeper:
    """The checkpoints of one search, some seconds or more apart, and the one that it resumes from, if any."""

    def __init__(self, folder: Folder, settings: Settings, engine: str, say: Say) -> None:
        self.folder = folder
        self.named = folder.place
        """The folder that the user names."""
        self.settings = settings
        self.engine = engine
        self.say = say
        self._saved = -1
        self._last = time.monotonic()
        self._cost_s = 0.0

    @contextmanager
    def unreduced(self) -> Iterator[Keeper]:
        """The keeper of the same exploration again, without symmetry: in a folder within, where it may have begun."""
        identity = {**self.folder.identity, "--no-symmetry": "for liveness"}
        folder = self.folder.inside(identity)
        path = folder.place
        with closing(folder):
            resume = path if folder.in_use else None
            settings = replace(self.settings, checkpoint=None if resume else path, resume=resume)
            second = Keeper(folder, settings, self.engine, self.say)
            second.named = self.named
            yield second

    def resumed(self, driver: SearchDriver) -> bool:
        """Restore a search that has not begun from the latest checkpoint; False if it is not to resume."""
        if self.settings.resume is None:
            self.folder.begin()
            return False
        try:
            manifest, troubles = self.folder.latest()
        except EnvironmentProblem as problem:
            if self.named == self.folder.place:
                raise
            # The first exploration has its checkpoint: this one can begin again.
            self.say(f"{problem.text}; exploring without symmetry from the beginning")
            self.folder.clear()
            return False
        if self.named == self.folder.place and self.folder.open_to_others:
            self.say(f"others may write to {self.folder.place}: changing a checkpoint changes the answer")
        for trouble in troubles:
            self.say(f"{trouble}; going on from the checkpoint of level {manifest.level}")
        if manifest.engine not in (None, self.engine):
            raise UsageProblem(
                f"only the engine '{manifest.engine}' goes on from the checkpoint in {self.folder.place}",
                f"resume with --engine {manifest.engine}",
            )
        state = self._driver(manifest.level, driver)
        self._refuse_beyond(state)
        driver.restore(state)
        self._saved = manifest.level
        run = cast("LastingRun", driver.run)
        # The counts are those of the checkpoint from here on, also if the rest is not waited for.
        self.folder.store.ask = driver.patience.ask
        run.restore(self.folder.store, manifest.level)
        with self.folder.store.reading(level_file(manifest.level)):
            demand(run.found == state.total.states, "as many states as were counted")
        return True

    def _refuse_beyond(self, state: DriverState) -> None:
        """Raise `UsageProblem` for a checkpoint that this run would not have made."""
        if not state.reached:
            return
        limits, there, total, last = self.settings.limits, self.folder.place, state.total, state.last
        # Would this run have ended after the level before? States waited then.
        before = Level(
            states=total.states - last.states,
            transitions=total.transitions - last.transitions,
            crash_steps=total.crash_steps - last.crash_steps,
            frontier=1,
        )
        reason = reason_to_end(before, state.reached - 1, limits, violated=False)
        match reason:
            case None:
                return
            case StopReason.MAX_STATES:
                raise UsageProblem(
                    f"the checkpoint in {there} is beyond --max-states {limits.states:,}", "allow more states"
                )
            case StopReason.MAX_DEPTH:
                raise UsageProblem(
                    f"the checkpoint in {there} is beyond --max-depth {limits.depth:,}", "allow more levels"
                )
            case StopReason.COMPLETE | StopReason.VIOLATION | StopReason.MAX_ACTIONS:
                raise AssertionError(f"a level with states that wait is not the last one: {reason}")
            case StopReason.TIMEOUT | StopReason.MEMORY | StopReason.INTERRUPTED:
                raise AssertionError(f"not decided between levels: {reason}")
            case _:
                assert_never(reason)

    def _driver(self, level: int, driver: SearchDriver) -> DriverState:
        """The driver that was saved after a level."""
        name = level_file(level)
        data = self.folder.store.read(name, 0)
        with self.folder.store.reading(name):
            state: DriverState = unpack(DriverState, inflate(data))
            _demand_sound(state, driver.program, level)
        return moved(state, driver.program.files)

    def level_done(self, driver: SearchDriver) -> None:
        """A level is complete: save it if it is time to."""
        if cast("LastingRun", driver.run).eager or self._due:
            self.save(driver)

    @property
    def _due(self) -> bool:
        """Is it time for a checkpoint? A large one waits until it is a small part of what the run takes."""
        every_s = self.settings.checkpoint_every_s
        return time.monotonic() - self._last >= (max(every_s, _REST * self._cost_s) if every_s else 0.0)

    def ended(self, driver: SearchDriver) -> None:
        """The search has ended: save the last level that is complete, if that is quick, unless the run is torn."""
        if not driver.torn:
            with suppress(Stop, KeyboardInterrupt):
                self.save(driver)
        if driver.patience.over is StopReason.INTERRUPTED:
            # The interruption came during the last level: end here, as what follows may take long.
            driver.stopped = StopReason.INTERRUPTED
        if driver.stopped in UNTIMELY and self._saved >= 0:
            part = "" if self.named == self.folder.place else " of the exploration without symmetry"
            self.say(f"level {self._saved}{part} is saved; go on from there with --resume {self.named}")

    def save(self, driver: SearchDriver) -> None:
        """Make a checkpoint of the latest level that is complete, unless there is one.

        Raises `Stop` if the run is to end and the checkpoint is not finished soon: then the one before it is the last.
        """
        if driver.reached == self._saved:
            return
        run = cast("LastingRun", driver.run)
        begun = time.monotonic()
        self.folder.store.ask = driver.patience.ask
        try:
            with driver.patience.grace():
                self._write(driver, run)
        except OSError as failure:
            raise self._unwritten(failure) from failure
        self._saved = driver.reached
        self._last = time.monotonic()
        self._cost_s = self._last - begun

    def _write(self, driver: SearchDriver, run: LastingRun) -> None:
        saved = run.save(self.folder.store, driver.reached)
        parts = (deflate(pack(DriverState, driver.saved())), *saved.parts)
        self.folder.commit(driver.reached, saved.engine, parts, saved.files)

    def _unwritten(self, failure: OSError) -> EnvironmentProblem:
        text = f"the checkpoint in {self.folder.place} cannot be written: {failure.strerror}"
        return self._stopped(text, "make room" if failure.errno in FULL_DISK else "check the disk")

    def _stopped(self, text: str, remedy: str) -> EnvironmentProblem:
        if self._saved < 0:
            return EnvironmentProblem(text, remedy)
        return EnvironmentProblem(
            f"{text}. The checkpoint of level {self._saved} is whole",
            f"{remedy}, then go on with --resume {self.named}",
        )

    def without_room(self, failure: OSError) -> EnvironmentProblem:
        """The problem if there is no room for something else than a checkpoint, as an export."""
        return self._stopped(full_disk(failure), "make room there")


@contextmanager
def keeper_of(
    settings: Settings, engine: str, identity: Identity, say: Say, read: Iterable[str] = ()
) -> Iterator[Keeper]:
    """The keeper that the settings ask for. Raises `Problem` if that cannot be.

    `read` are the files of the model, which no checkpoint may replace.
    """
    place = settings.resume or settings.checkpoint
    assert place is not None
    if (instead := lasting_instead_of(engine)) is not None:
        raise UsageProblem(f"the {engine} engine writes no checkpoints", instead)
    if settings.resume and settings.checkpoint and not _is_same(settings.checkpoint, place):
        raise UsageProblem("--resume goes on writing to its own folder", "leave out --checkpoint")
    if is_address(place):
        from checker.storage.checkpoint.object_folder import ObjectFolder

        folder: Folder = ObjectFolder.at(place, identity, must_be=settings.resume is not None)
    else:
        refuse_inputs(place, read)
        if settings.resume is not None:
            demand_checkpoint(place)
        folder = Folder.open(place, identity)
    keeper = Keeper(folder, settings, engine, say)
    try:
        yield keeper
    except OSError as failure:
        if failure.errno in FULL_DISK:
            raise keeper.without_room(failure) from failure
        raise
    finally:
        with suppress(OSError):
            folder.close()


def _is_same(one: str, other: str) -> bool:
    """Are these the same folder, or the same address?"""
    if is_address(one) or is_address(other):
        return one.rstrip("/") == other.rstrip("/")
    return Path(one).absolute() == Path(other).absolute()


def _demand_sound(state: DriverState, program: Program, level: int) -> None:
    """Raise `NotData` unless the numbers in a saved driver go together, and with the program and the level."""
    total, last = state.total, state.last
    demand(state.reached == level and 0 <= state.depth <= level, "the level of the checkpoint")
    demand(total.sound and last.sound and 0 <= state.initial <= total.states, "counts")
    demand(last.states <= total.states and last.cut <= total.cut, "counts of a last level among all")
    demand(total.frontier == last.frontier <= last.states, "the states that wait among the last ones")
    acted = {*total.acted, *(routine for routine, _ in total.aborted)}
    demand(all(0 <= routine < len(program.routines) for routine in acted), "the routines of the model")
    demand(min(total.aborted.values(), default=0) >= 0, "counts of what was aborted")
    demand(len(state.files) == len(program.files), "the files of the model")
