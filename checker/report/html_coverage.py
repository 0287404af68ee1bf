"""Coverage as a page of HTML: the model with counts beside its lines, and the tables of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from checker.analysis.covering import Coverage
from checker.report.coverage_text import HINT, notes_of, reach, sums, where
from checker.report.html_page import html_page, html_table, text
from checker.report.model_rows import file_names


def html_coverage(coverage: Coverage) -> str:
    """The page."""
    name = PurePath(coverage.model).name
    parts = [f"<h1>Coverage of {text(name)}</h1>", f"<p>{text(sums(coverage))}<br>"]
    parts.append(f'<span class="{"dim" if coverage.whole else "warn"}">{text(reach(coverage))}</span></p>')
    parts.append(source_tables(coverage))
    parts.append(audit_tables(coverage))
    return html_page(f"Coverage of {name}", "\n".join(parts))


def source_tables(coverage: Coverage) -> str:
    """The files of the model with counts beside their lines."""
    files = (item for item in coverage.sources.items() if _ran_in(item[0], coverage))
    return "\n".join(_file(file, source, coverage) for file, source in files)


def audit_tables(coverage: Coverage, often_new: Sequence[tuple[str, str]] = ()) -> str:
    """The findings of an audit, as tables."""
    names = file_names(coverage.sources)
    actions = [(a.action, a.paths, a.steps) for a in coverage.actions]
    branchings = [
        (where(b.span, names), b.text, ", ".join(f"{name} {count:,}" for name, count in b.counts))
        for b in coverage.branchings
    ]
    remarks = [(where(r.span, names), r.text) for r in coverage.remarks]
    untested = [(where(d.span, names), d.text) for d in coverage.untested if d.span is not None]
    settings = [(d.text,) for d in coverage.settings]
    return (
        html_table(("action", "paths", "steps"), list(actions), "Actions")
        + html_table(("line", "guard or branch", "decided"), list(branchings), "Guards and branches")
        + html_table(("line", "what"), list(remarks), "What never happened")
        + html_table(("line", "what"), list(untested), "Never evaluated")
        + html_table(("setting",), list(settings), "Settings without effect")
        + html_table(("where", "how often"), list(often_new), "What was often new")
        + (f'<p class="dim">{text(HINT)}</p>' if often_new else "")
    )


def _ran_in(file: str, coverage: Coverage) -> bool:
    return any(name == file for name, _ in coverage.runs)


def _file(file: str, source: str, coverage: Coverage) -> str:
    notes = notes_of(coverage, file)
    rows = []
    for number, row in enumerate(source.rstrip("\n").split("\n"), 1):
        count = coverage.runs.get((file, number))
        here = notes.get(number, [])
        kind = "never" if count == 0 else "remark" if any(bad for _, bad in here) else ""
        shown_notes = "<br>".join(f'<span class="{"warn" if bad else "dim"}">{text(note)}</span>' for note, bad in here)
        shown = "" if count is None else f"{count:,}"
        rows.append(
            f'<tr class="{kind}"><td class="num">{shown}</td><td class="num">{number}</td>'
            f'<td class="mono">{text(row)}</td><td>{shown_notes}</td></tr>'
        )
    head = f"<h2>{text(file)}</h2>"
    return f'{head}\n<div class="wide"><table class="source">\n' + "\n".join(rows) + "\n</table></div>"
