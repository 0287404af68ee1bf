"""The state as rows of a tree: changed parts are open and marked, the others folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal as OneOf

from checker.core.trace import Change
from checker.report.difference import Group, parts, read_group, unordered
from checker.tui.path_text import StateLine, StateLines

Mark = OneOf[" ", "~", "+", "-"]
"""Unchanged, changed, came, went."""

_EMPTY = ("()", "[]", "{}", "([])")
_DEEPEST = 60
_MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A row of the tree.

    `old` is the earlier text, if the row itself shows the change. `folds`: the number of unchanged rows of the
    container at `place` that this row replaces. `openable`: there are parts below.
    """

    place: str
    name: str
    depth: int
    mark: Mark
    text: str
    old: str | None = None
    folds: int = 0
    openable: bool = False
    open: bool = False


@dataclass(slots=True)
class Folding:
    """The places that the reader has opened and closed; kept from step to step.

    `changed_only` leaves out what did not change. `words` filter the places: one must occur, and none of those with a
    minus.
    """

    opened: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    changed_only: bool = False
    words: tuple[str, ...] = ()

    def toggle(self, row: TreeRow) -> None:
        """Open or close a row; a row that replaces others opens them."""
        if row.folds or (row.openable and not row.open):
            self.opened.add(row.place)
            self.closed.discard(row.place)
        elif row.openable:
            self.opened.discard(row.place)
            self.closed.add(row.place)

    def shows(self, place: str) -> bool:
        """Does the filter let a place pass?"""
        name = place.lower()
        wanted = [word for word in self.words if not word.startswith("-")]
        unwanted = [word[1:] for word in self.words if len(word) > 1 and word.startswith("-")]
        return (not wanted or any(word in name for word in wanted)) and not any(word in name for word in unwanted)


def tree(before: StateLines, after: StateLines, folding: Folding) -> list[TreeRow]:
    """The rows for a state, compared with another one."""
    return list(_Tree(folding).rows(before, after))


class _Tree:
    """Makes rows. Parses only the values that are open."""

    def __init__(self, folding: Folding) -> None:
        self.folding = folding

    def rows(self, before: StateLines, after: StateLines) -> Iterator[TreeRow]:
        """All rows: variables, role instances with their fields, threads, messages."""
        old, new = self._owners(before), self._owners(after)
        owners = [Change(owner, old.get(owner), new.get(owner)) for owner in new | old]
        yield from self._some(owners, "", 0, self.folding.changed_only)
        waiting = list(unordered(_MESSAGE, self._messages(before), self._messages(after)))
        for row in self._some(waiting, _MESSAGE, 0, self.folding.changed_only):
            yield row if row.folds or row.depth else replace(row, name=_MESSAGE)

    def _owners(self, lines: StateLines) -> dict[str, str]:
        """Texts by owner; the fields of a role instance as one value."""
        shown = [line for line in lines if not _is_message(line) and self.folding.shows(line.place)]
        found = {}
        for owner, group in groupby(shown, key=lambda line: line.owner):
            members = list(group)
            found[owner] = members[0].text if members[0].place == owner and members[0].text else _fields(members)
        return found

    def _messages(self, lines: StateLines) -> Counter[str]:
        """Messages without their numbers: a number is an index in a sorted list, and not an identity."""
        return Counter(line.text for line in lines if _is_message(line) and self.folding.shows(line.place))

    def _some(self, members: Sequence[Change], place: str, depth: int, fold: bool) -> Iterator[TreeRow]:
        """Rows for the members of a container; with `fold`, unchanged neighbours share one row."""
        for same, run in groupby(members, key=lambda member: member.old == member.new):
            alike = list(run)
            if same and fold and len(alike) > 1:
                yield TreeRow(place, "", depth, " ", "", folds=len(alike))
            else:
                for member in alike:
                    yield from self._node(member, place, depth)

    def _node(self, member: Change, place: str, depth: int) -> Iterator[TreeRow]:
        path, name = member.place, _name(member.place, place)
        text = member.new if member.new is not None else member.old or ""
        if path == place:
            # An element of a set has no place of its own; its text identifies it.
            path = f"{place}{{{text}}}"
        openable = depth < _DEEPEST and text.endswith((")", "]", "}")) and not text.endswith(_EMPTY)
        inner = _pairs(path, member) if openable and self._is_open(path, member) else []
        replaced = member.old is not None and member.new is not None and member.old != member.new and not inner
        yield TreeRow(
            path, name, depth, _mark(member), text, member.old if replaced else None, 0, openable, bool(inner)
        )
        if inner:
            fold = path not in self.folding.opened and (member.old != member.new or self.folding.changed_only)
            yield from self._some(inner, path, depth + 1, fold)

    def _is_open(self, path: str, member: Change) -> bool:
        if path in self.folding.opened:
            return True
        if path in self.folding.closed or member.old is None or member.new is None or member.old == member.new:
            return False
        old, new = read_group(member.old), read_group(member.new)
        return old is not None and new is not None and old.head == new.head


def _pairs(path: str, member: Change) -> list[Change]:
    """The parts of a value beside those of the earlier one; for a value of another kind only its parts."""
    new = read_group(member.new) if member.new is not None else None
    old = read_group(member.old) if member.old is not None else None
    if new is None:
        return [Change(part.place, part.old, None) for part in parts(path, old, old)] if old else []
    if old is None or old.head != new.head:
        empty = Group(new.head, ())
        alone = parts(path, empty, new)
        return alone if member.old is None else [Change(part.place, part.new, part.new) for part in alone]
    return parts(path, old, new)


def _is_message(line: StateLine) -> bool:
    return line.place.startswith("message-")


def _fields(lines: Sequence[StateLine]) -> str:
    return "{" + ", ".join(f"{line.place.partition('.')[2]} = {line.text}" for line in lines if line.text) + "}"


def _mark(member: Change) -> Mark:
    if member.old is None:
        return "+"
    if member.new is None:
        return "-"
    return " " if member.old == member.new else "~"


def _name(path: str, place: str) -> str:
    """What a part adds to the place of the whole."""
    return path[len(place) :].removeprefix(".") if path.startswith(place) else path
