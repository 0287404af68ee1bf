"""A counterexample in brief as HTML: a line for each step that unfolds to its lines and changes, the end, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from checker.core.trace import Trace, TraceEntry
from checker.report.compact_trace import BriefStep, BriefTrace, brief_trace
from checker.report.html_page import html_table, text
from checker.report.html_sequence import sequence_svg
from checker.report.html_unmatched import html_unmatched
from checker.report.model_rows import file_names, source_row
from checker.report.thread_names import thread_names_of
from checker.report.trace_text import mover_name, values_of

_MOST_COLUMNS = 60
_MOST_STATE_LINES = 200


def html_story(trace: Trace, sources: Mapping[str, str]) -> str:
    """The steps, the state at the end, the reason, and folded the diagram and all states."""
    short, names = brief_trace(trace, sources), file_names(sources)
    init = trace.entries[0]
    chosen = f' <span class="choice">{text(" ".join(short.chosen))}</span>' if short.chosen else ""
    rows = [_folded("0", f"<strong>Init</strong>{chosen}", "", _state(init.state), "")]
    rows += [_step(step, entry, sources, names) for step, entry in zip(short.steps, trace.entries[1:], strict=True)]
    if short.waiting is not None:
        number, sentence = short.waiting
        rows.insert(number + 1, f'<p class="warn">{text(sentence)}</p>')
    parts = [f'<div class="story">{"".join(rows)}</div>', *_after(short, trace, sources, names)]
    if svg := sequence_svg(trace):
        parts.append(f'<details open><summary>Sequence diagram</summary><div class="wide">{svg}</div></details>')
    parts.append(f"<details><summary>All states</summary>{_states(trace)}</details>")
    return "\n".join(parts)


def _folded(number: str, left: str, right: str, inside: str, kind: str) -> str:
    """A row that unfolds."""
    summary = f'<span class="num">{number}</span><span class="who">{left}</span><span class="what">{right}</span>'
    body = f'<div class="mono inside">{inside}</div>'
    return f'<details class="step {kind}"><summary>{summary}</summary>{body}</details>\n'


def _step(step: BriefStep, entry: TraceEntry, sources: Mapping[str, str], names: Mapping[str, str]) -> str:
    mover = f"<strong>{text(step.mover)}</strong>" if not step.joined else '<span class="dim">↳</span>'
    calls = "".join(f" &gt; {text(call)}" for call in step.calls)
    choices = "".join(f' <span class="choice">{text(choice)}</span>' for choice in step.choices)
    kind = {"deliver": ' <span class="dim">receives</span>'}.get(step.kind, "")
    where = f' <span class="dim">{text(_where(step.lines, names))}</span>' if step.lines else ""
    struck = f" after {text(_where([step.struck], names))}" if step.struck else ""
    crash = f' <strong class="crash">✗ crash{struck}</strong>' if step.crash else ""
    fails = ' <strong class="crash">the model fails</strong>' if step.fails else ""
    changes = ", ".join(f"<span><em>{text(c.place)}</em> {text(c.text)}</span>" for c in step.changes)
    left = f"{mover}{calls}{kind}{choices}{where}{crash}{fails}"
    number = f"{'∞ ' if step.in_cycle else ''}{step.number}"
    right = changes or ("" if step.fails else '<span class="dim">nothing changes</span>')
    return _folded(number, left, right, _details(entry, sources, names), "crashes" if step.crash else "")


def _where(lines: Sequence[tuple[str, int]], names: Mapping[str, str]) -> str:
    file, line = lines[-1]
    name = names.get(file, file)
    return f"{name}:{line}" if name else f"line {line}"


def _details(entry: TraceEntry, sources: Mapping[str, str], names: Mapping[str, str]) -> str:
    """The executed lines, and the changes to the letter."""
    rows = [
        f'<div class="dim">{text(_where([(file, line)], names))} | {text(source_row(sources, file, line))}</div>'
        for file, line in dict.fromkeys(entry.lines)
    ]
    rows += [
        f'<div>{text(change.place)}: <span class="bad">{text(change.old or "")}</span> → '
        f'<span class="good">{text(change.new if change.new is not None else "gone")}</span></div>'
        for change in entry.changes
    ]
    return "".join(rows)


def _state(state: Sequence[tuple[str, str]]) -> str:
    rows = [f"<div>{text(place)} = {text(value)}</div>" for place, value in state[:_MOST_STATE_LINES]]
    left_out = len(state) - _MOST_STATE_LINES
    return "".join(rows) + (f"<div>and {left_out:,} more</div>" if left_out > 0 else "")


def _after(short: BriefTrace, trace: Trace, sources: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    parts = []
    if short.end and trace.cycle_start is None:
        rows = "".join(f"<div><em>{text(owners)}</em> {text(shown)}</div>" for owners, shown in short.end)
        parts.append(f'<div class="end"><strong>end</strong><div class="mono">{rows}</div></div>')
    if short.reason.sentences:
        first, *others = short.reason.sentences
        more = f": {text('; '.join(others))}" if others else ""
        parts.append(f'<p class="warn">∞ {text(first)}{more}</p>')
    if short.reason.why is not None:
        why = short.reason.why
        later = "" if why.step == trace.steps else f' <span class="dim">(after step {why.step})</span>'
        quoted = f"{text(_where([(why.file, why.line)], names))} | {text(why.row)}"
        facts = "".join(f"<div>{text(fact)}</div>" for fact in why.facts)
        shown = f'<div class="dim">{quoted}{later}</div>{facts}'
        parts.append(f'<div class="end"><strong>why</strong><div class="mono">{shown}</div></div>')
    if short.reason.blocked:
        called = thread_names_of(trace).names(-1)
        rows_blocked: list[tuple[object, ...]] = [
            (mover_name(one.name, called), _where([(file, line)], names), row, values_of(one))
            for file, line, row, held in short.reason.blocked
            for one in held
        ]
        parts.append("<h3>Why no step is possible</h3>")
        parts.append(html_table(("blocked", "where", "by", "values"), rows_blocked))
    if trace.unmatched is not None:
        parts += html_unmatched(trace.unmatched)
    if short.reason.limited:
        parts.append(f"<p>{text(', '.join(short.reason.limited))} could start, but for a limit of the options.</p>")
    return parts


def _states(trace: Trace) -> str:
    """The states as a table: a row for each place that changes, a column for each step; what changed is marked."""
    shown = list(enumerate(trace.entries))[-_MOST_COLUMNS:]
    states = {number: dict(entry.state) for number, entry in shown if not entry.fails}
    places = list(dict.fromkeys(place for state in states.values() for place in state))
    head = "".join(f"<th>{number}</th>" for number in states)
    moving, fixed = [], []
    for place in places:
        cells, changes = [], False
        for number, state in states.items():
            before = states.get(number - 1)
            changed = before is not None and before.get(place) != state.get(place)
            changes |= changed
            mark = ' class="warn"' if changed else ""
            cells.append(f"<td{mark}>{text(state.get(place, ''))}</td>")
        row = f"<tr><th>{text(place)}</th>{''.join(cells)}</tr>"
        if changes:
            moving.append(row)
        else:
            value = text(_constant(states, place))
            fixed.append(f'<tr><th>{text(place)}</th><td colspan="{len(states)}">{value}</td></tr>')
    rows = "\n".join([*moving, *fixed])
    return f'<div class="wide"><table class="mono states">\n<tr><th>after step</th>{head}</tr>\n{rows}\n</table></div>'


def _constant(states: Mapping[int, Mapping[str, str]], place: str) -> str:
    return next((state[place] for state in states.values() if place in state), "")
