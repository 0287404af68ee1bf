"""A self-contained page of HTML: style inside, no script, no external resource, all text escaped."""

from __future__ import annotations

from html import escape

from checker.core.visible import printable

_LIGHT = """\
--ink: #1b1f24; --dim: #667; --line: #d8dbe0; --paper: #fff; --good: #12703a; --bad: #b3261e; --warn: #8a5a00;
--place: #0b5394; --badpaper: #fdecea; --goodpaper: #e8f5ec; --warnpaper: #fff6e0; --lane: #eef0f3;
"""
_DARK = """\
--ink: #e6e8eb; --dim: #9aa0a8; --line: #3a3f46; --paper: #16191d; --good: #6fd394; --bad: #ff8a80; --warn: #f0c060;
--place: #8ab4f8; --badpaper: #3a1f1d; --goodpaper: #17301f; --warnpaper: #352a12; --lane: #23282e;
"""
_BODY = "color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif;"
_RULES = """\
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-top: 1rem; }
pre, code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
pre.wrapped { white-space: pre-wrap; overflow-wrap: anywhere; margin-left: 1rem; }
table { border-collapse: collapse; margin: .5rem 0; } th { text-align: left; color: var(--dim); font-weight: 500; }
th, td { padding: .15rem .8rem .15rem 0; vertical-align: top; }
td.num, th.num { text-align: right; } .dim { color: var(--dim); } .good { color: var(--good); }
.bad { color: var(--bad); } .warn { color: var(--warn); } .wide { overflow-x: auto; }
table.source { width: 100%; } table.source td { padding: 0 .6rem; white-space: pre-wrap; }
table.source td.num { white-space: nowrap; color: var(--dim); }
tr.never { background: var(--badpaper); } tr.remark { background: var(--warnpaper); }
svg { max-width: 100%; height: auto; } svg text { font: 12px ui-monospace, monospace; fill: var(--ink); }
details > summary { cursor: pointer; margin: .3rem 0; }
details.step > summary { display: grid; grid-template-columns: 2.6rem minmax(12rem, 45%) 1fr; gap: 0 .6rem;
  margin: 0; padding: .1rem 0; list-style: none; }
details.step > summary::-webkit-details-marker { display: none; }
details.step > summary:hover { background: var(--lane); }
details.step.crashes > summary { background: var(--badpaper); }
.story { border: 1px solid var(--line); border-width: 1px 0; margin: .5rem 0; }
.story .num { text-align: right; color: var(--dim); }
.story .who { overflow-wrap: anywhere; }
.story .what { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
.story em, .end em { font-style: normal; color: var(--place); }
.choice { color: var(--warn); } .crash { color: var(--bad); } .inside { margin: .2rem 0 .6rem 3.2rem; }
.end { display: grid; grid-template-columns: 2.6rem 1fr; gap: 0 .6rem; margin: .4rem 0; }
.unmatched td { overflow-wrap: anywhere; min-width: 4rem; }
.states td, .states th { padding: .05rem .6rem .05rem 0; max-width: 16rem; overflow-wrap: anywhere; }
.states th:first-child { position: sticky; left: 0; background: var(--paper); white-space: nowrap; }
.tabs > input { position: absolute; opacity: 0; } .tabs > section { display: none; }
.tabs > label { display: inline-block; padding: .3rem .8rem; border: 1px solid var(--line); color: var(--dim);
  border-radius: 6px 6px 0 0; cursor: pointer; } .tabs > section { border-top: 1px solid var(--line); }
.tabs > input:checked + label { color: var(--ink); background: var(--lane); font-weight: 600; }
.tabs > input:focus-visible + label { outline: 2px solid var(--place); }
@media (max-width: 40rem) { details.step > summary { grid-template-columns: 2.6rem 1fr; }
  .story .what { grid-column: 2; } .inside { margin-left: 1rem; } }
@media print { .tabs > section { display: block !important; } }
"""
_PAGE = (
    f":root {{ {_LIGHT}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {_DARK}}} }}\n"
    f"body {{ margin: 2rem auto; max-width: 72rem; padding: 0 1rem; {_BODY} }}\n{_RULES}"
)
_PART = f".fizzpy {{ {_LIGHT}{_BODY} padding: .2rem .6rem;\n{_RULES}}}\n"


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
        f"<title>{text(title)}</title>\n<style>\n{_PAGE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def html_part(body: str) -> str:
    """A part of a page that is not ours, such as a notebook: its styles hold inside of it alone. `body` is HTML."""
    return f'<style>\n{_PART}</style>\n<div class="fizzpy">\n{body}\n</div>'


def html_tabs(tabs: list[tuple[str, str]], name: str) -> str:
    """Sections of which one is seen, chosen by its title; a single one needs no title. `name`: unlike others there."""
    if len(tabs) < 2:
        return "".join(body for _, body in tabs)
    heads, bodies, rules = [], [], []
    for number, (title, body) in enumerate(tabs):
        here, checked = f"{name}-{number}", " checked" if number == 0 else ""
        heads.append(
            f'<input type="radio" name="{name}" id="{here}"{checked}><label for="{here}">{text(title)}</label>'
        )
        bodies.append(f'<section class="{here}">{body}</section>')
        rules.append(f"#{here}:checked ~ section.{here} {{ display: block; }}")
    style = "<style>" + " ".join(rules) + "</style>"
    return f'{style}<div class="tabs">{"".join(heads)}{"".join(bodies)}</div>'


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
