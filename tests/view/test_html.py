"""Pages of HTML: well formed, no external resource, texts escaped, a diagram with lanes, arrows and crash marks."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from checker.analysis.covering import cover
from checker.check import check
from checker.core.exploration import Settings
from checker.report.compact_trace import brief_trace
from checker.report.compact_unmatched import brief_unmatched
from checker.report.html_coverage import audit_tables, html_coverage
from checker.report.html_report import html_report
from checker.report.html_sequence import sequence_rows, sequence_svg
from checker.report.mermaid import mermaid_text
from checker.report.page import Page as Console
from checker.report.terminal_report import print_report
from fizz.base.version import VERSION
from tests.view.outputs import CRASHED, CRASHES, CYCLE, VALUES

VOID = {"meta", "br", "img", "link", "input", "hr"}
ELSEWHERE = {"src", "href", "action", "data", "poster", "srcset", "background"}
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page(HTMLParser):
    """Reads a page: its elements must close, and it may neither run nor fetch anything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert tag not in ("script", "iframe", "object", "embed", "link", "img", "form", "base")
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ELSEWHERE, name
            assert "url(" not in (value or "").replace("url(#", "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def rendered(page: str, folder: Path) -> None:
    """Where there is a browser: it shows the page without running or fetching anything."""
    if BROWSER is None:
        return
    (folder / "page.html").write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}"]
    shown = subprocess.run(
        [*command, f"--screenshot={folder / 'page.png'}", "--dump-dom", (folder / "page.html").as_uri()],
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert b"</html>" in shown.stdout
    assert (folder / "page.png").stat().st_size > 5_000


def page_of(text: str, folder: Path, **settings: object) -> str:
    (folder / "m.fizz").write_text(text)
    report = check(folder / "m.fizz", settings=Settings(**settings))  # type: ignore[arg-type]
    return html_report(report, cover(folder / "m.fizz"))


@pytest.mark.parametrize("text", [CRASHES, CRASHED, VALUES, CYCLE, "action Init: n = 1 // 0\n"], ids=range(5))
def test_reports_are_pages(text: str, tmp_path: Path) -> None:
    """They parse; every property and every step of each counterexample is shown."""
    page = Page(page_of(text, tmp_path, keep_going=True))
    report = check(tmp_path / "m.fizz", settings=Settings(keep_going=True))
    assert report.verdict.upper() in page.text
    for p in report.properties:
        assert p.name in page.text
        if p.trace is None:
            continue
        for step, entry in zip(brief_trace(p.trace, report.sources).steps, p.trace.entries[1:], strict=True):
            assert step.mover in page.text
            assert all(choice in page.text for choice in step.choices)
            assert all(change.place in page.text and change.text in page.text for change in step.changes)
            assert all((change.new or "gone") in page.text for change in entry.changes)
            assert not entry.crash or "✗ crash" in page.text
    assert page.tags.count("svg") == sum(p.trace is not None and p.trace.steps > 0 for p in report.properties)


def test_each_violation_has_a_tab(tmp_path: Path) -> None:
    """With several there are as many tabs and sections, the leading one in front; with one there is none."""
    text = CYCLE + "always assertion Small:\n    return n < 2\n"
    page = page_of(text, tmp_path, keep_going=True)
    assert page.count('type="radio"') == page.count("<section") == 2
    assert page.index("Small is violated") > page.index("checked")
    assert 'type="radio"' not in page_of(CYCLE, tmp_path)


def test_what_the_run_was_given_is_on_the_page(tmp_path: Path) -> None:
    """Constants, options, settings, the version, the date and the text of the model."""
    path = tmp_path / "m.fizz"
    path.write_text("LIMIT = 2\n" + CYCLE.replace("n == 2", "n == LIMIT"))
    given = {"constants": {"LIMIT": "1"}, "options": {"max_actions": "9"}}
    report = check(path, settings=Settings(properties=("Two",)), **given)  # type: ignore[arg-type]
    page = Page(html_report(report, None, datetime(2026, 3, 4, 12, tzinfo=UTC)))
    for shown in (
        "LIMIT",
        "max_actions",
        "9",
        f"fizzpy {VERSION}",
        "2026-03-04",
        "properties Two",
        "return n == LIMIT",
    ):
        assert shown in page.text


def test_texts_of_the_model_are_texts(tmp_path: Path) -> None:
    """Markup in strings and comments is shown, and is none; so is what would turn the reading direction."""
    text = page_of(CRASHES.replace("Net = Channel()", 'Net = Channel()\nEVIL = "</style><script>\u202e"'), tmp_path)
    page = Page(text)
    assert "<b>&" in page.text
    assert "script" not in page.tags and "b" not in page.tags
    (tmp_path / "m.fizz").write_text(CRASHES)
    annotated = html_coverage(cover(tmp_path / "m.fizz"))
    assert '<script>alert("x")</script>' in Page(annotated).text
    assert "\u202e" not in text


def test_the_diagram(tmp_path: Path) -> None:
    """A lane per instance, a row per step, arrows to who is changed or sent to, a mark for each crash."""
    (tmp_path / "m.fizz").write_text(CRASHES)
    report = check(tmp_path / "m.fizz", settings=Settings(properties=("Few",)))
    assert report.trace is not None
    rows = sequence_rows(report.trace)
    assert len(rows) == report.trace.steps
    assert {row.lane for row in rows} == {"Node#0", "Node#1"}
    assert any(row.reaches == ("Node#1",) for row in rows if row.lane == "Node#0")
    assert all(lane.startswith("Node#") for row in rows for lane in row.reaches)
    (tmp_path / "m.fizz").write_text(CRASHED)
    crashed = check(tmp_path / "m.fizz").trace
    assert crashed is not None
    marks = [row.crash for row in sequence_rows(crashed)]
    assert marks == [entry.crash for entry in crashed.entries[1:]]
    assert any(marks)
    svg = sequence_svg(crashed)
    assert svg.count('class="crash"') == sum(marks)
    (tmp_path / "m.fizz").write_text(CYCLE)
    round_trip = check(tmp_path / "m.fizz").trace
    assert round_trip is not None
    assert ">cycle<" in sequence_svg(round_trip)


def test_a_browser_shows_it(tmp_path: Path) -> None:
    """The page as it is opened; without a browser its structure is what can be looked at."""
    page = page_of(CRASHES, tmp_path)
    assert Page(page).tags.count("table") >= 4
    rendered(page, tmp_path)


def test_coverage_pages(tmp_path: Path) -> None:
    """Every line of the model with its count; what never ran is marked."""
    (tmp_path / "m.fizz").write_text(CRASHES)
    found = cover(tmp_path / "m.fizz")
    text = html_coverage(found)
    page = Page(text)
    assert text.count('class="never"') == sum(count == 0 for count in found.runs.values())
    assert f"{max(found.runs.values()):,}" in page.text
    assert all(row.strip() in page.text for row in CRASHES.splitlines() if "<b>" not in row)


def test_an_audit_names_the_files_of_lines(tmp_path: Path) -> None:
    """Where the model includes others; a single file has no name."""
    (tmp_path / "core.fizz").write_text("action Init: n = 0\natomic action A:\n    require n < 2\n    n += 1\n")
    (tmp_path / "m.fizz").write_text('include "core.fizz"\n')
    included, alone = (Page(audit_tables(cover(tmp_path / name))).text for name in ("m.fizz", "core.fizz"))
    assert re.search(r"core\.fizz:\d+", included) and "core.fizz" not in alone


def test_the_diagram_for_mermaid(tmp_path: Path) -> None:
    """A participant per lane, an arrow per step and lane reached, a cross per crash; cycles are loops."""
    (tmp_path / "m.fizz").write_text(CRASHED)
    trace = check(tmp_path / "m.fizz").trace
    assert trace is not None
    assert mermaid_text(trace).splitlines() == [
        "sequenceDiagram",
        "    participant p0 as Node#35;0",
        "    p0-xp0: 1 Move ✗ crash",
        "    p0->>p0: 2 Move",
    ]
    (tmp_path / "m.fizz").write_text(CYCLE)
    trace = check(tmp_path / "m.fizz").trace
    assert trace is not None
    rows = mermaid_text(trace).splitlines()
    assert rows[2] == "    loop for ever" and rows[-1] == "    end"
    (tmp_path / "m.fizz").write_text(CRASHES)
    trace = check(tmp_path / "m.fizz", settings=Settings(properties=("Few",))).trace
    assert trace is not None
    for row in mermaid_text(trace).splitlines()[1:]:
        text = r"[^#;<>]*(#\d+;[^#;<>]*)*"
        assert re.fullmatch(rf"    (participant p\d as {text}|p\d(->>|-x)p\d: {text})", row), row


def test_what_waits_from_the_beginning_says_so(tmp_path: Path) -> None:
    """Also where the mark stands at the initial state: on the page, in the diagram, and in the terminal."""
    text = "action Init: x = 0\natomic fair action Flip:\n    x = 1 - x\n"
    (tmp_path / "m.fizz").write_text(text + "leadsto assertion Done: return (x == 0, x == 2)\n")
    report = check(tmp_path / "m.fizz")
    assert report.trace is not None and report.trace.waiting is not None and report.trace.waiting.step == 0
    sentence = report.trace.waiting.sentence
    assert 0 < html_report(report).index("<strong>Init</strong>") < html_report(report).index(sentence)
    assert mermaid_text(report.trace).splitlines()[2] == f"    Note over p0: {sentence}"
    out = io.StringIO()
    print_report(Console(out, color=False, width=80), report)
    assert " 0 Init\n   " + sentence in out.getvalue()


ABSTRACT = """\
---
deadlock_detection: false
---
action Init: n, big = 0, {}
atomic action Add:
    n = n + 1
    big = {i: "x" * 20 for i in range(n)}
"""
REFINING = """\
---
deadlock_detection: false
options: {max_actions: 4}
---
action Init: n, big = FIRST, {}
atomic action Add:
    n = n + 1
    big = {i: "x" * 20 for i in range(n)}
    if n == 3:
        big["<b>&"] = "<script>" + "y" * 500
def seen(n, big): return {"n": n, "big": big}
refines "abstract.fizz" with seen
"""


@pytest.mark.parametrize("first", ["0", "7"])
def test_a_run_that_nothing_explains_is_explained(tmp_path: Path, first: str) -> None:
    """The page has all that the terminal says of it, long values as a whole; a wrong initial state has no before."""
    (tmp_path / "abstract.fizz").write_text(ABSTRACT)
    (tmp_path / "m.fizz").write_text(REFINING.replace("FIRST", first))
    report = check(tmp_path / "m.fizz")
    assert report.trace is not None and report.trace.unmatched is not None
    html = html_report(report)
    page = Page(html).text
    rendered(html, tmp_path)
    short = brief_unmatched(report.trace.unmatched)
    said = [short.sentence, short.heading, *(part for row in short.viewed for part in row)]
    said += [part for near in short.near for row in near.gives for part in (near.label, *row)]
    assert short.near and short.viewed and all(part in page for part in said)
    if first == "0":
        assert (
            '"<script>' + "y" * 500 in page and "before the step" in page and "nearest steps of abstract.fizz" in page
        )
    else:
        assert "before the step" not in page and "nearest initial states of abstract.fizz" in page


def test_long_values_that_nothing_explains_fill_their_rows(tmp_path: Path) -> None:
    """In the terminal what is indented is also broken for the room that is left: no row ends early, none is wider."""
    (tmp_path / "abstract.fizz").write_text(ABSTRACT)
    (tmp_path / "m.fizz").write_text(REFINING.replace("FIRST", "0"))
    out = io.StringIO()
    print_report(Console(out, color=False, width=80), check(tmp_path / "m.fizz"))
    rows = out.getvalue().splitlines()
    first = next(number for number, row in enumerate(rows) if row.startswith("     big: "))
    assert rows[first + 1].startswith(" " * 10) and rows[first + 1].endswith(" …")
    assert rows[first + 2].startswith("     n: 2 -> 3")
