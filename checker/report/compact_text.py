"""A counterexample in brief in the terminal: one line a step, what it changed beside it, within a number of lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rich.text import Text

from checker.core.trace import Trace
from checker.core.visible import printable
from checker.report.compact_trace import BriefReason, BriefStep, BriefTrace, brief_reason, brief_trace
from checker.report.model_rows import file_names
from checker.report.page import Page
from checker.report.step_text import change_texts, mover_text
from checker.report.thread_names import thread_names_of
from checker.report.trace_text import mover_name, values_of
from checker.report.unmatched_text import unmatched_lines

SCREEN = 24
"""The lines of a screen. A story of up to eight steps fits one, with the verdict and a line for what comes next."""

_MOST_STEPS = 8
_LEFT = 0.5
_LEFT_IN_BRIEF = 0.5
_MOST_OF_A_ROW = 0.8
_MOST_MEASURED = 40
_NARROWEST = 16
_MOST_BLOCKED = 4
_MOST_FACTS = 3
_WHY = 5


_SEPARATOR = Text(", ")


@dataclass(frozen=True, slots=True)
class Line:
    """A line before it is wrapped: what does not fit goes on `hang` columns further in."""

    text: Text
    indent: int = 0
    hang: int = 0


def height(page: Page, lines: Iterable[Line]) -> int:
    """The rows that lines take on a page."""
    return sum(len(page.wrapped(line.text, line.indent, line.hang)) for line in lines)


def print_lines(page: Page, lines: Iterable[Line]) -> None:
    """Print lines, wrapped."""
    for line in lines:
        page.line(line.text, line.indent, line.hang)


def compact_story(page: Page, trace: Trace, sources: Mapping[str, str], room: int) -> list[Line]:
    """The lines of a counterexample: its steps and, as far as there is room for it, the state at the end.

    `room`: rows; a step of a story of up to eight steps takes fewer of them where all would not fit.
    """
    short = brief_trace(trace, sources)
    layout = _Layout(page, file_names(sources), short)
    after = reason_lines(page, trace, sources)
    left = room - height(page, after)
    steps = layout.steps(left)
    end = _state(short) if trace.cycle_start is None else []
    if not short.steps or height(page, [*steps, *end]) <= left:
        steps += end
    return steps + after


class _Layout:
    """Steps in two columns: who moves, and what changes."""

    def __init__(self, page: Page, names: Mapping[str, str], short: BriefTrace) -> None:
        self.page, self.names, self.short = page, names, short
        self.number = len(str(len(short.steps)))
        self.left = [self._mover(step) for step in short.steps]
        self.right = [change_texts(step, page.spelled) for step in short.steps]
        self.column = self._best_column()

    def _best_column(self) -> int:
        """Where the right column begins: where the steps take few rows, and most are aligned."""
        most = max(int(self.page.width * _LEFT), _NARROWEST)
        widths = sorted({min(text.cell_len, most) for text in self.left[:_MOST_MEASURED]})
        return 2 + min(widths, key=lambda width: (self._cost(width + 2), -width), default=0)

    def _cost(self, column: int) -> int:
        """The rows of the steps, and how many have their changes elsewhere."""
        pairs = list(zip(self.left[:_MOST_MEASURED], self.right, strict=False))
        rows = sum(len(self._rows(mover, changes, column)) for mover, changes in pairs)
        return rows + sum(mover.cell_len + 2 > column for mover, _ in pairs)

    def steps(self, room: int) -> list[Line]:
        """All steps, in at most so many rows if they are not too many, and each in one at least."""
        pairs = list(zip(self.left, self.right, strict=True))
        rows = [self._rows(mover, changes, self.column) for mover, changes in pairs]
        sizes = [len(one) for one in rows]
        if len(rows) <= _MOST_STEPS and sum(sizes) > room:
            sizes = _shared(sizes, room)
        lines = self._init()
        for step, (mover, changes), one, size in zip(self.short.steps, pairs, rows, sizes, strict=True):
            if size < len(one):
                one = self._fewer_rows(mover, changes, size)
            lines += map(Line, _cut(self.page, one, size, self.page.width))
            lines += self._waiting(step.number)
        return lines

    def _init(self) -> list[Line]:
        """The line of Init, if there is something to say of it."""
        waiting = self._waiting(0)
        if not self.short.chosen and not waiting:
            return []
        head = f"{'0':>{self.number + 1}} Init {' '.join(map(printable, self.short.chosen))}"
        return [Line(Text(head.rstrip()), 0, 4), *waiting]

    def _waiting(self, number: int) -> list[Line]:
        """What waits in vain from the state after this step on, if anything does."""
        if self.short.waiting is None or self.short.waiting[0] != number:
            return []
        return [Line(Text(printable(self.short.waiting[1]), "bold magenta"), self.number + 2)]

    def _mover(self, step: BriefStep) -> Text:
        """` 4 Node#2.LeaderConsumes`, with choices and where it stands."""
        line = Text(self.page.spelled("∞") if step.in_cycle else "", "bold magenta")
        line.append(f"{step.number:>{self.number + (not step.in_cycle)}} ", "bold")
        return line.append_text(mover_text(step, self.names, self.page.spelled))

    def _rows(self, mover: Text, changes: list[Text], column: int) -> list[Text]:
        """The rows of a step, what changed beside or below what moved."""
        right = self._in_rows(changes, max(self.page.width - column, _NARROWEST))
        margin = Text(" " * column)
        if mover.cell_len + 2 <= column:
            return [mover + margin[mover.cell_len :] + right[0], *(margin + row for row in right[1:])]
        if mover.cell_len + 2 + _SEPARATOR.join(changes).cell_len <= self.page.width:
            return [mover + Text("  ") + _SEPARATOR.join(changes)]
        return [*self.page.wrapped(mover, 0, self.number + 4), *(margin + row for row in right)]

    def _fewer_rows(self, mover: Text, changes: list[Text], size: int) -> list[Text]:
        """The rows of a step that must do with fewer: who moves is shortened, so that something of both is seen."""
        if size == 1:
            gap = Text(" " * max(self.column - mover.cell_len, 2))
            row = mover + gap + _SEPARATOR.join(changes)
            if mover.cell_len <= self.page.width * _MOST_OF_A_ROW:
                return [row]
        shorter = _cut(self.page, [mover], 1, max(self.column - 2, int(self.page.width * _LEFT_IN_BRIEF)))[0]
        return self._rows(shorter, changes, max(self.column, shorter.cell_len + 2))

    def _in_rows(self, changes: list[Text], width: int) -> list[Text]:
        """Changes side by side; one that does not fit beside the others begins a row."""
        rows = [Text()]
        for number, change in enumerate(changes):
            last = number == len(changes) - 1
            joined = rows[-1] + change if last else rows[-1] + change + Text(",")
            if rows[-1].cell_len and joined.cell_len > width:
                rows[-1].rstrip()
                rows += self.page.wrapped(change if last else change + Text(","), width=width)
            else:
                rows[-1:] = self.page.wrapped(joined, width=width)
            rows[-1] += Text(" ")
        rows[-1].rstrip()
        return rows


def _shared(sizes: list[int], room: int) -> list[int]:
    """A row for each, and more for those that want it, the last ones first, as far as there are more."""
    given = [1] * len(sizes)
    spare = room - len(sizes)
    while spare > 0 and (wanting := [i for i in range(len(sizes)) if given[i] < sizes[i]]):
        for index in reversed(wanting[-spare:]):
            given[index] += 1
            spare -= 1
    return given


def _cut(page: Page, rows: list[Text], most: int, width: int) -> list[Text]:
    """The first rows, with a mark where something is left out."""
    if len(rows) <= most and all(row.cell_len <= width for row in rows):
        return rows
    last = rows[most - 1].copy()
    last.truncate(width - len(page.spelled(" …")))
    last.rstrip()
    return [*rows[: most - 1], last.append(page.spelled(" …"), "dim")]


def reason_lines(page: Page, trace: Trace, sources: Mapping[str, str]) -> list[Line]:
    """Why it is a counterexample: what goes on for ever, the deciding line with its values, what blocks each action."""
    reason = brief_reason(trace, sources)
    return [*_for_ever(page, reason), *_reason(page, trace, reason, sources, file_names(sources))]


def _for_ever(page: Page, reason: BriefReason) -> list[Line]:
    if not reason.sentences:
        return []
    first, *others = reason.sentences
    line = Text(page.spelled("∞ "), "bold magenta").append(printable(first), "bold magenta")
    if others:
        line.append(": " + printable("; ".join(others)))
    return [Line(line, 0, 5)]


def _state(short: BriefTrace) -> list[Line]:
    """The state at the end: a line for each owner."""
    lines = []
    for number, (owners, text) in enumerate(short.end):
        head = Text("end" if number == 0 else "", "bold")
        head.append(" " * (_WHY - head.cell_len))
        mark = "" if text.startswith("= ") else ":"
        lines.append(Line(head.append(printable(owners), "cyan").append(printable(f"{mark} {text}")), 0, _WHY + 2))
    return lines


def _reason(
    page: Page, trace: Trace, reason: BriefReason, sources: Mapping[str, str], names: Mapping[str, str]
) -> list[Line]:
    lines = []
    if reason.why is not None:
        why = reason.why
        later = "" if why.step == trace.steps else f" (after step {why.step})"
        lines.append(_quoted("why", why.file, why.line, why.row + later, names))
        shown = why.facts[:_MOST_FACTS]
        facts = Text(printable(", ".join(shown)))
        if len(shown) < len(why.facts):
            facts.append(f", and {len(why.facts) - len(shown)} more", "dim")
        if shown:
            rows = page.wrapped(facts, width=page.width - _WHY)
            lines += [Line(row, _WHY) for row in _cut(page, rows, 2, page.width - _WHY)]
    called = thread_names_of(trace).names(-1) if reason.blocked else []
    for number, (file, line, row, held) in enumerate(reason.blocked[:_MOST_BLOCKED]):
        movers = [f"{mover_name(one.name, called)}: {values_of(one)}" for one in held]
        quoted = _quoted("why" if number == 0 else "", file, line, row, names)
        quoted.text.append(printable(f"   {'; '.join(movers)}"), "not italic")
        lines += [Line(one) for one in _cut(page, page.wrapped(quoted.text, 0, _WHY + 2), 2, page.width)]
    if len(reason.blocked) > _MOST_BLOCKED:
        lines.append(Line(Text(f"and {len(reason.blocked) - _MOST_BLOCKED} more guards are false", "dim"), _WHY))
    for text, detail in () if trace.unmatched is None else unmatched_lines(trace.unmatched):
        margin = _WHY * detail
        rows = page.wrapped(text, 0, _WHY, page.width - margin)
        lines += [Line(row, margin) for row in _cut(page, rows, 2, page.width - margin)]
    if reason.limited:
        lines.append(
            Line(Text(printable(f"{', '.join(reason.limited)} could start, but for a limit of the options")), _WHY, 2)
        )
    return lines


def _quoted(head: str, file: str, line: int, row: str, names: Mapping[str, str]) -> Line:
    name = names.get(file, file)
    where = f"{name}:{line}" if name else f"line {line}"
    text = Text(f"{head:<{_WHY}}", "bold").append(f"{printable(where)} | ", "dim").append(printable(row), "italic")
    return Line(text, 0, _WHY + 2)
