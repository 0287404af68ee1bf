"""Longer answers as lines of text: why something is false, what a step would change, what blocks the others."""

from __future__ import annotations

import io
from collections.abc import Callable

from checker.core.trace import Trace
from checker.report.explain_text import print_guard
from checker.report.model_rows import file_names, source_row
from checker.report.page import Page
from checker.report.step_text import change_texts
from checker.report.trace_text import print_why
from checker.report.unmatched_text import print_unmatched
from checker.traces.guards import Disabled
from checker.tui.opened.alternatives import Enabled
from checker.tui.opened.property_row import PropertyRow, TruthMark
from checker.tui.viewer_session import ViewerSession


def _lines(width: int, write: Callable[[Page], None]) -> list[str]:
    """The lines printed on a page of this width."""
    file = io.StringIO()
    write(Page(file, color=False, width=width))
    return file.getvalue().rstrip("\n").split("\n")


def why_false(session: ViewerSession, width: int) -> list[str]:
    """Why the properties that are false after the selected step are false."""
    return _lines(width, lambda page: _print_false(page, session))


def _print_false(page: Page, session: ViewerSession) -> None:
    printed = 0
    shown = session.shown
    for prop in sorted(session.properties, key=lambda prop: prop is not shown):
        truth = session.truths.truth(prop, session.path, session.selected)
        if truth not in (TruthMark.FALSE, TruthMark.FAILS):
            continue
        if printed:
            page.line()
        printed += 1
        page.line(_sentence(session, prop, truth), hang=2)
        for sentence in session.path.trace.fairness if prop is shown else ():
            page.line(sentence, indent=2, hang=2)
        why = session.truths.why(prop, session.path, session.selected)
        if why is not None:
            print_why(page, Trace(session.path.trace.entries[: session.selected + 1], why=why), session.sources)
    unmatched = session.path.trace.unmatched
    if unmatched is not None and unmatched.step == session.selected:
        print_unmatched(page, unmatched)
        printed += 1
    if not printed:
        page.line("No property is false here.")


def _sentence(session: ViewerSession, prop: PropertyRow, truth: TruthMark) -> str:
    if prop.of_dead_ends:
        return "deadlock: no step is possible but crashes. `o` says what blocks each action."
    instance = session.truths.instance(prop, session.path, session.selected)
    whose = f" for {instance}" if instance else ""
    if truth is TruthMark.FAILS:
        return f"{prop.name} ({prop.kind}) fails while it is evaluated{whose}"
    if prop is session.shown:
        for_ever = "stays here" if session.path.trace.stutter else "goes through this cycle"
        return f"{prop.name} ({prop.kind}) is false here, and the run {for_ever} for ever, which violates it"
    alone = "" if prop.breaks(truth) else "; in a single state that violates nothing"
    return f"{prop.name} ({prop.kind}) is false{whose}{alone}"


def would_change(session: ViewerSession, one: Enabled, width: int) -> list[str]:
    """The changes of a step that could be taken."""
    path_text = session.path_with(one)
    last = len(path_text) - 1
    if path_text.entries[last].fails:
        return ["the model fails in this step"]
    if not last:
        return [f"{line.place} = {line.text}" for line in path_text.lines(0)]
    step = path_text.brief(last)
    ended = [change.place for change in path_text.thread_names.changes(last) if change.new is None]
    how = "is lost" if one.possible.crashes else "ends"

    def write(page: Page) -> None:
        for text in change_texts(step, page.spelled):
            page.line(text, hang=2)
        for name in ended:
            page.line(f"{name} {how}")

    return _lines(width, write)


def held_back(session: ViewerSession, one: Disabled, width: int) -> list[str]:
    """The guards that block an action or thread, with their values."""
    names = file_names(session.sources)

    def write(page: Page) -> None:
        for guard in one.guards:
            print_guard(page, guard, session.sources, names, 0)

    return _lines(width, write)


def in_short(session: ViewerSession, one: Disabled) -> str:
    """The first guard and its values on one line."""
    guard = one.guards[0]
    row = guard.text if guard.kind == "limit" else source_row(session.sources, guard.file, guard.line)
    values = ", ".join(f"{text} = {value}" for text, value in guard.facts if value not in ("True", "False"))
    # A guard that is a single field or variable has no other values.
    return f"{row}   {values or ('is False' if guard.facts else '')}".rstrip()


def whole(text: str, width: int) -> list[str]:
    """A long text in lines."""
    return _lines(width, lambda page: page.line(text))
