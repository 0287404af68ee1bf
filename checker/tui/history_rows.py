"""A concurrent history that no order explains, as a list: a row for each operation, drawn as an interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checker.conformance.history import Operation
from checker.conformance.history_report import HistoryReport, NoOrder
from checker.report.history_text import history_sentence, history_word
from checker.tui.finding_screen import FindingList, FindingRow
from checker.tui.styles import FAINT, NAME, NEW, PLAIN, STRONG, WARNING, WRONG, Piece

_SHARE = 0.5
"""The part of the width that names of operations may take."""


def history_rows(report: HistoryReport) -> FindingList | None:
    """The list for a history that is rejected; None for another one."""
    part = report.leading
    if part is None or part.why is None:
        return None
    rows = _Intervals(part.why).rows(report.receiver)
    wrong = next((number for number, row in enumerate(rows) if row.wrong), 0)
    word, _ = history_word(report)
    return FindingList(f"{word}: {history_sentence(report)}", rows, wrong, "The operation")


class _Intervals:
    """The operations of the shortest beginning without an order, by the time of their invocation."""

    def __init__(self, why: NoOrder) -> None:
        self.why = why
        self.order = {position: number for number, position in enumerate(why.effective, 1)}
        self.reasons = {id(one.operation): one.reasons for one in why.blocked}
        self.shown = sorted(enumerate(why.operations), key=lambda pair: (pair[1].called, pair[1].number))
        times = {time for one in why.operations for time in (one.called, one.ended) if time is not None}
        self.times = {time: column for column, time in enumerate(sorted(times))}
        self.process = max((len(one.process) for one in why.operations), default=0)
        self.text = max((len(one.text) for one in why.operations), default=0)

    def rows(self, receiver: str) -> list[FindingRow]:
        return [
            FindingRow(self._draw(position, one), self._detail(position, one, receiver), id(one) in self.reasons)
            for position, one in self.shown
        ]

    def _draw(self, position: int, one: Operation) -> Callable[[int, int], Sequence[Piece]]:
        number = self.order.get(position)
        wrong = id(one) in self.reasons
        style = WRONG if wrong else NEW if number is not None else FAINT
        sign = "✗" if wrong else "?" if number is None else " "

        def draw(width: int, selected: int) -> Sequence[Piece]:
            digits = len(str(max(len(self.order), 1)))
            process = min(self.process, 12)
            text = min(self.text, max(int(width * _SHARE) - digits - process - 5, 8))
            room = max(width - digits - process - text - 6, 4)
            shown = one.text if len(one.text) <= text else f"{one.text[: text - 1]}…"
            return [
                (f"{sign}{number or '':>{digits}} ", style),
                (f"{one.process[:process]:<{process}} ", NAME),
                (f"{shown:<{text}}  ", STRONG if wrong else PLAIN),
                (self._bar(one, room, selected), style),
            ]

        return draw

    def _bar(self, one: Operation, room: int, selected: int) -> str:
        """`├──┤` in a window of so many columns around the interval of the selected row; `├──…` never returned."""
        columns = max(len(self.times), 1)
        wide = max(min((room - 1) // columns, 6), 1)
        current = self.shown[selected][1] if selected < len(self.shown) else one
        end = self.times[current.called if current.ended is None else current.ended] * wide
        length = columns * wide
        first = 0 if length < room else max(0, min(end - room * 2 // 3, length - room + 1))
        begins = self.times[one.called] * wide
        ends = length if one.ended is None else self.times[one.ended] * wide
        line = [" "] * (length + 1)
        line[begins : ends + 1] = "─" * (ends + 1 - begins)
        line[begins], line[ends] = "├", "┤" if one.ended is not None else "…"
        return "".join(line[first : first + room])

    def _detail(self, position: int, one: Operation, receiver: str) -> list[Sequence[Piece]]:
        number = self.order.get(position)
        response = "no response" if one.response is None else f"response at {one.response}"
        lines: list[Sequence[Piece]] = [
            [(one.text, STRONG), (f"  process {one.process}, invoked at {one.place}, {response}", PLAIN)]
        ]
        if id(one) in self.reasons:
            lines.append([(f"does not fit as the next operation after {len(self.order)} others:", WRONG)])
            lines += [[(f"  {reason}", PLAIN)] for reason in dict.fromkeys(self.reasons[id(one)])]
        elif number is not None:
            lines.append([(f"number {number} of the longest order that {receiver} explains", NEW)])
        else:
            lines.append([("in no place of that order; it may take effect at that time", WARNING)])
        for state, found in enumerate(self.why.states):
            lines.append([("the state may be then:" if not state else "or:", STRONG)])
            lines += [[(f"  {path}", NAME), (f" = {value}", PLAIN)] for path, value in found]
        return lines
