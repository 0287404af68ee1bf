"""The report on a concurrent history as text: why there is no order, counts, the verdict."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from checker.conformance.history_report import HistoryPart, HistoryReport, NoOrder
from checker.report.page import Page
from checker.report.terminal_report import plural

_WORDS: Final = {
    ("accepted", "linearizable"): ("LINEARIZABLE", "bold green"),
    ("rejected", "linearizable"): ("NOT LINEARIZABLE", "bold red"),
    ("accepted", "sequential"): ("SEQUENTIALLY CONSISTENT", "bold green"),
    ("rejected", "sequential"): ("NOT SEQUENTIALLY CONSISTENT", "bold red"),
}
_LAST_SHOWN: Final = 12


def history_word(report: HistoryReport) -> tuple[str, str]:
    """The verdict in the words of the field, and its style."""
    other = "INCONCLUSIVE" if report.verdict == "inconclusive" else "NOTHING TO CHECK"
    return _WORDS.get((report.verdict, report.consistency), (other, "bold yellow"))


def print_history(page: Page, report: HistoryReport) -> None:
    """Print why there is no order, the parts, what was compared, and the verdict."""
    part = report.leading
    if part is not None and part.why is not None:
        _print_why(page, report, part, part.why)
    for sentence in counted(report):
        page.line(Text(sentence, "dim"), hang=2)
    print_history_verdict(page, report)


def print_history_verdict(page: Page, report: HistoryReport) -> None:
    """One line: the verdict and its reason."""
    word, style = history_word(report)
    line = Text(word, style)
    line.append(f"  {', '.join(report.files)}: {history_sentence(report)}", "")
    page.line(line, hang=2)
    if report.hint is not None:
        page.line(Text(f"hint: {report.hint}", "dim"), hang=2)


def history_sentence(report: HistoryReport) -> str:
    """Why the verdict is what it is."""
    match report.verdict:
        case "nothing":
            return report.reason
        case "inconclusive":
            cut = "the bound on configurations was met" if report.cut_by is None else report.cut_by.sentence
            return f"neither an order was found nor all were tried; {cut}"
        case "accepted":
            parts = f", {plural(len(report.parts), 'part')} each" if len(report.parts) > 1 else ""
            return f"{report.receiver} explains all {plural(report.operations, 'operation')}{parts}"
    part = report.leading
    assert part is not None and part.why is not None
    where = "" if part.key is None else f" of key {part.key}"
    if part.why.events is None:
        return f"no order of the operations{where} explains them"
    return f"no order explains the first {part.why.events:,} events{where}"


def counted(report: HistoryReport) -> list[str]:
    """How much there was, and how much of it was compared with the model."""
    configurations = sum(part.configurations for part in report.parts)
    first = (
        f"{plural(report.operations, 'operation')}: {report.responses:,} with a response, "
        f"{report.without_response:,} without; {plural(report.compared, 'response')} compared with the model"
    )
    found = [first, f"{plural(configurations, 'configuration')} in {report.elapsed_s:.2f} s"]
    if report.by_itself:
        found.append(f"each {report.partition} by itself: the funcs touch only the entries of their {report.partition}")
    if report.did_not_happen:
        found.append(f"{report.did_not_happen:,} that failed count as never happened")
    if report.set_aside:
        found.append(f"{plural(report.set_aside, 'record')} of the nemesis set aside")
    return found


def _print_why(page: Page, report: HistoryReport, part: HistoryPart, why: NoOrder) -> None:
    where = "" if part.key is None else f" of key {part.key}"
    page.line(Text(f"The longest order of operations{where} that {report.receiver} explains:", "bold"))
    shown = why.effective[-_LAST_SHOWN:]
    if len(shown) < len(why.effective):
        page.line(Text(f"... {len(why.effective) - len(shown):,} before", "dim"), 4)
    for number, position in enumerate(shown, len(why.effective) - len(shown) + 1):
        one = why.operations[position]
        page.line(f"{number:>4}  {one.text}  process {one.process}, {one.place}", 0, 6)
    if not shown:
        page.line(Text("none", "dim"), 4)
    for number, state in enumerate(why.states):
        page.line(Text("the state may be then:" if not number else "or:", "bold"))
        for path, value in state:
            page.line(f"{path} = {value}", 4, 4)
    page.line(Text("What does not fit:" if len(why.blocked) > 1 else "The operation that does not fit:", "bold"))
    for blocked in why.blocked:
        one = blocked.operation
        response = "" if one.response is None else f" to {one.response}"
        page.line(Text(f"{one.text}  process {one.process}, {one.place}{response}", "bold red"), 4, 4)
        for reason in dict.fromkeys(blocked.reasons):
            page.line(reason, 6, 4)
    done = set(why.effective)
    met = {id(blocked.operation) for blocked in why.blocked}
    waiting = [one for i, one in enumerate(why.operations) if i not in done and id(one) not in met]
    if waiting:
        page.line(Text("Others that may take effect at that time:", "bold"))
    for one in waiting[:_LAST_SHOWN]:
        page.line(f"{one.text}  process {one.process}, {one.place}", 4, 4)
    page.line()
