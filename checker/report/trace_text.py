"""A counterexample as text: one paragraph per step with the mover, the source, the changes, a crash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rich.text import Text

from checker.core.trace import Change, Held, Stuck, Trace, TraceEntry, Why
from checker.core.visible import printable
from checker.report.difference import differences
from checker.report.model_rows import file_names, is_guard_or_head, source_row
from checker.report.page import Page
from checker.report.thread_names import ThreadNames, ThreadStep, thread_names_of
from checker.report.thread_text import is_thread, read_thread, thread_changes
from checker.report.unmatched_text import print_unmatched

_BODY = 6
_DETAIL = 8
_MOST_SOURCE_LINES = 4
_MOST_HELD = 8
# Lines shown of a state, and of what a step changed. The JSON report has all of them.
_MOST_LINES = 1000
_MOST_FACTS = 3
_LOST = "** CRASH: the thread is lost **"
_MOVES = {"init": "", "start": "starts", "continue": "goes on", "deliver": "is delivered", "crash-role": ""}


def print_trace(page: Page, trace: Trace, sources: Mapping[str, str]) -> None:
    """Print the entries of a trace; a lasso as prefix, `--- cycle ---`, cycle; a stutter as such."""
    names, threads = file_names(sources), thread_names_of(trace)
    for index, entry in enumerate(trace.entries):
        if index == trace.cycle_start:
            page.line(Text("--- cycle ---", style="bold magenta"), indent=2)
        _print_entry(page, index, entry, threads, sources, names)
        if trace.waiting is not None and index == trace.waiting.step:
            page.line(Text(f"--- {printable(trace.waiting.sentence)} ---", style="bold magenta"), 2, 4)
    if trace.stutter:
        page.line(Text("--- stutter --- the run stays here for ever", "bold magenta"), 2, 4)
    elif trace.cycle_start is not None:
        page.line(Text(f"--- back to the state after step {trace.cycle_start - 1} ---", "bold magenta"), 2, 4)
    for sentence in trace.fairness:
        page.line(Text(printable(sentence), style="dim"), _BODY, 2)


def print_end(page: Page, trace: Trace, sources: Mapping[str, str]) -> None:
    """Print the state at the end of a trace."""
    page.line(Text("The state at the end:", "bold"), _BODY)
    _print_state(page, trace.entries[-1].state, file_names(sources), thread_names_of(trace).names(-1))


def print_why(page: Page, trace: Trace, sources: Mapping[str, str]) -> None:
    """Print why it is a counterexample: what makes the assertion false, or what blocks every step."""
    names = file_names(sources)
    if trace.why is not None:
        _print_false(page, trace.why, trace.steps, sources, names)
    if trace.stuck is not None:
        _print_stuck(page, trace, trace.stuck, sources)
    if trace.unmatched is not None:
        print_unmatched(page, trace.unmatched)


def _print_false(page: Page, why: Why, last: int, sources: Mapping[str, str], names: dict[str, str]) -> None:
    where = "" if why.step == last else f" in the state after step {why.step}"
    page.line(Text(f"Why it is false{where}:", "bold"), _BODY)
    row = source_row(sources, why.file, why.line)
    page.line(_source_line(names.get(why.file, why.file), why.line, row), _BODY, _BODY)
    for text, value in why.facts:
        line = Text().append(printable(text), "cyan").append(" is " if value in ("True", "False") else " = ")
        page.line(line.append(printable(value)), _DETAIL, 4)


def _print_stuck(page: Page, trace: Trace, stuck: Stuck, sources: Mapping[str, str]) -> None:
    """Print each line that blocks something, what it blocks, and the values that decide."""
    if not stuck.held and not stuck.limited:
        return
    names, threads = file_names(sources), thread_names_of(trace).names(-1)
    page.line(Text("Why no step is possible:", "bold"), _BODY)
    shown = sorted(stuck.held[:_MOST_HELD], key=lambda one: (one.file, one.line))
    for (file, line), held in groupby(shown, key=lambda one: (one.file, one.line)):
        page.line(_source_line(names.get(file, file), line, source_row(sources, file, line)), _BODY, _BODY)
        for one in held:
            mover = Text().append(printable(mover_name(one.name, threads)), "cyan")
            page.line(mover.append(printable(f": {values_of(one)}")), _DETAIL, 4)
    if len(stuck.held) > _MOST_HELD:
        page.line(Text(f"and {len(stuck.held) - _MOST_HELD} more", "dim"), _DETAIL)
    if stuck.limited:
        page.line(
            Text(printable(f"{', '.join(stuck.limited)} could start, but for a limit of the options")), _DETAIL, 4
        )


def mover_name(name: str, threads: Sequence[str]) -> str:
    """The name of what moves in steps of this name: a thread has a name of its own."""
    return dict(enumerate(threads)).get(int(name.removeprefix("thread-")), name) if is_thread(name) else name


def values_of(held: Held) -> str:
    """The values that make a guard false: those of its parts, or just `it is false`."""
    facts = [(text, value) for text, value in held.facts if text != held.text]
    parts = [f"{text} {'is' if value in ('True', 'False') else '='} {value}" for text, value in facts[:_MOST_FACTS]]
    return ", ".join(parts) or ("it is false" if held.facts else "there is nothing to do")


def _print_state(
    page: Page, state: Iterable[tuple[str, str]], names: Mapping[str, str], threads: Sequence[str]
) -> None:
    """Print a whole state: a line for each variable, thread and message; equal role instances share a line."""
    described = [(owner, _description(owner, list(lines), names)) for owner, lines in groupby(state, key=_owner)]
    called = {f"thread-{number}": name for number, name in enumerate(threads)}
    lines: list[tuple[str, str]] = []
    for (is_role, text), alike in groupby(described, key=lambda line: ("#" in line[0], line[1])):
        owners = [printable(called.get(owner, owner)) for owner, _ in alike]
        lines += [(shown, text) for shown in ([", ".join(owners)] if is_role else owners)]
    for shown, text in lines[:_MOST_LINES]:
        page.line(Text().append(shown, "cyan").append(printable(text)), _DETAIL, 4)
    _print_left_out(page, len(lines) - _MOST_LINES)


def _print_left_out(page: Page, count: int) -> None:
    if count > 0:
        page.line(Text(f"... and {count:,} more", "dim"), _DETAIL)


def _owner(line: tuple[str, str]) -> str:
    """The owner of a place: `Node#0` for `Node#0.offset`, otherwise itself."""
    return line[0].partition(".")[0]


def _description(owner: str, lines: list[tuple[str, str]], names: Mapping[str, str]) -> str:
    _, text = lines[0]
    if "#" in owner:
        return ": " + ", ".join(f"{place.partition('.')[2]} = {text}" for place, text in lines if text)
    if is_thread(owner):
        position = read_thread(text, names)
        return f": {position.text(whole=False) if position else text}"
    return f" = {text}"


def _print_entry(
    page: Page, index: int, entry: TraceEntry, threads: ThreadNames, sources: Mapping[str, str], names: dict[str, str]
) -> None:
    page.line(Text(f"{index:4d}  ", "bold") + _headline(entry, threads, threads.steps[index]), hang=_BODY)
    for source_line in _source_lines(entry, sources, names):
        page.line(source_line, _BODY, _BODY)
    # The start of a call can be seen in the source; labels of the model's author are shown.
    labels = [label for label in entry.labels if not label.endswith(".call")]
    if labels:
        page.line(Text(f"label {', '.join(labels)}", "dim"), _DETAIL, 4)
    for name, value in entry.returns:
        page.line(Text(f"{printable(name)} returns {printable(value)}", "dim"), _DETAIL, 4)
    if entry.kind == "init":
        _print_state(page, entry.state, names, threads.names(index))
    elif entry.fails:
        page.line(Text("here the model fails", "bold red"), _DETAIL, 4)
    elif not entry.changes:
        page.line(Text("nothing changes", "dim"), _DETAIL, 4)
    else:
        shown = [change for change in entry.changes if not is_thread(change.place)]
        for change in shown[:_MOST_LINES]:
            print_change(page, change, names)
        _print_left_out(page, len(shown) - _MOST_LINES)
        for change in threads.changes(index):
            _print_thread_change(page, change, names, entry.crash, _DETAIL)
    if renumbered := [f"{name} is now thread-{number}" for name, number in threads.renumbered(index)]:
        page.line(Text(printable(", ".join(renumbered)), "dim"), _DETAIL, 4)


def _headline(entry: TraceEntry, threads: ThreadNames, step: ThreadStep) -> Text:
    line = Text()
    if entry.kind == "crash-role":
        role = entry.label.removeprefix("crash-role ")
        line.append(printable(role), "bold")
        return line.append("  ").append(
            "** CRASH: it loses its threads and what is not durable **", "bold white on red"
        )
    name = entry.label.removesuffix(" crash").partition("[")[0]
    mover = (entry.actor or name) if step.mover is None else threads.name(step.mover)
    line.append(printable(mover), "bold cyan")
    if entry.choices:
        line.append(f" [{', '.join(map(printable, entry.choices))}]", "yellow")
    line.append(f"  {_MOVES[entry.kind]}".rstrip(), "dim")
    number = name if entry.kind in ("continue", "deliver") else step.number
    if number and number != mover:
        line.append(f" ({number})", "dim")
    if entry.crash:
        line.append("  ").append(_LOST, "bold white on red")
    return line


def _source_lines(entry: TraceEntry, sources: Mapping[str, str], names: dict[str, str]) -> list[Text]:
    """The lines that the step executed, the first and the last where there are many; for Init none.

    Guards that held and heads of blocks are left out, unless there is nothing else.
    """
    if entry.kind == "init":
        return []
    locations = list(dict.fromkeys(entry.lines))
    if not locations and entry.file is not None and entry.line is not None:
        locations = [(entry.file, entry.line)]
    rows = [(file, line, source_row(sources, file, line)) for file, line in locations]
    rows = [row for row in rows if not is_guard_or_head(row[2])] or rows
    lines = [_source_line(names.get(file, file), line, row) for file, line, row in rows]
    left_out = len(lines) - _MOST_SOURCE_LINES
    if left_out > 1:
        half = _MOST_SOURCE_LINES // 2
        lines[half:-half] = [Text(f"     | ... {left_out} more lines", "dim")]
    return lines


def _source_line(name: str, line: int, row: str) -> Text:
    where = f"{name}:{line}" if name else f"{line:4d}"
    return Text(f"{where} | ", "dim") + Text(printable(row), "italic")


def print_change(
    page: Page, change: Change, names: Mapping[str, str], crash: bool = False, indent: int = _DETAIL
) -> None:
    """Print a change; for a thread its end or move, for a long value only the parts that differ."""
    if is_thread(change.place):
        _print_thread_change(page, change, names, crash, indent)
        return
    line = _change_line(change)
    if line.cell_len + indent > page.width:
        lines = [_change_line(part) for part in differences(change)]
        if sum(shorter.cell_len for shorter in lines) < line.cell_len:
            for shorter in lines:
                page.line(shorter, indent, 4)
            return
    page.line(line, indent, 4)


def _print_thread_change(page: Page, change: Change, names: Mapping[str, str], crash: bool, indent: int) -> None:
    for part in thread_changes(change, names):
        line = _change_line(part)
        if change.new is None:
            line = Text().append(printable(part.place), "cyan").append(" is lost" if crash else " ends")
        page.line(line, indent, 4)


def _change_line(change: Change) -> Text:
    """`place: old -> new`; a part that came is marked `+`, one that went `-`."""
    line = Text().append(printable(change.place), "cyan").append(": ")
    old = None if change.old is None else printable(change.old)
    new = None if change.new is None else printable(change.new)
    if old is None:
        return line.append("+ ", "green").append(new or "", "green")
    if new is None:
        return line.append("- ", "red").append(old, "red")
    return line.append(old, "red").append(" -> ").append(new, "green")
