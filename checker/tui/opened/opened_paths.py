"""The paths that the viewer shows. They need no model, so that they can be shown before it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.core.trace import Trace
from checker.tui.opened.property_row import PropertyRow

if TYPE_CHECKING:
    from interpreter import Machine, State


@dataclass(frozen=True, slots=True)
class Path:
    """A trace, and the states of a machine after its entries.

    There are fewer states than entries if the last step fails, or if the machine could not follow the trace or has not
    done so yet (see `follow`). `remark`: says if the path is not an exact run of the model.
    """

    trace: Trace
    states: tuple[State, ...] = ()
    remark: str = ""

    def state(self, index: int) -> State | None:
        """The state after an entry, if it is known."""
        return self.states[index] if index < len(self.states) else None


@dataclass(frozen=True, slots=True)
class OpenedPath:
    """A path and a sentence about it. `name`: of the property that it violates, if there is one."""

    sentence: str
    path: Path
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """How what was opened is read again.

    `files`: whose changes matter; empty for those of the model. `read` may take long, and is called in a thread of its
    own; it raises what opening raises. `stop` ends it from outside. `at_once`: whenever a file has changed, without a
    key.
    """

    files: tuple[str, ...]
    read: Callable[[], OpenedPaths]
    stop: Callable[[], None] = lambda: None
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class OpenedPaths:
    """What the viewer opens: at least one path. `by_hand`: it is the initial state only, to walk from.

    `model` is the path of the model, `sources` has its files. Without a `machine` it is what a file says, which can be
    shown at once; `rest` then reads the model, replays the steps and returns the complete result. `given`: the
    constants and options of the model. `source`: how all of it is read again.
    """

    model: str
    sources: Mapping[str, str]
    properties: tuple[PropertyRow, ...]
    paths: tuple[OpenedPath, ...]
    machine: Machine | None = None
    by_hand: bool = False
    rest: Callable[[], OpenedPaths] | None = None
    given: Given = field(default_factory=Given)
    source: ReadAgain | None = None

    def whole(self) -> OpenedPaths:
        """The same with a machine and states. Raises `Problem`, `FizzError` and `UnopenedError`."""
        return self if self.rest is None else replace(self.rest(), given=self.given, source=self.source)

    def only(self, names: Sequence[str]) -> OpenedPaths:
        """Only the paths of these properties; without names all. Raises `UsageProblem` if there is none."""
        found = tuple(opened for opened in self.paths if not names or opened.name in names)
        if not found:
            names_found = ", ".join(opened.name for opened in self.paths if opened.name)
            raise UsageProblem(
                f"there is no counterexample of {', '.join(names)}",
                f"there is one of {names_found}" if names_found else "leave out --property",
            )
        return replace(self, paths=found, rest=None if self.rest is None else lambda: self.whole().only(names))


def path_differences(before: Sequence[OpenedPath], after: Sequence[OpenedPath]) -> list[str]:
    """What is different after reading again, a sentence for each violated property."""
    old = {one.name: one for one in before if one.name is not None}
    found = []
    for one in after:
        if one.name is None:
            found.append(one.sentence)
            continue
        earlier = old.pop(one.name, None)
        if earlier is None:
            found.append(one.sentence)
        elif _labels(earlier) == _labels(one):
            found.append(f"{one.name}: the same steps")
        else:
            steps, was = one.path.trace.steps, earlier.path.trace.steps
            found.append(
                f"{one.name}: another counterexample, of {steps} steps{f', was {was}' if was != steps else ''}"
            )
    return [*found, *(f"{name} is not violated any more" for name in old)]


def _labels(one: OpenedPath) -> list[str]:
    return [entry.label for entry in one.path.trace.entries]
