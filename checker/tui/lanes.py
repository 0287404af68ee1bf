"""Lanes: a column for each role instance and each other thread, with steps as in a sequence diagram."""

from __future__ import annotations

from dataclasses import dataclass

from checker.report.thread_names import NamedThread
from checker.tui.path_text import PathText

STARTS, GOES_ON, ENDS, WHOLE = "┌", "├", "└", "●"
CRASHES, ARRIVES, RUNS, RUNS_TWICE, IDLE = "✗", "▸", "│", "║", "·"
"""The signs of a step, and between steps of a lane with no, one or more unfinished threads."""

_OTHERS = "model"


@dataclass(frozen=True, slots=True)
class Lane:
    """A column: its full and its shortest name, and one sign per entry."""

    name: str
    short: str
    signs: str

    def title(self, width: int) -> str:
        """The name, shortened if it does not fit."""
        return self.name if len(self.name) <= width else self.short[:width]


def lanes_of(path_text: PathText) -> tuple[Lane, ...]:
    """The lanes of a path, by name; the lane of steps without a thread comes last."""
    columns: dict[str, list[str]] = {}
    rows: list[dict[str, str]] = []
    for index in range(len(path_text)):
        row = _signs(path_text, index)
        rows.append(row)
        for name in row:
            columns.setdefault(name, [])
    for row in rows:
        for name, column in columns.items():
            column.append(row.get(name, IDLE))
    ordered = sorted(columns, key=lambda name: (name == _OTHERS, name))
    return tuple(Lane(name, _short(name), "".join(columns[name])) for name in ordered)


def _signs(path_text: PathText, index: int) -> dict[str, str]:
    """The signs in one row, by lane."""
    entry, step = path_text.entries[index], path_text.thread_names.steps[index]
    running: dict[str, int] = {}
    for member, _ in step.after:
        lane = _lane(member.action, path_text.name(member))
        running[lane] = running.get(lane, 0) + 1
    row = {lane: RUNS if count == 1 else RUNS_TWICE for lane, count in running.items()}
    if entry.kind != "init":
        mover = step.mover
        name = path_text.mover(index) if mover is None else path_text.name(mover)
        lane = _lane(entry.actor or name, None if mover is None else name)
        row[lane] = _sign(path_text, index, mover)
    return row


def _sign(path_text: PathText, index: int, mover: NamedThread | None) -> str:
    entry, step = path_text.entries[index], path_text.thread_names.steps[index]
    lives = any(member == mover for member, _ in step.after)
    if entry.crash or entry.fails:
        return CRASHES
    if entry.kind == "deliver":
        return ARRIVES
    if entry.kind == "start":
        return STARTS if lives else WHOLE
    return GOES_ON if lives else ENDS


def _lane(actor: str, thread: str | None) -> str:
    """`Node#0` for a step of a role instance; else the thread's name; else the lane of all other steps."""
    role, dot, _ = actor.partition(".")
    if "#" in actor and (dot or thread is None):
        return role
    return thread or _OTHERS


def _short(name: str) -> str:
    """`N0` for `Node#0`, `I2` for `Increment/2`, `m` for `model`."""
    for joint in "#/":
        head, found, number = name.partition(joint)
        if found:
            return head[:1] + number
    return name[:2]
