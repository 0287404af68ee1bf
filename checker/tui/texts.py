"""Longer answers, as lines of text: why something is false, what a step would change, what holds back the rest."""

from __future__ import annotations

import io
from collections.abc import Callable

from checker.core.trace import Trace
from checker.report.explain import print_guard
from checker.report.page import Page
from checker.report.story import file_names, print_change, print_why, source_row
from checker.traces.guards import Disabled
from checker.tui.opened.claim import PropertyRow, TruthMark
from checker.tui.opened.elsewhere import Enabled
from checker.tui.session import ViewerSession


def _lines(width: int, write: Callable[[Page], None]) -> list[str]:
    """What is printed on a page of some width."""
    file = io.StringIO()
    write(Page(file, color=False, width=width))
    return file.getvalue().rstrip("\n").split("\n")


def why_false(session: ViewerSession, width: int) -> list[str]:
    """Why the properties that are false after the selected step are false."""
    return _lines(width, lambda page: _print_false(page, session))


def _print_false(page: Page, session: ViewerSession) -> None:
    told = 0
    shown = session.shown
    for claim in sorted(session.claims, key=lambda claim: claim is not shown):
        truth = session.truths.truth(claim, session.path, session.selected)
        if truth not in (TruthMark.FALSE, TruthMark.FAILS):
            continue
        if told:
            page.line()
        told += 1
        page.line(_sentence(session, claim, truth), hang=2)
        for sentence in session.path.trace.fairness if claim is shown else ():
            page.line(sentence, indent=2, hang=2)
        why = session.truths.why(claim, session.path, session.selected)
        if why is not None:
            print_why(page, Trace(session.path.trace.entries[: session.selected + 1], why=why), session.sources)
    if not told:
        page.line("No property is false here.")


def _sentence(session: ViewerSession, claim: PropertyRow, truth: TruthMark) -> str:
    if claim.of_dead_ends:
        return "deadlock: no step is possible but crashes. `o` says what holds back each action."
    instance = session.truths.instance(claim, session.path, session.selected)
    whose = f" for {instance}" if instance else ""
    if truth is TruthMark.FAILS:
        return f"{claim.name} ({claim.kind}) fails while it is evaluated{whose}"
    if claim is session.shown:
        for_ever = "stays here" if session.path.trace.stutter else "goes through this cycle"
        return f"{claim.name} ({claim.kind}) is false here, and the run {for_ever} for ever: that violates it"
    alone = "" if claim.breaks(truth) else "; in one state, that violates nothing"
    return f"{claim.name} ({claim.kind}) is false{whose}{alone}"


def would_change(session: ViewerSession, one: Enabled, width: int) -> list[str]:
    """What a step that could be taken would change."""
    telling = session.told(one)
    last = len(telling) - 1
    if telling.entries[last].fails:
        return ["the model fails in this step"]
    if not last:
        return [f"{line.place} = {line.text}" for line in telling.lines(0)]
    changed = telling.parts(last)
    if not changed:
        return ["nothing changes"]
    threads = telling.threads(last - 1)

    def write(page: Page) -> None:
        for change in changed:
            if change.new is None and change.place in threads:
                page.line(f"{change.place} {'is lost' if one.possible.crashes else 'ends'}")
            else:
                print_change(page, change, telling.names, indent=0)

    return _lines(width, write)


def held_back(session: ViewerSession, one: Disabled, width: int) -> list[str]:
    """The guards that hold back an action or thread, with their values."""
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
    # Of a guard that is but a field or a variable there is no more to say.
    return f"{row}   {values or ('is False' if guard.facts else '')}".rstrip()


def whole(text: str, width: int) -> list[str]:
    """A long text in lines."""
    return _lines(width, lambda page: page.line(text))
