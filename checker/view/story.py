"""A counterexample as a story: one paragraph per step, who moves, the source, what changed, where it crashed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from rich.text import Text

from checker.trace import Change, Trace, TraceEntry
from checker.view.difference import differences
from checker.view.page import Page, printable

_BODY = 6
_DETAIL = 8
_MOST_SOURCE_LINES = 4
_LOST = "** CRASH: the thread is lost here **"
_MOVES = {"init": "", "start": "starts", "continue": "goes on", "deliver": "is delivered", "crash-role": ""}


def print_story(page: Page, trace: Trace, sources: Mapping[str, str]) -> None:
    """Print the entries of a trace; a lasso as prefix, `--- cycle ---`, cycle; a stutter as such."""
    names = file_names(sources)
    for index, entry in enumerate(trace.entries):
        if index == trace.cycle_start:
            page.line(Text("--- cycle ---", style="bold magenta"), indent=2)
        _print_entry(page, index, entry, sources, names)
    if trace.stutter:
        page.line(
            Text("--- stutter --- nothing forces another step: the run stays here for ever", "bold magenta"), 2, 4
        )
    elif trace.cycle_start is not None:
        page.line(Text(f"--- back to the state after step {trace.cycle_start - 1} ---", "bold magenta"), 2, 4)
    for sentence in trace.fairness:
        page.line(Text(printable(sentence), style="dim"), _BODY, 2)


def print_state(page: Page, state: Iterable[tuple[str, str]]) -> None:
    """Print a whole state, one line per place."""
    for place, text in state:
        joint = " = " if place.isidentifier() else ": "
        page.line(Text(printable(place), "cyan") + Text(joint + printable(text), ""), _DETAIL, 4)


def file_names(sources: Mapping[str, str]) -> dict[str, str]:
    """How files are called in a report: by their last part where that is unique; a single file not at all."""
    if len(sources) == 1:
        return dict.fromkeys(sources, "")
    short = {path: PurePath(path).name for path in sources}
    return {path: name if list(short.values()).count(name) == 1 else path for path, name in short.items()}


def _print_entry(page: Page, index: int, entry: TraceEntry, sources: Mapping[str, str], names: dict[str, str]) -> None:
    page.line(Text(f"{index:4d}  ", "bold") + _headline(entry), hang=_BODY)
    for source_line in _source_lines(entry, sources, names):
        page.line(source_line, _BODY, _BODY)
    if entry.labels:
        page.line(Text(f"label {', '.join(entry.labels)}", "dim"), _DETAIL, 4)
    for name, value in entry.returns:
        page.line(Text(f"{printable(name)} returns {printable(value)}", "dim"), _DETAIL, 4)
    if entry.kind == "init":
        print_state(page, entry.state)
    elif not entry.changes:
        page.line(Text("nothing changes", "dim"), _DETAIL, 4)
    else:
        for change in entry.changes:
            _print_change(page, change)


def _headline(entry: TraceEntry) -> Text:
    line = Text()
    if entry.kind == "crash-role":
        role = entry.label.removeprefix("crash-role ")
        line.append(printable(role), "bold")
        return line.append("  ").append(
            "** CRASH: it loses its threads and what is not durable **", "bold white on red"
        )
    name = entry.label.removesuffix(" crash").partition("[")[0]
    line.append(printable(entry.actor or name), "bold cyan")
    if entry.choices:
        line.append(f" [{', '.join(map(printable, entry.choices))}]", "yellow")
    line.append(f"  {_MOVES[entry.kind]}".rstrip(), "dim")
    seat = name if entry.kind in ("continue", "deliver") else entry.thread
    if seat and seat != entry.actor:
        line.append(f" ({seat})", "dim")
    if entry.crash:
        line.append("  ").append(_LOST, "bold white on red")
    return line


def _source_lines(entry: TraceEntry, sources: Mapping[str, str], names: dict[str, str]) -> list[Text]:
    """The lines that the step executed, the first and the last of them where there are many."""
    places = list(dict.fromkeys(entry.lines))
    if not places and entry.file is not None and entry.line is not None:
        places = [(entry.file, entry.line)]
    lines = [_source_line(file, line, sources, names) for file, line in places]
    left_out = len(lines) - _MOST_SOURCE_LINES
    if left_out > 1:
        half = _MOST_SOURCE_LINES // 2
        lines[half:-half] = [Text(f"     | ... {left_out} more lines", "dim")]
    return lines


def _source_line(file: str, line: int, sources: Mapping[str, str], names: dict[str, str]) -> Text:
    rows = sources.get(file, "").split("\n")
    row = rows[line - 1].strip() if 1 <= line <= len(rows) else ""
    name = names.get(file, file)
    where = f"{name}:{line}" if name else f"{line:4d}"
    return Text(f"{where} | ", "dim") + Text(printable(row), "italic")


def _print_change(page: Page, change: Change) -> None:
    line = _change_line(change)
    if line.cell_len + _DETAIL > page.width:
        parts = differences(change)
        lines = [_change_line(part) for part in parts]
        if sum(part.cell_len for part in lines) < line.cell_len:
            for part in lines:
                page.line(part, _DETAIL, 4)
            return
    page.line(line, _DETAIL, 4)


def _change_line(change: Change) -> Text:
    """`place: old -> new`; a part that came is marked `+`, one that went `-`."""
    line = Text(f"{printable(change.place)}: ", "cyan")
    old = None if change.old is None else printable(change.old)
    new = None if change.new is None else printable(change.new)
    if old is None:
        return line.append("+ ", "green").append(new or "", "green")
    if new is None:
        return line.append("- ", "red").append(old, "red")
    return line.append(old, "red").append(" -> ").append(new, "green")
