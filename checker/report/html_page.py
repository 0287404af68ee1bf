"""A self-contained page of HTML: style inside, no script, no external resource, all text escaped."""

from __future__ import annotations

from html import escape

from checker.core.visible import printable

_STYLE = """\
:root { --ink: #1b1f24; --dim: #667; --line: #d8dbe0; --paper: #fff; --good: #12703a; --bad: #b3261e; --warn: #8a5a00;
  --badpaper: #fdecea; --goodpaper: #e8f5ec; --warnpaper: #fff6e0; --lane: #eef0f3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --dim: #9aa0a8; --line: #3a3f46; --paper: #16191d;
  --good: #6fd394; --bad: #ff8a80; --warn: #f0c060; --badpaper: #3a1f1d; --goodpaper: #17301f; --warnpaper: #352a12;
  --lane: #23282e; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
pre, code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
table { border-collapse: collapse; margin: .5rem 0; } th { text-align: left; color: var(--dim); font-weight: 500; }
th, td { padding: .15rem .8rem .15rem 0; vertical-align: top; }
td.num, th.num { text-align: right; } .dim { color: var(--dim); } .good { color: var(--good); }
.bad { color: var(--bad); } .warn { color: var(--warn); } .wide { overflow-x: auto; }
table.source { width: 100%; } table.source td { padding: 0 .6rem; white-space: pre-wrap; }
table.source td.num { white-space: nowrap; color: var(--dim); }
tr.never { background: var(--badpaper); } tr.remark { background: var(--warnpaper); }
svg { max-width: 100%; height: auto; } svg text { font: 12px ui-monospace, monospace; fill: var(--ink); }
"""


def text(value: object) -> str:
    """A text of a model or a user, escaped, with control characters spelled out."""
    return escape(printable(str(value)))


def html_page(title: str, body: str) -> str:
    """The whole page. `body` is HTML."""
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{text(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def html_table(heads: tuple[str, ...], rows: list[tuple[object, ...]], caption: str = "") -> str:
    """A table of texts; numbers stand on the right. Empty if there are no rows."""
    if not rows:
        return ""
    numbers = [all(isinstance(row[i], int) for row in rows) for i in range(len(heads))]
    mark = [' class="num"' if number else "" for number in numbers]
    head = "".join(f"<th{m}>{text(h)}</th>" for h, m in zip(heads, mark, strict=True))
    lines = [
        "<tr>" + "".join(f"<td{m}>{_cell(cell)}</td>" for cell, m in zip(row, mark, strict=True)) + "</tr>"
        for row in rows
    ]
    title = f"<h2>{text(caption)}</h2>\n" if caption else ""
    return f'{title}<div class="wide"><table>\n<tr>{head}</tr>\n' + "\n".join(lines) + "\n</table></div>\n"


def _cell(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else text(cell)
